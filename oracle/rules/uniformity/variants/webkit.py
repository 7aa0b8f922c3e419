"""Where WebKit's analysis departs from the rules, as predicted: each as a variant (docs/webkit-analysis.md).

None of it was seen in a Safari. Two texts of it are known: that of revision 92829e9, and a newer one. First comes what
pointers are in it, and what its front end makes of lets of them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, cast

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Direction, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import SUBGROUPS, FunctionResult, Iteration, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import NoValues, VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import CF_START, MAY_BE_NON_UNIFORM, Demand, Role
from wgsl_fuzz.oracle.rules.uniformity.variants.history import HISTORY
from wgsl_fuzz.oracle.rules.uniformity.variants.letter import LETTER_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import EITHER, LAXER, STRICTER, Author, S, departs, departure
from wgsl_fuzz.oracle.rules.uniformity.variants.tint import TINT_VARIANTS, KeepsBehindJumps
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import NEXT
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, Rule, Scope, words
from wgsl_fuzz.wgsl.problems import ResolveProblem, Unsupported
from wgsl_fuzz.wgsl.resolution import Access, PointerType, Resolution, Space
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

    def let_use(self, e: w.Expression, x: w.Let, cf: Node, loaded: bool) -> Node:
        seen = self.initialiser(e)
        return super().let_use(e, x, cf, loaded) if seen is None else self.expr(seen, cf, loaded)

    def may_change(self, syntax: w.Node) -> list[int]:
        """Every variable: calls in initialisers may stand far from there."""
        return [x for x in self.M if not isinstance(self.subjects[x], w.Let)]


class _Unknown(Resolution):
    """A meaning of names in which some lets of pointers stand for nothing, and then for variables of their own."""

    lets_of_bodies: frozenset[int] = frozenset()
    """The lets in the bodies of loops, while the `continuing` of these is analysed; by `id`."""
    all_lets = False

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
        self.resolution = self.names = known if isinstance(known, _Unknown) else known.copied_as(_Unknown)

    def let_use(self, e: w.Expression, x: w.Let, cf: Node, loaded: bool) -> Node:
        return self.M[id(x)] if is_unknown(self.resolution, x) else super().let_use(e, x, cf, loaded)

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


def _lets_unknown_in_continuing(piece: Callable[..., Node], self: UnknownLets, s: w.Loop, cf: Node) -> Node:
    lets = [x for x in s.body.statements if isinstance(x, w.Let) and self.resolution.is_pointer(x.value)]
    self.nothing(lets)
    outer = self.names.lets_of_bodies
    self.names.lets_of_bodies = outer | {id(x) for x in lets}
    after = piece(s, cf)
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

    def pointer_parameter(self, e: w.Expression, p: w.Parameter, pointer: PointerType, cf: Node, loaded: bool) -> Node:
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

    def pointer_parameter(self, e: w.Expression, p: w.Parameter, pointer: PointerType, cf: Node, loaded: bool) -> Node:
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


def predicted(section: str, *only_with: str) -> Author:
    """Departures by a section of the page; `only_with` are others without which no verdict shows them."""
    companions = " and ".join(f"webkit/{other}" for other in only_with)
    equivalent = f"Alone no verdict shows it; it matters with {companions}." if only_with else ""
    about = f"Predicted from how the analysis works: docs/webkit-analysis.md, {section}."
    return Author("webkit", about, equivalent)


_OF_OTHERS = {v.name: v for v in (*LETTER_VARIANTS, *HISTORY, *TINT_VARIANTS)}


def _also(section: str, other: str, name: str, way: Direction, does: str) -> Variant:
    """What an old text of the specification or another compiler does, too."""
    return replace(departs(predicted(section), name, way, does).variant, replacements=_OF_OTHERS[other].replacements)


_EXTENSIONS = words("f16 clip_distances")
_FEATURES = words(
    """readonly_and_readwrite_storage_textures packed_4x8_integer_dot_product unrestricted_pointer_parameters
    pointer_composite_access"""
)
_BUILTIN_VALUES = words(
    """vertex_index instance_index position front_facing frag_depth sample_index sample_mask local_invocation_id
    local_invocation_index global_invocation_id workgroup_id num_workgroups clip_distances"""
)
_OF_SUBGROUPS = words("num_subgroups subgroup_size subgroup_id subgroup_invocation_id")
_BUFFER_VIEWS = words("bufferView bufferArrayView bufferLength")


class FrontEnd(ScopeAnalysis):
    """The analysis behind a front end that refuses what it does not know, and behaviours that are not allowed."""

    extensions: ClassVar[frozenset[str]] = _EXTENSIONS | {SUBGROUPS}
    builtin_values: ClassVar[frozenset[str]] = _BUILTIN_VALUES | _OF_SUBGROUPS

    def module(self) -> list[FunctionResult]:
        """Raises Unsupported in place of a verdict."""
        module = self.resolution.module
        if self.resolution.proposals:
            raise Unsupported(
                f"WebKit's front end is not known to read {', '.join(sorted(self.resolution.proposals))}", 0
            )
        for node in (n for part in (*module.directives, *module.declarations) for n in descendants(part)):
            unknown = self.unknown(node)
            if unknown:
                raise Unsupported(f"WebKit's front end is not known to read {unknown}", node.start)
        try:
            return super().module()
        except ResolveProblem as problem:
            raise Unsupported(f"WebKit's front end refuses this: {problem.message}", problem.start) from None

    def unknown(self, node: w.Node) -> str:
        """What the front end does not know about a node itself; empty if it knows it."""
        match node:
            case w.Enable():
                return ", ".join(sorted({*node.names} - self.extensions))
            case w.Requires():
                return ", ".join(sorted({*node.names} - _FEATURES))
            case w.Attribute(name="builtin", arguments=(w.Identifier(name=name),)) if name not in self.builtin_values:
                return f"@builtin({name})"
            case w.Call() if (row := self.resolution.builtin(node)) is not None:
                unknown = row.name in _BUFFER_VIEWS or (row.rule is Rule.SUBGROUP and SUBGROUPS not in self.extensions)
                return row.name if unknown else ""
            case w.For():
                return _unknown_in_for(node)
            case _:
                return ""


class FrontEnd92829e9(FrontEnd):
    """That of revision 92829e9, without subgroups."""

    extensions = _EXTENSIONS
    builtin_values = _BUILTIN_VALUES


def _unknown_in_for(s: w.For) -> str:
    for part in (s.initial, s.update):
        if isinstance(part, w.CallStatement | w.Phony):
            return "a call or a phony assignment in the head of a 'for'"
        if isinstance(part, w.Assign | w.Increment):
            left = part.left
            while isinstance(left, w.Member | w.Index):
                left = left.base
            if not isinstance(left, w.Identifier) or left.start > part.start:
                return "a left side in the head of a 'for' that does not begin with a name"
    return ""


class Conditions(ScopeAnalysis):
    """Whether a condition depends on control flow, where the names in it do not."""

    def keeps_flow(self, syntax: w.Node) -> bool:
        """Whether control flow under a condition depends on that before it; `syntax` says whose condition it is."""
        return True


class NamesWithoutFlow(Conditions):
    """Takes the value of a name without control flow where it is read.

    What a function is called with, and what stands at module scope, depends on control flow at its start.
    """

    def read(self, e: w.Expression, declared: w.Variable | w.Let | w.Parameter, cf: Node, x: Node) -> Node:
        return x

    def constant(self, x: w.Const | w.Override, cf: Node) -> Node:
        return self.lets.get(id(x), CF_START)

    def module_variable(self, e: w.Expression, x: w.Variable, cf: Node, loaded: bool) -> Node:
        """A value is that from the start."""
        return super().module_variable(e, x, CF_START if loaded else cf, loaded)

    def entry_input(self, e: w.Expression, p: w.Parameter, cf: Node) -> Node:
        """A uniform one is uniform everywhere."""
        return super().entry_input(e, p, CF_START)

    def at_entry(self, role: Role, p: w.Parameter) -> Node:
        """X -> CF_start."""
        return self.graph.growing(role, p, p, CF_START)

    def stmt(self, s: w.Statement, cf: Node) -> Node:
        """A `const` has a value, too."""
        if isinstance(s, w.Const):
            self.lets[id(s)] = self.value(s.value, cf)
        return super().stmt(s, cf)

    def guarded(self, e: w.Binary, v1: Node) -> Node:
        """e2 need not depend on the value of e1, so the result has an edge to it."""
        return self.both(e, v1, super().guarded(e, v1))

    def condition(self, syntax: w.Node, e: w.Expression, cf: Node) -> Node:
        """Depends on its value, and on control flow."""
        v = super().condition(syntax, e, cf)
        return self.graph.fresh(Role.CONDITION, syntax, None, v, cf) if self.keeps_flow(syntax) else v

    def break_if(self, s: w.BreakIf, cf: Node) -> Node:
        v = super().break_if(s, cf)
        return self.graph.fresh(Role.CF_BREAK_IF, s, None, v, cf) if self.keeps_flow(s) else v


class OldValueBeforeStatement(ScopeAnalysis):
    """Takes the old value of a partly assigned variable before the whole statement."""

    def assignment(self, s: w.Assign | w.Increment, cf: Node) -> Node:
        self.old = self.M.get(id(self.resolution.root(s.left)))
        return super().assignment(s, cf)

    def kept(self, e: w.Expression) -> list[Node]:
        return [] if self.replaces_all(e) or self.old is None else [self.old]

    old: Node | None = None


def _with_variables_of_module(result: VariableMap, self: S) -> VariableMap:
    for x in self.resolution.module.declarations:
        if isinstance(x, w.Variable):
            self.subjects[id(x)] = x
            source = self.may_be_written(x)
            result[id(x)] = self.graph.fresh(Role.SOURCE, x, x, MAY_BE_NON_UNIFORM) if source else CF_START
    return result


class ModuleVariablesNotJoined(ScopeAnalysis):
    """Joins no variables at module scope where paths meet.

    Behind an `if` or `switch` it is as before that; behind a loop as the end of the text of its body left it.
    """

    def meet(self, role: Role, s: w.Statement, maps: list[VariableMap], before: VariableMap) -> VariableMap:
        return self.with_others(super().meet(role, s, maps, before), before)

    def behind_loop(self, s: Iteration, b1: int, end: VariableMap, before: VariableMap) -> VariableMap:
        return self.with_others(super().behind_loop(s, b1, end, before), end)

    def heads(self, s: Iteration) -> VariableMap:
        return {x: node for x, node in super().heads(s).items() if self.is_joined(x)}

    def is_joined(self, x: int) -> bool:
        """Whether a value is that of a variable, or pointer parameter, of the function."""
        found: object = self.subjects[x]
        return isinstance(found, w.Parameter) or (
            isinstance(found, w.Variable) and self.resolution.is_function_scope(found)
        )

    def with_others(self, joined: VariableMap, others: VariableMap) -> VariableMap:
        """The variables of the function as they are joined, and all else as it is elsewhere."""
        found = {x: node for x, node in joined.items() if self.is_joined(x)}
        found |= {x: node for x, node in others.items() if not self.is_joined(x)}
        return NoValues(found) if isinstance(joined, NoValues) else found


class IfsThatJumpKeep(KeepsBehindJumps, PointerLets):
    """Keeps variables behind an `if` whose branches all jump, if neither stores to them.

    The others depend on nothing. A branch stores to what is stored in it, but not in a block that is left by a jump; a
    loop in it, and a `switch` whose end is reached, store to every variable.
    """

    def keeps(self, x: int, s: w.Statement) -> bool:
        if not isinstance(s, w.If):
            return super().keeps(x, s)
        stored = {*self.stored_in_branch(s.then), *self.stored_in_else(s.orelse)}
        return x not in stored and None not in stored

    def stored_in_branch(self, s: w.Block) -> Iterator[int | None]:
        """What a list of statements stores to, by `id`; None stands for every variable."""
        for statement in s.statements:
            yield from self.stored(statement)
            if not NEXT & self.behaviour(statement):
                return

    def stored_in_else(self, s: w.Block | w.If | None) -> Iterable[int | None]:
        """What an `else` stores to."""
        return () if s is None else self.stored(s)

    def stored(self, s: w.Statement) -> Iterator[int | None]:
        """What a statement stores to, for what stands behind it."""
        match s:
            case w.Block():
                yield from self.stored_in_branch(s) if NEXT & self.behaviour(s) else ()
            case w.If():
                yield from self.given(s.condition)
                yield from self.stored_in_branch(s.then)
                yield from self.stored_in_else(s.orelse)
            case w.Switch():
                yield from self.given(s.selector)
                yield from (None,) if NEXT & self.behaviour(s) else ()
            case w.For(initial=w.Let(value=value)) if self.resolution.is_pointer(value):
                return
            case w.Loop() | w.While() | w.For():
                yield None
            case w.Let(value=value) | w.Phony(value=value) if self.resolution.is_pointer(value):
                return
            case _:
                yield from self.given(s)
                if isinstance(s, w.Assign | w.Increment):
                    yield id(self.resolution.root(s.left))
                elif isinstance(s, w.Variable):
                    yield id(s)

    def given(self, syntax: w.Node) -> Iterator[int]:
        """The variables to which calls in an expression or a statement are given pointers."""
        for e in descendants(syntax):
            if isinstance(e, w.Call) and self.resolution.function(e) is not None:
                yield from (id(self.resolution.root(a)) for a in e.arguments if self.resolution.is_pointer(a))
            elif isinstance(e, w.Identifier) and (seen := self.initialiser(e)) is not None:
                yield from self.given(seen)


class _EndOfText(ScopeAnalysis):
    """Code is analysed behind a jump, so the variables at the jump must not change with those behind it."""

    def at_continuing(self, s: Iteration, b1: int) -> VariableMap:
        return copy(super().at_continuing(s, b1))


def _to_the_head(result: None, self: S, head: Node, heads: VariableMap) -> None:
    """Back edges from each `continue`, too."""
    for M in self.continues[-1]:
        for x, node in heads.items():
            self.graph.add_edge(node, M[x])


UNIFORM_LOAD = "workgroupUniformLoad"


def _is_uniform_load_of_parameter(self: S, e: w.Call, demand: Demand) -> bool:
    loads = self.resolution.builtin(e) is FUNCTIONS[UNIFORM_LOAD] and demand is Demand.VALUE
    return loads and isinstance(self.resolution.root(e.arguments[0]), w.Parameter)


def _alias_by_its_name(piece: Callable[..., Node], self: S, e: w.Call, cf: Node) -> Node:
    """`textureLoad` without arguments is not modelled."""
    row = FUNCTIONS.get(e.callee.name)
    if row is None or row.rule is Rule.SUBGROUP or (row.name == "textureLoad" and not e.arguments):
        return piece(e, cf)
    return self.builtin_call(e, row, cf, self.arguments(e, cf))


class FiltersOfBodiesIgnored(ScopeAnalysis):
    """Ignores diagnostic filters in front of the bodies of statements and functions."""

    def body_filters(self, s: w.Switch | Iteration) -> w.Attributes:
        return ()

    def block(self, s: w.Block, cf: Node) -> Node:
        """Those of a block that is a statement, or stands after `else`, count."""
        if s.attributes and id(s) not in self.blocks:
            return self.stmts(s.statements, cf)
        return super().block(s, cf)

    @cached_property
    def blocks(self) -> frozenset[int]:
        """These blocks, by `id`."""
        inner = [node for f in self.resolution.functions for node in descendants(f.body)]
        lists = [s for node in inner if isinstance(node, w.Block) for s in node.statements]
        return frozenset(id(s) for s in (*lists, *(node.orelse for node in inner if isinstance(node, w.If))))


class SubgroupsOnlyIfClean(ScopeAnalysis):
    """Analyses the scope of subgroups only if the other scope has no violation of any severity."""

    @classmethod
    def goes_on(cls, results: Sequence[FunctionResult]) -> bool:
        return not any(result.violations for result in results)


def _without_flow(name: str, what: str, of: Any) -> Variant:
    """Control flow that is taken for the value of a condition alone; `of` says whose condition that is."""
    found = departs(predicted("1.3", "names-without-flow"), name, LAXER, f"takes control flow {what} alone")
    return found.by(Conditions.keeps_flow, lambda: False, of=of, base=Conditions)


WEBKIT_VARIANTS: tuple[Variant, ...] = (
    departure(predicted("1.1"), NamesWithoutFlow, LAXER),
    departs(
        predicted("1.2"),
        "assignments-without-flow",
        EITHER,
        "takes what is assigned without control flow and without the address of the left side",
    ).by(S.assigned, of=w.Assign, cf=lambda left: left, base=LeftSides),
    _without_flow("if-without-flow", "in an `if` for the value of its condition", w.If),
    _without_flow("switch-without-flow", "in a `switch` for the value of its selector", w.Switch),
    _without_flow("loops-without-flow", "in a `while` or `for` for the value of its condition", w.While | w.For),
    _without_flow("break-if-without-flow", "behind a `break if` for the value of its condition", w.BreakIf),
    _without_flow("short-circuit-without-flow", "on the right of && and || for the value of the left side", w.Binary),
    departs(
        predicted("1.4", "names-without-flow", "switch-without-flow"),
        "missing-else-is-no-end",
        LAXER,
        "takes control flow behind an `if` without an `else` for the end of its block",
    ).by(S.after_branches, ends=lambda ends: ends[:1], where=lambda s: isinstance(s, w.If) and s.orelse is None),
    departs(
        predicted("2.1"),
        "module-variables-remember",
        LAXER,
        "takes a variable at module scope for what the function stored last",
    )
    .first(S.values_at_entry, _with_variables_of_module)
    .by(S.module_variable, lambda self, e, x, cf, loaded: self.function_variable(e, x, cf, loaded)),
    departure(predicted("2.2", "module-variables-remember"), ModuleVariablesNotJoined, EITHER),
    departs(
        predicted("2.3"),
        "storage-textures-are-sources",
        STRICTER,
        "takes the name of a storage texture that may be written as non-uniform",
    ).by(
        S.may_be_written, lambda result, self, x: result or self.resolution.texture_access(x) not in (None, Access.READ)
    ),
    departs(predicted("2.4"), "structures-of-inputs", STRICTER, "takes every structure of inputs as non-uniform").by(
        S.entry_input, lambda self, e, p: self.source(e, p), where=lambda self, p: self.resolution.struct(p.type)
    ),
    departure(predicted("2.9"), OldValueBeforeStatement, EITHER),
    _also(
        "1.5", "before-2025-12-01/10c", "loops-always-iterate", STRICTER, "gives every loop a back edge of control flow"
    ),
    _also(
        "1.6",
        "before-2025-10-17/10b",
        "loops-that-only-return",
        EITHER,
        "takes the behaviours of a continuing that is not reached",
    ),
    _also(
        "2.10",
        "letter/no-join-after-short-circuit",
        "no-join-after-short-circuit",
        EITHER,
        "takes the right operand of && and || as always evaluated",
    ),
    _also(
        "2.11", "before-2026-06-09/base-before-index", "base-before-index", EITHER, "evaluates a base before its index"
    ),
    _also(
        "4.1",
        "tint/contents-at-argument",
        "contents-at-argument",
        EITHER,
        "takes what a pointer argument points to before the later arguments are evaluated",
    ),
    departs(predicted("1.7"), "updates-always-analysed", STRICTER, "analyses the update of every `for`").by(
        S.analyses_continuing, lambda: True, of=w.For, base=_EndOfText
    ),
    departs(
        predicted("2.5"),
        "joins-at-end-of-loop",
        STRICTER,
        "joins variables at the end of a loop's text, whether it is reached or not",
    )
    .first(S.flows_back, lambda: True, base=_EndOfText)
    .by(S.flows_to_continuing, lambda: True),
    departs(
        predicted("2.6"),
        "continue-jumps-to-head",
        EITHER,
        "hands the variables at a `continue` to the head of the loop and not to its continuing",
    )
    .first(S.jumps_to_continuing, lambda: [], base=_EndOfText)
    .by(S.back_edges, _to_the_head),
    departs(
        predicted("2.7", "joins-at-end-of-loop"),
        "blocks-that-jump-keep",
        EITHER,
        "keeps variables behind a block whose end is not reached",
    ).by(KeepsBehindJumps.keeps, lambda: True, where=lambda s: isinstance(s, w.Block), base=KeepsBehindJumps),
    departure(predicted("2.7", "joins-at-end-of-loop"), IfsThatJumpKeep, EITHER),
    departs(
        predicted("2.7", "joins-at-end-of-loop"),
        "switches-that-jump-keep",
        EITHER,
        "keeps variables behind a `switch` whose clauses all jump",
    ).by(KeepsBehindJumps.keeps, lambda: True, where=lambda s: isinstance(s, w.Switch), base=KeepsBehindJumps),
    departs(
        predicted("2.7", "joins-at-end-of-loop"),
        "loops-that-jump-keep",
        EITHER,
        "keeps variables behind a loop that no break leaves",
    )
    .first(
        KeepsBehindJumps.keeps,
        lambda: True,
        where=lambda s: isinstance(s, w.Loop | w.While | w.For),
        base=KeepsBehindJumps,
    )
    .by(S.behind_loop, before=lambda end: end),
    departs(
        predicted("2.8", "switches-that-jump-keep"),
        "ends-of-functions-join",
        STRICTER,
        "takes the end of a function's text to be reached",
    ).by(S.end_is_reached, lambda: True),
    departure(predicted("3.1"), LetsReplaced, EITHER),
    departure(predicted("3.2"), LetsUnknownInBreakIf, EITHER),
    departs(
        predicted("3.3"),
        "lets-unknown-in-continuing",
        EITHER,
        "takes pointer lets of a loop's body for nothing in its continuing",
    ).by(S.continuing, _lets_unknown_in_continuing, of=w.Loop, base=UnknownLets),
    departs(predicted("3.4"), "for-of-let-forgotten", LAXER, "forgets a `for` that begins with a pointer let").by(
        S.stmt,
        lambda cf: cf,
        of=w.For,
        where=lambda self, s: isinstance(s.initial, w.Let) and self.resolution.is_pointer(s.initial.value),
    ),
    departs(predicted("3.5"), "phony-pointers-forgotten", LAXER, "forgets a phony assignment of a pointer").by(
        S.stmt, lambda cf: cf, of=w.Phony, where=lambda self, s: self.resolution.is_pointer(s.value)
    ),
    departure(predicted("3.6"), PointersNotLoaded, LAXER),
    departure(predicted("3.7"), AddressesAreContents, EITHER),
    departure(predicted("3.8"), EveryPointerHasContents, EITHER),
    departs(
        predicted("4.2"),
        "calls-replace-variables",
        LAXER,
        "takes a variable behind a call for what the last pointer to it, or to a part of it, leaves behind",
    ).by(S.left_behind, lambda: []),
    departs(
        predicted("4.3"),
        "uniform-loads-of-parameters",
        LAXER,
        "forgets the indices of a workgroupUniformLoad through a pointer parameter",
        "What it gives depends on control flow alone.",
    )
    .first(
        S.require,
        target=lambda self, e: self.parameters[id(self.resolution.root(e.arguments[0]))],
        where=_is_uniform_load_of_parameter,
    )
    .by(
        S.result_depends_on,
        lambda: [],  # nothing else, where it has the requirement
        where=lambda self, row: row.name == UNIFORM_LOAD and self.scope is not Scope.SUBGROUP,
    ),
    departs(
        predicted("4.4"),
        "aliases-are-builtin",
        STRICTER,
        "takes an alias for the built-in function that it is called like",
    ).by(S.call, _alias_by_its_name, where=lambda self, e: isinstance(self.resolution.declaration(e.callee), w.Alias)),
    departure(predicted("5.1"), FiltersOfBodiesIgnored, EITHER),
    departure(predicted("5.2"), SubgroupsOnlyIfClean, LAXER),
)


def _front_end(name: str, replacement: type) -> Variant:
    return Variant(f"webkit/{name}", "webkit", "", EITHER, (replacement,), does="refuses what it does not read")


OF_92829E9: frozenset[Variant] = frozenset(
    {v for v in WEBKIT_VARIANTS if v.name != "webkit/subgroups-only-if-clean"}
    | {_front_end("front-end-92829e9", FrontEnd92829e9)}
)
"""The variants of revision 92829e9."""
OF_THE_NEWER: frozenset[Variant] = frozenset(
    {v for v in WEBKIT_VARIANTS if v.name != "webkit/if-without-flow"} | {_front_end("front-end", FrontEnd)}
)
"""Those of the newer text, which knows subgroups."""
