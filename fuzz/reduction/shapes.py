"""Edits of types: structures lose members or become what they hold, vectors, matrices and arrays become an element."""

from collections.abc import Iterator
from functools import partial

from wgsl_fuzz.fuzz.reduction.context import Context, Edit, Mode
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, words
from wgsl_fuzz.wgsl.resolution import attribute_of
from wgsl_fuzz.wgsl.rewrite import Change, Misfit, Nodes, expression, fresh, rewritten_below, with_fields
from wgsl_fuzz.wgsl.types import FLOAT, U32, Array, Scalar, Type, Vector, element_of, pointee, written

_ZERO = "0"
_INDEXED = frozenset({"local_invocation_id", "global_invocation_id"})
_MOST_COPIES = 4


# -------------------------------------------------------------------------------------------------------- structures


def without_members(ctx: Context) -> Iterator[Edit]:
    """For each member of a structure: the module without it, and zeros wherever it was read."""
    for struct in ctx.module.declarations:
        if isinstance(struct, w.Struct) and len(struct.members) > 1:
            for i in range(len(struct.members) - 1, -1, -1):
                yield ctx.edit(_without_member, struct, i)


def _struct_of(ctx: Context, e: w.Expression) -> w.Struct | None:
    """The structure that an expression is, or points to."""
    type = pointee(ctx.types.of(e))
    return None if type is None else ctx.types.struct(type)


def _without_member(ctx: Context, struct: w.Struct, i: int) -> Change:
    name = struct.members[i].name

    def is_it(e: w.Expression) -> bool:
        while isinstance(e, (w.Index, w.Member)):
            if isinstance(e, w.Member) and e.name == name and _struct_of(ctx, e.base) is struct:
                return True
            e = e.base
        return False

    def change(n: w.Node) -> Nodes | None:
        if n is struct.members[i]:
            return ()
        if isinstance(n, (w.Assign, w.Increment)) and is_it(n.left):
            return ()
        if isinstance(n, w.Member) and n.name == name and _struct_of(ctx, n.base) is struct:
            if ctx.modes[id(n)] is Mode.REFERENCE:
                raise Misfit
            return ctx.zero(ctx.types.named(struct.members[i].type))
        if isinstance(n, w.Call) and ctx.declared(n.callee) is struct and n.arguments:
            return rewritten_below(w.Call(n.callee, (*n.arguments[:i], *n.arguments[i + 1 :])), change)
        return None

    return change


def single_members(ctx: Context) -> Iterator[Edit]:
    """For each structure of one member: the module with the member's type for it."""
    for struct in ctx.module.declarations:
        if isinstance(struct, w.Struct) and len(struct.members) == 1:
            yield ctx.edit(_as_member, struct, struct.members[0])


def _as_member(ctx: Context, struct: w.Struct, member: w.StructMember) -> Change:
    places = tuple(a for a in member.attributes if a.name in ("builtin", "location", "interpolate"))

    def change(n: w.Node) -> Nodes | None:
        if n is struct:
            return ()
        if isinstance(n, (w.Function, w.Parameter)) and places:
            type = n.result if isinstance(n, w.Function) else n.type
            if type is not None and ctx.declared(type) is struct:
                name = "result_attributes" if isinstance(n, w.Function) else "attributes"
                copied: tuple[w.Attribute, ...] = tuple(fresh(a) for a in places)
                return rewritten_below(with_fields(n, **{name: copied}), change)
        if isinstance(n, w.Member) and n.name == member.name and _struct_of(ctx, n.base) is struct:
            base = expression(n.base, change)
            return w.Unary("*", base) if ctx.resolution.is_pointer(n.base) else base
        if isinstance(n, w.Call) and ctx.declared(n.callee) is struct:
            if n.arguments:
                return expression(n.arguments[0], change)
            inner = ctx.types.named(member.type)
            if inner is None:
                raise Misfit
            return w.Call(written(inner, short=True), ())
        return fresh(member.type) if isinstance(n, w.Identifier) and ctx.declared(n) is struct else None

    return change


def plain_inputs(ctx: Context) -> Iterator[Edit]:
    """Each built-in input of a compute shader as the index of the invocation, if it has the type of that."""
    for place in ctx.places:
        n = place.node
        if isinstance(n, w.Parameter) and attribute_of(n.attributes, "builtin") and ctx.types.declared(n) == U32:
            index = w.Attribute("builtin", (w.Identifier("local_invocation_index"),))
            yield partial(place.with_nodes, with_fields(n, attributes=(index,)))


# ---------------------------------------------------------------------------------------------------------- elements


def elements(ctx: Context) -> Iterator[Edit]:
    """For each variable, `let` and parameter of a compound type: the module in which it is one element."""
    for place in ctx.places:
        n = place.node
        if isinstance(n, (w.Variable, w.Let, w.Parameter)):
            type = ctx.types.declared(n)
            part = None if type is None else element_of(type)
            if type is not None and part is not None:
                yield ctx.edit(_as_element, n, type, part)


def _as_element(ctx: Context, named: w.Variable | w.Let | w.Parameter, type: Type, element: Type) -> Change:
    """A declaration gets the type of one element: `x[i]` becomes `x`, and `x` a compound of copies of it."""
    given = ctx.given(named)

    def is_name(e: w.Expression) -> bool:
        return isinstance(e, w.Identifier) and ctx.declared(e) is named

    def element_in(value: w.Expression) -> w.Expression:
        """The first element of a value."""
        if isinstance(value, w.Call) and ctx.is_constructor(value):
            if not value.arguments:
                return ctx.zero(element)
            if ctx.types.of(value.arguments[0]) == element:
                return expression(value.arguments[0], change)
        return w.Index(expression(value, change), w.Literal(_ZERO))

    def change(n: w.Node) -> Nodes | None:
        if n is named:
            written_type = None if named.type is None else written(element, short=True)
            if isinstance(named, w.Parameter):
                return with_fields(named, type=written_type, attributes=_indexed(named))
            return with_fields(named, type=written_type, value=None if named.value is None else element_in(named.value))
        if isinstance(n, w.Assign) and is_name(n.left):
            return w.Assign(n.operator, n.left, element_in(n.right))
        if isinstance(n, w.Call) and id(n) in given:
            arguments, i = [expression(a, change) for a in n.arguments], given[id(n)]
            arguments[i] = element_in(n.arguments[i])
            return w.Call(n.callee, tuple(arguments))
        if isinstance(n, (w.Index, w.Member)) and is_name(n.base):
            if isinstance(n, w.Index) or len(n.name) == 1:
                return n.base
            assert isinstance(element, Scalar), "only vectors have swizzles"
            return w.Call(written(Vector(len(n.name), element), short=True), (n.base,))
        return _compound(ctx, type, n) if isinstance(n, w.Identifier) and is_name(n) else None

    return change


def _compound(ctx: Context, type: Type, name: w.Identifier) -> w.Expression:
    """A compound of copies of an element, where its value is read."""
    if ctx.modes[id(name)] is not Mode.VALUE:
        raise Misfit
    if isinstance(type, Vector):
        return w.Call(written(type, short=True), (name,))
    if isinstance(type, Array) and type.count is not None and type.count <= _MOST_COPIES:
        return w.Call(written(type, short=True), tuple(fresh(name) for _ in range(type.count)))
    return ctx.zero(type)


def _indexed(p: w.Parameter) -> tuple[w.Attribute, ...]:
    """The attributes of an input that becomes a component."""
    builtin = attribute_of(p.attributes, "builtin")
    if builtin is None:
        return tuple(fresh(a) for a in p.attributes)
    word = builtin.arguments[0]
    if isinstance(word, w.Identifier) and word.name in _INDEXED:
        return (w.Attribute("builtin", (w.Identifier("local_invocation_index"),)),)
    raise Misfit


# ----------------------------------------------------------------------------------------------------------- scalars


def unsigned(ctx: Context) -> Iterator[Edit]:
    """The module with u32 for each other type of numbers, if no function is called that wants the other."""
    for wanted, suffix in (("f32", "f"), ("i32", "i"), ("f16", "h")):
        if not any(_wants(ctx, p.node, wanted) for p in ctx.places):
            yield ctx.edit(_as_unsigned, wanted, suffix)


_ANY_NUMBERS = words("select min max abs clamp all any arrayLength workgroupUniformLoad bitcast dot") | frozenset(
    name for name in FUNCTIONS if name.startswith(("atomic", "subgroup", "quad")) or name.endswith("Barrier")
)
_FLOATS = words("position frag_depth clip_distances")


_SIGNED = words("ldexp frexp sign dot4I8Packed unpack4xI8 pack4xI8 pack4xI8Clamp")


def _wants(ctx: Context, n: w.Node, wanted: str) -> bool:
    """Whether something has to be of a type of numbers, or may have to."""
    if wanted == "i32":
        found = ctx.resolution.builtin(n) if isinstance(n, w.Call) else None
        return found is not None and (found.name in _SIGNED or found.name.startswith("texture"))
    if isinstance(n, w.Attribute):
        return any(isinstance(e, w.Identifier) and e.name in _FLOATS for e in n.arguments)
    if isinstance(n, w.Identifier):
        return ctx.declared(n) is None and n.name.startswith(("mat", "texture_"))
    builtin = ctx.resolution.builtin(n) if isinstance(n, w.Call) else None
    return builtin is not None and builtin.name not in _ANY_NUMBERS


def _as_unsigned(ctx: Context, wanted: str, suffix: str) -> Change:
    def change(n: w.Node) -> w.Node | None:
        if isinstance(n, w.Literal):
            if n.text[-1] == suffix and not n.text.startswith("0x"):
                whole = n.text[:-1].partition(".")[0]
                return w.Literal(f"{whole}u") if whole.isdecimal() else w.Literal("0u")
            is_float = wanted == "f32" and ctx.types.of(n) == FLOAT
            return w.Literal(n.text.partition(".")[0] or _ZERO) if is_float else None
        if isinstance(n, w.Unary) and n.operator == "-":
            return rewritten_below(w.Unary("~", n.operand), change)
        if isinstance(n, w.Identifier) and ctx.declared(n) is None:
            if n.name == wanted:
                return w.Identifier("u32")
            if n.name.startswith("vec") and n.name[-1] == suffix:
                return w.Identifier(f"{n.name[:-1]}u")
        return None

    return change
