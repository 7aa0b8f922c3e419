"""What the page asks, as JSON: verdict and reasons, a diverging run, a repair; a browser's table; a campaign.

The page's worker calls these in Pyodide. Nothing here starts a process, reads a file or needs a compiled package.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from wgsl_fuzz.fuzz.cases.case import Case, OpaqueCase, drawn_case, read_case
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import MIXED, Plan
from wgsl_fuzz.fuzz.conformance.confusion import with_causes
from wgsl_fuzz.fuzz.conformance.rows import SIDES, Level, Rows, load
from wgsl_fuzz.fuzz.conformance.table import RowResult, Table, analyses
from wgsl_fuzz.fuzz.judging.account import outcome_of
from wgsl_fuzz.fuzz.judging.judge import Disagreement, judge, shows
from wgsl_fuzz.fuzz.present.conformance_page import as_json, page
from wgsl_fuzz.fuzz.present.divergence import SHOWN, effect
from wgsl_fuzz.fuzz.present.explanation import Explained
from wgsl_fuzz.fuzz.present.pages import highlighted, rendered
from wgsl_fuzz.fuzz.present.picture import marked, page_values
from wgsl_fuzz.fuzz.reduction.search import reduce
from wgsl_fuzz.fuzz.repair.search import repair_lines, repairs
from wgsl_fuzz.oracle.dynamics.steps import steps_of_module
from wgsl_fuzz.oracle.rules.in_words import predicates
from wgsl_fuzz.oracle.targets.browsers.claims import KNOWN, claim_of, learnt
from wgsl_fuzz.oracle.targets.description import Dialect
from wgsl_fuzz.oracle.targets.probes import VIOLATIONS
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict
from wgsl_fuzz.wgsl.resolution import Resolution

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
    """The shaders of a level of conformance that a browser is asked about."""
    return {"texts": _texts(load(Level(level)))}


def violations(_: str) -> dict[str, Any]:
    """Plain violations: the answers to them say how a compiler words one, and whether it has an analysis at all."""
    return {"texts": [*VIOLATIONS]}


def _texts(found: Rows) -> list[str]:
    return list(dict.fromkeys(row.text(side) for row in found.rows for side in SIDES))


def table(said: str) -> dict[str, Any]:
    """The table of the browser that said this: `claim`, `violations`, the `level`, and `answers` to its `rows`.

    An answer is the compiler's words, or null if it accepts. The page is HTML; `json` is what `conformance` writes.
    """
    given = json.loads(said)
    found, claim, dialect = load(Level(given["level"])), claim_of(given["claim"]), _dialect(given)
    answers = [_answer(one, dialect) for one in given["answers"]]
    by_text = dict(zip(_texts(found), answers, strict=True))
    analysed = analyses(answers)
    results = [RowResult(row, by_text[row.accepted], by_text[row.rejected], analysed) for row in found.rows]
    made = with_causes(Table(claim.name, "browser", claim.words, found, results))
    return {"right": made.right(), "page": page(found, [made]), "json": json.dumps(as_json(found, [made]), indent=1)}


def draw(asked: str) -> dict[str, Any]:
    """Shaders of a campaign: `count` from the index `first`, by `seed`. Their texts, and the rules' verdicts."""
    given = json.loads(asked)
    cases = [_generator(given["seed"]).case(given["first"] + i) for i in range(given["count"])]
    return {"texts": [case.text for case in cases], "verdicts": [case.verdict.value for case in cases]}


@cache
def _generator(seed: int) -> CampaignGenerator:
    return CampaignGenerator(Plan(seed, language=MIXED))


def judged(asked: str) -> dict[str, Any]:
    """What is wrong with a browser's answer: to the drawn shader `seed`, `index`, it said `answer`.

    Its `claim` and its answers to `violations` say how to read that. The bucket is empty if the rules agree with it.
    """
    found = _found(json.loads(asked))
    if found is None:
        return {"bucket": ""}
    wrong = found[1]
    cause = predicates(wrong.cause.departures) if wrong.cause.departures else str(wrong.cause)
    return {"bucket": str(wrong.key), "kind": wrong.kind.value, "cause": cause}


def reduced(asked: str) -> dict[str, Any]:
    """The smallest text found that shows the same as in `judged`, by asking the browser again and again."""
    given = json.loads(asked)
    found = _found(given)
    if found is None:
        return {"text": ""}
    case, wrong, dialect, implemented = found
    ends = time.monotonic() + REDUCING_SECONDS

    def ask(text: str) -> Answer:
        return _answer(ask_browser(text), dialect)

    def diverges(candidate: Case) -> bool:
        return replace(candidate, thorough=True).execute().outcome is Outcome.DIVERGES

    def interesting(resolution: Resolution) -> bool:
        return shows(drawn_case(resolution), case, wrong, ask, diverges, implemented)

    return {"text": reduce(case.resolution, interesting, give_up=lambda: time.monotonic() > ends).text}


def _found(given: Mapping[str, Any]) -> tuple[Case, Disagreement, Dialect, bool] | None:
    """The drawn shader, the finding about it, and of the browser its dialect and whether it has an analysis."""
    case, claim = _generator(given["seed"]).case(given["index"]), claim_of(given["claim"])
    dialect, implemented = _dialect(given), any(one is not None for one in given["violations"])
    answers = {claim.name: _answer(given["answer"], dialect)}
    lacks = frozenset([] if implemented else [claim.name])
    wrong = next((one for one in judge(case, answers, lacks, valid=True) if one.target == claim.name), None)
    return None if wrong is None else (case, wrong, dialect, implemented)


def _dialect(given: Mapping[str, Any]) -> Dialect:
    """How to read the compiler that a `claim` names, or that words the `violations` so."""
    known = KNOWN.get(claim_of(given["claim"]).compiler)
    return known or learnt([one for one in given["violations"] if one is not None])


def _answer(words: str | None, dialect: Dialect) -> Answer:
    return Answer(Verdict.ACCEPTS) if words is None else dialect.refusal(words)


def ask_browser(text: str) -> str | None:
    """What the browser says of a text; the page's worker puts its own in this place."""
    raise NotImplementedError(text)


REDUCING_SECONDS = 30.0
"""The longest that a reduction may take."""
QUESTIONS: dict[str, Callable[[str], dict[str, Any]]] = {
    "why": why,
    "run": run,
    "repair": repair,
    "rows": rows,
    "violations": violations,
    "table": table,
    "draw": draw,
    "judged": judged,
    "reduced": reduced,
}
"""By name: the first three ask about a text, `rows` about a level, `violations` about nothing, the others JSON."""
