"""Statement behaviour analysis: the function B of the paper's Fig. 8 (WGSL, "Behaviors").

It belongs to the language, because WGSL refuses a shader for its behaviours alone (a loop that cannot be left);
`oracle.rules.behaviour` ties it to a rule set. A set of behaviours is an `int` of four bits, because sets of an
enumeration would cost more than the rest of the analysis; `NEXT & b` reads "Next ∈ B".
"""

from tinywgsl.ast import Assign, Barrier, Block, Break, Call, Continue, If, Loop, Return, SharedAssign, Stmt

Behaviours = int

NEXT: Behaviours = 1
BREAK: Behaviours = 2
CONTINUE: Behaviours = 4
RETURN: Behaviours = 8

_NAMES = {NEXT: "Next", BREAK: "Break", CONTINUE: "Continue", RETURN: "Return"}


def spell(b: Behaviours) -> str:
    """`{Break, Next}`: a set of behaviours in the paper's words."""
    return "{" + ", ".join(sorted(name for bit, name in _NAMES.items() if bit & b)) + "}"


_OF_SIMPLE: dict[type, Behaviours] = {
    Assign: NEXT,
    SharedAssign: NEXT,
    Call: NEXT,
    Barrier: NEXT,
    Break: BREAK,
    Continue: CONTINUE,
    Return: RETURN,
}
"""B of the statements without blocks, by class: a chain of tests would cost more than the rest of B."""


class BehaviourAnalysis:
    """B, remembered for each statement and block object: they must stay alive as long as this does."""

    def __init__(self, *, return_only_loop: bool = True, to_the_letter: bool = False) -> None:
        self.return_only_loop = return_only_loop  # the change of Fig. 10b
        self.to_the_letter = to_the_letter  # "Break ∉ B1", as printed
        self._known: dict[int, Behaviours] = {}

    def block(self, ss: Block) -> Behaviours:
        """B of a statement list: B([]) = {Next}; B(s : ss) goes on only if Next ∈ B(s). Fig. 8, first two rules."""
        known = self._known.get(id(ss))
        if known is not None:
            return known
        b = NEXT
        for s in ss:
            b = (b & ~NEXT) | self.statement(s)
            if not NEXT & b:
                break
        self._known[id(ss)] = b
        return b

    def statement(self, s: Stmt) -> Behaviours:
        """B of one statement. Fig. 8, the rules from `x = e` on."""
        b = _OF_SIMPLE.get(s.__class__)
        if b is not None:
            return b
        if isinstance(s, If):
            return self.block(s.then) | self.block(s.orelse)
        assert isinstance(s, Loop), "the only statement left"
        return self.loop(s)

    def loop(self, s: Loop) -> Behaviours:
        """B of a loop. Fig. 8, last rule, three cases."""
        b1 = self.block(s.body)
        if b1 == RETURN and self.return_only_loop:
            return RETURN
        union = b1 | self.block(s.continuing)
        # Fig. 8 prints "Break ∉ B1"; WGSL has the union, else code after a `break if` were dead
        # (docs/paper-notes.md, note 1).
        leaves = b1 if self.to_the_letter else union
        if not BREAK & leaves:
            return union & ~(CONTINUE | NEXT)
        return (union | NEXT) & ~(BREAK | CONTINUE)
