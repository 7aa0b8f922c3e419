"""Draw the imports between packages: `python tools/imports.py` writes docs/imports.dot and docs/imports.svg.

An edge is an import of any module of one package by any module of another. Edges that others imply are left out.
"""

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TREES = ("tinywgsl", "wgsl", "oracle", "strategies", "fuzz")
SPLIT = ("oracle", "strategies", "fuzz")
"""Trees whose subpackages are nodes of their own."""
DOT = ROOT / "docs" / "imports.dot"

Edge = tuple[str, str]


def node(module: str) -> str:
    """The node of a dotted module: its tree, or its subpackage in a tree that is split."""
    tree, _, rest = module.partition(".")
    inner = rest.partition(".")[0]
    return f"{tree}/{inner}" if tree in SPLIT and (ROOT / tree / inner).is_dir() and inner else tree


def imported(path: Path) -> Iterator[str]:
    """The modules of the project that a file imports anywhere; of `from package import name` also the name."""
    for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(statement, ast.ImportFrom):
            names = [f"{statement.module}.{alias.name}" for alias in statement.names]
        elif isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        else:
            continue
        yield from (name.removeprefix("wgsl_fuzz.") for name in names if name.startswith("wgsl_fuzz."))


def edges() -> set[Edge]:
    """The imports between nodes."""
    found = set()
    for tree in TREES:
        for path in (ROOT / tree).rglob("*.py"):
            own = node(".".join(path.relative_to(ROOT).with_suffix("").parts))
            found |= {
                (own, other)
                for module in imported(path)
                if (other := node(module)) != own and module.partition(".")[0] in TREES
            }
    return found


def reduced(found: set[Edge]) -> set[Edge]:
    """The edges that no path of others implies. A cycle between packages keeps all of its edges."""
    below: dict[str, set[str]] = {}
    for a, b in found:
        below.setdefault(a, set()).add(b)

    def reaches(start: str, end: str, without: Edge) -> bool:
        seen, left = {start}, [start]
        while left:
            here = left.pop()
            for after in below.get(here, set()) - seen:
                if (here, after) != without:
                    if after == end:
                        return True
                    seen.add(after)
                    left.append(after)
        return False

    return {edge for edge in found if (edge[1], edge[0]) in found or not reaches(*edge, edge)}


def dot() -> str:
    """The picture as the language of Graphviz."""
    lines = ["digraph imports {", "  rankdir=TB; node [shape=box, fontname=Helvetica, fontsize=11]; ranksep=0.35;"]
    shown = reduced(edges())
    for i, tree in enumerate(TREES):
        inside = sorted({name for edge in shown for name in edge if name.split("/")[0] == tree})
        lines.append(
            f'  subgraph cluster_{i} {{ label="{tree}"; fontname=Helvetica; ' + " ".join(map(_named, inside)) + " }"
        )
    lines += [f'  "{a}" -> "{b}";' for a, b in sorted(shown)]
    return "\n".join([*lines, "}"]) + "\n"


def _named(name: str) -> str:
    return f'"{name}" [label="{name.rpartition("/")[2]}"];'


if __name__ == "__main__":
    DOT.write_text(dot(), encoding="utf-8")
    subprocess.run(["dot", "-Tsvg", DOT, "-o", DOT.with_suffix(".svg")], check=True)
