"""Writes the page as files that any web server can serve: our code as one archive, Pyodide and Graphviz beside it."""

import json
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from importlib.metadata import Distribution, distribution
from importlib.resources import files
from pathlib import Path

import wgsl_fuzz
from wgsl_fuzz.fuzz.conformance.rows import conformance_folder
from wgsl_fuzz.fuzz.present.playground.answers import as_others
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.targets.cache import Builds, fetch_by
from wgsl_fuzz.oracle.targets.families.tint import find_node, npm_ci
from wgsl_fuzz.oracle.targets.protocol import Notify, Target

VERSION = "314.0.7"
"""Of Pyodide; the lock file names it and Graphviz."""
_PACKAGES = ("wgsl", "tinywgsl", "oracle", "strategies", "fuzz")
_SUFFIXES = (".py", ".html", ".css", ".js", ".toml", ".svg", ".json")
_REQUIRED = ("jinja2", "markupsafe", "click", "rich", "pygments", "markdown-it-py", "mdurl")
"""The packages that our code needs in the page, all of Python."""
_LEXERS = ("__init__", "_mapping", "wgsl")
_OF_PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
WEBGPU = files("wgsl_fuzz.oracle.targets.browsers") / "webgpu.js"
_OURS = ("index.html", "page.css", "page.js", "worker.js", "offline.js")
TEXTURE = """@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var smp: sampler;

@fragment
fn shade(@location(0) uv: vec2f) -> @location(0) vec4f {
  if uv.x < 0.5 {
    return vec4f();
  }
  return textureSample(picture, smp, uv);
}
"""
EXAMPLES = {
    "A barrier that only some threads reach": "fig-1b",
    "A loop that threads leave at different times": "fig-1c",
    "A value that all threads share": "fig-1a",
    "Diverges, and Chromium accepts it": "tint-old-value-before-right-side",
}
"""Cases of the corpus, by what they show."""


def write_site(folder: Path, others: Sequence[Target], notify: Notify) -> int:
    """Writes all files into a folder, which may have older ones; the bytes beside Pyodide's own.

    The `others` are asked about the rows of conformance now, and stand beside the browser that opens the page. Raises
    TargetError if one fails or npm's packages cannot be fetched, OSError if the folder cannot be written.
    """
    (folder / "pyodide").mkdir(parents=True, exist_ok=True)
    packages = BUILDS.folder(VERSION, notify) / "node_modules"
    for name in _OF_PYODIDE:
        shutil.copyfile(packages / "pyodide" / name, folder / "pyodide" / name)
    shutil.copyfile(packages / "@viz-js" / "viz" / "dist" / "viz.js", folder / "viz.js")
    here, templates = files(__package__), files("wgsl_fuzz.fuzz.present") / "templates"
    texts = {name: here.joinpath(name).read_text("utf-8") for name in _OURS}
    texts["page.css"] = templates.joinpath("explain.css").read_text("utf-8") + texts["page.css"]
    texts |= {"theme.js": templates.joinpath("theme.js").read_text("utf-8"), "webgpu.js": WEBGPU.read_text("utf-8")}
    texts["examples.json"] = json.dumps(list(_examples()))
    texts["others.json"] = json.dumps(as_others(others), separators=(",", ":"))
    texts["index.html"] = texts["index.html"].replace("VERSION", wgsl_fuzz.__version__)
    _write_archive(folder / "app.zip", packages / "pyodide")
    offline = texts.pop("offline.js")
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    own = ["app.zip", "viz.js", *texts]
    listed = ["./", *own, *(f"pyodide/{name}" for name in _OF_PYODIDE)]
    version = blake2b(b"".join((folder / name).read_bytes() for name in own), digest_size=8).hexdigest()
    offline = offline.replace("VERSION_OF_FILES", version).replace("LIST_OF_FILES", json.dumps(listed))
    (folder / "offline.js").write_text(offline, encoding="utf-8")
    return sum((folder / name).stat().st_size for name in own)


def _examples() -> Iterator[dict[str, str]]:
    yield {"title": "A texture sampled behind an early return", "text": TEXTURE}
    for title, name in EXAMPLES.items():
        yield {"title": title, "text": (corpus_folder() / name / "shader.wgsl").read_text("utf-8")}


def _write_archive(path: Path, pyodide: Path) -> None:
    """Our code and what it needs, compiled by Pyodide; the same bytes for the same files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in sorted(modules()):
            archive.writestr(zipfile.ZipInfo(name), source.read_bytes(), zipfile.ZIP_DEFLATED)
    script = str(files(__package__) / "compile.mjs")
    fetch_by("node", [*find_node()[0], script, str(pyodide), str(path)], "bytecode", str.strip)


def modules() -> Iterator[tuple[str, Path]]:
    """Each file of the archive, and where it comes from."""
    here = Path(wgsl_fuzz.__file__).parent
    yield from ((f"wgsl_fuzz/{file.name}", file) for file in here.glob("*.py"))
    for package in _PACKAGES:
        top = Path(str(files(f"wgsl_fuzz.{package}")))
        for file in top.rglob("*"):
            if file.suffix in _SUFFIXES and file.is_file():
                yield f"wgsl_fuzz/{package}/{file.relative_to(top).as_posix()}", file
    for data in conformance_folder().glob("*.toml"):
        yield f"wgsl_fuzz/_corpus/conformance/{data.name}", data
    for name in _REQUIRED:
        yield from _of_distribution(distribution(name))


def _of_distribution(found: Distribution) -> Iterator[tuple[str, Path]]:
    for file in found.files or ():
        name = file.as_posix()
        lexer = name.startswith("pygments/lexers/") and file.stem not in _LEXERS
        if file.suffix == ".py" and not lexer and not name.startswith(".."):
            yield name, Path(str(file.locate()))


BUILDS = Builds(
    "Pyodide",
    {VERSION: "2026-11"},
    "npm pyodide {}".format,
    "npm pyodide and @viz-js/viz, some 20 MB once unpacked",
    Path("node_modules", "pyodide", "pyodide.mjs"),
    lambda version, folder: npm_ci(Path(str(files(__package__) / "npm")), folder, f"Pyodide {version}"),
    lambda: find_node(),
)
