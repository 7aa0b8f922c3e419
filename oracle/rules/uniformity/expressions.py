"""Expressions, names and calls (15.2.7, 15.2.8): the nodes and edges of a value."""

from collections.abc import Collection

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.graph import MAY_BE_NON_UNIFORM, Demand, Requirement, Role, UniformityGraph
from wgsl_fuzz.oracle.rules.uniformity.tags import FunctionTags, Origin, ParameterTags, Required
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import (
    FUNCTIONS,
    INPUTS,
    MATRIX_CONSTRUCTOR,
    MATRIX_TYPES,
    SUBGROUP_RULES,
    TYPES,
    BuiltinFunction,
    BuiltinInput,
    Rule,
    Scope,
    Stage,
)
from wgsl_fuzz.wgsl.diagnostics import Filters, Severity
from wgsl_fuzz.wgsl.problems import Unsupported
from wgsl_fuzz.wgsl.resolution import Access, Declared, MayWrite, PointerType, Resolution, Space
from wgsl_fuzz.wgsl.walk import descendants

VariableMap = dict[int, Node]
"""From `id` of a declaration in the `function` address space to the node of its value."""


class NoValues(VariableMap):
    """The variables in dead code: each has a fresh node without edges."""


Changes = dict[int, Collection[int]]
"""From `id` of a loop, `if`, `switch`, `&&` or `||` to the `id`s of declarations: variables and pointer parameters.

They are in the order of evaluation, which is the same in every run.
"""

_Roots = tuple[int, ...]


def changes_in(function: w.Function, resolution: Resolution) -> Changes:
    """The variables that each such construct may change, by an assignment or through a pointer argument of a call."""
    (_, start, end), *extents = resolution.extents[id(function)]
    effects = resolution.effects[start:end]
    short_circuits = [e for e in effects if e.__class__ is w.Binary]
    if not extents and not short_circuits:
        return {}
    changed = [_changed(effect, resolution) for effect in effects]
    found: Changes = {
        node: tuple({x: None for roots in changed[first - start : last - start] for x in roots})
        for node, first, last in extents
    }
    if short_circuits:
        by_call = {id(e): roots for e, roots in zip(effects, changed, strict=True) if roots and e.__class__ is w.Call}
        for e in short_circuits:
            found[id(e)] = tuple({x: None for n in (descendants(e) if by_call else ()) for x in by_call.get(id(n), ())})
    return found


def _changed(effect: MayWrite, resolution: Resolution) -> _Roots:
    """The variables that an effect may change: the assigned one, or the roots of a call's pointer arguments."""
    if isinstance(effect, w.Call):
        return tuple([id(resolution.root(a)) for a in effect.arguments if resolution.is_pointer(a)])
    return () if isinstance(effect, w.Binary) else (id(resolution.root(effect.left)),)


class ExpressionRules:
    """The rows of 15.2.8, and the state that all rules share: the current function's graph and present values."""

    graph: UniformityGraph
    M: VariableMap
    lets: VariableMap
    """The node of each let's initialiser; for a pointer, the node of the address."""
    parameters: VariableMap
    """param_i."""
    subjects: dict[int, w.Variable | w.Parameter]
    """The declarations in M, by `id`."""
    changes: Changes
    """The variables that each construct of the current function may change."""
    function: w.Function

    def __init__(self, resolution: Resolution, scope: Scope | None) -> None:
        """`scope` is None if one analysis covers the requirements of both scopes."""
        self.resolution = resolution
        self.scope = scope
        self.filters = Filters(resolution.module.directives)
        self.F: dict[int, FunctionTags] = {}
        """The tags of the functions that are analysed, by `id`."""

    def value(self, e: w.Expression, cf: Node) -> Node:
        """The node of an expression as a value: the load rule applies to a reference; a pointer is a value."""
        return self.expr(e, cf, not self.resolution.is_pointer(e))

    def expr(self, e: w.Expression, cf: Node, loaded: bool) -> Node:
        """The node of an expression; `loaded` says whether the reference that it is, or points to, is read."""
        match e:
            case w.Literal():
                return cf
            case w.Identifier():
                return self.identifier(e, cf, loaded)
            case w.Unary() | w.Member():
                return self.expr(e.operand if isinstance(e, w.Unary) else e.base, cf, loaded)
            case w.Binary(operator="&&" | "||"):
                return self.short_circuit(e, cf)
            case w.Binary():
                v1 = self.value(e.left, cf)
                return self.both(e, v1, self.value(e.right, cf))
            case w.Index():
                return self.index(e, cf, loaded)
            case w.Call():
                return self.viewed(e, cf) if loaded and self.resolution.is_pointer(e) else self.call(e, cf)

    def index(self, e: w.Index, cf: Node, loaded: bool) -> Node:
        """`e2[e1]`: a reference is loaded behind its index; of a value, operands go from left to right (15.1)."""
        if loaded and self.resolution.root(e) is None:
            v2 = self.expr(e.base, cf, loaded)
            return self.both(e, self.value(e.index, cf), v2)
        v1 = self.value(e.index, cf)
        return self.both(e, v1, self.expr(e.base, cf, loaded))

    def both(self, e: w.Expression, v1: Node, v2: Node) -> Node:
        """A node that depends on two values."""
        return v1 if v1 == v2 else self.graph.fresh(Role.OPERATION, e, None, v1, v2)

    def short_circuit(self, e: w.Binary, cf: Node) -> Node:
        """`e1 && e2`, `e1 || e2`: the value of e1 is the control flow of e2."""
        v1 = self.condition(e, e.left, cf)
        if not self.may_change(e):
            return self.guarded(e, v1)
        before = self.M
        self.M = before.copy()
        v2 = self.guarded(e, v1)
        self.M = self.after_short_circuit(e, before)
        return v2

    def guarded(self, e: w.Binary, v1: Node) -> Node:
        """The value of e2, all of which depends on the value of e1."""
        return self.value(e.right, v1)

    def condition(self, syntax: w.Node, e: w.Expression, cf: Node) -> Node:
        """The value of a condition, which is control flow for what it guards; `syntax` says whose condition it is."""
        v = self.value(e, cf)
        return v if v == cf else self.graph.fresh(Role.CONDITION, syntax, None, v)

    def after_short_circuit(self, e: w.Binary, before: VariableMap) -> VariableMap:
        """The variables after the operator: as e1 or as e2 left them."""
        return before if before == self.M else self.join(Role.SHORT_CIRCUIT, e, [before, self.M])

    def join(self, role: Role, syntax: w.Node, maps: list[VariableMap]) -> VariableMap:
        """The variables where the paths with these maps meet. A variable that may change must be in all maps."""
        first, *others = maps
        if not others:
            return first
        joined = first.copy()
        # Dead code is joined by some variants only; there, every variable has another node than before.
        dead = any(isinstance(m, NoValues) for m in maps)
        for x in [*first] if dead else self.may_change(syntax):
            nodes = {m[x] for m in maps if x in m}
            if not all(x in m for m in maps):
                joined.pop(x, None)
            elif len(nodes) > 1:
                joined[x] = self.graph.fresh(role, syntax, self.subjects[x], *nodes)
        return joined

    def may_change(self, syntax: w.Node) -> Collection[int]:
        """The variables that may have other values at the end of a statement, or of && and ||, than at its start."""
        return self.changes[id(syntax)]

    # ------------------------------------------------------------------------------------------------- identifiers

    def identifier(self, e: w.Identifier, cf: Node, loaded: bool) -> Node:
        """An identifier, by what it names."""
        return self.named(e, self.resolution.declaration(e), cf, loaded)

    def named(self, e: w.Expression, declared: Declared | None, cf: Node, loaded: bool) -> Node:
        """The row for a use `e` of a declaration."""
        match declared:
            case w.Variable():
                if self.resolution.space(declared) is Space.FUNCTION:
                    return self.function_variable(e, declared, cf, loaded)
                return self.module_variable(e, declared, cf, loaded)
            case w.Let():
                return self.let_use(e, declared, cf, loaded)
            case w.Parameter():
                if self.resolution.entry_stage(self.function) is not None:
                    return self.entry_input(e, declared, cf)
                pointer = self.resolution.pointer(declared)
                if pointer is None:
                    return self.read(e, declared, cf, self.parameters[id(declared)])
                return self.pointer_parameter(e, declared, pointer, cf, loaded)
            case w.Const() | w.Override():
                return self.constant(declared, cf)
            case _:
                return cf

    def constant(self, x: w.Const | w.Override, cf: Node) -> Node:
        """CF."""
        return cf

    def read(self, e: w.Expression, declared: w.Variable | w.Let | w.Parameter, cf: Node, x: Node) -> Node:
        """R -> {CF, X}."""
        return cf if x == cf else self.graph.fresh(Role.READ, e, declared, cf, x)

    def source(self, e: w.Expression, declared: w.Variable | w.Parameter) -> Node:
        """A labelled node -> MayBeNonUniform."""
        return self.graph.fresh(Role.SOURCE, e, declared, MAY_BE_NON_UNIFORM)

    def function_variable(self, e: w.Expression, x: w.Variable, cf: Node, loaded: bool) -> Node:
        """A variable in the `function` address space."""
        return self.read(e, x, cf, self.M[id(x)]) if loaded else cf

    def module_variable(self, e: w.Expression, x: w.Variable, cf: Node, loaded: bool) -> Node:
        """A variable at module scope. A read is non-uniform if the variable may be written."""
        return self.source(e, x) if loaded and self.may_be_written(x) else cf

    def may_be_written(self, x: w.Variable) -> bool:
        """Whether a variable at module scope has other values while the shader runs."""
        return self.resolution.access(x) is not Access.READ

    def let_use(self, e: w.Expression, x: w.Let, cf: Node, loaded: bool) -> Node:
        """A let; one of pointer type stands for its initialiser, whose loads were made at the let (15.2.4)."""
        node = self.read(e, x, cf, self.lets[id(x)])
        if not loaded or not self.resolution.is_pointer(x.value):
            return node
        return self.both(e, node, self.named(e, self.resolution.root(x.value), cf, loaded))

    def pointer_parameter(self, e: w.Expression, p: w.Parameter, pointer: PointerType, cf: Node, loaded: bool) -> Node:
        """A pointer parameter. In the `function` address space it is `&p` of a variable p (15.2.4)."""
        if pointer.space is Space.FUNCTION:
            return self.read(e, p, cf, self.M[id(p)]) if loaded else self.parameters[id(p)]
        if loaded and pointer.access is not Access.READ:
            return self.source(e, p)
        return self.address(e, p, cf)

    def address(self, e: w.Expression, p: w.Parameter, cf: Node) -> Node:
        """The address that a pointer parameter outside the `function` address space holds."""
        return self.read(e, p, cf, self.parameters[id(p)])

    # ------------------------------------------------------------------------------------------------------- inputs

    def entry_input(self, e: w.Expression, p: w.Parameter, cf: Node) -> Node:
        """A parameter of an entry point. A structure is one value: one non-uniform member makes it non-uniform."""
        struct = None if p.attributes else self.resolution.struct(p.type)
        members: tuple[w.Parameter | w.StructMember, ...] = (p,) if struct is None else struct.members
        return cf if all(map(self.is_uniform_input, members)) else self.source(e, p)

    def is_uniform_input(self, member: w.Parameter | w.StructMember) -> bool:
        """Whether it is a built-in input value that is uniform in this scope; user-defined inputs are not."""
        name = self.resolution.builtin_input(member)
        stage = self.resolution.entry_stage(self.function)
        if name is None or stage is None:
            return False
        return (self.scope or Scope.WORKGROUP) in self.input_row(name, stage).uniform_in

    def input_row(self, name: str, stage: Stage) -> BuiltinInput:
        """The row of a built-in input value (13.3.1.1)."""
        return INPUTS[name, stage]

    # ------------------------------------------------------------------------------------------------------- others

    def viewed(self, e: w.Call, cf: Node) -> Node:
        """A load through a view of a buffer: the call that makes the view, and the read of the buffer."""
        return self.both(e, self.call(e, cf), self.named(e, self.resolution.root(e), cf, True))

    # ------------------------------------------------------------------------------------------------- calls (15.2.7)

    def call(self, e: w.Call, cf: Node) -> Node:
        """A call: its arguments from left to right, all with the same control flow; then the rule for the callee."""
        declared = self.resolution.declaration(e.callee)
        arguments = self.arguments(e, cf)
        if isinstance(declared, w.Function):
            return self.user_call(e, declared, cf, arguments)
        name = e.callee.name
        if declared is None and name in FUNCTIONS:
            return self.builtin_call(e, self.function_row(name), cf, arguments)
        if declared is None and name not in TYPES:
            raise Unsupported(f"the built-in function '{name}' is not known", e.start)
        if self.resolution.has_matrices and self.makes_matrices(e):
            return self.builtin_call(e, self.function_row(MATRIX_CONSTRUCTOR.name), cf, arguments)
        return self.depending(e, cf, arguments)

    def makes_matrices(self, e: w.Call) -> bool:
        """Whether a constructor makes subgroup matrices (a proposal): one of a matrix, or a zero with some in it."""
        found = self.resolution.type(e)
        if e.arguments and (found is None or found.struct is not None or found.element is not None):
            return False
        return self.resolution.contains(found, MATRIX_TYPES)

    def arguments(self, e: w.Call, cf: Node) -> list[Node]:
        """The values of the arguments, from left to right."""
        return [self.value(a, cf) for a in e.arguments]

    def function_row(self, name: str) -> BuiltinFunction:
        """The row of a built-in function (15.2.7)."""
        return FUNCTIONS.get(name, MATRIX_CONSTRUCTOR)

    def depending(self, e: w.Call, cf: Node, arguments: list[Node]) -> Node:
        """R -> CF and every argument: a constructor, a conversion, or a built-in function without special tags."""
        successors = {cf, *arguments}
        return cf if len(successors) == 1 else self.graph.fresh(Role.RESULT, e, e.callee.name, *successors)

    def require(
        self, required: Required, target: Node, e: w.Call, demand: Demand = Demand.CONTROL_FLOW, i: int | None = None
    ) -> None:
        """RequiredToBeUniform.S -> `target`; the rules join the potential-trigger set."""
        self.graph.requirements.append(Requirement(required.severity, required.rules, target, e, demand, i))

    # ------------------------------------------------------------------------------------------ built-in functions

    def builtin_call(self, e: w.Call, row: BuiltinFunction, cf: Node, arguments: list[Node]) -> Node:
        """A call of a built-in function, by its row."""
        required = self.builtin_requirement(row)
        if required is not None:
            self.require(required, cf, e)
            for i in row.required:
                if i < len(arguments):
                    self.require(required, arguments[i], e, Demand.VALUE, i)
        if self.is_non_uniform(e, row):
            return self.graph.fresh(Role.SOURCE, e, row.name, MAY_BE_NON_UNIFORM)
        return self.depending(e, cf, self.result_depends_on(row, arguments))

    def builtin_requirement(self, row: BuiltinFunction) -> Required | None:
        """What a built-in function requires in this scope, with the severity in force at the call."""
        if row.rule is None or not self.is_rule_of_scope(row.rule):
            return None
        severity = Severity.ERROR if row.rule is Rule.SYNCHRONIZATION else self.filters.severity(row.rule)
        return None if severity is Severity.OFF else Required(severity, frozenset({row.rule}))

    def is_rule_of_scope(self, rule: Rule) -> bool:
        """Whether a trigger rule belongs to the current scope."""
        return self.scope is None or (rule in SUBGROUP_RULES) == (self.scope is Scope.SUBGROUP)

    def is_non_uniform(self, e: w.Call, row: BuiltinFunction) -> bool:
        """ReturnValueMayBeNonUniform. `textureLoad` has it for a storage texture that may be written."""
        if row.name == "textureLoad":
            return self.resolution.texture_access(e.arguments[0]) is Access.READ_WRITE
        return (self.scope or Scope.WORKGROUP) in row.non_uniform_in

    def result_depends_on(self, row: BuiltinFunction, arguments: list[Node]) -> list[Node]:
        """The arguments on which the result depends.

        A subgroup operation gives one value to the whole subgroup, so in that scope it depends on no argument.
        """
        return [] if self.scope is Scope.SUBGROUP and row.rule is Rule.SUBGROUP else arguments

    # -------------------------------------------------------------------------------------------- user's functions

    def user_call(self, e: w.Call, f: w.Function, cf: Node, arguments: list[Node]) -> Node:
        """A call of a function of the module, by its tags."""
        tags = self.F[id(f)]
        result = self.result(e, f, cf)
        if tags.call_site is not None:
            self.require(tags.call_site, cf, e)
        if self.returns_non_uniform(tags):
            self.graph.add_edge(result, MAY_BE_NON_UNIFORM)
        contents = {i: self.contents(e, i, arguments[i]) for i, p in enumerate(f.parameters) if self.is_contents(p)}
        for i, parameter in enumerate(tags.parameters):
            self.argument(e, i, parameter, result, arguments, contents)
        self.write_back(e, f, tags.parameters, cf, arguments, contents)
        return result

    def result(self, e: w.Call, f: w.Function, cf: Node) -> Node:
        """R -> CF."""
        return self.graph.growing(Role.RESULT, e, f, cf)

    def returns_non_uniform(self, tags: FunctionTags) -> bool:
        """ReturnValueMayBeNonUniform."""
        return tags.result_non_uniform

    def is_contents(self, p: w.Parameter) -> bool:
        """Whether a parameter is a pointer in the `function` address space: it has a node for its contents."""
        pointer = self.resolution.pointer(p)
        return pointer is not None and pointer.space is Space.FUNCTION

    def contents(self, e: w.Call, i: int, argument: Node) -> Node:
        """The contents of a pointer argument when the function is called."""
        root = self.resolution.root(e.arguments[i])
        subject = root if root is not None else ""
        return self.graph.fresh(Role.ARGUMENT_CONTENTS, e.arguments[i], subject, argument, self.M[id(root)])

    def argument(
        self, e: w.Call, i: int, tags: ParameterTags, result: Node, arguments: list[Node], contents: dict[int, Node]
    ) -> None:
        """The requirements and edges that the tags of one parameter give its argument, except writes through it."""
        if tags.required is not None:
            demand = Demand.CONTENTS if tags.of_contents else Demand.VALUE
            self.require(tags.required, contents[i] if tags.of_contents else arguments[i], e, demand, i)
        if tags.returned:
            self.graph.add_edge(result, arguments[i])
        if tags.returned_contents:
            self.graph.add_edge(result, contents[i])

    def write_back(
        self,
        e: w.Call,
        f: w.Function,
        tags: tuple[ParameterTags, ...],
        cf: Node,
        arguments: list[Node],
        contents: dict[int, Node],
    ) -> None:
        """Updates the variables that pointer arguments lead to."""
        written: VariableMap = {}
        for i in contents:
            root = self.resolution.root(e.arguments[i])
            successors = self.written(tags[i], cf, arguments, contents)
            successors += self.left_behind(e.arguments[i], arguments[i], id(root), written)
            written[id(root)] = self.M[id(root)] = self.graph.fresh(Role.WRITTEN, e, f, *successors)

    def left_behind(self, pointer: w.Expression, address: Node, x: int, written: VariableMap) -> list[Node]:
        """The old value and the address, if the pointer is partial: then the variable keeps a part of its value."""
        # Two pointers to one variable may be given if no more than one is used.
        if self.resolution.is_full(pointer):
            return [self.M[x]] if x in written else []
        return [self.M[x], address]

    def written(self, tags: ParameterTags, cf: Node, arguments: list[Node], contents: dict[int, Node]) -> list[Node]:
        """The nodes that the value behind a pointer depends on after the call."""
        if tags.written_non_uniform:
            return [MAY_BE_NON_UNIFORM]
        return [cf, *(self.origin(o, arguments, contents) for o in tags.written_from)]

    def origin(self, o: Origin, arguments: list[Node], contents: dict[int, Node]) -> Node:
        """The node of an origin: an argument's value or its contents."""
        return contents[o.parameter] if o.contents else arguments[o.parameter]
