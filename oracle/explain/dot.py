"""The uniformity graph as DOT text, drawn as in Fig. 7 of the paper.

Nodes are numbered from 1 in order of addition, the sources of non-uniformity being MayBeNonUnif itself, as in Fig. 9.
Nodes and edges have classes for style sheets: `path`, `pale`, and `special` with the special node's name.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from wgsl_fuzz.oracle.explain.quoting import Positions
from wgsl_fuzz.oracle.rules.analysis import FunctionResult
from wgsl_fuzz.oracle.rules.graph import CF_START, MAY_BE_NON_UNIF, MUST_BE_UNIF, VALUE_RETURN, Graph, Label, Role
from wgsl_fuzz.tinywgsl.ast import Call, Expr
from wgsl_fuzz.tinywgsl.printer import print_expr, print_head

__all__ = ["RED", "STYLE", "DrawnNode", "draw", "drawn", "escaped", "graph_name", "quoted"]

LONGEST = 28
"""Characters in a node's name."""

RED = "#c8102e"
STYLE = """\
  graph [bgcolor="transparent", fontname="FONT", fontsize=13, labeljust=l, nodesep=0.3, ranksep=0.45, pad=0.15]
  node [shape=box, style="rounded,filled", fillcolor="#ffffff", color="#6b7280", fontcolor="#111827", fontname="FONT"]
  node [fontsize=12, height=0.4, margin="0.24,0.07"]
  edge [color="#6b7280", fontcolor="#111827", fontname="FONT", fontsize=11, arrowsize=0.7]
""".replace("FONT", "Arial,DejaVu Sans,sans-serif")
_SPECIAL = {CF_START: "#dbeafe", MAY_BE_NON_UNIF: "#fee2e2", MUST_BE_UNIF: "#fef3c7", VALUE_RETURN: "#dcfce7"}
_SUFFIX = {
    Role.AFTER_IF: "after",
    Role.HEAD: "head",
    Role.EXIT: "exit",
    Role.CONT: "cont",
}
_LITERAL = re.compile(r"\b(\d+)[ui]\b")


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node of the picture: its number from 1, its name, its source line (0: none) and the numbers it leads to."""

    number: int
    name: str
    line: int
    successors: tuple[int, ...]


def graph_name(label: Label, parameters: Collection[str] = ()) -> str:
    """A node's name as in Fig. 7: `x_param`, `x_after`, `arr[0] == 0`."""
    detail = label.detail if isinstance(label.detail, str) else ""
    match label.role:
        case Role.SPECIAL:
            return detail
        case Role.INITIAL:
            return f"{detail}_{'param' if detail in parameters else 'init'}"
        case Role.CF_AFTER_IF:
            return "cf_after"
        case Role.CF_HEAD:
            return "cf_head"
        case Role.RESULT if isinstance(label.statement, Call):
            return _short(print_head(label.statement))
        case Role.OPERATION | Role.READ | Role.SOURCE:
            return _short(detail or _expression(label.detail))
        case role:
            return f"{detail}_{_SUFFIX[role]}"


def _expression(detail: Expr | str | None) -> str:
    return "" if detail is None or isinstance(detail, str) else print_expr(detail)


def _short(text: str) -> str:
    """An expression as the paper would write it, without the suffixes of literals, and not too long."""
    text = _LITERAL.sub(r"\1", text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def drawn(result: FunctionResult, positions: Positions) -> list[DrawnNode]:
    """All nodes of a function's graph as they are drawn, in order; no edge comes twice."""
    graph = result.graph
    numbers = _numbers(graph)
    parameters = {v.name for v in result.function.params}
    nodes = []
    for node, label in enumerate(graph.labels):
        if label.role is Role.SOURCE:
            continue
        line = 0 if label.statement is None else positions.get(id(label.statement), (0, 0))[0]
        successors = tuple(dict.fromkeys(numbers[v] for v in graph.successors[node]))
        nodes.append(DrawnNode(numbers[node], graph_name(label, parameters), line, successors))
    return nodes


def _numbers(graph: Graph) -> list[int]:
    """For each node its number in the picture."""
    numbers, count = [], 0
    for label in graph.labels:
        count += label.role is not Role.SOURCE
        numbers.append(MAY_BE_NON_UNIF + 1 if label.role is Role.SOURCE else count)
    return numbers


def draw(results: Sequence[FunctionResult], positions: Positions, *, full: bool = False) -> str:
    """The graphs of some functions as one DOT graph, a cluster each if there are several.

    The path from MustBeUnif to MayBeNonUnif, if there is one, is red and bold. Nodes that neither MustBeUnif nor
    ValueReturn leads to decide nothing: they are pale, or left out unless `full`.
    """
    names = ", ".join(result.function.name for result in results)
    lines = [f"digraph {quoted('uniformity graph of ' + names)} {{", "  rankdir=TB", STYLE.rstrip("\n")]
    for i, result in enumerate(results):
        body = _Drawing(result, positions, full, f"{result.function.name}_" if len(results) > 1 else "n").lines()
        if len(results) == 1:
            lines += [f"  {line}" for line in body]
            continue
        lines.append(f"  subgraph cluster_{i} {{")
        lines.append(f'    label={left(result.function.name)}; style="rounded"; color="#d1d5db"; class="function"')
        lines += [f"    {line}" for line in body]
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


class _Drawing:
    """One function's nodes and edges as DOT statements."""

    def __init__(self, result: FunctionResult, positions: Positions, full: bool, prefix: str) -> None:
        graph = result.graph
        numbers = _numbers(graph)
        self.prefix = prefix
        self.nodes = drawn(result, positions)
        decides = [a or b for a, b in zip(graph.reachable(MUST_BE_UNIF), graph.reachable(VALUE_RETURN))]
        kept = {numbers[v] for v, yes in enumerate(decides) if yes} | {v + 1 for v in _SPECIAL}
        self.pale = set(numbers) - kept
        left_out = set() if full else self.pale | ({VALUE_RETURN + 1} if not graph.successors[VALUE_RETURN] else set())
        self.shown = [n for n in self.nodes if n.number not in left_out]
        path = [numbers[v] for v in graph.shortest_path(MUST_BE_UNIF, MAY_BE_NON_UNIF)]
        self.path = list(dict.fromkeys(path))

    def lines(self) -> Iterator[str]:
        """The nodes in order, then the edges."""
        for n in self.shown:
            yield f"{self.prefix}{n.number} [{', '.join(self.node(n))}]"
        tops = [n.number for n in self.shown if n.number in (MUST_BE_UNIF + 1, VALUE_RETURN + 1)]
        yield f"{{ rank=source; {'; '.join(f'{self.prefix}{n}' for n in tops)} }}"
        yield f"{{ rank=sink; {self.prefix}{CF_START + 1}; {self.prefix}{MAY_BE_NON_UNIF + 1} }}"
        red = set(zip(self.path, self.path[1:]))
        for n in self.shown:
            for target in n.successors:
                yield f"{self.prefix}{n.number} -> {self.prefix}{target}" + self.edge(n.number, target, red)

    def node(self, n: DrawnNode) -> Iterator[str]:
        """The attributes of a node."""
        second = f"\\nline {n.line}" if n.line else ""
        yield f'label="{n.number}   {escaped(n.name)}{second}"'
        classes = []
        if n.number - 1 in _SPECIAL:
            classes += ["special", n.name]
            yield f'fillcolor="{_SPECIAL[n.number - 1]}"'
        if n.number in self.path:
            classes.append("path")
            yield f'color="{RED}", penwidth=2.5'
        elif n.number in self.pale:
            classes.append("pale")
            yield 'color="#d1d5db", fontcolor="#9ca3af"'
        if classes:
            yield f'class="{" ".join(classes)}"'

    def edge(self, source: int, target: int, red: Iterable[tuple[int, int]]) -> str:
        """The attributes of an edge."""
        if (source, target) in red:
            return f' [color="{RED}", penwidth=2.5, weight=6, class="path"]'
        return ' [color="#d1d5db", class="pale"]' if source in self.pale else ""


def escaped(text: str) -> str:
    """Text as it stands in a DOT string."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def quoted(text: str) -> str:
    """A DOT string."""
    return f'"{escaped(text)}"'


def left(text: str) -> str:
    """A DOT string that begins at the left, whatever font a viewer has for it."""
    return f'"{escaped(text)}\\l"'
