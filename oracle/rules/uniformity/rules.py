"""The uniformity rules: expressions (15.2.8), calls (15.2.7), statements (15.2.6) and values of variables (15.2.5).

The specification threads (CF, expression) through its rows, and describes the values of each variable by edges between
Vin(s) and Vout(s). Here `M` is the map from each variable of the `function` address space to the node of its value at
this point; fresh nodes stand only where paths meet. Calls in an expression change it in order of evaluation.
Expressions never change control flow; `stmt` gives the control flow after a statement.
"""

from collections.abc import Collection
from copy import copy

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.effects import Changes
from wgsl_fuzz.oracle.rules.uniformity.graph import (
    MAY_BE_NON_UNIFORM,
    VALUE_RETURN,
    Demand,
    Requirement,
    Role,
    UniformityGraph,
)
from wgsl_fuzz.oracle.rules.uniformity.tags import FunctionTags, Origin, ParameterTags, Required
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import BREAK, CONTINUE, NEXT, RETURN, BehaviourAnalysis
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, INPUTS, TYPES, BuiltinFunction, BuiltinInput, Rule, Scope, Stage
from wgsl_fuzz.wgsl.diagnostics import Filters, Severity
from wgsl_fuzz.wgsl.problems import Unsupported
from wgsl_fuzz.wgsl.resolution import Access, Pointer, Resolution, Space
from wgsl_fuzz.wgsl.types import Declared

VariableMap = dict[int, Node]
"""From `id` of a declaration in the `function` address space to the node of its value."""


class NoValues(VariableMap):
    """The variables in dead code: each has a node of its own, which depends on nothing."""


Iteration = w.Loop | w.While | w.For


class UniformityRules:
    """The rows, and what they share: the graph of the function at hand and the values at this point."""

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
    behaviours: BehaviourAnalysis
    exits: VariableMap
    """Value_return_i_contents (O_i), by `id` of the parameter."""
    breaks: list[list[VariableMap]]
    """For each statement around that a `break` may leave: the variables at those breaks."""
    continues: list[list[VariableMap]]
    """For each loop around: the variables at its `continue`s."""

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

    # --------------------------------------------------------------------------------------------------- calls (15.2.7)

    def call(self, e: w.Call, cf: Node) -> Node:
        """A call: its arguments from left to right, all from the same control flow; then what the callee is."""
        declared = self.resolution.declaration(e.callee)
        arguments = self.arguments(e, cf)
        if isinstance(declared, w.Function):
            return self.user_call(e, declared, cf, arguments)
        name = e.callee.name
        if declared is None and name in FUNCTIONS:
            return self.builtin_call(e, self.function_row(name), cf, arguments)
        if declared is None and name not in TYPES:
            raise Unsupported(f"the built-in function '{name}' is not known", e.start)
        return self.depending(e, cf, arguments)

    def arguments(self, e: w.Call, cf: Node) -> list[Node]:
        """The values of the arguments, from left to right."""
        return [self.value(a, cf) for a in e.arguments]

    def function_row(self, name: str) -> BuiltinFunction:
        """The row of a built-in function (15.2.7)."""
        return FUNCTIONS[name]

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
        """Whether the requirements of a rule are those of the scope at hand."""
        return self.scope is None or (rule is Rule.SUBGROUP) == (self.scope is Scope.SUBGROUP)

    def is_non_uniform(self, e: w.Call, row: BuiltinFunction) -> bool:
        """ReturnValueMayBeNonUniform; of textureLoad, of a storage texture that may be written."""
        if row.name == "textureLoad":
            return self.resolution.texture_access(e.arguments[0]) is Access.READ_WRITE
        return (self.scope or Scope.WORKGROUP) in row.non_uniform_in

    def result_depends_on(self, row: BuiltinFunction, arguments: list[Node]) -> list[Node]:
        """The arguments on which the result depends.

        What a subgroup computes together is one value for the subgroup, whatever each invocation gave to it.
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
        """What the pointer argument points to, when the function is called."""
        root = self.resolution.root(e.arguments[i])
        subject = root if root is not None else ""
        return self.graph.fresh(Role.ARGUMENT_CONTENTS, e.arguments[i], subject, argument, self.M[id(root)])

    def argument(
        self, e: w.Call, i: int, tags: ParameterTags, result: Node, arguments: list[Node], contents: dict[int, Node]
    ) -> None:
        """What the tags of one parameter say of its argument, but for what is written through it."""
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
        """The variables to which the call was given pointers, after it."""
        written: VariableMap = {}
        for i in contents:
            root = self.resolution.root(e.arguments[i])
            successors = self.written(tags[i], cf, arguments, contents)
            successors += self.left_behind(e.arguments[i], arguments[i], id(root), written)
            written[id(root)] = self.M[id(root)] = self.graph.fresh(Role.WRITTEN, e, f, *successors)

    def left_behind(self, pointer: w.Expression, address: Node, x: int, written: VariableMap) -> list[Node]:
        """What a variable keeps of its old value: all if the pointer is partial, and then the address counts."""
        # Two pointers to one variable may be given if no more than one is used.
        if self.resolution.is_full(pointer):
            return [self.M[x]] if x in written else []
        return [self.M[x], address]

    def written(self, tags: ParameterTags, cf: Node, arguments: list[Node], contents: dict[int, Node]) -> list[Node]:
        """On what depends the value that the function leaves behind a pointer."""
        if tags.written_non_uniform:
            return [MAY_BE_NON_UNIFORM]
        return [cf, *(self.origin(o, arguments, contents) for o in tags.written_from)]

    def origin(self, o: Origin, arguments: list[Node], contents: dict[int, Node]) -> Node:
        """The node of an argument on which something depends."""
        return contents[o.parameter] if o.contents else arguments[o.parameter]

    # ------------------------------------------------------------------------- statements (15.2.6), and values (15.2.5)

    def stmts(self, statements: tuple[w.Statement, ...], cf: Node) -> Node:
        """s1 s2: s2 is analysed only if Next is among the behaviours of s1."""
        for s in statements:
            cf = self.stmt(s, cf)
            if not NEXT & self.behaviours.behaviour(s):
                break
        return cf

    def block(self, s: w.Block, cf: Node) -> Node:
        """`{s}`."""
        if not s.attributes:
            return self.stmts(s.statements, cf)
        return self.filtered(s.attributes, s, cf)

    def filtered(self, attributes: w.Attributes, s: w.Statement, cf: Node) -> Node:
        """A statement within the range of its diagnostic filters."""
        self.filters.push(attributes)
        cf = self.stmts(s.statements, cf) if isinstance(s, w.Block) else self.unfiltered(s, cf)
        self.filters.pop()
        return cf

    def stmt(self, s: w.Statement, cf: Node) -> Node:
        """One statement: the control flow after it."""
        match s:
            case w.Assign() | w.Increment():
                return self.assignment(s, cf)
            case w.Let():
                self.lets[id(s)] = self.value(s.value, cf)
                return cf
            case w.Variable():
                self.subjects[id(s)] = s
                self.M[id(s)] = cf if s.value is None else self.value(s.value, cf)
                return cf
            case w.Phony():
                self.value(s.value, cf)
                return cf
            case w.CallStatement():
                self.call(s.call, cf)
                return cf
            case w.Block():
                return self.block(s, cf)
            case w.If() | w.Switch() | w.Loop() | w.While() | w.For():
                return self.filtered(s.attributes, s, cf) if s.attributes else self.unfiltered(s, cf)
            case w.Break():
                self.breaks[-1].append(copy(self.M))  # older texts analyse a continuing behind it, and assign there
                return cf
            case w.Continue():
                self.continues[-1].append(self.M)
                return cf
            case w.BreakIf():
                return self.break_if(s, cf)
            case w.Return():
                return self.return_(s, cf)
            case w.Empty() | w.Const() | w.ConstAssert() | w.Discard():
                return cf

    def unfiltered(self, s: w.Statement, cf: Node) -> Node:
        """A statement that may have attributes, without looking at them."""
        match s:
            case w.If():
                return self.conditional(s, cf)
            case w.Switch():
                return self.switch(s, cf)
            case w.For():
                return self.for_loop(s, cf)
            case w.Loop() | w.While():
                return self.loop(s, cf)
            case _:
                raise AssertionError(f"{type(s).__name__} has no attributes")

    # ------------------------------------------------------------------------------------------------- assignments

    def assignment(self, s: w.Assign | w.Increment, cf: Node) -> Node:
        """`e1 = e2`, `e1 op= e2`, `e1++`: the left side, then the right; a compound one reads the left side first."""
        left = self.left_side(s.left, cf)
        operands = [] if isinstance(s, w.Assign) and s.operator == "=" else [self.old_value(s.left, cf)]
        if isinstance(s, w.Assign):
            operands.append(self.value(s.right, cf))
        root = self.resolution.root(s.left)
        if id(root) in self.M:
            self.M[id(root)] = self.assigned(s, id(root), cf, left, operands)
        return cf

    def assigned(self, s: w.Assign | w.Increment, x: int, cf: Node, left: Node, operands: list[Node]) -> Node:
        """The value of a variable after an assignment: L -> {CF, the right side, every index, the value it keeps}."""
        return self.graph.fresh(Role.ASSIGNED, s, self.subjects[x], *{cf, left, *operands, *self.kept(s.left)})

    def left_side(self, e: w.Expression, cf: Node) -> Node:
        """The address of a left side: control flow and every index."""
        return self.expr(e, cf, False)

    def old_value(self, e: w.Expression, cf: Node) -> Node:
        """The value of a left side that is evaluated already."""
        return self.named(e, self.resolution.root(e), cf, True)

    def kept(self, e: w.Expression) -> list[Node]:
        """What of the old value an assignment keeps: all of it if the reference is partial."""
        return [] if self.replaces_all(e) else [self.M[id(self.resolution.root(e))]]

    def replaces_all(self, e: w.Expression) -> bool:
        """Whether an assignment to `e` leaves nothing of its root variable: it is a full reference."""
        return self.resolution.is_full(e)

    def meet(self, role: Role, s: w.Statement, maps: list[VariableMap], before: VariableMap) -> VariableMap:
        """The variables where paths with these meet; without any it is dead code, and those before have no value."""
        if maps:
            return self.join(role, s, maps)
        return NoValues({x: self.graph.fresh(role, s, self.subjects[x]) for x in before})

    # ----------------------------------------------------------------------------------------------------- branches

    def conditional(self, s: w.If, cf: Node) -> Node:
        """`if e s1 else s2`."""
        v, before = self.condition(s, s.condition, cf), self.M
        branches: list[w.Statement] = [s.then, s.orelse if s.orelse is not None else w.Empty()]
        ends, maps = self.alternatives(branches, v)
        self.M = self.meet(Role.AFTER_IF, s, maps, before)
        return self.after_branches(Role.CF_AFTER_IF, s, cf, ends)

    def alternatives(
        self, branches: list[w.Statement], v: Node, joined: int = NEXT
    ) -> tuple[list[Node], list[VariableMap]]:
        """The control flow at the end of each branch, and the variables of those that have a behaviour of `joined`."""
        before, ends, maps = self.M, [], []
        for branch in branches:
            self.M = before.copy()
            ends.append(self.stmt(branch, v))
            if joined & self.behaviour(branch):
                maps.append(self.M)
        return ends, maps

    def behaviour(self, s: w.Statement) -> int:
        """The behaviours of a statement, or of what stands for a missing `else`."""
        return NEXT if isinstance(s, w.Empty) else self.behaviours.behaviour(s)

    def after_branches(self, role: Role, s: w.Statement, cf: Node, ends: list[Node]) -> Node:
        """As before if all branches always reach their end; otherwise E -> the end of each."""
        return cf if self.behaviours.behaviour(s) == NEXT else self.graph.fresh(role, s, None, *dict.fromkeys(ends))

    def switch(self, s: w.Switch, cf: Node) -> Node:
        """`switch e {...}`: as `if`, with a branch for each clause; selectors are not analysed."""
        v, before = self.condition(s, s.selector, cf), self.M
        self.filters.push(self.body_filters(s))
        self.breaks.append([])
        ends, maps = self.alternatives([clause.body for clause in s.clauses], v, self.joined_after_clause())
        maps += self.breaks.pop()
        self.filters.pop()
        self.M = self.meet(Role.AFTER_SWITCH, s, maps, before)
        return self.after_branches(Role.CF_AFTER_SWITCH, s, cf, ends)

    def joined_after_clause(self) -> int:
        """The behaviours of a clause whose variables at its end flow on. The letter has Break among them."""
        return NEXT

    def body_filters(self, s: w.Switch | Iteration) -> w.Attributes:
        """The filters at the braces of a `switch`, and of a `loop`: these have its `continuing` inside."""
        return s.body_attributes if isinstance(s, w.Switch) else s.body.attributes if isinstance(s, w.Loop) else ()

    # -------------------------------------------------------------------------------------------------------- loops

    def for_loop(self, s: w.For, cf: Node) -> Node:
        """`for (i; c; u) b` is `{ i; loop { if !c {break;} b continuing {u} } }`."""
        if s.initial is not None:
            cf = self.stmt(s.initial, cf)
        return self.loop(s, cf)

    def loop(self, s: Iteration, cf: Node) -> Node:
        """`loop s1 continuing s2`, by the behaviours of s1 (B1)."""
        b1 = self.body_behaviours(s)
        before = self.M
        head = self.cf_head(s, cf) if self.has_back_edge(b1) else cf
        heads = self.heads(s) if self.flows_back(b1) else {}
        self.M = {**before, **heads}
        self.breaks.append([])
        self.continues.append([])
        self.filters.push(self.body_filters(s))
        cf1 = cf2 = self.loop_body(s, head)
        if self.analyses_continuing(s, b1):
            self.M = self.at_continuing(s, b1)
            cf2 = self.continuing(s, cf1)
        if self.flows_back(b1):
            self.back_edges(b1, head, heads, cf2)
        self.filters.pop()
        self.continues.pop()
        self.M = self.behind_loop(s, b1, self.M, before)
        return self.cf_after_loop(s, cf, cf1, head)

    def body_behaviours(self, s: Iteration) -> int:
        """B1; that of `while` and `for` begins with `if !c {break;}`."""
        b1 = self.behaviours.behaviour(s.body)
        return b1 if isinstance(s, w.Loop) or s.condition is None else self.behaviours.behind_condition(b1)

    def has_back_edge(self, b1: int) -> bool:
        """Whether control flow at the head depends on that at the loop's end: CF' is a node of its own."""
        return bool(b1 & (NEXT | CONTINUE))

    def cf_head(self, s: Iteration, cf: Node) -> Node:
        """CF' -> CF."""
        return self.graph.growing(Role.CF_HEAD, s, None, cf)

    def heads(self, s: Iteration) -> VariableMap:
        """Vin(s1) -> Vout(prev): a node for each variable that the loop may change; the others keep theirs."""
        changed = [(x, self.M[x]) for x in self.may_change(s) if x in self.M]
        return {x: self.graph.growing(Role.HEAD, s, self.subjects[x], node) for x, node in changed}

    def loop_body(self, s: Iteration, cf: Node) -> Node:
        """s1; that of `while` and `for` begins with `if !c {break;}`."""
        match s:
            case w.Loop():
                return self.stmts(s.body.statements, cf)
            case w.While() | w.For():
                if s.condition is not None:
                    cf = self.condition(s, s.condition, cf)
                    self.breaks[-1].append(self.M.copy())
                return self.block(s.body, cf)

    def reaches_continuing(self, b1: int) -> bool:
        """Whether s2 is reached."""
        return bool(b1 & (NEXT | CONTINUE))

    def analyses_continuing(self, s: Iteration, b1: int) -> bool:
        """Whether s2 is analysed: if it is reached."""
        return self.reaches_continuing(b1)

    def flows_back(self, b1: int) -> bool:
        """Whether an iteration begins with what the one before it left: if s2 is reached."""
        return self.reaches_continuing(b1)

    def at_continuing(self, s: Iteration, b1: int) -> VariableMap:
        """Vin(s2) -> Vout(s1) if Next is in B1, and Vout of each `continue`."""
        maps = [self.M] if self.flows_to_continuing(b1) else []
        return self.meet(Role.CONTINUING, s, [*maps, *self.jumps_to_continuing()], self.M)

    def jumps_to_continuing(self) -> list[VariableMap]:
        """Vout of each `continue`."""
        return self.continues[-1]

    def flows_to_continuing(self, b1: int) -> bool:
        """Whether the variables at the end of s1 are those at the start of s2."""
        return bool(b1 & NEXT)

    def continuing(self, s: Iteration, cf: Node) -> Node:
        """s2."""
        match s:
            case w.Loop():
                return cf if s.continuing is None else self.block(s.continuing, cf)
            case w.For():
                return cf if s.update is None else self.stmt(s.update, cf)
            case w.While():
                return cf

    def back_edges(self, b1: int, head: Node, heads: VariableMap, cf2: Node) -> None:
        """CF' -> CF2, and Vin(s1) -> Vout(s2)."""
        if self.has_back_edge(b1):
            self.graph.add_edge(head, cf2)
        for x, node in heads.items():
            self.graph.add_edge(node, self.M[x])

    def behind_loop(self, s: Iteration, b1: int, end: VariableMap, before: VariableMap) -> VariableMap:
        """Vin(next) -> Vout of each `break` in s1 that leaves, and Vout(s2) if Break is in B2."""
        maps = self.breaks.pop()
        if self.reaches_continuing(b1) and self.is_left_at_end(s, b1):
            maps.append(end)
        return self.meet(Role.EXIT, s, maps, before)

    def is_left_at_end(self, s: Iteration, b1: int) -> bool:
        """Whether Break is in B2: the loop may be left by a `break if`. The letter asks B1."""
        return (
            isinstance(s, w.Loop) and s.continuing is not None and bool(self.behaviours.behaviour(s.continuing) & BREAK)
        )

    def cf_after_loop(self, s: Iteration, cf: Node, cf1: Node, head: Node) -> Node:
        """By B1: {Break}: CF. {Return} or {Break, Return}: CF1. Otherwise CF' if Return is in B1, else CF."""
        b1 = self.body_behaviours(s)
        if not b1 & RETURN:
            return cf
        return head if b1 & (NEXT | CONTINUE) else cf1

    def break_if(self, s: w.BreakIf, cf: Node) -> Node:
        """`break if e`: E -> V."""
        return self.graph.fresh(Role.CF_BREAK_IF, s, None, self.value(s.condition, cf))

    # ------------------------------------------------------------------------------------------------------- return

    def return_(self, s: w.Return, cf: Node) -> Node:
        """`return e`: Value_return -> V, and what pointers lead to at this point."""
        if s.value is not None:
            self.graph.add_edge(VALUE_RETURN, self.value(s.value, cf))
        self.leave_function()
        return cf

    def leave_function(self) -> None:
        """Value_return_i_contents -> the value of parameter i's contents. The end of a body leaves it as well."""
        for x, node in self.exits.items():
            self.graph.add_edge(node, self.M[x])
