"""Which operation is blamed for a rejection: by the reference, and by a compiler's message."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.oracle.explain.path import Explanation
from wgsl_fuzz.oracle.explain.text import StepKind
from wgsl_fuzz.oracle.verdict import Answer, Verdict

_BLAMED = re.compile(r"(\d+):(\d+) error: '\w+' must only be called from uniform control flow")
"""Tint names the built-in function by its place; for a function of the user's, the call is in a note."""


def blamed_span(explanation: Explanation) -> tuple[int, int]:
    """Where the operation stands that needs uniformity: offsets, behind all calls of user-defined functions."""
    required = [step for step in explanation.steps if step.kind is StepKind.REQUIREMENT]
    return (required[-1] if required else explanation.steps[0]).span


@dataclass(frozen=True, slots=True)
class Blame:
    """The operation for which a target rejects a text, and whether the reference blames it as well."""

    target: str
    line: int
    column: int
    agrees: bool


def blames(module: Case, answers: Mapping[str, Answer]) -> list[Blame]:
    """What each target blames that rejects the text and says where, if the reference rejects it too."""
    if module.verdict is not Verdict.REJECTS:
        return []
    ours = _ours(module)
    found = [(name, _BLAMED.search(a.message)) for name, a in answers.items() if a.verdict is Verdict.REJECTS]
    places = [(name, int(place[1]), int(place[2])) for name, place in found if place is not None]
    return [Blame(name, line, column, (line, column) in ours) for name, line, column in places]


def _ours(module: Case) -> list[tuple[int, int]]:
    return sorted({module.source.position(blamed_span(e)[0]) for e in module.explanations})


def blamed_otherwise(module: Case, answers: Mapping[str, Answer]) -> Iterator[str]:
    """A line for each target that rejects the module for an operation that the reference does not blame."""
    for one in blames(module, answers):
        if not one.agrees:
            places = ", ".join(f"{line}:{column}" for line, column in _ours(module))
            yield f"{one.target} blames {one.line}:{one.column}; the reference blames {places}"


def violations_json(case: Case) -> Mapping[str, Any]:
    """The requirements that do not hold, with places (from 1), and the verdict of each entry point."""
    position = case.source.position
    violations = []
    for e in case.explanations:
        (line, column), (end_line, end_column) = map(position, blamed_span(e))
        violations.append(
            {
                "severity": str(e.severity),
                "rules": sorted(e.rules),
                "scope": None if e.scope is None else str(e.scope),
                "function": e.function.name,
                "line": line,
                "column": column,
                "end line": end_line,
                "end column": end_column,
            }
        )
    entry_points = [
        {"name": f.name, "stage": str(stage), "worst": None if worst is None else str(worst)}
        for f, stage, worst in case.entry_points()
    ]
    return {"violations": violations, "entry points": entry_points}
