// The page: an editor, and beside it what the rules (in worker.js) and this browser (by webgpu.js) say of its text.
const WAIT_MILLISECONDS = 150;
const MOST_BYTES = 1 << 22; // of a shader in a link
const at = (id) => document.getElementById(id);
const made = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const spoken = (sentence) => made('li', {}, ...sentence.split('`').map((part, i) => (i % 2 ? made('code', {}, part) : part)));
const verdict = (id, kind, words) => at(id).replaceChildren(made('span', { className: `verdict ${kind}` }, words));

// ------------------------------------------------------------------------------------------------------- the worker

const worker = new Worker('worker.js', { type: 'module' });
const waiting = new Map(); // what is to be called with an answer, by its number
let asked = 0;

worker.onmessage = ({ data }) => {
  if (data.id !== undefined) {
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.failed) reject(new Error(data.failed)); else resolve(data.answer);
  } else if (data.asks) {
    check(data.text).then((said) => worker.postMessage({ reply: data.asks, said }));
  } else if (data.broken) {
    at('loaded').textContent = `The rules cannot be loaded: ${data.broken}`;
    at('progress').hidden = true;
    verdict('rules', 'unknown', 'not loaded');
    verdict('outcome', 'unknown', 'not loaded');
  } else {
    at('progress').value = data.done;
    at('loaded').textContent = data.what;
    at('loading').hidden = data.done === 100;
  }
};
worker.onerror = (event) => worker.onmessage({ data: { broken: event.message ?? 'this browser has no module workers' } });

const ask = (question, text) => new Promise((resolve, reject) => {
  waiting.set(++asked, { resolve, reject });
  worker.postMessage({ id: asked, question, text });
});

// ------------------------------------------------------------------------------------------------------- the editor

const editor = at('text');
let marks = {};

function lines(htmls) {
  at('shown').replaceChildren(...htmls.map((html, i) => {
    const line = made('span', { className: 'l', innerHTML: `${html}\n` });
    const mark = marks[i + 1];
    if (mark) {
      line.dataset.mark = mark;
      line.classList.add(mark === 'source' ? 'source-of' : mark);
    }
    return line;
  }));
}

const escaped = (text) => text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]);
const plain = (text) => lines(text.split('\n').map(escaped));

function goTo(line) {
  const element = at('shown').children[line - 1];
  element?.scrollIntoView({ block: 'nearest' });
  for (const one of at('shown').children) one.classList.toggle('at', one === element);
}

document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href^="#L"]');
  if (!link) return;
  event.preventDefault(); // the fragment is the shader
  goTo(Number(link.hash.slice(2)));
});

// ------------------------------------------------------------------------------------------------------ the answers

let browserSays = null; // { accepts, message }, or null if it cannot be asked
let rulesSay = null;
let opened = null;

async function askBrowser(text) {
  try {
    if (missing()) throw new Error(missing().join(' '));
    opened ??= openDevice();
    await opened;
    const message = await check(text);
    const broken = await check(BROKEN); // a device that is lost accepts everything
    if (broken === null) throw new Error('The graphics device was lost: reload the page.');
    return { accepts: message === null, message };
  } catch (error) {
    opened = null;
    return { cannot: String(error?.message ?? error) };
  }
}

// In colour once the rules have spoken: a wrong verdict is red, whatever it is.
function showBrowser() {
  if (!browserSays) return;
  const { accepts, message, cannot } = browserSays;
  const word = cannot ? 'cannot be asked' : accepts ? 'accepted' : 'rejected';
  const judged = !cannot && ['accepted', 'rejected'].includes(rulesSay?.verdict);
  verdict('browser', !judged ? 'none' : word === rulesSay.verdict ? word : 'wrong', word);
  at('message').textContent = cannot ?? message ?? '';
  at('message-part').hidden = !(cannot || message);
}

const RULES = { accepted: 'accepted', rejected: 'rejected', invalid: 'not WGSL', unsupported: 'not known' };

function showRules({ verdict: word, wrong = [], why = '', facts = '' }) {
  verdict('rules', word, RULES[word]);
  at('why').innerHTML = why;
  at('facts').innerHTML = facts;
  if (wrong.length) {
    at('why').replaceChildren(made('h2', {}, 'What is wrong'), made('ul', {}, ...wrong.map((one) => {
      const [place, ...rest] = one.sentence.split(': ');
      return made('li', {}, made('a', { href: `#L${one.line}` }, place), `: ${rest.join(': ')}`);
    })));
  }
}

function showJudgement() {
  const line = at('judgement');
  line.className = 'judgement';
  line.textContent = '';
  if (!rulesSay || !browserSays || browserSays.cannot || !['accepted', 'rejected'].includes(rulesSay.verdict)) return;
  const same = browserSays.accepts === (rulesSay.verdict === 'accepted');
  line.classList.toggle('differs', !same);
  if (same) line.textContent = 'This browser agrees with the rules.';
  else if (browserSays.accepts) line.textContent = 'The shader breaks the rules, and this browser does not say so: a bug in the shader, and one in the browser.';
  else if (/uniform/i.test(browserSays.message)) line.textContent = 'The rules accept this, and this browser does not: a bug in the browser.';
  else line.textContent = 'The rules of uniformity accept this; this browser refuses it for another reason.';
}

const OUTCOMES = { diverges: 'diverges', converges: 'converges', 'not-seen': 'not seen to diverge', 'out-of-steps': 'not seen to diverge' };
let steps = [];

function showRun({ outcome, told, steps: found, waits }) {
  steps = found;
  const kind = { diverges: 'diverges', converges: 'accepted' }[outcome] ?? 'none';
  verdict('outcome', kind, OUTCOMES[outcome] ?? 'cannot be run');
  at('outcome').title = told.join('\n');
  at('run-part').hidden = !steps.length;
  at('parted').textContent = `On a GPU, threads ${waits ? 'that wait for others may wait for ever, or' : 'may'} go on with wrong values.`;
  if (!steps.length) return;
  at('told').replaceChildren(...told.slice(1).map(spoken));
  const first = steps[0].thread;
  at('steps').replaceChildren(...steps.map((step, i) => {
    const item = made('li', { className: [step.thread === first ? 'one' : 'other', ...(step.parts ? ['parts'] : [])].join(' ') },
      made('span', {}, `thread ${step.thread}`), made('span', { className: 'effect' }, `line ${step.line}`),
      made('code', {}, `${step.code} `, made('span', { className: 'effect' }, step.effect)));
    item.addEventListener('click', () => showStep(i));
    return item;
  }));
  at('step').max = steps.length - 1;
  showStep(steps.length - 1, false);
}

function showStep(i, moves = true) {
  at('step').value = i;
  at('step-number').textContent = `${i + 1} of ${steps.length}`;
  const items = [...at('steps').children];
  items.forEach((item, k) => item.classList.toggle('now', k === i));
  at('steps').scrollTop = items[i].offsetTop - at('steps').offsetTop - at('steps').clientHeight / 2;
  if (moves) goTo(steps[i].line);
}

let repaired = '';
function showRepair({ words: [head, ...words] = ['repair', 'No small change was found that the rules accept.'], lines: found = [], text = '' }) {
  repaired = text;
  at('apply').disabled = !text;
  at('repair-part').hidden = rulesSay.verdict !== 'rejected';
  at('repair').textContent = head[0].toUpperCase() + head.slice(1);
  at('edits').replaceChildren(...words.map(spoken));
  at('diff').hidden = !found.length;
  at('diff').replaceChildren(...found.map((line) => {
    const kind = /^\+(?!\+\+)/.test(line) ? 'add' : /^-(?!--)/.test(line) ? 'del' : '';
    return made('span', { className: kind }, `${line}\n`);
  }));
}

// ------------------------------------------------------------------------------------------------------- the shader

let timer = 0;
let turn = 0;

async function judge() {
  const text = editor.value;
  const mine = ++turn;
  const current = () => mine === turn;
  rulesSay = browserSays = null;
  showJudgement();
  if (!text.trim()) {
    for (const id of ['rules', 'browser', 'outcome']) verdict(id, 'none', 'no shader');
    for (const id of ['why', 'facts']) at(id).replaceChildren();
    for (const id of ['message-part', 'run-part', 'repair-part']) at(id).hidden = true;
    return;
  }
  askBrowser(text).then((answer) => {
    if (!current()) return;
    browserSays = answer;
    showBrowser();
    showJudgement();
  });
  try {
    const answer = await ask('why', text);
    if (!current()) return;
    rulesSay = answer;
    showBrowser();
    marks = answer.marks;
    lines(text.endsWith('\n') ? [...answer.lines, ''] : answer.lines);
    if (fresh) showFirstMark();
    showRules(answer);
    showJudgement();
    const run = await ask('run', text);
    if (!current()) return;
    showRun(run);
    const repair = await ask('repair', text);
    if (current()) showRepair(repair);
  } catch (error) {
    if (current()) verdict('rules', 'unknown', `failed: ${error.message}`);
  }
}

async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

async function unpacked(word) {
  const bytes = Uint8Array.from(atob(word.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const parts = [];
  for (let part, size = 0; !(part = await reader.read()).done; parts.push(part.value)) {
    if ((size += part.value.length) > MOST_BYTES) throw new Error('it is too long');
  }
  return new Blob(parts).text();
}

let fresh = false; // whether the text was put there, and not typed

function showFirstMark() {
  const top = at('shown').querySelector('[data-mark]')?.offsetTop ?? 0;
  if (top > at('editor').clientHeight) at('editor').scrollTop = top - at('editor').clientHeight / 3;
}

// The address holds the shader (`s`) and the tab, unless that is the first one.
const address = () => new URLSearchParams(location.hash.slice(1));

function remember(key, value) {
  const now = address();
  if (value) now.set(key, value); else now.delete(key);
  history.replaceState(null, '', `#${now}`);
}

function changed() {
  fresh = false;
  turn++; // what is on its way is about another text
  marks = {};
  repaired = '';
  at('apply').disabled = true;
  plain(editor.value);
  clearTimeout(timer);
  timer = setTimeout(async () => {
    judge();
    const text = editor.value;
    const word = text && await packed(text);
    if (text === editor.value) remember('s', word);
  }, WAIT_MILLISECONDS);
}

function put(text) {
  editor.value = text;
  changed();
  fresh = true;
}

async function fromFragment() {
  if (!address().has('s')) return false;
  try {
    put(await unpacked(address().get('s')));
  } catch {
    at('judgement').textContent = 'The link is damaged, or too long: it carries no shader.';
  }
  return true;
}

editor.addEventListener('input', changed);
addEventListener('hashchange', fromFragment);
at('step').addEventListener('input', () => showStep(Number(at('step').value)));
at('apply').addEventListener('click', () => { // as if typed: it can be undone
  editor.select();
  editor.focus();
  if (!document.execCommand('insertText', false, repaired)) put(repaired);
  at('verdicts').scrollIntoView({ block: 'nearest' });
});
at('open').addEventListener('click', () => at('file').click());
at('file').addEventListener('change', async () => { if (at('file').files[0]) put(await at('file').files[0].text()); });
async function copied(id, text) {
  const button = at(id);
  button.dataset.words ??= button.textContent;
  button.style.minWidth = `${button.offsetWidth}px`; // nothing beside it moves
  await navigator.clipboard.writeText(text);
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = button.dataset.words; }, 1500);
}

at('link').addEventListener('click', () => copied('link', location.href));
for (const [event, on] of [['dragover', true], ['dragleave', false], ['drop', false]]) {
  at('editor').addEventListener(event, (dragged) => {
    dragged.preventDefault();
    at('editor').classList.toggle('drop', on);
    if (event === 'drop' && dragged.dataTransfer.files[0]) dragged.dataTransfer.files[0].text().then(put);
  });
}

const examples = await (await fetch('examples.json')).json();
for (const { title } of examples) at('examples').append(made('option', { value: title }, title));
at('examples').addEventListener('change', () => {
  const chosen = examples.find(({ title }) => title === at('examples').value);
  if (chosen) put(chosen.text);
});
if (!(await fromFragment()) && !editor.value) put(examples[0].text);
navigator.serviceWorker?.register('offline.js').catch(() => null);

// ------------------------------------------------------------------------------------------ how right is this browser

const TABS = ['shader', 'browser', 'fuzz'];

function choose(wanted) {
  const tab = TABS.includes(wanted) ? wanted : TABS[0];
  for (const name of TABS) {
    const chosen = name === tab;
    at(`tab-${name}`).setAttribute('aria-selected', chosen);
    at(`tab-${name}`).tabIndex = chosen ? 0 : -1;
    at(`${name}-panel`).hidden = !chosen;
  }
  remember('tab', tab === TABS[0] ? '' : tab);
  kept('tab', tab);
  document.title = `${at(`tab-${tab}`).textContent} · wgsl-fuzz`;
}

const chooseByAddress = () => choose(address().get('tab') ?? (address().has('s') ? '' : kept('tab')));
addEventListener('hashchange', chooseByAddress);
chooseByAddress();

for (const [i, name] of TABS.entries()) {
  at(`tab-${name}`).addEventListener('click', () => choose(name));
  at(`tab-${name}`).addEventListener('keydown', (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const next = TABS[(i + by + TABS.length) % TABS.length];
    choose(next);
    at(`tab-${next}`).focus();
  });
}

let saved = null; // { claim, answers }: what `saved:FILE` reads
let report = '';
const PART = 32; // shaders that the browser compiles at once

// The browser's words on each text, by the text.
async function answersTo(texts, answered = () => {}) {
  const answers = {};
  for (let i = 0; i < texts.length; i += PART) {
    const part = texts.slice(i, i + PART);
    (await Promise.all(part.map(check))).forEach((said, k) => { answers[part[k]] = said; });
    answered(Math.min(i + PART, texts.length) / texts.length);
  }
  if ((await check(BROKEN)) === null) throw new Error('The graphics device was lost: reload the page.');
  return answers;
}

// Who this browser is, and what is needed to read its answers; `page` says of what version this is.
async function introduced() {
  if (missing()) throw new Error(missing().join(' '));
  const { texts, ...page } = await ask('introduction', '');
  opened ??= openDevice();
  const claim = await claimed(() => opened);
  return { browser: { claim, answers: await answersTo(texts) }, page };
}

async function askRows() {
  const begun = performance.now();
  const level = at('level').value;
  at('sum').textContent = 'loading the rows';
  const { texts } = await ask('rows', level);
  at('sum').textContent = `asking about ${texts.length.toLocaleString('en')} shaders`;
  const { browser } = await introduced();
  Object.assign(browser.answers, await answersTo(texts, (part) => { at('asked').value = 100 * part; }));
  const seconds = (performance.now() - begun) / 1000;
  at('sum').textContent = 'putting the table together';
  const others = (await (await fetch('others.json')).json())[level];
  const { counts, page, report: text } = await ask('table', JSON.stringify({ ...browser, level, others }));
  at('sum').textContent = `Rows: ${counts.join(', ')} (${texts.length.toLocaleString('en')} shaders in ${seconds.toFixed(1)} s).`;
  at('table').srcdoc = page;
  at('table').hidden = false;
  saved = browser;
  report = text;
}

at('ask').addEventListener('click', async () => {
  at('ask').disabled = true;
  for (const id of ['save', 'report']) at(id).disabled = true;
  at('asked').hidden = false;
  at('asked').value = 0;
  try {
    await askRows();
    for (const id of ['save', 'report']) at(id).disabled = false;
  } catch (error) {
    opened = null;
    at('sum').textContent = `This browser cannot be asked: ${error.message}`;
  }
  at('ask').disabled = false;
  at('asked').hidden = true;
});

function download(name, value) {
  const json = new Blob([JSON.stringify(value, null, 1)], { type: 'application/json' });
  const link = made('a', { href: URL.createObjectURL(json), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

at('save').addEventListener('click', () => download('answers.json', saved));
at('report').addEventListener('click', () => copied('report', `${report}\n${navigator.userAgent}\n${new Date().toISOString().slice(0, 10)}, ${location.origin}${location.pathname}\n`));

// --------------------------------------------------------------------------------------------------- fuzz this browser

const DRAWN_AT_ONCE = 16;
const SHOWN = { unsound: 'it accepts a shader that diverges', 'too-lenient': 'it accepts what the rules reject', 'too-strict': 'it rejects what the rules accept' };
const found = new Map(); // by bucket: { kind, cause, count, text, ... }
let fuzzes = false;
let next = 0; // the index of the next shader of this seed
let differ = 0;
let spent = 0; // milliseconds
let run = null; // what is saved: { claim, answers, run }

at('seed').value = crypto.getRandomValues(new Uint32Array(1))[0];

function card(bucket) {
  const { kind, cause, count, text, link, note } = found.get(bucket);
  const why = made('a', { href: link }, 'Why?');
  why.addEventListener('click', () => scrollTo(0, 0));
  return made('li', {}, made('h2', {}, made('span', { className: `verdict ${kind}` }, kind), cause),
    made('p', { className: 'note' }, `${SHOWN[kind] ?? kind}; met ${count === 1 ? 'once' : `${count} times`} so far. ${note}`), made('pre', { tabIndex: 0 }, text), why);
}

function showCards() {
  at('drawn').textContent = next.toLocaleString('en');
  at('differ').textContent = differ.toLocaleString('en');
  at('causes').textContent = found.size;
  at('rate').textContent = spent ? Math.round((1000 * next) / spent).toLocaleString('en') : '0';
  at('save-found').disabled = !found.size;
}

const rank = (bucket) => Object.keys(SHOWN).indexOf(found.get(bucket).kind) >>> 0; // others come last
const showFound = () => {
  at('cards').replaceChildren(...[...found.keys()].sort((one, other) => rank(one) - rank(other)).map(card));
  showCards();
};

// One difference: a new cause is reduced, another one only counted.
async function file(browser, index, text, said) {
  const { seed, differences, reduced } = run.run;
  const asked = JSON.stringify({ ...browser, seed, index, answers: { ...browser.answers, [text]: said } });
  const { bucket, kind, cause } = await ask('judged', asked);
  if (!bucket) return;
  differ++;
  differences.push([index, said, spent / 1000]);
  if (found.has(bucket)) {
    found.get(bucket).count++;
    showFound();
    return;
  }
  const mine = { kind, cause, count: 1, text, link: `#s=${await packed(text)}`, note: 'It is being reduced.' };
  found.set(bucket, mine);
  showFound();
  try {
    const least = await ask('reduced', asked);
    if ((await check(BROKEN)) === null) throw new Error('the graphics device was lost');
    mine.text = reduced[index] = least.text;
    run.answers[least.text] = least.said;
    mine.link = `#s=${await packed(least.text)}`;
    mine.note = '';
  } catch (error) {
    mine.note = `It is not reduced: ${error.message}`; // as in a browser that cannot put a stack aside (JSPI)
  }
  showFound();
}

async function fuzz() {
  const seed = Number(at('seed').value);
  at('fuzzing').textContent = 'loading the generator';
  const { browser, page: { plain, ...versions } } = await introduced();
  const date = new Date().toISOString().slice(0, 10);
  run ??= { ...browser, answers: { ...browser.answers }, run: { ...versions, seed, date, differences: [], reduced: {} } };
  const rejects = plain.some((text) => browser.answers[text] !== null);
  at('fuzzing').textContent = rejects ? 'fuzzing' : 'This browser has no uniformity analysis: it accepts plain violations.';
  let drawing = ask('draw', JSON.stringify({ seed, first: next, count: DRAWN_AT_ONCE }));
  while (fuzzes) {
    const begun = performance.now();
    const { texts, verdicts } = await drawing;
    const first = next;
    drawing = ask('draw', JSON.stringify({ seed, first: first + DRAWN_AT_ONCE, count: DRAWN_AT_ONCE }));
    const answers = await Promise.all(texts.map(check));
    if ((await check(BROKEN)) === null) throw new Error('The graphics device was lost: reload the page.');
    for (const [i, text] of texts.entries()) {
      const agrees = (answers[i] === null) === (verdicts[i] === 'accepts');
      if (!agrees) await file(browser, first + i, text, answers[i]);
      next = first + i + 1;
    }
    spent += performance.now() - begun;
    showCards();
  }
}

at('start').addEventListener('click', async () => {
  if (!at('seed').reportValidity()) return;
  fuzzes = !fuzzes;
  at('start').textContent = fuzzes ? 'Stop' : 'Stopping';
  at('start').disabled = !fuzzes; // until what is at work has ended
  at('seed').disabled = true;
  if (!fuzzes) return;
  try {
    await fuzz();
    at('fuzzing').textContent = 'stopped';
  } catch (error) {
    opened = null;
    at('fuzzing').textContent = `It stopped: ${error.message}`;
  }
  fuzzes = false;
  at('start').disabled = false;
  at('start').textContent = 'Go on';
});

at('save-found').addEventListener('click', () => {
  Object.assign(run.run, { programs: next, seconds: spent / 1000 });
  download('run.json', run);
});
