"""Shaders of the kind that real applications have, and changes to them: `corpus/wgsl/applications/`.

`change.text` is the changed shader, `change.verdict` what must be said of it, for each `change` of `changes()`.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from wgsl_fuzz.fuzz.cases.pairs import load_applications
from wgsl_fuzz.fuzz.shipped import wgsl_folder
from wgsl_fuzz.oracle.verdict import Verdict

FOLDER = wgsl_folder() / "applications"
FAULTS = FOLDER / "faults.toml"
"""Its head says what the fields mean."""


@dataclass(frozen=True)
class Change:
    """One planted fault, or a harmless change near to one."""

    application: str
    name: str
    replace: str
    replacement: str
    verdict: Verdict
    cause: str
    line: int | None
    """Of the operation that must be blamed; None where nothing is reported at all."""
    lines: Sequence[int]
    """Of all operations that may be blamed instead."""
    branches: Sequence[int]
    tint_line: int | None
    tint_branch: int | None
    severity: str
    """Of the diagnostic: `error`, `warning` or `info`; empty where nothing is reported."""

    @property
    def text(self) -> str:
        """The changed shader."""
        return applications()[self.application].replace(self.replace, self.replacement)

    def __str__(self) -> str:
        return f"{self.application} {self.name}"


@cache
def applications() -> Mapping[str, str]:
    """The text of each application, by its name; every one is accepted."""
    return load_applications()


@cache
def forms() -> Mapping[str, str]:
    """Texts that try a parser rather than an analysis, by name; every one is accepted."""
    # As bytes: reading as text would turn each carriage return into a line feed.
    return {path.stem: path.read_bytes().decode() for path in sorted((FOLDER / "forms").glob("*.wgsl"))}


@cache
def changes() -> Sequence[Change]:
    """All changes, in the order of the file."""
    return [_change(row) for row in tomllib.loads(FAULTS.read_text(encoding="utf-8"))["fault"]]


def faults() -> Sequence[Change]:
    """The changes that must be rejected."""
    return [change for change in changes() if change.verdict is Verdict.REJECTS]


def harmless() -> Sequence[Change]:
    """The changes that must be accepted."""
    return [change for change in changes() if change.verdict is Verdict.ACCEPTS]


def _change(row: Mapping[str, Any]) -> Change:
    verdict = Verdict(row["verdict"])
    found: dict[str, Any] = {
        "line": None,
        "lines": [],
        "branches": [],
        "tint_line": row.get("line"),
        "tint_branch": None,
    }
    found |= {"severity": "error" if verdict is Verdict.REJECTS else "", **row, "verdict": verdict}
    return Change(replacement=found.pop("with"), **found)
