"""Derivatives, which a quad of four threads meets at, and the operations of a subgroup, which is the workgroup."""

from collections.abc import Callable

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules.arithmetic import of_each
from wgsl_fuzz.oracle.dynamics.modules.expressions import ExpressionLowering
from wgsl_fuzz.oracle.dynamics.modules.numeric import pairwise, unknown
from wgsl_fuzz.oracle.dynamics.modules.places import Memory, Value, array_name, within
from wgsl_fuzz.oracle.dynamics.modules.problems import CannotRun
from wgsl_fuzz.oracle.dynamics.modules.synchronization import SynchronizationLowering
from wgsl_fuzz.oracle.dynamics.modules.types import BOOL, U32, Scalar, Vector, concrete, scalar_of, scalars
from wgsl_fuzz.oracle.dynamics.modules.variables import fitted
from wgsl_fuzz.tinywgsl.ast import Expr, Lid, SharedAssign, SharedRead
from wgsl_fuzz.tinywgsl.ast import Space as CoreSpace
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, Rule
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.syntax import Call

_FOLDS = {"Add": "+", "Mul": "*", "Min": "min", "Max": "max", "And": "&", "Or": "|", "Xor": "^"}
_MOST_THREADS = 64
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
        self.severity: Callable[[Rule], Severity] = lambda _: Severity.ERROR
        """The severity of a rule at the call at hand."""
        self.lenient: set[int] | None = None
        """The barriers of calls under a filter; None: there are none."""

    def meet(self, name: str) -> bool:
        """A barrier of all threads, if the built-in function needs uniform control flow here; says whether it does."""
        if not self._is_required(name):
            return False
        self.synchronization.barrier()
        return True

    def _is_required(self, name: str) -> bool:
        rule = FUNCTIONS[name].rule
        return rule is not None and self.severity(rule) is Severity.ERROR

    def exchanged(self, name: str, value: Value, read: Callable[["Lanes"], Value]) -> Value:
        """What a function of all threads' values gives, each thread having published its own."""
        value = fitted(value, concrete(value.type))
        root = Memory("exchange")
        lanes = Lanes(root, value, self.threads)
        required = self._is_required(name)
        if not required and self.lenient is None:
            return unknown(self.out, FILTERED, read(lanes).type)
        for i, scalar in enumerate(scalars(value.type)):
            self.out.array(root, scalar, CoreSpace.WORKGROUP, 0)
            self.out.put(SharedAssign(array_name(root, scalar), lanes.index(Lid(), i), value.cells[i]))
        first = self.synchronization.barrier()
        found = self.out.named(read(lanes))
        second = self.synchronization.barrier()
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
        if self.threads > _MOST_THREADS:
            raise CannotRun(f"a subgroup of more than {_MOST_THREADS} threads", e)
        if name == "subgroupElect":
            self.meet(name)
            return Value(BOOL, (ops.binary("==", Lid(), ops.u32(0)),))
        value = fitted(values[0], concrete(values[0].type))
        if name in ("subgroupAll", "subgroupAny", "subgroupBallot"):
            return self.exchanged(name, value, lambda lanes: _votes(name, lanes))
        op = next((op for word, op in _FOLDS.items() if name.endswith(word)), None)
        if op is not None and name != "subgroupShuffleXor":
            return self.exchanged(name, value, lambda lanes: _fold(name, op, lanes))
        lane = self._lane(name, values[1:])
        return self.exchanged(name, value, lambda lanes: lanes.of(within(lane, self.threads)))

    def _lane(self, name: str, values: list[Value]) -> Expr:
        """From which thread a function takes the value."""
        swaps = {"quadSwapX": 1, "quadSwapY": 2, "quadSwapDiagonal": 3}
        if name in swaps:
            return ops.binary("^", Lid(), ops.u32(swaps[name]))
        if name == "subgroupBroadcastFirst":
            return ops.u32(0)
        amount = self.out.named_cell(ops.convert(U32.core, fitted(values[0], concrete(values[0].type)).scalar))
        if name == "quadBroadcast":
            return ops.binary("|", ops.binary("&", Lid(), ops.u32(2**32 - 4)), ops.binary("&", amount, ops.u32(3)))
        if name in ("subgroupShuffle", "subgroupBroadcast"):
            return amount
        if self.severity(Rule.SUBGROUP) is Severity.ERROR:
            self.synchronization.uniform_barrier(ops.binary("&", amount, ops.u32(7)))
        op = {"subgroupShuffleUp": "-", "subgroupShuffleDown": "+", "subgroupShuffleXor": "^"}[name]
        return ops.binary(op, Lid(), amount)


class Lanes:
    """The values that threads have published."""

    def __init__(self, root: Memory, value: Value, threads: int) -> None:
        self.root = root
        self.type = value.type
        self.width = len(value.cells)
        self.threads = threads

    def index(self, lane: Expr, cell: int) -> Expr:
        """Where a thread's cell is."""
        return ops.binary("+", ops.binary("*", lane, ops.u32(self.width)), ops.u32(cell)) if self.width > 1 else lane

    def of(self, lane: Expr) -> Value:
        """The value of a thread."""
        row = enumerate(scalars(self.type))
        reads = [SharedRead(array_name(self.root, s), self.index(lane, i), s.core) for i, s in row]
        return Value(self.type, tuple(reads))


def _difference(lanes: Lanes, bit: int) -> Value:
    high = ops.binary("|", Lid(), ops.u32(bit))
    low = ops.binary("&", Lid(), ops.u32(2**32 - 1 - bit))
    return pairwise("-", lanes.of(high), lanes.of(low))


def _votes(name: str, lanes: Lanes) -> Value:
    votes = [lanes.of(ops.u32(j)).scalar for j in range(lanes.threads)]
    if name == "subgroupBallot":
        words: list[Expr] = [ops.u32(0)] * 4
        for j, vote in enumerate(votes):
            bit = ops.binary("<<", ops.convert(U32.core, vote), ops.u32(j % 32))
            words[j // 32] = ops.binary("|", words[j // 32], bit)
        return Value(Vector(4, U32), tuple(words))
    found = votes[0]
    for vote in votes[1:]:
        found = ops.binary("&&" if name == "subgroupAll" else "||", found, vote)
    return Value(BOOL, (found,))


def _fold(name: str, op: str, lanes: Lanes) -> Value:
    if "clusive" not in name:
        found = lanes.of(ops.u32(0))
        for j in range(1, lanes.threads):
            found = pairwise(op, found, lanes.of(ops.u32(j)))
        return found
    scalar = scalar_of(lanes.type)
    neutral = _repeated(ops.zero(scalar) if op == "+" else ops.one(scalar), lanes)
    found = neutral
    for j in range(lanes.threads):
        before = ops.binary("<=" if "Inclusive" in name else "<", ops.u32(j), Lid())
        cells = [ops.chosen(before, a, b) for a, b in zip(lanes.of(ops.u32(j)).cells, neutral.cells)]
        found = pairwise(op, found, Value(lanes.type, tuple(cells)))
    return found


def _repeated(cell: Expr, lanes: Lanes) -> Value:
    return Value(lanes.type, (cell,) * lanes.width)


def scalar_type(name: str) -> Scalar:
    """The scalar type of the texels of a format."""
    return Scalar("u32") if name.endswith("uint") else Scalar("i32") if name.endswith("sint") else Scalar("f32")
