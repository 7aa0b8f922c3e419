"""Which operation a rejection is about: as a compiler's message says it, and as the rules do."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.repair.shader import Broken
from wgsl_fuzz.oracle.rules.uniformity.analysis import ModuleAnalysis
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.walk import descendants

_BLAMED = re.compile(
    r"(\d+):(\d+) error: (?:'(\w+)' (?:must only be called from|requires argument)|variables that|subgroup_matrix_)"
)
"""Tint says where the built-in function or its argument is; for a function of the user's, the call is in a note."""

Position = tuple[int, int]
"""Line and column, from 1."""


@dataclass(frozen=True, slots=True)
class Blame:
    """The operation for which a target rejects a text, and whether the reference blames it as well."""

    target: str
    line: int
    column: int
    agrees: bool


def position_blamed(answer: Answer) -> Position | None:
    """Where the operation stands for which a target rejects; None if its message does not say."""
    place = _BLAMED.search(answer.message)
    return None if place is None else (int(place[1]), int(place[2]))


def blamed_by_rules(module: Case) -> list[tuple[Position, Position]]:
    """Start and end of each operation that the rules of a case blame."""
    broken = Broken(module.placed)
    calls = [call for guilty in broken.guilty for _, call in broken.calls(guilty) if broken.resolution.builtin(call)]
    position = module.source.position
    return sorted({(position(call.start), position(call.end)) for call in calls})


def call_blamed(module: Case, answer: Answer) -> w.Call | None:
    """The call for which a target rejects the plain print of a tree; None if the message does not tell which."""
    told = _BLAMED.search(answer.message)
    if told is None or told[3] is None:
        return None
    line, column, name = int(told[1]), int(told[2]), told[3]
    offset = sum(len(one) + 1 for one in module.text.split("\n")[: line - 1]) + column - 1
    places = [found.start() for found in re.finditer(rf"\b{name}\b", module.text)]
    calls = [n for n in descendants(module.resolution.module) if isinstance(n, w.Call) and n.callee.name == name]
    nth = bisect_right(places, offset)
    return calls[nth - 1] if nth and len(calls) == len(places) else None


def calls_blamed(analysis: ModuleAnalysis, resolution: Resolution) -> set[int]:
    """By `id`, the calls for which an analysis rejects; behind a call of a user's function, all that may require it."""
    found: set[int] = set()
    waiting = [violation.call for _, violation in analysis.violations]
    while waiting:
        call = waiting.pop()
        found.add(id(call))
        callee = resolution.function(call)
        for result in analysis.functions if callee is not None else ():
            if result.function is callee:
                waiting += [one.call for one in result.graph.requirements if id(one.call) not in found]
    return found


def blames(module: Case, answers: Mapping[str, Answer]) -> list[Blame]:
    """What each target blames that rejects the text and says where, if the reference rejects it too."""
    if module.verdict is not Verdict.REJECTS:
        return []
    ours = blamed_by_rules(module)
    found = [(name, position_blamed(a)) for name, a in answers.items() if a.verdict is Verdict.REJECTS]
    return [Blame(name, *at, any(a <= at < b for a, b in ours)) for name, at in found if at is not None]


def blamed_otherwise(module: Case, answers: Mapping[str, Answer]) -> Iterator[str]:
    """A line for each target that rejects the module for an operation that the reference does not blame."""
    for one in blames(module, answers):
        if not one.agrees:
            places = ", ".join(f"{line}:{column}" for (line, column), _ in blamed_by_rules(module))
            yield f"{one.target} blames {one.line}:{one.column}; the reference blames {places}"
