"""The paths of explanations as DOT text: a cluster for each function that a path goes through.

Only the nodes on paths are drawn. What else they lead to is folded into one pale node with its number.
"""

from collections.abc import Iterator, Sequence

from wgsl_fuzz.oracle.explain.dot import RED, STYLE, escaped, left, quoted
from wgsl_fuzz.oracle.explain.module_text import ModuleText
from wgsl_fuzz.oracle.explain.module_walk import CF_START, MAY_BE_NON_UNIFORM, VALUE_RETURN, Trail
from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.graph import Label, Role
from wgsl_fuzz.wgsl.syntax import Function, Let, Parameter, Variable

LONGEST = 32
"""Characters of the excerpt in a node."""

_SPECIAL = {
    CF_START: ("CF_start", "CfStart", "#dbeafe"),
    MAY_BE_NON_UNIFORM: ("MayBeNonUniform", "MayBeNonUnif", "#fee2e2"),
    VALUE_RETURN: ("Value_return", "ValueReturn", "#dcfce7"),
}
"""The name of a special node, its class and its colour."""

_WIDER = '  node [margin="0.34,0.07"]'
"""Room for text that is bold on a page."""

WORDS = {
    Role.SPECIAL: "",
    Role.PARAMETER: "parameter",
    Role.CONTENTS_AT_ENTRY: "contents at entry",
    Role.CONTENTS_AT_EXIT: "contents at exit",
    Role.READ: "read",
    Role.OPERATION: "operation",
    Role.CONDITION: "condition",
    Role.SOURCE: "source",
    Role.ASSIGNED: "after the assignment",
    Role.SHORT_CIRCUIT: "after the operator",
    Role.AFTER_IF: "after if",
    Role.AFTER_SWITCH: "after switch",
    Role.HEAD: "at the loop's head",
    Role.CONTINUING: "at continuing",
    Role.EXIT: "behind the loop",
    Role.ARGUMENT_CONTENTS: "contents of the argument",
    Role.WRITTEN: "after the call",
    Role.RESULT: "result",
    Role.CF_AFTER_IF: "control flow after if",
    Role.CF_AFTER_SWITCH: "control flow after switch",
    Role.CF_HEAD: "control flow at the loop's head",
    Role.CF_BREAK_IF: "control flow after break if",
}
"""What a node is, in its second line."""


def draw_trails(explanations: Sequence[Sequence[Trail]], text: ModuleText, title: str) -> str:
    """The trails of one or several explanations as one DOT graph."""
    lines = [f"digraph {quoted(title)} {{", "  rankdir=TB", STYLE.rstrip("\n"), _WIDER]
    for e, trails in enumerate(explanations):
        drawing = _Drawing(f"e{e}", trails, text)
        for i, trail in enumerate(trails):
            lines.append(f"  subgraph cluster_{e}_{i} {{")
            name = trail.result.function.name
            scope = f" (scope: {trail.result.scope})" if trail.result.scope is not None else ""
            lines.append(f'    label={left(name + scope)}; style="rounded"; color="#d1d5db"; class="function"')
            lines += [f"    {line}" for line in drawing.trail(i, trail)]
            lines.append("  }")
        lines += [f"  {line}" for line in drawing.calls()]
    return "\n".join([*lines, "}", ""])


class _Drawing:
    """The nodes and edges of one explanation as DOT statements."""

    def __init__(self, prefix: str, trails: Sequence[Trail], text: ModuleText) -> None:
        self.prefix = prefix
        self.trails = trails
        self.text = text

    def name(self, i: int, node: Node | None) -> str:
        """The name of a node of a trail; None: that of RequiredToBeUniform.S."""
        return f"{self.prefix}_{i}_{'r' if node is None else node}"

    def trail(self, i: int, trail: Trail) -> Iterator[str]:
        """The nodes of one trail from top to bottom, and what is folded."""
        before = None
        if trail.requirement is not None:
            r = trail.requirement
            call = f"{escaped(self.text.quote(r.call, LONGEST))}\\nline {self.text.line(r.call)}"
            label = f"RequiredToBeUniform.{r.severity}\\n{call}"
            yield f'{self.name(i, None)} [label="{label}", {_RED}, {_REQUIRED}]'
            before = self.name(i, None)
        for node in trail.nodes:
            yield f"{self.name(i, node)} [{', '.join(self.node(node, trail))}]"
            if before is not None:
                yield f'{before} -> {self.name(i, node)} [{_RED}, weight=6, class="path"]'
            before = self.name(i, node)
            yield from self.folded(i, node, trail)

    def node(self, node: Node, trail: Trail) -> Iterator[str]:
        """The attributes of a node on a path."""
        if node in _SPECIAL:
            name, special, colour = _SPECIAL[node]
            yield f'label="{name}", fillcolor="{colour}", {_RED}, class="special {special} path"'
            return
        first, second = self.words(trail.result.graph.labels[node])
        yield f'label="{escaped(first)}\\n{escaped(second)}", {_RED}, class="path"'

    def words(self, label: Label) -> tuple[str, str]:
        """The two lines in a node."""
        what = WORDS[label.role]
        subject = label.subject
        excerpt = "" if label.syntax is None else self.text.quote(label.syntax, LONGEST)
        if isinstance(subject, Variable | Let | Parameter) and label.role not in (Role.READ, Role.SOURCE):
            what = f"{subject.name}: {what}" if not isinstance(label.syntax, Parameter) else what
        elif isinstance(subject, Function):
            what = f"{what} of {subject.name}"
        line = "" if label.syntax is None else f", line {self.text.line(label.syntax)}"
        return excerpt or what, f"{what}{line}"

    def folded(self, i: int, node: Node, trail: Trail) -> Iterator[str]:
        """How many other nodes a node of the path leads to."""
        others = set(trail.result.graph.successors[node]) - set(trail.nodes)
        if others:
            name = f"{self.name(i, node)}_more"
            yield f'{name} [label="+{len(others)}", color="#d1d5db", fontcolor="#9ca3af", class="pale"]'
            yield f'{self.name(i, node)} -> {name} [color="#d1d5db", class="pale"]'

    def calls(self) -> Iterator[str]:
        """From the nodes of calls to the functions that are called."""
        for i, trail in enumerate(self.trails):
            if trail.caller is not None:
                first = self.name(i, None if trail.requirement is not None else trail.nodes[0])
                caller, node = trail.caller
                yield f'{self.name(caller, node)} -> {first} [style=dashed, constraint=false, class="call"]'


_RED = f'color="{RED}", penwidth=2.5'
_REQUIRED = 'fillcolor="#fef3c7", class="special MustBeUnif path"'
