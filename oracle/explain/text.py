"""What explanations consist of: steps for people, trails for pictures, and places in the text as they quote them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult
from wgsl_fuzz.oracle.rules.uniformity.graph import Label, Requirement, Role
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import NEXT, BehaviourAnalysis
from wgsl_fuzz.wgsl.builtins import Rule, Scope
from wgsl_fuzz.wgsl.problems import LINE_ENDS, Source
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.walk import children, descendants

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

TOGETHER = {
    Rule.SYNCHRONIZATION: "all invocations of the workgroup must reach it together",
    Rule.DERIVATIVE: "it compares neighbouring invocations, so all of them must reach it together",
    Rule.SUBGROUP: "all invocations of a subgroup must reach it together",
    Rule.MATRIX: "all invocations of a subgroup have a part of the matrix, and must reach it together",
}

LONGEST = 60
"""Characters of the longest quotation: more is harder to read than the line itself."""

Results = dict[tuple[int, Scope | None], FunctionResult]
"""By `id` of the function, and scope."""

Jump = w.Return | w.Break | w.Continue

_LINE_END = re.compile(f"\r\n|[{LINE_ENDS}]")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
KEYWORDS = {w.If: "if", w.Switch: "switch", w.Loop: "loop", w.While: "while", w.For: "for"}


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


def parameter_node(result: FunctionResult, p: w.Parameter, role: Role) -> Node:
    """The node of a parameter: its value, or what it points to."""
    return next(v for v, label in enumerate(result.graph.labels) if label.role is role and label.subject is p)


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([*([", ".join(names[:-1])] if len(names) > 1 else []), names[-1]])


class ShaderText:
    """A shader as it is written. Every node must have its place: it comes from the parser."""

    def __init__(self, resolution: Resolution, source: Source) -> None:
        self.resolution = resolution
        self.source = source
        self.behaviours = BehaviourAnalysis()
        self.operands: dict[int, list[tuple[int, int, Node]]] = {}
        """Of each graph the places of its operands, and their nodes, in order."""

    def line(self, node: w.Node) -> int:
        """The line on which a node begins, behind its attributes."""
        return self.source.position(self.span(node)[0])[0]

    def span(self, node: w.Node) -> tuple[int, int]:
        """Where a node stands, without its attributes; of a statement with blocks, what is before the first block."""
        attributes = getattr(node, "attributes", ())
        start = attributes[-1].end if attributes else node.start
        text = self.source.text
        while start < node.end and text[start].isspace():
            start += 1
        end = node.end
        match node:
            case w.If():
                end = node.then.start
            case w.While() | w.For() | w.Loop():
                end = node.body.start
            case w.Switch():
                end = node.selector.end + (text[node.selector.end : node.selector.end + 1] == ")")
            case w.Function():
                end = node.body.start
        while end > start and text[end - 1].isspace():
            end -= 1
        return (start, end) if end > start else (start, node.end)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, the first one at 0."""
        return _LINE_END.split(self.source.text)

    def quote(self, node: w.Node, longest: int = LONGEST) -> str:
        """A node as it is written, on one line and without comments; cut if it is long."""
        start, end = self.span(node)
        words = self.source.text[start:end]
        if "/" in words:
            words = _COMMENT.sub(" ", words)
        words = " ".join(words.split())
        if len(words) > longest:
            words = words[: longest - 1].rstrip() + "…"
        return words.replace("`", "'")

    @cached_property
    def _parents(self) -> dict[int, w.Node]:
        module = self.resolution.module
        return {id(child): parent for parent in descendants(module) for child in children(parent)}

    def parent(self, node: w.Node) -> w.Node | None:
        """The node directly around one."""
        return self._parents.get(id(node))

    def around(self, node: w.Node) -> Iterator[w.Node]:
        """The nodes around one, from the inside."""
        current = self.parent(node)
        while current is not None:
            yield current
            current = self.parent(current)

    def whole(self, expression: w.Node) -> w.Node:
        """The reference that is read where a name stands: `a[i].m` of `a`."""
        found = expression
        for outer in self.around(expression):
            is_base = isinstance(outer, w.Index | w.Member) and outer.base is found
            if not is_base and not (isinstance(outer, w.Unary) and outer.operator == "*"):
                break
            found = outer
        return found

    @staticmethod
    def contains(outer: w.Node | None, inner: w.Node | None) -> bool:
        """Whether a node stands within another, or is it."""
        return outer is not None and inner is not None and outer.start <= inner.start and inner.end <= outer.end

    def is_flow(self, label: Label, at: w.Node | None) -> bool:
        """Whether a node stands for control flow, seen from `at`. Of a `&&` it does so for the right operand only."""
        if label.role is Role.CONDITION:
            return not isinstance(label.syntax, w.Binary) or self.contains(label.syntax.right, at)
        return label.role in _FLOW_ROLES or (label.role is Role.SPECIAL and label.subject == "CF_start")

    def read(self, label: Label) -> str:
        """What a READ or SOURCE node reads, as it is written."""
        if label.syntax is None:
            return "a value"
        if isinstance(label.syntax, w.Call):
            return f"the result of `{label.syntax.callee.name}`"
        if isinstance(label.subject, w.Let) and self.resolution.is_pointer(label.subject.value):
            return f"the pointer `{label.subject.name}`"
        written = self.quote(self.whole(label.syntax))
        declared = label.subject if isinstance(label.subject, str | None) else label.subject.name
        if declared is None or declared in written:
            return f"`{written}`"
        return f"`{declared}` through `{written}`"

    def jumps(self, s: w.Statement | None, breaks: bool = True, continues: bool = True) -> Iterator[Jump]:
        """The statements by which control flow may leave `s` for elsewhere, without those that are never reached."""
        match s:
            case w.Return():
                yield s
            case w.Break():
                yield from (s,) * breaks
            case w.Continue():
                yield from (s,) * continues
            case w.Block():
                for inner in s.statements:
                    yield from self.jumps(inner, breaks, continues)
                    if not NEXT & self.behaviours.behaviour(inner):
                        break
            case w.If():
                yield from self.jumps(s.then, breaks, continues)
                yield from self.jumps(s.orelse, breaks, continues)
            case w.Switch():
                for clause in s.clauses:
                    yield from self.jumps(clause.body, False, continues)
            case w.Loop() | w.While() | w.For():
                yield from self.jumps(s.body, False, False)

    def left_by(self, jump: Jump) -> w.Node | None:
        """What a jump leaves: the function, the loop or `switch`; of a `continue` the loop that goes on."""
        for outer in self.around(jump):
            match outer:
                case w.Function():
                    return outer
                case w.Loop() | w.While() | w.For():
                    if not isinstance(jump, w.Return):
                        return outer
                case w.Switch():
                    if isinstance(jump, w.Break):
                        return outer
        return None

    def named(self, node: w.Node) -> str:
        """`the loop on line 5`: a statement with blocks, by its kind and line."""
        if isinstance(node, w.Function):
            return f"`{node.name}`"
        keyword = KEYWORDS.get(type(node))
        what = f"the `{keyword}`" if keyword else f"`{self.quote(node)}`"
        return f"{what} on line {self.line(node)}"
