"""The conformance table for programs and for CI: JSON, JUnit XML, Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from wgsl_fuzz.fuzz.conformance.rows import SIDES, Rows
from wgsl_fuzz.fuzz.conformance.table import RowResult, Status, Table, title_of
from wgsl_fuzz.fuzz.present.conformance.words import NO_ANALYSIS, note, rows_in_words, told
from wgsl_fuzz.fuzz.regression.junit import clean


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
        "sections": {
            title_of(section): {"rows": len(results), "implemented": sum(not r.fails for r in results)}
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
        "status": result.status.value,
        "answers": {side: result.answer(side).verdict.value for side in SIDES},
        "follows": table.follows(row.name) or None,
        "says": result.message or None,
    }


def as_junit(tables: Sequence[Table]) -> bytes:
    """A test suite for each target, a test case for each row. What is unsupported is skipped, but fails the run."""
    root = ET.Element("testsuites", {"name": "wgsl-fuzz conformance"})
    for table in tables:
        skipped = table.counts[Status.UNSUPPORTED]
        counts = {"tests": len(table.results), "failures": len(table.failing) - skipped, "skipped": skipped}
        suite = ET.SubElement(
            root, "testsuite", {"name": clean(table.target), **{key: str(n) for key, n in counts.items()}}
        )
        for result in table.results:
            names = {"classname": f"{table.target}.{result.row.section.split(' ')[0]}", "name": result.row.name}
            case = ET.SubElement(suite, "testcase", {key: clean(value) for key, value in names.items()})
            if result.fails:
                kind = "skipped" if result.status is Status.UNSUPPORTED else "failure"
                words = f"{result.status.value}: {note(table, result)}"
                element = ET.SubElement(case, kind, {"message": clean(words), "type": result.status.value})
                element.text = clean("\n".join(told(table, result)))
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def as_markdown(tables: Sequence[Table]) -> str:
    """A table by section, and below it the rows that fail."""
    rows = tables[0].rows
    lines = [f"{rows_in_words(rows)}. Each has two shaders.", ""]
    lines += [f"{NO_ANALYSIS.format(target=f'`{t.target}`')}\n" for t in tables if t.has_no_analysis]
    lines += [_line(["section", *(f"`{t.target}`" for t in tables)]), _line(["---", *("---:" for _ in tables)])]
    for section, _ in tables[0].sections():
        lines.append(_line([title_of(section), *(_implemented(t, section) for t in tables)]))
    lines.append(_line(["all", *(_implemented(t) for t in tables)]))
    for table in (t for t in tables if t.failing and not t.has_no_analysis):
        lines += ["", f"`{table.target}` fails:", "", _line(["row", "is", "what"]), _line(["---"] * 3)]
        lines += [_line([f"`{r.row.name}`", r.status.value, note(table, r)]) for r in table.failing]
    return "\n".join(lines) + "\n"


def _implemented(table: Table, section: str | None = None) -> str:
    return f"{table.implemented(section)} of {table.number(None, section)}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
