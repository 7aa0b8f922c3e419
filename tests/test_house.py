"""The house: which package may import which, no circle among modules, and the sizes of files, folders and functions.

`docs/design.md`, section "Packages", has the same order in words.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

LAYERS: dict[str, tuple[str, ...]] = {
    "": ("fuzz", "strategies oracle", "wgsl", "tinywgsl"),
    "fuzz": (
        "cli library",
        "present",
        "conformance",
        "regression",
        "campaign",
        "triage",
        "reduction",
        "findings",
        "judging",
        "repair",
        "cases",
        "files",
        "command_line",
        "problems output shipped internal_errors",
    ),
    "oracle": ("devices", "explain targets", "rules dynamics simt_step", "core verdict"),
    "wgsl": (
        "resolve behaviours",
        "types lower",
        "names",
        "diagnostics",
        "resolution",
        "builtins",
        "parser printer",
        "rewrite",
        "lexer walk",
        "syntax problems",
    ),
    "strategies": ("under_hypothesis", "generate", "edit enumerate", "choices"),
}
"""Of each package its parts, from the top down: a part imports parts of lower layers only. Parts that share a layer do
not know each other."""

FILE_LINES, FUNCTION_LINES, FOLDER_FILES = 800, 45, 15
LONG_FUNCTIONS = frozenset({"fuzz/cli/main.py main"})
"""The campaign's command takes one parameter for each option."""

SYNTAX = ("tinywgsl/ast.py", "wgsl/syntax.py", "oracle/simt_step/shader.py", "oracle/simt_step/rules.py")
"""What has the names of its text: `If` is a statement of three languages."""
NAMED_TWICE = {"Target"}
"""Public classes of two files: `wgsl_fuzz.Target` wraps the protocol."""

PACKAGES = ("tinywgsl", "wgsl", "oracle", "strategies", "fuzz")
INSTALLED = "wgsl_fuzz."
"""What the packages are inside of when they are installed, and so for all imports."""


@cache
def sources() -> Mapping[str, Path]:
    """The file of each module of the packages, by the module's name."""
    files = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return {_module(path): path for path in files}


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(path: Path) -> ast.Module:
    """A file, parsed."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports() -> Mapping[str, frozenset[str]]:
    """The modules of the packages that each module imports, wherever in its file it does so."""
    return {name: frozenset(_imported(tree(path))) & sources().keys() - {name} for name, path in sources().items()}


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.removeprefix(INSTALLED) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, "imports are absolute"
            assert node.level == 0, "imports are absolute"
            assert node.module.partition(".")[0] not in PACKAGES, "a user may have a package of that name"
            for alias in node.names:
                module = node.module.removeprefix(INSTALLED)
                submodule = f"{module}.{alias.name}"
                yield submodule if submodule in sources() else module


def circle_in(graph: Mapping[str, frozenset[str]]) -> list[str]:
    """The modules of one circle of imports, the first one again at the end; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def violations(package: str, graph: Mapping[str, frozenset[str]]) -> list[str]:
    """The imports between parts of a package (`""`: between packages) that do not go to a lower layer."""
    level = {part: i for i, layer in enumerate(LAYERS[package]) for part in layer.split()}
    wrong = []
    for importer, imported in graph.items():
        here = _part(importer, package)
        for there in sorted(_part(name, package) for name in imported):
            if here and there and here != there and level[there] <= level[here]:
                wrong.append(f"{importer} imports {there}, which is no lower part than {here}")
    return wrong


def _part(module: str, package: str) -> str:
    """The part of a package that a module is in; empty for the package itself and for modules of others."""
    if not package:
        return module.partition(".")[0]
    head, _, rest = module.partition(".")
    return rest.partition(".")[0] if head == package else ""


def test_no_module_is_in_a_circle_of_imports() -> None:
    assert circle_in(imports()) == []


@pytest.mark.parametrize("package", LAYERS)
def test_imports_go_downwards_only(package: str) -> None:
    assert violations(package, imports()) == []


@pytest.mark.parametrize("package", LAYERS)
def test_every_part_has_its_layer(package: str) -> None:
    parts = {_part(name, package) for name in sources()} - {""}
    assert parts == {part for layer in LAYERS[package] for part in layer.split()}


def test_files_are_short() -> None:
    long = [path for path in sources().values() if len(path.read_text(encoding="utf-8").splitlines()) > FILE_LINES]
    assert long == []


def test_folders_are_short() -> None:
    files = Counter(path.parent.relative_to(ROOT).as_posix() for path in sources().values())
    assert {folder: count for folder, count in files.items() if count > FOLDER_FILES} == {}


def test_functions_are_short() -> None:
    functions = (
        (f"{path.relative_to(ROOT).as_posix()} {node.name}", (node.end_lineno or 0) - node.lineno + 1)
        for path in sources().values()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef)
    )
    assert {name for name, lines in functions if lines > FUNCTION_LINES} <= LONG_FUNCTIONS


def test_public_classes_have_names_of_their_own() -> None:
    named = Counter(
        node.name
        for path in sources().values()
        if path.relative_to(ROOT).as_posix() not in SYNTAX and path.parent.name != "broken"
        for node in tree(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, count in named.items() if count > 1} == NAMED_TWICE
