"""What the semantics says of a shader, in words."""

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.judging.steps import indented
from wgsl_fuzz.oracle.dynamics.convergence import CONTROL_STACKS, Notion
from wgsl_fuzz.oracle.verdict import Outcome

_WITHOUT_WITNESS = {
    Outcome.CONVERGES: "It converges: every schedule and every store within bounds was explored.",
    Outcome.OUT_OF_STEPS: "The semantics cannot tell: no run it tried came to its end.",
    Outcome.NOT_SEEN: "The semantics saw no divergence in the runs tried.",
}


def outcome_of_module(module: ModuleCase) -> list[str]:
    """What the semantics says of a shader, and how it diverges."""
    seen = module.execution
    if module.outcome is None:
        return [f"The semantics cannot run it: {seen.cannot}."]
    told = _of_notion(module.notion)
    if seen.outcome is Outcome.DIVERGES:
        return [*told, "It does diverge:", *indented(module.placed_execution.describe(module.text))]
    if seen.outcome is Outcome.CONVERGES and module.threads is not None:
        n = module.threads
        return [*told, f"It converges: with {n} threads every schedule and every store within bounds was explored."]
    return [*told, _WITHOUT_WITNESS[seen.outcome]]


def _of_notion(notion: Notion) -> list[str]:
    """What counts as convergence, if it is not what the paper asks."""
    return [] if notion is CONTROL_STACKS else [notion.sentence]
