"""Broken variants of the rows of identifiers (15.2.8), of variables by address space, and of built-in input values."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.graph import MAY_BE_NON_UNIFORM, Role
from wgsl_fuzz.oracle.rules.uniformity.variants.broken import rows
from wgsl_fuzz.wgsl.builtins import BOTH_SCOPES, INPUTS, BuiltinInput, Scope, Stage
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.syntax import Const, Expression, Let, Override, Parameter, Statement, Variable
from wgsl_fuzz.wgsl.types import Declared


def _read(name: str, branch: str, kind: type, of: Callable[[ScopeAnalysis, Node, Node], tuple[Node, Node]]) -> Variant:
    """A variant of R -> {CF, X} for one kind of declaration."""
    return rows.changed(
        name,
        branch,
        rows.LAXER,
        rows.S.read,
        lambda read, self, e, declared, cf, x: (
            read(e, declared, *of(self, cf, x)) if isinstance(declared, kind) else read(e, declared, cf, x)
        ),
    )


def _reads(kind: type, what: str) -> Iterator[Variant]:
    """Both edges of R -> {CF, X}, one after the other."""
    place = f"name/{what.replace(' ', '-')}"
    yield _read(f"{place}/no-control-flow", f"{what}: R -> CF", kind, lambda self, cf, x: (rows.nothing(self), x))
    yield _read(f"{place}/no-value", f"{what}: R -> X", kind, lambda self, cf, x: (cf, cf))


def _named(
    name: str, branch: str, effect: Effect, kind: type, of: Callable[[ScopeAnalysis, Expression], Node]
) -> Variant:
    """A variant of the row of one kind of declaration."""

    class Case(ScopeAnalysis):
        def named(self, e: Expression, declared: Declared | None, cf: Node, loaded: bool) -> Node:
            return of(self, e) if isinstance(declared, kind) else super().named(e, declared, cf, loaded)

    return rows.row(name, branch, effect, Case)


def _source(analysis: ScopeAnalysis, e: Expression) -> Node:
    return analysis.graph.fresh(Role.SOURCE, e, "a constant", MAY_BE_NON_UNIFORM)


def _module_variable(space: Space, access: Access) -> Variant:
    """A module variable that may be written is taken as read-only, or the other way round."""
    written = access is not Access.READ
    mode = f"-{access}" if space is Space.STORAGE else ""
    return rows.changed(
        f"name/module-variable/{space}{mode}-{'uniform' if written else 'non-uniform'}",
        f"{space} variable with access {access}: {'MayBeNonUniform' if written else 'CF'}",
        rows.LAXER if written else rows.STRICTER,
        rows.S.module_variable,
        lambda variable, self, e, x, cf, loaded: (
            (cf if written else self.source(e, x))
            if loaded and self.resolution.space(x) is space and self.resolution.access(x) is access
            else variable(e, x, cf, loaded)
        ),
    )


def _pointer_parameter(space: Space, access: Access) -> Variant:
    """What a pointer parameter leads to is taken as read-only, or the other way round."""
    written = access is not Access.READ
    mode = f"-{access}" if space is Space.STORAGE else ""
    return rows.changed(
        f"name/pointer-parameter/{space}{mode}-{'uniform' if written else 'non-uniform'}",
        f"pointer parameter, {space}, access {access}: {'MayBeNonUniform' if written else 'param_i'} when loaded",
        rows.LAXER if written else rows.STRICTER,
        rows.S.pointer_parameter,
        lambda parameter, self, e, p, pointer, cf, loaded: (
            (self.address(e, p, cf) if written else self.source(e, p))
            if loaded and pointer.space is space and pointer.access is access
            else parameter(e, p, pointer, cf, loaded)
        ),
    )


WRITTEN = (
    (Space.PRIVATE, Access.READ_WRITE),
    (Space.WORKGROUP, Access.READ_WRITE),
    (Space.STORAGE, Access.READ_WRITE),
)
READ = ((Space.STORAGE, Access.READ), (Space.UNIFORM, Access.READ))


class PointersLoadWhereTheyAreMade(ScopeAnalysis):
    """A let of pointer type reads what it points to, once and for all."""

    def stmt(self, s: Statement, cf: Node) -> Node:
        """The value at the let."""
        after = super().stmt(s, cf)
        if isinstance(s, Let) and self.resolution.is_pointer(s.value):
            root = self.resolution.root(s.value)
            self.read_at_let[id(s)] = self.named(s.value, root, cf, True)
        return after

    @property
    def read_at_let(self) -> dict[int, Node]:
        """By `id` of the let."""
        found: dict[int, Node] = self.__dict__.setdefault("_read_at_let", {})
        return found

    def let(self, e: Expression, x: Let, cf: Node, loaded: bool) -> Node:
        """Of that time."""
        address = super().let(e, x, cf, False)
        return self.both(e, address, self.read_at_let[id(x)]) if loaded and id(x) in self.read_at_let else address


NAME_VARIANTS: tuple[Variant, ...] = (
    *_reads(Variable, "variable"),
    *_reads(Let, "let"),
    *_reads(Parameter, "parameter"),
    rows.changed(
        "name/variable/always-loaded",
        "function variable, not the root of a loaded view: CF",
        rows.STRICTER,
        rows.S.function_variable,
        lambda variable, self, e, x, cf, loaded: variable(e, x, cf, True),
    ),
    rows.changed(
        "name/variable/never-loaded",
        "function variable, root of a loaded view: R -> {CF, M[x]}",
        rows.LAXER,
        rows.S.function_variable,
        lambda variable, self, e, x, cf, loaded: variable(e, x, cf, False),
    ),
    *(_module_variable(space, access) for space, access in WRITTEN),
    *(_module_variable(space, access) for space, access in (*READ, (Space.HANDLE, Access.READ))),
    _module_variable(Space.IMMEDIATE, Access.READ),
    rows.changed(
        "name/module-variable/address-non-uniform",
        "writable module variable, not the root of a loaded view: CF",
        rows.STRICTER,
        rows.S.module_variable,
        lambda variable, self, e, x, cf, loaded: variable(e, x, cf, True),
    ),
    rows.changed(
        "name/module-variable/no-control-flow",
        "read-only module variable: CF",
        rows.LAXER,
        rows.S.module_variable,
        lambda variable, self, e, x, cf, loaded: (
            rows.nothing(self) if loaded and self.resolution.access(x) is Access.READ else variable(e, x, cf, loaded)
        ),
    ),
    rows.changed(
        "name/module-variable/no-control-flow-of-address",
        "module variable, not the root of a loaded view: CF",
        rows.LAXER,
        rows.S.module_variable,
        lambda variable, self, e, x, cf, loaded: variable(e, x, cf, loaded) if loaded else rows.nothing(self),
        equivalent="An address is an argument or the value of a let: a call, and each use of a let, has its own edge.",
    ),
    rows.changed(
        "name/pointer-let/no-load",
        "let of a pointer, root of a loaded view: M[x]",
        rows.LAXER,
        rows.S.let,
        lambda let, self, e, x, cf, loaded: let(e, x, cf, False),
    ),
    rows.changed(
        "name/pointer-let/no-address",
        "let of a pointer: its initialiser's indices",
        rows.LAXER,
        rows.S.let,
        lambda let, self, e, x, cf, loaded: (
            self.named(e, self.resolution.root(x.value), cf, loaded)
            if self.resolution.is_pointer(x.value)
            else let(e, x, cf, loaded)
        ),
    ),
    rows.changed(
        "name/pointer-let/always-loads",
        "let of a pointer, not the root of a loaded view: its address",
        rows.STRICTER,
        rows.S.let,
        lambda let, self, e, x, cf, loaded: let(e, x, cf, True),
    ),
    rows.row(
        "name/pointer-let/loads-where-made",
        "let of a pointer, root of a loaded view: M[x] at the use",
        rows.EITHER,
        PointersLoadWhereTheyAreMade,
    ),
    _named("name/const/no-control-flow", "const: CF", rows.LAXER, Const, lambda self, e: rows.nothing(self)),
    _named("name/const/non-uniform", "const: CF", rows.STRICTER, Const, _source),
    _named("name/override/no-control-flow", "override: CF", rows.LAXER, Override, lambda self, e: rows.nothing(self)),
    _named("name/override/non-uniform", "override: CF", rows.STRICTER, Override, _source),
    rows.changed(
        "name/pointer-parameter/address-is-control-flow",
        "pointer parameter in function, not the root of a loaded view: param_i",
        rows.LAXER,
        rows.S.pointer_parameter,
        lambda parameter, self, e, p, pointer, cf, loaded: (
            cf if pointer.space is Space.FUNCTION and not loaded else parameter(e, p, pointer, cf, loaded)
        ),
    ),
    rows.changed(
        "name/pointer-parameter/always-loaded",
        "pointer parameter in function, not the root of a loaded view: param_i",
        rows.STRICTER,
        rows.S.pointer_parameter,
        lambda parameter, self, e, p, pointer, cf, loaded: parameter(
            e, p, pointer, cf, loaded or pointer.space is Space.FUNCTION
        ),
    ),
    rows.changed(
        "name/pointer-parameter/reads-address",
        "pointer parameter in function, root of a loaded view: R -> {CF, M[x]}",
        rows.EITHER,
        rows.S.pointer_parameter,
        lambda parameter, self, e, p, pointer, cf, loaded: self.address(e, p, cf),
    ),
    rows.changed(
        "name/pointer-parameter/address-non-uniform",
        "pointer parameter outside function, not the root of a loaded view: param_i",
        rows.STRICTER,
        rows.S.pointer_parameter,
        lambda parameter, self, e, p, pointer, cf, loaded: parameter(
            e, p, pointer, cf, loaded or pointer.space is not Space.FUNCTION
        ),
    ),
    rows.changed(
        "name/pointer-parameter/no-control-flow",
        "pointer parameter outside function: R -> {CF, param_i}",
        rows.LAXER,
        rows.S.address,
        lambda address, self, e, p, cf: address(e, p, self.parameters[id(p)]),
    ),
    *(_pointer_parameter(space, access) for space, access in (*WRITTEN, *READ)),
)

# ------------------------------------------------------------------------------------------------------------- inputs


def _input(row_: BuiltinInput, uniform_in: frozenset[Scope], what: str, equivalent: str = "") -> Variant:
    key = row_.name, row_.stage
    return rows.changed(
        f"input/{row_.stage}-{row_.name}/{what}",
        f"{row_.name} in {row_.stage} shaders: uniform in {', '.join(sorted(row_.uniform_in)) or 'no scope'}",
        rows.LAXER if uniform_in > row_.uniform_in else rows.STRICTER,
        rows.S.input_row,
        lambda input_row, self, name, stage: (
            replace(row_, uniform_in=uniform_in) if (name, stage) == key else input_row(name, stage)
        ),
        equivalent=equivalent,
    )


def _inputs() -> Iterator[Variant]:
    """Each bit of the table of built-in input values, turned over."""
    for row_ in INPUTS.values():
        for scope in Scope:
            if row_.uniform_in and scope in row_.uniform_in:
                yield _input(row_, row_.uniform_in - {scope}, f"non-uniform-in-{scope}")
            elif row_.uniform_in:
                yield _input(row_, row_.uniform_in | {scope}, f"uniform-in-{scope}")
        if not row_.uniform_in:
            vertex = "Nothing that a vertex shader may call requires uniformity." if row_.stage is Stage.VERTEX else ""
            yield _input(row_, BOTH_SCOPES, "uniform", vertex)


class StructuresByOneMember(ScopeAnalysis):
    """A structure of inputs is uniform if one member is."""

    def input(self, e: Expression, p: Parameter, cf: Node) -> Node:
        """Any member."""
        struct = self.resolution.struct(p.type)
        if struct is None:
            return super().input(e, p, cf)
        return cf if any(map(self.is_uniform_input, struct.members)) else self.source(e, p)


class StructuresByFirstMember(ScopeAnalysis):
    """A structure of inputs is uniform if its first member is."""

    def input(self, e: Expression, p: Parameter, cf: Node) -> Node:
        """The first member."""
        struct = self.resolution.struct(p.type)
        if struct is None:
            return super().input(e, p, cf)
        return cf if self.is_uniform_input(struct.members[0]) else self.source(e, p)


INPUT_VARIANTS: tuple[Variant, ...] = (
    *_inputs(),
    rows.row("input/structure/any-member", "every member of a structure", rows.LAXER, StructuresByOneMember),
    rows.row("input/structure/first-member", "every member of a structure", rows.LAXER, StructuresByFirstMember),
    rows.changed(
        "input/structure/non-uniform",
        "a structure whose members are uniform: CF",
        rows.STRICTER,
        rows.S.input,
        lambda input_, self, e, p, cf: (
            input_(e, p, cf) if self.resolution.struct(p.type) is None else self.source(e, p)
        ),
    ),
    rows.changed(
        "input/user-defined/uniform",
        "a user-defined input: MayBeNonUniform",
        rows.LAXER,
        rows.S.is_uniform_input,
        lambda is_uniform, self, member: self.resolution.builtin_input(member) is None or is_uniform(member),
    ),
    rows.changed(
        "input/user-defined/parameter",
        "a parameter of a helper is no input",
        rows.STRICTER,
        rows.S.named,
        lambda named, self, e, declared, cf, loaded: (
            self.source(e, declared) if isinstance(declared, Parameter) else named(e, declared, cf, loaded)
        ),
    ),
    rows.changed(
        "input/uniform/no-control-flow",
        "a uniform built-in value: CF",
        rows.LAXER,
        rows.S.input,
        lambda input_, self, e, p, cf: input_(e, p, rows.nothing(self)),
    ),
)
