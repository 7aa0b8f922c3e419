"""Modules that are mutated: WGSL files of the user's, and folders of them."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.fuzz.cases.plan import shader_seed
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.edit.mutation import randomly_mutated
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import Source, WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Const, Let, Variable
from wgsl_fuzz.wgsl.walk import statements_below

SUFFIX = ".wgsl"
MOST_FILES = 10_000
MOST_BYTES = 1 << 20
"""Of one file."""
MOST_VISIBLE = 4_000_000
"""Names at all statements of one module together: what a mutant costs grows with them."""


@dataclass(slots=True)
class Parents:
    """What some paths hold, in the order of the paths; in a folder by name."""

    found: list[tuple[str, Case]] = field(default_factory=list)
    """The modules, each with its file."""
    passed_over: list[tuple[str, str]] = field(default_factory=list)
    """The files that are no parents, each with the reason."""
    left_out: bool = False
    """Whether there are more files than are read."""


def read_parents(paths: Iterable[Path], most: int = MOST_FILES) -> Parents:
    """The modules in files and folders; in a folder every `*.wgsl`, also in folders within.

    No symbolic link in a folder is followed. A file is passed over if it cannot be read, is larger than `MOST_BYTES`,
    has too many names at too many statements, is no WGSL, or has what the reference does not know. After `most` files
    no more are read.
    """
    parents = Parents()
    for count, path in enumerate(file for given in paths for file in _files(given)):
        if count == most:
            parents.left_out = True
            break
        one = _read(path)
        if isinstance(one, str):
            parents.passed_over.append((str(path), one))
        else:
            parents.found.append((str(path), one))
    return parents


def _files(path: Path) -> Iterator[Path]:
    """A file itself; of a folder what it holds, by name."""
    if not path.is_dir():
        yield path
        return
    for folder, inner, names in os.walk(path):  # does not follow links to folders
        inner.sort()
        for name in sorted(names):
            file = Path(folder, name)
            if name.endswith(SUFFIX) and not file.is_symlink() and file.is_file():
                yield file


def _read(path: Path) -> Case | str:
    """The module in a file, or why it is no parent."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        return error.strerror or "it cannot be read"
    if len(content) > MOST_BYTES:
        return f"it is larger than {MOST_BYTES:,} bytes"
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return "it is not UTF-8"
    try:
        case = read_module(text)
    except WgslError as error:
        line, column = Source(text).position(error.start)
        return f"line {line}, column {column}: {error.message}"
    if _visible(case.resolution) > MOST_VISIBLE:
        return "it has too many statements at which too many names are visible"
    return case


def _visible(resolution: Resolution) -> int:
    """How many names are visible at all statements together, at most."""
    names = len(resolution.module.declarations)
    inside = [statements_below(f) for f in resolution.functions]
    return sum(len(some) * (names + sum(isinstance(s, Variable | Let | Const) for s in some)) for some in inside)


def mutated_shader(parents: Parents, seed: int, index: int) -> tuple[str, Case]:
    """The file of a parent, and a module near it, with statements of another one in it at times.

    A pure function of a place of a seed and of the parents' texts; there must be a parent.
    """
    source = RandomSource(shader_seed(seed, index))
    (path, parent), (_, donor) = source.pick(parents.found), source.pick(parents.found)
    new = randomly_mutated(parent.resolution, source, donor.resolution)
    return path, read_module(print_module(new.module))
