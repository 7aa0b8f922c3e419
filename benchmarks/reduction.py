"""How small and how fast planted disagreements on TinyWGSL get.

    python benchmarks/reduction.py

Thirty disagreements of tests/quality/planted.py: statements above the known minimum, and processor milliseconds
without compilers. `benchmarks/buckets.py` says how faults and buckets fit.
"""

import sys
import time
from collections import Counter
from pathlib import Path
from statistics import median

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.quality.planted import planted
from wgsl_fuzz.fuzz.reduction.search import reduce


@click.command()
@click.option("--shaders", type=int, default=3, show_default=True, help="Drawn for each planted disagreement.")
def main(shaders: int) -> None:
    """Print a line for each planted disagreement, then the totals."""
    milliseconds: list[float] = []
    above: list[int] = []
    for one in planted():
        mine: list[str] = []
        for shader in one.drawn(shaders):
            begun = time.process_time()
            reduction = reduce(shader, one.shows)
            milliseconds.append(1000 * (time.process_time() - begun))
            above.append(reduction.statements - one.least)
            mine.append(f"{above[-1]:+d} {milliseconds[-1]:.0f} ms, {reduction.asked} asked")
        click.echo(f"{one.name:55} least {one.least}: {'; '.join(mine)}")
    worst = sum(statements > 2 for statements in above)
    usual, longest, mean = median(milliseconds), max(milliseconds), sum(milliseconds) / len(milliseconds)
    click.echo(f"{len(above)} reductions: median {usual:.0f} ms, mean {mean:.0f} ms, worst {longest:.0f} ms;")
    click.echo(f"{worst} more than 2 statements above the known minimum: {sorted(Counter(above).items())}")


if __name__ == "__main__":
    main()
