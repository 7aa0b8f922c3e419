"""Renaming: reduced shaders get the names that a person would give them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tinywgsl.ast import (
    Assign,
    Binary,
    Block,
    Call,
    Convert,
    Expr,
    Function,
    If,
    Local,
    Loop,
    Return,
    Shader,
    SharedAssign,
    SharedRead,
    Stmt,
    Unary,
    Variable,
)

Names = Mapping[str, str]


def with_plain_names(shader: Shader) -> Shader:
    """The shader with arrays A, B, ..., functions f, g, ... and locals x, y, ... in order of declaration."""
    return renamed(shader, plain_names(shader))


def plain_names(shader: Shader) -> Names:
    """The names that `with_plain_names` gives, by the names they replace."""
    names: dict[str, str] = {}
    names |= zip((a.name for a in shader.arrays), _letters("ABCDEFGH"))
    names |= zip((f.name for f in shader.functions), _letters("fghk"))
    locals_ = (v.name for f in shader.all_functions for v in (*f.params, *f.locals))
    names |= zip(locals_, _letters("xyzuvwabcdijn"))
    return names


def _letters(letters: str) -> Iterator[str]:
    yield from letters
    round = 1
    while True:
        yield from (f"{letter}{round}" for letter in letters)
        round += 1


def renamed(shader: Shader, names: Names) -> Shader:
    """The shader with every name that `names` knows replaced; names must stay distinct."""
    functions = [_function(f, names) for f in shader.all_functions]
    arrays = tuple(replace(a, name=names.get(a.name, a.name)) for a in shader.arrays)
    return replace(shader.with_functions(functions), arrays=arrays)


def _function(f: Function, names: Names) -> Function:
    def variables(vs: tuple[Variable, ...]) -> tuple[Variable, ...]:
        return tuple(Variable(names.get(v.name, v.name), v.type) for v in vs)

    name = names.get(f.name, f.name)
    return Function(name, variables(f.params), variables(f.locals), _block(f.body, names), f.result)


def _block(ss: Block, names: Names) -> Block:
    return tuple([_statement(s, names) for s in ss])


def _statement(s: Stmt, names: Names) -> Stmt:
    match s:
        case Assign(x, e):
            return Assign(names.get(x, x), _expr(e, names))
        case SharedAssign():
            return SharedAssign(names.get(s.array, s.array), _expr(s.index, names), _expr(s.value, names))
        case If():
            return If(_expr(s.condition, names), _block(s.then, names), _block(s.orelse, names))
        case Loop():
            return Loop(s.id, _block(s.body, names), _block(s.continuing, names))
        case Call():
            arguments = tuple([_expr(e, names) for e in s.arguments])
            return Call(s.id, names.get(s.name, s.name), names.get(s.function, s.function), arguments)
        case Return(e) if e is not None:
            return Return(_expr(e, names))
        case _:
            return s


def _expr(e: Expr, names: Names) -> Expr:
    match e:
        case Local():
            return Local(names.get(e.name, e.name), e.type)
        case SharedRead():
            return SharedRead(names.get(e.array, e.array), _expr(e.index, names), e.type)
        case Unary():
            return Unary(e.op, _expr(e.operand, names))
        case Convert():
            return Convert(e.type, _expr(e.operand, names))
        case Binary():
            return Binary(e.op, _expr(e.left, names), _expr(e.right, names))
        case _:
            return e
