"""What `explain` says of a text: as lines for people, and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from wgsl_fuzz.fuzz.cases.case import Case, read_judged
from wgsl_fuzz.fuzz.judging.account import causes_of, place_json, requirement_json
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.explain.facts import FunctionFacts, facts_of
from wgsl_fuzz.oracle.explain.path import Explanation
from wgsl_fuzz.oracle.explain.text import ShaderText, Step
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.rules.uniformity.analysis import ModuleAnalysis
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.problems import Source

AROUND = 1
"""Lines of the excerpt before and after each line of a path."""


@dataclass(frozen=True)
class Explained:
    """A shader, and which of its functions to explain."""

    case: Case
    function: str | None = None
    """Only this one is explained."""

    @property
    def source(self) -> Source:
        """Its text."""
        return self.case.source

    @property
    def analysis(self) -> ModuleAnalysis:
        """The answer about it."""
        return self.case.analysis

    @cached_property
    def explanations(self) -> list[Explanation]:
        """Those of the function that was asked for. `same_as` counts in this list; it stays within a function."""
        found = self.case.explanations
        kept = [i for i, e in enumerate(found) if self.function in (None, e.function.name)]
        place = {i: k for k, i in enumerate(kept)}
        return [replace(e, same_as=None if e.same_as is None else place[e.same_as]) for e in (found[i] for i in kept)]

    @cached_property
    def facts(self) -> list[FunctionFacts]:
        """The facts about the functions that were asked for."""
        found = facts_of(self.analysis, self.case.resolution, self.source)
        return [one for one in found if self.function in (None, one.function.name)]

    @cached_property
    def text(self) -> ShaderText:
        """For quotations."""
        return ShaderText(self.case.resolution, self.source)

    @property
    def verdict(self) -> str:
        """As in JSON."""
        return self.case.word

    @property
    def told(self) -> list[Explanation]:
        """One explanation for each cause."""
        return [e for e in self.explanations if e.same_as is None]

    def line(self, step: Step) -> int:
        """The line on which a step's place begins."""
        return self.source.position(step.span[0])[0]


def explained(file: str, text: str, rules: Rules = UNCHANGED, function: str | None = None) -> Explained:
    """Parses and judges a text. Raises Problem with the places if it is no WGSL, or has no such function."""
    case = read_judged(text, file, rules)
    names = [f.name for f in case.resolution.functions]
    if function is not None and function not in names:
        raise Problem(f"no analysed function is called {function}; there is {', '.join(names)}")
    return Explained(case, function)


# -------------------------------------------------------------------------------------------------------------- lines


def lines_of(file: str, name: str, explained: Explained) -> Iterator[str]:
    """The explanation for people: of each cause the steps and an excerpt, or the facts of each function."""
    yield f"{file}: {name} {explained.analysis.verdict.value}"
    for explanation, steps, others in causes_of(explained.source, explained.explanations):
        yield ""
        yield f"  {title(explained, explanation)}:"
        yield from (f"    {'  ' * depth}{line}" for depth, line in steps)
        yield from (f"    {line}" for line in others)
        yield ""
        yield from (f"    {line}".rstrip() for line in excerpt(explained, explanation.steps))
    if explained.analysis.verdict is Verdict.ACCEPTS or not explained.explanations:
        yield from [""] * bool(explained.explanations)
        if not explained.case.resolution.functions:
            yield "  there is no function in it"
        for known in explained.facts:
            yield f"  {known.function.name}:"
            yield from (f"    {fact.sentence}" for fact in known.facts)


def title(explained: Explained, explanation: Explanation) -> str:
    """`error in main (synchronization)`: whose requirement does not hold; the scope only if there are two."""
    rules = ", ".join(sorted(explanation.rules))
    scopes = {result.scope for result in explained.analysis.functions}
    scope = f", scope: {explanation.scope}" if len(scopes) > 1 else ""
    return f"{explanation.severity} in {explanation.function.name} ({rules}{scope})"


def excerpt(explained: Explained, steps: Sequence[Step]) -> Iterator[str]:
    """The source lines on the path with those next to them; `...` stands for what is left out."""
    on_path = {explained.line(step) for step in steps}
    lines = explained.text.lines
    shown = sorted({n for line in on_path for n in range(line - AROUND, line + AROUND + 1) if 1 <= n <= len(lines)})
    width, before = len(str(shown[-1])) if shown else 1, 0
    for n in shown:
        if n > before + 1:
            yield f"{'':{width + 2}} ..."
        yield f"{'>' if n in on_path else ' '} {n:{width}} | {lines[n - 1]}"
        before = n
    if before < len(lines):
        yield f"{'':{width + 2}} ..."


# --------------------------------------------------------------------------------------------------------------- JSON


def json_of(file: str, explained: Explained) -> Mapping[str, Any]:
    """The explanation as JSON."""
    return {
        "file": file,
        "verdict": explained.verdict,
        "explanations": [
            requirement_json(e) | {"same as": e.same_as, "steps": [_step(explained, step) for step in e.steps]}
            for e in explained.explanations
        ],
        "functions": [
            {
                "function": known.function.name,
                "rejected": known.rejected,
                "facts": [fact.sentence for fact in known.facts],
            }
            for known in explained.facts
        ],
    }


def _step(one: Explained, step: Step) -> Mapping[str, Any]:
    said = {"kind": str(step.kind), "sentence": step.sentence, "quote": step.quote}
    return said | place_json(one.source, step.span) | {"depth": step.depth}
