"""Why a shader is rejected: for each requirement that does not hold, the steps to a source of non-uniformity."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from wgsl_fuzz.oracle.explain.narrator import Narrator
from wgsl_fuzz.oracle.explain.text import Results, ShaderText, Step, StepKind, Trail
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
ANOTHER = "another cause"
"""Where the steps of one begin that follow those of a first."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one requirement does not hold."""

    severity: Severity
    rules: frozenset[Rule]
    scope: Scope | None
    function: Function
    steps: tuple[Step, ...]
    """From the requirement to the source."""
    same_as: "Explanation | None"
    """An earlier explanation with the same cause."""
    trails: tuple[Trail, ...]
    """The paths that the steps tell."""

    @property
    def depth(self) -> int:
        """How many calls of the first steps lead to that of a built-in function, which has this place among them."""
        depths = (step.depth if step.kind is StepKind.REQUIREMENT else -1 for step in self.steps)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], enumerate(depths))) - 1

    def from_inside(self) -> Iterator[Step]:
        """The steps from the built-in function on; the calls that lead there follow what is in them."""
        level = self.depth
        yield replace(self.steps[level], depth=0)
        for step in self.steps[level + 1 :]:
            while level > step.depth:
                level -= 1
                yield replace(self.steps[level], depth=0)
            yield replace(step, depth=step.depth - level)


@dataclass(frozen=True, slots=True)
class Message:
    """What is wrong at the call of a built-in function: all explanations that begin there, or have such a cause."""

    severity: Severity
    rules: frozenset[Rule]
    scope: Scope | None
    function: Function
    """Where the call is."""
    steps: tuple[Step, ...]
    """First the call; steps in functions that are called for a value have a depth."""
    trails: tuple[tuple[Trail, ...], ...]
    """The paths that the steps tell, of each cause."""

    @property
    def through(self) -> set[str]:
        """The names of the functions that it leads through."""
        return {self.function.name, *(trail.result.function.name for trails in self.trails for trail in trails)}


def messages_of(explanations: Iterable[Explanation]) -> list[Message]:
    """The messages of some explanations, in their order."""
    found: dict[object, list[Explanation]] = {}
    for one in explanations:
        head = one.same_as or one
        found.setdefault((one.severity, head.scope, head.steps[head.depth].span), []).append(one)
    return [_message(group) for group in found.values()]


def _message(group: Sequence[Explanation]) -> Message:
    first = group[0]
    steps: list[Step] = []
    seen: set[Step] = set()
    for one in group:
        own = [step for step in (_same(one) if one.same_as else one.from_inside()) if step not in seen]
        seen.update(own)
        if steps and own and one.same_as is None:
            own[0] = replace(own[0], sentence=f"{ANOTHER}: {own[0].sentence}")
        steps += dict.fromkeys(own)
    return Message(
        first.severity,
        frozenset(rule for one in group for rule in one.rules),
        first.scope,
        first.trails[first.depth].result.function,
        tuple(steps),
        tuple(one.trails for one in group if one.same_as is None),
    )


def _same(one: Explanation) -> Iterator[Step]:
    """What requires the same as another explanation, and the calls that lead there."""
    head = one.same_as
    if head is not None and one.steps[one.depth].span == head.steps[head.depth].span:
        yield replace(one.steps[0], sentence=SAME)  # another call leads to the same place
        return
    first, *others = (step for step in one.from_inside() if step.kind is StepKind.REQUIREMENT)
    yield replace(first, sentence=SAME)
    yield from others


def explanations_of(analysis: ModuleAnalysis, resolution: Resolution, source: Source) -> list[Explanation]:
    """An explanation for each requirement that does not hold, in the order of the functions, callees first."""
    text = ShaderText(resolution, source)
    results = {(id(r.function), r.scope): r for r in analysis.functions}
    explanations: list[Explanation] = []
    causes: dict[object, Explanation] = {}
    for result, violation in analysis.violations:
        narrator = with_more_stack(lambda: narrated(text, results, result, violation))  # noqa: B023
        cause = (id(result.function), result.scope, violation.severity, cause_of(narrator.steps))
        explanation = Explanation(
            violation.severity,
            violation.rules,
            result.scope,
            result.function,
            tuple(narrator.steps),
            causes.get(cause),
            tuple(narrator.trails),
        )
        causes.setdefault(cause, explanation)
        explanations.append(explanation)
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
