"""Which operation is blamed for a rejection: by the reference, and by a compiler's message."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.judging.answers import Examination
from wgsl_fuzz.oracle.explain.module_path import Explanation, StepKind
from wgsl_fuzz.oracle.verdict import Answer, Verdict

_BLAMED = re.compile(r"(\d+):(\d+) error: '\w+' must only be called from uniform control flow")
"""Tint names the built-in function by its place; for a function of the user's, the call is in a note."""


def blamed_span(explanation: Explanation) -> tuple[int, int]:
    """Where the operation stands that needs uniformity: offsets, behind all calls of user-defined functions."""
    required = [step for step in explanation.steps if step.kind is StepKind.REQUIREMENT]
    return (required[-1] if required else explanation.steps[0]).span


def blamed_otherwise(module: ModuleCase, answers: Mapping[str, Answer]) -> Iterator[str]:
    """A line for each target that rejects the module for an operation that the reference does not blame."""
    if module.verdict is not Verdict.REJECTS:
        return
    ours = {module.source.position(blamed_span(e)[0]) for e in module.explanations}
    for name, answer in answers.items():
        found = _BLAMED.search(answer.message)
        if answer.verdict is Verdict.REJECTS and found and (int(found[1]), int(found[2])) not in ours:
            places = ", ".join(f"{line}:{column}" for line, column in sorted(ours))
            yield f"{name} blames {found[1]}:{found[2]}; the reference blames {places}"


def violations_json(one: Examination) -> Mapping[str, Any]:
    """The requirements that do not hold, with places (from 1), and the verdict of each entry point."""
    if one.module is None:
        return {}
    position = one.module.source.position
    violations = []
    for e in one.module.explanations:
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
        for f, stage, worst in one.module.entry_points()
    ]
    return {"violations": violations, "entry points": entry_points}
