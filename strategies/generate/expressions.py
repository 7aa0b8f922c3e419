"""The rows of expressions: operators, conversions, constructors, members of values, swizzles, calls, atomics."""

from wgsl_fuzz.strategies.choices.source import Odds
from wgsl_fuzz.strategies.generate.drawer import Drawer
from wgsl_fuzz.strategies.generate.environment import SCALARS, Group
from wgsl_fuzz.strategies.generate.profile import ExpressionRow
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.syntax import Binary, Call, Expression, Identifier, Index, Literal, Member, Unary

_ARITHMETIC = Odds([("+", 6), ("-", 4), ("*", 3), ("&", 3), ("|", 2), ("^", 2), ("/", 2), ("%", 2)])
_OF_FLOATS = Odds([("+", 3), ("-", 2), ("*", 2), ("/", 1), ("%", 1)])
_COMPARED = Odds([(vt.U32, 6), (vt.I32, 2), (vt.F32, 1), (vt.BOOL, 1)])
_COMPARED_IN_CORE = Odds([(vt.U32, 6), (vt.I32, 2), (vt.BOOL, 1)])
_ORDER = Odds([("==", 3), ("<", 3), ("!=", 2), (">", 2), ("<=", 1), (">=", 1)])
_EQUALITY = Odds([("==", 1), ("!=", 1)])


_NUMBERS = (vt.U32, vt.I32, vt.F32)
_INTEGERS = (vt.U32, vt.I32)


def lanes(type: vt.Type) -> vt.Scalar | None:
    """The scalar of a scalar or vector type."""
    if isinstance(type, vt.Vector):
        return type.element
    return type if isinstance(type, vt.Scalar) else None


def is_numeric(type: vt.Type) -> bool:
    """Whether arithmetic is done on it, component by component."""
    return lanes(type) in _NUMBERS


def is_integral(type: vt.Type) -> bool:
    """The same of bit operations."""
    return lanes(type) in _INTEGERS


def arithmetic(drawer: Drawer, type: vt.Type, depth: int) -> Expression | None:
    """`a + b`; one side of vectors may be a scalar."""
    scalar = lanes(type)
    assert scalar is not None, "the row fits scalars and vectors"
    operator = drawer.source.weighted(_OF_FLOATS if scalar is vt.F32 else _ARITHMETIC)
    left_type, right_type = type, type
    if isinstance(type, vt.Vector) and operator in "+-*/%" and drawer.source.percent(30):
        left_type, right_type = (scalar, type) if drawer.source.percent(30) else (type, scalar)
    left = drawer.expression(left_type, depth - 1)
    right = drawer.expression(right_type, depth - 1)
    return combined(drawer, operator, left, right) if left_type is type else combined_right(drawer, left, right)


def combined(drawer: Drawer, operator: str, left: Expression, right: Expression) -> Expression:
    """`left operator right` where no compiler can refuse it, otherwise `left`."""
    constant = drawer.is_constant(right)
    if constant and (operator in "/%" or drawer.is_constant(left)):
        return left
    return Binary(operator, left, right)


def combined_right(drawer: Drawer, left: Expression, right: Expression) -> Expression:
    """The sum of a scalar and a vector, or the vector."""
    return right if drawer.is_constant(left) and drawer.is_constant(right) else Binary("+", left, right)


def shift(drawer: Drawer, type: vt.Type, depth: int) -> Expression:
    """`a << b` with less than 32 bits; of vectors by as many vectors of literals."""
    left = drawer.expression(type, depth - 1)
    amount: Expression = Literal(f"{drawer.source.integer(0, 4)}u")
    if isinstance(type, vt.Scalar) and drawer.source.percent(50):
        e = drawer.expression(vt.U32, depth - 1)
        amount = amount if drawer.is_constant(e) else Binary("&", e, Literal("31u"))
    elif drawer.is_constant(left):
        return left
    if isinstance(type, vt.Vector):
        amount = Call(drawer.type_name(vt.Vector(type.size, vt.U32)), (amount,))
    elif drawer.is_constant(left) and drawer.is_constant(amount):
        return left
    return Binary(drawer.source.pick(("<<", ">>")), left, amount)


def negation(drawer: Drawer, type: vt.Type, depth: int) -> Expression:
    """`~a` or `-a`."""
    operand = drawer.expression(type, depth - 1)
    if drawer.is_constant(operand):
        return operand
    return Unary("~" if (is_integral(type) and drawer.source.percent(50)) or lanes(type) is vt.U32 else "-", operand)


def comparison(drawer: Drawer, type: vt.Type, depth: int) -> Expression:
    """`a < b`, of vectors by component."""
    scalar = drawer.source.weighted(_COMPARED_IN_CORE if drawer.profile.core else _COMPARED)
    operand = vt.Vector(type.size, scalar) if isinstance(type, vt.Vector) else scalar
    operator = drawer.source.weighted(_EQUALITY if scalar is vt.BOOL else _ORDER)
    left, right = drawer.expression(operand, depth - 1), drawer.expression(operand, depth - 1)
    if drawer.is_constant(left) and drawer.is_constant(right):
        left = drawer.read(Group.LOCAL, operand) or left
    return Binary(operator, left, right)


def logical(drawer: Drawer, type: vt.Type, depth: int) -> Expression:
    """`a & b` or `a | b` of bools, or `!a`."""
    operator = drawer.source.pick(("&", "|", "!"))
    left = drawer.expression(type, depth - 1)
    return Unary("!", left) if operator == "!" else Binary(operator, left, drawer.expression(type, depth - 1))


def short_circuit(drawer: Drawer, type: vt.Type, depth: int) -> Expression:
    """`a && b` or `a || b`; what is on the right often is a call."""
    operator = drawer.source.pick(("&&", "||"))
    left = drawer.expression(type, depth - 1)
    known = _may_be_known(drawer, left)
    drawer.unevaluated += known
    right = called(drawer, type, depth - 1) if drawer.source.percent(40) else None
    right = right or drawer.expression(type, depth - 1)
    drawer.unevaluated -= known
    return Binary(operator, left, right)


def _may_be_known(drawer: Drawer, e: Expression) -> bool:
    """Whether a compiler may know a bool before anything runs."""
    if isinstance(e, Binary):
        return _may_be_known(drawer, e.left) or _may_be_known(drawer, e.right)
    return _may_be_known(drawer, e.operand) if isinstance(e, Unary) else drawer.is_constant(e)


def called(drawer: Drawer, type: vt.Type, depth: int) -> Expression | None:
    """A call of a function of the module, or what compares, converts or takes apart the result of one."""
    fitting = drawer.callees(type)
    if fitting:
        return drawer.call(drawer.source.pick(fitting), max(0, depth - 1))
    others = [f for f in drawer.callees(None) if f.result in SCALARS]
    if type not in SCALARS or not others:
        return None
    callee = drawer.source.pick(others)
    call = drawer.call(callee, max(0, depth - 1))
    assert isinstance(callee.result, vt.Scalar), "others are scalars"
    if call is None or type is not vt.BOOL:
        return None if call is None else Call(Identifier(written_scalar(type)), (call,))
    return drawer.compared(call, callee.result)


def written_scalar(type: vt.Type) -> str:
    """The name of a scalar."""
    assert isinstance(type, vt.Scalar), "asked of scalars only"
    return type.name


def conversion(drawer: Drawer, type: vt.Type, depth: int) -> Expression | None:
    """`u32(a)`, of vectors as well."""
    scalar = lanes(type)
    other = drawer.source.pick([s for s in (vt.U32, vt.I32, vt.BOOL) if s is not scalar])
    operand = drawer.expression(vt.Vector(type.size, other) if isinstance(type, vt.Vector) else other, depth - 1)
    return None if drawer.is_constant(operand) else Call(drawer.type_name(type), (operand,))


def constructor(drawer: Drawer, type: vt.Type, depth: int) -> Expression | None:
    """`T(a, b)` of vectors, matrices, structures and arrays."""
    name = drawer.type_name(type)
    match type:
        case vt.Vector():
            return Call(name, _components(drawer, type, depth))
        case vt.Matrix():
            return Call(name, tuple([drawer.expression(type.column, depth - 1) for _ in range(type.columns)]))
        case vt.Structure():
            return Call(name, tuple([drawer.expression(member, depth - 1) for _, member in type.members]))
        case vt.Array(count=int(count)) if count <= 4:
            return Call(name, tuple([drawer.expression(type.element, depth - 1) for _ in range(count)]))
        case _:
            return None


def _components(drawer: Drawer, type: vt.Vector, depth: int) -> tuple[Expression, ...]:
    if drawer.source.percent(20):
        return (drawer.expression(type.element, depth - 1),)
    arguments: list[Expression] = []
    left = type.size
    while left:
        width = drawer.source.integer(1, left) if type.size > 2 and drawer.source.percent(30) else 1
        part: vt.Type = type.element if width == 1 else vt.Vector(width, type.element)
        arguments.append(drawer.expression(part, depth - 1))
        left -= width
    return tuple(arguments)


def member_of_value(drawer: Drawer, type: vt.Type, depth: int) -> Expression | None:
    """A component, element or member of a value that is no name: of a call, a constructor, an operation."""
    wholes: list[tuple[vt.Type, str]] = []
    if isinstance(type, vt.Scalar):
        wholes.append((vt.Vector(drawer.source.integer(2, 4), type), ""))
    for structure in drawer.structures:
        wholes += [(structure, name) for name, member in structure.members if member == type]
    wholes += [(array, "") for array in drawer.pool if isinstance(array, vt.Array) and array.element == type]
    if not wholes:
        return None
    whole, name = drawer.source.pick(wholes)
    callees = drawer.callees(whole)
    value: Expression | None = drawer.call(drawer.source.pick(callees)) if callees else None
    made = value or drawer.expression(whole, depth - 1)
    if isinstance(whole, vt.Array):
        return Index(made, drawer.index(whole.count))
    if not isinstance(whole, vt.Vector):
        return Member(made, name)
    if drawer.source.percent(25):
        return Index(made, drawer.index(whole.size))
    return Member(made, "xyzw"[drawer.source.integer(0, whole.size - 1)])


def swizzle(drawer: Drawer, type: vt.Type, depth: int) -> Expression | None:
    """`v.yx`."""
    assert isinstance(type, vt.Vector), "the row fits vectors"
    whole = vt.Vector(drawer.source.integer(2, 4), type.element)
    letters = "".join("xyzw"[drawer.source.integer(0, whole.size - 1)] for _ in range(type.size))
    return Member(drawer.expression(whole, depth - 1), letters)


def atomic(drawer: Drawer, type: vt.Type, depth: int) -> Expression | None:
    """`atomicAdd(&a, e)` and `atomicLoad(&a)`."""
    assert isinstance(type, vt.Scalar), "the row fits scalars"
    address = drawer.atomic_address(type)
    if address is None:
        return None
    name = drawer.source.pick(("Load", "Add", "Load", "Sub", "Max", "Min", "And", "Or", "Xor", "Exchange"))
    arguments = (address,) if name == "Load" else (address, drawer.expression(type, depth - 1))
    return Call(Identifier(f"atomic{name}"), arguments)


def uniform_load(drawer: Drawer, type: vt.Type, depth: int) -> Expression | None:  # noqa: ARG001
    """`workgroupUniformLoad(&w)`."""
    entries = list(drawer.env.addressable(Space.WORKGROUP, Access.READ_WRITE, type))
    if isinstance(type, vt.Scalar) and type in _INTEGERS and drawer.source.percent(30):
        entries += drawer.env.addressable(Space.WORKGROUP, Access.READ_WRITE, vt.Atomic(type))
    if not entries or drawer.current.stages != {Stage.COMPUTE}:
        return None
    entry = drawer.source.pick(entries)
    drawer.current.touch(entry.name, read=True, write=False)
    return Call(Identifier("workgroupUniformLoad"), (drawer.address(entry, drawer.source.pick(entry.paths)),))


def _is_composite(type: vt.Type) -> bool:
    return not isinstance(type, vt.Scalar)


EXPRESSIONS: tuple[ExpressionRow[Drawer], ...] = (
    ExpressionRow("arithmetic", 12, is_numeric, arithmetic),
    ExpressionRow("shift", 2, is_integral, shift),
    ExpressionRow("negation", 1, is_numeric, negation),
    ExpressionRow("comparison", 12, lambda type: lanes(type) is vt.BOOL, comparison),
    ExpressionRow("logical", 2, lambda type: lanes(type) is vt.BOOL, logical),
    ExpressionRow("short-circuit", 4, lambda type: type is vt.BOOL, short_circuit),
    ExpressionRow("conversion", 3, lambda type: lanes(type) in _NUMBERS, conversion),
    ExpressionRow("constructor", 6, _is_composite, constructor),
    ExpressionRow("member-of-value", 2, lambda _: True, member_of_value),
    ExpressionRow("swizzle", 6, lambda type: isinstance(type, vt.Vector), swizzle),
    ExpressionRow("called", 7, lambda _: True, called),
    ExpressionRow("atomic", 5, lambda type: type in _INTEGERS, atomic),
    ExpressionRow("uniform-load-value", 2, lambda _: True, uniform_load),
)
