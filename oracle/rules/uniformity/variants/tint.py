"""Where Tint departs from the rules: each as a variant, found by corpus/wgsl/pairs and by reading its answers."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import Iteration, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import NoValues, VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import MAY_BE_NON_UNIFORM, Role
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import EITHER, LAXER, STRICTER, Author, S, departs, departure
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import NEXT, RETURN
from wgsl_fuzz.wgsl.resolution import Access, Resolution, Space
from wgsl_fuzz.wgsl.syntax import Block, For, Function, If, Loop, Statement, Switch, While
from wgsl_fuzz.wgsl.types import ValueTypes, Vector, pointee

_BEHIND = (Role.AFTER_IF, Role.AFTER_SWITCH, Role.EXIT)


class KeepsBehindJumps(ScopeAnalysis):
    """Behind a statement whose end is not reached some variables have a value: that from before it."""

    def keeps(self, x: int, s: Statement) -> bool:
        """Whether a variable has one behind `s`."""
        return False

    def meet(self, role: Role, s: Statement, maps: list[VariableMap], before: VariableMap) -> VariableMap:
        met = super().meet(role, s, maps, before)
        if maps or role not in _BEHIND:
            return met
        kept = {x: node for x, node in before.items() if self.keeps(x, s)}
        return kept if len(kept) == len(before) else NoValues({**met, **kept})

    def stmt(self, s: Statement, cf: Node) -> Node:
        """Behind a block. Bodies of loops and functions do not come here."""
        if not isinstance(s, Block) or self.behaviour(s) & NEXT:
            return super().stmt(s, cf)
        before = self.M.copy()
        cf = super().stmt(s, cf)
        self.M = {**self.M, **{x: node for x, node in before.items() if self.keeps(x, s)}}
        return cf


class KeepsBehindLoops(KeepsBehindJumps):
    """Behind a loop it is the one at the end of an iteration; if no path reaches that, the one at its head."""

    def start_function(self, f: Function) -> None:
        super().start_function(f)
        self.at_heads: dict[int, VariableMap] = {}
        """By `id` of a loop that iterates."""

    def heads(self, s: Iteration) -> VariableMap:
        found = super().heads(s)
        self.at_heads[id(s)] = {**self.M, **found}
        return found

    def behind_loop(self, s: Iteration, b1: int, end: VariableMap, before: VariableMap) -> VariableMap:
        return super().behind_loop(s, b1, end, end if b1 & NEXT else self.at_heads.get(id(s), before))


class OldValueBeforeRightSide(ScopeAnalysis):
    """Takes the old value of a partly assigned variable before the right side.

    A call on the right of a partial assignment may store to the variable; what it stored stays beside the part.
    """

    def left_side(self, e: w.Expression, cf: Node) -> Node:
        left = super().left_side(e, cf)
        root = self.resolution.root(e)
        self.old = self.M.get(id(root))
        return left

    def kept(self, e: w.Expression) -> list[Node]:
        return [] if self.replaces_all(e) or self.old is None else [self.old]

    old: Node | None = None


class ContentsAtArgument(ScopeAnalysis):
    """Takes what a pointer argument points to before the later arguments are evaluated.

    A call in a later argument may store to the variable; the callee sees what it stored.
    """

    def start_function(self, f: Function) -> None:
        super().start_function(f)
        self.at_argument: dict[int, Node] = {}
        """By `id` of an argument: the value of the variable that it points to."""

    def arguments(self, e: w.Call, cf: Node) -> list[Node]:
        values = []
        for a in e.arguments:
            values.append(self.value(a, cf))
            root = id(self.resolution.root(a))
            if self.resolution.is_pointer(a) and root in self.M:
                self.at_argument[id(a)] = self.M[root]
        return values

    def contents(self, e: w.Call, i: int, argument: Node) -> Node:
        if id(e.arguments[i]) not in self.at_argument:
            return super().contents(e, i, argument)
        root = id(self.resolution.root(e.arguments[i]))
        now = self.M[root]
        self.M[root] = self.at_argument[id(e.arguments[i])]
        node = super().contents(e, i, argument)
        self.M[root] = now
        return node


def _loop_with_back_edge(piece: Callable[..., Node], self: S, s: w.While, cf: Node) -> Node:
    after = piece(s, self.cf_head(s, cf))
    return after if self.body_behaviours(s) & RETURN else cf


def _back_to_body(self: S, result: Node, cf: Node) -> Node:
    """CF' -> CF1."""
    self.graph.add_edge(cf, result)
    return result


class ConditionsFlowBack(ScopeAnalysis):
    """Takes what a call in the condition of a `while` or `for` stores for what the condition begins with.

    Nothing flows back to a condition that is evaluated once, because the body always leaves the loop.
    """

    def loop(self, s: Iteration, cf: Node) -> Node:
        once = not isinstance(s, w.Loop) and not self.reaches_continuing(self.body_behaviours(s))
        if once:
            self.at_head = {**self.at_head, id(s): self.heads(s)}
            self.M = {**self.M, **self.at_head[id(s)]}
        return super().loop(s, cf)

    def condition(self, syntax: w.Node, e: w.Expression, cf: Node) -> Node:
        node = super().condition(syntax, e, cf)
        for x, head in self.at_head.get(id(syntax), {}).items():
            self.graph.add_edge(head, self.M[x])
        return node

    at_head: Mapping[int, VariableMap] = MappingProxyType({})
    """By `id` of a loop whose condition is evaluated once."""


class BodyWithoutConditionUnderEntry(ScopeAnalysis):
    """Takes each iteration of a `for` without a condition to begin as the first one does.

    Which threads have left such a loop, or ended an iteration early, decides who begins the next one. Tint up to 0.3.8
    forgot it.
    """

    def cf_head(self, s: Iteration, cf: Node) -> Node:
        self.before_loop = {**self.before_loop, id(s): cf}
        return super().cf_head(s, cf)

    def loop_body(self, s: Iteration, cf: Node) -> Node:
        """CF in place of CF'."""
        endless = isinstance(s, w.For) and s.condition is None
        return super().loop_body(s, self.before_loop.get(id(s), cf) if endless else cf)

    before_loop: Mapping[int, Node] = MappingProxyType({})
    """By `id` of a loop that iterates: control flow before it."""


class LetsOfParametersRemember(ScopeAnalysis):
    """Takes what a let of a pointer parameter leads to for what the function assigned last.

    In the workgroup and storage address spaces another invocation may have stored something else since; `*p` itself is
    non-uniform.
    """

    # So such a parameter has contents at entry, which are the caller's matter, and at exit. Only `*p` is as before.

    def is_contents(self, p: w.Parameter) -> bool:
        """Also those to memory that others may write."""
        return super().is_contents(p) or self._is_shared(p)

    def let_use(self, e: w.Expression, x: w.Let, cf: Node, loaded: bool) -> Node:
        root = self.resolution.root(x.value) if loaded and self.resolution.is_pointer(x.value) else None
        if isinstance(root, w.Parameter) and self._is_shared(root):
            return self.both(e, self.read(e, x, cf, self.lets[id(x)]), self.M[id(root)])
        return super().let_use(e, x, cf, loaded)

    def old_value(self, e: w.Expression, cf: Node) -> Node:
        """What a compound assignment reads is the value that was assigned, too."""
        root = self.resolution.root(e)
        if isinstance(root, w.Parameter) and self._is_shared(root):
            return self.read(e, root, cf, self.M[id(root)])
        return super().old_value(e, cf)

    def user_call(self, e: w.Call, f: w.Function, cf: Node, arguments: list[Node]) -> Node:
        """A variable of the module that is pointed to is non-uniform, before and behind the call."""
        roots = [self.resolution.root(e.arguments[i]) for i, p in enumerate(f.parameters) if self._is_shared(p)]
        of_module = {id(root): MAY_BE_NON_UNIFORM for root in roots if id(root) not in self.M}
        self.M.update(of_module)
        result = super().user_call(e, f, cf, arguments)
        for x in of_module:
            del self.M[x]
        return result

    def _is_shared(self, p: w.Parameter) -> bool:
        """Whether a parameter points to memory that may be written, outside the `function` address space."""
        pointer = self.resolution.pointer(p)
        return pointer is not None and pointer.space is not Space.FUNCTION and pointer.access is not Access.READ


def _is_swizzle_of_let(self: S, e: w.Expression) -> bool:
    """Whether it is all components of a vector behind a let: `p.yx` and `p.yx.yx` with `let p = &x[0];`.

    A let of a pointer to a whole variable is as `full-swizzles` has it. `*p`, `(*p).xy`, `x[0].xy` and swizzles of a
    parameter `p` are partial as before, and so is a swizzle of some components.
    """
    of = _vector(self.resolution, e)
    of_let = of is not e and isinstance(of, w.Identifier) and isinstance(self.resolution.declaration(of), w.Let)
    return of_let and not self.resolution.is_full(of)


def _vector(resolution: Resolution, e: w.Expression) -> w.Expression:
    """What `e` is all components of, through one swizzle or several; `e` itself if it is no such swizzle."""
    while isinstance(e, w.Member) and resolution.is_swizzle(e) and _components(resolution, e.base) == len(e.name):
        e = e.base
    return e


def _components(resolution: Resolution, e: w.Expression) -> int:
    """How many components a vector has; 0 for what is none, or not known."""
    if isinstance(e, w.Member) and resolution.is_swizzle(e):
        return len(e.name)
    found = pointee(resolution.once(ValueTypes, lambda: ValueTypes(resolution)).of(e))
    return found.size if isinstance(found, Vector) else 0


TINT = Author("tint")
TINT_VARIANTS: tuple[Variant, ...] = (
    departure(TINT, OldValueBeforeRightSide, EITHER),
    departure(TINT, ContentsAtArgument, EITHER),
    departs(
        TINT,
        "joins-at-empty-continuing",
        STRICTER,
        "joins variables at the end of a loop without a continuing",
        "Variables at the end of a loop's body flow to its next iteration even if a `return` or `break` stands "
        "before that end.",
    ).by(
        S.at_continuing,
        of=w.Loop,
        where=lambda s: s.continuing is None or not s.continuing.statements,
        b1=lambda b1: b1 | NEXT,
    ),
    departs(
        TINT,
        "while-always-iterates",
        STRICTER,
        "gives every `while` a back edge of control flow",
        "For `loop` and `for` this is mended since gpuweb pull request 5419; the condition of a `while` is evaluated "
        "again only if its body can reach its end or a `continue`.",
    )
    .first(
        S.loop,
        _loop_with_back_edge,
        of=w.While,
        where=lambda self, s: not self.has_back_edge(self.body_behaviours(s)),
    )
    .by(S.loop_body, _back_to_body, of=w.While),
    departure(TINT, ConditionsFlowBack, STRICTER),
    departs(
        TINT,
        "unbroken-loop-keeps-variables",
        EITHER,
        "keeps variables behind a loop that no break leaves",
        "Behind a loop without a reachable `break`, variables are what they are at the end of an iteration, or at "
        "its head if its body never reaches its end; it matters with the join at the end of a loop's body alone.",
        "Alone, without that join, nothing reads the variables behind such a loop: the code there is dead.",
    ).by(
        KeepsBehindLoops.keeps, lambda: True, where=lambda s: isinstance(s, Loop | While | For), base=KeepsBehindLoops
    ),
    departs(
        TINT,
        "jumping-statements-keep-variables",
        EITHER,
        "keeps variables behind a statement whose end is not reached",
        "Behind a block, or an `if` or `switch` whose branches all jump, variables are what they were before it; "
        "it matters with the join at the end of a loop's body alone.",
        "Alone, without that join, nothing reads the variables behind such a statement: the code there is dead.",
    ).by(
        KeepsBehindLoops.keeps, lambda: True, where=lambda s: isinstance(s, If | Switch | Block), base=KeepsBehindLoops
    ),
    departs(
        TINT,
        "joins-at-end-of-function",
        STRICTER,
        "takes the end of a function's body to be reached",
        "What a pointer parameter leads to at the end of a function's body counts in the caller only if that end is "
        "reached. Behind a statement whose end is not reached, Tint takes it to be what it was before that statement.",
    )
    .first(
        KeepsBehindLoops.keeps, lambda: True, where=lambda self, x: x in self.exits, base=KeepsBehindLoops
    )  # what a pointer parameter leads to has a value behind every statement
    .by(S.end_is_reached, lambda: True),
    departs(
        TINT,
        "last-pointer-counts",
        EITHER,
        "forgets what a call stores through one of two pointers to a variable",
        "WGSL allows two pointers to one variable if one of them is not used; the used one may be the first.",
    ).by(S.left_behind, written={}),
    departure(TINT, LetsOfParametersRemember, LAXER),
    departs(
        TINT,
        "full-swizzles",
        LAXER,
        "takes an assignment to all components of a vector for one to the vector",
        "The text of 2026-08-17 knows no assignment to swizzles; `x.yx = e` leaves nothing of a vector of two.",
    ).by(
        S.replaces_all,
        lambda piece, self, e, result: result or piece(_vector(self.resolution, e)),  # also of `x.yx.yx`
    ),
    departs(
        TINT,
        "swizzles-of-lets-replace-all",
        LAXER,
        "takes an assignment to all components of a vector behind a let for one to all of the variable",
        "With `let p = &x[0];`, `p.xy = e` leaves nothing of `x[0]`, but the rest of `x` keeps its value.",
    ).by(S.replaces_all, lambda: True, where=_is_swizzle_of_let),
    departs(
        TINT,
        "buffer-views-not-loaded",
        LAXER,
        "takes what it reads through a buffer view as uniform",
        "The root of a buffer view is its buffer; a writable one is non-uniform when it is read.",
    ).by(S.viewed, lambda self, e, cf: self.call(e, cf)),
)
"""Those of Tint 0.6.2."""

MENDED_TINT_VARIANTS: tuple[Variant, ...] = (
    departs(
        TINT,
        "part-pointers-replace-all",
        LAXER,
        "takes what a call stores through a pointer to a part of a variable for all of the variable",
        "With `f(&x[1])` the other elements of `x` keep their values. Tint up to 0.4.0 forgot them.",
    ).by(S.left_behind, lambda: [], where=lambda self, pointer: not self.resolution.is_full(pointer)),
    departure(TINT, BodyWithoutConditionUnderEntry, LAXER),
)
"""Those that earlier versions had besides."""
