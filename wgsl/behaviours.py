"""Statement behaviour analysis of the whole of WGSL (9.7 #behaviors).

A set of behaviours is an `int` of four bits, as in `tinywgsl.behaviour`; `NEXT & b` reads "Next is in B".
"""

from collections.abc import Callable
from typing import Any

from wgsl_fuzz.tinywgsl.behaviour import BREAK, CONTINUE, NEXT, RETURN, Behaviours, spell
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.problems import ResolveProblem
from wgsl_fuzz.wgsl.walk import with_more_stack

__all__ = ["BREAK", "CONTINUE", "NEXT", "OF_SIMPLE", "RETURN", "BehaviourAnalysis", "Behaviours", "spell"]

OF_SIMPLE: dict[type, Behaviours] = {
    **dict.fromkeys((w.Empty, w.Variable, w.Let, w.Const, w.Assign, w.Increment, w.Phony), NEXT),
    **dict.fromkeys((w.CallStatement, w.Discard, w.ConstAssert), NEXT),
    w.Return: RETURN,
    w.Break: BREAK,
    w.Continue: CONTINUE,
    w.BreakIf: BREAK | NEXT,
}
"""B of the statements without blocks, by class."""


class BehaviourAnalysis:
    """B, remembered for each node object: they must stay alive as long as this does. A subclass may replace a rule."""

    def __init__(self) -> None:
        self._known: dict[int, Behaviours] = {}

    def check(self, function: w.Function) -> None:
        """Raises ResolveProblem if the behaviours of a function, or of anything in it, are not allowed."""
        b = with_more_stack(lambda: self.behaviour(function.body))
        if function.result is not None and b != RETURN:
            raise ResolveProblem(f"function '{function.name}' can end without a 'return'", function.start)
        if b & ~(NEXT | RETURN):
            raise ResolveProblem(f"the body of '{function.name}' has behaviours {spell(b)}", function.start)

    def behaviour(self, s: w.Statement) -> Behaviours:
        """B of one statement, a block included. ResolveProblem where it is empty."""
        b = OF_SIMPLE.get(s.__class__) or self._known.get(id(s))
        if b is None:
            b = self._known[id(s)] = _RULES[s.__class__](self, s)
        if not b:
            raise ResolveProblem("nothing leaves this loop", s.start)
        return b

    def sequence(self, s: w.Block) -> Behaviours:
        """B of a block: s2 adds its behaviours if Next is in those before it; it must be valid anyway."""
        b = NEXT
        for statement in s.statements:
            following = self.behaviour(statement)
            if NEXT & b:
                b = (b & ~NEXT) | following
        return b

    def conditional(self, s: w.If) -> Behaviours:
        """B of an `if` with all that follows it: the union of the branches; no `else` is an empty one."""
        chain: list[w.If] = []
        branch: w.If | w.Block | None = s
        while isinstance(branch, w.If):
            chain.append(branch)
            branch = branch.orelse
        b = NEXT if branch is None else self.behaviour(branch)
        for link in reversed(chain):
            b |= self.behaviour(link.then)
            self._known[id(link)] = b
        return b

    def switch(self, s: w.Switch) -> Behaviours:
        """B of a `switch`: the union of the clauses, and a break goes on behind it."""
        b = 0
        for clause in s.clauses:
            b |= self.behaviour(clause.body)
        return (b | NEXT) & ~BREAK if BREAK & b else b

    def loop(self, s: w.Loop) -> Behaviours:
        """B of a `loop`; without `continuing` it is as with an empty one."""
        b1 = self.behaviour(s.body)
        b2 = self.continuing(s.continuing) if s.continuing is not None else NEXT
        return self.of_loop(b1, b2)

    def continuing(self, s: w.Block) -> Behaviours:
        """B of a `continuing`, in which Continue and Return must not be."""
        b2 = self.behaviour(s)
        if b2 & (CONTINUE | RETURN):
            raise ResolveProblem(f"a 'continuing' block must not have behaviours {spell(b2)}", s.start)
        return b2

    def while_loop(self, s: w.While) -> Behaviours:
        """B of a `while`: `loop { if !c { break; } body }`."""
        return self.of_loop(self.behind_condition(self.behaviour(s.body)), NEXT)

    def for_loop(self, s: w.For) -> Behaviours:
        """B of a `for`; without a condition there is no `if` at the start of the loop."""
        b1 = self.behaviour(s.body)
        return self.of_loop(b1 if s.condition is None else self.behind_condition(b1), NEXT)

    def behind_condition(self, body: Behaviours) -> Behaviours:
        """B of `if !c { break; }` and a body behind it."""
        return BREAK | body

    def of_loop(self, b1: Behaviours, b2: Behaviours) -> Behaviours:
        """B of a loop whose body has B1 and whose continuing has B2."""
        if self.only_returns(b1):
            return RETURN
        if BREAK & (b1 | b2):
            return (b1 | b2 | NEXT) & ~(BREAK | CONTINUE)
        return (b1 | b2) & ~(CONTINUE | NEXT)

    def only_returns(self, b1: Behaviours) -> bool:
        """Whether the body leaves by returning only: the change of gpuweb issue 5100."""
        return b1 == RETURN


_RULES: dict[type[w.Node], Callable[[BehaviourAnalysis, Any], Behaviours]] = {
    w.Block: lambda analysis, s: analysis.sequence(s),
    w.If: lambda analysis, s: analysis.conditional(s),
    w.Switch: lambda analysis, s: analysis.switch(s),
    w.Loop: lambda analysis, s: analysis.loop(s),
    w.While: lambda analysis, s: analysis.while_loop(s),
    w.For: lambda analysis, s: analysis.for_loop(s),
}
"""The rules of the statements with blocks, by class, as a subclass has them."""
