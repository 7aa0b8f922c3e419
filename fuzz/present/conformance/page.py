"""The conformance table as a page. One file, no network, works without scripts."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import jinja2
from markupsafe import Markup

from wgsl_fuzz.fuzz.conformance.rows import SIDES, Row, Rows
from wgsl_fuzz.fuzz.conformance.table import RowResult, Status, Table, title_of
from wgsl_fuzz.fuzz.present.conformance.words import NO_ANALYSIS, command, note, rows_in_words, why
from wgsl_fuzz.fuzz.present.highlighting import depths, highlighted, quoted
from wgsl_fuzz.fuzz.present.plurals import count

_LOADER = jinja2.PackageLoader("wgsl_fuzz.fuzz.present")
_CLASSES = {Status.IMPLEMENTED: "good", Status.UNSUPPORTED: "warn"}
_EXPLAINED = 60
"""So many failing rows are told whole, lest the page grow too large to load."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a shader; `differs` if the other shader of the row does not have it."""

    number: int
    code: Markup
    differs: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """A row that some target fails."""

    row: Row
    results: Sequence[tuple[Table, RowResult]]
    shaders: Sequence[tuple[str, Sequence[Line]]]
    reasons: Sequence[tuple[int, str]]
    """Each with how deep it is indented."""

    @property
    def anchor(self) -> str:
        """Its place in the page."""
        return self.row.name.replace("/", "-")


def page(rows: Rows, tables: Sequence[Table]) -> str:
    """The page as HTML. Everything in it that comes from a shader, a compiler or a record is escaped."""
    environment = jinja2.Environment(
        loader=_LOADER, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"count": count, "title_of": title_of, "status_class": _class, "quoted": quoted}
    failing = [row for row in rows.rows if any(table.result(row.name).fails for table in tables)]
    first = sorted(failing, key=lambda row: (all(table.follows(row.name) for table in tables), row.length, row.name))
    return environment.get_template("conformance.html").render(
        rows=rows,
        tables=tables,
        rows_in_words=rows_in_words(rows),
        no_analysis=[NO_ANALYSIS.format(target=table.target) for table in tables if table.has_no_analysis],
        sections=list(dict.fromkeys(row.section for row in rows.rows)),
        statuses=[s for s in Status if any(table.counts[s] for table in tables)],
        shown=[_shown(row, tables) for row in first[:_EXPLAINED]],
        left=first[_EXPLAINED:],
        note=note,
        command=command,
        sides=SIDES,
        style=Markup(_LOADER.get_source(environment, "conformance.css")[0]),
    )


def _class(status: Status) -> str:
    return _CLASSES.get(status, "bad")


def _shown(row: Row, tables: Sequence[Table]) -> Shown:
    matcher = SequenceMatcher(None, row.accepted.splitlines(), row.rejected.splitlines(), autojunk=False)
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    mine = {i for _, i1, i2, _, _ in changes for i in range(i1, i2)}
    theirs = {j for _, _, _, j1, j2 in changes for j in range(j1, j2)}
    shaders = [(side, _lines(row.text(side), own)) for side, own in zip(SIDES, (mine, theirs), strict=True)]
    return Shown(row, [(table, table.result(row.name)) for table in tables], shaders, depths(why(row)))


def _lines(text: str, differs: set[int]) -> list[Line]:
    return [Line(i + 1, code, i in differs) for i, code in enumerate(highlighted(text))]
