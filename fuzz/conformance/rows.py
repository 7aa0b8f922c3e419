"""The rows of the conformance table: `corpus/conformance/LEVEL.toml`, which `tools/conformance/build.py` makes.

A row is one branch of the rules. It has two shaders that are as near to each other as was found: the reference accepts
one, and rejects the other. An analysis that has this branch wrong, and all else right, answers one of them otherwise.
The path from no analysis to a whole one has twelve steps, each with its rows (`corpus/conformance/path.toml`).
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.verdict import Verdict

ACCEPTED, REJECTED = SIDES = ("accepted", "rejected")
"""The two shaders of a row."""


class Level(Enum):
    """Which rules: the paper's for TinyWGSL, section 15.2 for all of WGSL, or what proposals add to them."""

    CORE = "core"
    WGSL = "wgsl"
    PROPOSALS = "proposals"


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One branch of the rules, and the two shaders that it decides."""

    name: str
    """The name of the variant that has this branch wrong: `loop/line-8/under-cf`."""
    section: str
    """Of the specification, with its anchor: `15.2.6 #uniformity-statements`."""
    place: str
    """Where the rule is written: in the paper, or in that section."""
    rule: str
    """What the rule says, in words."""
    does: str = ""
    """What an analysis does that has the branch wrong, as a predicate: `ignores the condition of a break if`; or ..."""
    instead: str = ""
    """... what it has in place of the branch: `under cf`."""
    accepted: str
    rejected: str
    alone: Mapping[str, Verdict]
    """What the reference with this one branch wrong answers, of each shader that it answers otherwise."""
    outcome: Mapping[str, str] = field(default_factory=dict)
    """What the semantics says of each shader that it can run."""
    refusal: Verdict = Verdict.REJECTS
    """How the second shader is refused: INVALID if it is by its behaviours (section 9.7)."""

    def text(self, side: str) -> str:
        """One of the two shaders."""
        return self.accepted if side == ACCEPTED else self.rejected

    def expected(self, side: str) -> Verdict:
        """The reference's verdict on it."""
        return Verdict.ACCEPTS if side == ACCEPTED else self.refusal

    @property
    def wrong(self) -> str:
        """What an analysis does that has the branch wrong: `it ignores the condition of a break if`, `under cf`."""
        return f"it {self.does}" if self.does else self.instead

    @property
    def departure(self) -> str:
        """What an analysis does that has the branch wrong, as a verb phrase: it `ignores` something, or `has` a tag."""
        branch = self.place.rpartition(": ")[2]
        return self.does or f"has “{self.instead}” in place of “{branch}”"

    @property
    def sentences(self) -> str:
        """The rule, and which analysis fails the row."""
        return f"{self.rule} This row fails an analysis that {self.departure}.".strip()

    @property
    def number(self) -> tuple[int, ...]:
        """The number of the section, to sort by; what has none comes last."""
        parts = self.section.split(" ")[0].split(".")
        return tuple(map(int, parts)) if parts[0].isdecimal() else (99,)

    @property
    def length(self) -> tuple[int, int]:
        """Lines and letters of both shaders: the shortest row is the easiest to work on."""
        both = self.accepted + self.rejected
        return both.count("\n"), len(both)


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows of a level in the order of the specification, and the branches that have none, with the reason."""

    level: Level
    rows: tuple[Row, ...]
    without: Mapping[str, str]

    @property
    def sections(self) -> list[str]:
        """The sections that have rows."""
        return list(dict.fromkeys(row.section for row in self.rows))

    def __getitem__(self, name: str) -> Row:
        return next(row for row in self.rows if row.name == name)


def conformance_folder() -> Path:
    """Where the files are."""
    return corpus_folder() / "conformance"


@cache
def load(level: Level) -> Rows:
    """The rows that ship with the project."""
    data = tomllib.loads((conformance_folder() / f"{level.value}.toml").read_text(encoding="utf-8"))
    return Rows(level, tuple(_row(entry) for entry in data["row"]), data.get("without", {}))


def _row(entry: Mapping[str, Any]) -> Row:
    alone = {side: Verdict(word) for side, word in entry["alone"].items()}
    return Row(**{**entry, "alone": alone, "refusal": Verdict(entry.get("refusal", Verdict.REJECTS.value))})


# ------------------------------------------------------------------------------------------------------------ the path


@dataclass(frozen=True, slots=True)
class NextStep:
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
def path() -> tuple[NextStep, ...]:
    """The steps in order."""
    data = tomllib.loads((conformance_folder() / "path.toml").read_text(encoding="utf-8"))
    patterns = [{key: tuple(entry[key]) for key in ("sections", "rows")} for entry in data["step"]]
    return tuple(NextStep(number=n, **{**entry, **patterns[n - 1]}) for n, entry in enumerate(data["step"], 1))


def shortest(step: NextStep, rows: Iterable[Row]) -> Row:
    """The row to learn a step by. Raises ValueError if none of the rows is of this step."""
    return min((row for row in rows if step_of(row) is step), key=lambda row: (row.length, row.name))


def step_of(row: Row) -> NextStep:
    """The first step with a pattern for the row's name, or else the one with its section."""
    return _step_of(row.name, row.section.partition(" ")[0])


@cache
def _step_of(name: str, section: str) -> NextStep:
    named = (step for step in path() if any(fnmatchcase(name, pattern) for pattern in step.rows))
    return next(named, None) or next(step for step in path() if section in step.sections)
