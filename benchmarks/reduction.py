"""How small and how fast planted disagreements on TinyWGSL get, and whether one mutant ends in one bucket.

    python benchmarks/reduction.py

Thirty disagreements of tests/quality/planted.py: statements above the known minimum, processor milliseconds without
compilers, and the confusion table of the buckets of the reduced shaders.
"""

import sys
import time
from collections import Counter
from itertools import combinations
from pathlib import Path
from statistics import median

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.quality.planted import planted
from wgsl_fuzz.fuzz.cases.module_case import drawn_case
from wgsl_fuzz.fuzz.judging.buckets import fine_key
from wgsl_fuzz.fuzz.judging.judge import Disagreement, Kind, cause_of
from wgsl_fuzz.fuzz.reduction.search import reduce
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.wgsl.resolution import Resolution


@click.command()
@click.option("--shaders", type=int, default=3, show_default=True, help="Drawn for each planted disagreement.")
def main(shaders: int) -> None:
    """Print a line for each planted disagreement, then the totals and the buckets."""
    milliseconds: list[float] = []
    above: list[int] = []
    buckets: dict[str, Counter[str]] = {}
    for one in planted():
        mine: list[str] = []
        for shader in one.drawn(shaders):
            begun = time.process_time()
            reduction = reduce(shader, one.shows)
            milliseconds.append(1000 * (time.process_time() - begun))
            above.append(reduction.statements - one.least)
            mine.append(f"{above[-1]:+d} {milliseconds[-1]:.0f} ms, {reduction.asked} asked")
            if one.name.count("/") == 2:
                buckets.setdefault(one.name, Counter())[_key(reduction.resolution)] += 1
        click.echo(f"{one.name:55} least {one.least}: {'; '.join(mine)}")
    worst = sum(statements > 2 for statements in above)
    usual, longest, mean = median(milliseconds), max(milliseconds), sum(milliseconds) / len(milliseconds)
    click.echo(f"{len(above)} reductions: median {usual:.0f} ms, mean {mean:.0f} ms, worst {longest:.0f} ms;")
    click.echo(f"{worst} more than 2 statements above the known minimum: {sorted(Counter(above).items())}")
    _confusion(buckets)


def _key(tree: Resolution) -> str:
    """The fine key of the disagreement between a mutant and the reference on a reduced shader."""
    case = drawn_case(tree)
    accepts = case.verdict is Verdict.ACCEPTS
    answer = Answer(Verdict.REJECTS if accepts else Verdict.ACCEPTS)
    kind = Kind.TOO_STRICT if accepts else Kind.TOO_LENIENT
    cause = cause_of(case, "mutant", kind, answer)
    return str(fine_key(case, Disagreement("mutant", kind, answer, cause)))


def _confusion(buckets: dict[str, Counter[str]]) -> None:
    """The buckets of each mutant, and how many pairs of mutants share one."""
    one_bucket = sum(len(mine) == 1 for mine in buckets.values())
    pairs = list(combinations(buckets, 2))
    shared = [(a, b) for a, b in pairs if set(buckets[a]) & set(buckets[b])]
    click.echo(f"{one_bucket} of {len(buckets)} mutants end in one bucket;")
    click.echo(f"{len(shared)} of {len(pairs)} pairs of mutants share one:")
    for name, mine in buckets.items():
        click.echo(f"  {name}")
        for bucket, times in mine.most_common():
            others = [other for other, theirs in buckets.items() if other != name and bucket in theirs]
            click.echo(f"    {times} x {bucket}{'  also: ' + ', '.join(others) if others else ''}")


if __name__ == "__main__":
    main()
