// All messages of a Tint build, warnings too, which a target does not hand on: a JSON list of texts on standard input,
// a JSON list of lists of [type, line, message] on standard output.
// Usage: node tint_messages.mjs DIRECTORY-OF-THE-BUILD
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const entry = join(process.argv[2], 'node_modules', 'webgpu', 'index.js');
const { create } = await import(pathToFileURL(entry).href);
const gpu = create(['backend=null', 'enable-dawn-features=allow_unsafe_apis']);
const adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: [...adapter.features] });

const answers = [];
for (const code of JSON.parse(readFileSync(0, 'utf8'))) {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code });
  await device.popErrorScope();
  const { messages } = await module.getCompilationInfo();
  answers.push(messages.map((m) => [m.type, m.lineNum, m.message]));
}
const bytes = Buffer.from(`\n\x1e${JSON.stringify(answers)}\n`);
for (let done = 0; done < bytes.length; ) done += writeSync(1, bytes, done);
process.exit(0);
