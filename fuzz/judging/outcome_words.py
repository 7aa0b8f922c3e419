"""What the semantics says of a shader or a module, in words."""

from wgsl_fuzz.fuzz.cases.case import Case, line_of_id
from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.judging.steps import indented
from wgsl_fuzz.oracle.dynamics.convergence import CONTROL_STACKS, Notion
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.tinywgsl.printer import Position

_WITHOUT_WITNESS = {
    Outcome.CONVERGES: "It converges: every schedule and every store within bounds was explored.",
    Outcome.OUT_OF_STEPS: "The semantics cannot tell: no run it tried came to its end.",
    Outcome.NOT_SEEN: "The semantics saw no divergence in the runs tried.",
}


def outcome_of_shader(case: Case, positions: dict[int, Position]) -> list[str]:
    """What the semantics says of a shader, whose statements stand at these positions."""
    told = _of_notion(case.notion)
    match case.execution.outcome:
        case Outcome.DIVERGES:
            return [*told, "It does diverge:", *indented(witness_lines(case, positions))]
        case Outcome.CONVERGES:
            n = case.shader.workgroup_size
            return [*told, f"It converges: with {n} threads every schedule and every store within bounds was explored."]
        case other:
            return [*told, _WITHOUT_WITNESS[other]]


def outcome_of_module(module: ModuleCase) -> list[str]:
    """What the semantics says of a module."""
    seen = module.execution
    if module.outcome is None:
        return [f"The semantics cannot run it: {seen.cannot}."]
    told = _of_notion(module.notion)
    if seen.outcome is Outcome.DIVERGES:
        return [*told, "It does diverge:", *indented(module.placed_execution.describe(module.text))]
    return [*told, _WITHOUT_WITNESS[seen.outcome]]


def witness_lines(case: Case, positions: dict[int, Position]) -> list[str]:
    """The divergence that the semantics saw, for people; empty if it saw none."""
    if case.shown_execution.witness is None:
        return []
    lines = line_of_id(case.shader, positions)
    return case.shown_execution.witness.describe(lines.get)


def _of_notion(notion: Notion) -> list[str]:
    """What counts as convergence, if it is not what the paper asks."""
    return [] if notion is CONTROL_STACKS else [notion.sentence]
