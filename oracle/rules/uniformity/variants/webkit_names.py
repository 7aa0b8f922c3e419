"""What names stand for in WebKit's analysis, and where it has no edge to control flow (docs/webkit-analysis.md)."""

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.analysis import Iteration, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import NoValues, VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import CF_START, MAY_BE_NON_UNIFORM, Role
from wgsl_fuzz.oracle.rules.uniformity.variants.webkit_pointers import LeftSides
from wgsl_fuzz.oracle.rules.uniformity.variants.webkit_rows import EITHER, LAXER, STRICTER, departure
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.resolution import Access


class Conditions(ScopeAnalysis):
    """Whether a condition depends on control flow, where the names in it do not."""

    def keeps_flow(self, syntax: w.Node) -> bool:
        """Whether control flow under a condition depends on that before it; `syntax` says whose condition it is."""
        return True


class NamesWithoutFlow(Conditions):
    """A name depends on the value that it has, and not on control flow where it is read.

    What a function is called with, and what stands at module scope, depends on control flow at its start.
    """

    def read(self, e: w.Expression, declared: w.Variable | w.Let | w.Parameter, cf: Node, x: Node) -> Node:
        """X."""
        return x

    def constant(self, x: w.Const | w.Override, cf: Node) -> Node:
        """What it was declared with."""
        return self.lets.get(id(x), CF_START)

    def module_variable(self, e: w.Expression, x: w.Variable, cf: Node, loaded: bool) -> Node:
        """A value is that from the start."""
        return super().module_variable(e, x, CF_START if loaded else cf, loaded)

    def input(self, e: w.Expression, p: w.Parameter, cf: Node) -> Node:
        """A uniform one is uniform everywhere."""
        return super().input(e, p, CF_START)

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
        """Likewise."""
        v = super().break_if(s, cf)
        return self.graph.fresh(Role.CF_BREAK_IF, s, None, v, cf) if self.keeps_flow(s) else v


class IfWithoutFlow(Conditions):
    """Control flow in an `if` depends on the value of its condition alone."""

    def keeps_flow(self, syntax: w.Node) -> bool:
        """Not of an `if`."""
        return not isinstance(syntax, w.If) and super().keeps_flow(syntax)


class SwitchWithoutFlow(Conditions):
    """Control flow in a `switch` depends on the value of its selector alone."""

    def keeps_flow(self, syntax: w.Node) -> bool:
        """Not of a `switch`."""
        return not isinstance(syntax, w.Switch) and super().keeps_flow(syntax)


class LoopsWithoutFlow(Conditions):
    """Control flow in the body of a `while` or `for` depends on the value of its condition alone."""

    def keeps_flow(self, syntax: w.Node) -> bool:
        """Not of these."""
        return not isinstance(syntax, w.While | w.For) and super().keeps_flow(syntax)


class BreakIfWithoutFlow(Conditions):
    """Control flow behind a `break if` depends on the value of its condition alone."""

    def keeps_flow(self, syntax: w.Node) -> bool:
        """Not of a `break if`."""
        return not isinstance(syntax, w.BreakIf) and super().keeps_flow(syntax)


class ShortCircuitWithoutFlow(Conditions):
    """Control flow on the right of && and || depends on the value of the left side alone."""

    def keeps_flow(self, syntax: w.Node) -> bool:
        """Not of these."""
        return not isinstance(syntax, w.Binary) and super().keeps_flow(syntax)


class MissingElseIsNoEnd(ScopeAnalysis):
    """Control flow behind an `if` without an `else` depends on the end of its block alone."""

    def after_branches(self, role: Role, s: w.Statement, cf: Node, ends: list[Node]) -> Node:
        """Without the end of the branch that is not there."""
        missing = isinstance(s, w.If) and s.orelse is None
        return super().after_branches(role, s, cf, ends[:1] if missing else ends)


class AssignmentsWithoutFlow(LeftSides):
    """What is assigned depends on the right side and the indices, and not on control flow."""

    def assigned(self, s: w.Assign | w.Increment, x: int, cf: Node, left: Node, operands: list[Node]) -> Node:
        """`++` and `--` have that edge."""
        return super().assigned(s, x, left if isinstance(s, w.Assign) else cf, left, operands)


class OldValueBeforeStatement(ScopeAnalysis):
    """A partial assignment keeps the value that the variable had before the indices of its left side."""

    def assignment(self, s: w.Assign | w.Increment, cf: Node) -> Node:
        """Notes it."""
        self.old = self.M.get(id(self.resolution.root(s.left)))
        return super().assignment(s, cf)

    def kept(self, e: w.Expression) -> list[Node]:
        """The value from before."""
        return [] if self.replaces_all(e) or self.old is None else [self.old]

    old: Node | None = None


class ModuleVariablesRemember(ScopeAnalysis):
    """A variable at module scope holds what the function stored last, and at its start what it may hold."""

    def values_at_entry(self, contents: VariableMap) -> VariableMap:
        """With those at module scope."""
        M = super().values_at_entry(contents)
        for x in self.resolution.module.declarations:
            if isinstance(x, w.Variable):
                self.subjects[id(x)] = x
                source = self.may_be_written(x)
                M[id(x)] = self.graph.fresh(Role.SOURCE, x, x, MAY_BE_NON_UNIFORM) if source else CF_START
        return M

    def module_variable(self, e: w.Expression, x: w.Variable, cf: Node, loaded: bool) -> Node:
        """As a variable of the function."""
        return self.function_variable(e, x, cf, loaded)


class ModuleVariablesNotJoined(ScopeAnalysis):
    """Paths that meet join the variables and pointer parameters of the function; all else is as before, or as last.

    Behind an `if` or `switch` it is as before that; behind a loop as the end of the text of its body left it.
    """

    def meet(self, role: Role, s: w.Statement, maps: list[VariableMap], before: VariableMap) -> VariableMap:
        """The others as in `before`."""
        return self.with_others(super().meet(role, s, maps, before), before)

    def behind_loop(self, s: Iteration, b1: int, end: VariableMap, before: VariableMap) -> VariableMap:
        """The others as at the end."""
        return self.with_others(super().behind_loop(s, b1, end, before), end)

    def heads(self, s: Iteration) -> VariableMap:
        """Of the variables of the function."""
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


class StorageTexturesAreSources(ScopeAnalysis):
    """The name of a storage texture that may be written is non-uniform."""

    def may_be_written(self, x: w.Variable) -> bool:
        """By the access mode of its texels, too."""
        return super().may_be_written(x) or self.resolution.texture_access(x) not in (None, Access.READ)


class StructuresOfInputs(ScopeAnalysis):
    """An input of structure type is non-uniform whatever its members are."""

    def input(self, e: w.Expression, p: w.Parameter, cf: Node) -> Node:
        """A source."""
        return super().input(e, p, cf) if self.resolution.struct(p.type) is None else self.source(e, p)


ROWS = (
    departure("1.1", LAXER, NamesWithoutFlow, "takes the value of a name without control flow where it is read"),
    departure(
        "1.2",
        EITHER,
        AssignmentsWithoutFlow,
        "takes what is assigned without control flow and without the address of the left side",
    ),
    departure(
        "1.3",
        LAXER,
        IfWithoutFlow,
        "takes control flow in an `if` for the value of its condition alone",
        "names-without-flow",
    ),
    departure(
        "1.3",
        LAXER,
        SwitchWithoutFlow,
        "takes control flow in a `switch` for the value of its selector alone",
        "names-without-flow",
    ),
    departure(
        "1.3",
        LAXER,
        LoopsWithoutFlow,
        "takes control flow in a `while` or `for` for the value of its condition alone",
        "names-without-flow",
    ),
    departure(
        "1.3",
        LAXER,
        BreakIfWithoutFlow,
        "takes control flow behind a `break if` for the value of its condition alone",
        "names-without-flow",
    ),
    departure(
        "1.3",
        LAXER,
        ShortCircuitWithoutFlow,
        "takes control flow on the right of && and || for the value of the left side alone",
        "names-without-flow",
    ),
    departure(
        "1.4",
        LAXER,
        MissingElseIsNoEnd,
        "takes control flow behind an `if` without an `else` for the end of its block",
        "names-without-flow",
        "switch-without-flow",
    ),
    departure(
        "2.1", LAXER, ModuleVariablesRemember, "takes a variable at module scope for what the function stored last"
    ),
    departure(
        "2.2",
        EITHER,
        ModuleVariablesNotJoined,
        "joins no variables at module scope where paths meet",
        "module-variables-remember",
    ),
    departure(
        "2.3",
        STRICTER,
        StorageTexturesAreSources,
        "takes the name of a storage texture that may be written as non-uniform",
    ),
    departure("2.4", STRICTER, StructuresOfInputs, "takes every structure of inputs as non-uniform"),
    departure(
        "2.9",
        EITHER,
        OldValueBeforeStatement,
        "takes the old value of a partly assigned variable before the whole statement",
    ),
)
