"""Why a shader is rejected: for each requirement that does not hold, the steps to a source of non-uniformity."""

from collections.abc import Sequence
from dataclasses import dataclass

from wgsl_fuzz.oracle.explain.narrator import Narrator
from wgsl_fuzz.oracle.explain.text import Results, ShaderText, Step, Trail
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult, ModuleAnalysis
from wgsl_fuzz.oracle.rules.uniformity.graph import Requirement
from wgsl_fuzz.wgsl.builtins import Rule, Scope
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.problems import Source
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Function
from wgsl_fuzz.wgsl.walk import with_more_stack

SAME = "this requires the same, and fails for the same reason"
"""Of a call with the cause of another."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one requirement does not hold."""

    severity: Severity
    rules: frozenset[Rule]
    scope: Scope | None
    function: Function
    steps: tuple[Step, ...]
    """From the requirement to the source."""
    same_as: int | None
    """An earlier explanation with the same cause: its place in the list."""
    trails: tuple[Trail, ...]
    """The paths that the steps tell."""


def explanations_of(analysis: ModuleAnalysis, resolution: Resolution, source: Source) -> list[Explanation]:
    """An explanation for each requirement that does not hold, in the order of the functions, callees first."""
    text = ShaderText(resolution, source)
    results = {(id(r.function), r.scope): r for r in analysis.functions}
    explanations: list[Explanation] = []
    causes: dict[object, int] = {}
    for result, violation in analysis.violations:
        narrator = with_more_stack(lambda: narrated(text, results, result, violation))  # noqa: B023
        cause = (id(result.function), violation.severity, cause_of(narrator.steps))
        same = causes.setdefault(cause, len(explanations))
        explanations.append(
            Explanation(
                violation.severity,
                violation.rules,
                result.scope,
                result.function,
                tuple(narrator.steps),
                same if same < len(explanations) else None,
                tuple(narrator.trails),
            )
        )
    return explanations


def narrated(text: ShaderText, results: Results, result: FunctionResult, violation: Requirement) -> Narrator:
    """A violation, told by a narrator of its own."""
    narrator = Narrator(text, results)
    narrator.required(result, violation)
    return narrator


def cause_of(steps: Sequence[Step]) -> tuple[tuple[int, int], ...]:
    """What two violations of one cause have in common: the places behind the requirement."""
    first = next((i for i, step in enumerate(steps) if i and not step.depth), len(steps))
    return tuple(step.span for step in steps[first:]) or tuple(step.span for step in steps)
