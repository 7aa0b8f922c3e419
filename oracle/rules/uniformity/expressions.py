"""Uniformity rules for expressions (15.2.8) and for the left sides of assignments.

The specification threads (CF, expression) through its rows. Here `M` is the map from each variable of the `function`
address space to the node of its value at this point. Calls in an expression change it in order of evaluation.
Expressions never change control flow.
"""

from collections.abc import Collection

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.effects import Changes
from wgsl_fuzz.oracle.rules.uniformity.graph import MAY_BE_NON_UNIFORM, Role, UniformityGraph
from wgsl_fuzz.oracle.rules.uniformity.tags import FunctionTags
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import INPUTS, BuiltinInput, Scope, Stage
from wgsl_fuzz.wgsl.diagnostics import Filters
from wgsl_fuzz.wgsl.resolution import Access, Pointer, Resolution, Space
from wgsl_fuzz.wgsl.types import Declared

VariableMap = dict[int, Node]
"""From `id` of a declaration in the `function` address space to the node of its value."""


class NoValues(VariableMap):
    """The variables in dead code: each has a node of its own, which depends on nothing."""


class ExpressionRules:
    """The rows of 15.2.8, and what all rules share: the graph of the function at hand and the values at this point."""

    graph: UniformityGraph
    M: VariableMap
    lets: VariableMap
    """The node of each let's initialiser; of a pointer, of its address."""
    parameters: VariableMap
    """param_i."""
    subjects: dict[int, w.Variable | w.Parameter]
    """The declarations in M, by `id`."""
    changes: Changes
    """What may change in the function at hand, where paths meet in it."""
    function: w.Function

    def __init__(self, resolution: Resolution, scope: Scope | None) -> None:
        """`scope` is None where one run has the requirements of both."""
        self.resolution = resolution
        self.scope = scope
        self.filters = Filters(resolution.module.directives)
        self.F: dict[int, FunctionTags] = {}
        """The tags of the functions that are analysed, by `id`."""

    def value(self, e: w.Expression, cf: Node) -> Node:
        """An expression where a value is wanted. The load rule makes a reference its value; a pointer is a value."""
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
        """The variables behind it: as e1 left them, or as e2 did."""
        return before if before == self.M else self.join(Role.SHORT_CIRCUIT, e, [before, self.M])

    def join(self, role: Role, syntax: w.Node, maps: list[VariableMap]) -> VariableMap:
        """The variables where the paths with these maps meet; of those that change, the ones that are in all maps."""
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
        """The row of what is declared; `e` is where it is used."""
        match declared:
            case w.Variable():
                if self.resolution.space(declared) is Space.FUNCTION:
                    return self.function_variable(e, declared, cf, loaded)
                return self.module_variable(e, declared, cf, loaded)
            case w.Let():
                return self.let(e, declared, cf, loaded)
            case w.Parameter():
                if self.resolution.entry_stage(self.function) is not None:
                    return self.input(e, declared, cf)
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
        """MayBeNonUniform, by the name of what is read."""
        return self.graph.fresh(Role.SOURCE, e, declared, MAY_BE_NON_UNIFORM)

    def function_variable(self, e: w.Expression, x: w.Variable, cf: Node, loaded: bool) -> Node:
        """A variable in the `function` address space."""
        return self.read(e, x, cf, self.M[id(x)]) if loaded else cf

    def module_variable(self, e: w.Expression, x: w.Variable, cf: Node, loaded: bool) -> Node:
        """A variable at module scope: what may be written is non-uniform when it is read."""
        return self.source(e, x) if loaded and self.may_be_written(x) else cf

    def may_be_written(self, x: w.Variable) -> bool:
        """Whether a variable at module scope has other values while the shader runs."""
        return self.resolution.access(x) is not Access.READ

    def let(self, e: w.Expression, x: w.Let, cf: Node, loaded: bool) -> Node:
        """A let; one of pointer type stands for its initialiser, whose loads were made at the let (15.2.4)."""
        node = self.read(e, x, cf, self.lets[id(x)])
        if not loaded or not self.resolution.is_pointer(x.value):
            return node
        return self.both(e, node, self.named(e, self.resolution.root(x.value), cf, loaded))

    def pointer_parameter(self, e: w.Expression, p: w.Parameter, pointer: Pointer, cf: Node, loaded: bool) -> Node:
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

    def input(self, e: w.Expression, p: w.Parameter, cf: Node) -> Node:
        """A parameter of an entry point. A structure is one value: one non-uniform member makes it non-uniform."""
        struct = self.resolution.struct(p.type)
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
        """A load through a view of a buffer: the call that makes the view, and what is read of the buffer."""
        return self.both(e, self.call(e, cf), self.named(e, self.resolution.root(e), cf, True))

    def call(self, e: w.Call, cf: Node) -> Node:
        """A call (15.2.7)."""
        raise NotImplementedError
