"""Calls: of functions, made anew for each set of pointers that they are given, of constructors, and of built-ins."""

from collections.abc import Callable
from dataclasses import dataclass

from wgsl_fuzz.oracle.dynamics.modules import operations as ops
from wgsl_fuzz.oracle.dynamics.modules.constructors import bitcast, constructed
from wgsl_fuzz.oracle.dynamics.modules.expressions import ExpressionLowering
from wgsl_fuzz.oracle.dynamics.modules.numeric import numeric
from wgsl_fuzz.oracle.dynamics.modules.places import MemoryRef, Root, Value, element
from wgsl_fuzz.oracle.dynamics.modules.synchronization import BARRIER, BARRIERS, StageLowering, SynchronizationLowering
from wgsl_fuzz.oracle.dynamics.modules.textures import TextureLowering
from wgsl_fuzz.oracle.dynamics.modules.types import CannotRun, scalars
from wgsl_fuzz.oracle.dynamics.modules.variables import fitted
from wgsl_fuzz.tinywgsl.ast import Expr, Local, Type
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.printer import print_expression
from wgsl_fuzz.wgsl.syntax import Alias, Call, Expression, Function, Identifier, Parameter, Struct


@dataclass(frozen=True, slots=True)
class Shape:
    """What of a pointer argument is known before the program runs; its index is handed over as a value."""

    root: Root
    type: vt.Type
    offset: int
    choices: tuple[int, ...] | None
    """None: the pointer has no computed index."""


@dataclass(frozen=True, slots=True)
class Specialised:
    """A function for certain pointers: its name in the shader, and where its result is."""

    name: str
    result: vt.Type | None
    cells: tuple[Local, ...]
    """Locals that hold a result of several cells."""


Specialise = Callable[[Function, tuple[Shape | None, ...]], Specialised]


class CallLowering:
    """Lowers calls; `specialise` makes the function of the shader."""

    def __init__(self, expressions: ExpressionLowering, stages: StageLowering, specialise: Specialise) -> None:
        self.expressions = expressions
        self.resolution = expressions.resolution
        self.out = expressions.out
        self.stages = stages
        self.synchronization = SynchronizationLowering(expressions)
        self.textures = TextureLowering(expressions, stages)
        self.specialise = specialise
        self._lengths: dict[str, Value] = {}

    def called(self, e: Call) -> Value | None:
        """The result of a call."""
        declared = self.resolution.declaration(e.callee)
        if isinstance(declared, Function):
            return self._function(e, declared)
        builtin = self.resolution.builtin(e)
        if builtin is not None:
            return self._builtin(e, builtin.name)
        if declared is not None and not isinstance(declared, Struct | Alias):
            raise CannotRun(f"the call of {e.callee.name}", e)
        values = self.expressions.values(e.arguments)
        return constructed(self.expressions.types, e, values, predeclared=declared is None)

    # ------------------------------------------------------------------------------------------- functions of the text

    def _function(self, e: Call, function: Function) -> Value | None:
        places, values = self._arguments(e.arguments, function)
        shapes = tuple([None if p is None else _shape_of(p) for p in places])
        made = self.specialise(function, shapes)
        arguments: list[Expr] = []
        for place, value in zip(places, values, strict=True):
            if value is not None:
                arguments += value.cells
            elif place is not None and place.index is not None:
                arguments.append(place.index)
        if made.result is None or len(made.cells) > 0:
            self.out.call(made.name, Type.U32, arguments)
            return None if made.result is None else self.out.named(Value(made.result, made.cells))
        taker = self.out.call(made.name, scalars(made.result)[0].core, arguments)
        return Value(made.result, (taker,))

    def _arguments(
        self, arguments: tuple[Expression, ...], function: Function
    ) -> tuple[list[MemoryRef | None], list[Value | None]]:
        """The pointers and the values, each as it was at its turn."""
        places: list[MemoryRef | None] = []
        values: list[Value | None] = []
        for parameter, e in zip(function.parameters, arguments, strict=True):
            mark = self.out.mark()
            pointer = self.resolution.pointer(parameter) is not None or self.expressions.is_handle(e)
            place = self.expressions.place(e) if pointer else None
            value = None if pointer else self._value_for(parameter, e)
            for i in range(len(places)):
                before, old, held = self.out.mark(), values[i], places[i]
                values[i] = None if old is None else self.out.kept(old, mark)
                places[i] = None if held is None else self.out.kept_place(held, mark)
                mark += self.out.mark() - before
            places.append(place)
            values.append(value)
        return places, values

    def _value_for(self, parameter: Parameter, e: Expression) -> Value:
        return fitted(self.expressions.value(e), self.expressions.types.named(parameter.type))

    # ------------------------------------------------------------------------------------------------------- built-ins

    def _builtin(self, e: Call, name: str) -> Value | None:
        if name in BARRIERS:
            self.synchronization.barrier(f"`{name}`" if name != "workgroupBarrier" else BARRIER)
            return None
        if name == "workgroupUniformLoad":
            return self.synchronization.uniform_load(e)
        if name.startswith("atomic"):
            return self.synchronization.atomic(e, name)
        if name == "arrayLength" or name == "bufferLength":
            return self._length(e)
        if name.startswith("texture"):
            return self.textures.called(e, name)
        if name.startswith(("subgroup", "quad")) and name != "quantizeToF16":
            return self.stages.subgroup(e, name, self.expressions.values(e.arguments))
        if name.startswith(("dpdx", "dpdy", "fwidth")):
            return self.stages.derivative(name, self.expressions.values(e.arguments))
        values = self.expressions.values(e.arguments)
        if name == "bitcast":
            return bitcast(self.expressions.types, e.callee, values[0])
        return numeric(self.out, name, values)

    def _length(self, e: Call) -> Value:
        """The length of an array: any, but one for all threads."""
        place = self.expressions.place(e.arguments[0])
        if isinstance(place.type, vt.Array) and place.type.count is not None:
            return Value(vt.U32, (ops.u32(place.type.count),))
        key = repr((place.root, place.offset))
        if key not in self._lengths:
            self._lengths[key] = self.expressions.unknown_constant(print_expression(e), vt.U32)
        return self._lengths[key]

    def view(self, e: Call) -> MemoryRef:
        """`bufferView<T>(&buffer, offset)`: a part of the buffer, here in words of 4 bytes."""
        base = self.expressions.place(e.arguments[0])
        mark = self.out.mark()
        offset = fitted(self.expressions.value(e.arguments[1]), vt.U32)
        base = self.out.kept_place(base, mark)
        argument = e.callee.template[0]
        assert isinstance(argument, Identifier), "a type is an identifier"
        type = self.expressions.types.named(argument)
        if {scalar.core for scalar in scalars(type)} - {Type.U32} or not isinstance(base.type, vt.Array):
            raise CannotRun("a view of a buffer as what is not made of u32 and f32", e)
        index = ops.binary(">>", offset.scalar, ops.u32(2))
        words = element(MemoryRef(base.root, vt.Array(vt.U32, None), base.offset, base.index, base.choices), index)
        return MemoryRef(words.root, type, words.offset, words.index, words.choices)


def _shape_of(place: MemoryRef) -> Shape:
    return Shape(place.root, place.type, place.offset, None if place.index is None else place.choices)
