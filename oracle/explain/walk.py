"""A walk along a path of a uniformity graph, and what its nodes have to do with the text.

An expression has a node for each of its parts, and a value may be the very node of the control flow in which it is
computed. So what a node means depends on where the path comes from: a `Walk` knows that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from wgsl_fuzz.oracle.explain.text import ShaderText
from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult
from wgsl_fuzz.oracle.rules.uniformity.graph import CF_START, MAY_BE_NON_UNIFORM, VALUE_RETURN, Label, Requirement, Role
from wgsl_fuzz.wgsl.syntax import Binary, Call, Function, Let, Parameter, Variable
from wgsl_fuzz.wgsl.syntax import Node as Syntax

Named = Variable | Let | Parameter

VARIABLE_ROLES = frozenset(
    {
        Role.ASSIGNED,
        Role.SHORT_CIRCUIT,
        Role.AFTER_IF,
        Role.AFTER_SWITCH,
        Role.HEAD,
        Role.CONTINUING,
        Role.EXIT,
        Role.CONTENTS_AT_ENTRY,
        Role.CONTENTS_AT_EXIT,
    }
)
"""Roles of nodes that hold the value of a variable, their subject."""

_FLOW_ROLES = frozenset({Role.CF_AFTER_IF, Role.CF_AFTER_SWITCH, Role.CF_HEAD, Role.CF_BREAK_IF})


class StepKind(StrEnum):
    """What a step says."""

    REQUIREMENT = "requirement"
    CONTROL = "control flow"
    JUMP = "jump"
    VALUE = "value"
    CALL = "call"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class Step:
    """One sentence about one place in the text."""

    kind: StepKind
    sentence: str
    quote: str
    """What stands at the place, cut if it is long."""
    span: tuple[int, int]
    """Offsets of the place."""
    depth: int
    """How many calls it is below the function that is rejected."""


@dataclass(frozen=True, slots=True)
class Trail:
    """A path that was told: for pictures."""

    result: FunctionResult
    nodes: tuple[Node, ...]
    requirement: Requirement | None
    """The edge to the first node; None: the path begins at a special node."""
    caller: tuple[int, Node | None] | None = None
    """From where it was entered: the place of a trail in the list, and the node there; None: its requirement."""


@dataclass
class Walk:
    """A path in one function's graph, and how far it is narrated."""

    result: FunctionResult
    path: Sequence[Node]
    depth: int
    subject: str
    """What the last sentence was about: the next one may begin with it."""
    at: Syntax | None
    """Where that stands."""
    i: int = 0
    variable: Named | None = None
    """The variable of which the node at hand is the value."""

    @property
    def label(self) -> Label:
        """That of the node at hand."""
        return self.labelled(self.i)

    @property
    def after(self) -> Label:
        """That of the next node."""
        return self.labelled(self.i + 1)

    def labelled(self, i: int) -> Label:
        """The label of a node of the path."""
        return self.result.graph.labels[self.path[i]]

    @property
    def ends(self) -> bool:
        """Whether the next node is MayBeNonUniform."""
        return self.path[self.i + 1] == MAY_BE_NON_UNIFORM


class PathReader:
    """Reads single nodes of paths in the graphs of one shader."""

    def __init__(self, text: ShaderText) -> None:
        self.text = text
        self.resolution = text.resolution

    # --------------------------------------------------------------------------------------------------- what nodes are

    def is_flow(self, label: Label, at: Syntax | None) -> bool:
        """Whether a node stands for control flow, seen from `at`. Of a `&&` it does so for the right operand only."""
        if label.role is Role.CONDITION:
            return not isinstance(label.syntax, Binary) or self.text.contains(label.syntax.right, at)
        return label.role in _FLOW_ROLES or (label.role is Role.SPECIAL and label.subject == "CF_start")

    def is_value_of(self, label: Label, x: Named) -> bool:
        """Whether a node was made for the value of a variable; otherwise it is that of its initialiser."""
        if label.role is Role.WRITTEN and isinstance(label.syntax, Call):
            return any(self.resolution.root(a) is x for a in label.syntax.arguments)
        return label.subject is x and (label.role in VARIABLE_ROLES or label.role is Role.PARAMETER)

    def origin(self, label: Label, x: Named) -> str:
        """Where a variable got the value that a node stands for: `line 9`, or where several values met."""
        if label.syntax is None or not self.is_value_of(label, x):
            return f"line {self.text.line(x)}"
        if label.role is Role.CONTENTS_AT_ENTRY:
            return "the caller"
        if label.role in (Role.ASSIGNED, Role.WRITTEN):
            return f"line {self.text.line(label.syntax)}"
        return "the head of " * (label.role is Role.HEAD) + self.text.named(label.syntax)

    # ----------------------------------------------------------------------------------------------------------- names

    def name(self, x: Named) -> str:
        """A variable, or what a pointer parameter in the `function` address space points to."""
        if isinstance(x, Parameter) and self.resolution.pointer(x) is not None:
            return f"what `{x.name}` points to"
        return f"`{x.name}`"

    def read(self, label: Label) -> str:
        """What a READ or SOURCE node reads, as it is written."""
        if label.syntax is None:
            return "a value"
        if isinstance(label.syntax, Call):
            return f"the result of `{label.syntax.callee.name}`"
        if isinstance(label.subject, Let) and self.resolution.is_pointer(label.subject.value):
            return f"the pointer `{label.subject.name}`"
        written = self.text.quote(self.text.whole(label.syntax))
        declared = label.subject if isinstance(label.subject, str | None) else label.subject.name
        if declared is None or declared in written:
            return f"`{written}`"
        return f"`{declared}` through `{written}`"

    def depends_on(self, walk: Walk, i: int) -> str:
        """What the value at a node of the path depends on, in a few words; empty if that is control flow.

        The left operand of a `&&` within the value is a part of it.
        """
        at = walk.at
        while i < len(walk.path) - 1:
            label = walk.labelled(i)
            if self.is_flow(label, at):
                return ""
            match label.role:
                case Role.SOURCE:
                    return self.read(label)
                case Role.READ if not self.goes_to_flow(walk, i):
                    return self.read(label)
                case Role.RESULT if isinstance(label.subject, Function) and not self.goes_to_flow(walk, i):
                    return f"the result of `{label.subject.name}`"
                case Role.WRITTEN:
                    return "" if walk.variable is None else self.name(walk.variable)
                case role if role in VARIABLE_ROLES and isinstance(label.subject, Named):
                    return self.name(label.subject)
                case _:
                    i += 1
        return self.at_the_end(walk.labelled(i))

    def goes_to_flow(self, walk: Walk, i: int) -> bool:
        """Whether a read or a call counts for the control flow in which it stands only, or for a left operand."""
        after = walk.labelled(i + 1)
        return after.role is Role.CONDITION or self.is_flow(after, walk.at)

    def at_the_end(self, label: Label) -> str:
        """What the last node of a path is, if it is a parameter's."""
        if not isinstance(label.subject, Parameter):
            return ""
        p = label.subject
        if label.role is Role.PARAMETER and self.resolution.pointer(p) is not None:
            return f"the address that `{p.name}` holds"
        return self.name(p)

    # ----------------------------------------------------------------------------------------------------------- calls

    def argument(self, call: Call, label: Label) -> int | None:
        """The argument of a call that a node belongs to, from 0."""
        for i, argument in enumerate(call.arguments):
            if label.role is Role.PARAMETER:
                if self.resolution.root(argument) is label.subject:
                    return i
            elif self.text.contains(argument, label.syntax):
                return i
        return None


def parameter_node(result: FunctionResult, p: Parameter, role: Role) -> Node:
    """The node of a parameter: its value, or what it points to."""
    return next(v for v, label in enumerate(result.graph.labels) if label.role is role and label.subject is p)


__all__ = [
    "CF_START",
    "MAY_BE_NON_UNIFORM",
    "VALUE_RETURN",
    "VARIABLE_ROLES",
    "Named",
    "PathReader",
    "Step",
    "StepKind",
    "Trail",
    "Walk",
    "parameter_node",
]
