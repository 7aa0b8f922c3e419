"""Which shaders a campaign asks about first: the corpus, and what users put into the folders of `--seeds`."""

from collections.abc import Callable, Iterable
from pathlib import Path

from wgsl_fuzz.fuzz.cases.module_case import Given
from wgsl_fuzz.fuzz.files import read_text
from wgsl_fuzz.fuzz.judging.answers import examine
from wgsl_fuzz.fuzz.present.plurals import count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.oracle.targets.named import normal_path

NAMED = 5
"""So many files that cannot be read are named."""


def given_shaders(seeds: Iterable[Path], say: Callable[[str], object], *, compared: bool = False) -> list[Given]:
    """The shaders, the corpus's first; `say` hears how many a folder has, and what is passed over.

    If several targets are `compared`, texts that the reference does not know come last, and are not passed over.
    Raises Problem for a folder without a *.wgsl.
    """
    shaders: list[Given] = [given for case in load_cases() if (given := _read(case.folder / "shader.wgsl")) is not None]
    for folder in seeds:
        files = sorted(folder.rglob("*.wgsl"))
        if not files:
            raise Problem(f"there is no *.wgsl in {folder}")
        read = {file: _read(file, compared) for file in files}
        shaders += [given for given in read.values() if given is not None]
        say(_told(folder, read))
    return sorted(shaders, key=lambda given: bool(given.why))


def _read(file: Path, compared: bool = False) -> Given | None:
    """What is in a file; None if it cannot be read, or if the reference does not know it and nothing is `compared`."""
    try:
        one = examine(read_text(file))
    except Problem:
        return None
    path = normal_path(str(file))
    return Given(path, one.text, one.problem) if compared or one.case is not None else None


def _told(folder: Path, read: dict[Path, Given | None]) -> str:
    other = [file.relative_to(folder) for file, given in read.items() if given is None]
    told = f"{folder}: {count(len(read) - len(other), 'shader')} to ask about first"
    if not other:
        return told
    names = ", ".join(map(str, other[:NAMED])) + (", ..." if len(other) > NAMED else "")
    return f"{told}; {count(len(other), 'file')} passed over, not known to the reference: {names}"
