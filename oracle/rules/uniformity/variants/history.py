"""What the specification changed since the draft of 2023-01-28, each change taken back: how the rules were before it.

Only changes of which some shader shows a verdict are here, and of these only those where both texts are valid.
"""

from collections.abc import Mapping
from dataclasses import replace

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant, departure
from wgsl_fuzz.oracle.rules.uniformity.analysis import Iteration, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import Demand, Reached, Role
from wgsl_fuzz.oracle.rules.uniformity.tags import ParameterTags, Required
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import NEXT, BehaviourAnalysis
from wgsl_fuzz.wgsl.builtins import BuiltinFunction, Scope
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.resolution import Pointer, Resolution, Space


class NoFilters(ScopeAnalysis):
    """Knows no diagnostic filters."""

    def builtin_requirement(self, row: BuiltinFunction) -> Required | None:
        """At severity error."""
        required = row.rule is not None and self.is_rule_of_scope(row.rule)
        return Required(Severity.ERROR, frozenset({row.rule})) if required and row.rule else None


class ContentsAreAddresses(ScopeAnalysis):
    """Takes what a pointer parameter points to for its address."""

    def parameter(
        self, p: w.Parameter, entries: VariableMap, levels: list[tuple[Required, Reached]], returned: Reached
    ) -> ParameterTags:
        """Requirements on the contents apply to the address."""
        tags = super().parameter(p, entries, levels, returned)
        return replace(
            tags, of_contents=False, returned=tags.returned or tags.returned_contents, returned_contents=False
        )


class ControlFlowBehindCalls(ScopeAnalysis):
    """Takes control flow as uniform behind a call that requires it."""

    required_here = False
    """Whether the statement at hand has such a call."""

    def require(
        self, required: Required, target: Node, e: w.Call, demand: Demand = Demand.CONTROL_FLOW, i: int | None = None
    ) -> None:
        """Notes it."""
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


class PointersAreValues(ScopeAnalysis):
    """Takes what a pointer parameter outside the function address space points to as a value."""

    def pointer_parameter(self, e: w.Expression, p: w.Parameter, pointer: Pointer, cf: Node, loaded: bool) -> Node:
        """param_i."""
        if pointer.space is Space.FUNCTION:
            return super().pointer_parameter(e, p, pointer, cf, loaded)
        return self.address(e, p, cf)


class BreakIfKeepsControlFlow(ScopeAnalysis):
    """Ignores the condition of a `break if`.

    Control flow after a `break if` does not depend on its condition: Fig. 10a of the paper, gpuweb issue 5277.
    """

    def break_if(self, s: w.BreakIf, cf: Node) -> Node:
        """CF."""
        self.value(s.condition, cf)
        return cf


class BehavioursOfContinuing(BehaviourAnalysis):
    """Analyses code behind a loop that only returns.

    The behaviours of a loop always come from its body and its `continuing`, so code behind a loop that only returns
    counts as reached: Fig. 10b of the paper, gpuweb issue 5100.
    """

    def only_returns(self, b1: int) -> bool:
        """Never a case of its own."""
        return False


class LoopsAlwaysIterate(ScopeAnalysis):
    """Takes a loop that cannot iterate to iterate.

    The head of a loop depends on the loop's end even if that is never reached: Fig. 10c of the paper, gpuweb issue
    5364.
    """

    def has_back_edge(self, b1: int) -> bool:
        """Always."""
        return True

    def cf_after_loop(self, s: Iteration, cf: Node, cf1: Node, head: Node) -> Node:
        """By the behaviour of the whole loop."""
        if not self.reaches_continuing(self.body_behaviours(s)):
            self.graph.add_edge(head, cf1)
        return cf if self.behaviours.behaviour(s) == NEXT else head


class ContinuingAlwaysAnalysed(ScopeAnalysis):
    """Analyses a `continuing` that cannot be reached.

    Its variables have no value there: Fig. 10d of the paper, gpuweb issue 5364.
    """

    def reaches_continuing(self, b1: int) -> bool:
        """Always."""
        return True


class JoinsAtContinuing(ScopeAnalysis):
    """Joins variables at a loop's continuing.

    Variables at the end of a loop's body flow to its `continuing`, even if a `return` or `break` stands before that
    end; in the paper only what jumps there does.
    """

    def flows_to_continuing(self, b1: int) -> bool:
        """Always."""
        return True


class JoinsAtExit(ScopeAnalysis):
    """Joins variables at a loop's exit.

    Variables at the end of a `continuing` flow behind the loop, even if no thread leaves the loop there; in the paper
    only what jumps there does.
    """

    def is_left_at_end(self, s: Iteration, b1: int) -> bool:
        """Always."""
        return True


class OneScope(ScopeAnalysis):
    """Has one scope for all requirements."""

    @classmethod
    def scopes(cls, resolution: Resolution) -> tuple[Scope | None, ...]:
        """One, which is both."""
        return (None,)


class BaseBeforeIndex(ScopeAnalysis):
    """Evaluates a base before its index."""

    def index(self, e: w.Index, cf: Node, loaded: bool) -> Node:
        """The base first."""
        v2 = self.expr(e.base, cf, loaded)
        return self.both(e, self.value(e.index, cf), v2)


def _before(date: str, number: int, cls: type, effect: Effect, *, name: str = "") -> Variant:
    found = departure(f"before-{date}", cls, effect, name=name)
    about = f"{found.about} So it was until gpuweb pull request {number} of {date}.".strip()
    return replace(found, place=date, about=about, issue=number)


LAXER, STRICTER, EITHER = Effect.LAXER, Effect.STRICTER, Effect.EITHER

HISTORY: tuple[Variant, ...] = (
    _before("2023-03-06", 3713, NoFilters, STRICTER),
    _before("2023-03-08", 3816, ContentsAreAddresses, LAXER),
    _before("2023-07-05", 4218, ControlFlowBehindCalls, LAXER),
    _before("2023-11-20", 4323, PointersAreValues, LAXER),
    _before("2025-10-14", 5369, BreakIfKeepsControlFlow, LAXER, name="10a"),
    _before("2025-10-17", 5392, BehavioursOfContinuing, EITHER, name="10b"),
    _before("2025-12-01", 5419, LoopsAlwaysIterate, STRICTER, name="10c"),
    _before("2025-12-01", 5419, ContinuingAlwaysAnalysed, STRICTER, name="10d"),
    _before("2025-12-01", 5419, JoinsAtContinuing, STRICTER),
    _before("2025-12-01", 5419, JoinsAtExit, STRICTER),
    _before("2025-12-15", 5431, OneScope, EITHER),
    _before("2026-06-09", 6259, BaseBeforeIndex, EITHER),
)
"""The changes taken back, oldest first."""

FIGURES: Mapping[str, str] = {v.name.rpartition("/")[2]: v.name for v in HISTORY if "Fig. 10" in v.about}
"""The four changes that the paper brought about: the variant that takes it back, by the paper's figure."""
