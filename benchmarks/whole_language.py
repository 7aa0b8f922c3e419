"""The reference for the whole of WGSL beside a compiler, on the same texts in one run, and how its time grows.

    python benchmarks/whole_language.py [--target tint] [--repeat 7] [--programs 1000]

Applications: parse, resolve and analyse each shader of tests/wgsl/applications, and what the target takes for it.
Grown: texts of 300 to 10,000 lines, of functions that call each other in chains. Long: all in one function.
TinyWGSL: `check -` by the paper's analysis alone, and with the verdict of the whole language beside it.
The two sides take turns; numbers are medians over the turns, in milliseconds. Only "µs a line" is processor time, so
that it can be compared between sizes on a machine that does other things as well.
"""

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import TypeVar

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.wgsl.applications import applications
from wgsl_fuzz.fuzz.campaign.garbage import rare_collections
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.judging.answers import examine
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolve import resolve

_R = TypeVar("_R")

LINES = (300, 1_000, 3_000, 10_000)
CHAIN = 8
"""How many functions in a row call each other in the grown texts."""
LONG = 20
"""How often a function's body repeats its statements, if it is a long one."""
AT_ONCE = 8
"""Texts in one request to the target: what it costs to ask counts little."""

HEAD = """\
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> size: vec4u;
var<workgroup> tile: array<u32, 64>;
struct Cell { low: u32, high: vec2f }
"""
STATEMENTS = """\
  for (var i = 0u; i < n; i++) {
    if (i + seed) % 3u == 0u {
      total += data[i & 63u] * 2u;
      continue;
    }
    cell.high = vec2f(cell.high.y, f32(total)) * 0.5;
  }
  switch n {
    case 0u, 1u { cell.low = total; }
    default { *out = cell.low + u32(cell.high.x); }
  }
"""
FUNCTION = """\
fn step%d(out: ptr<function, u32>, seed: u32, n: u32) -> u32 {
  var total = seed;
  var cell = Cell(n, vec2f());
%s%s  return total + cell.low;
}
"""
MANY_NAMES = """\
  var a%d = n + seed;
  if a%d > total {
    let b = a%d * 2u;
    total = max(b, a%d);
  } else if n == %du {
    var c = total;
    total += c;
  }
"""
MAIN = """\
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lid: u32) {
  var kept = 0u;
%s  tile[lid] = kept;
  workgroupBarrier();
  data[lid] = tile[63u - lid];
}
"""


def grown(lines: int) -> str:
    """A text of about so many lines: chains of short functions, and after each chain a long one."""
    parts, at = [HEAD], 0
    chains: list[int] = []
    left = lines - HEAD.count("\n") - MAIN.count("\n")
    while left > 0:
        place = at % CHAIN
        call = f"  total += step{at - 1}(out, total, n);\n" if place else ""
        room = max(1, left // STATEMENTS.count("\n"))
        parts.append(FUNCTION % (at, call, STATEMENTS * min(LONG if place == CHAIN - 1 else 1, room)))
        left -= parts[-1].count("\n")
        chains += [at] if place == CHAIN - 1 else []
        at += 1
    calls = "".join(f"  kept += step{at}(&kept, lid, size.x);\n" for at in [*chains, at - 1])
    return "".join((*parts, MAIN % calls))


def long(lines: int) -> str:
    """A text of about so many lines with one function, in which many names are visible."""
    left = (lines - HEAD.count("\n") - MAIN.count("\n") - FUNCTION.count("\n")) // MANY_NAMES.count("\n")
    body = "".join(MANY_NAMES % ((at,) * 5) for at in range(left))
    return HEAD + FUNCTION % (0, "", body) + MAIN % "  kept += step0(&kept, lid, size.x);\n"


@click.command()
@click.option("--target", "name", default="tint", show_default=True)
@click.option("--repeat", type=click.IntRange(min=1), default=7, show_default=True, help="Turns of each side.")
@click.option("--programs", type=click.IntRange(min=1), default=1000, show_default=True, help="Of TinyWGSL.")
def main(name: str, repeat: int, programs: int) -> None:
    """Print the reference's time beside the target's, for each shader and for each size."""
    target = open_target(name, notify=lambda line: click.echo(line, err=True))
    click.echo(f"{target.name}, {repeat} turns each")
    click.echo("                        lines    parse  resolve  analyse    whole   target    ratio   µs a line")
    ratios = [_row(shader, text, target, repeat) for shader, text in applications().items()]
    click.echo(f"median of the ratios: {median(ratios):.2f}\n")
    for lines in LINES:
        _row("grown", grown(lines), target, repeat)
    for lines in LINES:
        _row("long", long(lines), target, repeat)
    target.close()
    _tiny(programs, repeat)


def _row(shader: str, text: str, target: Target, repeat: int) -> float:
    """Prints a line in milliseconds; returns the reference's time as a multiple of the target's."""
    parsing, resolving, analysing, asking, processor = _measured(text, target, repeat)
    whole = parsing + resolving + analysing
    lines = text.count("\n")
    click.echo(
        f"{shader:21} {lines:7} {parsing:8.1f} {resolving:8.1f} {analysing:8.1f} {whole:8.1f} {asking:8.1f} "
        f"{whole / asking:8.2f} {1000 * processor / lines:11.1f}"
    )
    return whole / asking


def _measured(text: str, target: Target, repeat: int) -> list[float]:
    """Milliseconds: to parse, to resolve, to analyse, the target's, and the processor's for the first three."""
    texts = _distinct(text)
    assert _asked(target, next(texts)) == ["accepts"]
    stages: list[list[float]] = [[], [], [], [], []]
    for _ in range(repeat):
        with rare_collections():
            begun = time.process_time()
            seconds, tree = _timed(parse, text)
            stages[0].append(seconds)
            seconds, resolution = _timed(resolve, tree)
            stages[1].append(seconds)
            stages[2].append(_timed(analyse_wgsl, resolution)[0])
            stages[4].append(time.process_time() - begun)
        seconds, _ = _timed(partial(_asked, target), *[next(texts) for _ in range(AT_ONCE)])
        stages[3].append(seconds / AT_ONCE)
    return [1000 * median(stage) for stage in stages]


def _distinct(text: str) -> Iterator[str]:
    """The text with a comment that is another each time: no target can know its answer already."""
    for number in range(sys.maxsize):
        yield f"{text}// {number}\n"


def _asked(target: Target, *texts: str) -> list[str]:
    target.submit(texts)
    return [answer.verdict.value for answer in target.collect()]


def _timed(work: Callable[..., _R], *given: object) -> tuple[float, _R]:
    begun = time.perf_counter()
    result = work(*given)
    return time.perf_counter() - begun, result


def _tiny(programs: int, repeat: int) -> None:
    drawer = CampaignGenerator(Plan(1))
    texts = [drawer.case(index).text for index in range(programs)]
    alone, both = [], []
    for _ in range(repeat):
        with rare_collections():
            alone.append(_timed(lambda: [examine(text).verdict for text in texts])[0])
            both.append(_timed(lambda: [_twice(text) for text in texts])[0])
    click.echo(f"\ncheck -, {programs} TinyWGSL texts: {programs / median(alone):.0f}/s")
    click.echo(
        f"with the whole language's verdict: {programs / median(both):.0f}/s, {median(alone) / median(both):.2f}"
    )


def _twice(text: str) -> object:
    one = examine(text)
    assert one.module is not None
    return one.verdict, one.module.verdict


if __name__ == "__main__":
    main()
