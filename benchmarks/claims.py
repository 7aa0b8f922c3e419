"""Measures those numbers of our pages again that no command prints.

    python benchmarks/claims.py [--shaders 2000] [--seed 1]

Sections 4.2 of the paper and 15.2 of the specification agree. The semantics decides whether a rejected shader diverges
or was rejected needlessly. What converges by one notion of convergence converges by the wider ones. Drawing and judging
is fast. `docs/for-researchers.md` has the numbers, and the commands that measure all other claims.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import TINY, Plan
from wgsl_fuzz.oracle.dynamics.semantics import NOTIONS
from wgsl_fuzz.oracle.verdict import Outcome, Verdict


@click.command()
@click.option("--shaders", type=click.IntRange(min=1), default=2_000, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def main(shaders: int, seed: int) -> None:
    """Print one line a claim."""
    begun = time.process_time()
    cases = list(_drawn(shaders, seed))
    verdicts = [case.verdict for case in cases]
    print(f"rate: {shaders / (time.process_time() - begun):,.0f} a second on one core")
    print(f"references: {sum(case.paper not in (None, case.verdict) for case in cases)} of {shaders} differ")
    print(f"precision: {verdicts.count(Verdict.ACCEPTS) / shaders:.1%} accepted; {_precision(cases)}")
    print(f"notions: {_notions(_drawn(shaders // 2, seed, 'non-uniform'))}")


def _drawn(count: int, seed: int, require: str | None = None) -> Iterator[Case]:
    generator = CampaignGenerator(Plan(seed, require, language=TINY))
    return (generator.case(index) for index in range(count))


def _precision(cases: list[Case]) -> str:
    """What executions say of the rejected ones."""
    outcomes = Counter(case.execute().outcome for case in cases if case.verdict is Verdict.REJECTS)
    return ", ".join(f"{n / outcomes.total():.1%} {outcome.value}" for outcome, n in outcomes.most_common())


def _notions(cases: Iterator[Case]) -> str:
    """How many diverge by each notion, and how many converge by one and diverge by a wider one."""
    diverging, wider = Counter[str](), 0
    for case in cases:
        outcomes = [replace(case, notion=notion, thorough=True).execute().outcome for notion in NOTIONS.values()]
        diverging.update(name for name, outcome in zip(NOTIONS, outcomes, strict=True) if outcome is Outcome.DIVERGES)
        wider += any(pair == (Outcome.CONVERGES, Outcome.DIVERGES) for pair in pairwise(outcomes))
    return ", ".join(f"{diverging[name]} diverge by {name}" for name in NOTIONS) + f"; {wider} out of order"


if __name__ == "__main__":
    main()
