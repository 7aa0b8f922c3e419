"""What pointers are in WebKit's analysis, and what its front end makes of lets of them (docs/webkit-analysis.md)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.analysis import Iteration, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.graph import Role
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import Scope
from wgsl_fuzz.wgsl.resolution import Pointer, Resolution, Space
from wgsl_fuzz.wgsl.walk import descendants


class PointerLets(ScopeAnalysis):
    """What the names of pointer lets stand for."""

    def initialiser(self, e: w.Expression) -> w.Expression | None:
        """The expression that a name stands for; None for what is no such name."""
        return None

    def is_named(self, e: w.Expression, kind: type) -> bool:
        """Whether an expression is a name of such a declaration, or stands for one."""
        while (seen := self.initialiser(e)) is not None:
            e = seen
        return isinstance(e, w.Identifier) and isinstance(self.resolution.declaration(e), kind)


class LetsReplaced(PointerLets):
    """Evaluates the initialiser of a pointer let at each use of its name, and not at the let."""

    def initialiser(self, e: w.Expression) -> w.Expression | None:
        declared = self.resolution.declaration(e) if isinstance(e, w.Identifier) else None
        if not isinstance(declared, w.Let) or not self.resolution.is_pointer(declared.value):
            return None
        return None if is_unknown(self.resolution, declared) else declared.value

    def stmt(self, s: w.Statement, cf: Node) -> Node:
        """Nothing is evaluated at the let."""
        return cf if isinstance(s, w.Let) and self.resolution.is_pointer(s.value) else super().stmt(s, cf)

    def let(self, e: w.Expression, x: w.Let, cf: Node, loaded: bool) -> Node:
        seen = self.initialiser(e)
        return super().let(e, x, cf, loaded) if seen is None else self.expr(seen, cf, loaded)

    def may_change(self, syntax: w.Node) -> list[int]:
        """Every variable: calls in initialisers may stand far from there."""
        return [x for x in self.M if not isinstance(self.subjects[x], w.Let)]


class _Unknown(Resolution):
    """A meaning of names in which some lets of pointers stand for nothing, and then for variables of their own."""

    def __init__(self, of: Resolution) -> None:
        self.__dict__.update(of.__dict__)
        self.lets_of_bodies: set[int] = set()
        """The lets in the bodies of loops, while the `continuing` of these is analysed; by `id`."""
        self.all_lets = False

    def _root_of_name(self, name: w.Identifier) -> w.Variable | w.Parameter | None:
        declared = self.declaration(name)
        # Whoever asks wants to know whose value it is, and such a let has one.
        return cast(w.Variable, declared) if is_unknown(self, declared) else super()._root_of_name(name)

    def is_full(self, expression: w.Expression) -> bool:
        """Also a name that stands for nothing, in full."""
        while isinstance(expression, w.Unary):
            expression = expression.operand
        return super().is_full(expression) or (
            isinstance(expression, w.Identifier) and is_unknown(self, self.declaration(expression))
        )


def is_unknown(resolution: Resolution, declared: object) -> bool:
    """Whether a declaration is a pointer let whose name stands for nothing where the analysis is."""
    if not isinstance(resolution, _Unknown) or not isinstance(declared, w.Let):
        return False
    here = resolution.all_lets or id(declared) in resolution.lets_of_bodies
    return here and resolution.is_pointer(declared.value)


class UnknownLets(PointerLets):
    """Names of pointer lets that stand for nothing until something is stored through them."""

    names: _Unknown

    def __init__(self, resolution: Resolution, scope: Scope | None) -> None:
        super().__init__(resolution, scope)
        known = self.resolution
        self.resolution = self.names = known if isinstance(known, _Unknown) else _Unknown(known)

    def let(self, e: w.Expression, x: w.Let, cf: Node, loaded: bool) -> Node:
        return self.M[id(x)] if is_unknown(self.resolution, x) else super().let(e, x, cf, loaded)

    def nothing(self, lets: list[w.Let]) -> None:
        """Gives them a value that depends on nothing, not even on control flow."""
        for x in lets:
            self.subjects.setdefault(id(x), cast(w.Variable, x))
            self.M.setdefault(id(x), self.graph.fresh(Role.READ, x, x))


class LetsUnknownInBreakIf(UnknownLets):
    """Takes pointer lets in a `break if` for nothing."""

    def break_if(self, s: w.BreakIf, cf: Node) -> Node:
        named = [self.resolution.declaration(e) for e in descendants(s.condition) if isinstance(e, w.Identifier)]
        self.names.all_lets = True
        self.nothing([x for x in named if isinstance(x, w.Let) and is_unknown(self.resolution, x)])
        after = super().break_if(s, cf)
        self.names.all_lets = False
        return after

    def expr(self, e: w.Expression, cf: Node, loaded: bool) -> Node:
        """`*&x` is not loaded."""
        operand = e.operand if isinstance(e, w.Unary) and e.operator == "*" else None
        address = self.names.all_lets and isinstance(operand, w.Unary) and operand.operator == "&"
        return super().expr(e, cf, loaded and not address)


class LetsUnknownInContinuing(UnknownLets):
    """Takes pointer lets of a loop's body for nothing in its continuing."""

    def continuing(self, s: Iteration, cf: Node) -> Node:
        lets = [x for x in s.body.statements if isinstance(x, w.Let) and self.resolution.is_pointer(x.value)]
        if not isinstance(s, w.Loop) or not lets:
            return super().continuing(s, cf)
        self.nothing(lets)
        outer = self.names.lets_of_bodies
        self.names.lets_of_bodies = outer | {id(x) for x in lets}
        after = super().continuing(s, cf)
        self.names.lets_of_bodies = outer
        return after


class LeftSides(PointerLets):
    """Of a left side only the values of its indices count, and not its address."""

    def left_side(self, e: w.Expression, cf: Node) -> Node:
        return self.graph.fresh(Role.OPERATION, e, None, *self.indices(e, cf))

    def indices(self, e: w.Expression, cf: Node) -> Iterator[Node]:
        """From left to right, also those in what a name stands for."""
        match e:
            case w.Member() | w.Index():
                yield from self.indices(e.base, cf)
                if isinstance(e, w.Index):
                    yield self.value(e.index, cf)
            case w.Unary():
                yield from self.indices(e.operand, cf)
            case w.Identifier():
                declared, seen = self.resolution.declaration(e), self.initialiser(e)
                if seen is not None:
                    yield from self.indices(seen, cf)
                elif isinstance(declared, w.Let) and not is_unknown(self.resolution, declared):
                    yield self.lets[id(declared)]
            case _:
                yield self.expr(e, cf, False)


class AddressesAreContents(LeftSides):
    """Takes the address that a pointer parameter holds for what it leads to."""

    def pointer_parameter(self, e: w.Expression, p: w.Parameter, pointer: Pointer, cf: Node, loaded: bool) -> Node:
        """The contents, if it has any."""
        return super().pointer_parameter(e, p, pointer, cf, loaded or id(p) in self.M)

    def expr(self, e: w.Expression, cf: Node, loaded: bool) -> Node:
        """But the address of a name is control flow: as of p in `&p[i]`, and not in `&(*p)[i]`."""
        if loaded or not isinstance(e, w.Member | w.Index) or not self.is_named(e.base, w.Parameter):
            return super().expr(e, cf, loaded)
        return cf if isinstance(e, w.Member) else self.both(e, cf, self.value(e.index, cf))


class PointersNotLoaded(PointerLets):
    """Takes an element, and behind a let a member, of what a pointer leads to for its address."""

    def expr(self, e: w.Expression, cf: Node, loaded: bool) -> Node:
        if not loaded or not isinstance(e, w.Member | w.Index) or not self.is_address(e):
            return super().expr(e, cf, loaded)
        base = self.expr(e.base, cf, False)
        return base if isinstance(e, w.Member) else self.both(e, base, self.value(e.index, cf))

    def is_address(self, e: w.Member | w.Index) -> bool:
        """Whether the base is a pointer, and no parameter: what that leads to counts anyway."""
        if not self.resolution.is_pointer(e.base) or self.is_named(e.base, w.Parameter):
            return False
        return isinstance(e, w.Index) or not isinstance(e.base, w.Unary)


class EveryPointerHasContents(ScopeAnalysis):
    """Takes what a pointer parameter of any address space leads to for what its caller knows of it."""

    def is_contents(self, p: w.Parameter) -> bool:
        return self.resolution.pointer(p) is not None

    def pointer_parameter(self, e: w.Expression, p: w.Parameter, pointer: Pointer, cf: Node, loaded: bool) -> Node:
        """As in the `function` address space."""
        return super().pointer_parameter(e, p, replace(pointer, space=Space.FUNCTION), cf, loaded)

    def user_call(self, e: w.Call, f: w.Function, cf: Node, arguments: list[Node]) -> Node:
        """A variable at module scope has the value that it is read with, before and behind the call."""
        with self.of_module([a for a, p in zip(e.arguments, f.parameters, strict=True) if self.is_contents(p)], cf):
            return super().user_call(e, f, cf, arguments)

    @contextmanager
    def of_module(self, pointers: list[w.Expression], cf: Node) -> Iterator[None]:
        """While this is open, the variables at module scope that are pointed to have values."""
        roots = {id(root): (a, root) for a in pointers for root in [self.resolution.root(a)] if id(root) not in self.M}
        self.M.update({x: self.named(a, root, cf, True) for x, (a, root) in roots.items()})
        yield
        for x in roots:
            del self.M[x]
