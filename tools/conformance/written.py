"""The files of the conformance table as text: the rows of a level, and its confusion table."""

from collections.abc import Iterable

from wgsl_fuzz.fuzz.conformance.confusion import Confusion
from wgsl_fuzz.fuzz.conformance.rows import Row, Rows
from wgsl_fuzz.oracle.verdict import Verdict

_HEAD = """\
# For every branch of the rules two small shaders: one is accepted, the other one rejected. An analysis that has the
# branch wrong, and all else right, answers as `alone` says. `outcome`: what running the shader shows.
# Made by: python -m tools.conformance.build {level}
"""


def written(rows: Rows) -> str:
    """The file of a level."""
    parts = [_HEAD.format(level=rows.level.value)]
    parts += map(_written, sorted(rows.rows, key=_order))
    if rows.without:
        reasons = "".join(f"{quoted(name)} = {quoted(why)}\n" for name, why in sorted(rows.without.items()))
        parts.append(f"# Branches that no pair of shaders shows, and why.\n[without]\n{reasons}")
    return "\n".join(parts)


def _order(row: Row) -> tuple[object, ...]:
    return row.number, row.section, row.length, row.name


def _written(row: Row) -> str:
    lines = [
        "[[row]]",
        f"name = {quoted(row.name)}",
        f"section = {quoted(row.section)}",
        f"place = {quoted(row.place)}",
        f"rule = {quoted(row.rule)}",
        f"does = {quoted(row.does)}" if row.does else f"instead = {quoted(row.instead)}",
        f"alone = {_table((side, v.value) for side, v in row.alone.items())}",
        f"outcome = {_table(row.outcome.items())}",
        *([f"refusal = {quoted(row.refusal.value)}"] if row.refusal is not Verdict.REJECTS else []),
        f"accepted = '''\n{row.accepted}'''",
        f"rejected = '''\n{row.rejected}'''",
    ]
    return "\n".join(lines) + "\n"


def _table(items: Iterable[tuple[str, str]]) -> str:
    return "{" + ", ".join(f"{key} = {quoted(value)}" for key, value in items) + "}"


def quoted(text: str) -> str:
    """As a string of TOML."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


_CONFUSION_HEAD = """\
# Of each row the branches that decide its shaders: an analysis with one of them wrong answers so, and fails the row.
# Made by: python -m tools.conformance.build {level} --confusion
"""


def written_confusion(confusion: Confusion) -> str:
    """The file of a level."""
    by_row: dict[str, dict[tuple[str, str], list[str]]] = {name: {} for name in confusion.wrong}
    for branch, wrong in confusion.wrong.items():
        for row, side, verdict in wrong:
            by_row[row].setdefault((side, verdict.value), []).append(branch)
    parts = [_CONFUSION_HEAD.format(level=confusion.level.value)]
    for row in sorted(by_row):
        lines = (
            f"{side}.{verdict} = {_listed(branches)}\n" for (side, verdict), branches in sorted(by_row[row].items())
        )
        parts.append(f"[{quoted(row)}]\n{''.join(lines)}")
    return "\n".join(parts)


def _listed(names: Iterable[str]) -> str:
    return f"[{', '.join(map(quoted, sorted(names)))}]"
