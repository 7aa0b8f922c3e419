"""Expressions of WGSL -> expressions of TinyWGSL.

Calls are statements in TinyWGSL: lowering an expression puts its calls into the output, in the order of evaluation,
together with what must be evaluated before them. See the table in `lower`.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NoReturn

from wgsl_fuzz.tinywgsl.ast import LOGICAL, Assign, Convert, Expr, If, Lid, SharedRead, Type
from wgsl_fuzz.tinywgsl.ast import Binary as CoreBinary
from wgsl_fuzz.tinywgsl.ast import Literal as CoreLiteral
from wgsl_fuzz.tinywgsl.ast import Unary as CoreUnary
from wgsl_fuzz.tinywgsl.constants import const_value, refusals
from wgsl_fuzz.tinywgsl.values import I32_MAX, U32_MAX
from wgsl_fuzz.wgsl.lower_names import (
    ArrayEntity,
    ArrayTypeEntity,
    BarrierEntity,
    ConstEntity,
    Entity,
    FunctionEntity,
    LidEntity,
    LocalEntity,
    NameTable,
    PendingEntity,
    RefusedEntity,
    Typed,
    TypeEntity,
    unknown,
)
from wgsl_fuzz.wgsl.lower_operators import (
    BOOL,
    I32,
    I64_MAX,
    MAX_OPERATORS,
    U32,
    as_type,
    check_depth,
    concrete,
    in_64_bits,
    mismatch,
    operate,
)
from wgsl_fuzz.wgsl.lower_order import CalledEarly
from wgsl_fuzz.wgsl.lower_output import Output
from wgsl_fuzz.wgsl.problems import LoweringProblem
from wgsl_fuzz.wgsl.syntax import Binary, Call, Expression, Identifier, Index, Literal, Member, Node, Unary

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)([iu]?)")
_OPERANDS = {"!": (BOOL,), "-": (I32,), "~": (U32, I32)}
_NO_VALUES = "values of array type are outside TinyWGSL"
_LONGEST_NUMBER = 40

Resolve = Callable[[str, PendingEntity, Node], Entity]


class ExpressionLowering:
    """Lowers expressions into one output. `resolve` lowers a declaration of the module when it is needed first."""

    def __init__(self, names: NameTable, output: Output, resolve: Resolve) -> None:
        self.names = names
        self.output = output
        self._resolve = resolve

    # -------------------------------------------------------------------------------------------- whole expressions

    def whole(self, e: Expression) -> Typed:
        """An expression that stands in no other."""
        found = _EXPRESSIONS[type(e)](self, e)
        if e.end - e.start > MAX_OPERATORS or e.start < 0:
            check_depth(found[0], e)
        return found

    def typed(self, e: Expression, type: Type) -> Expr:
        """A whole expression that has the given type, or is a number that converts to it."""
        return as_type(self.whole(e), type, e)

    def constant(self, e: Expression) -> CoreLiteral | int:
        """A whole const-expression, evaluated."""
        before = len(self.output.statements)
        value, type = self.whole(e)
        if isinstance(value, int | CoreLiteral):
            return value
        result = const_value(value) if len(self.output.statements) == before else None
        if result is None or type is None:
            raise LoweringProblem("not a const-expression", e.start)
        if why := refusals(value, {}):
            raise LoweringProblem(why[0], e.start)
        return CoreLiteral(result, type)

    def entity(self, name: str, at: Node) -> Entity:
        """What a name stands for; raises LoweringProblem if that is nothing, or nothing that may be used."""
        entity = self.names.entities.get(name)
        if entity is None:
            unknown(name, at)
        if isinstance(entity, PendingEntity):
            entity = self._resolve(name, entity, at)
        if isinstance(entity, RefusedEntity):
            raise LoweringProblem(entity.why, at.start)
        return entity

    # ----------------------------------------------------------------------------------------------------- operators

    def binary(self, e: Binary) -> Typed:
        """`left op right`, the left side first."""
        op = e.operator
        if op in LOGICAL:
            return self._logical(e)
        output = self.output
        left, type = _EXPRESSIONS[e.left.__class__](self, e.left)
        before = len(output.statements)
        right = _EXPRESSIONS[e.right.__class__](self, e.right)
        if len(output.statements) != before and not isinstance(left, int) and type is not None:
            left = output.keep(left, type, before, e.left)
        return operate(op, (left, type), right, e)

    def _logical(self, e: Binary) -> Typed:
        """`left && right`; if the right side calls: `t = left; if (t) { t = right; }`, and `t` is the value."""
        op, output = e.operator, self.output
        left, left_type = _EXPRESSIONS[e.left.__class__](self, e.left)
        outer = output.open()  # the calls of the right side happen only if the right side is evaluated
        right, right_type = _EXPRESSIONS[e.right.__class__](self, e.right)
        if left_type is not BOOL or right_type is not BOOL or isinstance(left, int) or isinstance(right, int):
            mismatch(op, left_type, right_type, e)
        if not output.statements:
            output.close(outer)
            return CoreBinary(op, left, right), BOOL
        call = output.take_call(right)
        check_depth(left, e.left)
        result = output.temporary(BOOL)
        output.put(result.name, right, call)
        evaluated = output.close(outer)
        output.statements.append(Assign(result.name, left))
        output.statements.append(If(result if op == "&&" else CoreUnary("!", result), evaluated, ()))
        return result, BOOL

    def unary(self, e: Unary) -> Typed:
        """`-e`, `!e`, `~e`; a minus right before a literal is part of it."""
        op = e.operator
        if op in "&*":
            raise LoweringProblem("pointers are outside TinyWGSL", e.start)
        value, type = _EXPRESSIONS[e.operand.__class__](self, e.operand)
        if isinstance(value, int):
            if op == "!":
                raise LoweringProblem("! does not take an integer", e.start)
            return in_64_bits(-value if op == "-" else ~value, e), None
        assert type is not None
        if isinstance(e.operand, Literal) and op == "-" and type is I32 and e.operand.end == e.end:
            assert isinstance(value, CoreLiteral)
            return CoreLiteral(-value.value, I32), I32
        if type not in _OPERANDS[op]:
            raise LoweringProblem(f"{op} does not take {type.value}", e.start)
        return CoreUnary(op, value), type

    # ------------------------------------------------------------------------------------------------------ operands

    def literal(self, e: Literal) -> Typed:
        """A number, `true` or `false`."""
        try:
            return literal_value(e.text)
        except ValueError as error:
            raise LoweringProblem(str(error), e.start) from None

    def identifier(self, e: Identifier) -> Typed:
        """A name that is read."""
        entity = self.names.entities.get(e.name)
        if entity.__class__ is not LocalEntity or e.template:
            entity = self.entity(e.name, e)
            if e.template:
                _no_template(e, entity)
        match entity:
            case LocalEntity():
                return entity.node, entity.type
            case ConstEntity():
                value = entity.value
                return value, None if isinstance(value, int) else value.type
            case LidEntity(vector=False):
                return Lid(), U32
            case ArrayEntity(scalar=True):
                return SharedRead(entity.name, CoreLiteral(0, U32), entity.type), entity.type
            case ArrayEntity():
                raise LoweringProblem(f"{e.name} is an array: {_NO_VALUES}", e.start)
            case LidEntity():
                raise LoweringProblem(f"of {e.name} only {e.name}.x is inside TinyWGSL", e.start)
            case _:
                raise LoweringProblem(f"{e.name} is no value", e.start)

    def member(self, e: Member) -> Typed:
        """`id.x`, the only member that TinyWGSL has."""
        if isinstance(e.base, Identifier):
            entity = self.entity(e.base.name, e.base)
            if isinstance(entity, LidEntity) and entity.vector and not e.base.template:
                if e.name != "x":
                    raise LoweringProblem(f"of {e.base.name} only {e.base.name}.x is inside TinyWGSL", e.start)
                return Lid(), U32
        raise LoweringProblem(f"the member {e.name} is outside TinyWGSL", e.start)

    def index(self, e: Index) -> Typed:
        """`A[e]` for a shared array."""
        array = self.array(e)
        return SharedRead(array.name, self.index_value(e)[0], array.type), array.type

    def array(self, e: Index) -> ArrayEntity:
        """The shared array in `A[e]`."""
        base = e.base
        if not isinstance(base, Identifier) or base.template:
            raise LoweringProblem("elements of anything but a shared array are outside TinyWGSL", e.start)
        entity = self.entity(base.name, base)
        if not isinstance(entity, ArrayEntity) or entity.scalar:
            raise LoweringProblem(f"{base.name} is no shared array", e.start)
        return entity

    def index_value(self, e: Index) -> tuple[Expr, Type]:
        """The index in `A[e]`, and its type."""
        value, type = _EXPRESSIONS[e.index.__class__](self, e.index)
        if isinstance(value, int):
            return concrete(value, I32, e.index), I32
        if type is BOOL or type is None:
            raise LoweringProblem("the index of a shared array is bool", e.index.start)
        return value, type

    def call(self, e: Call) -> Typed:
        """A conversion, or the call of a function that has a result."""
        entity = self.entity(e.callee.name, e.callee)
        if e.callee.template:
            _no_template(e.callee, entity)
        match entity:
            case TypeEntity():
                return self._conversion(e, entity.type)
            case FunctionEntity(void=False):
                return self.called(e, entity), entity.result
            case FunctionEntity() | BarrierEntity():
                raise LoweringProblem(f"{e.callee.name} has no result", e.start)
            case ArrayTypeEntity():
                raise LoweringProblem(_NO_VALUES, e.start)
            case _:
                raise LoweringProblem(f"{e.callee.name} is no function", e.start)

    def _conversion(self, e: Call, type: Type) -> Typed:
        """`u32(e)` and its like; `u32()` is zero."""
        if not e.arguments:
            return CoreLiteral(False if type is BOOL else 0, type), type
        if len(e.arguments) != 1:
            raise LoweringProblem(f"{e.callee.name} takes one argument", e.start)
        (operand,) = e.arguments
        value = _EXPRESSIONS[operand.__class__](self, operand)[0]
        if not isinstance(value, int):
            return Convert(type, value), type
        return CoreLiteral(value != 0, BOOL) if type is BOOL else concrete(value, type, operand), type

    def called(self, e: Call, function: FunctionEntity) -> Expr:
        """A call: the local that takes its result. An argument keeps its value when a later one calls.

        Raises CalledEarly for a function that is not ready.
        """
        if not function.is_ready:
            raise CalledEarly
        parameters, output = function.parameters, self.output
        if len(e.arguments) != len(parameters):
            for given in e.arguments:  # what is wrong inside may be why their number is
                self.whole(given)
            count = f"{e.callee.name} takes {len(parameters)} arguments, found {len(e.arguments)}"
            raise LoweringProblem(count, e.start)
        arguments: list[Expr] = []
        for given, (_, type) in zip(e.arguments, parameters, strict=True):
            before = len(output.statements)
            value = self.typed(given, type)
            if len(output.statements) != before:
                for i, argument in enumerate(arguments):
                    size = len(output.statements)
                    arguments[i] = output.keep(argument, parameters[i][1], before, e.arguments[i])
                    before += len(output.statements) - size
            arguments.append(value)
        return output.call(function.name, function.result, tuple(arguments))


_EXPRESSIONS: dict[type, Callable[..., Typed]] = {
    Literal: ExpressionLowering.literal,
    Identifier: ExpressionLowering.identifier,
    Unary: ExpressionLowering.unary,
    Binary: ExpressionLowering.binary,
    Index: ExpressionLowering.index,
    Member: ExpressionLowering.member,
    Call: ExpressionLowering.call,
}


def _no_template(e: Identifier, entity: Entity) -> NoReturn:
    """Raises the error for a name that takes no template list, as `a` in `f(a < b, c > (d))`."""
    if isinstance(entity, TypeEntity | ArrayTypeEntity | FunctionEntity | BarrierEntity):
        raise LoweringProblem(f"{e.name} takes no template list", e.start)
    raise LoweringProblem(f"{e.name} < ... > reads as a template list: write parentheses", e.start)


@lru_cache(maxsize=4096)
def literal_value(text: str) -> Typed:
    """The value of a literal, an `int` if it is an integer without a suffix. Raises ValueError with a reason."""
    if text in ("true", "false"):
        return CoreLiteral(text == "true", BOOL), BOOL
    match = _INTEGER.fullmatch(text)
    if match is None:
        raise ValueError("floating point is outside TinyWGSL")
    digits, suffix = match.groups()
    # Python refuses to convert thousands of digits; none of these would fit.
    value = int(digits, 0) if len(digits) <= _LONGEST_NUMBER else I64_MAX + 1
    limit = {"": I64_MAX, "u": U32_MAX, "i": I32_MAX}[suffix]
    if value > limit:
        shown = text if len(text) <= _LONGEST_NUMBER else f"{text[:_LONGEST_NUMBER]}..."
        raise ValueError(f"{shown} does not fit {'a 64-bit integer' if not suffix else suffix + '32'}")
    if not suffix:
        return value, None
    type = U32 if suffix == "u" else I32
    return CoreLiteral(value, type), type
