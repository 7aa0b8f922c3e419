"""Broken variants of behaviours (9.7): each rule, and each bit of it."""

from collections.abc import Iterable, Iterator

from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import EITHER, LAXER, broken
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import BREAK, CONTINUE, NEXT, RETURN, BehaviourAnalysis, Behaviours, spell

B = BehaviourAnalysis


def _simple(kind: type, is_: Behaviours, other: Behaviours, effect: Effect, equivalent: str = "") -> Variant:
    """Another set for one kind of statement without blocks."""
    word = kind.__name__.lower()
    what = "-or-".join(name.strip().lower() for name in spell(other)[1:-1].split(",")) or "nothing"
    return broken(f"B/{word}/{what}", f"B({word}) = {spell(is_)}", effect, equivalent=equivalent).by(
        B.behaviour, lambda: other, of=kind
    )


def _simples() -> Iterator[Variant]:
    for kind in (
        w.Empty,
        w.Variable,
        w.Let,
        w.Const,
        w.Assign,
        w.Increment,
        w.Phony,
        w.CallStatement,
        w.Discard,
        w.ConstAssert,
    ):
        yield _simple(kind, NEXT, NEXT | RETURN, EITHER)
        yield _simple(kind, NEXT, RETURN, EITHER)
    yield _simple(w.Return, RETURN, NEXT, EITHER)
    yield _simple(w.Return, RETURN, NEXT | RETURN, EITHER)
    yield _simple(w.Break, BREAK, NEXT, EITHER)
    yield _simple(w.Break, BREAK, NEXT | BREAK, EITHER)
    yield _simple(w.Continue, CONTINUE, NEXT, EITHER)
    yield _simple(w.Continue, CONTINUE, NEXT | CONTINUE, EITHER)
    yield _simple(w.BreakIf, NEXT | BREAK, NEXT, EITHER)
    yield _simple(w.BreakIf, NEXT | BREAK, BREAK, EITHER, "It is the last statement, and a loop with Break gets Next.")


BEHAVIOUR_VARIANTS: tuple[Variant, ...] = (
    *_simples(),
    broken("B/list/keeps-next", "(B1 \\ Next) u B2", EITHER).by(
        B.sequence, lambda result, s: result | (NEXT if s.statements else 0)
    ),
    broken("B/list/with-dead-code", "B1 if Next is not in it", EITHER).by(
        B.sequence, lambda result, self, s: result | _union(self, s.statements)
    ),
    broken("B/list/first-only", "(B1 \\ Next) u B2", EITHER).by(
        B.sequence, lambda self, s: self.behaviour(s.statements[0]), where=lambda s: s.statements
    ),
    broken("B/list/last-only", "(B1 \\ Next) u B2", EITHER).by(
        B.sequence, lambda self, s: self.behaviour(s.statements[-1]), where=lambda s: s.statements
    ),
    broken("B/if/then-only", "B1 u B2", EITHER).by(B.conditional, lambda self, s: self.behaviour(s.then)),
    broken("B/if/else-only", "B1 u B2", EITHER).by(
        B.conditional, lambda self, s: NEXT if s.orelse is None else self.behaviour(s.orelse)
    ),
    broken("B/if/no-else-never-next", "no else = else {}", EITHER).by(
        B.conditional, lambda self, s: self.behaviour(s.then), where=lambda s: s.orelse is None
    ),
    broken("B/if/else-if-may-be-missing", "else-if nests", EITHER).by(
        B.conditional, lambda result, s: result | (NEXT if isinstance(s.orelse, w.If) else 0)
    ),
    broken("B/if/else-may-be-missing", "B1 u B2", EITHER).by(B.conditional, lambda result: result | NEXT),
    broken("B/switch/first-only", "union", EITHER).by(
        B.switch, lambda self, s: _leaving(self.behaviour(s.clauses[0].body))
    ),
    broken("B/switch/last-only", "union", EITHER).by(
        B.switch, lambda self, s: _leaving(self.behaviour(s.clauses[-1].body))
    ),
    broken("B/switch/break-is-not-next", "if Break in it: u Next", EITHER).by(
        B.switch, lambda self, s: _union(self, (c.body for c in s.clauses)) & ~BREAK
    ),
    broken("B/switch/break-stays", "if Break in it: \\ Break", EITHER).by(
        B.switch, lambda result, self, s: result | _union(self, (c.body for c in s.clauses)) & BREAK
    ),
    broken("B/switch/always-next", "union", EITHER).by(B.switch, lambda result: result | NEXT),
    broken("B/loop/without-continuing", "B2 of the continuing", EITHER).by(
        B.loop, lambda self, s: self.of_loop(self.behaviour(s.body), NEXT)
    ),
    broken(
        "B/loop/any-continuing",
        "B2 must not contain Continue, Return",
        EITHER,
        equivalent="Names are resolved before: no jump leaves a continuing but a break if.",
    ).by(B.continuing, lambda self, s: self.behaviour(s)),
    broken("B/loop/never-only-returns", "B1 = {Return}: {Return}", EITHER).by(B.only_returns, lambda: False),
    broken("B/loop/returns-if-it-may", "B1 = {Return}: {Return}", EITHER).by(
        B.only_returns, lambda b1: bool(b1 & RETURN)
    ),
    broken("B/loop/break-of-body-only", "Break in B1 u B2", EITHER).by(
        B.of_loop, where=lambda b1: not b1 & BREAK, b2=lambda b2: b2 & ~BREAK
    ),
    broken("B/loop/break-of-continuing-only", "Break in B1 u B2", EITHER).by(
        B.of_loop, where=lambda b1: b1 != BREAK, b1=lambda b1: b1 & ~BREAK
    ),
    broken("B/loop/break-is-not-next", "Break in B1 u B2: u Next", EITHER).by(
        B.of_loop, lambda result: result & ~NEXT, where=lambda b1, b2: (b1 | b2) & BREAK and b1 & RETURN
    ),
    broken("B/loop/always-next", "without Break: (B1 u B2) \\ {Continue, Next}", EITHER).by(
        B.of_loop, lambda result: result | NEXT
    ),
    broken("B/loop/break-stays", "\\ {Break, Continue}", EITHER).by(
        B.of_loop, lambda result, b1, b2: result | (b1 | b2) & BREAK
    ),
    broken("B/loop/continue-stays", "\\ {Break, Continue}", EITHER).by(
        B.of_loop, lambda result, b1: result | b1 & CONTINUE
    ),
    broken("B/loop/returns-forgotten", "(B1 u B2 u Next) \\ {Break, Continue}", EITHER).by(
        B.of_loop, lambda result: result & ~RETURN, where=lambda b1, b2: (b1 | b2) & BREAK
    ),
    broken("B/while/condition-never-breaks", "while c b = loop { if !c {break;} b }", EITHER).by(
        B.while_loop, lambda self, s: self.of_loop(self.behaviour(s.body), NEXT)
    ),
    broken("B/for/condition-never-breaks", "for with a condition: if !c {break;}", EITHER).by(
        B.for_loop, lambda self, s: self.of_loop(self.behaviour(s.body), NEXT)
    ),
    broken("B/for/always-breaks", "for without a condition gets no if", EITHER).by(
        B.for_loop, lambda self, s: self.of_loop(self.behind_condition(self.behaviour(s.body)), NEXT)
    ),
    broken("B/function/any-result", "with a return type exactly {Return}; body within {Next, Return}", LAXER).by(
        B.check, lambda self, function: _valid(self.behaviour(function.body))
    ),
)


def _union(self: BehaviourAnalysis, statements: Iterable[w.Statement]) -> Behaviours:
    b = 0
    for s in statements:
        b |= self.behaviour(s)
    return b


def _leaving(b: Behaviours) -> Behaviours:
    return (b | NEXT) & ~BREAK if b & BREAK else b


def _valid(b: Behaviours) -> None:
    """Any set is."""
