"""Edits of names: declarations left out with all that uses them, values in their place, plain names."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import count, islice

from wgsl_fuzz.fuzz.reduction.context import EXPRESSIONS, Context, Edit, Mode, Named
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import PREDECLARED
from wgsl_fuzz.wgsl.lexer import KEYWORDS, RESERVED
from wgsl_fuzz.wgsl.resolution import Declared, Resolution
from wgsl_fuzz.wgsl.rewrite import Change, Misfit, Nodes, fresh, rewritten_below, with_fields
from wgsl_fuzz.wgsl.types import BOOL
from wgsl_fuzz.wgsl.walk import descendants


def forgotten(ctx: Context) -> Iterator[Edit]:
    """For each name of a value: the module without it, and zeros wherever it was read."""
    for named in ctx.named:
        yield ctx.edit(_forgetting, named)


def inlined_values(ctx: Context) -> Iterator[Edit]:
    """For each name that is declared with its value and never changed: the value wherever it was read."""
    for named in ctx.named:
        if isinstance(named, w.Parameter) or named.value is None or _is_changed(ctx, named):
            continue
        yield ctx.edit(_with_value, named, named.value, named)


_MOST_READS = 8
_MOST_CALLS = 4


def propagated(ctx: Context) -> Iterator[Edit]:
    """For each `x = e`: the module without it, and `e` wherever the function read `x`, or in one such place."""
    for place in ctx.places:
        assign = place.node
        if isinstance(assign, w.Assign) and assign.operator == "=":
            named = ctx.declared(assign.left)
            if isinstance(named, w.Variable):
                yield ctx.edit(_with_value, named, assign.right, assign)
                reads = [p.node for p in ctx.uses.get(id(named), ()) if ctx.modes[id(p.node)] is Mode.VALUE]
                for read in reads if 1 < len(reads) <= _MOST_READS else ():
                    yield ctx.edit(_with_one_value, read, assign.right, assign)


def _is_changed(ctx: Context, named: Named) -> bool:
    return any(ctx.modes[id(p.node)] is Mode.REFERENCE for p in ctx.uses.get(id(named), ()))


def _with_value(ctx: Context, named: Named, value: w.Expression, dropped: w.Node) -> Change:
    def change(n: w.Node) -> Nodes | None:
        if n is dropped:
            return ()
        is_read = isinstance(n, w.Identifier) and ctx.declared(n) is named
        if is_read and ctx.modes[id(n)] in (Mode.VALUE, Mode.CONSTANT, Mode.WORD):
            return fresh(value)
        return None

    return change


def _with_one_value(_: Context, read: w.Node, value: w.Expression, dropped: w.Node) -> Change:
    return lambda n: () if n is dropped else fresh(value) if n is read else None


def _forgetting(ctx: Context, named: Named) -> Change:
    """A name is taken out, with the pointers into it and the calls that are given such pointers."""
    gone: dict[int, Declared] = {id(named): named}
    for let in ctx.pointer_lets:
        if id(ctx.base(let.value)) in gone:
            gone[id(let)] = let
    given = ctx.given(named)
    calls = [p.node for p in ctx.places if id(p.node) in given] if given else []
    touched = ctx.around((*gone.values(), *calls))

    def is_gone(e: w.Expression) -> bool:
        return id(ctx.base(e)) in gone

    def kept(call: w.Call) -> tuple[w.Expression, ...]:
        """The arguments of a call, without the one for a parameter that is gone."""
        i = given.get(id(call), len(call.arguments))
        return (*call.arguments[:i], *call.arguments[i + 1 :])

    def is_given(call: w.Call) -> bool:
        """Whether a call is given a pointer into what is gone, beside an argument that goes itself."""
        return any(ctx.resolution.is_pointer(a) and is_gone(a) for a in kept(call))

    def change(n: w.Node) -> Nodes | None:
        if id(n) not in touched:
            return n
        if id(n) in gone or (isinstance(n, (w.Assign, w.Increment)) and is_gone(n.left)):
            return ()
        if isinstance(n, w.CallStatement) and is_given(n.call):
            return ()
        if not isinstance(n, w.Expression) or isinstance(n, w.Literal):
            return None
        if isinstance(n, w.Call):
            if is_given(n):
                return ctx.zero(ctx.types.of(n))
            return rewritten_below(w.Call(n.callee, kept(n)), change) if id(n) in given else None
        return _zero_for(ctx, n) if is_gone(n) else None

    return change


def _zero_for(ctx: Context, e: w.Expression) -> w.Expression:
    """What stands for a value that is gone."""
    mode = ctx.modes[id(e)]
    if mode is Mode.REFERENCE or ctx.resolution.is_pointer(e):
        raise Misfit
    if mode in (Mode.WORD, Mode.CONSTANT) and ctx.types.of(e) != BOOL:
        return w.Literal("1")  # a size
    return ctx.zero(ctx.types.of(e))


def without_function(ctx: Context) -> Iterator[Edit]:
    """For each function that is called: the module without it, and for its calls zeros, or what it calls itself."""
    for f in reversed(ctx.resolution.functions):
        if ctx.resolution.entry_stage(f) is None:
            yield ctx.edit(_without_calls, f)
            called = (n for n in descendants(f.body) if isinstance(n, w.Call) and f.result is not None)
            given = (n for n in called if ctx.types.of(n) == ctx.types.named(f.result))
            yield from (ctx.edit(_without_calls, f, call) for call in islice(given, _MOST_CALLS))


def _without_calls(ctx: Context, f: w.Function, value: w.Expression | None = None) -> Change:
    calls = ctx.calls_of(f)

    def change(n: w.Node) -> Nodes | None:
        if n is f or (isinstance(n, w.CallStatement) and id(n.call) in calls):
            return ()
        if isinstance(n, w.Call) and id(n) in calls:
            return ctx.zero(ctx.types.of(n)) if value is None else fresh(value)
        return None

    return change


def unused(ctx: Context) -> Iterator[Edit]:
    """The module without what nothing uses, all at once: declarations, and locals whose values have no effects."""
    reached = _reached(ctx)

    def change(n: w.Node) -> Nodes | None:
        if isinstance(n, EXPRESSIONS):
            return n
        if isinstance(n, (w.Let, w.Const, w.Variable)) and id(n) not in reached and id(n) not in ctx.resolution.uses:
            return () if n.value is None or not ctx.has_effects(n.value) else None
        return None

    kept = tuple(d for d in ctx.module.declarations if id(d) in reached)
    is_shorter = len(kept) < len(ctx.module.declarations)
    module = with_fields(ctx.module, declarations=kept) if is_shorter else ctx.module
    yield partial(rewritten_below, module, change)


def _reached(ctx: Context) -> set[int]:
    """The declarations at module scope that entry points use; that functions use, where there is no entry point."""
    entries = ctx.resolution.entry_points
    waiting: list[w.Node] = list(entries or ctx.resolution.functions)
    reached = {id(d) for d in waiting}
    while waiting:
        for n in descendants(waiting.pop()):
            declared = ctx.resolution.declaration(n) if isinstance(n, w.Identifier) else None
            if declared is not None and id(declared) not in reached:
                reached.add(id(declared))
                waiting.append(declared)
    return reached


_LETTERS: Mapping[type, str] = {
    w.Struct: "STUV",
    w.Alias: "TUV",
    w.Override: "OPQ",
    w.Function: "fghk",
    w.Parameter: "pqrs",
    w.Variable: "xyzuvwabcdijn",
    w.Let: "xyzuvwabcdijn",
    w.Const: "CDEK",
    w.StructMember: "mnopq",
}
_MODULE_VARIABLES = "ABCDEFGH"


def with_unique_names(resolution: Resolution) -> w.Module:
    """The module in which no name is declared twice: those that are get a number."""
    taken = {n.name for n in descendants(resolution.module) if isinstance(n, Declared)} | PREDECLARED
    seen: set[str] = set()
    names: dict[int, str] = {}
    for n in descendants(resolution.module):
        if isinstance(n, Declared):
            if n.name in seen:
                names[id(n)] = _first((f"{n.name.rstrip('_')}_{i}" for i in count(2)), taken)
                taken.add(names[id(n)])
            seen.add(n.name)
    return _renamed(resolution, names, {})


Names = Mapping[str, str]
"""Other names for names, each of which is declared once."""


def plain_names(resolution: Resolution) -> tuple[Names, Names]:
    """Functions f, g, ..., parameters p, q, ..., locals x, y, ... as in the text; an entry point is `main`.

    And names for the members of structures.
    """
    taken = set(PREDECLARED) | {"main"}
    names: dict[str, str] = {}
    members: dict[str, str] = {}
    outer = {id(d) for d in resolution.module.declarations}
    for n in descendants(resolution.module):
        if isinstance(n, Declared):
            letters = _MODULE_VARIABLES if isinstance(n, w.Variable) and id(n) in outer else _LETTERS[type(n)]
            is_entry = isinstance(n, w.Function) and resolution.entry_stage(n) is not None
            is_main = is_entry and "main" not in names.values()
            names[n.name] = "main" if is_main else _first(_lettered(letters), taken)
            taken.add(names[n.name])
        elif isinstance(n, w.StructMember) and n.name not in members:
            members[n.name] = _first(_lettered(_LETTERS[w.StructMember]), {*members.values()})
    return names, members


def with_plain_order(resolution: Resolution) -> w.Module:
    """The module with types first, then constants, variables, and functions behind those that they call."""
    order = {id(f): len(_ORDER) + i for i, f in enumerate(resolution.functions)}
    order |= {id(d): _ORDER.index(type(d)) for d in resolution.module.declarations if type(d) in _ORDER}
    declarations = sorted(resolution.module.declarations, key=lambda d: order.get(id(d), -1))
    return with_fields(resolution.module, declarations=tuple(declarations))


_ORDER = (w.Alias, w.Struct, w.Override, w.Const, w.Variable)


def plainly_spelled(module: w.Module) -> w.Module:
    """The module whose resources have bindings from 0 on, in one group, and whose indices and sizes have no suffix."""
    bindings = count()

    def change(n: w.Node) -> w.Node | None:
        if isinstance(n, w.Index) and isinstance(n.index, w.Literal):
            return rewritten_below(with_fields(n, index=w.Literal(n.index.text.rstrip("iu"))), change)
        if (
            isinstance(n, w.Identifier)
            and n.name == "array"
            and len(n.template) > 1
            and isinstance(n.template[1], w.Literal)
        ):
            size = w.Literal(n.template[1].text.rstrip("iu"))
            return rewritten_below(with_fields(n, template=(n.template[0], size)), change)
        if not isinstance(n, w.Variable) or not n.attributes:
            return None
        numbers = {"group": "0", "binding": str(next(bindings))}
        attributes = (
            w.Attribute(a.name, (w.Literal(numbers[a.name]),)) if a.name in numbers else a for a in n.attributes
        )
        return rewritten_below(with_fields(n, attributes=tuple(attributes)), change)

    return rewritten_below(module, change)


def renamed(resolution: Resolution, names: Names, members: Names) -> w.Module:
    """The module with other names, and other names of members of structures, where these are given."""
    found = (n for n in descendants(resolution.module) if isinstance(n, Declared))
    return _renamed(resolution, {id(n): names.get(n.name, n.name) for n in found}, members)


def _renamed(resolution: Resolution, names: Mapping[int, str], members: Names) -> w.Module:
    """Other names by the identity of declarations; for members of structures by name."""

    def change(n: w.Node) -> w.Node | None:
        name: str | None = None
        if isinstance(n, Declared):
            name = names.get(id(n))
        elif isinstance(n, w.StructMember):
            name = members.get(n.name)
        elif isinstance(n, w.Identifier):
            declared: Declared | None = resolution.declaration(n)
            name = None if declared is None else names.get(id(declared))
        elif isinstance(n, w.Member):
            found = resolution.type(n.base)
            name = members.get(n.name) if found is not None and found.struct is not None else None
        if name is None or name == getattr(n, "name", ""):
            return None
        return rewritten_below(with_fields(n, name=name), change)

    return rewritten_below(resolution.module, change)


def _first(names: Iterable[str], taken: Iterable[str]) -> str:
    forbidden = {*taken} | KEYWORDS | RESERVED
    return next(name for name in names if name not in forbidden)


def _lettered(letters: str) -> Iterator[str]:
    yield from letters
    yield from (f"{letter}{round}" for round in count(1) for letter in letters)
