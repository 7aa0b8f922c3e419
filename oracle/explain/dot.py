"""Uniformity graphs as DOT text, drawn as in Fig. 7 of the paper; the paths that an explanation tells are red.

A box is a node of the graph with the parts of its expression that only it leads to. Boxes are numbered from 1 in order
of addition, the special nodes first, as in Fig. 9. Classes for style sheets are `path`, `pale`, `call`, and `special`
with the special node's name.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from wgsl_fuzz.oracle.explain.text import KEYWORDS, ShaderText, Trail
from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult
from wgsl_fuzz.oracle.rules.uniformity.graph import (
    CF_START,
    MAY_BE_NON_UNIFORM,
    VALUE_RETURN,
    Label,
    Requirement,
    Role,
    UniformityGraph,
)
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.syntax import Binary, BreakIf
from wgsl_fuzz.wgsl.syntax import Node as Syntax

RED = "#c8102e"
STYLE = """\
  graph [bgcolor="transparent", fontname="FONT", fontsize=13, labeljust=l, nodesep=0.3, ranksep=0.45, pad=0.15]
  node [shape=box, style="rounded,filled", fillcolor="#ffffff", color="#6b7280", fontcolor="#111827", fontname="FONT"]
  node [fontsize=12, height=0.4, margin="0.28,0.07"]
  edge [color="#6b7280", fontcolor="#111827", fontname="FONT", fontsize=11, arrowsize=0.7]
""".replace("FONT", "Arial,DejaVu Sans,sans-serif")

_RED = f'color="{RED}", penwidth=2.5'
_PALE = 'color="#d1d5db", fontcolor="#9ca3af"'

LONGEST = 32
"""Characters of the excerpt in a box."""

LARGEST = 40
"""Boxes of a graph that is drawn whole; of a larger one only those on paths are, and how many others they lead to."""

_FIRST = 5
"""The number of the first box that is not special."""

_REQUIRED = 3
"""The number of RequiredToBeUniform.S, where it is of one severity only."""

_SPECIAL = {
    CF_START: (1, "CF_start", "CfStart", "#dbeafe"),
    MAY_BE_NON_UNIFORM: (2, "MayBeNonUniform", "MayBeNonUnif", "#fee2e2"),
    VALUE_RETURN: (4, "Value_return", "ValueReturn", "#dcfce7"),
}
"""The number of a special node, its name, its class and its colour."""

_EXCERPT = (Role.READ, Role.OPERATION, Role.CONDITION, Role.SOURCE, Role.ASSIGNED, Role.RESULT, Role.CF_BREAK_IF)
_WORDS = dict.fromkeys(_EXCERPT, "") | {
    Role.PARAMETER: "parameter {}",
    Role.CONTENTS_AT_ENTRY: "contents of {} at entry",
    Role.CONTENTS_AT_EXIT: "contents of {} at exit",
    Role.SHORT_CIRCUIT: "{} after the operator",
    Role.AFTER_IF: "{} after if",
    Role.AFTER_SWITCH: "{} after switch",
    Role.HEAD: "{} at the loop's head",
    Role.CONTINUING: "{} at continuing",
    Role.EXIT: "{} behind the loop",
    Role.ARGUMENT_CONTENTS: "contents of the argument",
    Role.WRITTEN: "contents after the call",
    Role.CF_AFTER_IF: "control flow after if",
    Role.CF_AFTER_SWITCH: "control flow after switch",
    Role.CF_HEAD: "control flow at the loop's head",
}
"""What a box is, `{}` being a variable; where it is empty, an excerpt of the text says it. Special nodes have names."""

_WHOLE = frozenset({Role.OPERATION, Role.CONDITION, Role.CF_BREAK_IF, Role.ASSIGNED, Role.RESULT})
_PARTS = frozenset({Role.OPERATION, Role.SOURCE})
_VALUES = frozenset({Role.READ, Role.RESULT})
"""Parts of what is nothing but their value: a condition, an assignment."""


def draw(
    results: Sequence[FunctionResult],
    explanations: Sequence[Sequence[Trail]],
    text: ShaderText,
    title: str,
    *,
    full: bool = False,
) -> str:
    """The graphs of some functions as one DOT graph, a cluster each if there are several.

    Nodes on which neither a requirement nor a tag depends decide nothing: they are left out, or pale if `full`.
    """
    drawings: dict[int, _Drawing] = {}
    for i, result in enumerate(results):
        trails = [trail for told in explanations for trail in told if trail.result is result]
        drawings[id(result)] = _Drawing(result, trails, text, f"c{i}_" if len(results) > 1 else "n", full)
    lines = [f"digraph {quoted(title)} {{", "  rankdir=TB", STYLE.rstrip("\n")]
    scopes = {result.scope for result in results}
    for i, drawing in enumerate(drawings.values()):
        if len(results) == 1:
            lines += [f"  {line}" for line in drawing.lines()]
            continue
        scope = f" (scope: {drawing.result.scope})" if len(scopes) > 1 else ""
        name = left(drawing.result.function.name + scope)
        lines.append(f"  subgraph cluster_{i} {{")
        lines.append(f'    label={name}; style="rounded"; color="#d1d5db"; class="function"')
        lines += [f"    {line}" for line in drawing.lines()]
        lines.append("  }")
    lines += dict.fromkeys(f"  {line}" for told in explanations for line in _calls(told, drawings))
    return "\n".join([*lines, "}", ""])


def _calls(trails: Sequence[Trail], drawings: dict[int, "_Drawing"]) -> Iterator[str]:
    """From the boxes of calls to the paths in the functions that are called."""
    for trail in trails:
        if trail.caller is not None:
            outer, node = trails[trail.caller[0]], trail.caller[1]
            ends = (outer, node), (trail, None if trail.requirement is not None else trail.nodes[0])
            if all(id(one.result) in drawings for one, _ in ends):
                source, target = (drawings[id(one.result)].name(one, at) for one, at in ends)
                yield f'{source} -> {target} [style=dashed, constraint=false, class="call"]'


def boxes(graph: UniformityGraph) -> list[Node]:
    """For each node the one in whose box it is drawn."""
    before: list[set[Node]] = [set() for _ in graph.successors]
    for u, targets in enumerate(graph.successors):
        for v in targets:
            before[v].add(u)
    for r in graph.requirements:
        before[r.target].add(0)  # no node of its own: so this one has a box
    found = list(range(len(before)))
    for v in reversed(found):  # the parts of an expression are added before the whole
        u = next(iter(before[v])) if len(before[v]) == 1 else 0
        part, whole = graph.labels[v].role, graph.labels[u].role
        is_value = part in _VALUES and whole not in (Role.OPERATION, Role.RESULT)
        if u > v and whole in _WHOLE and (part in _PARTS or is_value):
            found[v] = found[u]
    return found


class _Drawing:
    """The boxes and edges of one function as DOT statements."""

    def __init__(
        self, result: FunctionResult, trails: Sequence[Trail], text: ShaderText, prefix: str, full: bool
    ) -> None:
        self.result, self.text, self.prefix = result, text, prefix
        graph = self.graph = result.graph
        self.box = boxes(graph)
        self.severities = [s for s in Severity if any(r.severity is s for r in graph.requirements)]
        own = [v for v in range(1, len(self.box)) if self.box[v] == v and graph.labels[v].role is not Role.SPECIAL]
        self.numbers = {v: number for v, (number, *_) in _SPECIAL.items()}
        self.numbers |= {v: number for number, v in enumerate(own, _FIRST)}
        self.required_at = defaultdict[tuple[Severity, int], list[Requirement]](list)
        for r in graph.requirements:
            self.required_at[r.severity, self.numbers[self.box[r.target]]].append(r)
        self.edges = self.all_edges()
        paths = [self.path(trail) for trail in trails]
        self.on_path = {number for path in paths for number in path}
        self.red = {edge for path in paths for edge in pairwise(path)}
        roots = [r.target for r in graph.requirements]
        roots += [v for v, label in enumerate(graph.labels) if label.role is Role.CONTENTS_AT_EXIT]
        reached = graph.reachable_from([*roots, VALUE_RETURN])
        decides = {self.numbers[v] for v in own if reached[v]}
        self.pale = {self.numbers[v] for v in own} - decides
        self.folded = not full and len(decides) > LARGEST
        tops = {self.required(s) for s in self.severities} | {number for number, *_ in _SPECIAL.values()}
        tops -= set() if full or self.edges[_SPECIAL[VALUE_RETURN][0]] else {_SPECIAL[VALUE_RETURN][0]}
        self.shown = self.on_path if self.folded else decides | tops | (self.pale if full else set())

    def required(self, severity: Severity) -> int:
        """The number of RequiredToBeUniform.S: that of the highest severity is special, the others come last."""
        later = self.severities.index(severity)
        return max(self.numbers.values()) + later if later else _REQUIRED

    def all_edges(self) -> dict[int, list[int]]:
        """For each number those that it leads to."""
        edges: dict[int, list[int]] = {number: [] for number in self.numbers.values()}
        for r in self.graph.requirements:
            edges.setdefault(self.required(r.severity), []).append(self.numbers[self.box[r.target]])
        for v, targets in enumerate(self.graph.successors):
            if targets:
                source = self.numbers[self.box[v]]
                edges[source] += [to for u in targets if (to := self.numbers[self.box[u]]) != source]
        return {source: list(dict.fromkeys(targets)) for source, targets in edges.items()}

    def path(self, trail: Trail) -> list[int]:
        """A path by the numbers of boxes."""
        first = [] if trail.requirement is None else [self.required(trail.requirement.severity)]
        return list(dict.fromkeys([*first, *(self.numbers[self.box[v]] for v in trail.nodes)]))

    def name(self, trail: Trail, node: Node | None) -> str:
        """The name of a node's box; None: the box of the requirement at the start of a path."""
        return f"{self.prefix}{self.path(trail)[0] if node is None else self.numbers[self.box[node]]}"

    def lines(self) -> Iterator[str]:
        """The boxes in order, then the edges."""
        tops = {self.required(s): s for s in self.severities}
        special = {number: row for number, *row in _SPECIAL.values()}
        special |= {number: [f"RequiredToBeUniform.{s}", "MustBeUnif", "#fef3c7"] for number, s in tops.items()}
        by_number = {number: v for v, number in self.numbers.items()}
        for n in sorted(self.shown):
            row = special.get(n) or [self.words(self.graph.labels[by_number[n]])]
            yield f"{self.prefix}{n} [{', '.join(self.attributes(n, *row))}]"
        for rank, numbers in (("source", {*tops, 4}), ("sink", {1, 2})):
            yield f"{{ rank={rank}; {'; '.join(f'{self.prefix}{n}' for n in sorted(numbers & self.shown))} }}"
        for n in sorted(self.shown):
            yield from self.edges_of(n, tops.get(n))

    def attributes(self, n: int, label: str, special: str = "", colour: str = "") -> Iterator[str]:
        """The attributes of a box."""
        yield f'label="{n}   {label}"'
        if colour:
            yield f'fillcolor="{colour}"'
        if n in self.on_path:
            yield _RED
        elif n in self.pale:
            yield _PALE
        classes = ["special", special] * bool(special) + ["path"] * (n in self.on_path) + ["pale"] * (n in self.pale)
        if classes:
            yield f'class="{" ".join(classes)}"'

    def edges_of(self, n: int, severity: Severity | None) -> Iterator[str]:
        """The edges that leave a box, and how many boxes are folded to which it leads."""
        for to in self.edges[n]:
            attributes = [] if severity is None else [f'label="{self.calls(severity, to)}"']
            if (n, to) in self.red:
                attributes += [_RED, 'weight=6, class="path"']
            elif n in self.pale:
                attributes.append('color="#d1d5db", class="pale"')
            if to in self.shown:
                yield f"{self.prefix}{n} -> {self.prefix}{to}" + f" [{', '.join(attributes)}]" * bool(attributes)
        if others := len(set(self.edges[n]) - self.shown):
            yield f'{self.prefix}{n}_more [label="+{others}", {_PALE}, class="pale"]'
            yield f'{self.prefix}{n} -> {self.prefix}{n}_more [color="#d1d5db", class="pale"]'

    def calls(self, severity: Severity, to: int) -> str:
        """The calls that require a box to be uniform: the first one, and how many others."""
        found = self.required_at[severity, to]
        first, others = found[0].call, len({id(r.call) for r in found}) - 1
        more = f" and {others} more" if others else ""
        return f"  {escaped(self.text.quote(first, LONGEST))}\\l  line {self.text.line(first)}{more}\\l"

    def words(self, label: Label) -> str:
        """What is in a box: what the node is, and its line."""
        at = label.syntax
        if at is None:  # a broken variant's, in place of what stands somewhere
            return "of the changed rule"
        name = "" if label.subject is None or isinstance(label.subject, str) else label.subject.name
        what, line = _WORDS[label.role].format(name), f"line {self.text.line(at)}"
        if label.role in (Role.CONDITION, Role.CF_BREAK_IF):
            keyword = "break if" if isinstance(at, BreakIf) else KEYWORDS.get(type(at))
            line = f"{at.operator if isinstance(at, Binary) else keyword}, {line}"
        elif label.role in (Role.ARGUMENT_CONTENTS, Role.WRITTEN):
            what, line = "", f"{what}, {line}"
        return f"{escaped(what or self.text.quote(condition(at), LONGEST).rstrip(';'))}\\n{line}"


def condition(at: Syntax) -> Syntax:
    """The condition of a statement or operator, which stands for the node that it is; other syntax itself."""
    found = getattr(at, "condition", None) or getattr(at, "selector", at)
    assert isinstance(found, Syntax), "a condition is syntax"
    return found


def escaped(text: str) -> str:
    """Text as it stands in a DOT string."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def quoted(text: str) -> str:
    """A DOT string."""
    return f'"{escaped(text)}"'


def left(text: str) -> str:
    """A DOT string that begins at the left, whatever font a viewer has for it."""
    return f'"{escaped(text)}\\l"'
