"""`--sample NAME=1/16`: a slow target is asked about a sample of the shaders, so that it does not slow the others.

What is asked about is a matter of places in the run alone. `NAME=auto` measures once, before the run begins, and the
run's record keeps the measured sample.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.targets.families.rules import PREFIX as RULES
from wgsl_fuzz.oracle.targets.protocol import Target, answers_of

LEAST = 1 << 20
"""At least one shader in so many is asked about."""
MEASURED = 16
"""So many shaders are drawn and asked about for `auto`."""

Sample = tuple[str, int | None]
"""A target, and of how many shaders it is asked about one; None: as it turns out to be slow."""

if TYPE_CHECKING:
    _SampleType = click.ParamType[Sample]
else:  # before click 8.4 it is not generic
    _SampleType = click.ParamType


class SampleOption(_SampleType):
    """`naga=1/16`, or `naga=auto`."""

    name = "sample"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Sample:
        """The target and the number; fails with what is wrong."""
        if isinstance(value, tuple):
            return value[0], value[1]
        name, _, share = str(value).rpartition("=")
        if name and share == "auto":
            return name, None
        one, _, every = share.partition("/")
        if not name or one != "1" or not (every.isascii() and every.isdecimal()):
            self.fail(f"{value!r} is no sample such as naga=1/16 or naga=auto", param, context)
        n = int(every[:9])
        if not 1 <= n <= LEAST or n & (n - 1):
            self.fail(f"{value!r}: one in a power of two, up to {LEAST:,}", param, context)
        return name, n


sample_option = click.option(
    "--sample",
    "samples",
    multiple=True,
    type=SampleOption(),
    metavar="NAME=1/N",
    help="Ask a slow target about one shader in N, a power of two; NAME=auto measures. Repeats.",
)


def samples_of(
    asked: Iterable[Sample], specs: Mapping[str, Target], plan: Plan, say: Callable[[str], object]
) -> tuple[tuple[str, int], ...]:
    """The samples as plans have them, by the names of the targets, which `specs` opened. Raises Problem."""
    targets = {target.name: target for target in specs.values()}
    chosen: dict[str, int | None] = {}
    for name, every in asked:
        target = specs.get(name) or targets.get(name) or targets.get(f"{RULES}:{name}")
        if target is None:
            raise Problem(f"--sample {name}: no --target is called so; there are {', '.join(specs)}")
        if target.name in chosen:
            raise Problem(f"two samples for {target.name}: choose one")
        chosen[target.name] = every
    others = [target for name, target in targets.items() if name not in chosen]
    if chosen and not others:
        raise Problem("--sample: at least one target has to be asked about every shader")
    measured = None
    for name in [name for name, every in chosen.items() if every is None]:
        measured = _seconds_without(others, plan) if measured is None else measured
        texts, seconds = measured
        own = _seconds(targets[name], texts)
        every = chosen[name] = sample_for(own, seconds)
        part = "every shader" if every == 1 else f"one in {every} (--sample {name}=1/{every})"
        say(f"{name} takes {1000 * own:.1f} ms a shader: it is asked about {part}")
    return tuple(sorted((name, every) for name, every in chosen.items() if every is not None and every > 1))


def sample_for(own: float, others: float) -> int:
    """Of how many shaders a target is asked about one that takes `own` seconds for each, if all else takes `others`."""
    every = 1
    while every < LEAST and own > others * every:
        every *= 2
    return every


def _seconds_without(others: Sequence[Target], plan: Plan) -> tuple[list[str], float]:
    """Texts of the run's first shaders, and how many seconds a shader takes with these targets."""
    begun = time.perf_counter()
    drawer = CampaignGenerator(plan)
    cases = [drawer.case(index) for index in range(MEASURED)]
    texts = [case.text for case in cases]
    _ = [case.verdict for case in cases]
    drawing = (time.perf_counter() - begun) / MEASURED
    return texts, drawing + sum(_seconds(target, texts) for target in others)


def _seconds(target: Target, texts: Sequence[str]) -> float:
    """How many seconds a target takes for a text, once it is warm."""
    for some in (texts[:1], texts):
        begun = time.perf_counter()
        answers_of(target, some)
    return (time.perf_counter() - begun) / len(texts)
