"""Uniformity rules for calls (15.2.7): of a user's functions by their tags, of built-in functions by their table."""

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.expressions import ExpressionRules, VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import MAY_BE_NON_UNIFORM, Demand, Requirement, Role
from wgsl_fuzz.oracle.rules.uniformity.tags import FunctionTags, Origin, ParameterTags, Required
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, TYPES, BuiltinFunction, Rule, Scope
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.problems import Unsupported
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.syntax import Call, Expression, Function, Parameter


class CallRules(ExpressionRules):
    """The rows of 15.2.7."""

    def call(self, e: Call, cf: Node) -> Node:
        """A call: its arguments from left to right, all from the same control flow; then what the callee is."""
        declared = self.resolution.declaration(e.callee)
        arguments = self.arguments(e, cf)
        if isinstance(declared, Function):
            return self.user_call(e, declared, cf, arguments)
        name = e.callee.name
        if declared is None and name in FUNCTIONS:
            return self.builtin_call(e, self.function_row(name), cf, arguments)
        if declared is None and name not in TYPES:
            raise Unsupported(f"the built-in function '{name}' is not known", e.start)
        return self.depending(e, cf, arguments)

    def arguments(self, e: Call, cf: Node) -> list[Node]:
        """The values of the arguments, from left to right."""
        return [self.value(a, cf) for a in e.arguments]

    def function_row(self, name: str) -> BuiltinFunction:
        """The row of a built-in function (15.2.7)."""
        return FUNCTIONS[name]

    def depending(self, e: Call, cf: Node, arguments: list[Node]) -> Node:
        """R -> CF and every argument: a constructor, a conversion, or a built-in function without special tags."""
        successors = {cf, *arguments}
        return cf if len(successors) == 1 else self.graph.fresh(Role.RESULT, e, e.callee.name, *successors)

    def require(
        self, required: Required, target: Node, e: Call, demand: Demand = Demand.CONTROL_FLOW, i: int | None = None
    ) -> None:
        """RequiredToBeUniform.S -> `target`; the rules join the potential-trigger set."""
        self.graph.requirements.append(Requirement(required.severity, required.rules, target, e, demand, i))

    # ------------------------------------------------------------------------------------------ built-in functions

    def builtin_call(self, e: Call, row: BuiltinFunction, cf: Node, arguments: list[Node]) -> Node:
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

    def is_non_uniform(self, e: Call, row: BuiltinFunction) -> bool:
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

    def user_call(self, e: Call, f: Function, cf: Node, arguments: list[Node]) -> Node:
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

    def result(self, e: Call, f: Function, cf: Node) -> Node:
        """R -> CF."""
        return self.graph.growing(Role.RESULT, e, f, cf)

    def returns_non_uniform(self, tags: FunctionTags) -> bool:
        """ReturnValueMayBeNonUniform."""
        return tags.result_non_uniform

    def is_contents(self, p: Parameter) -> bool:
        """Whether a parameter is a pointer in the `function` address space: it has a node for its contents."""
        pointer = self.resolution.pointer(p)
        return pointer is not None and pointer.space is Space.FUNCTION

    def contents(self, e: Call, i: int, argument: Node) -> Node:
        """What the pointer argument points to, when the function is called."""
        root = self.resolution.root(e.arguments[i])
        subject = root if root is not None else ""
        return self.graph.fresh(Role.ARGUMENT_CONTENTS, e.arguments[i], subject, argument, self.M[id(root)])

    def argument(
        self, e: Call, i: int, tags: ParameterTags, result: Node, arguments: list[Node], contents: dict[int, Node]
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
        e: Call,
        f: Function,
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

    def left_behind(self, pointer: Expression, address: Node, x: int, written: VariableMap) -> list[Node]:
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
