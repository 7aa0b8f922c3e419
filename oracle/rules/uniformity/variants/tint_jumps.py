"""Which values Tint gives to variables behind statements whose end is not reached, and where it takes them up."""

from collections.abc import Mapping
from types import MappingProxyType

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import NoValues, VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import Role
from wgsl_fuzz.oracle.rules.uniformity.statements import Iteration
from wgsl_fuzz.wgsl.behaviours import NEXT
from wgsl_fuzz.wgsl.syntax import Block, For, Function, If, Loop, Statement, Switch, While

_BEHIND = (Role.AFTER_IF, Role.AFTER_SWITCH, Role.EXIT)


class KeepsBehindJumps(ScopeAnalysis):
    """Behind a statement whose end is not reached some variables have a value: that from before it."""

    def keeps(self, x: int, s: Statement) -> bool:
        """Whether a variable has one behind `s`."""
        return False

    def meet(self, role: Role, s: Statement, maps: list[VariableMap], before: VariableMap) -> VariableMap:
        """Behind branches and loops."""
        met = super().meet(role, s, maps, before)
        if maps or role not in _BEHIND:
            return met
        kept = {x: node for x, node in before.items() if self.keeps(x, s)}
        return kept if len(kept) == len(before) else NoValues({**met, **kept})

    def stmt(self, s: Statement, cf: Node) -> Node:
        """Behind a block. Bodies of loops and functions do not come here."""
        if not isinstance(s, Block) or self.behaviour(s) & NEXT:
            return super().stmt(s, cf)
        before = self.M.copy()
        cf = super().stmt(s, cf)
        self.M = {**self.M, **{x: node for x, node in before.items() if self.keeps(x, s)}}
        return cf


class KeepsBehindLoops(KeepsBehindJumps):
    """Behind a loop it is the one at the end of an iteration; if no path reaches that, the one at its head."""

    def heads(self, s: Iteration) -> VariableMap:
        """Notes them: of a loop that iterates."""
        found = super().heads(s)
        self.at_heads = {**self.at_heads, id(s): {**self.M, **found}}
        return found

    def behind_loop(self, s: Iteration, b1: int, end: VariableMap, before: VariableMap) -> VariableMap:
        """With these in place of the old ones."""
        return super().behind_loop(s, b1, end, end if b1 & NEXT else self.at_heads.get(id(s), before))

    at_heads: Mapping[int, VariableMap] = MappingProxyType({})
    """By `id` of a loop that iterates."""


class UnbrokenLoopKeepsVariables(KeepsBehindLoops):
    """All variables have one behind a loop that nothing leaves but `return`."""

    def keeps(self, x: int, s: Statement) -> bool:
        """Behind a loop."""
        return isinstance(s, Loop | While | For) or super().keeps(x, s)


class JumpingStatementsKeepVariables(KeepsBehindLoops):
    """All variables have one behind an `if`, a `switch` or a block."""

    def keeps(self, x: int, s: Statement) -> bool:
        """Behind any other statement."""
        return isinstance(s, If | Switch | Block) or super().keeps(x, s)


class JoinsAtEndOfFunction(KeepsBehindLoops):
    """What pointers lead to at the end of a function's body flows to the caller, reached or not."""

    def keeps(self, x: int, s: Statement) -> bool:
        """What a pointer parameter leads to has a value behind every statement."""
        return x in self.exits or super().keeps(x, s)

    def ends(self, f: Function) -> bool:
        """Always."""
        return True
