"""What a statement costs in shaders of 30 to 3,000 statements: drawn, printed, analysed, explained and run.

    python benchmarks/growth.py [--language tiny] [--shaders 3]

A stage is linear if its column stays level, or falls: what a shader costs as a whole then counts less. All times are of
the processor and of one run, the best of three. `explain` prints the shader, reads the print,
analyses it with its graph, and tells what is wrong with it. `run` has a bound in steps. The size of a shader is what
was drawn, not what was aimed at.

The last rows are of so many variables and as many loops, each of which changes one: rules that make a node for each
variable at the head of each loop take as many times longer a statement there.
"""

import gc
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.wgsl.reading import parse
from wgsl_fuzz.fuzz.cases.case import count_statements, drawn_case, read_module
from wgsl_fuzz.oracle.dynamics.modules.execution import execute
from wgsl_fuzz.oracle.dynamics.runs import sample
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.uniformity.revisions import judge_wgsl
from wgsl_fuzz.strategies import TINY, draw_shader
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.tinywgsl import ast
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.parser import parse as parse_module
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Module

_T = TypeVar("_T")
_R = TypeVar("_R")
Stage = tuple[str, float]

LANGUAGES = ("tiny", "compute")
SIZES = (30, 100, 300, 1_000, 3_000)
TABLES = (30, 90)
TURNS = 3


@click.command()
@click.option("--language", "chosen", multiple=True, type=click.Choice(LANGUAGES), default=LANGUAGES)
@click.option("--shaders", type=click.IntRange(min=1), default=3, show_default=True, help="Of each size.")
def main(chosen: Sequence[str], shaders: int) -> None:
    """Print microseconds of the processor a statement, by size and stage."""
    gc.disable()
    for language in chosen:
        table = _tiny if language == "tiny" else _modules
        for i, size in enumerate(SIZES):
            count, stages = table(size, shaders)
            if not i:
                click.echo(f"\n{language:14}" + "".join(f"{name:>10}" for name, _ in stages) + "   µs a statement")
            _print_row(f"{count / shaders:,.0f}", count, stages)
            gc.collect()
        for size in TABLES:
            count, stages = _table(language, size)
            _print_row(f"{size} x {size}", count, [("draw", 0.0), *stages])
            gc.collect()


def _print_row(name: str, count: int, stages: Sequence[Stage]) -> None:
    """Microseconds a statement; nothing for a stage that there was none of."""
    cells = "".join(f"{seconds * 1e6 / count:10.2f}" if seconds else f"{'':10}" for _, seconds in stages)
    click.echo(f"{name:>14}{cells}")


def _tiny(size: int, shaders: int) -> tuple[int, list[Stage]]:
    """The statements of some shaders, and the seconds of each stage."""
    profile = replace(TINY, statements=(size, size))
    drawn, seconds = _timed(lambda seed: draw_shader(seed, profile), range(shaders))
    return sum(map(ast.count_statements, drawn)), [("draw", seconds), *_tiny_stages(drawn)]


def _tiny_stages(drawn: Sequence[ast.Shader]) -> list[Stage]:
    explaining = _timed(lambda shader: read_module(print_shader(shader)).explanations, drawn)[1]
    running = _timed(lambda shader: sample(shader, runs=2, steps=1_200), drawn)[1]
    stages = [("print", _timed(print_shader, drawn)[1]), ("verdict", _timed(analyse, drawn)[1])]
    return [*stages, ("explain", explaining), ("run", running)]


def _modules(size: int, shaders: int) -> tuple[int, list[Stage]]:
    """The same of modules of the whole language."""
    profile = replace(TINY, statements=(size, size))
    drawn, seconds = _timed(lambda seed: draw_module(seed, profile), range(shaders))
    return sum(map(count_statements, drawn)), [("draw", seconds), *_module_stages(drawn)]


def _module_stages(drawn: Sequence[Module]) -> list[Stage]:
    stages = [("print", _timed(print_module, drawn)[1])]
    resolved, resolving = _timed(resolve, drawn)
    judging = _timed(lambda module: judge_wgsl(resolve(module)), drawn)[1]  # what was judged once is remembered
    explaining = _timed(lambda module: drawn_case(resolve(module)).explanations, drawn)[1]
    stages += [("resolve", resolving), ("verdict", judging - resolving)]
    return [*stages, ("explain", explaining), ("run", _timed(execute, resolved)[1])]


def _table(language: str, size: int) -> tuple[int, list[Stage]]:
    """The same of so many variables and loops, one loop behind the other."""
    variables = "".join(f"var x{i}: u32; " for i in range(size))
    loops = "".join(
        f"loop {{ if (x{i} == 1u) {{ break; }} x{i} = x{(i * 7 + 1) % size}; workgroupBarrier(); }} "
        for i in range(size)
    )
    text = f"@compute @workgroup_size(2) fn main() {{ {variables} {loops} }}"
    if language == "tiny":
        shader = parse(text)
        return ast.count_statements(shader), _tiny_stages([shader])
    module = parse_module(text)
    return count_statements(module), _module_stages([module])


def _timed(work: Callable[[_T], _R], items: Sequence[_T]) -> tuple[list[_R], float]:
    """What is made of all items, and the seconds that it takes."""
    found, times = list[_R](), []
    for _ in range(TURNS):
        begun = time.process_time()
        found = [work(item) for item in items]
        times.append(time.process_time() - begun)
    return found, min(times)


if __name__ == "__main__":
    main()
