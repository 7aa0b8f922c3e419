"""The conformance table in a terminal."""

from collections.abc import Iterator, Sequence

from wgsl_fuzz.fuzz.conformance.table import Status, Table, title_of
from wgsl_fuzz.fuzz.present.conformance.words import NO_ANALYSIS, note, rows_in_words, told
from wgsl_fuzz.fuzz.present.plurals import count

SHOWN = 40
"""So many failing rows are listed; `--format markdown` has all."""
FEW = 10
"""And so many if all of them fail."""
_SHORT = 100


def of_one(table: Table) -> Iterator[str]:
    """What there is to say of one target."""
    yield f"{table.target}: {table.origin}"
    yield from counted([table])
    failing = table.failing
    if not failing:
        yield "Every row is implemented."
        return
    yield from ("", "Rows that fail, those with the shortest shaders first:")
    first = [r for r in failing if not table.follows(r.row.name)]
    shown = first[: FEW if table.has_no_analysis else SHOWN]
    width = max(len(r.row.name) for r in shown)
    for result in shown:
        yield f"  {result.status.value:15}  {result.row.name:{width}}  {_cut(note(table, result))}"
    if len(first) > len(shown):
        yield f"  and {len(first) - len(shown)} more: --format markdown lists them"
    elif len(failing) > len(shown):
        more = count(len(failing) - len(shown), "row")
        yield f"  and {more} that fail because these do: --format markdown lists them"
    if table.next is not None:
        first_line, *rest = told(table, table.next)
        yield from ("", f"Work on next: {first_line}", *rest)


def of_rows(tables: Sequence[Table]) -> Iterator[str]:
    """Every row that was asked for, whole, for each target."""
    for table in tables:
        for result in table.results:
            yield from (*told(table, result), "")


def of_several(tables: Sequence[Table]) -> Iterator[str]:
    """Targets side by side: the counts, and the rows on which they differ."""
    for table in tables:
        yield f"{table.target}: {table.origin}"
    yield from counted(tables)
    names = [row.name for row in tables[0].rows.rows]
    rows = [(name, [table.result(name).status for table in tables]) for name in names]
    shown = [(name, said) for name, said in rows if set(said) != {Status.IMPLEMENTED} and len({*said}) > 1]
    alike = sum(set(said) != {Status.IMPLEMENTED} for _, said in rows) - len(shown)
    if shown:
        yield from ("", "Rows on which they differ:")
        width = max(len(name) for name, _ in shown)
        wide = [max(15, len(table.target)) for table in tables]
        yield f"    {'':{width}}  " + "  ".join(f"{t.target:{n}}" for t, n in zip(tables, wide))
        for name, said in shown:
            mark = "*" if len({*said}) > 1 else " "
            yield f"  {mark} {name:{width}}  " + "  ".join(f"{s.value:{n}}" for s, n in zip(said, wide)).rstrip()
    if alike:
        yield f"They fail {count(alike, 'row')} in the same way: --format markdown lists them"


def counted(tables: Sequence[Table]) -> Iterator[str]:
    """Of each section how many rows are implemented; of one target, what the others are."""
    rows = tables[0].rows
    yield f"{rows_in_words(rows)}. Each has two shaders."
    yield from (NO_ANALYSIS.format(target=table.target) for table in tables if table.has_no_analysis)
    yield ""
    columns = _columns(tables)
    lines = [(title_of(section), _cells(tables, section)) for section, _ in tables[0].sections()]
    lines.append(("all", _cells(tables, None)))
    width = max(len(title) for title, _ in lines)
    yield f"  {'':{width}}  " + "  ".join(f"{c:>12}" for c in columns)
    for title, cells in lines:
        yield f"  {title:{width}}  " + "  ".join(f"{c:>{max(12, len(h))}}" for c, h in zip(cells, columns)).rstrip()


def _columns(tables: Sequence[Table]) -> list[str]:
    if len(tables) > 1:
        return [table.target for table in tables]
    return [Status.IMPLEMENTED.value, *(s.value for s in _statuses(tables[0]))]


def _statuses(table: Table) -> list[Status]:
    """The statuses that fail and that there are."""
    return [status for status in Status if status is not Status.IMPLEMENTED and table.counts[status]]


def _cells(tables: Sequence[Table], section: str | None) -> list[str]:
    """The numbers of a section; None: of all rows."""
    cells = []
    for table in tables:
        cells.append(f"{table.implemented(section)} of {table.number(None, section)}")
        if len(tables) == 1:
            cells += [str(table.number(status, section) or "") for status in _statuses(table)]
    return cells


def _cut(text: str) -> str:
    return text if len(text) <= _SHORT else text[: _SHORT - 1].rstrip() + "…"
