"""Which rows fail by themselves, and which only because of those.

An analysis with one branch wrong often fails several rows: who takes `lid` for uniform accepts nearly everything. The
confusion table says which rows fail with each branch wrong. So a few branches are looked for that together explain the
failing rows, and contradict no row that is right.
"""

from collections.abc import Mapping

from wgsl_fuzz.fuzz.conformance.confusion import Confusion, Wrong, load_confusion
from wgsl_fuzz.fuzz.conformance.rows import Rows
from wgsl_fuzz.fuzz.conformance.table import RowResult, Status, Table

_KNOWN = (Status.TOO_STRICT, Status.TOO_LENIENT, Status.WRONG)


def with_causes(table: Table) -> Table:
    """The table with its causes; of a target without an analysis, with the row to begin with."""
    if table.has_no_analysis:
        confusion, failing_rows = load_confusion(table.rows.level), [r.row for r in table.failing]
        table.first = min(failing_rows, key=lambda row: (-len(confusion.rows_of(row.name)), row.length, row.name)).name
        return table
    failing = {r.row.name: r for r in table.failing if r.status in _KNOWN}
    if failing:
        table.causes = causes_of(table.rows, failing, load_confusion(table.rows.level))
    return table


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
