"""Modules that are mutated: WGSL files of the user's, and folders of them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.fuzz.cases.places import problems_of
from wgsl_fuzz.fuzz.cases.plan import shader_seed
from wgsl_fuzz.fuzz.files import read_text, wgsl_files
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.edit.mutation import randomly_mutated
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.syntax import Const, Let, Variable
from wgsl_fuzz.wgsl.walk import statements_below

LONGEST = 1 << 20
"""Characters of one file."""
MOST_VISIBLE = 4_000_000
"""Names at all statements of one module together, at most: what a mutant costs grows with them."""


@dataclass(slots=True)
class Parents:
    """What some paths hold, in the order of the paths; in a folder by name, files before folders."""

    found: list[tuple[str, Case]] = field(default_factory=list)
    """The modules, each with its file."""
    passed_over: list[tuple[str, str]] = field(default_factory=list)
    """The files that are no parents, each with the reason."""


def read_parents(paths: Iterable[Path]) -> Parents:
    """The modules in files and folders; no link in a folder is followed.

    Raises Problem for a folder without a `*.wgsl` at any depth.
    """
    parents = Parents()
    for path in paths:
        files = [file for file in wgsl_files(path) if not file.is_symlink()] if path.is_dir() else [path]
        for file in sorted(files, key=lambda file: (file.parent.parts, file.name)):
            try:
                parents.found.append((str(file), _read(file)))
            except Problem as problem:
                parents.passed_over.append((str(file), problem.message.removeprefix(f"cannot read {file}: ")))
    return parents


def _read(path: Path) -> Case:
    """The module in a file. Raises Problem, saying why it is no parent."""
    text = read_text(path)
    if len(text) > LONGEST:
        raise Problem(f"it is longer than {LONGEST:,} characters")
    try:
        case = read_module(text)
    except WgslError as error:
        raise Problem(problems_of(text, error)[0].sentence) from error
    names = len(case.resolution.module.declarations)
    inside = [statements_below(f) for f in case.resolution.functions]
    locals_ = (sum(isinstance(s, Variable | Let | Const) for s in some) for some in inside)
    if sum(len(some) * (names + n) for some, n in zip(inside, locals_, strict=True)) > MOST_VISIBLE:
        raise Problem("it has too many statements at which too many names are visible")
    return case


def mutated_shader(parents: Parents, seed: int, index: int) -> tuple[str, Case]:
    """The file of a parent, and a module near it, with statements of another one in it at times.

    A pure function of a place of a seed and of the parents' texts; there must be a parent.
    """
    source = RandomSource(shader_seed(seed, index))
    (path, parent), (_, donor) = source.pick(parents.found), source.pick(parents.found)
    new = randomly_mutated(parent.resolution, source, donor.resolution)
    return path, read_module(print_module(new.module))
