"""Edits of declarations and functions: parts that need not be there, calls inlined, results and pointers left out."""

from collections.abc import Iterator
from functools import partial
from itertools import chain

from wgsl_fuzz.fuzz.reduction.context import Context, Edit, constructible
from wgsl_fuzz.fuzz.reduction.statements import chunks, own_expressions, shorter, spared
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import MATRIX_MEMORY, Stage
from wgsl_fuzz.wgsl.rewrite import Change, Misfit, Nodes, expression, fresh, rewritten_below, with_fields
from wgsl_fuzz.wgsl.walk import descendants

_HEADS = (w.Let, w.Variable, w.Assign, w.Phony, w.Return, w.If, w.Switch, w.CallStatement)
"""The statements whose expressions are evaluated once, when the statement begins."""


# ---------------------------------------------------------------------------------------------------------- inlining


def inlined_calls(ctx: Context) -> Iterator[Edit]:
    """For each function: the module with its body wherever it is called, with jumps out of it or without."""
    for f in ctx.resolution.functions:
        if ctx.calls_of(f) and ctx.resolution.entry_stage(f) is None:
            for keeps_returns in (False, True):
                yield ctx.edit(_Inlining, f, keeps_returns)


class _Inlining:
    """A function's body for its calls: names in it get a number for each call."""

    def __init__(self, ctx: Context, f: w.Function, keeps_returns: bool) -> None:
        self._ctx, self._f = ctx, f
        self._calls = ctx.calls_of(f)
        self._count = 0
        body = f.body.statements
        last = body[-1] if body and isinstance(body[-1], w.Return) else None
        self._value = None if last is None else last.value
        self._body = w.Block(body if last is None else body[:-1])
        self._keeps_returns = keeps_returns
        self._returns = any(isinstance(n, w.Return) for n in descendants(self._body))
        if keeps_returns and not self._returns:
            self._calls = frozenset()

    def __call__(self, n: w.Node) -> Nodes | None:
        """What stands for a node of the module."""
        if n is self._f:
            return ()
        if isinstance(n, (w.CallStatement, w.Phony)):
            call = n.call if isinstance(n, w.CallStatement) else n.value
            if id(call) in self._calls and isinstance(call, w.Call):
                given = self._arguments(call)
                return (*self._inlined(given), *self._thrown_away(given))
        if isinstance(n, _HEADS):
            found = [e for e in own_expressions(n) if id(e) in self._calls]
            if found and self._body.statements:
                return self._hoisted(n, found)
        if isinstance(n, w.Call) and id(n) in self._calls:
            if self._body.statements:
                raise Misfit
            return self._result(self._arguments(n))
        return None

    def _hoisted(self, n: w.Statement, found: list[w.Expression]) -> tuple[w.Node, ...]:
        """The body before the statement with the calls, and the result in it."""
        before: list[w.Statement] = []
        values: dict[int, w.Expression] = {}
        for call in found:
            assert isinstance(call, w.Call), "only calls are looked for"
            given = self._arguments(call)
            before += self._inlined(given)
            values[id(call)] = self._result(given)
        changed = rewritten_below(n, lambda e: values.get(id(e)) or self(e))
        return (*before, changed)

    def _arguments(self, call: w.Call) -> list[w.Expression]:
        self._count += 1
        return [expression(argument, self) for argument in call.arguments]

    def _result(self, given: list[w.Expression]) -> w.Expression:
        if self._value is None:
            raise Misfit
        return expression(self._value, self._copy(given))

    def _thrown_away(self, given: list[w.Expression]) -> tuple[w.Statement, ...]:
        if self._value is None or not self._ctx.has_effects(self._value):
            return ()
        return (w.Phony(self._result(given)),)

    def _inlined(self, given: list[w.Expression]) -> tuple[w.Statement, ...]:
        return rewritten_below(self._body, self._copy(given)).statements

    def _copy(self, given: list[w.Expression]) -> Change:
        """A copy of what is in the function: arguments for parameters, new names for what it declares."""
        ctx, parameters = self._ctx, {id(p): i for i, p in enumerate(self._f.parameters)}
        count = self._count

        def copy(n: w.Node) -> Nodes | None:
            if isinstance(n, w.Identifier):
                declared = ctx.resolution.declaration(n)
                if id(declared) in parameters:
                    return fresh(given[parameters[id(declared)]])
                is_local = isinstance(declared, (w.Let, w.Variable)) and id(declared) in locals_
                return with_fields(n, name=f"{n.name}_{count}") if is_local else fresh(n)
            if isinstance(n, (w.Let, w.Variable)):
                return rewritten_below(with_fields(n, name=f"{n.name}_{count}"), copy)
            if isinstance(n, w.Return):
                return w.Return() if self._keeps_returns else ()
            return rewritten_below(with_fields(n), copy)

        locals_ = {id(n) for n in descendants(self._f) if isinstance(n, (w.Let, w.Variable))}
        return copy


# -------------------------------------------------------------------------------------------------------- signatures


def without_results(ctx: Context) -> Iterator[Edit]:
    """For each function with a result: the module in which it has none, and zeros wherever that was used."""
    for f in ctx.resolution.functions:
        if f.result is not None and ctx.resolution.entry_stage(f) is not Stage.VERTEX:
            yield ctx.edit(_without_result, f)


def _without_result(ctx: Context, f: w.Function) -> Change:
    calls = ctx.calls_of(f)

    def change(n: w.Node) -> Nodes | None:
        if n is f:
            kept = tuple(a for a in f.attributes if a.name != "must_use")
            return rewritten_below(with_fields(f, result=None, result_attributes=(), attributes=kept), change)
        if isinstance(n, w.Return) and ctx.declaration_around(ctx.place_of[id(n)]) is f:
            return w.Return()
        if isinstance(n, w.Phony) and id(n.value) in calls and isinstance(n.value, w.Call):
            return rewritten_below(w.CallStatement(n.value), change)
        if id(n) not in calls or isinstance(ctx.place_of[id(n)].parent, (w.CallStatement, w.Phony)):
            return None
        assert isinstance(n, w.Call), "only calls are there"
        return ctx.zero(ctx.types.of(n))

    return change


# ------------------------------------------------------------------------------------------------------------- parts

_ONE = w.Literal("1")
_NEEDED = frozenset({"interpolate", "workgroup_size", "location", "builtin", "group", "binding"})
"""Attributes that something has to have; whether it does is not looked at elsewhere."""


def declarations(ctx: Context) -> Iterator[Edit]:
    """The module without some of its declarations in a row, more of them first; without a directive."""
    module = ctx.module
    for chunk in chunks(len(module.declarations) // 2 or 1):
        for kept in spared(ctx, module.declarations, chunk):
            yield partial(with_fields, module, declarations=kept)
    for directives in shorter(module.directives, 1):
        yield partial(with_fields, module, directives=directives)
    for place in ctx.places:
        if isinstance(place.node, (w.Enable, w.Requires)):
            for names in shorter(place.node.names, 1):
                if names:
                    yield partial(place.with_nodes, with_fields(place.node, names=names))


def without_parts(ctx: Context) -> Iterator[Edit]:
    """Each construct without what it need not have."""
    for place in ctx.places:
        for new in chain(_without_attribute(place.node), _without_part(place.node)):
            yield partial(place.with_nodes, new)


def _without_attribute(n: w.Node) -> Iterator[w.Node]:
    for name in ("attributes", "body_attributes"):
        attributes: w.Attributes = getattr(n, name, ())
        for i, attribute in enumerate(attributes):
            if attribute.name not in _NEEDED:
                yield with_fields(n, **{name: (*attributes[:i], *attributes[i + 1 :])})


def _without_part(n: w.Node) -> Iterator[w.Node]:
    match n:
        case w.If() if n.orelse is not None:
            yield with_fields(n, orelse=n.orelse.orelse if isinstance(n.orelse, w.If) else None)
        case w.Switch():
            yield from (with_fields(n, clauses=kept) for kept in shorter(n.clauses, 1))
        case w.Clause():
            yield from (with_fields(n, selectors=kept) for kept in shorter(n.selectors, 1) if kept)
        case w.For():
            yield from (
                with_fields(n, **{part: None}) for part in ("initial", "condition", "update") if getattr(n, part)
            )
        case w.Attribute(name="workgroup_size") if len(n.arguments) > 1 or n.arguments != (_ONE,):
            yield w.Attribute("workgroup_size", (fresh(_ONE),))


def aliases(ctx: Context) -> Iterator[Edit]:
    """The module without one of its aliases: the type for the name."""
    for alias in ctx.module.declarations:
        if isinstance(alias, w.Alias):
            yield ctx.edit(_without_alias, alias)


def _without_alias(ctx: Context, alias: w.Alias) -> Change:
    def change(n: w.Node) -> Nodes | None:
        if n is alias:
            return ()
        return fresh(alias.type) if isinstance(n, w.Identifier) and ctx.declared(n) is alias else None

    return change


def plainer_declarations(ctx: Context) -> Iterator[Edit]:
    """Each override without its number; each buffer as a private variable; arrays of one type with one element."""
    for place in ctx.places:
        n = place.node
        if isinstance(n, w.Override) and n.attributes:
            yield partial(place.with_nodes, with_fields(n, attributes=()))
        if isinstance(n, w.Variable) and n.attributes and n.template:
            type = ctx.types.declared(n)
            if type is not None and constructible(type):
                yield partial(place.with_nodes, with_fields(n, attributes=(), template=(w.Identifier("private"),)))
    yield from _smaller_arrays(ctx)


def _smaller_arrays(ctx: Context) -> Iterator[Edit]:
    """For each array type: the module in which such arrays have one element, if no element is said otherwise."""
    indices = (p.node.index for p in ctx.places if isinstance(p.node, w.Index))
    if any(isinstance(index, w.Literal) and index.text[0] != "0" for index in indices):
        return
    calls = [p.node for p in ctx.places if isinstance(p.node, w.Call)]
    if any(call.callee.name in MATRIX_MEMORY or (call.callee.name == "array" and call.arguments) for call in calls):
        return
    types = [p.node for p in ctx.places if isinstance(p.node, w.Identifier) and p.node.name == "array"]
    for type in dict.fromkeys(t for t in types if len(t.template) == 2 and t.template[1] != _ONE):
        yield ctx.edit(_with_one_element, type)


def _with_one_element(_: Context, type: w.Identifier) -> Change:
    def change(n: w.Node) -> Nodes | None:
        if not isinstance(n, w.Identifier) or n != type:
            return None
        return w.Identifier("array", (fresh(n.template[0]), fresh(_ONE)))

    return change
