"""`--sample NAME=1/16`: a slow target is asked about a sample of the shaders, so that it does not slow the others.

What is asked about is a matter of places in the run alone.
"""

from collections.abc import Iterable, Mapping

import click

from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.targets.families.rules import PREFIX as RULES
from wgsl_fuzz.oracle.targets.protocol import Target

LEAST = 1 << 20
"""At least one shader in so many is asked about."""

Sample = tuple[str, int]
"""A target, and of how many shaders it is asked about one."""


def _read(context: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[Sample, ...]:
    """The targets and the numbers of `naga=1/16` and others."""
    found = []
    for value in values:
        name, _, share = value.rpartition("=")
        one, _, every = share.partition("/")
        if not name or one != "1" or not (every.isascii() and every.isdecimal()):
            raise click.BadParameter(f"{value!r} is no sample such as naga=1/16", context, param)
        n = int(every[:9])
        if not 1 <= n <= LEAST or n & (n - 1):
            raise click.BadParameter(f"{value!r}: one in a power of two, up to {LEAST:,}", context, param)
        found.append((name, n))
    return tuple(found)


sample_option = click.option(
    "--sample",
    "samples",
    multiple=True,
    callback=_read,
    metavar="NAME=1/N",
    help="Ask a slow target about one shader in N, a power of two. Repeats.",
)


def samples_of(asked: Iterable[Sample], specs: Mapping[str, Target]) -> tuple[Sample, ...]:
    """The samples as plans have them, by the names of the targets, which `specs` opened. Raises Problem."""
    targets = {target.name: target for target in specs.values()}
    chosen: dict[str, int] = {}
    for name, every in asked:
        target = specs.get(name) or targets.get(name) or targets.get(f"{RULES}:{name}")
        if target is None:
            raise Problem(f"--sample {name}: no --target is called so; there are {', '.join(specs)}")
        if target.name in chosen:
            raise Problem(f"two samples for {target.name}: choose one")
        chosen[target.name] = every
    if chosen and chosen.keys() == targets.keys():
        raise Problem("--sample: at least one target has to be asked about every shader")
    return tuple(sorted((name, every) for name, every in chosen.items() if every > 1))


def sample_for(own: float, others: float) -> int:
    """Of how many shaders a target is asked about one that takes `own` seconds for each, if all else takes `others`."""
    every = 1
    while every < LEAST and own > others * every:
        every *= 2
    return every
