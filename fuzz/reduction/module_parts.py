"""Edits of what a construct need not have: attributes, branches, clauses, initial values, types, directives."""

from collections.abc import Iterator
from itertools import chain

from wgsl_fuzz.fuzz.reduction.module_context import Context
from wgsl_fuzz.fuzz.reduction.module_forget import module_with
from wgsl_fuzz.fuzz.reduction.module_statements import chunks, shorter, spared
from wgsl_fuzz.fuzz.reduction.module_tree import fresh, with_fields
from wgsl_fuzz.wgsl.builtins import SHORT_TYPES
from wgsl_fuzz.wgsl.syntax import (
    Alias,
    Attribute,
    Attributes,
    Call,
    Clause,
    Enable,
    For,
    Function,
    Identifier,
    If,
    Index,
    Literal,
    Loop,
    Module,
    Node,
    Override,
    Requires,
    Return,
    Switch,
    Variable,
)

_ONE = Literal("1")
_NEEDED = frozenset({"interpolate", "workgroup_size", "location", "builtin", "group", "binding"})
"""Attributes that something has to have; whether it does is not looked at elsewhere."""


def declarations(ctx: Context) -> Iterator[Module]:
    """The module without some of its declarations in a row, more of them first; without a directive."""
    module = ctx.module
    for chunk in chunks(len(module.declarations) // 2 or 1):
        for kept in spared(ctx, module.declarations, chunk):
            yield with_fields(module, declarations=kept)
    for directives in shorter(module.directives, 1):
        yield with_fields(module, directives=directives)
    for place in ctx.places:
        if isinstance(place.node, Enable | Requires):
            for names in shorter(place.node.names, 1):
                if names:
                    yield place.with_nodes(with_fields(place.node, names=names))


def without_parts(ctx: Context) -> Iterator[Module]:
    """Each construct without what it need not have."""
    for place in ctx.places:
        for new in chain(_without_attribute(place.node), _without_part(place.node)):
            yield place.with_nodes(new)


def _without_attribute(n: Node) -> Iterator[Node]:
    for name in ("attributes", "body_attributes"):
        attributes: Attributes = getattr(n, name, ())
        for i, attribute in enumerate(attributes):
            if attribute.name not in _NEEDED:
                yield with_fields(n, **{name: (*attributes[:i], *attributes[i + 1 :])})


def _without_part(n: Node) -> Iterator[Node]:
    match n:
        case If() if n.orelse is not None:
            yield with_fields(n, orelse=n.orelse.orelse if isinstance(n.orelse, If) else None)
        case Switch():
            yield from (with_fields(n, clauses=kept) for kept in shorter(n.clauses, 1))
        case Clause():
            yield from (with_fields(n, selectors=kept) for kept in shorter(n.selectors, 1) if kept)
        case Loop() if n.continuing is not None:
            yield with_fields(n, continuing=None)
        case For():
            yield from (
                with_fields(n, **{part: None}) for part in ("initial", "condition", "update") if getattr(n, part)
            )
        case Return() if n.value is not None:
            yield Return()
        case Attribute(name="workgroup_size") if len(n.arguments) > 1 or n.arguments != (_ONE,):
            yield Attribute("workgroup_size", (fresh(_ONE),))
        case Function() if n.result is not None:
            yield with_fields(n, result=None, result_attributes=())


def aliases(ctx: Context) -> Iterator[Module]:
    """The module without one of its aliases: the type for the name."""
    for alias in ctx.module.declarations:
        if isinstance(alias, Alias):

            def change(n: Node, alias: Alias = alias) -> Node | tuple[Node, ...] | None:
                if n is alias:
                    return ()
                is_name = isinstance(n, Identifier) and ctx.declared(n) is alias
                return fresh(alias.type) if is_name else None

            yield from module_with(ctx, change)
    yield from module_with(ctx, lambda n: _short(n) if isinstance(n, Identifier) and ctx.declared(n) is None else None)


def _short(n: Identifier) -> Identifier | None:
    """`vec2f` for `vec2<f32>`."""
    component = n.template[0] if len(n.template) == 1 else None
    if not isinstance(component, Identifier) or component.template:
        return None
    name = n.name + ("h" if component.name == "f16" else component.name[0])
    is_number = component.name in ("u32", "i32", "f32", "f16")
    return Identifier(name) if is_number and name in SHORT_TYPES else None


def plainer_declarations(ctx: Context) -> Iterator[Module]:
    """Each override without its number; each buffer as a private variable; arrays of one type with one element."""
    for place in ctx.places:
        n = place.node
        if isinstance(n, Override) and n.attributes:
            yield place.with_nodes(with_fields(n, attributes=()))
        if isinstance(n, Variable) and n.attributes and n.template:
            type = ctx.typing.declared(n)
            if type is not None and ctx.typing.constructible(type):
                yield place.with_nodes(with_fields(n, attributes=(), template=(Identifier("private"),)))
    yield from _smaller_arrays(ctx)


def _smaller_arrays(ctx: Context) -> Iterator[Module]:
    """For each array type: the module in which such arrays have one element, if no element is said otherwise."""
    indices = (p.node.index for p in ctx.places if isinstance(p.node, Index))
    if any(isinstance(index, Literal) and index.text[0] != "0" for index in indices):
        return
    if any(isinstance(p.node, Call) and p.node.callee.name == "array" and p.node.arguments for p in ctx.places):
        return
    types = [p.node for p in ctx.places if isinstance(p.node, Identifier) and p.node.name == "array"]
    for type in dict.fromkeys(t for t in types if len(t.template) == 2 and t.template[1] != _ONE):

        def change(n: Node, type: Identifier = type) -> Node | None:
            if not isinstance(n, Identifier) or n != type:
                return None
            return Identifier("array", (fresh(n.template[0]), fresh(_ONE)))

        yield from module_with(ctx, change)
