"""What drawing a module of the whole language costs, alone and from bricks, beside what is done with it next.

    python benchmarks/module_drawing.py [--environments 20] [--each 8] [--decisive]

Processor milliseconds a module, by profile: drawn alone, from bricks (the environment's share included), names
resolved, printed, analysed; statements, the share that the reference accepts, and the share of texts that are new.
`--decisive` asks which arms of the rules decide each module, which takes a fifth of a second each. It prints for both
ways how many arms decide any, and the geometric mean of the arms' shares.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from math import exp, log
from pathlib import Path
from typing import TypeVar

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wgsl_fuzz.fuzz.cases.module_case import count_statements
from wgsl_fuzz.oracle.rules.uniformity.coverage import deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.modules.bricks import Bricks
from wgsl_fuzz.strategies.modules.modules import draw_module
from wgsl_fuzz.strategies.modules.profile import MODULE_PROFILES, ModuleProfile
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Module

_T = TypeVar("_T")
_R = TypeVar("_R")


@click.command()
@click.option("--environments", type=click.IntRange(min=1), default=20, show_default=True)
@click.option("--each", type=click.IntRange(min=1), default=8, show_default=True, help="Modules of an environment.")
@click.option("--decisive", is_flag=True, help="Ask which arms decide.")
def main(environments: int, each: int, decisive: bool) -> None:
    """Print two lines for each profile, and the arms of all profiles."""
    deciding: dict[str, Counter[str]] = {"alone": Counter(), "from bricks": Counter()}
    for name, profile in MODULE_PROFILES.items():

        def from_bricks(seed: int, profile: ModuleProfile = profile) -> list[Module]:
            bricks = Bricks(RandomSource(seed), profile)
            return [bricks.module(RandomSource(seed * each + i)) for i in range(each)]

        alone, one = _timed(partial(draw_module, profile=profile), range(environments * each))
        built, many = _timed(from_bricks, range(environments))
        _print(f"{name}, alone", one, alone)
        assembled = [module for some in many for module in some]
        _print(f"{name}, from bricks", assembled, built / each)
        for way, modules in (("alone", one), ("from bricks", assembled)) if decisive else ():
            for resolution in map(resolve, modules):
                deciding[way].update(deciding_arms(resolution, analyse_wgsl(resolution)))
    known = set().union(*deciding.values())
    for way, arms in deciding.items() if decisive else ():
        total = environments * each * len(MODULE_PROFILES)
        mean = exp(sum(log((arms[arm] + 0.5) / total) for arm in known) / len(known))
        click.echo(f"{way}: {sum(map(bool, arms.values()))} of {len(known)} arms decide, geometric mean {mean:.5f}")
        click.echo(f"  never: {', '.join(sorted(known - arms.keys())) or 'none'}")


def _print(what: str, modules: list[Module], drawing: float) -> None:
    resolving, resolutions = _timed(resolve, modules)
    printing, texts = _timed(print_module, modules)
    analysing, answers = _timed(analyse_wgsl, resolutions)
    statements = sum(map(count_statements, modules)) / len(modules)
    accepted = sum(answer.verdict is Verdict.ACCEPTS for answer in answers) / len(modules)
    click.echo(
        f"{what:24} drawn {drawing:5.2f}, resolved {resolving:5.2f}, printed {printing:5.2f}, analysed {analysing:5.2f}"
        f" ms; {statements:.1f} statements, {accepted:.0%} accepted, {len(set(texts)) / len(texts):.1%} new"
    )


def _timed(work: Callable[[_T], _R], items: Sequence[_T]) -> tuple[float, list[_R]]:
    """Processor milliseconds an item, and the results."""
    begun = time.process_time()
    done = [work(item) for item in items]
    return 1000 * (time.process_time() - begun) / len(items), done


if __name__ == "__main__":
    main()
