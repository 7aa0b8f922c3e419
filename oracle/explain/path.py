"""Why a shader is rejected: the path from MustBeUnif to MayBeNonUnif (section 4.1) and the facts of section 4.2.

How a path becomes sentences is in `oracle.explain.words`.
"""

from collections.abc import Iterable
from types import MappingProxyType

from wgsl_fuzz.oracle.explain.quoting import Positions
from wgsl_fuzz.oracle.explain.words import Teller, parameter
from wgsl_fuzz.oracle.rules.analysis import Analysis, FunctionResult
from wgsl_fuzz.oracle.rules.graph import CF_START, MAY_BE_NON_UNIF, MUST_BE_UNIF, Node
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import Stmt

__all__ = ["Positions", "account", "explain", "facts", "parameter", "path_lines", "summaries", "witness_path"]

_NOWHERE: Positions = MappingProxyType({})


def witness_path(analysis: Analysis) -> list[Node]:
    """A shortest path from MustBeUnif to MayBeNonUnif in the violating function's graph; empty if it is accepted."""
    if analysis.verdict is not Verdict.REJECTS:
        return []
    return analysis.functions[-1].graph.shortest_path(MUST_BE_UNIF, MAY_BE_NON_UNIF)


def explain(analysis: Analysis, positions: Positions, text: str = "") -> list[str]:
    """Lines for people, from the demand to the source of non-uniformity; empty if the shader is accepted.

    What goes on in a called function is indented. With the `text` that the positions are of, quotations are the user's.
    """
    path = witness_path(analysis)
    return Teller(analysis, positions, text).of(analysis.functions[-1], path) if path else []


def summaries(analysis: Analysis, positions: Positions = _NOWHERE, text: str = "") -> list[str]:
    """For each function analysed, what it demands of its callers and whether its result may differ, as lines."""
    return [line for result in analysis.functions for line in _summary(analysis, result, positions, text)]


def account(analysis: Analysis, function: str | None, positions: Positions = _NOWHERE, text: str = "") -> list[str]:
    """The path if the shader is rejected, else all facts; of one analysed `function` its path or its facts."""
    if function is None:
        return explain(analysis, positions, text) or summaries(analysis, positions, text)
    result = next(r for r in analysis.functions if r.function.name == function)
    return explain(analysis, positions, text) if result.violates else _summary(analysis, result, positions, text)


def _summary(analysis: Analysis, result: FunctionResult, positions: Positions, text: str) -> list[str]:
    """The facts about one function that are neither false nor empty."""
    name = result.function.name
    rows = [row for row in facts(analysis, result, positions, text) if row[1] not in ("false", "{}")]
    if not rows:
        return [f"{name} demands nothing" + (" of its callers" if result.function.result is not None else "")]
    title = f"{name}:" + (" rejected" if result.violates else "")
    return [title, *(f"  {words} ({fact} = {value})" for fact, value, words in rows)]


def facts(
    analysis: Analysis, result: FunctionResult, positions: Positions = _NOWHERE, text: str = ""
) -> list[tuple[str, str, str]]:
    """The four facts of section 4.2 about a function: the paper's name, the value, and what that means.

    Of `main`, which nobody calls and which has no parameters and no result, only the first can hold.
    """
    teller = Teller(analysis, positions, text)
    f, summary, graph = result.function, result.summary, result.graph

    def names(parameters: frozenset[int]) -> str:
        return " and ".join(teller.quoting.name(f.params[i].name) for i in sorted(parameters))

    def because(target: Node) -> str:
        return "because of " + teller.demanded(graph, graph.shortest_path(MUST_BE_UNIF, target)[1])

    start = "must start with all threads together" if f.result is None else "must be called from uniform control flow"
    rows = [
        f"{start}, {because(CF_START)}" if summary.callSiteUnif else "may be called from any control flow",
        "; ".join(
            f"the argument for {names(frozenset({i}))} must be uniform, {because(parameter(i))}"
            for i in sorted(summary.paramsReqToBeUnif)
        )
        or ("arguments may differ between threads" if f.params else "there are no parameters"),
        f"the result depends on {names(summary.paramAffectsReturnUnif)}"
        if summary.paramAffectsReturnUnif
        else "the result depends on no argument",
        "the result may differ between threads, whatever the arguments"
        if summary.returnNonUnif
        else "given uniform control flow and uniform arguments, the result is uniform",
    ]
    values = [
        str(summary.callSiteUnif).lower(),
        _set(summary.paramsReqToBeUnif),
        _set(summary.paramAffectsReturnUnif),
        str(summary.returnNonUnif).lower(),
    ]
    paper = ("callSiteUnif", "paramsReqToBeUnif", "paramAffectsReturnUnif", "returnNonUnif")
    return list(zip(paper, values, rows, strict=True))[: 1 if f.result is None else 4]


def _set(parameters: Iterable[int]) -> str:
    """A set of parameters, counted from 1 as in the paper."""
    return "{" + ", ".join(str(i + 1) for i in sorted(parameters)) + "}"


def path_lines(analysis: Analysis, positions: Positions) -> dict[int, str]:
    """The source lines that the witness path touches, each `demand`, `path` or `source`."""
    path = witness_path(analysis)
    if not path:
        return {}
    graph = analysis.functions[-1].graph
    statements = [graph.labels[node].statement for node in path[1:-1]]
    lines = {line: "path" for s in statements if (line := _line(s, positions))}
    if line := _line(statements[-1], positions):
        lines[line] = "source"
    if line := _line(graph.demands[path[1]][0], positions):
        lines[line] = "demand"
    return lines


def _line(s: Stmt | None, positions: Positions) -> int:
    return 0 if s is None else positions.get(id(s), (0, 0))[0]
