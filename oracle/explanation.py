"""Why a shader is rejected: the path from MustBeUnif to MayBeNonUnif in terms of the source."""

from collections.abc import Mapping

from oracle.analysis import Analysis
from oracle.graph import MAY_BE_NON_UNIF, MUST_BE_UNIF, Graph, Label, Node, Role
from oracle.verdict import Verdict
from tinywgsl.ast import Call, If, Lid, Stmt
from tinywgsl.printer import Position, print_expr, print_head

Positions = Mapping[int, Position]
"""Where each statement stands, by `id(statement)`: of the printer, or of the parser."""


def witness_path(analysis: Analysis) -> list[Node]:
    """A shortest path from MustBeUnif to MayBeNonUnif in the violating function's graph; empty if it is accepted."""
    if analysis.verdict is not Verdict.REJECTS:
        return []
    return analysis.functions[-1].graph.shortest_path(MUST_BE_UNIF, MAY_BE_NON_UNIF)


def explain(analysis: Analysis, positions: Positions) -> list[str]:
    """Lines for people, from the demand to the source of non-uniformity; empty if the shader is accepted."""
    path = witness_path(analysis)
    if not path:
        return []
    graph = analysis.functions[-1].graph
    lines = [_demand(graph, path[1], positions)]
    for node in path[1:-1]:
        line = _dependence(graph.labels[node], positions)
        if line != lines[-1]:
            lines.append(line)
    if graph.labels[path[-2]].role is not Role.SOURCE:
        lines.append("which may differ between threads")
    return lines


def _demand(graph: Graph, node: Node, positions: Positions) -> str:
    statement, argument = graph.demands[node]
    where = line_of(statement, positions)
    if not isinstance(statement, Call):
        return f"the barrier{where} needs uniform control flow; that depends on"
    if argument is None:
        return f"the call of {statement.function}{where} needs uniform control flow; that depends on"
    return f"argument {argument + 1} of the call of {statement.function}{where} must be uniform; it depends on"


def _dependence(label: Label, positions: Positions) -> str:
    where = "" if label.statement is None else line_of(label.statement, positions)
    detail = label.detail if isinstance(label.detail, str) else ""
    match label.role:
        case Role.SOURCE:
            return f"`{_text(label)}`{where}, " + (
                "which differs in every thread" if isinstance(label.detail, Lid) else "shared memory, never uniform"
            )
        case Role.OPERATION:
            if isinstance(label.statement, If):
                return f"the condition `{print_expr(label.statement.condition)}`{where}, in it `{_text(label)}`"
            return f"`{_text(label)}`{where}"
        case Role.READ:
            return f"`{detail}`, read{where}"
        case Role.RESULT:
            return f"`{detail}`, assigned{where} by `{_head(label.statement)}`"
        case Role.INITIAL:
            return f"`{detail}` as the function starts with it"
        case Role.SPECIAL:
            return {"CfStart": "control flow where the function is called"}.get(detail, detail)
        case Role.CF_AFTER_IF:
            return f"control flow after the `if`{where}, which not every thread need leave by its end"
        case Role.CF_HEAD:
            return f"control flow at the head of the loop{where}, which threads may reach from different iterations"
        case _:
            return f"`{detail}`, {_MERGES[label.role]}{where}"


_MERGES = {
    Role.AFTER_IF: "as it is after the `if`",
    Role.HEAD: "as it is at the head of the loop",
    Role.EXIT: "as it is on leaving the loop",
    Role.CONT: "as it is at the `continuing` of the loop",
}


def _text(label: Label) -> str:
    return label.detail if isinstance(label.detail, str) or label.detail is None else print_expr(label.detail)  # type: ignore[return-value]


def _head(statement: Stmt | None) -> str:
    return "" if statement is None else print_head(statement)


def line_of(statement: Stmt, positions: Positions) -> str:
    """` on line 9`, or nothing if the statement stands nowhere."""
    position = positions.get(id(statement))
    return "" if position is None else f" on line {position[0]}"
