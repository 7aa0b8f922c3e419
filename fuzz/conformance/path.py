"""The path from no analysis to a whole one: twelve steps, each with its rows (`corpus/conformance/path.toml`)."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from wgsl_fuzz.fuzz.conformance.rows import Row, conformance_folder


@dataclass(frozen=True, slots=True)
class Step:
    """What to build next."""

    number: int
    """From 1."""
    title: str
    says: str
    """The rules of the specification in our words."""
    build: str
    """What an analysis needs for them."""
    section: str
    """The anchor of that section: `#uniformity-statements`."""
    sections: tuple[str, ...]
    rows: tuple[str, ...]
    """Patterns of names."""

    @property
    def name(self) -> str:
        """` 3 Built-in functions`."""
        return f"{self.number:2} {self.title}"

    @property
    def link(self) -> str:
        """Where the specification has the rules."""
        return f"https://www.w3.org/TR/WGSL/{self.section}"


@cache
def path() -> tuple[Step, ...]:
    """The steps in order."""
    data = tomllib.loads((conformance_folder() / "path.toml").read_text(encoding="utf-8"))
    return tuple(_step(number, entry) for number, entry in enumerate(data["step"], 1))


def _step(number: int, entry: Mapping[str, Any]) -> Step:
    words = (entry["title"], entry["says"], entry["build"], entry["section"])
    return Step(number, *words, tuple(entry["sections"]), tuple(entry["rows"]))


def shortest(step: Step, rows: Iterable[Row]) -> Row:
    """The row to learn a step by. Raises ValueError if none of the rows is of this step."""
    return min((row for row in rows if step_of(row) is step), key=lambda row: (row.length, row.name))


def step_of(row: Row) -> Step:
    """The first step with a pattern for the row's name, or else the one with its section."""
    return _step_of(row.name, row.section.partition(" ")[0])


@cache
def _step_of(name: str, section: str) -> Step:
    named = (step for step in path() if any(fnmatchcase(name, pattern) for pattern in step.rows))
    return next(named, None) or next(step for step in path() if section in step.sections)
