"""What the page asks about a text, as JSON: verdict and reasons, a run that diverges, a repair; and about its browser.

The page's worker calls these in Pyodide. Nothing here starts a process, reads a file or needs a compiled package.
"""

import json
from collections.abc import Callable
from typing import Any

from wgsl_fuzz.fuzz.cases.case import OpaqueCase, read_case
from wgsl_fuzz.fuzz.conformance.confusion import with_causes
from wgsl_fuzz.fuzz.conformance.rows import SIDES, Level, Rows, load
from wgsl_fuzz.fuzz.conformance.table import RowResult, Table, analyses
from wgsl_fuzz.fuzz.judging.account import outcome_of
from wgsl_fuzz.fuzz.present.conformance_page import as_json, page
from wgsl_fuzz.fuzz.present.conformance_text import rows_in_words
from wgsl_fuzz.fuzz.present.divergence import SHOWN, effect
from wgsl_fuzz.fuzz.present.explanation import Explained
from wgsl_fuzz.fuzz.present.pages import highlighted, rendered
from wgsl_fuzz.fuzz.present.picture import marked, page_values
from wgsl_fuzz.fuzz.repair.search import repair_lines, repairs
from wgsl_fuzz.oracle.dynamics.steps import steps_of_module
from wgsl_fuzz.oracle.targets.browsers.claims import KNOWN, claim_of, learnt
from wgsl_fuzz.oracle.targets.probes import VIOLATIONS
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict

NAME = "shader.wgsl"
_OF_STEP = ("thread", "line", "code", "parts")


def answer(question: str, text: str) -> str:
    """The answer to one of `QUESTIONS`, as JSON. KeyError for any other question."""
    return json.dumps(QUESTIONS[question](text))


def why(text: str) -> dict[str, Any]:
    """The verdict of the rules; each line as HTML with its mark; the reasons, facts and pictures as HTML."""
    case = read_case(text)
    lines = [str(line) for line in highlighted(text)]
    if isinstance(case, OpaqueCase):
        wrong = [{"line": one.line, "sentence": one.sentence} for one in case.problems]
        return {
            "verdict": case.word,
            "lines": lines,
            "marks": {one.line: "demand" for one in case.problems},
            "wrong": wrong,
        }
    one = Explained(case)
    values = page_values(one)
    parts = {name: rendered(f"explain_{name}.html", **values) for name in ("why", "facts")}
    return {"verdict": values["verdict"], "lines": lines, "marks": marked(one), **parts}


def run(text: str) -> dict[str, Any]:
    """What running the shader shows; if it diverges, the steps of the two threads."""
    case = read_case(text)
    if isinstance(case, OpaqueCase):
        return {"outcome": "", "told": [], "steps": []}
    told = outcome_of(case)
    steps = []
    if case.outcome is Outcome.DIVERGES:
        placed = case.placed
        steps = steps_of_module(placed.resolution, case.execute_placed(), placed.text)[-SHOWN:]
    shown = [{name: getattr(step, name) for name in _OF_STEP} | {"effect": effect(step)} for step in steps]
    return {"outcome": "" if case.outcome is None else case.outcome.value, "told": told, "steps": shown}


def repair(text: str) -> dict[str, Any]:
    """The repair that changes least in meaning, as a diff; empty if the text is not rejected, or there is none."""
    case = read_case(text)
    if isinstance(case, OpaqueCase) or case.verdict is not Verdict.REJECTS:
        return {}
    found = next(repairs(case), None)
    return {} if found is None else {"lines": [*repair_lines(NAME, found)][1:], "text": found.text}


def rows(level: str) -> dict[str, Any]:
    """The shaders of a level of conformance that a browser is asked about, and a sentence about them."""
    found = load(Level(level))
    return {"texts": [*VIOLATIONS, *_texts(found)], "told": rows_in_words(found)}


def _texts(found: Rows) -> list[str]:
    return list(dict.fromkeys(row.text(side) for row in found.rows for side in SIDES))


def table(said: str) -> dict[str, Any]:
    """The table of the browser that said this: its `claim`, the `level`, and `answers` to the shaders of `rows`.

    An answer is the compiler's words, or null if it accepts. The page is HTML; `json` is what `conformance` writes.
    """
    given = json.loads(said)
    found, claim = load(Level(given["level"])), claim_of(given["claim"])
    violations, words = given["answers"][: len(VIOLATIONS)], given["answers"][len(VIOLATIONS) :]
    dialect = KNOWN.get(claim.compiler) or learnt([one for one in violations if one is not None])
    answers = [Answer(Verdict.ACCEPTS) if one is None else dialect.refusal(one) for one in words]
    by_text = dict(zip(_texts(found), answers, strict=True))
    analysed = analyses(answers)
    results = [RowResult(row, by_text[row.accepted], by_text[row.rejected], analysed) for row in found.rows]
    made = with_causes(Table(claim.name, "browser", claim.words, found, results))
    return {"right": made.right(), "page": page(found, [made]), "json": json.dumps(as_json(found, [made]), indent=1)}


QUESTIONS: dict[str, Callable[[str], dict[str, Any]]] = {
    "why": why,
    "run": run,
    "repair": repair,
    "rows": rows,
    "table": table,
}
"""By name: the first three ask about a text."""
