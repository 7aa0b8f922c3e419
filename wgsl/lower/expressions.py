"""Expressions, types and constants of WGSL -> those of TinyWGSL.

Calls are statements in TinyWGSL: lowering an expression puts its calls into the output, in the order of evaluation,
together with what must be evaluated before them. See the table in `module`.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.tinywgsl.constants import const_value, refusals
from wgsl_fuzz.tinywgsl.values import U32_MAX
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import BARRIERS
from wgsl_fuzz.wgsl.lexer import number_of
from wgsl_fuzz.wgsl.lower import operators
from wgsl_fuzz.wgsl.lower.output import Output
from wgsl_fuzz.wgsl.problems import LoweringProblem
from wgsl_fuzz.wgsl.resolution import Declared, Resolution

MAX_ARRAY = U32_MAX // 4
"""Elements of an array; Tint refuses arrays of 2^32 bytes."""


# ------------------------------------------------------------------------------------------- what declarations become


@dataclass(slots=True)
class LocalEntity:
    """A local or a parameter."""

    node: core.Local
    mutable: bool


@dataclass(slots=True)
class ArrayEntity:
    """A shared variable; a scalar is an array of one element."""

    name: str
    type: core.Type
    scalar: bool


@dataclass(slots=True)
class FunctionEntity:
    """A function that can be called. `void`: it has no result in the text, and 0u in TinyWGSL."""

    name: str
    parameters: list[core.Type]
    result: core.Type
    void: bool


@dataclass(slots=True)
class TypeEntity:
    """A scalar type, an array type with its size (0: sized at run time), or an alias of one."""

    type: core.Type
    size: int | None = None


@dataclass(slots=True)
class LidEntity:
    """The parameter that holds the thread's ID; `vector`: as `vec3<u32>`, of which only `.x` may be read."""

    vector: bool


Constant = core.Literal | int
"""A `const`: its value, which replaces each use."""
Entity = LocalEntity | Constant | ArrayEntity | FunctionEntity | TypeEntity | LidEntity | type[core.Barrier]

_OWN: dict[str, Entity] = {
    **{t.value: TypeEntity(t) for t in core.Type},
    **dict.fromkeys(BARRIERS, core.Barrier),  # the one of TinyWGSL
}
"""What WGSL declares itself, as far as TinyWGSL has it."""

_OPERANDS = {"!": (operators.BOOL,), "-": (operators.I32,), "~": (operators.U32, operators.I32)}
_NO_VALUES = "values of array type are outside TinyWGSL"


class ExpressionLowering:
    """Lowers expressions into one output."""

    def __init__(self, resolution: Resolution, output: Output) -> None:
        self.resolution = resolution
        self.output = output
        self.entities: dict[int, Entity] = {}
        """By the identity of a declaration, what it has become."""

    def bind(self, declared: Declared, entity: Entity) -> None:
        """Says what a declaration has become."""
        self.entities[id(declared)] = entity

    # -------------------------------------------------------------------------------------------- whole expressions

    def whole(self, e: w.Expression) -> operators.Typed:
        """An expression that stands in no other."""
        found = _EXPRESSIONS[type(e)](self, e)
        if e.end - e.start > operators.MAX_OPERATORS or (e.start < 0 and not isinstance(e, (w.Literal, w.Identifier))):
            operators.check_depth(found[0], e)
        return found

    def typed(self, e: w.Expression, type: core.Type) -> core.Expr:
        """A whole expression that has the given type, or is a number that converts to it."""
        return operators.as_type(self.whole(e), type, e)

    def constant(self, e: w.Expression) -> core.Literal | int:
        """A whole const-expression, evaluated."""
        before = len(self.output.statements)
        value, type = self.whole(e)
        if isinstance(value, int | core.Literal):
            return value
        result = const_value(value) if len(self.output.statements) == before else None
        if result is None or type is None:
            raise LoweringProblem("not a const-expression", e.start)
        if why := refusals(value):
            raise LoweringProblem(why[0], e.start)
        return core.Literal(result, type)

    def entity(self, name: w.Identifier) -> Entity:
        """What a name stands for; raises LoweringProblem if TinyWGSL does not have it."""
        declared = self.resolution.declaration(name)
        found = _OWN.get(name.name) if declared is None else self.entities.get(id(declared))
        if found is None:
            what = "is outside TinyWGSL" if declared is None else "is an entry point and cannot be called"
            raise LoweringProblem(f"{name.name} {what}", name.start)
        return found

    # ----------------------------------------------------------------------------------------------------- operators

    def binary(self, e: w.Binary) -> operators.Typed:
        """`left op right`, the left side first."""
        op = e.operator
        if op in core.LOGICAL:
            return self._logical(e)
        output = self.output
        left, type = _EXPRESSIONS[e.left.__class__](self, e.left)
        before = len(output.statements)
        right = _EXPRESSIONS[e.right.__class__](self, e.right)
        if len(output.statements) != before and not isinstance(left, int) and type is not None:
            left = output.keep(left, type, before, e.left)
        return operators.operate(op, (left, type), right, e)

    def _logical(self, e: w.Binary) -> operators.Typed:
        """`left && right`; if the right side calls: `t = left; if (t) { t = right; }`, and `t` is the value."""
        op, output = e.operator, self.output
        left, left_type = _EXPRESSIONS[e.left.__class__](self, e.left)
        outer = output.open()  # the calls of the right side happen only if the right side is evaluated
        right, right_type = _EXPRESSIONS[e.right.__class__](self, e.right)
        if (
            left_type is not operators.BOOL
            or right_type is not operators.BOOL
            or isinstance(left, int)
            or isinstance(right, int)
        ):
            operators.mismatch(op, left_type, right_type, e)
        if not output.statements:
            output.close(outer)
            return core.Binary(op, left, right), operators.BOOL
        call = output.take_call(right)
        operators.check_depth(left, e.left)
        result = output.temporary(operators.BOOL)
        output.put(result.name, right, call)
        evaluated = output.close(outer)
        output.statements.append(core.Assign(result.name, left))
        output.statements.append(core.If(result if op == "&&" else core.Unary("!", result), evaluated, ()))
        return result, operators.BOOL

    def unary(self, e: w.Unary) -> operators.Typed:
        """`-e`, `!e`, `~e`; a minus right before a literal is part of it."""
        op = e.operator
        if op in "&*":
            raise LoweringProblem("pointers are outside TinyWGSL", e.start)
        value, type = _EXPRESSIONS[e.operand.__class__](self, e.operand)
        if isinstance(value, int):
            if op == "!":
                raise LoweringProblem("! does not take an integer", e.start)
            return operators.in_64_bits(-value if op == "-" else ~value, e), None
        assert type is not None
        if isinstance(e.operand, w.Literal) and op == "-" and type is operators.I32 and e.operand.end == e.end:
            assert isinstance(value, core.Literal)
            return core.Literal(-value.value, operators.I32), operators.I32
        if type not in _OPERANDS[op]:
            raise LoweringProblem(f"{op} does not take {type.value}", e.start)
        return core.Unary(op, value), type

    # ------------------------------------------------------------------------------------------------------ operands

    def literal(self, e: w.Literal) -> operators.Typed:
        """A number, `true` or `false`."""
        try:
            return literal_value(e.text)
        except ValueError as error:
            raise LoweringProblem(str(error), e.start) from None

    def identifier(self, e: w.Identifier) -> operators.Typed:
        """A name that is read."""
        entity = self.entity(e)
        match entity:
            case LocalEntity():
                return entity.node, entity.node.type
            case core.Literal():
                return entity, entity.type
            case int():
                return entity, None
            case LidEntity(vector=False):
                return core.Lid(), operators.U32
            case ArrayEntity(scalar=True):
                return core.SharedRead(entity.name, core.Literal(0, operators.U32), entity.type), entity.type
            case ArrayEntity():
                raise LoweringProblem(f"{e.name} is an array: {_NO_VALUES}", e.start)
            case LidEntity():
                raise LoweringProblem(f"of {e.name} only {e.name}.x is inside TinyWGSL", e.start)
            case _:
                raise LoweringProblem(f"{e.name} is no value", e.start)

    def member(self, e: w.Member) -> operators.Typed:
        """`id.x`, the only member that TinyWGSL has."""
        if isinstance(e.base, w.Identifier):
            entity = self.entity(e.base)
            if isinstance(entity, LidEntity) and entity.vector:
                if e.name != "x":
                    raise LoweringProblem(f"of {e.base.name} only {e.base.name}.x is inside TinyWGSL", e.start)
                return core.Lid(), operators.U32
        raise LoweringProblem(f"the member {e.name} is outside TinyWGSL", e.start)

    def index(self, e: w.Index) -> operators.Typed:
        """`A[e]` for a shared array."""
        array = self.array(e)
        return core.SharedRead(array.name, self.index_value(e)[0], array.type), array.type

    def array(self, e: w.Index) -> ArrayEntity:
        """The shared array in `A[e]`."""
        base = e.base
        if not isinstance(base, w.Identifier):
            raise LoweringProblem("elements of anything but a shared array are outside TinyWGSL", e.start)
        entity = self.entity(base)
        if not isinstance(entity, ArrayEntity) or entity.scalar:
            raise LoweringProblem(f"{base.name} is no shared array", e.start)
        return entity

    def index_value(self, e: w.Index) -> tuple[core.Expr, core.Type]:
        """The index in `A[e]`, and its type."""
        value, type = _EXPRESSIONS[e.index.__class__](self, e.index)
        if isinstance(value, int):
            return operators.concrete(value, operators.I32, e.index), operators.I32
        if type is operators.BOOL or type is None:
            raise LoweringProblem("the index of a shared array is bool", e.index.start)
        return value, type

    def call(self, e: w.Call) -> operators.Typed:
        """A conversion, or the call of a function that has a result."""
        if e.callee.name == "array" and self.resolution.declaration(e.callee) is None:
            raise LoweringProblem(_NO_VALUES, e.start)
        match self.entity(e.callee):
            case TypeEntity(type, None):
                return self._conversion(e, type)
            case FunctionEntity() as function:
                return self.called(e, function), function.result
            case TypeEntity():
                raise LoweringProblem(_NO_VALUES, e.start)
            case entity:
                raise AssertionError(entity)

    def _conversion(self, e: w.Call, type: core.Type) -> operators.Typed:
        """`u32(e)` and its like; `u32()` is zero."""
        if not e.arguments:
            return core.Literal(False if type is operators.BOOL else 0, type), type
        if len(e.arguments) != 1:
            raise LoweringProblem(f"{e.callee.name} takes one argument", e.start)
        (operand,) = e.arguments
        value = _EXPRESSIONS[operand.__class__](self, operand)[0]
        if not isinstance(value, int):
            return core.Convert(type, value), type
        return core.Literal(value != 0, operators.BOOL) if type is operators.BOOL else operators.concrete(
            value, type, operand
        ), type

    def called(self, e: w.Call, function: FunctionEntity) -> core.Expr:
        """A call: the local that takes its result. An argument keeps its value when a later one calls."""
        parameters, output = function.parameters, self.output
        arguments: list[core.Expr] = []
        for given, type in zip(e.arguments, parameters, strict=True):
            before = len(output.statements)
            value = self.typed(given, type)
            if len(output.statements) != before:
                for i, argument in enumerate(arguments):
                    size = len(output.statements)
                    arguments[i] = output.keep(argument, parameters[i], before, e.arguments[i])
                    before += len(output.statements) - size
            arguments.append(value)
        return output.call(function.name, function.result, tuple(arguments))

    # --------------------------------------------------------------------------------------------------------- types

    def scalar_type(self, e: w.Identifier) -> core.Type:
        """`u32`, `i32`, `bool` or an alias of one."""
        found = self.any_type(e)
        if found.size is not None:
            raise LoweringProblem(_NO_VALUES, e.start)
        return found.type

    def any_type(self, e: w.Identifier) -> TypeEntity:
        """A scalar type, an array of them, or an alias of one of these."""
        if e.name == "array" and self.resolution.declaration(e) is None:
            return self._array_type(e)
        entity = self.entity(e)
        assert isinstance(entity, TypeEntity), "names of types stand for types"
        return entity

    def _array_type(self, e: w.Identifier) -> TypeEntity:
        """`array<T>` or `array<T, N>`."""
        found = self.any_type(e.template[0]) if isinstance(e.template[0], w.Identifier) else None
        if found is None or found.size is not None:
            raise LoweringProblem("arrays of arrays are outside TinyWGSL", e.template[0].start)
        if len(e.template) == 1:
            return TypeEntity(found.type, 0)
        value = self.constant(e.template[1])
        size = value if isinstance(value, int) else value.value
        if (isinstance(value, core.Literal) and value.type is operators.BOOL) or not 1 <= size <= MAX_ARRAY:
            raise LoweringProblem("the size of an array must be a positive integer", e.template[1].start)
        return TypeEntity(found.type, size)

    # ----------------------------------------------------------------------------------------------------- constants

    def const(self, declaration: w.Const) -> Constant:
        """The value of a `const`, which replaces each use."""
        value = self.constant(declaration.value)
        if declaration.type is not None:
            its_type = None if isinstance(value, int) else value.type
            typed = operators.as_type((value, its_type), self.scalar_type(declaration.type), declaration.value)
            assert isinstance(typed, core.Literal)
            value = typed
        return value

    def const_assert(self, declaration: w.ConstAssert) -> None:
        """Raises LoweringProblem unless the condition holds."""
        value = self.constant(declaration.condition)
        if not isinstance(value, core.Literal) or value.type is not operators.BOOL:
            raise LoweringProblem("expected bool", declaration.condition.start)
        if not value.value:
            raise LoweringProblem("const_assert fails", declaration.condition.start)

    def integers(self, attribute: w.Attribute) -> list[int]:
        """The integers in parentheses behind an attribute."""
        return [self._integer(argument) for argument in attribute.arguments]

    def _integer(self, e: w.Expression) -> int:
        value = self.constant(e)
        if isinstance(value, core.Literal):
            if value.type is operators.BOOL:
                raise LoweringProblem("expected an integer", e.start)
            value = value.value
        if not 0 <= value <= U32_MAX:
            raise LoweringProblem(f"{value} does not fit u32", e.start)
        return value


def constant_integer(resolution: Resolution, e: w.Expression) -> int | None:
    """The value of an integer const-expression; None: it is none, or not worked out here."""
    with suppress(LoweringProblem):
        value = resolution.once(constant_integer, lambda: _with_constants(resolution)).constant(e)
        return value if isinstance(value, int) else value.value
    return None


def _with_constants(resolution: Resolution) -> ExpressionLowering:
    """A lowering that knows the constants and aliases of a module, as far as TinyWGSL has them."""
    lowering = ExpressionLowering(resolution, Output(set()))
    for d in resolution.declared:
        with suppress(LoweringProblem):
            if isinstance(d, w.Const):
                lowering.bind(d, lowering.const(d))
            elif isinstance(d, w.Alias):
                lowering.bind(d, lowering.any_type(d.type))
    return lowering


_EXPRESSIONS: dict[type, Callable[..., operators.Typed]] = {
    w.Literal: ExpressionLowering.literal,
    w.Identifier: ExpressionLowering.identifier,
    w.Unary: ExpressionLowering.unary,
    w.Binary: ExpressionLowering.binary,
    w.Index: ExpressionLowering.index,
    w.Member: ExpressionLowering.member,
    w.Call: ExpressionLowering.call,
}


@lru_cache(maxsize=4096)
def literal_value(text: str) -> operators.Typed:
    """The value of a literal, an `int` if it is an integer without a suffix. Raises ValueError with a reason."""
    if text in ("true", "false"):
        return core.Literal(text == "true", operators.BOOL), operators.BOOL
    value, suffix = number_of(text)
    if isinstance(value, float):
        raise ValueError("floating point is outside TinyWGSL")
    if not suffix:
        return value, None
    type = operators.U32 if suffix == "u" else operators.I32
    return core.Literal(value, type), type
