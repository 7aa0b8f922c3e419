"""Fuzzed litmus tests: transformations that keep what a test asks, valid by construction (section 5.2).

Control flow is put before the first access to memory or subgroup operation of a body, after the last one, and around
the whole body, never between: under SCF an `if` between two accesses synchronizes, so that would be another test.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from wgsl_fuzz.oracle.simt_step.litmus import Litmus
from wgsl_fuzz.oracle.simt_step.shader import Address, Atomic, Load, Local, SGOp, Store
from wgsl_fuzz.oracle.simt_step.structured import Body, Break, Continue, If, Loop, Stmt

SCRATCH = "scratch"
"""An array of which each thread uses its own slot only."""
MOST = 6
"""Transformations of one variant, at most."""


def variant(litmus: Litmus, seed: int) -> Litmus:
    """The variant of a test with this number; the same number gives the same variant."""
    drawing = _Drawing(Random(f"{litmus.name} {seed}"))
    body = litmus.body
    for _ in range(drawing.random.randint(2, MOST)):
        body = drawing.random.choice(drawing.transformations)(body)
    return replace(litmus, name=f"{litmus.name}-{seed}", body=body, scratch=SCRATCH)


class _Drawing:
    """The transformations, each from a body to one that does the same, with registers of its own."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self._registers = 0
        self.transformations: tuple[Callable[[Body], Body], ...] = (
            self.local,
            self.local,
            self.own_slot,
            self.through_a_register,
            self.control_beside,
            self.control_around,
            self.inside,
        )

    def fresh(self) -> str:
        """A register that nothing else uses; 0 until it is assigned."""
        self._registers += 1
        return f"k{self._registers}"

    def local(self, body: Body) -> Body:
        """A local instruction somewhere."""
        return _inserted(body, self.random.randint(0, len(body)), (self._junk(),))

    def own_slot(self, body: Body) -> Body:
        """An access to the thread's own slot of another array somewhere."""
        r, a = self.fresh(), Address(SCRATCH, "tid")
        access = self.random.choice((Store(a, self._operand()), Load(r, a), Atomic(r, "add", a, 1)))
        return _inserted(body, self.random.randint(0, len(body)), (access,))

    def through_a_register(self, body: Body) -> Body:
        """The value of a store is computed first."""
        stores = [(place, s) for place, s in enumerate(body) if isinstance(s, Store)]
        if not stores:
            return body
        place, s = self.random.choice(stores)
        r, zero = self.fresh(), self.fresh()
        computed = (Local(r, "+", (s.value, zero)), replace(s, value=r))
        return (*body[:place], *computed, *body[place + 1 :])

    def control_beside(self, body: Body) -> Body:
        """Control flow before the first access or after the last one."""
        accesses = [place for place, s in enumerate(body) if not isinstance(s, Local)]
        first, last = (accesses[0], accesses[-1] + 1) if accesses else (len(body), len(body))
        places = [*range(first + 1), *range(last, len(body) + 1)]
        return _inserted(body, self.random.choice(places), self._control((self._junk(),)))

    def control_around(self, body: Body) -> Body:
        """The whole body where it is executed once."""
        if any(isinstance(s, Break | Continue) for s in body):
            return body
        return self._once(body)

    def inside(self, body: Body) -> Body:
        """Some transformation in each arm of a selection."""
        places = [place for place, s in enumerate(body) if isinstance(s, If)]
        if not places:
            return self.local(body)
        place = self.random.choice(places)
        s = body[place]
        assert isinstance(s, If), "so it was chosen"
        then = self.random.choice(self.transformations)(s.then)
        orelse = self.random.choice(self.transformations)(s.orelse) if s.orelse else ()
        return (*body[:place], If(s.c, then, orelse), *body[place + 1 :])

    def _control(self, body: Body) -> Body:
        """Control flow that executes a body of no consequence, or none."""
        dead: Body = (SGOp(self.fresh(), "add", 1), Store(Address("g", "tid"), 7))
        match self.random.randrange(4):
            case 0:
                return (If(self.fresh(), (*dead, *body)),)
            case 1:
                return (If("lane", body, (self._junk(),)),)
            case 2:
                return self._loop((*body, If(self.fresh(), (*dead, self.random.choice((Break(), Continue()))))))
            case _:
                return self._once(body)

    def _once(self, body: Body) -> Body:
        """A body that is executed once: in a loop, or in a selection."""
        if self.random.randrange(2):
            return self._loop(body)
        c = self.fresh()
        return Local(c, "==", (self.fresh(), 0)), If(c, body, (self._junk(),))

    def _loop(self, body: Body) -> Body:
        c = self.fresh()
        return (Loop(body, (Local(c, "+", (c, 1)),), c),)

    def _junk(self) -> Stmt:
        op = self.random.choice(("+", "*", "==", "<", "and", "or"))
        return Local(self.fresh(), op, (self._operand(), self._operand()))

    def _operand(self) -> str | int:
        return self.random.choice(("tid", "lane", "sg", 0, 1, 2))


def _inserted(body: Body, place: int, more: Body) -> Body:
    return (*body[:place], *more, *body[place:])
