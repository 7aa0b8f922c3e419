"""The confusion table in a terminal, as JSON and as a page: what each branch, wrong alone, makes fail."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jinja2
from markupsafe import Markup

from wgsl_fuzz.fuzz.conformance.confusion import Confusion
from wgsl_fuzz.fuzz.conformance.rows import Rows
from wgsl_fuzz.fuzz.conformance.table import title_of
from wgsl_fuzz.fuzz.present.conformance.words import RULES, rows_in_words
from wgsl_fuzz.fuzz.present.plurals import count

MANY = 15
"""So many of the branches that fail the most rows are listed; `--format json` has all branches."""
_BOUNDS = (1, 2, 5, 10, 50, 10_000)


def in_words(rows: Rows, confusion: Confusion) -> Iterator[str]:
    """Of each named row what fails with its branch, and with which branches it fails; of all rows a summary."""
    if len(rows.rows) < len(confusion.wrong):
        for row in rows.rows:
            yield from _of_row(row.name, confusion)
        return
    yield f"{rows_in_words(rows)}. Each branch is wrong alone."
    yield ""
    fails = {name: len(confusion.rows_of(name)) for name in confusion.wrong}
    low = 0
    for high in _BOUNDS:
        n = sum(low < k <= high for k in fails.values())
        words = f"{high}" if high == low + 1 else f"{low + 1} to {high}" if high < _BOUNDS[-1] else f"more than {low}"
        yield f"  {count(n, 'branch'):13} make {words} {'row' if high == 1 else 'rows'} fail"
        low = high
    many = sorted(confusion.wrong, key=lambda name: (-fails[name], name))
    shown = many[:MANY]
    yield from ("", "Those that make the most rows fail:")
    yield from (f"  {fails[name]:4}  {name}" for name in shown)
    yield from ("", "Branches that make the same rows fail in the same way: no row tells them apart.")
    groups = confusion.alike[:MANY]
    yield from (f"  {', '.join(group)}" for group in groups)
    if len(groups) < len(confusion.alike):
        yield f"  and {len(confusion.alike) - len(groups)} groups more: --format json lists them"


def _of_row(name: str, confusion: Confusion) -> Iterator[str]:
    group = [other for other in confusion.group_of(name) if other != name]
    fails = sorted(confusion.rows_of(name) - {name})
    failed_by = [branch for branch in confusion.branches_of[name] if branch != name]
    yield name
    yield f"  cannot be told from: {', '.join(group) or 'no other branch is like it'}"
    yield f"  if it is wrong, {count(len(fails), 'other row')} fail, too{':' if fails else ''}"
    yield from (f"    {row}" for row in fails)
    yield f"  its row fails as well with {count(len(failed_by), 'other branch')} wrong{':' if failed_by else ''}"
    yield from (f"    {branch}" for branch in failed_by)


def as_json(rows: Rows, confusion: Confusion) -> Mapping[str, Any]:
    """One object: the level, and each branch that was asked for."""
    return {
        "level": rows.level.value,
        "exact": [row.name for row in rows.rows if confusion.rows_of(row.name) == {row.name}],
        "alike": confusion.alike,
        "branches": [
            {
                "branch": row.name,
                "section": row.section,
                "fails": sorted(confusion.rows_of(row.name)),
                "failed by": confusion.branches_of[row.name],
            }
            for row in rows.rows
        ],
    }


def page(rows: Rows, confusion: Confusion) -> str:
    """The page as HTML: one file, no network, no scripts."""
    loader = jinja2.PackageLoader("wgsl_fuzz.fuzz.present")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"count": count, "title_of": title_of}
    return environment.get_template("confusion.html").render(
        rows=rows,
        confusion=confusion,
        rules=RULES[rows.level],
        rows_in_words=rows_in_words(rows),
        sections=_by_section(rows),
        style=Markup(loader.get_source(environment, "conformance.css")[0]),
    )


def _by_section(rows: Rows) -> Sequence[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for row in rows.rows:
        found.setdefault(row.section, []).append(row.name)
    return list(found.items())
