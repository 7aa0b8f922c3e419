"""What the page asks, as JSON: about a text; a browser's table; a campaign.

The page's worker calls these in Pyodide. Nothing here starts a process, reads a file or needs a compiled package.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from wgsl_fuzz import __version__
from wgsl_fuzz.fuzz.cases.case import Case, drawn_case
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import MIXED, Plan
from wgsl_fuzz.fuzz.conformance.confusion import with_causes
from wgsl_fuzz.fuzz.conformance.rows import SIDES, Level, Rows, load
from wgsl_fuzz.fuzz.conformance.table import RowResult, Status, Table, analyses
from wgsl_fuzz.fuzz.judging.judge import judge, shows
from wgsl_fuzz.fuzz.judging.kinds import Disagreement
from wgsl_fuzz.fuzz.present.conformance_text import as_markdown, page
from wgsl_fuzz.fuzz.present.playground.text_answers import ABOUT_TEXTS
from wgsl_fuzz.fuzz.reduction.search import reduce
from wgsl_fuzz.oracle.rules.in_words import predicates
from wgsl_fuzz.oracle.targets.browsers.saved import saved_answers
from wgsl_fuzz.oracle.targets.features import all_probes, with_features
from wgsl_fuzz.oracle.targets.probes import VIOLATIONS
from wgsl_fuzz.oracle.targets.protocol import Target, answers_of
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict
from wgsl_fuzz.strategies.generate.profile import GENERATOR_VERSION
from wgsl_fuzz.wgsl.resolution import Resolution

SAVED = "saved:answers.json"
"""What opens the answers that the page saves."""


def answer(question: str, text: str) -> str:
    """The answer to one of `QUESTIONS`, as JSON. KeyError for any other question."""
    return json.dumps(QUESTIONS[question](text))


def rows(level: str) -> dict[str, Any]:
    """The shaders of a level of conformance that a browser is asked about."""
    return {"texts": _texts(load(Level(level)))}


def introduction(_: str) -> dict[str, Any]:
    """What a browser is asked first: plain violations, which show how it words one, and what each feature needs.

    Our version, and the generator's, stand in what the page saves.
    """
    return {
        "texts": [*VIOLATIONS, *all_probes()],
        "plain": VIOLATIONS,
        "version": __version__,
        "generator": GENERATOR_VERSION,
    }


def _texts(found: Rows) -> list[str]:
    return list(dict.fromkeys(row.text(side) for row in found.rows for side in SIDES))


def table(said: str) -> dict[str, Any]:
    """The table of a browser by its `claim` and its `answers`, a `level`, and `others` (`as_others`) beside it.

    The page is HTML; the report is Markdown, for a bug report about that browser.
    """
    given = json.loads(said)
    found, browser = load(Level(given["level"])), saved_answers(given)
    own = _table(browser.name, SAVED, browser.origin, found, answers_of(with_features(browser), _texts(found)))
    others = []
    for one in given["others"]:
        answers = [Answer(Verdict(word), message) for word, message in one["answers"]]
        others.append(_table(one["name"], one["name"], one["origin"], found, answers))
    report = f"{browser.origin}\n\n{as_markdown([own])}"
    counts = [f"{own.counts[status]} {status.value}" for status in Status if own.counts[status]]
    return {"counts": counts, "page": page(found, [own], others), "report": report}


def as_others(targets: Sequence[Target]) -> dict[str, list[dict[str, Any]]]:
    """What targets say of the rows of each level, as JSON that `table` reads. Raises TargetError."""

    def told(target: Target, level: Level) -> dict[str, Any]:
        said = answers_of(target, _texts(load(level)))
        answers = [[one.verdict.value, one.message.partition("\n")[0]] for one in said]
        return {"name": target.name, "origin": target.origin, "answers": answers}

    return {level.value: [told(target, level) for target in targets] for level in Level}


def _table(name: str, spec: str, origin: str, found: Rows, answers: Sequence[Answer]) -> Table:
    by_text, analysed = dict(zip(_texts(found), answers, strict=True)), analyses(answers)
    results = [RowResult(row, by_text[row.accepted], by_text[row.rejected], analysed) for row in found.rows]
    return with_causes(Table(name, spec, origin, found, results))


def draw(asked: str) -> dict[str, Any]:
    """Shaders of a campaign: `count` from the index `first`, by `seed`. Their texts, and the rules' verdicts."""
    given = json.loads(asked)
    cases = [_generator(given["seed"]).case(given["first"] + i) for i in range(given["count"])]
    return {"texts": [case.text for case in cases], "verdicts": [case.verdict.value for case in cases]}


@cache
def _generator(seed: int) -> CampaignGenerator:
    return CampaignGenerator(Plan(seed, language=MIXED))


def judged(asked: str) -> dict[str, Any]:
    """What is wrong with the answer of a browser (`claim`, `answers`) to the drawn shader `seed`, `index`.

    The bucket is empty if the rules agree with it.
    """
    found = _found(json.loads(asked))
    if found is None:
        return {"bucket": ""}
    wrong = found[1]
    cause = predicates(wrong.cause.departures) if wrong.cause.departures else str(wrong.cause)
    return {"bucket": str(wrong.key), "kind": wrong.kind.value, "cause": cause}


def reduced(asked: str) -> dict[str, Any]:
    """The smallest text found that shows the same as in `judged`, by asking the browser again and again.

    With it the browser's words on that text.
    """
    given = json.loads(asked)
    found = _found(given)
    if found is None:
        return {"text": ""}
    case, wrong, browser = found
    ends, has_analysis = time.monotonic() + REDUCING_SECONDS, browser.checks_uniformity

    def ask(text: str) -> Answer:
        given["answers"][text] = ask_browser(text)
        return answers_of(browser, [text])[0]

    def diverges(candidate: Case) -> bool:
        return replace(candidate, thorough=True).execute().outcome is Outcome.DIVERGES

    def interesting(resolution: Resolution) -> bool:
        return shows(drawn_case(resolution), case, wrong, ask, diverges, has_analysis)

    text = reduce(case.resolution, interesting, give_up=lambda: time.monotonic() > ends).text
    return {"text": text, "said": ask_browser(text)}


def _found(given: Mapping[str, Any]) -> tuple[Case, Disagreement, Target] | None:
    """The drawn shader, the finding about it, and the browser, which reads the answers that are `given`."""
    case, browser = _generator(given["seed"]).case(given["index"]), with_features(saved_answers(given))
    lacks = frozenset([] if browser.checks_uniformity else [browser.name])
    found = judge(case, {browser.name: answers_of(browser, [case.text])[0]}, lacks, valid=True)
    wrong = next((one for one in found if one.target == browser.name), None)
    return None if wrong is None else (case, wrong, browser)


def ask_browser(text: str) -> str | None:
    """What the browser says of a text; the page's worker puts its own in this place."""
    raise NotImplementedError(text)


REDUCING_SECONDS = 30.0
"""The longest that a reduction may take."""
QUESTIONS: dict[str, Callable[[str], dict[str, Any]]] = {
    **ABOUT_TEXTS,
    "rows": rows,
    "introduction": introduction,
    "table": table,
    "draw": draw,
    "judged": judged,
    "reduced": reduced,
}
"""By name: `rows` asks about a level, `introduction` about nothing, the others JSON."""
