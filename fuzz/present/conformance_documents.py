"""The conformance table as JSON and JUnit XML, and as tests for others."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from wgsl_fuzz.fuzz.conformance.rows import ACCEPTED, SIDES, Level, Rows, step_of
from wgsl_fuzz.fuzz.conformance.table import RowResult, Status, Table, title_of
from wgsl_fuzz.fuzz.files import write_bytes
from wgsl_fuzz.fuzz.findings.schema import write
from wgsl_fuzz.fuzz.present.conformance_text import note, told
from wgsl_fuzz.fuzz.present.export import code_templates
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
            title_of(section): {"rows": len(results), "right": sum(r.status is Status.RIGHT for r in results)}
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
        "wrong": result.wrong,
        "issue": result.issue or None,
        "buckets": {side: write(key) for side, key in result.buckets.items()},
        "follows": table.follows(row.name) or None,
        "says": result.message or None,
    }


def as_junit(tables: Sequence[Table]) -> bytes:
    """A suite for each target, a test for each row. What is known, unsupported or not judged is skipped."""
    return document(element("testsuites", {"name": "wgsl-fuzz conformance"}, *map(_suite, tables)))


def _suite(table: Table) -> ET.Element:
    cases = []
    for result in table.results:
        names = {"classname": f"{table.target}.{result.row.section.split(' ')[0]}", "name": result.row.name}
        cases.append(case := element("testcase", names))
        if result.status is not Status.RIGHT:
            is_skipped = result.status in (Status.UNSUPPORTED, Status.NOT_JUDGED) or result.issue
            words = {"message": f"{result.status.value}: {note(table, result)}", "type": result.status.value}
            shown = "\n".join(told(table, result))
            case.append(element("skipped" if is_skipped else "failure", words, text=shown))
    ends = Counter(one.tag for case in cases for one in case)
    counts = {"tests": len(cases), "failures": ends["failure"], "skipped": ends["skipped"]}
    return element("testsuite", {"name": table.target, **counts}, *cases)


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
    names = {section: section.rpartition("#")[2] or section for section in rows.sections}
    groups = [
        {"name": re.sub(r"\W+", "_", name).strip("_"), "title": title_of(section), "cases": [*_cases(rows, section)]}
        for section, name in names.items()
    ]
    rules = {Level.CORE: "TinyWGSL", Level.WGSL: "all of WGSL", Level.PROPOSALS: "WGSL with proposals"}[rows.level]
    template = code_templates().get_template("conformance.spec.ts")
    return template.render(groups=groups, rules=rules, features=_FEATURES).rstrip() + "\n"


def _cases(rows: Rows, section: str) -> Iterator[Mapping[str, Any]]:
    for row in rows.rows:
        if row.section == section:
            for side in SIDES:
                name = re.sub(r"\W+", "_", f"{row.name}_{side}")
                about = (row.place, row.sentences)
                yield {"name": name, "about": about, "wgsl": row.text(side), "passes": side == ACCEPTED}
