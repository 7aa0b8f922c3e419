"""What the page asks about a text, as JSON: verdict and reasons, a diverging run, a repair.

The page loads this first, and `answers` when that is needed.
"""

from collections.abc import Callable, Mapping
from typing import Any

from wgsl_fuzz.fuzz.cases.case import read_case
from wgsl_fuzz.fuzz.judging.account import outcome_of
from wgsl_fuzz.fuzz.present.divergence import SHOWN, effect
from wgsl_fuzz.fuzz.present.explanation import Explained
from wgsl_fuzz.fuzz.present.pages import highlighted, rendered
from wgsl_fuzz.fuzz.present.picture import marked, page_values
from wgsl_fuzz.fuzz.repair.edit import diff
from wgsl_fuzz.fuzz.repair.search import best, repair_words
from wgsl_fuzz.oracle.dynamics.steps import steps_of_module
from wgsl_fuzz.oracle.verdict import Outcome

NAME = "shader.wgsl"
"""What the shader is called."""
_OF_STEP = ("thread", "line", "code", "parts")


def why(text: str) -> dict[str, Any]:
    """The verdict of the rules; each line as HTML with its mark; the reasons, facts and pictures as HTML."""
    case = read_case(text)
    lines = [str(line) for line in highlighted(text)]
    if not case.is_read:
        wrong = [{"line": one.line, "sentence": one.sentence} for one in case.problems]
        return {
            "verdict": case.word,
            "lines": lines,
            "marks": {one.line: "wrong" for one in case.problems},
            "wrong": wrong,
        }
    one = Explained(case)
    values = page_values(one)
    parts = {name: rendered(f"explain_{name}.html", **values) for name in ("why", "facts")}
    return {"verdict": values["verdict"], "lines": lines, "marks": marked(one), **parts}


def run(text: str) -> dict[str, Any]:
    """What running the shader shows; if it diverges, the steps of the two threads."""
    case = read_case(text)
    if not case.is_read:
        return {"outcome": "", "told": [], "steps": []}
    told, steps = [outcome_of(case).outcome], []
    if case.outcome is Outcome.DIVERGES:
        placed = case.placed
        told += [line.strip() for line in case.execute_placed().describe(case.text, schedule=False)]
        steps = steps_of_module(placed.resolution, case.execute_placed(), placed.text)[-SHOWN:]
    shown = [{name: getattr(step, name) for name in _OF_STEP} | {"effect": effect(step)} for step in steps]
    outcome = "" if case.outcome is None else case.outcome.value
    waits = any(" waits at " in line for line in told)
    return {"outcome": outcome, "told": told, "steps": shown, "waits": waits}


def repair(text: str) -> dict[str, Any]:
    """The repair that changes least in meaning, in words and as a diff; empty if there is none to make."""
    case = read_case(text)
    found = best(case) if case.is_read else None
    if found is None:
        return {}
    return {"words": [*repair_words(found)], "lines": [*diff(NAME, text, found.text)], "text": found.text}


ABOUT_TEXTS: Mapping[str, Callable[[str], dict[str, Any]]] = {"why": why, "run": run, "repair": repair}
