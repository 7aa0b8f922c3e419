"""Edits on the tree of a module of WGSL, each a smaller module; whether it still means something is asked later."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from wgsl_fuzz.fuzz.reduction.module_types import ZEROS, type_text
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Attribute,
    Attributes,
    Binary,
    Block,
    Call,
    CallStatement,
    Clause,
    Const,
    ConstAssert,
    Declaration,
    Expression,
    For,
    Function,
    Identifier,
    If,
    Increment,
    Index,
    Literal,
    Loop,
    Member,
    Module,
    Node,
    Override,
    Parameter,
    Phony,
    Statement,
    Struct,
    Switch,
    Unary,
    Variable,
    While,
)
from wgsl_fuzz.wgsl.walk import descendants

Edit = Callable[[Node], Iterator[Node]]
"""What may stand for a node."""
_T = TypeVar("_T")

_FIXED = (Attribute, ConstAssert, Override)
"""In these no expression is replaced: constants have to stand there, or words."""
_NEEDED = frozenset({"interpolate", "workgroup_size", "location", "builtin", "group", "binding"})
"""Attributes that something has to have; whether it does is not looked at elsewhere."""


def _with(n: Any, **changed: Any) -> Any:
    """A copy of a node with other fields."""
    return replace(n, **changed)


def size(module: Module) -> tuple[int, int]:
    """Statements and declarations, then all nodes; a literal is smaller than a name."""
    long = weight = 0
    for n in descendants(module):
        long += isinstance(n, Statement | Declaration | Parameter)
        weight += 1 if isinstance(n, Literal) else 2
    return long, weight


def neighbours(resolution: Resolution) -> Iterator[tuple[str, Iterator[Module]]]:
    """The smaller modules one edit away, the boldest edits first, with a name for each sort of edit."""
    module = resolution.module
    yield "declarations", _without_declarations(module)
    longest = max((len(n.statements) for n in descendants(module) if isinstance(n, Block)), default=0)
    chunk = longest
    while chunk:
        yield f"statements {chunk}", _modules(module, lambda n, chunk=chunk: _removed(n, chunk))  # type: ignore[misc]
        chunk //= 2
    yield "unwrapped", _modules(module, _unwrapped)
    yield "parts", _modules(module, _without_part)
    yield "parameters", _without_parameters(resolution)
    yield "expressions", _modules(module, lambda n: _simpler(n, resolution))


def _modules(module: Module, edit: Edit) -> Iterator[Module]:
    return (m for m in _edited(module, edit) if isinstance(m, Module))


def _edited(n: Node, edit: Edit) -> Iterator[Node]:
    """A node with one edit in it, or below it."""
    yield from edit(n)
    for field in fields(n):
        value = getattr(n, field.name)
        if isinstance(value, Node):
            yield from (_with(n, **{field.name: new}) for new in _edited(value, edit))
        elif isinstance(value, tuple) and value and isinstance(value[0], Node):
            for i, inner in enumerate(value):
                for new in _edited(inner, edit):
                    yield _with(n, **{field.name: (*value[:i], new, *value[i + 1 :])})


def _shorter(items: Sequence[_T], chunk: int) -> Iterator[tuple[_T, ...]]:
    """Every run of items taken out, last first."""
    for i in range(len(items) - chunk, -1, -1):
        yield (*items[:i], *items[i + chunk :])


def _without_declarations(module: Module) -> Iterator[Module]:
    chunk = max(1, len(module.declarations) // 2)
    while chunk:
        for kept in _shorter(module.declarations, chunk):
            yield replace(module, declarations=kept)
        chunk //= 2
    for directives in _shorter(module.directives, 1):
        yield replace(module, directives=directives)


def _removed(n: Node, chunk: int) -> Iterator[Node]:
    """A block without some statements."""
    if isinstance(n, Block) and len(n.statements) >= chunk:
        for kept in _shorter(n.statements, chunk):
            yield replace(n, statements=kept)


def _unwrapped(n: Node) -> Iterator[Node]:
    """A block with what is in one of its statements in place of that."""
    if isinstance(n, Block):
        for i, s in enumerate(n.statements):
            for inside in _inside(s):
                yield replace(n, statements=(*n.statements[:i], *inside, *n.statements[i + 1 :]))


def _inside(s: Statement) -> Iterator[tuple[Statement, ...]]:
    """The statements of each part of a statement."""
    match s:
        case Block():
            yield s.statements
        case If():
            yield s.then.statements
            if s.orelse is not None:
                yield (s.orelse,) if isinstance(s.orelse, If) else s.orelse.statements
        case Switch():
            yield from (clause.body.statements for clause in s.clauses)
        case Loop() | While() | For():
            yield s.body.statements
            if isinstance(s, Loop) and s.continuing is not None:
                yield s.continuing.statements


def _without_part(n: Node) -> Iterator[Node]:
    """A construct without what it need not have."""
    for name in ("attributes", "body_attributes"):
        attributes: Attributes = getattr(n, name, ())
        for i, attribute in enumerate(attributes):
            if attribute.name not in _NEEDED:
                yield _with(n, **{name: (*attributes[:i], *attributes[i + 1 :])})
    match n:
        case If() if n.orelse is not None:
            yield replace(n, orelse=n.orelse.orelse if isinstance(n.orelse, If) else None)
        case Switch():
            yield from (replace(n, clauses=kept) for kept in _shorter(n.clauses, 1))
        case Clause():
            yield from (replace(n, selectors=kept) for kept in _shorter(n.selectors, 1) if kept)
        case Loop() if n.continuing is not None:
            yield replace(n, continuing=None)
        case For():
            yield from (_with(n, **{part: None}) for part in ("initial", "condition", "update") if getattr(n, part))
        case Variable() if n.type is not None and n.value is not None:
            yield replace(n, value=None)
        case Struct():
            yield from (replace(n, members=kept) for kept in _shorter(n.members, 1) if kept)
        case Function():
            yield from _shorter_function(n)


def _shorter_function(f: Function) -> Iterator[Node]:
    """An entry point without an input: nobody calls it."""
    if any(a.name in ("compute", "vertex", "fragment") for a in f.attributes):
        yield from (replace(f, parameters=kept) for kept in _shorter(f.parameters, 1))


# -------------------------------------------------------------------------------------------------------- parameters


def _without_parameters(resolution: Resolution) -> Iterator[Module]:
    """A function without a parameter, and its calls without the argument."""
    for f in resolution.functions:
        if resolution.entry_stage(f) is None:
            for i in range(len(f.parameters)):
                changed = _mapped(resolution.module, lambda n, f=f, i=i: _without_argument(n, f, i, resolution))  # type: ignore[misc]
                assert isinstance(changed, Module)
                yield changed


def _mapped(n: Node, change: Callable[[Node], Node]) -> Node:
    """A tree with every node changed, from the leaves up."""
    new: dict[str, Any] = {}
    for field in fields(n):
        value = getattr(n, field.name)
        if isinstance(value, Node):
            new[field.name] = _mapped(value, change)
        elif isinstance(value, tuple) and value and isinstance(value[0], Node):
            new[field.name] = tuple(_mapped(inner, change) for inner in value)
    # The change is asked about the node as it was: names are known by identity.
    return _merged(change(n), n, new)


def _merged(changed: Node, n: Node, new: dict[str, Any]) -> Node:
    """What a change made of a node, with what it made of the nodes below."""
    dropped = {"arguments", "parameters"}
    for name, value in new.items():
        own = getattr(changed, name)
        if name in dropped and own is not getattr(n, name):
            old = getattr(n, name)
            new[name] = tuple(v for v, o in zip(value, old) if any(o is kept for kept in own))
    return _with(changed, **new) if new else changed


def _without_argument(n: Node, f: Function, i: int, resolution: Resolution) -> Node:
    if n is f:
        return replace(f, parameters=(*f.parameters[:i], *f.parameters[i + 1 :]))
    if isinstance(n, Call) and resolution.function(n) is f:
        return replace(n, arguments=(*n.arguments[:i], *n.arguments[i + 1 :]))
    return n


# ------------------------------------------------------------------------------------------------------- expressions


def _simpler(n: Node, resolution: Resolution) -> Iterator[Node]:
    """A node with one of its values replaced by a part of it, or by a literal, of the same type."""
    if isinstance(n, _FIXED):
        return
    for name, value in _values(n):
        if isinstance(value, tuple):
            for i, e in enumerate(value):
                for new in _instead(e, resolution):
                    yield _with(n, **{name: (*value[:i], new, *value[i + 1 :])})
        else:
            yield from (_with(n, **{name: new}) for new in _instead(value, resolution))


def _values(n: Node) -> Iterator[tuple[str, Any]]:
    """The fields of a node that hold values to be read."""
    match n:
        case Call():
            yield "arguments", n.arguments
        case Unary() if n.operator not in "&*":
            yield "operand", n.operand
        case Binary():
            yield from (("left", n.left), ("right", n.right))
        case Index():
            yield "index", n.index
        case Assign():
            yield "right", n.right
        case If() | While():
            yield "condition", n.condition
        case For() if n.condition is not None:
            yield "condition", n.condition
        case Switch():
            yield "selector", n.selector
        case Module() | Const() | Member() | Identifier() | Literal() | CallStatement() | Increment():
            return
        case _:
            yield from _of_statement(n)


def _of_statement(n: Node) -> Iterator[tuple[str, Any]]:
    """`value` of a declaration, `_ = value` and `return value`; `condition` of `break if`."""
    for name in ("value", "condition"):
        value = getattr(n, name, None)
        if isinstance(value, Expression) and not (isinstance(n, Phony) and isinstance(value, Identifier)):
            yield name, value


def _instead(e: Expression, resolution: Resolution) -> Iterator[Expression]:
    """Smaller values of the type that an expression has."""
    wanted = None if isinstance(e, Literal) else type_text(e, resolution)
    if wanted is None:
        return
    for text in ZEROS.get(wanted, ()):
        yield Literal(text)
    for part in _parts(e):
        if type_text(part, resolution) == wanted:
            yield part


def _parts(e: Expression) -> tuple[Expression, ...]:
    match e:
        case Unary():
            return (e.operand,)
        case Binary():
            return e.left, e.right
        case Index():
            return (e.index,)
        case Call():
            return e.arguments
    return ()
