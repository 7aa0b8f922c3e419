"""The conformance table as JSON and JUnit XML, and as tests for others; the confusion table as text, JSON and HTML."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from wgsl_fuzz.fuzz.conformance.confusion import Confusion
from wgsl_fuzz.fuzz.conformance.rows import ACCEPTED, SIDES, Level, Rows, step_of
from wgsl_fuzz.fuzz.conformance.table import RowResult, Status, Table, title_of
from wgsl_fuzz.fuzz.files import write_bytes
from wgsl_fuzz.fuzz.findings.schema import write
from wgsl_fuzz.fuzz.present.conformance_text import RULES, note, rows_in_words, told
from wgsl_fuzz.fuzz.present.export import code_templates
from wgsl_fuzz.fuzz.present.pages import rendered
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.junit import document, element


def as_json(rows: Rows, tables: Sequence[Table]) -> Mapping[str, Any]:
    """One object: the level, and a table for each target."""
    return {
        "level": rows.level.value,
        "rows": len(rows.rows),
        "targets": [_table(table) for table in tables],
        "without": dict(rows.without),
    }


def _table(table: Table) -> Mapping[str, Any]:
    return {
        "target": table.target,
        "origin": table.origin,
        "analysis": not table.has_no_analysis,
        "counts": {status.value: table.counts[status] for status in Status if table.counts[status]},
        "steps": {
            step.title: {"rows": table.number(None, step), "right": table.number(Status.RIGHT, step)}
            for step in table.steps
        },
        "sections": {
            title_of(section): {"rows": len(results), "right": sum(not r.fails for r in results)}
            for section, results in table.sections()
        },
        "next": None if table.next is None else table.next.row.name,
        "results": [_result(table, result) for result in table.results],
    }


def _result(table: Table, result: RowResult) -> Mapping[str, Any]:
    row = result.row
    return {
        "row": row.name,
        "section": row.section,
        "step": step_of(row).number,
        "status": result.status.value,
        "implemented": row.name in table.implemented,
        "answers": {side: result.answer(side).verdict.value for side in SIDES},
        "issue": result.issue or None,
        "buckets": {side: write(key) for side, key in result.buckets.items()},
        "follows": table.follows(row.name) or None,
        "says": result.message or None,
    }


def as_junit(tables: Sequence[Table]) -> bytes:
    """A test suite for each target, a test case for each row. What is unsupported or known is skipped; the former
    fails the run.
    """
    return document(element("testsuites", {"name": "wgsl-fuzz conformance"}, *map(_suite, tables)))


def _suite(table: Table) -> ET.Element:
    skipped, cases = sum(map(_is_skipped, table.results)), []
    for result in table.results:
        names = {"classname": f"{table.target}.{result.row.section.split(' ')[0]}", "name": result.row.name}
        cases.append(case := element("testcase", names))
        if result.fails:
            kind = "skipped" if _is_skipped(result) else "failure"
            words = {"message": f"{result.status.value}: {note(table, result)}", "type": result.status.value}
            case.append(element(kind, words, text="\n".join(told(table, result))))
    counts = {"tests": len(table.results), "failures": len(table.failing) - skipped, "skipped": skipped}
    return element("testsuite", {"name": table.target, **counts}, *cases)


def _is_skipped(result: RowResult) -> bool:
    return result.status is Status.UNSUPPORTED or bool(result.issue)


MANY = 15
"""So many of the branches that fail the most rows are listed; `--format json` has all branches."""
_BOUNDS = (1, 2, 5, 10, 50, 10_000)


def confusion_lines(rows: Rows, confusion: Confusion) -> Iterator[str]:
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


def confusion_json(rows: Rows, confusion: Confusion) -> Mapping[str, Any]:
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


def confusion_page(rows: Rows, confusion: Confusion) -> str:
    """The confusion_page as HTML: one file, no network, no scripts."""
    return rendered(
        "confusion.html",
        {"title_of": title_of},
        rows=rows,
        confusion=confusion,
        rules=RULES[rows.level],
        rows_in_words=rows_in_words(rows),
        sections=[(title, [row.name for row in rows.rows if row.section == title]) for title in rows.sections],
    )


EXPECTATIONS = "expectations.txt"
_FEATURES = {"subgroups": "subgroups", "f16": "shader-f16"}
"""From what a module enables to the feature that a device needs for it."""


def export(rows: Rows, form: str, where: Path) -> str:
    """Writes the rows; what was written, in words. Raises Problem."""
    if form == "cts":
        path = where / f"conformance_{rows.level.value}.spec.ts" if where.is_dir() else where
        write_bytes(path, as_cts(rows).encode())
        return f"{path}: {count(2 * len(rows.rows), 'case')}"
    if where.exists() and not where.is_dir():
        raise Problem(f"{where} is a file: --format wgsl writes into a folder")
    where.mkdir(parents=True, exist_ok=True)
    for name, text in files(rows).items():
        write_bytes(where / name, text.encode())
    return f"{where}: {count(2 * len(rows.rows), 'shader')} and {EXPECTATIONS}"


def files(rows: Rows) -> Mapping[str, str]:
    """The text of each file: a shader for each side of each row, and a line for each in the list of expectations."""
    found, expected = {}, []
    for row in rows.rows:
        for side in SIDES:
            name = f"{slug(row.name)}.{side}.wgsl"
            head = "".join(f"// {line}\n" for line in (row.name, title_of(row.section), row.place, row.sentences))
            found[name] = head + row.text(side)
            expected.append(f"{name} {row.expected(side).value}\n")
    head = "# FILE accepts|rejects|invalid. `rejects`: for uniformity; `invalid`: for its behaviours.\n"
    return {**found, EXPECTATIONS: head + "".join(expected)}


def slug(name: str) -> str:
    """A row's name as one of a file: `loop--line-8--under-cf`."""
    return re.sub(r"[^\w.-]", "_", name.replace("/", "--"))


def as_cts(rows: Rows) -> str:
    """One spec file: a test for each section, a case for each shader."""
    groups = [
        {"name": _identifier(section), "title": title_of(section), "cases": [*_cases(rows, section)]}
        for section in rows.sections
    ]
    rules = {Level.CORE: "TinyWGSL", Level.WGSL: "all of WGSL", Level.PROPOSALS: "WGSL with proposals"}[rows.level]
    template = code_templates().get_template("conformance.spec.ts")
    return template.render(groups=groups, rules=rules, features=_FEATURES).rstrip() + "\n"


def _identifier(section: str) -> str:
    return re.sub(r"\W+", "_", section.rpartition("#")[2] or section).strip("_")


def _cases(rows: Rows, section: str) -> Iterator[Mapping[str, Any]]:
    for row in rows.rows:
        if row.section == section:
            for side in SIDES:
                name = re.sub(r"\W+", "_", f"{row.name}_{side}")
                about = (row.place, row.sentences)
                yield {"name": name, "about": about, "wgsl": row.text(side), "passes": side == ACCEPTED}
