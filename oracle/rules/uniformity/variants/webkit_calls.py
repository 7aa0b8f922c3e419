"""What calls are in WebKit's analysis, which filters count, and which scopes there are (docs/webkit-analysis.md)."""

from collections.abc import Sequence
from functools import cached_property

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult, Iteration, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import Demand
from wgsl_fuzz.oracle.rules.uniformity.tags import Required
from wgsl_fuzz.oracle.rules.uniformity.variants.webkit_rows import EITHER, LAXER, STRICTER, departure
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, BuiltinFunction, Rule, Scope
from wgsl_fuzz.wgsl.syntax import Alias, Attributes, Block, Call, Expression, If, Parameter, Switch
from wgsl_fuzz.wgsl.walk import descendants

UNIFORM_LOAD = "workgroupUniformLoad"


class CallsReplaceVariables(ScopeAnalysis):
    """Behind a call a variable holds what the function leaves behind the last pointer to it, or to a part of it."""

    def left_behind(self, pointer: Expression, address: Node, x: int, written: VariableMap) -> list[Node]:
        """Nothing of the old value."""
        return []


class UniformLoadsOfParameters(ScopeAnalysis):
    """`workgroupUniformLoad` requires of what a pointer parameter leads to the address of the parameter alone.

    What it gives depends on control flow alone.
    """

    def require(
        self, required: Required, target: Node, e: Call, demand: Demand = Demand.CONTROL_FLOW, i: int | None = None
    ) -> None:
        """No index."""
        row = self.resolution.builtin(e)
        root = self.resolution.root(e.arguments[0]) if row is FUNCTIONS[UNIFORM_LOAD] else None
        if demand is Demand.VALUE and isinstance(root, Parameter):
            target = self.parameters[id(root)]
        super().require(required, target, e, demand, i)

    def result_depends_on(self, row: BuiltinFunction, arguments: list[Node]) -> list[Node]:
        """Nothing else, where it has the requirement."""
        free = row.name == UNIFORM_LOAD and self.scope is not Scope.SUBGROUP
        return [] if free else super().result_depends_on(row, arguments)


class AliasesAreBuiltin(ScopeAnalysis):
    """A call of an alias that is called like a built-in function is one of that."""

    def call(self, e: Call, cf: Node) -> Node:
        """By its name. `textureLoad` without arguments is not modelled."""
        row = FUNCTIONS.get(e.callee.name)
        alias = isinstance(self.resolution.declaration(e.callee), Alias)
        known = alias and row is not None and row.rule is not Rule.SUBGROUP
        if not known or row is None or (row.name == "textureLoad" and not e.arguments):
            return super().call(e, cf)
        return self.builtin_call(e, row, cf, self.arguments(e, cf))


class FiltersOfBodiesIgnored(ScopeAnalysis):
    """Diagnostic filters count in front of statements, and not in front of the braces of a body."""

    def body_filters(self, s: Switch | Iteration) -> Attributes:
        """None."""
        return ()

    def block(self, s: Block, cf: Node) -> Node:
        """Those of a block that is a statement, or stands after `else`, count."""
        if s.attributes and id(s) not in self.blocks:
            return self.stmts(s.statements, cf)
        return super().block(s, cf)

    @cached_property
    def blocks(self) -> frozenset[int]:
        """These blocks, by `id`."""
        inner = [node for f in self.resolution.functions for node in descendants(f.body)]
        lists = [s for node in inner if isinstance(node, Block) for s in node.statements]
        return frozenset(id(s) for s in (*lists, *(node.orelse for node in inner if isinstance(node, If))))


class SubgroupsOnlyIfClean(ScopeAnalysis):
    """The scope of subgroups is analysed only if nothing was found in the other one, of whatever severity."""

    @classmethod
    def goes_on(cls, results: Sequence[FunctionResult]) -> bool:
        """Without violations."""
        return not any(result.violations for result in results)


ROWS = (
    departure(
        "4.2",
        LAXER,
        CallsReplaceVariables,
        "takes a variable behind a call for what the last pointer to it, or to a part of it, leaves behind",
    ),
    departure(
        "4.3",
        LAXER,
        UniformLoadsOfParameters,
        "forgets the indices of a workgroupUniformLoad through a pointer parameter",
    ),
    departure("4.4", STRICTER, AliasesAreBuiltin, "takes an alias for the built-in function that it is called like"),
    departure(
        "5.1",
        EITHER,
        FiltersOfBodiesIgnored,
        "ignores diagnostic filters in front of the bodies of statements and functions",
    ),
    departure(
        "5.2",
        LAXER,
        SubgroupsOnlyIfClean,
        "analyses the scope of subgroups only if the other scope has no violation of any severity",
    ),
)
