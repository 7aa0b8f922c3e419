"""What it costs to draw and write a shader of TinyWGSL, one by one and by bricks, in one run.

    python benchmarks/drawing.py [--programs 4096] [--seed 1] [--rounds 3]

CPU time of one process. *Afresh* draws each shader from the swarm of its group and prints it. *By bricks* is what a
campaign does, without surface forms and then with them. Ratios count, since machines differ. Each round takes all three
in turn, a part of the shaders at a time, so that a machine that slows down slows all of them.
"""

import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.tinywgsl.shapes import shape
from wgsl_fuzz.fuzz.cases.drawer import GROUPS, WINDOW, Drawer
from wgsl_fuzz.fuzz.cases.plan import GROUP, Plan, shader_seed
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.choices.swarm import draw_swarm
from wgsl_fuzz.strategies.generate.shaders import draw
from wgsl_fuzz.tinywgsl.printer import print_shader

PART = GROUP * GROUPS * WINDOW
"""Shaders of whole windows of environments."""


@click.command()
@click.option("--programs", type=click.IntRange(min=1), default=4096, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
@click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True)
def main(programs: int, seed: int, rounds: int) -> None:
    """Print microseconds a shader of each way, and ratios."""
    parts = [range(first, first + PART) for first in range(0, programs, PART)]
    ways = {"afresh": _afresh, "by bricks": _by_bricks, "by bricks, spelled": _spelled}
    for number in range(rounds):
        seconds = dict.fromkeys(ways, 0.0)
        for part in parts:
            for name, way in ways.items():
                seconds[name] += _timed(way, seed + number, part)
        count = PART * len(parts)
        for name, taken in seconds.items():
            click.echo(f"{name:20} {1e6 * taken / count:7.1f} µs each   {taken / seconds['afresh']:.2f} of afresh")
    click.echo(f"unique up to names and literals: {_unique(seed, parts):.2%}")


def _timed(way: Callable[[int, range], object], seed: int, part: range) -> float:
    gc.collect()
    gc.disable()  # as in a campaign
    begun = time.process_time()
    way(seed, part)
    taken = time.process_time() - begun
    gc.enable()
    return taken


def _afresh(seed: int, part: range) -> None:
    base = Plan(seed).base
    for first in range(part.start, part.stop, GROUP):
        swarm = draw_swarm(RandomSource(shader_seed(seed, first)), base)
        for index in range(first, first + GROUP):
            print_shader(draw(RandomSource(shader_seed(seed, index)), swarm.profile))


def _by_bricks(seed: int, part: range) -> None:
    drawer = Drawer(Plan(seed, spelling=False))
    for index in part:
        _ = drawer.case(index).text


def _spelled(seed: int, part: range) -> None:
    drawer = Drawer(Plan(seed))
    for index in part:
        _ = drawer.case(index).text


def _unique(seed: int, parts: list[range]) -> float:
    drawer = Drawer(Plan(seed, spelling=False))
    shapes = [shape(drawer.case(index).shader) for part in parts for index in part]
    return len(set(shapes)) / len(shapes)


if __name__ == "__main__":
    main()
