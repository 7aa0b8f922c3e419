"""Broken variants of behaviours (9.7): each rule, and each bit of it."""

from collections.abc import Iterable, Iterator

from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.variants.broken import rows
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import BREAK, CONTINUE, NEXT, RETURN, BehaviourAnalysis, Behaviours, spell

B = BehaviourAnalysis


def _simple(kind: type, is_: Behaviours, other: Behaviours, effect: Effect, equivalent: str = "") -> Variant:
    """Another set for one kind of statement without blocks."""
    word = kind.__name__.lower()
    what = "-or-".join(name.strip().lower() for name in spell(other)[1:-1].split(",")) or "nothing"
    return rows.changed_behaviours(
        f"B/{word}/{what}",
        f"B({word}) = {spell(is_)}",
        effect,
        B.behaviour,
        lambda behaviour, self, s: other if isinstance(s, kind) else behaviour(s),
        equivalent=equivalent,
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
        yield _simple(kind, NEXT, NEXT | RETURN, rows.EITHER)
        yield _simple(kind, NEXT, RETURN, rows.EITHER)
    yield _simple(w.Return, RETURN, NEXT, rows.EITHER)
    yield _simple(w.Return, RETURN, NEXT | RETURN, rows.EITHER)
    yield _simple(w.Break, BREAK, NEXT, rows.EITHER)
    yield _simple(w.Break, BREAK, NEXT | BREAK, rows.EITHER)
    yield _simple(w.Continue, CONTINUE, NEXT, rows.EITHER)
    yield _simple(w.Continue, CONTINUE, NEXT | CONTINUE, rows.EITHER)
    yield _simple(w.BreakIf, NEXT | BREAK, NEXT, rows.EITHER)
    yield _simple(
        w.BreakIf, NEXT | BREAK, BREAK, rows.EITHER, "It is the last statement, and a loop with Break gets Next."
    )


BEHAVIOUR_VARIANTS: tuple[Variant, ...] = (
    *_simples(),
    rows.changed_behaviours(
        "B/list/keeps-next",
        "(B1 \\ Next) u B2",
        rows.EITHER,
        B.sequence,
        lambda sequence, self, s: sequence(s) | (NEXT if s.statements else 0),
    ),
    rows.changed_behaviours(
        "B/list/with-dead-code",
        "B1 if Next is not in it",
        rows.EITHER,
        B.sequence,
        lambda sequence, self, s: sequence(s) | _union(self, s.statements),
    ),
    rows.changed_behaviours(
        "B/list/first-only",
        "(B1 \\ Next) u B2",
        rows.EITHER,
        B.sequence,
        lambda sequence, self, s: self.behaviour(s.statements[0]) if s.statements else sequence(s),
    ),
    rows.changed_behaviours(
        "B/list/last-only",
        "(B1 \\ Next) u B2",
        rows.EITHER,
        B.sequence,
        lambda sequence, self, s: self.behaviour(s.statements[-1]) if s.statements else sequence(s),
    ),
    rows.changed_behaviours(
        "B/if/then-only",
        "B1 u B2",
        rows.EITHER,
        B.conditional,
        lambda conditional, self, s: self.behaviour(s.then),
    ),
    rows.changed_behaviours(
        "B/if/else-only",
        "B1 u B2",
        rows.EITHER,
        B.conditional,
        lambda conditional, self, s: NEXT if s.orelse is None else self.behaviour(s.orelse),
    ),
    rows.changed_behaviours(
        "B/if/no-else-never-next",
        "no else = else {}",
        rows.EITHER,
        B.conditional,
        lambda conditional, self, s: conditional(s) if s.orelse is not None else self.behaviour(s.then),
    ),
    rows.changed_behaviours(
        "B/if/else-if-may-be-missing",
        "else-if nests",
        rows.EITHER,
        B.conditional,
        lambda conditional, self, s: conditional(s) | (NEXT if isinstance(s.orelse, w.If) else 0),
    ),
    rows.changed_behaviours(
        "B/if/else-may-be-missing",
        "B1 u B2",
        rows.EITHER,
        B.conditional,
        lambda conditional, self, s: conditional(s) | NEXT,
    ),
    rows.changed_behaviours(
        "B/switch/first-only",
        "union",
        rows.EITHER,
        B.switch,
        lambda switch, self, s: _leaving(self.behaviour(s.clauses[0].body)),
    ),
    rows.changed_behaviours(
        "B/switch/last-only",
        "union",
        rows.EITHER,
        B.switch,
        lambda switch, self, s: _leaving(self.behaviour(s.clauses[-1].body)),
    ),
    rows.changed_behaviours(
        "B/switch/break-is-not-next",
        "if Break in it: u Next",
        rows.EITHER,
        B.switch,
        lambda switch, self, s: _union(self, (c.body for c in s.clauses)) & ~BREAK,
    ),
    rows.changed_behaviours(
        "B/switch/break-stays",
        "if Break in it: \\ Break",
        rows.EITHER,
        B.switch,
        lambda switch, self, s: switch(s) | (_union(self, (c.body for c in s.clauses)) & BREAK),
    ),
    rows.changed_behaviours(
        "B/switch/always-next",
        "union",
        rows.EITHER,
        B.switch,
        lambda switch, self, s: switch(s) | NEXT,
    ),
    rows.changed_behaviours(
        "B/loop/without-continuing",
        "B2 of the continuing",
        rows.EITHER,
        B.loop,
        lambda loop, self, s: self.of_loop(self.behaviour(s.body), NEXT),
    ),
    rows.changed_behaviours(
        "B/loop/any-continuing",
        "B2 must not contain Continue, Return",
        rows.EITHER,
        B.continuing,
        lambda continuing, self, s: self.behaviour(s),
        equivalent="Names are resolved before: no jump leaves a continuing but a break if.",
    ),
    rows.changed_behaviours(
        "B/loop/never-only-returns",
        "B1 = {Return}: {Return}",
        rows.EITHER,
        B.only_returns,
        lambda only_returns, self, b1: False,
    ),
    rows.changed_behaviours(
        "B/loop/returns-if-it-may",
        "B1 = {Return}: {Return}",
        rows.EITHER,
        B.only_returns,
        lambda only_returns, self, b1: bool(b1 & RETURN),
    ),
    rows.changed_behaviours(
        "B/loop/break-of-body-only",
        "Break in B1 u B2",
        rows.EITHER,
        B.of_loop,
        lambda of_loop, self, b1, b2: of_loop(b1, b2) if b1 & BREAK else of_loop(b1, b2 & ~BREAK),
    ),
    rows.changed_behaviours(
        "B/loop/break-of-continuing-only",
        "Break in B1 u B2",
        rows.EITHER,
        B.of_loop,
        lambda of_loop, self, b1, b2: of_loop(b1 & ~BREAK, b2) if b1 != BREAK else of_loop(b1, b2),
    ),
    rows.changed_behaviours(
        "B/loop/break-is-not-next",
        "Break in B1 u B2: u Next",
        rows.EITHER,
        B.of_loop,
        lambda of_loop, self, b1, b2: of_loop(b1, b2) & ~NEXT if (b1 | b2) & BREAK and b1 & RETURN else of_loop(b1, b2),
    ),
    rows.changed_behaviours(
        "B/loop/always-next",
        "without Break: (B1 u B2) \\ {Continue, Next}",
        rows.EITHER,
        B.of_loop,
        lambda of_loop, self, b1, b2: of_loop(b1, b2) | NEXT,
    ),
    rows.changed_behaviours(
        "B/loop/break-stays",
        "\\ {Break, Continue}",
        rows.EITHER,
        B.of_loop,
        lambda of_loop, self, b1, b2: of_loop(b1, b2) | ((b1 | b2) & BREAK),
    ),
    rows.changed_behaviours(
        "B/loop/continue-stays",
        "\\ {Break, Continue}",
        rows.EITHER,
        B.of_loop,
        lambda of_loop, self, b1, b2: of_loop(b1, b2) | (b1 & CONTINUE),
    ),
    rows.changed_behaviours(
        "B/loop/returns-forgotten",
        "(B1 u B2 u Next) \\ {Break, Continue}",
        rows.EITHER,
        B.of_loop,
        lambda of_loop, self, b1, b2: of_loop(b1, b2) & ~RETURN if (b1 | b2) & BREAK else of_loop(b1, b2),
    ),
    rows.changed_behaviours(
        "B/while/condition-never-breaks",
        "while c b = loop { if !c {break;} b }",
        rows.EITHER,
        B.while_loop,
        lambda while_loop, self, s: self.of_loop(self.behaviour(s.body), NEXT),
    ),
    rows.changed_behaviours(
        "B/for/condition-never-breaks",
        "for with a condition: if !c {break;}",
        rows.EITHER,
        B.for_loop,
        lambda for_loop, self, s: self.of_loop(self.behaviour(s.body), NEXT),
    ),
    rows.changed_behaviours(
        "B/for/always-breaks",
        "for without a condition gets no if",
        rows.EITHER,
        B.for_loop,
        lambda for_loop, self, s: self.of_loop(self.behind_condition(self.behaviour(s.body)), NEXT),
    ),
    rows.changed_behaviours(
        "B/function/any-result",
        "with a return type exactly {Return}; body within {Next, Return}",
        rows.LAXER,
        B.check,
        lambda check, self, function: _valid(self.behaviour(function.body)),
    ),
)


def _union(analysis: BehaviourAnalysis, statements: Iterable[w.Statement]) -> Behaviours:
    b = 0
    for s in statements:
        b |= analysis.behaviour(s)
    return b


def _leaving(b: Behaviours) -> Behaviours:
    return (b | NEXT) & ~BREAK if b & BREAK else b


def _valid(b: Behaviours) -> None:
    """Any set is."""
