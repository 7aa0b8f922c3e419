"""The conformance table as a page, which is made also in a browser."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from markupsafe import Markup

from wgsl_fuzz.fuzz.conformance.rows import SIDES, Row, Rows, path, shortest, step_of
from wgsl_fuzz.fuzz.conformance.table import RowResult, Status, Table, title_of
from wgsl_fuzz.fuzz.present.conformance_text import NO_ANALYSIS, command, note, rows_in_words, why
from wgsl_fuzz.fuzz.present.pages import depths, highlighted, rendered

_CLASSES = {Status.RIGHT: "good", Status.UNSUPPORTED: "warn"}
_EXPLAINED = 60
"""So many failing rows are told whole, lest the page grow too large to load."""


@dataclass(frozen=True, slots=True)
class RowLine:
    """A line of a shader; `differs` if the other shader of the row does not have it."""

    number: int
    code: Markup
    differs: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """A row that some target fails."""

    row: Row
    results: Sequence[tuple[Table, RowResult]]
    shaders: Sequence[tuple[str, Sequence[RowLine]]]
    reasons: Sequence[tuple[int, str]]
    """Each with how deep it is indented."""

    @property
    def anchor(self) -> str:
        """Its place in the page."""
        return self.row.name.replace("/", "-")


def page(rows: Rows, tables: Sequence[Table], beside: Sequence[Table] = ()) -> str:
    """The page as HTML: one file, no network, no scripts. It is about the rows that `tables` fail.

    Of those `beside` it says how many rows are right, and what they answer to the rows that it tells whole.
    """
    all_tables = [*tables, *beside]
    failing = [row for row in rows.rows if any(table.result(row.name).fails for table in tables)]
    follows = {row.name: all(table.follows(row.name) for table in tables) for row in failing}
    read = {row.name: any(table.result(row.name).is_read for table in tables) for row in failing}
    first = sorted(failing, key=lambda row: (follows[row.name], not read[row.name], step_of(row).number, row.length))
    whole = [row for row in first if not follows[row.name]][:_EXPLAINED]
    return rendered(
        "conformance.html",
        {"title_of": title_of, "status_class": lambda status: _CLASSES.get(status, "bad")},
        rows=rows,
        tables=tables,
        beside=beside,
        all_tables=all_tables,
        rows_in_words=rows_in_words(rows),
        no_analysis=[NO_ANALYSIS.format(target=table.target) for table in all_tables if table.has_no_analysis],
        steps=[(step, _shown(shortest(step, rows.rows), tables)) for step in tables[0].steps],
        all_steps=len(path()),
        right=Status.RIGHT,
        statuses=[s for s in Status if any(table.counts[s] for table in all_tables)],
        shown=[_shown(row, all_tables) for row in whole],
        left=[(row, tables[0].follows(row.name) if follows[row.name] else "") for row in first[len(whole) :]],
        note=note,
        command=command,
        sides=SIDES,
    )


def _shown(row: Row, tables: Sequence[Table]) -> Shown:
    matcher = SequenceMatcher(None, row.accepted.splitlines(), row.rejected.splitlines(), autojunk=False)
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    mine = {i for _, i1, i2, _, _ in changes for i in range(i1, i2)}
    theirs = {j for _, _, _, j1, j2 in changes for j in range(j1, j2)}
    shaders = [
        (side, [RowLine(i + 1, code, i in differs) for i, code in enumerate(highlighted(row.text(side)))])
        for side, differs in zip(SIDES, (mine, theirs), strict=True)
    ]
    return Shown(row, [(table, table.result(row.name)) for table in tables], shaders, depths(why(row)))
