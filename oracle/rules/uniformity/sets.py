"""The rules on sets of sources in place of a graph: the same verdict, violations and tags, several times sooner.

The verdict depends only on which special nodes, parameters and contents a node reaches. So a node can be the set of
these, an `int` with a bit for each, and the rules run unchanged: a fresh node is the union of its successors. Nodes
that get edges later (heads of loops, results of calls, exits) have their own bit. When all edges are known, what they
reach replaces it. Explanations need the graph, with its labels and paths.
"""

from collections.abc import Iterable

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity import graph
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import VariableMap
from wgsl_fuzz.oracle.rules.uniformity.tags import NO_TAGS, FunctionTags
from wgsl_fuzz.wgsl import syntax as w


class SourceSets(graph.UniformityGraph):
    """Nodes that are sets of nodes. It has neither labels nor paths."""

    __slots__ = ("next", "out")

    def __init__(self) -> None:
        self.requirements: list[graph.Requirement] = []
        self.out: dict[Node, Node] = {graph.MAY_BE_NON_UNIFORM: 0, graph.CF_START: 0, graph.VALUE_RETURN: 0}
        """By bit: the union of its successors."""
        self.next = graph.VALUE_RETURN << 1
        """The next node with its own bit."""

    def fresh(self, role: graph.Role, syntax: w.Node | None, subject: graph.LabelSubject, *successors: Node) -> Node:
        """The union of the successors."""
        found = 0
        for successor in successors:
            found |= successor
        return found

    def growing(self, role: graph.Role, syntax: w.Node | None, subject: graph.LabelSubject, *successors: Node) -> Node:
        """A node with its own bit; edges may be added later."""
        own = self.next
        self.next = own << 1
        self.out[own] = self.fresh(role, syntax, subject, *successors)
        return own

    def add_edge(self, source: Node, target: Node) -> None:
        """The edge (source, target); the source must have its own bit."""
        self.out[source] |= target

    def reached_from(self, sources: Iterable[Node]) -> graph.Reached:
        """What some nodes reach; whoever asks has to ask about a node with its own bit."""
        out, found, done = self.out, 0, 0
        for source in sources:
            found |= source
        while waiting := found & ~done:
            own = waiting & -waiting
            done |= own
            found |= out[own]
        return found.__and__

    def non_uniform(self) -> graph.Reached:
        """Which bits reach MayBeNonUniform: a node does if it has one of them."""
        # Edges mostly point to older nodes, so one pass nearly suffices; loops need another.
        rising, found, before = [*self.out.items()], graph.MAY_BE_NON_UNIFORM, 0
        while found != before:
            before = found
            for own, reached in rising:
                if reached & found:
                    found |= own
        return found.__and__


class SetAnalysis(ScopeAnalysis):
    """The rules on sets of sources."""

    graph_type = SourceSets

    def tags(self, f: w.Function, entries: VariableMap, violations: tuple[graph.Requirement, ...]) -> FunctionTags:
        """Nothing calls an entry point: its tags decide nothing."""
        return NO_TAGS if self.resolution.entry_stage(f) else super().tags(f, entries, violations)


def on_sets(analysis: type[ScopeAnalysis]) -> type[ScopeAnalysis]:
    """An analysis that makes sets of sources in place of a graph, if that is the same for its rules."""
    return analysis if analysis.tells_nodes_apart else type(analysis.__name__, (SetAnalysis, analysis), {})
