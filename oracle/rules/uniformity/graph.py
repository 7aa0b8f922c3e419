"""The uniformity graph of one function (15.2.3), with a label on each node for people.

An edge (a, b) says that a is uniform only if b is. `MayBeNonUniform` is mostly reached through a node of `Role.SOURCE`:
a path says which expression it came from. The specification has one node RequiredToBeUniform.S for each severity;
here each is the list of its successors, `Requirement`s, which know what put them there.

`sets.SourceSets` replaces the graph where only the verdict and tags are needed.
"""

from collections.abc import Callable, Iterable
from enum import Enum
from typing import NamedTuple

from wgsl_fuzz.oracle.rules.digraph import Digraph, Node
from wgsl_fuzz.wgsl.builtins import Rule
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.syntax import Call, Function, Let, Parameter, Variable
from wgsl_fuzz.wgsl.syntax import Node as Syntax

# Each is a power of two: in `sets` it is also the set of itself.
MAY_BE_NON_UNIFORM: Node = 1
CF_START: Node = 2
VALUE_RETURN: Node = 4
_SPECIAL = ("", "MayBeNonUniform", "CF_start", "", "Value_return")
"""By number; those without a name are not used."""


class Role(Enum):
    """What a node stands for."""

    SPECIAL = "special"
    PARAMETER = "a parameter's value, or the address that a pointer holds"
    CONTENTS_AT_ENTRY = "what a pointer parameter points to, when the function is called"
    CONTENTS_AT_EXIT = "what a pointer parameter points to, when the function returns"
    READ = "a read of a variable, a let or a parameter"
    OPERATION = "an operation"
    CONDITION = "a condition under which something is executed"
    SOURCE = "a source of non-uniformity"
    ASSIGNED = "a variable after an assignment"
    SHORT_CIRCUIT = "a variable after && or ||"
    AFTER_IF = "a variable after if"
    AFTER_SWITCH = "a variable after switch"
    HEAD = "a variable at a loop's head"
    CONTINUING = "a variable at a loop's continuing"
    EXIT = "a variable behind a loop"
    ARGUMENT_CONTENTS = "what a pointer argument points to"
    WRITTEN = "a variable after a call that was given a pointer to it"
    RESULT = "a call's result"
    CF_AFTER_IF = "control flow after if"
    CF_AFTER_SWITCH = "control flow after switch"
    CF_HEAD = "control flow at a loop's head"
    CF_BREAK_IF = "control flow after break if"


LabelSubject = Variable | Let | Parameter | Function | str | None


class Label(NamedTuple):
    """A node's role, the construct that it belongs to, and the variable or function that it is about."""

    role: Role
    syntax: Syntax | None
    subject: LabelSubject


class Demand(Enum):
    """What a call requires to be uniform."""

    CONTROL_FLOW = "control flow at the call"
    VALUE = "the value of an argument, or its address"
    CONTENTS = "what a pointer argument points to"


class Requirement(NamedTuple):
    """An edge from RequiredToBeUniform.S, and the call that put it there."""

    severity: Severity
    rules: frozenset[Rule]
    """The potential-trigger set."""
    target: Node
    call: Call
    demand: Demand
    argument: int | None
    """Of a value or of contents: which argument, from 0."""


Reached = Callable[[Node], int]
"""Of some nodes: not 0 of a node that they reach, or that is one of them."""


class UniformityGraph(Digraph):
    """The graph of one function, at first with the three special nodes."""

    __slots__ = ("labels", "requirements")

    def __init__(self) -> None:
        super().__init__(len(_SPECIAL))
        self.labels: list[Label] = [Label(Role.SPECIAL, None, name) for name in _SPECIAL]
        self.requirements: list[Requirement] = []

    def fresh(self, role: Role, syntax: Syntax | None, subject: LabelSubject, *successors: Node) -> Node:
        """A fresh node with edges to `successors`, which gets no others later."""
        self.labels.append(Label(role, syntax, subject))
        self.successors.append([*successors])
        return len(self.successors) - 1

    def growing(self, role: Role, syntax: Syntax | None, subject: LabelSubject, *successors: Node) -> Node:
        """A fresh node that may get more edges later, or that tags ask for by itself."""
        return self.fresh(role, syntax, subject, *successors)

    def reached_from(self, sources: Iterable[Node]) -> Reached:
        """What some nodes reach."""
        return self.reachable_from(sources).__getitem__

    def required(self, severity: Severity) -> Reached:
        """Which nodes RequiredToBeUniform.S reaches."""
        return self.reached_from(r.target for r in self.requirements if r.severity is severity)

    def non_uniform(self) -> Reached:
        """Which nodes reach MayBeNonUniform."""
        return self.reaching(MAY_BE_NON_UNIFORM)

    def reaching(self, target: Node) -> Reached:
        """Which nodes reach another."""
        predecessors: list[list[Node]] = [[] for _ in self.successors]
        for source, targets in enumerate(self.successors):
            for to in targets:
                predecessors[to].append(source)
        reversed_graph = Digraph(0)
        reversed_graph.successors = predecessors
        return reversed_graph.reachable(target).__getitem__
