"""Edits that take a name out of a module: its declaration, what is assigned to it, and wherever it is read."""

from collections.abc import Callable, Iterator

from wgsl_fuzz.fuzz.reduction.module_context import Context, Mode
from wgsl_fuzz.fuzz.reduction.module_tree import Change, Misfit, fresh, rewritten, rewritten_below
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Call,
    CallStatement,
    Const,
    Expression,
    Function,
    Identifier,
    Increment,
    Index,
    Let,
    Literal,
    Member,
    Module,
    Node,
    Override,
    Parameter,
    Unary,
    Variable,
)
from wgsl_fuzz.wgsl.types import Declared
from wgsl_fuzz.wgsl.walk import descendants

Named = Variable | Let | Const | Override | Parameter


def module_with(ctx: Context, change: Change) -> Iterator[Module]:
    """The module with what `change` makes of it, unless that does not fit."""
    try:
        module = rewritten(ctx.module, change)
    except Misfit:
        return
    if isinstance(module, Module) and module is not ctx.module:
        yield collapsed(module)


def collapsed(module: Module) -> Module:
    """The module with `e` for `*&e`, and `e.m` for `(&e).m`."""

    def change(n: Node) -> Node | None:
        match n:
            case Unary("*", Unary("&", inner)):
                return _one(inner)
            case Member(Unary("&", inner), name):
                return Member(_one(inner), name)
            case Index(Unary("&", inner), index):
                return Index(_one(inner), _one(index))
        return None

    def _one(e: Expression) -> Expression:
        new = rewritten(e, change)
        assert isinstance(new, Expression), "an expression stays one"
        return new

    new = rewritten(module, change)
    assert isinstance(new, Module), "a module stays one"
    return new


def forgotten(ctx: Context) -> Iterator[Module]:
    """For each name of a value: the module without it, and zeros wherever it was read."""
    for named in _all_named(ctx):
        yield from module_with(ctx, _Forgetting(ctx, named).change)


def inlined_values(ctx: Context) -> Iterator[Module]:
    """For each name that is declared with its value and never changed: the value wherever it was read."""
    for named in _all_named(ctx):
        if isinstance(named, Parameter) or named.value is None or _is_changed(ctx, named):
            continue
        yield from module_with(ctx, _with_value(ctx, named, named.value, dropped=named))


def propagated(ctx: Context) -> Iterator[Module]:
    """For each `x = e`: the module without it, and `e` wherever the function read `x`."""
    for place in ctx.places:
        assign = place.node
        if isinstance(assign, Assign) and assign.operator == "=":
            named = ctx.declared(assign.left)
            if isinstance(named, Variable):
                yield from module_with(ctx, _with_value(ctx, named, assign.right, dropped=assign))


def of_same_type(ctx: Context) -> Iterator[Module]:
    """For each variable, an earlier one of the same type in its place: two become one."""
    seen: list[Variable | Parameter | Let] = []
    for named in reversed(_all_named(ctx)):
        if isinstance(named, Const | Override):
            continue
        for other in seen:
            if _alike(ctx, named, other):
                yield from module_with(ctx, _renamed(ctx, named, other.name))
        seen.append(named)


def _alike(ctx: Context, named: Named, other: Named) -> bool:
    if type(named) is not type(other) or ctx.typing.declared(named) != ctx.typing.declared(other):
        return False
    if isinstance(named, Variable) and isinstance(other, Variable):
        return named.template == other.template and ctx.typing.declared(named) is not None
    return isinstance(named, Parameter) and named.attributes == () and named is not other


def _renamed(ctx: Context, named: Named, other: str) -> Change:
    """Another name for one: its declaration goes, what it was declared with is assigned."""
    dropped = _DroppedArguments(ctx, named) if isinstance(named, Parameter) else None

    def change(n: Node) -> Node | tuple[Node, ...] | None:
        if n is named:
            value = n.value if isinstance(n, Variable) and ctx.resolution.is_function_scope(n) else None
            return () if value is None else (Assign("=", Identifier(other), value),)
        if isinstance(n, Identifier) and ctx.declared(n) is named:
            return Identifier(other)
        return dropped.change(n, change) if dropped is not None else None

    return change


def _all_named(ctx: Context) -> list[Named]:
    """The names of values, the last ones first; those of module scope last."""
    outer: list[Named] = []
    inner: list[Named] = []
    for place in reversed(ctx.places):
        n = place.node
        if isinstance(n, Named):
            (outer if isinstance(place.parent, Module) else inner).append(n)
    return inner + outer


def _is_changed(ctx: Context, named: Named) -> bool:
    return any(ctx.modes[id(p.node)] is Mode.REFERENCE for p in ctx.uses.get(id(named), ()))


def _with_value(ctx: Context, named: Named, value: Expression, dropped: Node) -> Change:
    def change(n: Node) -> Node | tuple[Node, ...] | None:
        if n is dropped:
            return ()
        is_read = isinstance(n, Identifier) and ctx.declared(n) is named
        if is_read and ctx.modes[id(n)] in (Mode.VALUE, Mode.CONSTANT, Mode.WORD):
            return fresh(value)
        return None

    return change


class _DroppedArguments:
    """The calls of a function without the argument for one parameter."""

    def __init__(self, ctx: Context, parameter: Parameter) -> None:
        functions = [f for f in ctx.resolution.functions if any(p is parameter for p in f.parameters)]
        self._calls = {id(place.node) for f in functions for place in ctx.calls.get(id(f), ())}
        self._index = next(i for f in functions for i, p in enumerate(f.parameters) if p is parameter)

    def change(self, n: Node, change: Change) -> Node | None:
        """A call without the argument, `change` made of the others; None for what is no such call."""
        if not isinstance(n, Call) or id(n) not in self._calls:
            return None
        kept = (*n.arguments[: self._index], *n.arguments[self._index + 1 :])
        return rewritten_below(Call(n.callee, kept), change)


class _Forgetting:
    """A name is taken out, with the pointers into it and the calls that are given such pointers."""

    def __init__(self, ctx: Context, named: Named) -> None:
        self._ctx = ctx
        self._gone: dict[int, Declared] = {id(named): named}
        for place in ctx.places:
            n = place.node
            if isinstance(n, Let) and ctx.resolution.is_pointer(n.value) and self._is_gone(n.value):
                self._gone[id(n)] = n
        self._drop = _DroppedArguments(ctx, named).change if isinstance(named, Parameter) else _nothing

    def _is_gone(self, e: Expression) -> bool:
        return id(self._ctx.base(e)) in self._gone

    def change(self, n: Node) -> Node | tuple[Node, ...] | None:
        """What stands for a node."""
        if id(n) in self._gone:
            return ()
        if isinstance(n, Assign | Increment) and self._is_gone(n.left):
            return ()
        if isinstance(n, CallStatement) and self._is_given(n.call):
            return ()
        if not isinstance(n, Expression) or isinstance(n, Literal):
            return None
        if isinstance(n, Call):
            if self._is_given(n):
                return self._ctx.zero(self._ctx.typing.of(n))
            return self._drop(n, self.change)
        if self._is_gone(n):
            mode = self._ctx.modes[id(n)]
            if mode is Mode.REFERENCE or self._ctx.resolution.is_pointer(n):
                raise Misfit
            if mode in (Mode.WORD, Mode.CONSTANT) and self._ctx.typing.of(n) != "bool":
                return Literal("1")  # a size
            return self._ctx.zero(self._ctx.typing.of(n))
        return None

    def _is_given(self, call: Call) -> bool:
        """Whether a call is given a pointer into what is gone, beside an argument that goes itself."""
        dropped = self._drop(call, lambda n: n)
        kept = dropped.arguments if isinstance(dropped, Call) else call.arguments
        return any(self._ctx.resolution.is_pointer(a) and self._is_gone(a) for a in kept)


def _nothing(_n: Node, _change: Change) -> Node | None:
    return None


def without_function(ctx: Context) -> Iterator[Module]:
    """For each function that is called: the module without it, and zeros for its calls."""
    for f in reversed(ctx.resolution.functions):
        if ctx.resolution.entry_stage(f) is None:
            yield from module_with(ctx, _without_calls(ctx, f, lambda call: ctx.zero(ctx.typing.of(call))))


def _without_calls(ctx: Context, f: Function, value: Callable[[Call], Expression]) -> Change:
    calls = {id(place.node) for place in ctx.calls.get(id(f), ())}

    def change(n: Node) -> Node | tuple[Node, ...] | None:
        if n is f or (isinstance(n, CallStatement) and id(n.call) in calls):
            return ()
        return value(n) if isinstance(n, Call) and id(n) in calls else None

    return change


def unused(ctx: Context) -> Iterator[Module]:
    """The module without what nothing uses, all at once: declarations, and locals whose values have no effects."""
    reached = _reached(ctx)

    def change(n: Node) -> tuple[Node, ...] | None:
        if isinstance(n, Let | Const | Variable) and id(n) not in reached and not ctx.uses.get(id(n)):
            return () if n.value is None or not ctx.has_effects(n.value) else None
        return None

    kept = tuple(d for d in ctx.module.declarations if id(d) in reached)
    module = Module(ctx.module.directives, kept)
    new = rewritten(module, change)
    if isinstance(new, Module) and (len(kept) < len(ctx.module.declarations) or new is not module):
        yield new


def _reached(ctx: Context) -> set[int]:
    """The declarations at module scope that entry points use; that functions use, where there is no entry point."""
    entries = [f for f in ctx.resolution.functions if ctx.resolution.entry_stage(f) is not None]
    waiting: list[Node] = list(entries or ctx.resolution.functions)
    reached = {id(d) for d in waiting}
    while waiting:
        for n in descendants(waiting.pop()):
            declared = ctx.resolution.declaration(n) if isinstance(n, Identifier) else None
            if declared is not None and id(declared) not in reached:
                reached.add(id(declared))
                waiting.append(declared)
    return reached
