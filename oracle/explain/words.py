"""A path of a uniformity graph (section 4.1) told line by line of the source.

A path becomes a few sentences, each about one line of the source. Consecutive nodes of one construct are one sentence,
and what only passes non-uniformity on is left out: where a variable's values merge, and every `if` and loop that is
itself reached under the control flow that the path goes on to.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from wgsl_fuzz.oracle.explain.quoting import Positions, Quoting, Shape, ways_out
from wgsl_fuzz.oracle.rules.analysis import Analysis, FunctionResult
from wgsl_fuzz.oracle.rules.graph import CF_START, MAY_BE_NON_UNIF, MUST_BE_UNIF, VALUE_RETURN, Graph, Node, Role
from wgsl_fuzz.tinywgsl.ast import (
    ASSIGNED,
    Assign,
    Call,
    If,
    Lid,
    Literal,
    Local,
    Loop,
    Return,
    Stmt,
    names_in,
    walk,
)

_EXPRESSION = frozenset({Role.READ, Role.OPERATION, Role.SOURCE})
_MERGE = frozenset({Role.AFTER_IF, Role.HEAD, Role.EXIT, Role.CONT})
_RIGHT = "the right operand"
_NOT_TOGETHER = "perhaps not by all threads together"


def parameter(i: int) -> Node:
    """M_init of parameter `i`, from 0: UG_func adds them first, behind the special nodes."""
    return VALUE_RETURN + 1 + i


@dataclass
class _Step:
    """Consecutive nodes of a path that belong to one construct, and the node after them."""

    nodes: list[Node]
    after: Node


@dataclass
class _Story:
    """The story so far: its lines, what the next sentence is about, and the loops whose head the value passed."""

    lines: list[str] = field(default_factory=list)
    lead: str = "it"
    subject: Stmt | None = None
    heads: list[Stmt] = field(default_factory=list)


class Teller:
    """Tells paths of the graphs of one analysis in sentences about the source."""

    def __init__(self, analysis: Analysis, positions: Positions, text: str) -> None:
        self.results = {r.function.name: r for r in analysis.functions}
        self.quoting = Quoting([r.function for r in analysis.functions], positions, text)

    def of(self, result: FunctionResult, path: list[Node]) -> list[str]:
        """The sentences of a path from MustBeUnif or ValueReturn; a user's rules may demand something without one."""
        if not path:
            return ["the rules say so, whatever it does"]
        graph = result.graph
        told = _Story()
        if path[0] == MUST_BE_UNIF:
            self.demand(graph, path[1], told)
        else:
            self.returned(graph, path[1], told)
        for step in _steps(graph, path):
            self.tell(result, step, told)
        return told.lines

    # ------------------------------------------------------------------------------------------- where a path starts

    def demanded(self, graph: Graph, node: Node) -> str:
        """What demands that `node` is uniform: a barrier or a call."""
        s, argument = graph.demands[node]
        if not isinstance(s, Call):
            return f"the barrier{self.quoting.where(s)}"
        return ("" if argument is None else f"argument {argument + 1} of ") + self.call(s)

    def call(self, s: Call) -> str:
        return f"the call of {s.function}{self.quoting.where(s)}"

    def demand(self, graph: Graph, node: Node, told: _Story) -> None:
        s, argument = graph.demands[node]
        told.subject = s
        needs = "needs uniform control flow" if argument is None else "must be uniform"
        if not isinstance(s, Call):
            told.lines.append(f"{self.demanded(graph, node)} {needs}: all threads must reach it together")
            return
        told.lines.append(f"{self.demanded(graph, node)} {needs}, because in {s.function}")
        target = CF_START if argument is None else parameter(argument)
        self.inside(s, MUST_BE_UNIF, target, told)
        told.lead = "the call"

    def inside(self, s: Call, source: Node, target: Node, told: _Story) -> None:
        """The path in the called function, indented."""
        callee = self.results[s.function]
        told.lines += [f"  {line}" for line in self.of(callee, callee.graph.shortest_path(source, target))]

    def returned(self, graph: Graph, node: Node, told: _Story) -> None:
        """Sentences for (ValueReturn, node); those for a returned expression come with its step."""
        if not isinstance(graph.labels[node].statement, Return):
            told.lines.append("which value is returned depends on the way that a thread takes")
            told.lead = "a return"

    # --------------------------------------------------------------------------------------------------- its sentences

    def tell(self, result: FunctionResult, step: _Step, told: _Story) -> None:
        """Adds the sentences for one step."""
        label = result.graph.labels[step.nodes[0]]
        s = label.statement
        match label.role:
            case Role.INITIAL:
                told.lines.append(f"{self.quoting.name(str(label.detail))} is a parameter of {result.function.name}")
            case Role.AFTER_IF if isinstance(s, If) and self.quoting.takes(s, str(label.detail)):
                told.lead = _RIGHT
            case role if role in _MERGE:
                told.heads += [s] if role is Role.HEAD and s is not None else []
                if _is_flow(result.graph, step.after):
                    self.constant(result, step.after, str(label.detail), told)
            case Role.CF_HEAD if isinstance(s, Loop):
                self.iterations(result.graph, step, s, told)
            case _ if isinstance(s, If):
                self.branch(result.graph, step, s, told)
            case _ if isinstance(s, Assign | Call) and id(s) in self.quoting.operators:
                self.operand(result.graph, step, s, told)
            case _ if s is not None and (isinstance(s, Return) or names_in(s, ASSIGNED)):
                self.value(result.graph, step, s, told)
        last = result.graph.labels[step.nodes[-1]]
        if last.role is Role.SOURCE and s is not None and not isinstance(last.detail, str | None):
            source = f"{self.quoting.source(last.detail)}{self.quoting.where(s)}"
            told.lines.append(
                f"{source} is different in every thread"
                if isinstance(last.detail, Lid)
                else f"{source} is shared memory, which is never taken to be uniform"
            )

    def branch(self, graph: Graph, step: _Step, s: If, told: _Story) -> None:
        """Control flow in an `if` or behind one that some threads leave early; nothing if it only passes on."""
        if not self.reads(graph, step):
            return
        if self.quoting.shape(s) is Shape.OPERATOR:
            self.operator(s, told)
            return
        behind = graph.labels[step.nodes[0]].role is Role.CF_AFTER_IF
        because = told.lead == "because"
        where = self.quoting.where(s)
        match self.quoting.shape(s):
            case Shape.HEADER if because:
                before = f"because threads may leave the loop{where} at different times:"
            case Shape.HEADER:
                before = f"{told.lead} is in the loop{where},"
            case Shape.BREAK_IF:
                lead = "because" if because else f"{told.lead} is in a loop, and"
                before = f"{lead} threads may leave the loop by the `break if`{where}:"
            case Shape.IF if because:
                before = f"because some threads may leave the `if`{where} by {ways_out(s)}:"
            case Shape.IF if behind:
                before = f"{told.lead} comes after the `if`{where}, which some threads may leave by {ways_out(s)}:"
            case _:
                before = f"{told.lead} is inside the `if`{where},"
        self.add(graph, step, told, before, s)

    def add(self, graph: Graph, step: _Step, told: _Story, before: str, s: If) -> None:
        """`before`, and what the condition is and reads."""
        condition, name = self.quoting.condition(s), self.reads(graph, step)
        whose = "whose" if before.endswith(",") else "its"
        if not condition:
            words = f"reads {name}"
        elif name in ("", f"`{condition}`") or not name.startswith("`") or _is_source(graph, step):
            words = f"is `{condition}`"
        else:
            words = f"`{condition}` reads {name}"
        told.lines.append(f"{before} {whose} condition {words}")
        told.lead = "it"

    def operator(self, s: If, told: _Story) -> None:
        """What is evaluated only by the left side of a `&&` or `||`."""
        operator, where = self.quoting.operators[id(s)], self.quoting.where(s)
        left = self.quoting.operand(operator.left)
        when = (f"`{left}`" if left else "its left operand") + (" is true" if operator.sign == "&&" else " is false")
        if told.lead == _RIGHT:
            told.lines.append(f"{_RIGHT} of `{operator.sign}`{where} is evaluated only where {when}")
        elif told.lead == "the call" and isinstance(told.subject, Call):
            call = self.call(told.subject)
            told.lines.append(f"{call} is in {_RIGHT} of `{operator.sign}`, evaluated only where {when}")
        else:
            told.lines.append(f"{told.lead} is in {_RIGHT} of `{operator.sign}`{where}, evaluated only where {when}")
        told.lead = "it"

    def operand(self, graph: Graph, step: _Step, s: Assign | Call, told: _Story) -> None:
        """The value of an operand of `&&` or `||`; nothing if it only passes on, or is told by the next sentence."""
        operator, name = self.quoting.operators[id(s)], self.reads(graph, step)
        told.subject = s
        if isinstance(s, Call) and (name or self.result_differs(graph, step)):
            self.value(graph, step, s, told)
        elif not name and s is operator.right:
            told.lead = _RIGHT
        elif isinstance(s, Assign) and name and not _is_source(graph, step) and not isinstance(s.value, Local):
            side = "right" if s is operator.right else "left"
            written = self.quoting.operand(s)
            what = f"`{written}`" if written else f"the {side} operand of `{operator.sign}`"
            told.lines.append(f"{what}{self.quoting.where(s)} reads {name}")
            told.lead = "that"

    def iterations(self, graph: Graph, step: _Step, s: Loop, told: _Story) -> None:
        """Control flow at a loop's head; nothing if it is only that on entry."""
        if step.after != graph.successors[step.nodes[0]][-1]:
            return
        loop = f"the loop{self.quoting.where(s)}"
        if told.lead == "because":
            told.lines.append(f"because threads may be in different iterations of {loop}")
        elif any(inner is told.subject for inner in walk((s,))):
            told.lines.append(f"{told.lead} is in {loop}, and threads may be in different iterations of it")
        else:
            told.lines.append(f"{told.lead} comes after {loop}, from which some threads may return")
        told.lead = "because"

    def value(self, graph: Graph, step: _Step, s: Stmt, told: _Story) -> None:
        """An assigned value, a call's result, a demanded argument or a returned value."""
        quoting = self.quoting
        where, quoted, name = quoting.where(s), quoting.statement(s), self.reads(graph, step)
        of = f": `{quoted}`" if quoted else f", from {name}" if name else ""
        told.heads, heads = [], told.heads
        told.lead, lead, told.subject = "that", told.lead, s
        if isinstance(s, Return):
            told.lines.append(f"the value returned{where} may differ{of}")
        elif isinstance(s, Call) and graph.labels[step.nodes[0]].role is not Role.RESULT:
            told.lead = lead
            told.lines += [f"the argument{where} reads {name}"] * bool(name)
        else:
            earlier = any(inner is s for loop in heads for inner in walk((loop,)))
            if earlier:
                where += ", in an earlier iteration"
            differs = self.result_differs(graph, step)
            if not name and not differs:
                where += f", {_NOT_TOGETHER}"
            (assigned,) = names_in(s, ASSIGNED)
            made_up = isinstance(s, Call) and quoting.made_up(assigned)
            x = f"the result of {s.function}" if made_up and isinstance(s, Call) else quoting.name(assigned)
            if x.startswith("`") or not differs:
                told.lines.append(f"{x} was {'assigned' if x.startswith('`') else 'computed'}{where}{of}")
            if isinstance(s, Call) and differs:
                told.lines.append(f"the result of {s.function} may differ between threads, because in {s.function}")
                self.inside(s, VALUE_RETURN, MAY_BE_NON_UNIF, told)

    def constant(self, result: FunctionResult, flow: Node, x: str, told: _Story) -> None:
        """A variable whose value is a literal, assigned under the control flow `flow`: literals have no nodes."""
        s = result.graph.labels[flow].statement
        inside = () if s is None else (s,)
        found = [a for a in walk(inside) if isinstance(a, Assign) and a.name == x and isinstance(a.value, Literal)]
        name = self.quoting.name(x)
        if len(found) == 1:
            quoted = self.quoting.statement(found[0])
            where = self.quoting.where(found[0])
            told.lines.append(f"{name} was assigned{where}, {_NOT_TOGETHER}" + f": `{quoted}`" * bool(quoted))
        else:
            told.lines.append(f"{name} may have been assigned by some threads and not by others")
        told.lead = "that"

    # ----------------------------------------------------------------------------------------------------- small things

    def reads(self, graph: Graph, step: _Step) -> str:
        """What makes the step's expression non-uniform, in backticks; empty if it is control flow, or a callee."""
        last = step.nodes[-1]
        label = graph.labels[last]
        if label.role is Role.SOURCE and not isinstance(label.detail, str | None):
            return self.quoting.source(label.detail)
        if label.role is Role.READ and step.after != graph.successors[last][0]:
            return self.quoting.name(str(label.detail))
        return ""

    @staticmethod
    def result_differs(graph: Graph, step: _Step) -> bool:
        return graph.labels[step.nodes[-1]].role is Role.RESULT and step.after == MAY_BE_NON_UNIF


def _is_source(graph: Graph, step: _Step) -> bool:
    return graph.labels[step.nodes[-1]].role is Role.SOURCE


def _is_flow(graph: Graph, node: Node) -> bool:
    """Whether a node that a variable leads to stands for control flow, not for a value: conditions do both."""
    role, s, _ = graph.labels[node]
    return role in (Role.CF_AFTER_IF, Role.CF_HEAD, Role.SPECIAL) or (role in _EXPRESSION and isinstance(s, If))


def _steps(graph: Graph, path: list[Node]) -> Iterator[_Step]:
    """The path without its ends, cut where the construct changes."""
    step: _Step | None = None
    before: object = None
    inner = path[1:] if path[-1] >= VALUE_RETURN else path[1:-1]
    for node, after in zip(inner, [*path[2:], path[-1]]):
        role, s, detail = graph.labels[node]
        one = role in _EXPRESSION or role in (Role.CF_AFTER_IF, Role.RESULT)
        construct = ("at", id(s)) if one else (role, id(s), detail)
        if step is not None and construct == before:
            step.nodes.append(node)
            step.after = after
            continue
        if step is not None:
            yield step
        step, before = _Step([node], after), construct
    if step is not None:
        yield step
