"""Where WebKit's analysis joins the values of variables, and what it keeps of them (docs/webkit-analysis.md)."""

from collections.abc import Iterable, Iterator
from copy import copy

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.analysis import Iteration, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import VariableMap
from wgsl_fuzz.oracle.rules.uniformity.variants.tint import KeepsBehindJumps
from wgsl_fuzz.oracle.rules.uniformity.variants.webkit_pointers import PointerLets
from wgsl_fuzz.oracle.rules.uniformity.variants.webkit_rows import EITHER, STRICTER, departure
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import NEXT
from wgsl_fuzz.wgsl.walk import descendants


class BlocksThatJumpKeep(KeepsBehindJumps):
    """Behind a block whose end is not reached, variables are what they were before it."""

    def keeps(self, x: int, s: w.Statement) -> bool:
        """Every variable."""
        return isinstance(s, w.Block) or super().keeps(x, s)


class SwitchesThatJumpKeep(KeepsBehindJumps):
    """Behind a `switch` whose end is not reached, variables are what they were before it."""

    def keeps(self, x: int, s: w.Statement) -> bool:
        """Every variable."""
        return isinstance(s, w.Switch) or super().keeps(x, s)


class LoopsThatJumpKeep(KeepsBehindJumps):
    """Behind a loop that nothing leaves but `return`, variables are what they are at the end of its text."""

    def keeps(self, x: int, s: w.Statement) -> bool:
        """Every variable."""
        return isinstance(s, w.Loop | w.While | w.For) or super().keeps(x, s)

    def behind_loop(self, s: Iteration, b1: int, end: VariableMap, before: VariableMap) -> VariableMap:
        """That of the end."""
        return super().behind_loop(s, b1, end, end)


class IfsThatJumpKeep(KeepsBehindJumps, PointerLets):
    """Behind an `if` of which no branch reaches its end, those variables are as before that neither branch stores to.

    The others depend on nothing. A branch stores to what is stored in it, but not in a block that is left by a jump; a
    loop in it, and a `switch` whose end is reached, store to every variable.
    """

    def keeps(self, x: int, s: w.Statement) -> bool:
        """If it is not stored to."""
        if not isinstance(s, w.If):
            return super().keeps(x, s)
        stored = {*self.stored_in_branch(s.then), *self.stored_in_else(s.orelse)}
        return x not in stored and None not in stored

    def stored_in_branch(self, s: w.Block) -> Iterator[int | None]:
        """What a list of statements stores to, by `id`; None stands for every variable."""
        for statement in s.statements:
            yield from self.stored(statement)
            if not NEXT & self.behaviour(statement):
                return

    def stored_in_else(self, s: w.Block | w.If | None) -> Iterable[int | None]:
        """What an `else` stores to."""
        return () if s is None else self.stored(s)

    def stored(self, s: w.Statement) -> Iterator[int | None]:
        """What a statement stores to, for what stands behind it."""
        match s:
            case w.Block():
                yield from self.stored_in_branch(s) if NEXT & self.behaviour(s) else ()
            case w.If():
                yield from self.given(s.condition)
                yield from self.stored_in_branch(s.then)
                yield from self.stored_in_else(s.orelse)
            case w.Switch():
                yield from self.given(s.selector)
                yield from (None,) if NEXT & self.behaviour(s) else ()
            case w.For(initial=w.Let(value=value)) if self.resolution.is_pointer(value):
                return
            case w.Loop() | w.While() | w.For():
                yield None
            case w.Let(value=value) | w.Phony(value=value) if self.resolution.is_pointer(value):
                return
            case _:
                yield from self.given(s)
                if isinstance(s, w.Assign | w.Increment):
                    yield id(self.resolution.root(s.left))
                elif isinstance(s, w.Variable):
                    yield id(s)

    def given(self, syntax: w.Node) -> Iterator[int]:
        """The variables to which calls in an expression or a statement are given pointers."""
        for e in descendants(syntax):
            if isinstance(e, w.Call) and self.resolution.function(e) is not None:
                yield from (id(self.resolution.root(a)) for a in e.arguments if self.resolution.is_pointer(a))
            elif isinstance(e, w.Identifier) and (seen := self.initialiser(e)) is not None:
                yield from self.given(seen)


class _EndOfText(ScopeAnalysis):
    """Code is analysed behind a jump, so the variables at the jump must not change with those behind it."""

    def at_continuing(self, s: Iteration, b1: int) -> VariableMap:
        """A map of its own."""
        return copy(super().at_continuing(s, b1))


class JoinsAtEndOfLoop(_EndOfText):
    """An iteration begins with what the end of the loop's text leaves, whether that is reached or not."""

    def flows_back(self, b1: int) -> bool:
        """Always."""
        return True

    def flows_to_continuing(self, b1: int) -> bool:
        """Always."""
        return True


class ContinueJumpsToHead(_EndOfText):
    """What variables hold at a `continue` flows to the head of the loop, and not to its `continuing`."""

    def jumps_to_continuing(self) -> list[VariableMap]:
        """None."""
        return []

    def back_edges(self, b1: int, head: Node, heads: VariableMap, cf2: Node) -> None:
        """And from each `continue`."""
        super().back_edges(b1, head, heads, cf2)
        for M in self.continues[-1]:
            for x, node in heads.items():
                self.graph.add_edge(node, M[x])


class UpdatesAlwaysAnalysed(_EndOfText):
    """The update of a `for` is analysed, reached or not."""

    def analyses_continuing(self, s: Iteration, b1: int) -> bool:
        """Always."""
        return isinstance(s, w.For) or super().analyses_continuing(s, b1)


class EndsOfFunctionsJoin(ScopeAnalysis):
    """What pointers lead to at the end of a function's text flows to the caller, whether that is reached or not."""

    def ends(self, f: w.Function) -> bool:
        """Always."""
        return True


ROWS = (
    departure("1.7", STRICTER, UpdatesAlwaysAnalysed, "analyses the update of every `for`"),
    departure(
        "2.5", STRICTER, JoinsAtEndOfLoop, "joins variables at the end of a loop's text, whether it is reached or not"
    ),
    departure(
        "2.6",
        EITHER,
        ContinueJumpsToHead,
        "hands the variables at a `continue` to the head of the loop and not to its continuing",
    ),
    departure(
        "2.7",
        EITHER,
        BlocksThatJumpKeep,
        "keeps variables behind a block whose end is not reached",
        "joins-at-end-of-loop",
    ),
    departure(
        "2.7",
        EITHER,
        IfsThatJumpKeep,
        "keeps variables behind an `if` whose branches all jump, if neither stores to them",
        "joins-at-end-of-loop",
    ),
    departure(
        "2.7",
        EITHER,
        SwitchesThatJumpKeep,
        "keeps variables behind a `switch` whose clauses all jump",
        "joins-at-end-of-loop",
    ),
    departure(
        "2.7", EITHER, LoopsThatJumpKeep, "keeps variables behind a loop that no break leaves", "joins-at-end-of-loop"
    ),
    departure(
        "2.8",
        STRICTER,
        EndsOfFunctionsJoin,
        "takes the end of a function's text to be reached",
        "switches-that-jump-keep",
    ),
)
