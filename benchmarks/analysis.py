"""What a verdict costs on bit sets and rule by rule, and how that grows with the shader.

    python benchmarks/analysis.py [--programs 1000]

All times are of the processor, and all of one run: the ratios can be held against those of another machine.
"""

import gc
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.bitset.analysis import verdict_of
from wgsl_fuzz.strategies import DEFAULT, draw_shader
from wgsl_fuzz.tinywgsl.ast import Shader, count_statements
from wgsl_fuzz.wgsl.reading import parse


@click.command()
@click.option("--programs", type=int, default=1000, show_default=True)
def main(programs: int) -> None:
    """Print microseconds a shader, and a statement of shaders of many sizes."""
    gc.disable()
    shaders = [draw_shader(seed) for seed in range(programs)]
    one, other = _each(analyse, shaders), _each(verdict_of, shaders)
    click.echo(f"verdict: {one:.0f} µs rule by rule, {other:.1f} µs on bit sets: {one / other:.1f} times as fast")
    for size in (30, 100, 300, 1000, 3000):
        few = [draw_shader(seed, replace(DEFAULT, statements=(size, size))) for seed in range(3)]
        count = sum(map(count_statements, few)) / len(few)
        each = [_each(work, few) / count for work in (analyse, verdict_of)]
        click.echo(f"{count:7.0f} statements: {each[0]:7.2f} µs a statement rule by rule, {each[1]:6.2f} on bit sets")
    for size in (30, 90):
        table = [_table(size)]
        each = [_each(work, table) for work in (analyse, verdict_of)]
        click.echo(f"{size} variables, {size} loops: {each[0]:.0f} µs rule by rule, {each[1]:.0f} on bit sets")


def _each(work: Callable[[Shader], object], shaders: Sequence[Shader]) -> float:
    """Microseconds each, at best of three."""
    times = []
    for _ in range(3):
        begun = time.process_time()
        for shader in shaders:
            work(shader)
        times.append(time.process_time() - begun)
    return 1e6 * min(times) / len(shaders)


def _table(size: int) -> Shader:
    """Loops one after the other, each with a node for each variable at its head."""
    variables = "".join(f"var x{i}: u32; " for i in range(size))
    loops = "".join(
        f"loop {{ if (x{i} == 1u) {{ break; }} x{i} = x{(i * 7 + 1) % size}; workgroupBarrier(); }} "
        for i in range(size)
    )
    return parse(f"@compute @workgroup_size(2) fn main() {{ {variables} {loops} }}")


if __name__ == "__main__":
    main()
