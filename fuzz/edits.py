"""The edits of the reducer: every way to make a shader a little simpler, largest first.

Each function yields variants of its argument; most are not well-formed or not interesting, which is for the caller to
find out. All of them are smaller in `size`, so that reducing ends.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from tinywgsl.ast import (
    Assign,
    Barrier,
    Block,
    Break,
    Call,
    Continue,
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
    expressions_in,
    expressions_of,
    operands_of,
    type_of,
    walk,
    walk_expr,
)

Size = tuple[int, int, int]


def size(shader: Shader) -> Size:
    """The measure that reducing decreases: statements, then expressions, then what is declared and the `else`s."""
    statements = expressions = 0
    declared = len(shader.arrays) + shader.workgroup_size + sum(a.size for a in shader.arrays)
    for f in shader.all_functions:
        declared += 1 + len(f.params) + len(f.locals)
        for s in walk(f.body):
            statements += 1
            declared += isinstance(s, If) and bool(s.orelse)
            for e in expressions_of(s):
                expressions += sum(_weight(inner) for inner in walk_expr(e))
    return statements, expressions, declared


def _weight(e: Expr) -> int:
    match e:
        case Literal():
            return 2 + min(abs(e.value), 8)
        case Local():
            return 12
        case Lid():
            return 11
        case SharedRead():
            return 20
        case _:
            return 16


def variants(shader: Shader) -> Iterator[Shader]:
    """Every simpler neighbour of a shader, the larger steps first."""
    for i, f in enumerate(shader.functions):
        yield _without_function(shader, f)
        for j in range(len(f.params)):
            yield _without_param(shader, i, j)
        yield from _inlined(shader, f)
    for chunk in (8, 4, 2, 1):
        yield from _each_body(shader, partial(_removals, chunk=chunk))
    yield from _each_body(shader, _block_variants)
    yield from _each_body(shader, _propagations)
    yield from _declarations(shader)


def trimmed(shader: Shader) -> Shader:
    """The shader without the locals and arrays that nothing uses any more."""
    functions = [_trimmed_function(f) for f in shader.all_functions]
    used = {s.array for f in functions for s in walk(f.body) if isinstance(s, SharedAssign)}
    used |= {e.array for f in functions for e in expressions_in(f.body) if isinstance(e, SharedRead)}
    arrays = tuple(a for a in shader.arrays if a.name in used)
    return replace(shader.with_functions(functions), arrays=arrays)


def _trimmed_function(f: Function) -> Function:
    used = {e.name for e in expressions_in(f.body) if isinstance(e, Local)}
    used |= {s.name for s in walk(f.body) if isinstance(s, (Assign, Call))}
    return replace(f, locals=tuple(v for v in f.locals if v.name in used))


# --------------------------------------------------------------------------------------- functions and declarations


def _each_body(shader: Shader, edit: Callable[[Block], Iterator[Block]]) -> Iterator[Shader]:
    functions = shader.all_functions
    for i in (len(functions) - 1, *range(len(functions) - 1)):  # `main` first
        for ss in edit(functions[i].body):
            yield shader.with_functions([*functions[:i], replace(functions[i], body=ss), *functions[i + 1 :]])


def _rewritten(ss: Block, change: Callable[[Stmt], Block]) -> Block:
    """The block with `change` applied to every simple statement in it."""
    out: list[Stmt] = []
    for s in ss:
        match s:
            case If():
                out.append(If(s.condition, _rewritten(s.then, change), _rewritten(s.orelse, change)))
            case Loop():
                out.append(Loop(s.id, _rewritten(s.body, change), _rewritten(s.continuing, change)))
            case _:
                out.extend(change(s))
    return tuple(out)


def _rewritten_calls(shader: Shader, name: str, change: Callable[[Call], Block]) -> Shader:
    def statement(s: Stmt) -> Block:
        return change(s) if isinstance(s, Call) and s.function == name else (s,)

    return shader.with_functions([replace(f, body=_rewritten(f.body, statement)) for f in shader.all_functions])


def _without_function(shader: Shader, f: Function) -> Shader:
    kept = replace(shader, functions=tuple(g for g in shader.functions if g is not f))
    return _rewritten_calls(kept, f.name, lambda _: ())


def _without_param(shader: Shader, i: int, j: int) -> Shader:
    """The shader whose i-th function reads a local, which is zero, where it read its j-th parameter."""
    f = shader.functions[i]
    changed = replace(f, params=(*f.params[:j], *f.params[j + 1 :]), locals=(f.params[j], *f.locals))
    functions = (*shader.functions[:i], changed, *shader.functions[i + 1 :])

    def call(s: Call) -> Block:
        return (replace(s, arguments=(*s.arguments[:j], *s.arguments[j + 1 :])),)

    return _rewritten_calls(replace(shader, functions=functions), f.name, call)


def _inlined(shader: Shader, f: Function) -> Iterator[Shader]:
    """The shader with the calls of a function that only returns replaced by what it returns."""
    match f.body:
        case (Return(e),) if e is not None:

            def call(s: Call) -> Block:
                value = e
                for v, argument in zip(f.params, s.arguments, strict=True):
                    value = _with_local(value, v.name, argument)
                return (Assign(s.name, value),)

            kept = replace(shader, functions=tuple(g for g in shader.functions if g is not f))
            yield _rewritten_calls(kept, f.name, call)


def _declarations(shader: Shader) -> Iterator[Shader]:
    for n in (2, 3):
        if n < shader.workgroup_size:
            yield replace(shader, workgroup_size=n)
    for i, a in enumerate(shader.arrays):
        if a.size != 1:
            yield replace(shader, arrays=(*shader.arrays[:i], replace(a, size=1), *shader.arrays[i + 1 :]))


# ---------------------------------------------------------------------------------------------- blocks, statements


def _removals(ss: Block, chunk: int) -> Iterator[Block]:
    """Every run of `chunk` statements taken out, here and in the blocks inside, last first."""
    for i in range(len(ss) - chunk, -1, -1):
        yield ss[:i] + ss[i + chunk :]
    for i, s in enumerate(ss):
        for inner in _inside(s, lambda block: _removals(block, chunk)):
            yield (*ss[:i], inner, *ss[i + 1 :])


def _inside(s: Stmt, edit: Callable[[Block], Iterator[Block]]) -> Iterator[Stmt]:
    match s:
        case If():
            for ss in edit(s.then):
                yield If(s.condition, ss, s.orelse)
            for ss in edit(s.orelse):
                yield If(s.condition, s.then, ss)
        case Loop():
            for ss in edit(s.body):
                yield Loop(s.id, ss, s.continuing)
            for ss in edit(s.continuing):
                yield Loop(s.id, s.body, ss)
        case _:
            return


def _block_variants(ss: Block) -> Iterator[Block]:
    for i, s in enumerate(ss):
        for instead in _replacements(s):
            yield (*ss[:i], *instead, *ss[i + 1 :])
        for inner in _inside(s, _block_variants):
            yield (*ss[:i], inner, *ss[i + 1 :])


def _replacements(s: Stmt) -> Iterator[Block]:
    """What may stand instead of a statement."""
    match s:
        case If():
            yield s.then
            yield s.orelse
            if s.orelse:
                yield (If(s.condition, s.then, ()),)
                yield (If(s.condition, s.orelse, ()),)
        case Loop():
            yield _without_jumps(s.body)
            yield _without_jumps(s.continuing)
            if s.continuing:
                yield (Loop(s.id, s.body, ()),)
        case Call():
            yield (Barrier(s.id),)
            yield (Assign(s.name, Literal(0, Type.U32)),)
    for i, e in enumerate(expressions_of(s)):
        for new in simpler(e):
            yield (with_expression(s, i, new),)


def _without_jumps(ss: Block) -> Block:
    """A loop's body without the jumps that belong to the loop, so that it can stand outside."""
    kept: list[Stmt] = []
    for s in ss:
        if isinstance(s, If):
            kept.append(If(s.condition, _without_jumps(s.then), _without_jumps(s.orelse)))
        elif not isinstance(s, (Break, Continue)):
            kept.append(s)
    return tuple(kept)


def with_expression(s: Stmt, i: int, new: Expr) -> Stmt:
    """`s` with its i-th expression replaced."""
    match s:
        case Assign() | Return():
            return replace(s, value=new)
        case SharedAssign():
            return replace(s, index=new) if i == 0 else replace(s, value=new)
        case If():
            return replace(s, condition=new)
        case Call():
            return replace(s, arguments=(*s.arguments[:i], new, *s.arguments[i + 1 :]))
        case _:
            raise ValueError(f"{type(s).__name__} has no expression")


def _propagations(body: Block) -> Iterator[Block]:
    """For every `x = e`: without it, and with `e` wherever `x` was read."""
    for assign in walk(body):
        if isinstance(assign, Assign):
            yield _propagated(body, assign)


def _propagated(ss: Block, assign: Assign) -> Block:
    out: list[Stmt] = []
    for s in ss:
        if s is assign:
            continue
        for i, e in enumerate(expressions_of(s)):
            s = with_expression(s, i, _with_local(e, assign.name, assign.value))
        match s:
            case If():
                s = If(s.condition, _propagated(s.then, assign), _propagated(s.orelse, assign))
            case Loop():
                s = Loop(s.id, _propagated(s.body, assign), _propagated(s.continuing, assign))
        out.append(s)
    return tuple(out)


def _with_local(e: Expr, name: str, value: Expr) -> Expr:
    if isinstance(e, Local):
        return value if e.name == name else e
    for i, part in enumerate(operands_of(e)):
        e = with_operand(e, i, _with_local(part, name, value))
    return e


def simpler(e: Expr) -> Iterator[Expr]:
    """Simpler expressions of the same type: a literal, a part, and then the same inside."""
    type = type_of(e)
    least: int = False if type is Type.BOOL else 0
    if not (isinstance(e, Literal) and e.value == least):
        yield Literal(least, type)
    if not isinstance(e, Literal):
        yield Literal(True if type is Type.BOOL else 1, type)
    if type is Type.U32 and not isinstance(e, (Literal, Lid)):
        yield Lid()
    for part in operands_of(e):
        if type_of(part) is type:
            yield part
    yield from _simpler_inside(e)


def _simpler_inside(e: Expr) -> Iterator[Expr]:
    for i, part in enumerate(operands_of(e)):
        for new in simpler(part):
            yield with_operand(e, i, new)


def with_operand(e: Expr, i: int, new: Expr) -> Expr:
    """`e` with its i-th operand replaced."""
    if isinstance(e, SharedRead):
        return replace(e, index=new)
    name = ("left", "right")[i] if hasattr(e, "left") else "operand"
    return replace(e, **{name: new})  # type: ignore[arg-type]
