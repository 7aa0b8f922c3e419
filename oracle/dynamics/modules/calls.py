"""Calls: of functions, made anew for each set of pointers that they are given, of constructors, and of built-ins.

Some built-ins threads execute together: barriers, `workgroupUniformLoad`, derivatives, operations of subgroups. What is
read from a texture is some function of the arguments, the same one for all threads: a texel is held at its coordinates
in a shared array; what sampling gives is not filtered, each set of arguments has a value of its own. Sizes are any, but
one for all threads.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise as neighbours

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules import types as t
from wgsl_fuzz.oracle.dynamics.modules.expressions import ExecutableExpressionLowering
from wgsl_fuzz.oracle.dynamics.modules.numeric import (
    bitcast,
    constructed,
    numeric,
    of_each,
    unknown,
    unless_ill_typed,
)
from wgsl_fuzz.oracle.dynamics.modules.output import (
    Cells,
    MemoryLayout,
    MemoryRef,
    Value,
    array_name,
    element,
    fitted,
    loaded,
    pairwise,
    shared_index,
    stem,
    within,
)
from wgsl_fuzz.oracle.dynamics.semantics import AtomicUpdate, SubgroupBarrier
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.builtins import BARRIERS, FUNCTIONS, BuiltinFunction, Rule
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.printer import print_expression

BARRIER = "barrier"
_UNIFORM_LOAD = "`workgroupUniformLoad`"


_STEPS = (1, 1 << 12, 1 << 24, 1 << 28, 1 << 30)
"""Of coordinates, array element and level: texels nearer than 4,096 are told apart."""
_PRIMES = (1, 2654435761, 2246822519, 3266489917, 668265263, 374761393, 3144134277, 2870177450, 1540483477)


_MOST_ROUNDS = 64
_FOLDS = {"Add": "+", "Mul": "*", "Min": "min", "Max": "max", "And": "&", "Or": "|", "Xor": "^"}
"""The operators of functions of subgroups, and of atomic ones, by the ends of their names."""


def _updated(name: str, old: core.Expr, operands: list[core.Expr]) -> core.Expr:
    """The value that an atomic function writes."""
    if name == "atomicExchange":
        return operands[0]
    if name == "atomicCompareExchangeWeak":
        return ops.chosen(ops.binary("==", old, operands[0]), operands[1], old)
    assert isinstance(old, core.SharedRead)
    return ops.binary("-" if name == "atomicSub" else _FOLDS[name.removeprefix("atomic")], old, operands[0])


_MOST_THREADS = 64
_LARGEST = 128
"""The largest subgroup that WGSL allows."""
_QUAD = 4
_LAST_BITS = 7
"""Where threads must have the same number, so many of its bits are compared: each more doubles the rounds."""
ZERO_MATRIX = "subgroup_matrix"
"""What people call the constructor of a subgroup matrix, also of one that is zero."""
FILTERED = "a call under a filter"
"""The name of its result, where it is not known."""


@dataclass(frozen=True, slots=True)
class Specialised:
    """A function for certain pointers: its name in the shader, and where its result is."""

    name: str
    result: vt.Type | None
    cells: tuple[core.Local, ...]
    """Locals that hold a result of several cells."""


Specialise = Callable[[w.Function, tuple[MemoryRef | None, ...]], Specialised]
"""What is known of pointer arguments before the program runs: an index is 0, and its value is handed over."""


class CallLowering:
    """Lowers calls; `specialise` makes the function of the shader.

    What a diagnostic filter makes less than an error is no place to meet, and its value is not known. Where that
    matters, threads meet there all the same (`lenient`); of a run in which they do not, nothing is said.
    """

    def __init__(self, expressions: ExecutableExpressionLowering, specialise: Specialise) -> None:
        self.expressions, self.resolution, self.out = expressions, expressions.resolution, expressions.out
        expressions.called, expressions.view = self.called, self.view
        self.specialise = specialise
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
        self._lengths: dict[str, Value] = {}
        self._sampled: set[str] = set()
        """The textures of which some texels are sampled: by what arguments is not known."""

    def called(self, e: w.Call) -> Value | None:
        """The result of a call."""
        declared = self.resolution.declaration(e.callee)
        if isinstance(declared, w.Function):
            return self._function(e, declared)
        builtin = self.resolution.builtin(e)
        if builtin is not None:
            return unless_ill_typed(lambda: self._builtin(e, builtin.name), builtin.name, e)
        if declared is not None and not isinstance(declared, w.Struct | w.Alias):
            raise t.CannotRun(f"the call of {e.callee.name}", e)
        values = self.expressions.values(e.arguments)
        made = constructed(self.expressions.named, e, values, predeclared=declared is None)
        if isinstance(made.type, vt.SubgroupMatrix) or (not values and vt.holds(made.type, vt.SubgroupMatrix)):
            self.meet_for_matrix(ZERO_MATRIX, [made.scalar] if values else [])
        return made

    # ------------------------------------------------------------------------------------------- functions of the text

    def _function(self, e: w.Call, function: w.Function) -> Value | None:
        places, values = self._arguments(e.arguments, function)
        shapes = tuple([p if p is None or p.index is None else replace(p, index=ops.u32(0)) for p in places])
        made = self.specialise(function, shapes)
        arguments: list[core.Expr] = []
        for place, value in zip(places, values, strict=True):
            if value is not None:
                arguments += value.cells
            elif place is not None and place.index is not None:
                arguments.append(place.index)
        if made.result is None or len(made.cells) > 0:
            self.out.call(made.name, core.Type.U32, arguments)
            return None if made.result is None else self.out.named(Value(made.result, made.cells))
        taker = self.out.call(made.name, t.scalars(made.result)[0].core, arguments)
        return Value(made.result, (taker,))

    def _arguments(
        self, arguments: tuple[w.Expression, ...], function: w.Function
    ) -> tuple[list[MemoryRef | None], list[Value | None]]:
        """The pointers and the values, each as it was at its turn."""
        places: list[MemoryRef | None] = []
        values: list[Value | None] = []
        for parameter, e in zip(function.parameters, arguments, strict=True):
            mark = self.out.mark()
            pointer = self.resolution.pointer(parameter) is not None or self.expressions.is_handle(e)
            place = self.expressions.place(e) if pointer else None
            value = None if pointer else self.expressions.typed(e, self.expressions.named(parameter.type))
            for i in range(len(places)):
                before, old, held = self.out.mark(), values[i], places[i]
                values[i] = None if old is None else self.out.kept(old, mark)
                places[i] = None if held is None else self.out.kept_place(held, mark)
                mark += self.out.mark() - before
            places.append(place)
            values.append(value)
        return places, values

    # ------------------------------------------------------------------------------------------------------- built-ins

    def _builtin(self, e: w.Call, name: str) -> Value | None:
        if name in BARRIERS:
            self.barrier(f"`{name}`" if name != "workgroupBarrier" else BARRIER)
            return None
        if name == "print":
            self.expressions.values(e.arguments)
            return None
        if name == "workgroupUniformLoad":
            return self.uniform_load(e)
        if name.startswith("atomic"):
            return self.atomic(e, name)
        if name == "arrayLength" or name == "bufferLength":
            return self._length(e)
        if name.startswith("texture"):
            return self._texture(e, name)
        if FUNCTIONS[name].rule is Rule.MATRIX:
            return self.matrix(e, name)
        if name.startswith(("subgroup", "quad")) and name != "quantizeToF16":
            return self.subgroup(e, name, self.expressions.values(e.arguments))
        if name.startswith(("dpdx", "dpdy", "fwidth")):
            return self.derivative(name, self.expressions.values(e.arguments))
        values = self.expressions.values(e.arguments)
        if name == "bitcast":
            return bitcast(self.expressions.named, e.callee, values[0])
        return numeric(self.out, name, values)

    def _length(self, e: w.Call) -> Value:
        """The length of an array: any, but one for all threads."""
        place = self.expressions.place(e.arguments[0])
        if isinstance(place.type, vt.Array) and place.type.count is not None:
            return Value(vt.U32, (ops.u32(place.type.count),))
        key = repr((place.root, place.offset))
        if key not in self._lengths:
            self._lengths[key] = self.expressions.unknown_constant(print_expression(e), vt.U32)
        return self._lengths[key]

    def view(self, e: w.Call) -> MemoryRef:
        """`bufferView<T>(&buffer, offset)`: a part of the buffer, here in words of 4 bytes."""
        base = self.expressions.place(e.arguments[0])
        mark = self.out.mark()
        offset = fitted(self.expressions.value(e.arguments[1]), vt.U32)
        base = self.out.kept_place(base, mark)
        argument = e.callee.template[0]
        assert isinstance(argument, w.Identifier), "a type is an identifier"
        type = self.expressions.named(argument)
        if {scalar.core for scalar in t.scalars(type)} - {core.Type.U32} or not isinstance(base.type, vt.Array):
            raise t.CannotRun("a view of a buffer as what is not made of u32 and f32", e)
        index = ops.binary(">>", offset.scalar, ops.u32(2))
        words = element(MemoryRef(base.root, vt.Array(vt.U32, None), base.offset, base.index, base.choices), index)
        return MemoryRef(words.root, type, words.offset, words.index, words.choices)

    # ----------------------------------------------------------------------------------------- barriers and atomics

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

    def uniform_load(self, e: w.Call) -> Value:
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
        found = self.out.named(self.out.read(place))
        self.barrier(_UNIFORM_LOAD)
        return found

    # --------------------------------------------------------------------------------------------------------- atomics

    def atomic(self, e: w.Call, name: str) -> Value | None:
        """`atomicAdd(p, v)` and its like."""
        place = self.expressions.place(e.arguments[0])
        if not isinstance(place.type, vt.Atomic) or not isinstance(place.root, MemoryLayout):
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
            self.out.assign(place, Value(scalar, (operands[0],)))
            return None
        new = _updated(name, old, operands)
        taker = self.out.temporary(scalar.core)
        update = AtomicUpdate(array, shared_index(place, 0), new, taker.name)
        self.out.guarded(self.out.guard(), [update])
        if name != "atomicCompareExchangeWeak":
            return Value(scalar, (taker,))
        result = vt.Structure("exchanged", (("old_value", scalar), ("exchanged", vt.BOOL)))
        compared = self.out.named_cell(operands[0])
        return Value(result, (taker, ops.binary("==", taker, compared)))

    # ---------------------------------------------------------------------------------- derivatives and subgroups

    def meet(self, name: str) -> bool:
        """A barrier, if the built-in function needs uniform control flow here; says whether it does."""
        if not self._is_required(name):
            return False
        self._meeting(name)
        return True

    def _meeting(self, name: str) -> int:
        return self.barrier(meeting_at(name), self.split if _is_of_subgroup(name) else 0)

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
        root = MemoryLayout("exchange")
        lanes = Lanes(root, value, self.threads, self.split if _is_of_subgroup(name) else 0)
        required = self._is_required(name)
        if not required and self.lenient is None:
            return unknown(self.out, FILTERED, read(lanes).type)
        for i, scalar in enumerate(t.scalars(value.type)):
            self.out.exchange(root, scalar)
            self.out.put(core.SharedAssign(array_name(root, scalar), lanes.index(core.Lid(), i), value.cells[i]))
        first = self._meeting(name)
        found = self.out.named(read(lanes))
        second = self._meeting(name)
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
            return of_each("abs", steps[0]) + of_each("abs", steps[1])

        return self.exchanged(name, values[0], read)

    # ------------------------------------------------------------------------------------------------------- subgroups

    def subgroup(self, e: w.Call, name: str, values: list[Value]) -> Value:
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
        if FUNCTIONS[name].lane:
            lane = self._lane(FUNCTIONS[name], values[1:])
            return self.exchanged(name, value, lambda lanes: lanes.of(lanes.within(lane)))
        op = next((op for word, op in _FOLDS.items() if name.endswith(word)), None)
        if op is None:
            raise t.CannotRun(f"the function {name}", e)
        return self.exchanged(name, value, lambda lanes: _fold(name, op, lanes))

    def _lane(self, row: BuiltinFunction, values: list[Value]) -> core.Expr:
        """From which thread a function takes the value."""
        operator, number = row.lane[0], row.lane[1:]
        if number:
            amount: core.Expr = ops.u32(int(number))
        else:
            given = fitted(values[0], vt.concrete(values[0].type)).scalar
            amount = self.out.named_cell(ops.convert(vt.U32.core, given))
        if operator == "&":
            return ops.binary("|", ops.binary("&", core.Lid(), ops.u32(2**32 - 4)), ops.binary("&", amount, ops.u32(3)))
        if row.required and self.severity(Rule.SUBGROUP) is Severity.ERROR:
            self.uniform_barrier(ops.binary("&", amount, ops.u32(_LAST_BITS)), meeting_at(row.name), self.split)
        return amount if operator == "=" else ops.binary(operator, core.Lid(), amount)

    # ------------------------------------------------------------------------------------------------------- matrices

    def matrix(self, e: w.Call, name: str) -> Value | None:
        """A function of subgroup matrices. Of memory it reads and writes one element; what it writes is not known."""
        place = self.expressions.place(e.arguments[0]) if "j" in FUNCTIONS[name].template else None
        mark = self.out.mark()
        values = self.expressions.values(e.arguments if place is None else e.arguments[1:])
        values = [fitted(v, vt.concrete(v.type)) for v in values]
        made: vt.Type | None = None
        if name.endswith(("Load", "Multiply")) and isinstance(of := (*e.callee.template, None)[0], w.Identifier):
            made = self.expressions.named(of)
        made = vt.result_type(name, [v.type for v in values], made)
        numbers = [ops.converted(v.scalar, t.scalars(v.type)[0], vt.U32) for v in values]
        place = None if place is None else self.out.kept_place(place, mark)
        index = None if place is None else place.index
        self.meet_for_matrix(name, numbers if index is None else [index, *numbers])
        if place is not None and name == "subgroupMatrixStore":
            at = element(place, numbers[0])
            self.out.assign(at, unknown(self.out, "a stored subgroup matrix", at.type))
            return None
        assert made is not None, "the text is typed"
        number: core.Expr = ops.u32(len(name))
        for other in numbers:
            number = ops.binary("+", ops.binary("*", number, ops.u32(31)), other)
        return self.out.named(Value(made, (number,)))

    def meet_for_matrix(self, name: str, operands: Sequence[core.Expr]) -> None:
        """A barrier of a subgroup, whose threads pass it with the same operands only, up to their last bits."""
        self.asked = True
        if self.severity(Rule.MATRIX) is not Severity.ERROR:
            return
        meeting = f"subgroup matrix operation `{name}`"
        varying: list[core.Expr] = [operand for operand in operands if not isinstance(operand, core.Literal)]
        for operand in varying or [ops.u32(0)]:
            self.uniform_barrier(ops.binary("&", operand, ops.u32(_LAST_BITS)), meeting, self.split)

    # --------------------------------------------------------------------------------------------------- textures

    def _texture(self, e: w.Call, name: str) -> Value | None:
        """The result of a texture function."""
        handles = [i for i, argument in enumerate(e.arguments) if self.expressions.is_handle(argument)]
        if not handles:
            raise t.CannotRun(f"{e.callee.name} without a texture", e)
        texture = self.expressions.place(e.arguments[handles[0]])
        assert isinstance(texture.type, vt.Handle), "a texture is a handle"
        assert isinstance(texture.root, MemoryLayout), "a texture is in memory"
        values = self.expressions.values([a for i, a in enumerate(e.arguments) if i not in handles])
        values = [fitted(v, vt.concrete(v.type)) for v in values]
        if name.startswith(("textureDimensions", "textureNum")):
            return self._texture_size(name, texture.root, texture.type, values)
        if name == "textureStore":
            place = self._texel(texture.root, texture.type, self._linear(values[:-1], _STEPS))
            self.expressions.out.assign(place, values[-1])
            return None
        self.meet(name)
        sampled = name != "textureLoad"
        place = self._texel(texture.root, texture.type, self._linear(values, _PRIMES if sampled else _STEPS), sampled)
        found = self.out.named(self.expressions.out.read(place))
        scalar = t.scalar_of(found.type)
        depth = "depth" in texture.type.name and "Gather" not in name
        return Value(scalar, found.cells[:1]) if depth or ("Compare" in name and "Gather" not in name) else found

    def _texel(self, root: MemoryLayout, type: vt.Handle, linear: core.Expr, sampled: bool = False) -> MemoryRef:
        texel, name = vt.texel(type), stem(root.name)
        self.out.array(root, texel.element, core.Space.STORAGE, 0)
        self._sampled |= {root.name} if sampled else set()

        def called(number: int) -> str:
            return f"a sample of {name}" if root.name in self._sampled else _texel_name(name, type.name, number)

        self.out.variables[root.name] = Cells(name, texel, 4, of_threads=False, element=called)
        return MemoryRef(root, texel, 0, ops.binary("*", linear, ops.u32(4)), ())

    def _linear(self, values: list[Value], steps: tuple[int, ...]) -> core.Expr:
        """One number for arguments."""
        found: core.Expr = ops.u32(0)
        cells = [ops.convert(core.Type.U32, cell) for value in values for cell in value.cells]
        for i, cell in enumerate(cells):
            scaled = ops.binary("*", cell, ops.u32(steps[min(i, len(steps) - 1)]))
            found = scaled if i == 0 else ops.binary("+", found, scaled)
        return self.out.named_cell(found)

    def _texture_size(self, name: str, texture: MemoryLayout, type: vt.Handle, values: list[Value]) -> Value:
        """`textureDimensions` and its like; it depends on the level, if one is given."""
        of: vt.Type = vt.U32
        if name == "textureDimensions" and "1d" not in type.name and type.name != "texel_buffer":
            of = vt.Vector(3 if "3d" in type.name else 2, vt.U32)
        root = MemoryLayout(f"{texture.name}:{name}", constant=True)
        self.out.array(root, vt.U32, core.Space.STORAGE, 0)
        called = f"{name}({stem(texture.name)}"
        self.out.variables[root.name] = Cells(
            called, of, t.size(of), of_threads=False, element=lambda at: f"{called}{f', {at}' * bool(at)})"
        )
        level = values[0].scalar if values else ops.u32(0)
        return self.expressions.out.read(element(MemoryRef(root, vt.Array(of, None)), level))


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

    def __init__(self, root: MemoryLayout, value: Value, threads: int, size: int) -> None:
        self.root = root
        self.type = value.type
        self.width = len(value.cells)
        self.threads = threads
        self.size = size
        self.count = size or threads
        self.stride = -(-threads // self.count) * self.count

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
        """Where a thread's cell is: of values of any width no two threads share one, as subgroups do not wait."""
        return ops.binary("+", lane, ops.u32(cell * self.stride)) if cell else lane

    def of(self, lane: core.Expr) -> Value:
        """The value of a thread."""
        row = enumerate(t.scalars(self.type))
        reads = [core.SharedRead(array_name(self.root, s), self.index(lane, i), s.core) for i, s in row]
        return Value(self.type, tuple(reads))


def _difference(lanes: Lanes, bit: int) -> Value:
    high = ops.binary("|", core.Lid(), ops.u32(bit))
    low = ops.binary("&", core.Lid(), ops.u32(2**32 - 1 - bit))
    return lanes.of(high) - lanes.of(low)


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
    neutral = Value(lanes.type, (ops.zero(scalar) if op == "+" else ops.one(scalar),) * lanes.width)
    found = neutral
    for j in range(lanes.count):
        before = ops.binary("<=" if "Inclusive" in name else "<", ops.u32(j), own_lane(lanes.size))
        cells = [ops.chosen(before, a, b) for a, b in zip(lanes.of(lanes.thread(j)).cells, neutral.cells)]
        found = pairwise(op, found, Value(lanes.type, tuple(cells)))
    return found


def _texel_name(name: str, type: str, number: int) -> str:
    """What a texel that is loaded or stored is called, by its coordinates: `image[3, 4]`, `image[3, 4, level 1]`."""
    dimensions = next((n for n in (1, 2, 3) if f"_{n}d" in type), 1 if type == "texel_buffer" else 2)
    coordinates, at = dimensions + type.endswith("_array"), list[str]()
    for step, following in neighbours(_STEPS[: coordinates + 1]):
        base = following // step
        digit = number % base
        digit -= base * (step < _STEPS[2] and digit >= base // 2)  # coordinates may be negative
        at.append(str(digit))
        number = (number - digit) // base
    last = number % ((1 << 30) // _STEPS[coordinates])
    what = "sample" if "multisampled" in type else "level"
    return f"{name}[{', '.join([*at, *[f'{what} {last}'] * bool(last)])}]"
