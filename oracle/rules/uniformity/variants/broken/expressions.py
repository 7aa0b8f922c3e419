"""Broken variants of the rows of expressions and identifiers (15.2.8), of pointers (7.3) and of built-in inputs."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Direction, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import MAY_BE_NON_UNIFORM, Role
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import EITHER, LAXER, STRICTER, S, broken, nothing, row
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import BOTH_SCOPES, INPUTS, BuiltinInput, Scope, Stage
from wgsl_fuzz.wgsl.resolution import Access, Resolution, Space

Row = Callable[[ScopeAnalysis, w.Binary, Node], Node]


def _operation(name: str, branch: str, way: Direction, rule: Row, operators: str = "") -> Variant:
    """A variant of the row of an operation on two values; `operators` are && and ||, or one of them, or none."""
    return broken(name, branch, way).by(
        S.expr,
        rule,
        of=w.Binary,
        where=lambda e: e.operator in operators.split() if e.operator in ("&&", "||") else not operators,
    )


def _right_first(self: S, e: w.Binary, cf: Node) -> Node:
    v2 = self.value(e.right, cf)
    return self.both(e, self.value(e.left, cf), v2)


def _left_only(self: S, e: w.Binary, cf: Node) -> Node:
    v1 = self.value(e.left, cf)
    self.value(e.right, cf)
    return v1


def _right_only(self: S, e: w.Binary, cf: Node) -> Node:
    self.value(e.left, cf)
    return self.value(e.right, cf)


def _right_under_left(self: S, e: w.Binary, cf: Node) -> Node:
    v1 = self.value(e.left, cf)
    return self.both(e, v1, self.value(e.right, v1))


def _as_other_operations(self: S, e: w.Binary, cf: Node) -> Node:
    v1 = self.value(e.left, cf)
    return self.both(e, v1, self.value(e.right, cf))


def _short_circuit(
    self: S, e: w.Binary, cf: Node, right: Callable[[Node], Node], value: Callable[[Node, Node], Node]
) -> Node:
    """The row of && and ||, with another control flow of the right operand or another value."""
    v1 = self.condition(e, e.left, cf)
    before = self.M
    self.M = before.copy()
    v2 = self.value(e.right, right(v1))
    self.M = self.after_short_circuit(e, before)
    return value(v1, v2)


def _short(
    name: str,
    branch: str,
    way: Direction,
    right: Callable[[Node, Node], Node] = lambda cf, v1: v1,
    value: Callable[[ScopeAnalysis, w.Binary, Node, Node], Node] = lambda self, e, v1, v2: v2,
) -> Variant:
    def rule(self: S, e: w.Binary, cf: Node) -> Node:
        return _short_circuit(self, e, cf, lambda v1: right(cf, v1), lambda v1, v2: value(self, e, v1, v2))

    return _operation(f"expr/short-circuit/{name}", branch, way, rule, "&& ||")


def _copied_too_late(self: S, e: w.Binary, cf: Node) -> Node:
    """The variables before the right operand are taken behind it: nothing is left to join."""
    return self.value(e.right, self.condition(e, e.left, cf))


def _index(e: w.Index, self: S, cf: Node, index: bool, base: bool) -> Node:
    """The row of an index, with only one of its edges."""
    v1 = self.value(e.index, cf)
    v2 = self.expr(e.base, cf, True)
    return self.both(e, v1 if index else v2, v2 if base else v1)


def _joined(name: str, branch: str, of: Callable[[list[VariableMap]], list[VariableMap]]) -> Variant:
    """A variant of where paths meet: only some of the values."""
    return broken(f"values/join/{name}", branch, LAXER).by(S.join, maps=of)


def _is_operator(operators: str, e: w.Unary) -> bool:
    return e.operator in operators.split()


LOAD_VARIANTS: tuple[Variant, ...] = (
    broken("expr/load/never", "a value is loaded", LAXER).by(S.value, lambda self, e, cf: self.expr(e, cf, False)),
    broken("expr/load/of-pointers", "a pointer is a value", STRICTER).by(
        S.value, lambda self, e, cf: self.expr(e, cf, True)
    ),
    broken("expr/address-of/loads", "& takes no value", STRICTER).by(
        S.expr, lambda self, e, cf: self.expr(e.operand, cf, True), where=lambda e: _is_operator("&", e), of=w.Unary
    ),
    broken("expr/indirection/always-loads", "* takes no value by itself", STRICTER).by(
        S.expr, lambda self, e, cf: self.expr(e.operand, cf, True), where=lambda e: _is_operator("*", e), of=w.Unary
    ),
    broken("expr/indirection/never-loads", "* of a view that is loaded", LAXER).by(
        S.expr, lambda self, e, cf: self.expr(e.operand, cf, False), where=lambda e: _is_operator("*", e), of=w.Unary
    ),
    broken("expr/member/always-loads", "e.name takes no value by itself", STRICTER).by(
        S.expr, lambda self, e, cf: self.expr(e.base, cf, True), of=w.Member
    ),
    broken("expr/member/never-loads", "e.name of a view that is loaded", LAXER).by(
        S.expr, lambda self, e, cf: self.expr(e.base, cf, False), of=w.Member
    ),
)

EXPRESSION_VARIANTS: tuple[Variant, ...] = (
    *LOAD_VARIANTS,
    broken("expr/literal/no-control-flow", "literal: CF", LAXER).by(S.expr, nothing, of=w.Literal),
    broken("expr/literal/non-uniform", "literal: CF", STRICTER).by(S.expr, lambda: MAY_BE_NON_UNIFORM, of=w.Literal),
    broken("expr/unary/no-operand", "- ! ~ e: as e", LAXER).by(
        S.expr, lambda cf: cf, where=lambda e: _is_operator("- ! ~", e), of=w.Unary
    ),
    broken("expr/unary/no-pointer", "* & e: as e", LAXER).by(
        S.expr, lambda cf: cf, where=lambda e: _is_operator("* &", e), of=w.Unary
    ),
    broken("expr/member/no-base", "e.name: as e", LAXER).by(S.expr, lambda cf: cf, of=w.Member),
    _operation("expr/binary/no-left", "R -> V1", LAXER, _right_only),
    _operation("expr/binary/no-right", "R -> V2", LAXER, _left_only),
    _operation("expr/binary/right-first", "e1, then e2", EITHER, _right_first),
    _operation("expr/binary/right-under-left", "e2 from the same CF", STRICTER, _right_under_left),
    _short("right-from-start", "e2 from V1", LAXER, right=lambda cf, v1: cf),
    _short("value-of-left", "value V2", LAXER, value=lambda self, e, v1, v2: v1),
    _operation("expr/short-circuit/and-as-others", "e1 && e2", EITHER, _as_other_operations, "&&"),
    _operation("expr/short-circuit/or-as-others", "e1 || e2", EITHER, _as_other_operations, "||"),
    _operation("expr/short-circuit/copied-too-late", "M before e2", EITHER, _copied_too_late, "&& ||"),
    broken("expr/short-circuit/right-changes-nothing", "M after e2", EITHER).by(
        S.after_short_circuit, lambda before: before
    ),
    broken("expr/index/no-index", "R -> V1", EITHER).by(
        S.index, lambda self, e, cf: _index(e, self, cf, False, True), where=lambda loaded: loaded
    ),
    broken("expr/index/no-index-of-address", "R -> V1, of a view that is not loaded", LAXER).by(
        S.index, lambda piece, self, e, cf, loaded: piece(e, cf, True) if loaded else self.expr(e.base, cf, False)
    ),
    broken("expr/index/no-base", "R -> V2", LAXER).by(
        S.index, lambda self, e, cf: _index(e, self, cf, True, False), where=lambda loaded: loaded
    ),
    broken("expr/index/always-loads", "e2 as it is used", STRICTER).by(S.index, loaded=True),
    broken("expr/index/never-loads", "e2 as it is used", EITHER).by(S.index, loaded=False),
    broken("expr/index/base-under-index", "e2 from the same CF", EITHER).by(
        S.index, lambda self, e, cf, loaded: self.expr(e.base, self.value(e.index, cf), loaded)
    ),
    broken("expr/view/no-buffer", "what the view is of", LAXER).by(S.viewed, lambda self, e, cf: self.call(e, cf)),
    broken("expr/view/no-call", "the call that makes the view", LAXER).by(
        S.viewed, lambda self, e, cf: self.named(e, self.resolution.root(e), cf, True)
    ),
    _joined("first", "the value of every path but the first", lambda maps: maps[:1]),
    _joined("last", "the value of every path but the last", lambda maps: maps[-1:]),
)


def _reads(kind: type, what: str) -> Iterator[Variant]:
    """Both edges of R -> {CF, X}, one after the other, for one kind of declaration."""
    for edge, named, given in (("control-flow", "CF", {"cf": nothing}), ("value", "X", {"x": lambda cf: cf})):
        yield broken(f"name/{what}/no-{edge}", f"{what}: R -> {named}", LAXER).by(
            S.read, where=lambda declared: isinstance(declared, kind), **given
        )


def _named(name: str, branch: str, way: Direction, kind: type, rule: Callable[..., Node]) -> Variant:
    """A variant of the row of one kind of declaration."""
    return broken(name, branch, way).by(S.named, rule, where=lambda declared: isinstance(declared, kind))


def _source(self: S, e: w.Expression) -> Node:
    return self.graph.fresh(Role.SOURCE, e, "a constant", MAY_BE_NON_UNIFORM)


def _in_memory(what: str, space: Space, access: Access) -> tuple[str, bool, Direction]:
    """Of memory that may be written and is taken as read-only, or the other way round.

    The variant's name, whether the memory may be written, and the direction.
    """
    written = access is not Access.READ
    mode = f"-{access}" if space is Space.STORAGE else ""
    return (
        f"name/{what}/{space}{mode}-{'uniform' if written else 'non-uniform'}",
        written,
        LAXER if written else STRICTER,
    )


def _module_variable(space: Space, access: Access) -> Variant:
    name, written, way = _in_memory("module-variable", space, access)
    branch = f"{space} variable with access {access}: {'MayBeNonUniform' if written else 'CF'}"
    return broken(name, branch, way).by(
        S.module_variable,
        lambda self, e, x, cf: cf if written else self.source(e, x),
        where=lambda self, x, loaded: (
            loaded and self.resolution.space(x) is space and self.resolution.access(x) is access
        ),
    )


def _pointer_parameter(space: Space, access: Access) -> Variant:
    name, written, way = _in_memory("pointer-parameter", space, access)
    outcome = "MayBeNonUniform" if written else "param_i"
    return broken(name, f"pointer parameter, {space}, access {access}: {outcome} when loaded", way).by(
        S.pointer_parameter,
        lambda self, e, p, cf: self.address(e, p, cf) if written else self.source(e, p),
        where=lambda pointer, loaded: loaded and pointer.space is space and pointer.access is access,
    )


WRITTEN = ((Space.PRIVATE, Access.READ_WRITE), (Space.WORKGROUP, Access.READ_WRITE), (Space.STORAGE, Access.READ_WRITE))
READ = ((Space.STORAGE, Access.READ), (Space.UNIFORM, Access.READ))


class PointersLoadWhereTheyAreMade(ScopeAnalysis):
    """A let of pointer type reads what it points to, once and for all."""

    def stmt(self, s: w.Statement, cf: Node) -> Node:
        after = super().stmt(s, cf)
        if isinstance(s, w.Let) and self.resolution.is_pointer(s.value):
            root = self.resolution.root(s.value)
            self.read_at_let[id(s)] = self.named(s.value, root, cf, True)
        return after

    def start_function(self, f: w.Function) -> None:
        super().start_function(f)
        self.read_at_let: dict[int, Node] = {}

    def let_use(self, e: w.Expression, x: w.Let, cf: Node, loaded: bool) -> Node:
        address = super().let_use(e, x, cf, False)
        return self.both(e, address, self.read_at_let[id(x)]) if loaded and id(x) in self.read_at_let else address


NAME_VARIANTS: tuple[Variant, ...] = (
    *_reads(w.Variable, "variable"),
    *_reads(w.Let, "let"),
    *_reads(w.Parameter, "parameter"),
    broken("name/variable/always-loaded", "function variable, not the root of a loaded view: CF", STRICTER).by(
        S.function_variable, loaded=True
    ),
    broken("name/variable/never-loaded", "function variable, root of a loaded view: R -> {CF, M[x]}", LAXER).by(
        S.function_variable, loaded=False
    ),
    *(_module_variable(space, access) for space, access in WRITTEN),
    *(_module_variable(space, access) for space, access in (*READ, (Space.HANDLE, Access.READ))),
    _module_variable(Space.IMMEDIATE, Access.READ),
    broken(
        "name/module-variable/address-non-uniform",
        "writable module variable, not the root of a loaded view: CF",
        STRICTER,
    ).by(S.module_variable, loaded=True),
    broken("name/module-variable/no-control-flow", "read-only module variable: CF", LAXER).by(
        S.module_variable, nothing, where=lambda self, x, loaded: loaded and self.resolution.access(x) is Access.READ
    ),
    broken("name/pointer-let/no-load", "let of a pointer, root of a loaded view: M[x]", LAXER).by(
        S.let_use, loaded=False
    ),
    broken("name/pointer-let/no-address", "let of a pointer: its initialiser's indices", LAXER).by(
        S.let_use,
        lambda self, e, x, cf, loaded: self.named(e, self.resolution.root(x.value), cf, loaded),
        where=lambda self, x: self.resolution.is_pointer(x.value),
    ),
    broken(
        "name/pointer-let/always-loads", "let of a pointer, not the root of a loaded view: its address", STRICTER
    ).by(S.let_use, loaded=True),
    row(
        "name/pointer-let/loads-where-made",
        "let of a pointer, root of a loaded view: M[x] at the use",
        EITHER,
        PointersLoadWhereTheyAreMade,
    ),
    _named("name/const/no-control-flow", "const: CF", LAXER, w.Const, nothing),
    _named("name/const/non-uniform", "const: CF", STRICTER, w.Const, _source),
    _named("name/override/no-control-flow", "override: CF", LAXER, w.Override, nothing),
    _named("name/override/non-uniform", "override: CF", STRICTER, w.Override, _source),
    broken(
        "name/pointer-parameter/address-is-control-flow",
        "pointer parameter in function, not the root of a loaded view: param_i",
        LAXER,
    ).by(
        S.pointer_parameter,
        lambda cf: cf,
        where=lambda pointer, loaded: pointer.space is Space.FUNCTION and (not loaded),
    ),
    broken(
        "name/pointer-parameter/always-loaded",
        "pointer parameter in function, not the root of a loaded view: param_i",
        STRICTER,
    ).by(S.pointer_parameter, loaded=lambda pointer, loaded: loaded or pointer.space is Space.FUNCTION),
    broken(
        "name/pointer-parameter/reads-address",
        "pointer parameter in function, root of a loaded view: R -> {CF, M[x]}",
        EITHER,
    ).by(S.pointer_parameter, lambda self, e, p, cf: self.address(e, p, cf)),
    broken(
        "name/pointer-parameter/address-non-uniform",
        "pointer parameter outside function, not the root of a loaded view: param_i",
        STRICTER,
    ).by(S.pointer_parameter, loaded=lambda pointer, loaded: loaded or pointer.space is not Space.FUNCTION),
    broken(
        "name/pointer-parameter/no-control-flow", "pointer parameter outside function: R -> {CF, param_i}", LAXER
    ).by(S.address, cf=lambda self, p: self.parameters[id(p)]),
    *(_pointer_parameter(space, access) for space, access in (*WRITTEN, *READ)),
)

# ------------------------------------------------------------------------------------------------------------- inputs


def _input(row_: BuiltinInput, uniform_in: frozenset[Scope], what: str) -> Variant:
    key = row_.name, row_.stage
    return broken(
        f"input/{row_.stage}-{row_.name}/{what}",
        f"{row_.name} in {row_.stage} shaders: uniform in {', '.join(sorted(row_.uniform_in)) or 'no scope'}",
        LAXER if uniform_in > row_.uniform_in else STRICTER,
    ).by(S.input_row, lambda: replace(row_, uniform_in=uniform_in), where=lambda name, stage: (name, stage) == key)


def _inputs() -> Iterator[Variant]:
    """Each bit of the table of built-in input values, turned over."""
    for row_ in INPUTS.values():
        for scope in Scope:
            if row_.uniform_in and scope in row_.uniform_in:
                yield _input(row_, row_.uniform_in - {scope}, f"non-uniform-in-{scope}")
            elif row_.uniform_in:
                yield _input(row_, row_.uniform_in | {scope}, f"uniform-in-{scope}")
        if not row_.uniform_in and row_.stage is not Stage.VERTEX:  # which may call nothing that requires uniformity
            yield _input(row_, BOTH_SCOPES, "uniform")


def _is_structure(self: S, p: w.Parameter) -> bool:
    return self.resolution.struct(p.type) is not None


def _by_members(of: Callable[[Iterator[bool]], bool]) -> Callable[..., Node]:
    """A structure of inputs by what its members are."""

    def rule(self: S, e: w.Expression, p: w.Parameter, cf: Node) -> Node:
        struct = self.resolution.struct(p.type)
        assert struct is not None
        return cf if of(map(self.is_uniform_input, struct.members)) else self.source(e, p)

    return rule


INPUT_VARIANTS: tuple[Variant, ...] = (
    *_inputs(),
    broken("input/structure/any-member", "every member of a structure", LAXER).by(
        S.entry_input, _by_members(any), where=_is_structure
    ),
    broken("input/structure/first-member", "every member of a structure", LAXER).by(
        S.entry_input, _by_members(next), where=_is_structure
    ),
    broken("input/structure/non-uniform", "a structure whose members are uniform: CF", STRICTER).by(
        S.entry_input, lambda self, e, p: self.source(e, p), where=lambda self, p: self.resolution.struct(p.type)
    ),
    broken("input/user-defined/uniform", "a user-defined input: MayBeNonUniform", LAXER).by(
        S.is_uniform_input, lambda result, self, member: self.resolution.builtin_input(member) is None or result
    ),
    broken("input/user-defined/parameter", "a parameter of a helper is no input", STRICTER).by(
        S.named,
        lambda self, e, declared: self.source(e, declared),
        where=lambda declared: isinstance(declared, w.Parameter),
    ),
    broken("input/uniform/no-control-flow", "a uniform built-in value: CF", LAXER).by(S.entry_input, cf=nothing),
)


R = Resolution


def _base(e: w.Expression, kind: type) -> w.Expression:
    """Without what stands behind it, `&` and `*`."""
    while True:
        if isinstance(e, w.Unary) and e.operator in "&*":
            e = e.operand
        elif isinstance(e, kind) and isinstance(e, w.Index | w.Member):
            e = e.base
        else:
            return e


def _is_let(resolution: Resolution, e: w.Expression) -> bool:
    e = _base(e, w.Index)
    return isinstance(e, w.Identifier) and isinstance(resolution.declaration(e), w.Let)


POINTER_VARIANTS: tuple[Variant, ...] = (
    broken("pointer/full/members", "e.name is partial, even the only member", LAXER).by(
        R.is_full, expression=lambda expression: _base(expression, w.Member)
    ),
    broken("pointer/full/elements", "e2[e1] is partial, even the only element", LAXER).by(
        R.is_full, expression=lambda expression: _base(expression, w.Index)
    ),
    broken("pointer/full/lets-always", "a let of a partial pointer is partial", LAXER).by(
        R.is_full, lambda result, self, expression: result or _is_let(self, _base(expression, w.Unary))
    ),
    broken("pointer/full/lets-never", "a let of a full pointer is full", STRICTER).by(
        R.is_full, lambda result, self, expression: result and (not _is_let(self, _base(expression, w.Unary)))
    ),
    broken("pointer/full/names-only", "*p of a full pointer, &r of a full reference are full", STRICTER).by(
        R.is_full, lambda result, expression: result and isinstance(expression, w.Identifier)
    ),
    broken("pointer/is-pointer/not-lets", "a let of a pointer is a pointer", EITHER).by(
        R.is_pointer, lambda result, self, expression: result and (not _is_let(self, expression))
    ),
    broken("pointer/is-pointer/not-parameters", "a pointer parameter is a pointer", EITHER).by(
        R.is_pointer,
        lambda result, self, expression: (
            result and (not isinstance(expression, w.Identifier) or _is_let(self, expression))
        ),
    ),
    broken("pointer/is-pointer/not-views", "a view of a buffer is a pointer", EITHER).by(
        R.is_pointer, lambda result, expression: result and (not isinstance(expression, w.Call))
    ),
)
