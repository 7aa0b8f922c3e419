"""Accounts as lines, and above all why the reference for the whole of WGSL rejects a module."""

from collections.abc import Iterable, Iterator, Sequence

from wgsl_fuzz.oracle.explain.path import Explanation, Step
from wgsl_fuzz.wgsl.problems import Source


def indented(lines: Iterable[str]) -> list[str]:
    """Lines that belong to the one before them."""
    return [f"  {line}" for line in lines]


def step_line(source: Source, step: Step) -> str:
    """A step as one line."""
    return f"line {source.position(step.span[0])[0]}: `{step.quote}`: {step.sentence}"


def also_line(source: Source, other: Explanation) -> str:
    """A violation of the same cause."""
    first, rules = other.steps[0], ", ".join(sorted(other.rules))
    place = f"line {source.position(first.span[0])[0]}: `{first.quote}`"
    return f"{place}: this requires the same, and fails for the same reason ({rules})"


def steps_of(source: Source, explanations: Sequence[Explanation]) -> Iterator[str]:
    """The steps of each cause without the excerpts, and the violations that have it as well."""
    for i, explanation in enumerate(explanations):
        if explanation.same_as is None:
            yield f"{explanation.severity} in {explanation.function.name} ({', '.join(sorted(explanation.rules))}):"
            yield from (f"  {'  ' * step.depth}{step_line(source, step)}" for step in explanation.steps)
            others = (also_line(source, other) for other in explanations if other.same_as == i)
            yield from (f"  {line}" for line in dict.fromkeys(others))
