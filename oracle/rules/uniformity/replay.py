"""What the reference found of each statement, kept for variants that do not touch it: they run only where they differ.

A statement that a variant does not touch does the same with the same control flow and the same values before it. The
recorded effects take its place: values, requirements, edges, jumps. It needs nodes that are equal in all runs, so
`NumberedSets` gives what has a bit of its own the same bit in every run over a function.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult, ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.expressions import NoValues, VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import VALUE_RETURN, Requirement, Role
from wgsl_fuzz.oracle.rules.uniformity.sets import SourceSets
from wgsl_fuzz.wgsl.syntax import Empty, Function, Let, Parameter, Statement, Variable
from wgsl_fuzz.wgsl.syntax import Node as Syntax

Thing = tuple[int, int, int]
"""What a node is for, by identity: its role, its construct, and the variable or function that it is about."""
Bits = dict[tuple[Thing, int], Node]
"""Of each thing, and of how often it was met before: some variants look at it twice."""
Edge = tuple[Node, Node, Thing | None]
"""Source and target, and of a fresh node what it is for."""

MOST = 20_000
"""Records hold all variables at each statement; where these are more than so many in a function, none are made."""


class NumberedSets(SourceSets):
    """Sets of sources in which the same node has the same bit in every run over a function."""

    __slots__ = ("_bits", "_times", "log")

    def __init__(self, bits: Bits) -> None:
        super().__init__()
        self._bits = bits
        self._times: dict[Thing, int] = {}
        self.log: list[Edge] = []

    def growing(
        self,
        role: Role,
        syntax: Syntax | None,
        subject: Variable | Let | Parameter | Function | str | None,
        *successors: Node,
    ) -> Node:
        """The bit that this node always has."""
        thing = id(role), id(syntax), id(subject)
        own = self._bits.setdefault((thing, self._times.get(thing, 0)), VALUE_RETURN << (1 + len(self._bits)))
        self._add(own, self.fresh(role, syntax, subject, *successors), thing)
        return own

    def add_edge(self, source: Node, target: Node) -> None:
        """The edge, also in the log."""
        self._add(source, target, None)

    def _add(self, source: Node, target: Node, thing: Thing | None) -> None:
        if thing is not None:
            self._times[thing] = self._times.get(thing, 0) + 1
        self._out[source] = self._out.get(source, 0) | target
        self.log.append((source, target, thing))

    def add_all(self, edges: Collection[Edge]) -> None:
        """The edges that another run has logged."""
        for edge in edges:
            self._add(*edge)


class State(NamedTuple):
    """What a statement is analysed from."""

    cf: Node
    M: VariableMap
    lets: VariableMap


class Record(NamedTuple):
    """What the reference found of one statement."""

    before: State
    after: State
    requirements: list[Requirement]
    edges: list[Edge]
    breaks: list[VariableMap]
    continues: list[VariableMap]


@dataclass(slots=True)
class Run:
    """The records of one scope."""

    records: dict[int, Record] = field(default_factory=dict)
    """By `id` of the statement."""
    bits: dict[int, Bits] = field(default_factory=dict)
    """By `id` of the function."""
    subjects: dict[int, Variable | Parameter] = field(default_factory=dict)


class Numbered(ScopeAnalysis):
    """An analysis in which nodes are equal in all runs."""

    recorded: Run

    def empty_graph(self) -> NumberedSets:
        """With the bits of the function at hand."""
        return NumberedSets(self.recorded.bits.setdefault(id(self.function), {}))

    def jumps(self) -> Iterator[list[VariableMap]]:
        """The variables at the breaks and at the continues of what is around."""
        yield self.breaks[-1] if self.breaks else []
        yield self.continues[-1] if self.continues else []


class Recording(Numbered):
    """The reference, which records what it finds of each statement."""

    most = MOST

    def analyse_function(self, f: Function) -> FunctionResult:
        """Also keeps what the variables in it are."""
        self.held = 0
        result = super().analyse_function(f)
        self.recorded.subjects.update(self.subjects)
        return result

    def stmt(self, s: Statement, cf: Node) -> Node:
        """With a record."""
        self.held += len(self.M) + len(self.lets)
        # An `Empty` may stand for an `else` that is missing, and then for nothing that has an identity.
        if isinstance(s, Empty) or self.held > self.most:
            return super().stmt(s, cf)
        graph = self.graph
        assert isinstance(graph, NumberedSets)
        before = State(cf, self.M.copy(), self.lets.copy())
        breaks, continues = self.jumps()
        starts = len(graph.requirements), len(graph.log), len(breaks), len(continues)
        after = super().stmt(s, cf)
        self.recorded.records[id(s)] = Record(
            before,
            State(after, _copied(self.M), self.lets.copy()),
            graph.requirements[starts[0] :],
            graph.log[starts[1] :],
            [_copied(M) for M in breaks[starts[2] :]],
            [_copied(M) for M in continues[starts[3] :]],
        )
        return after


class Replaying(Numbered):
    """A variant, which leaves to the records what it does not touch."""

    touched: Collection[int] | None = None
    """By `id`, the statements that it may touch; None: it may touch all."""

    def stmt(self, s: Statement, cf: Node) -> Node:
        """By the record, if nothing is different."""
        record = None if self.touched is None or id(s) in self.touched else self.recorded.records.get(id(s))
        if record is None or record.before != (cf, self.M, self.lets):
            return super().stmt(s, cf)
        graph = self.graph
        assert isinstance(graph, NumberedSets)
        graph.requirements += record.requirements
        graph.add_all(record.edges)
        for found, recorded in zip(self.jumps(), (record.breaks, record.continues), strict=True):
            found += [_copied(M) for M in recorded]
        self.subjects = self.recorded.subjects
        after = record.after
        self.M, self.lets = _copied(after.M), after.lets.copy()
        return after.cf


def _copied(M: VariableMap) -> VariableMap:
    """Maps change in place."""
    return NoValues(M) if isinstance(M, NoValues) else M.copy()
