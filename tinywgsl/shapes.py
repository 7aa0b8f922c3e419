"""The shape of a shader: what is left without its names and the values of its literals."""

from typing import Any

from tinywgsl.ast import (
    ARITHMETIC,
    BITWISE,
    COMPARISONS,
    LOGICAL,
    SHIFTS,
    Assign,
    Barrier,
    Binary,
    Block,
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
)

_TYPES = {id(t): i for i, t in enumerate(Type)}  # by identity: an enumeration's own hash is slow
_OPERATORS = {
    op: i for i, op in enumerate(sorted(COMPARISONS | LOGICAL | ARITHMETIC | BITWISE | SHIFTS | {"!", "~"}), start=10)
}  # the hash of a string differs between processes
_ASSIGN, _SHARED, _IF, _LOOP, _CALL, _BARRIER, _CONTINUE, _BREAK, _RETURN, _END = range(10)


def shape(shader: Shader) -> int:
    """A 64-bit hash that two shaders share if they differ in names, IDs and literals only, and hardly otherwise.

    It is the same in every process of one Python version. Arrays and the workgroup size count.
    """
    names = _Names()
    arrays = tuple([(names[a.name], _TYPES[id(a.type)], a.size) for a in shader.arrays])
    return hash((shader.workgroup_size, arrays, *[_function(f, names) for f in shader.all_functions]))


class _Names(dict[str, int]):
    """Numbers names in the order in which they are first asked for."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number


def _function(f: Function, names: _Names) -> int:
    variables = tuple([(names[v.name], _TYPES[id(v.type)]) for v in (*f.params, *f.locals)])
    flat: list[Any] = [names[f.name], len(f.params), variables, 0 if f.result is None else 1 + _TYPES[id(f.result)]]
    _block(f.body, names, flat)
    return hash(tuple(flat))


def _block(ss: Block, names: _Names, flat: list[Any]) -> None:
    for s in ss:
        _statement(s, names, flat)
    flat.append(_END)


def _statement(s: Stmt, names: _Names, flat: list[Any]) -> None:
    match s:
        case Assign(x, e):
            flat += (_ASSIGN, names[x], _expression(e, names))
        case SharedAssign(x, e1, e2):
            flat += (_SHARED, names[x], _expression(e1, names), _expression(e2, names))
        case If(e, then, orelse):
            flat += (_IF, _expression(e, names))
            _block(then, names, flat)
            _block(orelse, names, flat)
        case Loop(_, body, continuing):
            flat.append(_LOOP)
            _block(body, names, flat)
            _block(continuing, names, flat)
        case Call(_, x, f, arguments):
            flat += (_CALL, names[x], names[f], *[_expression(e, names) for e in arguments])
        case Barrier():
            flat.append(_BARRIER)
        case Continue():
            flat.append(_CONTINUE)
        case Break():
            flat.append(_BREAK)
        case Return(value):
            flat += (_RETURN, 0 if value is None else _expression(value, names))


def _expression(e: Expr, names: _Names) -> int:
    match e:
        case Local(x):
            return hash((1, names[x]))
        case Literal():
            return 2 + _TYPES[id(e.type)]
        case Binary(op, left, right):
            return hash((_OPERATORS[op], _expression(left, names), _expression(right, names)))
        case Lid():
            return 0
        case SharedRead(x, index):
            return hash((6, names[x], _expression(index, names)))
        case Unary(op, operand):
            return hash((_OPERATORS[op], _expression(operand, names)))
        case Convert(type, operand):
            return hash((7, _TYPES[id(type)], _expression(operand, names)))
