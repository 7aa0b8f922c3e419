"""The function B of Fig. 8 under every variant at once: for each behaviour, the set of variants under which it is in.

`oracle.rules.variants.behaviours` has the variants one by one, and says of each which rule it changes.
"""

from typing import NamedTuple

from wgsl_fuzz.oracle.rules.bitset.lanes import BUT, EVERY, ONLY, VariantSet
from wgsl_fuzz.tinywgsl.ast import Assign, Barrier, Block, Break, Call, Continue, If, Loop, Return, SharedAssign, Stmt


class BehaviourSets(NamedTuple):
    """B(s): under which variants Next, Break, Continue and Return are in it."""

    next: VariantSet
    break_: VariantSet
    continue_: VariantSet
    return_: VariantSet

    @property
    def goes_on(self) -> VariantSet:
        """Where B(s) = {Next}."""
        return self.next & ~(self.break_ | self.continue_ | self.return_)


SIMPLE: dict[type, BehaviourSets] = {
    Assign: BehaviourSets(BUT["B/assign/is-nothing"], 0, 0, 0),
    SharedAssign: BehaviourSets(BUT["B/shared-assign/is-nothing"], 0, 0, 0),
    Barrier: BehaviourSets(BUT["B/barrier/is-nothing"], 0, 0, 0),
    Call: BehaviourSets(BUT["B/call/is-nothing"], 0, 0, 0),
    Break: BehaviourSets(ONLY["B/break/is-next"], BUT["B/break/is-next"], 0, 0),
    Continue: BehaviourSets(ONLY["B/continue/is-next"], 0, BUT["B/continue/is-next"], 0),
    Return: BehaviourSets(ONLY["B/return/is-next"], 0, 0, BUT["B/return/is-next"]),
}


class LaneBehaviours:
    """B of every statement and block of a function, dead ones too, remembered by the identity of the node."""

    __slots__ = ("loops", "of")

    def __init__(self, body: Block) -> None:
        self.of: dict[int, BehaviourSets] = {}
        self.loops = 0
        """How many loops there are."""
        self.block(body)

    def block(self, ss: Block) -> BehaviourSets:
        """B of a statement list: the first two rules."""
        n, b, c, r = EVERY if ss else BUT["B/list/empty-is-nothing"], 0, 0, 0
        live = EVERY
        for i, s in enumerate(ss):
            n1, b1, c1, r1 = self.statement(s)
            kept = ~live | BUT["B/list/head-lost"]
            n = (n & (~live | ONLY["B/list/next-of-head-stays"])) | (n1 & live)
            b, c, r = (b & kept) | (b1 & live), (c & kept) | (c1 & live), (r & kept) | (r1 & live)
            live &= n1 | ONLY["B/list/dead-tail-counts"]
            if i == 0:
                live &= BUT["B/list/tail-lost"]
        found = self.of[id(ss)] = BehaviourSets(n, b, c, r)
        return found

    def statement(self, s: Stmt) -> BehaviourSets:
        """B of one statement."""
        if isinstance(s, If):
            found = self.of[id(s)] = self.conditional(s)
        elif isinstance(s, Loop):
            found = self.of[id(s)] = self.loop(s)
        else:
            found = SIMPLE[type(s)]
        return found

    def conditional(self, s: If) -> BehaviourSets:
        """B of an `if`."""
        then, orelse = BUT["B/if/then-lost"], BUT["B/if/else-lost"]
        one = BUT["B/if/both-branches-must"]
        branches = zip(self.block(s.then), self.block(s.orelse))
        return BehaviourSets(*[((b1 & then) | (b2 & orelse)) & (one | (b1 & b2)) for b1, b2 in branches])

    def loop(self, s: Loop) -> BehaviourSets:
        """B of a loop: the three cases of the last rule."""
        self.loops += 1
        b1, b2 = self.block(s.body), self.block(s.continuing)
        only_returns = b1.return_ & ~(b1.next | b1.break_ | b1.continue_) & BUT["10b"]
        only_returns |= b1.return_ & ONLY["B/loop/case-1-if-it-may-return"]
        body, continuing = BUT["B/loop/body-lost"], BUT["B/loop/continuing-lost"]
        n, b, c, r = [(in1 & body) | (in2 & continuing) for in1, in2 in zip(b1, b2)]
        breaks = b & BUT["B/loop/case-2-by-the-body-only"] & BUT["B/loop/case-2-by-the-continuing-only"]
        breaks |= b1.break_ & ONLY["B/loop/case-2-by-the-body-only"]
        breaks |= b2.break_ & ONLY["B/loop/case-2-by-the-continuing-only"]
        breaks = (breaks | ONLY["B/loop/case-2-never"]) & BUT["B/loop/case-2-always"]
        continue_stays = (breaks & ONLY["B/loop/case-3-continue-stays"]) | (
            ~breaks & ONLY["B/loop/case-2-continue-stays"]
        )
        return BehaviourSets(
            (breaks | (n & ONLY["B/loop/case-2-next-stays"])) & ~only_returns,
            b & (~breaks | ONLY["B/loop/case-3-break-stays"]) & ~only_returns,
            c & continue_stays & ~only_returns,
            r | only_returns,
        )
