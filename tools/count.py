"""Prints the size of the project, the same way each time.

    python tools/count.py

Lines are lines of text in `*.py`, blank ones and comments included. A fork on the language is a place in `fuzz/` that
asks which pipeline it is in: an `isinstance` with a class of one of them, a comparison with the name of a language, or
a comparison of an attribute `case` with None. The classes of a finding are those that one finding goes through, from
the judge to the report. Options are click's, of all commands; `--help` is not counted.
"""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from wgsl_fuzz.fuzz.cli.main import main as command_line

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("fuzz", "oracle", "strategies", "wgsl", "tinywgsl", "wgsl_fuzz")
OTHERS = ("tests", "benchmarks", "tools")
FOLDER_FILES = 15


def names_in(words: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(words.split())


CASES = names_in("Case ConciseCase OpaqueCase FiledCase GivenShader GivenModule Shader Module Resolution")
LANGUAGES = frozenset({"SECTION_15_2", "TINY", "SECTION_4_2"})
OF_A_FINDING = names_in(
    "Disagreement SavedFinding StoredFinding FindingRecord DrawnRecord SpellingRecord NearestRecord PendingFinding "
    "CompletedFinding ReductionTask ReductionResult Reduced ReducedFinding Minimisation Reduction ModuleReduction "
    "SpellingReduction RelatedReduction RelatedModuleReduction"
)


def files(folder: str) -> list[Path]:
    """The files of code below a folder of the repository, links left out."""
    return sorted(path for path in (ROOT / folder).rglob("*.py") if path.resolve() == path)


def lines(paths: Sequence[Path]) -> int:
    """The lines of some files."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def nodes(paths: Sequence[Path]) -> Iterator[ast.AST]:
    """All nodes of some files."""
    for path in paths:
        yield from ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def is_fork(node: ast.AST) -> bool:
    """Whether an expression asks which language it is about."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]):
            return any(isinstance(name, ast.Name) and name.id in CASES for name in ast.walk(kinds))
        case ast.Compare(left=left, comparators=others):
            sides = [left, *others]
            names = {name.id for side in sides for name in ast.walk(side) if isinstance(name, ast.Name)}
            of_none = any(isinstance(side, ast.Constant) and side.value is None for side in sides)
            return bool(names & LANGUAGES) or (of_none and isinstance(left, ast.Attribute) and left.attr == "case")
    return False


def options(command: click.Command) -> Iterator[tuple[int, int]]:
    """For each command below one: its options, and its arguments."""
    own = [isinstance(parameter, click.Option) for parameter in command.params]
    yield own.count(True), own.count(False)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if (inner := command.get_command(context, name)) is not None:
                yield from options(inner)


def main() -> None:
    """Prints one figure a line."""
    product = [path for folder in PRODUCT for path in files(folder)]
    for folder in (*PRODUCT, *OTHERS):
        print(f"{folder + '/':<12} {lines(files(folder)):>7,} lines {len(files(folder)):>5} files")
    whole = list(nodes(product))
    functions = sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in whole)
    classes = [node.name for node in whole if isinstance(node, ast.ClassDef)]
    full = [folder for folder in {path.parent for path in product} if len(list(folder.glob("*.py"))) > FOLDER_FILES]
    declared = list(options(command_line))
    for name, number in {
        "lines of product": lines(product),
        "files of product": len(product),
        "classes": len(classes),
        "functions": functions,
        "lines of tests": lines(files("tests")),
        f"folders of more than {FOLDER_FILES} files": len(full),
        "forks on the language in fuzz/": sum(map(is_fork, nodes(files("fuzz")))),
        "classes of a finding": len(OF_A_FINDING & set(classes)),
        "commands": len(declared),
        "options": sum(own for own, _ in declared),
        "arguments": sum(arguments for _, arguments in declared),
    }.items():
        print(f"{name:<36} {number:>7,}")


if __name__ == "__main__":
    main()
