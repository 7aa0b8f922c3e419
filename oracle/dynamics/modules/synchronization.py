"""What threads do together: barriers, `workgroupUniformLoad`, atomics, derivatives, operations of subgroups."""

from collections.abc import Callable

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules import types as t
from wgsl_fuzz.oracle.dynamics.modules.constructors import of_each
from wgsl_fuzz.oracle.dynamics.modules.expressions import ExpressionLowering
from wgsl_fuzz.oracle.dynamics.modules.numeric import pairwise, unknown
from wgsl_fuzz.oracle.dynamics.modules.places import Memory, MemoryRef, Value, array_name, loaded, shared_index, within
from wgsl_fuzz.oracle.dynamics.modules.variables import fitted
from wgsl_fuzz.oracle.dynamics.semantics import AtomicUpdate, SubgroupBarrier
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, Rule
from wgsl_fuzz.wgsl.diagnostics import Severity
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

    def _barrier(self, meeting: str, subgroup: int) -> core.Barrier:
        id = self.out.new_id()
        self.out.meetings[id] = meeting
        return SubgroupBarrier(id, subgroup) if subgroup else core.Barrier(id)

    def uniform_barrier(self, value: core.Expr, meeting: str, subgroup: int = 0) -> None:
        """A barrier that threads pass only with the same value: in the round of a loop that has its number."""
        if isinstance(value, core.Literal):
            self.barrier(meeting, subgroup)
            return
        value = self.out.named_cell(value)
        rounds = self.out.local(self.out.name("round"), core.Type.U32, mutable=True)
        self.out.put(core.Assign(rounds.name, ops.u32(0)))
        loop = self.out.new_id()
        here = (self._barrier(meeting, subgroup), core.Break())
        body = (core.If(ops.binary("==", rounds, value), here, ()), core.Continue(self.out.new_id()))
        self.out.put(core.Loop(loop, body, (core.Assign(rounds.name, ops.binary("+", rounds, ops.u32(1))),)))

    def uniform_load(self, e: Call) -> Value:
        """`workgroupUniformLoad(p)`: barrier, read, barrier; the pointer must be the same for all threads."""
        place = self.expressions.place(e.arguments[0])
        index = place.index
        if index is None or not place.choices or len(place.choices) > _MOST_ROUNDS:
            self.barrier(_UNIFORM_LOAD)
        else:
            index = self.out.named_cell(index)
            place = MemoryRef(place.root, place.type, place.offset, index, place.choices)
            self.uniform_barrier(index, _UNIFORM_LOAD)
        if isinstance(place.type, vt.Atomic):
            place = MemoryRef(place.root, place.type.element, place.offset, place.index, place.choices)
        found = self.out.named(self.variables.read(place))
        self.barrier(_UNIFORM_LOAD)
        return found

    # --------------------------------------------------------------------------------------------------------- atomics

    def atomic(self, e: Call, name: str) -> Value | None:
        """`atomicAdd(p, v)` and its like."""
        place = self.expressions.place(e.arguments[0])
        if not isinstance(place.type, vt.Atomic) or not isinstance(place.root, Memory):
            raise t.CannotRun("an atomic that is not in shared memory", e)
        scalar = place.type.element
        array = array_name(place.root, scalar)
        place = MemoryRef(place.root, scalar, place.offset, place.index, place.choices)
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
        result = vt.Structure("exchanged", (("old_value", scalar), ("exchanged", vt.BOOL)))
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


def _updated(name: str, old: core.Expr, operands: list[core.Expr]) -> core.Expr:
    """The value that an atomic function writes."""
    if name == "atomicExchange":
        return operands[0]
    if name == "atomicCompareExchangeWeak":
        return ops.chosen(ops.binary("==", old, operands[0]), operands[1], old)
    assert isinstance(old, core.SharedRead)
    return ops.binary(_OPERATORS[name], old, operands[0])


_FOLDS = {"Add": "+", "Mul": "*", "Min": "min", "Max": "max", "And": "&", "Or": "|", "Xor": "^"}
_SWAPS = {"quadSwapX": 1, "quadSwapY": 2, "quadSwapDiagonal": 3}
_SHIFTS = {"subgroupShuffleUp": "-", "subgroupShuffleDown": "+", "subgroupShuffleXor": "^"}
_LANES = {"subgroupBroadcastFirst", "quadBroadcast", "subgroupShuffle", "subgroupBroadcast", *_SWAPS, *_SHIFTS}
"""The functions that take one other thread's value."""
_MOST_THREADS = 64
_LARGEST = 128
"""The largest subgroup that WGSL allows."""
_QUAD = 4
FILTERED = "a call under a filter"
"""The name of its result, where it is not known."""


class StageLowering:
    """Lowers what threads of one quad or subgroup do together.

    What a diagnostic filter makes less than an error is no place to meet, and its value is not known. Where that
    matters, threads meet there all the same (`lenient`); of a run in which they do not, nothing is said.
    """

    def __init__(self, expressions: ExpressionLowering) -> None:
        self.expressions = expressions
        self.out = expressions.out
        self.synchronization = SynchronizationLowering(expressions)
        self.threads = 1
        """How many there are."""
        self.subgroup_size = _LARGEST
        """Threads whose numbers divided by it agree are a subgroup."""
        self.asked = False
        """Whether there is an operation of subgroups."""
        self.severity: Callable[[Rule], Severity] = lambda _: Severity.ERROR
        """The severity of a rule at the call at hand."""
        self.lenient: set[int] | None = None
        """The barriers of calls under a filter; None: there are none."""

    def meet(self, name: str) -> bool:
        """A barrier, if the built-in function needs uniform control flow here; says whether it does."""
        if not self._is_required(name):
            return False
        self._barrier(name)
        return True

    def _barrier(self, name: str) -> int:
        return self.synchronization.barrier(meeting_at(name), self.split if _is_of_subgroup(name) else 0)

    @property
    def split(self) -> int:
        """The size of subgroups if there are several, else 0."""
        return self.subgroup_size if self.subgroup_size < self.threads else 0

    def _is_required(self, name: str) -> bool:
        rule = FUNCTIONS[name].rule
        return rule is not None and self.severity(rule) is Severity.ERROR

    def exchanged(self, name: str, value: Value, read: Callable[["Lanes"], Value]) -> Value:
        """What a function of all threads' values gives, each thread having published its own."""
        value = fitted(value, vt.concrete(value.type))
        root = Memory("exchange")
        lanes = Lanes(root, value, self.threads, self.split if _is_of_subgroup(name) else 0)
        required = self._is_required(name)
        if not required and self.lenient is None:
            return unknown(self.out, FILTERED, read(lanes).type)
        for i, scalar in enumerate(t.scalars(value.type)):
            self.out.exchange(root, scalar)
            self.out.put(core.SharedAssign(array_name(root, scalar), lanes.index(core.Lid(), i), value.cells[i]))
        first = self._barrier(name)
        found = self.out.named(read(lanes))
        second = self._barrier(name)
        if not required and self.lenient is not None:
            self.lenient |= {first, second}
        return found

    # ---------------------------------------------------------------------------------------------------- derivatives

    def derivative(self, name: str, values: list[Value]) -> Value:
        """`dpdx(v)` and its like: the difference of two threads' values."""
        across = {"dpdx": (1,), "dpdy": (2,)}.get(name[:4], (1, 2))

        def read(lanes: "Lanes") -> Value:
            steps = [_difference(lanes, bit) for bit in across]
            if len(steps) == 1:
                return steps[0]
            return pairwise("+", of_each("abs", steps[0]), of_each("abs", steps[1]))

        return self.exchanged(name, values[0], read)

    # ------------------------------------------------------------------------------------------------------- subgroups

    def subgroup(self, e: Call, name: str, values: list[Value]) -> Value:
        """A subgroup or quad operation."""
        self.asked = True
        if min(self.threads, self.subgroup_size) > _MOST_THREADS:
            raise t.CannotRun(f"a subgroup of more than {_MOST_THREADS} threads", e)
        if name.startswith("quad") and self.subgroup_size < _QUAD:
            raise t.CannotRun("a quad operation in subgroups of less than a quad", e)
        if name == "subgroupElect":
            self.meet(name)
            return Value(vt.BOOL, (ops.binary("==", own_lane(self.split), ops.u32(0)),))
        value = fitted(values[0], vt.concrete(values[0].type))
        if name in ("subgroupAll", "subgroupAny", "subgroupBallot"):
            return self.exchanged(name, value, lambda lanes: _votes(name, lanes))
        op = next((op for word, op in _FOLDS.items() if name.endswith(word)), None)
        if op is not None and name != "subgroupShuffleXor":
            return self.exchanged(name, value, lambda lanes: _fold(name, op, lanes))
        if name not in _LANES:
            raise t.CannotRun(f"the function {name}", e)
        lane = self._lane(name, values[1:])
        return self.exchanged(name, value, lambda lanes: lanes.of(lanes.within(lane)))

    def _lane(self, name: str, values: list[Value]) -> core.Expr:
        """From which thread a function takes the value."""
        if name in _SWAPS:
            return ops.binary("^", core.Lid(), ops.u32(_SWAPS[name]))
        if name == "subgroupBroadcastFirst":
            return ops.u32(0)
        amount = self.out.named_cell(ops.convert(vt.U32.core, fitted(values[0], vt.concrete(values[0].type)).scalar))
        if name == "quadBroadcast":
            return ops.binary("|", ops.binary("&", core.Lid(), ops.u32(2**32 - 4)), ops.binary("&", amount, ops.u32(3)))
        if name in ("subgroupShuffle", "subgroupBroadcast"):
            return amount
        if self.severity(Rule.SUBGROUP) is Severity.ERROR:
            self.synchronization.uniform_barrier(ops.binary("&", amount, ops.u32(7)), meeting_at(name), self.split)
        return ops.binary(_SHIFTS[name], core.Lid(), amount)


def _is_of_subgroup(name: str) -> bool:
    return FUNCTIONS[name].rule is Rule.SUBGROUP


def meeting_at(name: str) -> str:
    """What people call the place where threads meet for a built-in function."""
    kind = "derivative" if name.startswith(("dpd", "fwidth")) else "texture sample" if name.startswith("tex") else ""
    return f"{kind or ('quad' if name.startswith('quad') else 'subgroup') + ' operation'} `{name}`"


def own_lane(size: int) -> core.Expr:
    """A thread's number in its subgroup of a size; 0: there is one."""
    return ops.binary("&", core.Lid(), ops.u32(size - 1)) if size else core.Lid()


class Lanes:
    """The values that the threads of a subgroup have published; `size` is 0 if all threads are one."""

    def __init__(self, root: Memory, value: Value, threads: int, size: int) -> None:
        self.root = root
        self.type = value.type
        self.width = len(value.cells)
        self.threads = threads
        self.size = size
        self.count = size or threads

    def thread(self, lane: int) -> core.Expr:
        """The number of the thread that has a lane."""
        if not self.size:
            return ops.u32(lane)
        first = ops.binary("&", core.Lid(), ops.u32(2**32 - self.size))
        return ops.binary("|", first, ops.u32(lane)) if lane else first

    def within(self, thread: core.Expr) -> core.Expr:
        """The number of a thread of this subgroup, from one that may lie outside, or is that of a lane."""
        if not self.size:
            return within(thread, self.threads)
        return ops.binary("|", self.thread(0), ops.binary("&", thread, ops.u32(self.size - 1)))

    def combined(self, lane: int, found: Value, other: Value) -> Value:
        """Something with the value of a lane, or without it if the subgroup has no such thread."""
        if not self.size or self.threads % self.size == 0:
            return other
        there = ops.binary("<", self.thread(lane), ops.u32(self.threads))
        return Value(other.type, tuple([ops.chosen(there, a, b) for a, b in zip(other.cells, found.cells)]))

    def index(self, lane: core.Expr, cell: int) -> core.Expr:
        """Where a thread's cell is."""
        return ops.binary("+", ops.binary("*", lane, ops.u32(self.width)), ops.u32(cell)) if self.width > 1 else lane

    def of(self, lane: core.Expr) -> Value:
        """The value of a thread."""
        row = enumerate(t.scalars(self.type))
        reads = [core.SharedRead(array_name(self.root, s), self.index(lane, i), s.core) for i, s in row]
        return Value(self.type, tuple(reads))


def _difference(lanes: Lanes, bit: int) -> Value:
    high = ops.binary("|", core.Lid(), ops.u32(bit))
    low = ops.binary("&", core.Lid(), ops.u32(2**32 - 1 - bit))
    return pairwise("-", lanes.of(high), lanes.of(low))


def _votes(name: str, lanes: Lanes) -> Value:
    votes = [lanes.of(lanes.thread(j)).scalar for j in range(lanes.count)]
    if name == "subgroupBallot":
        words: list[core.Expr] = [ops.u32(0)] * 4
        for j, vote in enumerate(votes):
            bit = ops.binary("<<", ops.convert(vt.U32.core, vote), ops.u32(j % 32))
            old = Value(vt.U32, (words[j // 32],))
            words[j // 32] = lanes.combined(j, old, Value(vt.U32, (ops.binary("|", old.scalar, bit),))).scalar
        return Value(vt.Vector(4, vt.U32), tuple(words))
    found = Value(vt.BOOL, (votes[0],))
    for j, vote in enumerate(votes[1:], 1):
        both = ops.binary("&&" if name == "subgroupAll" else "||", found.scalar, vote)
        found = lanes.combined(j, found, Value(vt.BOOL, (both,)))
    return found


def _fold(name: str, op: str, lanes: Lanes) -> Value:
    if "clusive" not in name:
        found = lanes.of(lanes.thread(0))
        for j in range(1, lanes.count):
            found = lanes.combined(j, found, pairwise(op, found, lanes.of(lanes.thread(j))))
        return found
    scalar = t.scalar_of(lanes.type)
    neutral = _repeated(ops.zero(scalar) if op == "+" else ops.one(scalar), lanes)
    found = neutral
    for j in range(lanes.count):
        before = ops.binary("<=" if "Inclusive" in name else "<", ops.u32(j), own_lane(lanes.size))
        cells = [ops.chosen(before, a, b) for a, b in zip(lanes.of(lanes.thread(j)).cells, neutral.cells)]
        found = pairwise(op, found, Value(lanes.type, tuple(cells)))
    return found


def _repeated(cell: core.Expr, lanes: Lanes) -> Value:
    return Value(lanes.type, (cell,) * lanes.width)


def scalar_type(name: str) -> vt.Scalar:
    """The scalar type of the texels of a format."""
    return (
        vt.Scalar("u32") if name.endswith("uint") else vt.Scalar("i32") if name.endswith("sint") else vt.Scalar("f32")
    )
