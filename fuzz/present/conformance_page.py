"""The conformance table as a page, which is made also in a browser."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

from wgsl_fuzz.fuzz.conformance.rows import SIDES, Row, Rows, path, shortest, step_of
from wgsl_fuzz.fuzz.conformance.table import Status, Table, title_of
from wgsl_fuzz.fuzz.present.conformance_text import NO_ANALYSIS, command, note, rows_in_words, why
from wgsl_fuzz.fuzz.present.pages import depths, highlighted, rendered

_CLASSES = {Status.RIGHT: "good", Status.UNSUPPORTED: "warn"}
_EXPLAINED = 60
"""So many failing rows are told whole, lest the page grow too large to load."""


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


def _shown(row: Row, tables: Sequence[Table]) -> dict[str, Any]:
    """A row for the template: `shaders` has the lines of each side, with whether only that side has them."""
    matcher = SequenceMatcher(None, row.accepted.splitlines(), row.rejected.splitlines(), autojunk=False)
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    mine = {i for _, i1, i2, _, _ in changes for i in range(i1, i2)}
    theirs = {j for _, _, _, j1, j2 in changes for j in range(j1, j2)}
    shaders = [
        (side, [(i + 1, code, i in differs) for i, code in enumerate(highlighted(row.text(side)))])
        for side, differs in zip(SIDES, (mine, theirs), strict=True)
    ]
    results = [(table, table.result(row.name)) for table in tables]
    return {"row": row, "results": results, "shaders": shaders, "reasons": depths(why(row))}
