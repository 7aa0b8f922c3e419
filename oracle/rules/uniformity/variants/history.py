"""What the specification changed since the draft of 2023-01-28, each change taken back: how the rules were before it.

Only changes of which some shader shows a verdict are here, and of these only those where both texts are valid.
"""

from collections.abc import Mapping
from dataclasses import replace

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import Iteration, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.graph import Demand, Role
from wgsl_fuzz.oracle.rules.uniformity.tags import Required
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import EITHER, LAXER, STRICTER, Author, S, departs, departure
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import NEXT, BehaviourAnalysis
from wgsl_fuzz.wgsl.builtins import BuiltinFunction, Scope
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.resolution import Resolution, Space


class ControlFlowBehindCalls(ScopeAnalysis):
    """Takes control flow as uniform behind a call that requires it."""

    required_here = False
    """Whether the statement at hand has such a call."""

    def require(
        self, required: Required, target: Node, e: w.Call, demand: Demand = Demand.CONTROL_FLOW, i: int | None = None
    ) -> None:
        self.required_here |= demand is Demand.CONTROL_FLOW
        super().require(required, target, e, demand, i)

    def stmt(self, s: w.Statement, cf: Node) -> Node:
        """A node without edges stands for the control flow behind the statement."""
        self.required_here = False
        after = super().stmt(s, cf)
        simple = isinstance(s, w.Assign | w.Increment | w.Let | w.Variable | w.Phony | w.CallStatement)
        if simple and self.required_here:
            return self.graph.fresh(Role.CF_AFTER_IF, s, None)
        return after


def _after_iterating(self: S, s: Iteration, cf: Node, cf1: Node, head: Node) -> Node:
    if not self.reaches_continuing(self.body_behaviours(s)):
        self.graph.add_edge(head, cf1)
    return cf if self.behaviours.behaviour(s) == NEXT else head


class OneScope(ScopeAnalysis):
    """Has one scope for all requirements."""

    @classmethod
    def scopes(cls, resolution: Resolution) -> tuple[Scope | None, ...]:
        return (None,)


def _always_error(self: S, row: BuiltinFunction) -> Required | None:
    required = row.rule is not None and self.is_rule_of_scope(row.rule)
    return Required(Severity.ERROR, frozenset({row.rule})) if required and row.rule else None


def _condition_ignored(self: S, s: w.BreakIf, cf: Node) -> Node:
    self.value(s.condition, cf)
    return cf


def _base_first(self: S, e: w.Index, cf: Node, loaded: bool) -> Node:
    v2 = self.expr(e.base, cf, loaded)
    return self.both(e, self.value(e.index, cf), v2)


def before(date: str, number: int) -> Author:
    """How the rules were before a pull request."""
    return Author(f"before-{date}", f"{{}} So it was until gpuweb pull request {number} of {date}.", issue=number)


HISTORY: tuple[Variant, ...] = (
    departs(before("2023-03-06", 3713), "no-filters", STRICTER, "knows no diagnostic filters").by(
        S.builtin_requirement, _always_error
    ),
    departs(
        before("2023-03-08", 3816),
        "contents-are-addresses",
        LAXER,
        "takes what a pointer parameter points to for its address",
    ).by(
        S.parameter_tags,
        lambda result: replace(
            result, of_contents=False, returned=result.returned or result.returned_contents, returned_contents=False
        ),
    ),
    departure(before("2023-07-05", 4218), ControlFlowBehindCalls, LAXER),
    departs(
        before("2023-11-20", 4323),
        "pointers-are-values",
        LAXER,
        "takes what a pointer parameter outside the function address space points to as a value",
    ).by(
        S.pointer_parameter,
        lambda self, e, p, cf: self.address(e, p, cf),
        where=lambda pointer: pointer.space is not Space.FUNCTION,
    ),
    departs(
        before("2025-10-14", 5369),
        "10a",
        LAXER,
        "ignores the condition of a `break if`",
        "Control flow after a `break if` does not depend on its condition: Fig. 10a of the paper, gpuweb issue 5277.",
    ).by(S.break_if, _condition_ignored),
    departs(
        before("2025-10-17", 5392),
        "10b",
        EITHER,
        "analyses code behind a loop that only returns",
        "The behaviours of a loop always come from its body and its `continuing`, so code behind a loop that only "
        "returns counts as reached: Fig. 10b of the paper, gpuweb issue 5100.",
    ).by(BehaviourAnalysis.only_returns, lambda: False),
    departs(
        before("2025-12-01", 5419),
        "10c",
        STRICTER,
        "takes a loop that cannot iterate to iterate",
        "The head of a loop depends on the loop's end even if that is never reached: Fig. 10c of the paper, gpuweb "
        "issue 5364.",
    )
    .first(S.has_back_edge, lambda: True)
    .by(S.cf_after_loop, _after_iterating),
    departs(
        before("2025-12-01", 5419),
        "10d",
        STRICTER,
        "analyses a `continuing` that cannot be reached",
        "Its variables have no value there: Fig. 10d of the paper, gpuweb issue 5364.",
    ).by(S.reaches_continuing, lambda: True),
    departs(
        before("2025-12-01", 5419),
        "joins-at-continuing",
        STRICTER,
        "joins variables at a loop's continuing",
        "Variables at the end of a loop's body flow to its `continuing`, even if a `return` or `break` stands "
        "before that end; in the paper only what jumps there does.",
    ).by(S.flows_to_continuing, lambda: True),
    departs(
        before("2025-12-01", 5419),
        "joins-at-exit",
        STRICTER,
        "joins variables at a loop's exit",
        "Variables at the end of a `continuing` flow behind the loop, even if no thread leaves the loop there; in "
        "the paper only what jumps there does.",
    ).by(S.is_left_at_end, lambda: True),
    departure(before("2025-12-15", 5431), OneScope, EITHER),
    departs(before("2026-06-09", 6259), "base-before-index", EITHER, "evaluates a base before its index").by(
        S.index, _base_first
    ),
)
"""The changes taken back, oldest first."""

FIGURES: Mapping[str, str] = {v.name.rpartition("/")[2]: v.name for v in HISTORY if "Fig. 10" in v.about}
"""The four changes that the paper brought about: the variant that takes it back, by the paper's figure."""
