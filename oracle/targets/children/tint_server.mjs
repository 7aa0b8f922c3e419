// The node side of a Tint build: texts in, answers out (the protocol is described in lines.py).
// Usage: node --expose-gc --max-semi-space-size=1 tint_server.mjs DIRECTORY-OF-THE-BUILD
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

const COLLECT_EVERY = 500; // texts; unreachable shader modules pile up to gigabytes otherwise
const SAY_MILLISECONDS = 250; // after so long what is answered of a line is said, though the rest of it is not

// A newline first, in case the compiler's chatter on standard output left a line unfinished.
const say = (value) => writeAll(Buffer.from(`\n\x1e${JSON.stringify(value)}\n`));

function writeAll(bytes) {
  for (let done = 0; done < bytes.length; ) done += writeSync(1, bytes, done);
}

// A compiler that hangs never sees the end of its input, so a second thread watches for the parent's death.
new Worker(
  `const parent = process.ppid;
   const gone = () => { // on Windows its number stays
     try { process.kill(parent, 0); } catch (error) { return error.code === 'ESRCH'; }
     return process.ppid !== parent;
   };
   setInterval(() => { if (gone()) process.kill(process.pid, 'SIGKILL'); }, 1000);`,
  { eval: true },
).unref();

async function openDevice(directory) {
  const entry = join(directory, 'node_modules', 'webgpu', 'index.js');
  const { create } = await import(pathToFileURL(entry).href);
  const gpu = create(['backend=null', 'enable-dawn-features=allow_unsafe_apis']); // proposals, too
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error('no adapter for the null backend');
  const device = await adapter.requestDevice({ requiredFeatures: [...adapter.features] });
  // Without these references the garbage collector takes gpu and adapter, and the process dies later.
  globalThis.keep = [gpu, adapter, device];
  return device;
}

// Compiles at once; its promise is what the compiler says.
function check(device, code) {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code });
  return device.popErrorScope().then((error) => (error ? refusal(module, error) : null));
}

async function refusal(module, error) {
  const { messages } = await module.getCompilationInfo();
  const severity = { info: 'note', warning: 'warning', error: 'error' };
  const lines = messages
    .filter((m) => m.type !== 'warning')
    .map((m) => `${m.lineNum}:${m.linePos} ${severity[m.type]}: ${m.message}`);
  return lines.length ? lines.join('\n') : `error: ${error.message}`;
}

let device;
try {
  device = await openDevice(process.argv[2]);
} catch (error) {
  say({ error: `this Tint build does not run here: ${error?.message ?? error}` });
  process.exit(0);
}
say({ ready: true });

const place = Number(process.env.WGSL_FUZZ_PLACE || NaN);
const begun = Buffer.alloc(4);

// Notes that one more text is begun.
function begin(count) {
  if (Number.isNaN(place)) return;
  begun.writeUInt32LE(count >>> 0);
  writeSync(place, begun, 0, 4, 0);
}

let count = 0; // of the texts begun
let answers = [];
let said = 0;

async function sayAnswers() {
  if (answers.length) say({ n: count - answers.length, answers: await Promise.all(answers) });
  answers = [];
  said = performance.now();
}

// Lines as they were sent. Node's readline will not do: as of Node 24 it also ends them at U+2028 and U+2029.
async function* linesOf(input) {
  let rest = '';
  for await (const chunk of input.setEncoding('utf8')) {
    rest += chunk;
    if (!chunk.includes('\n')) continue;
    const lines = rest.split('\n');
    rest = lines.pop();
    yield* lines;
  }
}

for await (const line of linesOf(process.stdin)) {
  said = performance.now();
  for (const text of JSON.parse(line)) {
    begin(++count);
    answers.push(check(device, text));
    if (performance.now() - said > SAY_MILLISECONDS) await sayAnswers();
    if (count % COLLECT_EVERY === 0) {
      await sayAnswers();
      await new Promise((resolve) => setImmediate(resolve)); // lets finalizers run
      globalThis.gc?.();
    }
  }
  await sayAnswers();
}
process.exit(0);
