"""Barriers, `workgroupUniformLoad` and atomics."""

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules.expressions import ExpressionLowering
from wgsl_fuzz.oracle.dynamics.modules.places import Memory, Place, Value, array_name, loaded, shared_index
from wgsl_fuzz.oracle.dynamics.modules.problems import CannotRun
from wgsl_fuzz.oracle.dynamics.modules.types import BOOL, Atomic, Structure
from wgsl_fuzz.oracle.dynamics.modules.variables import fitted
from wgsl_fuzz.oracle.dynamics.states import AtomicUpdate, SubgroupBarrier
from wgsl_fuzz.tinywgsl.ast import Assign, Barrier, Break, Continue, Expr, If, Literal, Loop, SharedRead, Type
from wgsl_fuzz.wgsl.syntax import Call

BARRIERS = frozenset({"workgroupBarrier", "storageBarrier", "textureBarrier"})
BARRIER = "barrier"
_UNIFORM_LOAD = "`workgroupUniformLoad`"


class SynchronizationLowering:
    """Lowers what threads meet at."""

    def __init__(self, expressions: ExpressionLowering) -> None:
        self.expressions = expressions
        self.out = expressions.out
        self.variables = expressions.variables

    def barrier(self, meeting: str = BARRIER, subgroup: int = 0) -> int:
        """A barrier of all threads, or of subgroups of a size; returns its ID. `meeting` is what people call it."""
        barrier = self._barrier(meeting, subgroup)
        self.out.put(barrier)
        return barrier.id

    def _barrier(self, meeting: str, subgroup: int) -> Barrier:
        id = self.out.new_id()
        self.out.meetings[id] = meeting
        return SubgroupBarrier(id, subgroup) if subgroup else Barrier(id)

    def uniform_barrier(self, value: Expr, meeting: str, subgroup: int = 0) -> None:
        """A barrier that threads pass only with the same value: in the round of a loop that has its number."""
        if isinstance(value, Literal):
            self.barrier(meeting, subgroup)
            return
        value = self.out.named_cell(value)
        rounds = self.out.local(self.out.name("round"), Type.U32, mutable=True)
        self.out.put(Assign(rounds.name, ops.u32(0)))
        loop = self.out.new_id()
        here = (self._barrier(meeting, subgroup), Break())
        body = (If(ops.binary("==", rounds, value), here, ()), Continue(self.out.new_id()))
        self.out.put(Loop(loop, body, (Assign(rounds.name, ops.binary("+", rounds, ops.u32(1))),)))

    def uniform_load(self, e: Call) -> Value:
        """`workgroupUniformLoad(p)`: barrier, read, barrier; the pointer must be the same for all threads."""
        place = self.expressions.place(e.arguments[0])
        index = place.index
        if index is None or not place.choices or len(place.choices) > _MOST_ROUNDS:
            self.barrier(_UNIFORM_LOAD)
        else:
            index = self.out.named_cell(index)
            place = Place(place.root, place.type, place.offset, index, place.choices)
            self.uniform_barrier(index, _UNIFORM_LOAD)
        if isinstance(place.type, Atomic):
            place = Place(place.root, place.type.scalar, place.offset, place.index, place.choices)
        found = self.out.named(self.variables.read(place))
        self.barrier(_UNIFORM_LOAD)
        return found

    # --------------------------------------------------------------------------------------------------------- atomics

    def atomic(self, e: Call, name: str) -> Value | None:
        """`atomicAdd(p, v)` and its like."""
        place = self.expressions.place(e.arguments[0])
        if not isinstance(place.type, Atomic) or not isinstance(place.root, Memory):
            raise CannotRun("an atomic that is not in shared memory", e)
        scalar = place.type.scalar
        array = array_name(place.root, scalar)
        place = Place(place.root, scalar, place.offset, place.index, place.choices)
        mark = self.out.mark()
        values = self.expressions.values(e.arguments[1:])
        place = self.out.kept_place(place, mark)
        operands = [fitted(v, scalar).scalar for v in values]
        old = loaded(place).scalar
        if name == "atomicLoad":
            return self.out.named(Value(scalar, (old,)))
        if name == "atomicStore":
            self.variables.assign(place, Value(scalar, (operands[0],)))
            return None
        new = _updated(name, old, operands)
        taker = self.out.temporary(scalar.core)
        update = AtomicUpdate(array, shared_index(place, 0), new, taker.name)
        self.variables.guarded(self.variables.guard(), [update])
        if name != "atomicCompareExchangeWeak":
            return Value(scalar, (taker,))
        result = Structure("exchanged", (("old_value", scalar), ("exchanged", BOOL)))
        compared = self.out.named_cell(operands[0])
        return Value(result, (taker, ops.binary("==", taker, compared)))


_MOST_ROUNDS = 64
_OPERATORS = {
    "atomicAdd": "+",
    "atomicSub": "-",
    "atomicMax": "max",
    "atomicMin": "min",
    "atomicAnd": "&",
    "atomicOr": "|",
    "atomicXor": "^",
}


def _updated(name: str, old: Expr, operands: list[Expr]) -> Expr:
    """The value that an atomic function writes."""
    if name == "atomicExchange":
        return operands[0]
    if name == "atomicCompareExchangeWeak":
        return ops.chosen(ops.binary("==", old, operands[0]), operands[1], old)
    assert isinstance(old, SharedRead)
    return ops.binary(_OPERATORS[name], old, operands[0])
