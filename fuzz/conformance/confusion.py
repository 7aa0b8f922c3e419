"""The confusion table: which rows an analysis fails that has one branch of the rules wrong, and all else right.

It is data, `corpus/conformance/LEVEL-confusion.toml`: of each row the branches that decide its shaders, and what the
reference answers with that branch wrong. Asked afresh it would take most of a minute.

An analysis with one branch wrong often fails several rows: one that takes `lid` for uniform accepts nearly everything.
So `with_causes` looks for a few branches that together explain the failing rows and contradict no row that is right.
"""

import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wgsl_fuzz.fuzz.conformance.rows import Level, Rows, conformance_folder, step_of
from wgsl_fuzz.fuzz.conformance.table import RowResult, Status, Table
from wgsl_fuzz.oracle.verdict import Verdict

Wrong = tuple[str, str, Verdict]
"""A row, one of its sides, and an answer that is not the expected one."""
Side = tuple[str, str]
"""A row, and one of its sides."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """Of every branch with a row what an analysis answers that has it wrong."""

    level: Level
    wrong: Mapping[str, frozenset[Wrong]]
    """By branch; all other answers are those that the rows expect."""

    def rows_of(self, branch: str) -> frozenset[str]:
        """The rows that fail if this branch is wrong."""
        return frozenset(row for row, _, _ in self.wrong[branch])


# ---------------------------------------------------------------------------------------------------------- the file


@cache
def load_confusion(level: Level) -> Confusion:
    """The table that ships with the project."""
    data = tomllib.loads(confusion_path(level).read_text(encoding="utf-8"))
    wrong: dict[str, set[Wrong]] = {name: set() for name in sorted(data)}
    for row, sides in data.items():
        for side, by_verdict in sides.items():
            for verdict, branches in by_verdict.items():
                for branch in branches:
                    wrong[branch].add((row, side, Verdict(verdict)))
    return Confusion(level, {name: frozenset(some) for name, some in wrong.items()})


def confusion_path(level: Level) -> Path:
    """Where its file is."""
    return conformance_folder() / f"{level.value}-confusion.toml"


_KNOWN = (Status.TOO_STRICT, Status.TOO_LENIENT, Status.WRONG)


def with_causes(table: Table) -> Table:
    """The table with its causes and with what is implemented; without an analysis, with the row to begin with."""
    failing = {r.row.name: r for r in table.failing}
    table.implemented = frozenset(r.row.name for r in table.results if r.status is Status.RIGHT)
    if not failing:  # the file takes a while to read
        return table
    confusion = load_confusion(table.rows.level)
    table.implemented = frozenset(n for n in table.implemented if confusion.rows_of(n).isdisjoint(failing))
    if table.has_no_analysis:
        step = step_of(next(iter(failing.values())).row)
        rows = [r.row for r in failing.values() if step_of(r.row) is step]
        table.first = min(rows, key=lambda row: (-len(confusion.rows_of(row.name)), row.length, row.name)).name
        return table
    known = {name: r for name, r in failing.items() if r.status in _KNOWN}
    if known:
        table.causes = causes_of(table.rows, known, confusion)
    return table


def branches_behind(level: Level, wrong: Mapping[Side, Verdict]) -> dict[Side, list[str]]:
    """Of each `wrong` answer the branches that give it. A target is wrong on every row that such a branch breaks."""
    behind = defaultdict[Side, list[str]](list)
    for name, answers in load_confusion(level).wrong.items() if wrong else ():
        if wrong.keys() >= {(row, side) for row, side, _ in answers}:
            for row, side, verdict in answers:
                if wrong[row, side] is verdict:
                    behind[row, side].append(name)
    return behind


def causes_of(rows: Rows, failing: Mapping[str, RowResult], confusion: Confusion) -> dict[str, list[str]]:
    """Of each cause the failing rows that it explains, itself among them; the cause that explains most comes first.

    A branch is a better cause if it fails no row that the target gets right. What no other row explains is its own
    cause. So the cause of an analysis with one branch wrong is that branch, or one that is alike.
    """
    asked = {row.name for row in rows.rows}
    explains = {name: _explained(confusion, name, failing) for name in failing}
    contradicts = {name: not (confusion.rows_of(name) & asked) <= failing.keys() for name in failing}
    lengths = {name: rows[name].length for name in failing}
    left, causes = set(failing), dict[str, list[str]]()
    while left:

        def worth(name: str, left: set[str] = left) -> tuple[object, ...]:
            return contradicts[name], -len(left & explains[name]), lengths[name], name

        name = min(left, key=worth)
        causes[name] = sorted(left & explains[name])
        left -= explains[name]
    return causes


def _explained(confusion: Confusion, name: str, failing: Mapping[str, RowResult]) -> frozenset[str]:
    """The failing rows whose wrong answers are those of the reference with this branch wrong; its own row always."""
    wrong = confusion.wrong[name]
    found = {row for row, _, _ in wrong if row in failing and _gives(wrong, failing[row])}
    return frozenset({name, *found})


def _gives(wrong: frozenset[Wrong], result: RowResult) -> bool:
    return all((result.row.name, side, result.answer(side).verdict) in wrong for side in result.wrong)
