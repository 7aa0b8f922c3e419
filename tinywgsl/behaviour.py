"""Statement behaviour analysis: the function B of the paper's Fig. 8 (WGSL, "Behaviors").

It belongs to the language, because WGSL refuses a shader for its behaviours alone (a loop that cannot be left);
`tests/quality/paper_mutants` has variants of it. A set of behaviours is an `int` of four bits, because sets of an
enumeration would cost more than the rest of the analysis; `NEXT & b` reads "Next ∈ B".
"""

from wgsl_fuzz.tinywgsl.ast import Assign, Barrier, Block, Break, Call, Continue, If, Loop, Return, SharedAssign, Stmt

Behaviours = int

NEXT: Behaviours = 1
BREAK: Behaviours = 2
CONTINUE: Behaviours = 4
RETURN: Behaviours = 8

_NAMES = {NEXT: "Next", BREAK: "Break", CONTINUE: "Continue", RETURN: "Return"}


def spell(b: Behaviours) -> str:
    """`{Break, Next}`: a set of behaviours in the paper's words."""
    return "{" + ", ".join(sorted(name for bit, name in _NAMES.items() if bit & b)) + "}"


OF_SIMPLE: dict[type, Behaviours] = {
    Assign: NEXT,
    SharedAssign: NEXT,
    Call: NEXT,
    Barrier: NEXT,
    Break: BREAK,
    Continue: CONTINUE,
    Return: RETURN,
}
"""B of the statements without blocks, by class: a chain of tests would cost more than the rest of B."""


class CoreBehaviourAnalysis:
    """B, remembered for each block object: they must stay alive as long as this does. A subclass may replace a rule."""

    def __init__(self) -> None:
        self._known: dict[int, Behaviours] = {}

    def block(self, ss: Block) -> Behaviours:
        """B of a statement list."""
        known = self._known.get(id(ss))
        if known is None:
            known = self._known[id(ss)] = self.sequence(ss)
        return known

    def sequence(self, ss: Block) -> Behaviours:
        """B([]) = {Next}; B(s : ss) goes on only if Next ∈ B(s). Fig. 8, first two rules."""
        b = NEXT
        for s in ss:
            b = (b & ~NEXT) | self.statement(s)
            if not NEXT & b:
                break
        return b

    def statement(self, s: Stmt) -> Behaviours:
        """B of one statement. Fig. 8, the rules from `x = e` on; it has none for `x[e1] = e2`, which is as `x = e`."""
        b = OF_SIMPLE.get(s.__class__)
        if b is not None:
            return b
        assert isinstance(s, (If, Loop)), "the only statements left"
        return self.conditional(s) if isinstance(s, If) else self.loop(s)

    def conditional(self, s: If) -> Behaviours:
        """B of an `if`."""
        return self.block(s.then) | self.block(s.orelse)

    def loop(self, s: Loop) -> Behaviours:
        """B of a loop. Fig. 8, last rule, three cases."""
        b1 = self.block(s.body)
        if self.only_returns(b1):
            return RETURN
        b2 = self.block(s.continuing)
        if self.breaks(b1, b2):
            return self.left_loop(b1 | b2)
        return self.endless_loop(b1 | b2)

    def only_returns(self, b1: Behaviours) -> bool:
        """The first case, the change of Fig. 10b: B1 = {Return}."""
        return b1 == RETURN

    def breaks(self, b1: Behaviours, b2: Behaviours) -> bool:
        """Whether a break can leave the loop, the third case: Break ∈ B1 ∪ B2.

        Fig. 8 prints "{Break} ∉ B1"; the WGSL text has the union, or code after a `break if` were dead
        (docs/paper-notes.md, note 1).
        """
        return bool(BREAK & (b1 | b2))

    def endless_loop(self, union: Behaviours) -> Behaviours:
        """The second case: nothing leaves the loop but a return. `union` is B1 ∪ B2."""
        return union & ~(CONTINUE | NEXT)

    def left_loop(self, union: Behaviours) -> Behaviours:
        """The third case: a break goes on behind the loop. `union` is B1 ∪ B2."""
        return (union | NEXT) & ~(BREAK | CONTINUE)


class UnionBehaviourAnalysis(CoreBehaviourAnalysis):
    """B without the change of Fig. 10b (gpuweb issue 5100): a loop's behaviour always comes from B1 ∪ B2."""

    def only_returns(self, b1: Behaviours) -> bool:  # noqa: ARG002
        """Never."""
        return False
