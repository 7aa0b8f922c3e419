"""Typing of TinyWGSL: what the paper calls "the typical programming language well-formedness requirements"."""

from collections.abc import Iterator
from typing import assert_never

from wgsl_fuzz.tinywgsl.ast import (
    ARITHMETIC,
    BITWISE,
    COMPARISONS,
    LOGICAL,
    SHIFTS,
    Assign,
    Barrier,
    Binary,
    Break,
    Call,
    Continue,
    Convert,
    Expr,
    Function,
    If,
    Lid,
    Literal,
    Local,
    Loop,
    Return,
    Shader,
    SharedAssign,
    SharedRead,
    Stmt,
    Type,
    Unary,
    expressions_of,
    operands_of,
    type_of,
    walk,
)
from wgsl_fuzz.tinywgsl.constants import index_refusal, refusals
from wgsl_fuzz.tinywgsl.values import I32_MAX, I32_MIN, U32_MAX

TypeError_ = tuple[str, Stmt]
"""A message and the statement it is about."""


def type_errors(shader: Shader) -> Iterator[TypeError_]:
    """Every statement that is not well typed, or that a compiler refuses to evaluate, with the reason."""
    signatures = {f.name: f for f in shader.functions}
    arrays = {a.name: (a.type, a.size) for a in shader.arrays}
    sizes = {a.name: a.size for a in shader.arrays}
    for f in shader.all_functions:
        scope = {v.name: v.type for v in (*f.params, *f.locals)}
        for s in walk(f.body):
            for e in expressions_of(s):
                messages: list[str] = []
                _expression(e, scope, arrays, messages)
                for message in messages + refusals(e, sizes):
                    yield message, s
            for message in _statement(s, f, scope, arrays, signatures):
                yield message, s


_Scope = dict[str, Type]
_Arrays = dict[str, tuple[Type, int]]


def _expression(e: Expr, scope: _Scope, arrays: _Arrays, found: list[str]) -> None:
    """Appends what is wrong in an expression, innermost first."""
    for operand in operands_of(e):
        _expression(operand, scope, arrays, found)
    match e:
        case Literal():
            if not _in_range(e):
                found.append(f"{e.value} is no {e.type.value}")
        case Local():
            if scope.get(e.name) is not e.type:
                found.append(f"{e.name} is not declared as {e.type.value}")
        case SharedRead():
            if e.array not in arrays or arrays[e.array][0] is not e.type:
                found.append(f"{e.array} is not declared as an array of {e.type.value}")
            if type_of(e.index) is Type.BOOL:
                found.append(f"the index of {e.array} is bool")
        case Unary():
            allowed = {"!": {Type.BOOL}, "-": {Type.I32}, "~": {Type.U32, Type.I32}}.get(e.op, set())
            if type_of(e.operand) not in allowed:
                found.append(f"{e.op} does not take {type_of(e.operand).value}")
        case Binary():
            if not _operands_fit(e):
                found.append(f"{e.op} does not take {type_of(e.left).value} and {type_of(e.right).value}")
        case Lid() | Convert():
            pass
        case _:
            assert_never(e)


def _in_range(e: Literal) -> bool:
    match e.type:
        case Type.BOOL:
            return isinstance(e.value, bool)
        case Type.U32:
            return not isinstance(e.value, bool) and 0 <= e.value <= U32_MAX
        case Type.I32:
            return not isinstance(e.value, bool) and I32_MIN <= e.value <= I32_MAX


def _operands_fit(e: Binary) -> bool:
    left, right = type_of(e.left), type_of(e.right)
    if e.op in SHIFTS:
        return left is not Type.BOOL and right is Type.U32
    if left is not right:
        return False
    if e.op in LOGICAL:
        return left is Type.BOOL
    if e.op in ARITHMETIC or e.op == "^" or e.op in COMPARISONS - {"==", "!="}:
        return left is not Type.BOOL
    return e.op in BITWISE or e.op in ("==", "!=")


def _statement(s: Stmt, f: Function, scope: _Scope, arrays: _Arrays, signatures: dict[str, Function]) -> Iterator[str]:
    match s:
        case Assign():
            if scope.get(s.name) is not type_of(s.value):
                yield f"{s.name} cannot be assigned a {type_of(s.value).value}"
        case SharedAssign():
            element, size = arrays.get(s.array, (None, 0))
            if element is not type_of(s.value):
                yield f"an element of {s.array} cannot be assigned a {type_of(s.value).value}"
            if type_of(s.index) is Type.BOOL:
                yield f"the index of {s.array} is bool"
            elif why := index_refusal(s.index, size):
                yield why
        case If():
            if type_of(s.condition) is not Type.BOOL:
                yield "a condition is not bool"
        case Call():
            yield from _call(s, scope, signatures)
        case Return(value):
            if (None if value is None else type_of(value)) is not f.result:
                yield f"{f.name} does not return this type"
        case Loop() | Barrier() | Continue() | Break():
            pass
        case _:
            assert_never(s)


def _call(s: Call, scope: _Scope, signatures: dict[str, Function]) -> Iterator[str]:
    callee = signatures.get(s.function)
    if callee is None:
        yield f"{s.function} is not a function"
        return
    if [v.type for v in callee.params] != [type_of(e) for e in s.arguments]:
        yield f"{s.function} does not take these arguments"
    if scope.get(s.name) is not callee.result:
        yield f"{s.name} cannot be assigned the result of {s.function}"
