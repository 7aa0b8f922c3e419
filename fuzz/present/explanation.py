"""What `explain` says of a text: as lines for people, and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from wgsl_fuzz.fuzz.cases.case import Case, read_judged
from wgsl_fuzz.fuzz.cases.places import place_json
from wgsl_fuzz.fuzz.judging.account import indented_steps, requirement_json, title
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.explain.facts import FunctionFacts, facts_of
from wgsl_fuzz.oracle.explain.path import Message, messages_of
from wgsl_fuzz.oracle.explain.text import ShaderText, Step
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.verdict import Verdict

AROUND = 1
"""Lines of the excerpt before and after each line of a path."""


@dataclass(frozen=True)
class Explained:
    """A shader, and which of its functions to explain."""

    case: Case
    function: str | None = None
    """Only this one is explained."""

    @cached_property
    def messages(self) -> list[Message]:
        """What is wrong; of a function that was asked for, what leads through it."""
        return [m for m in messages_of(self.case.explanations) if self.function is None or self.function in m.through]

    @cached_property
    def facts(self) -> list[FunctionFacts]:
        """The facts about the functions that were asked for."""
        found = facts_of(self.case.analysis, self.case.resolution, self.case.source)
        return [one for one in found if self.function in (None, one.function.name)]

    @cached_property
    def text(self) -> ShaderText:
        """For quotations."""
        return ShaderText(self.case.resolution, self.case.source)

    def title(self, one: Message) -> str:
        """What a message is about."""
        return title(one, scoped=len({result.scope for result in self.case.analysis.functions}) > 1)

    def line(self, step: Step) -> int:
        """The line on which a step's place begins."""
        return self.case.source.position(step.span[0])[0]


def explained(file: str, text: str, rules: Rules = UNCHANGED, function: str | None = None) -> Explained:
    """Parses and judges a text. Raises Problem with the places if it is no WGSL, or has no such function."""
    case = read_judged(text, file, rules)
    names = [f.name for f in case.resolution.functions]
    if function is not None and function not in names:
        raise Problem(f"no analysed function is called {function}; there is {', '.join(names)}")
    return Explained(case, function)


def lines_of(file: str, name: str, explained: Explained) -> Iterator[str]:
    """The explanation for people: of each message the steps and an excerpt, or the facts of each function."""
    yield f"{file}: {name} {explained.case.analysis.verdict.value}"
    for one in explained.messages:
        yield ""
        yield f"  {explained.title(one)}:"
        yield from (f"  {line}" for line in indented_steps(explained.case.source, one))
        yield ""
        yield from (f"    {line}".rstrip() for line in excerpt(explained, one.steps))
    if explained.case.analysis.verdict is Verdict.ACCEPTS or not explained.messages:
        yield from [""] * bool(explained.messages)
        if not explained.case.resolution.functions:
            yield "  there is no function in it"
        for known in explained.facts:
            yield f"  {known.function.name}:"
            yield from (f"    {fact}" for fact in known.facts)


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


def json_of(file: str, explained: Explained) -> Mapping[str, Any]:
    """The explanation as JSON."""

    def json_of_step(step: Step) -> Mapping[str, Any]:
        said = {"kind": str(step.kind), "sentence": step.sentence, "quote": step.quote}
        return said | place_json(explained.case.source, step.span) | {"depth": step.depth}

    return {
        "file": file,
        "verdict": explained.case.word,
        "explanations": [
            requirement_json(one) | {"steps": [*map(json_of_step, one.steps)]} for one in explained.messages
        ],
        "functions": [
            {"function": known.function.name, "rejected": known.rejected, "facts": [*known.facts]}
            for known in explained.facts
        ],
    }
