"""Which rule set is closest to a target: from a known one, single departures are added or taken away while that helps.

    python benchmarks/closest.py --target tint@0.3.8 [--start wgsl-tint-0.6.2] [--modules 2500]

The target is asked about the pairs and the cases of the corpus, small shaders of each family, and drawn ones.
"""

import random
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wgsl_fuzz.fuzz.cases import pairs
from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.fuzz.cases.course import ShaderSequence
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import MIXED, Plan
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.oracle.rules.analyses import rules_named
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import answers_of
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.enumerate.families import ALL_FAMILIES
from wgsl_fuzz.wgsl.problems import WgslError

PART = 64
BEST = 3
"""So many of the best single steps are held against all texts."""

Said = list[tuple[Case, Verdict]]


@click.command()
@click.option("--target", "name", default="tint@0.3.8", show_default=True)
@click.option("--start", default="wgsl-tint-0.6.2", show_default=True, help="The rule set to begin with.")
@click.option("--modules", type=int, default=2500, show_default=True, help="Of each family, and drawn.")
@click.option("--seed", type=int, default=77, show_default=True)
def main(name: str, start: str, modules: int, seed: int) -> None:
    """Print each step, and the first texts on which the closest rule set still differs."""
    said = answers(name, sorted({*texts(modules, seed)}))
    rules = rules_named(start) or Rules()
    wrong = differing(said, rules)
    click.echo(f"{len(said)} texts; {len(wrong)} disagreements with {start}")
    while wrong and (better := step(said, wrong, rules)) is not None:
        change, wrong = better
        rules = Rules(rules ^ DEPARTURES[change].rules)
        click.echo(f"{len(wrong):6} {'with' if change in rules.names else 'without'} {change}")
    for case, verdict in wrong[:5]:
        click.echo(f"\n{name} {verdict.value}:\n{case.text}")


def texts(modules: int, seed: int) -> Iterator[str]:
    """What the target is asked about."""
    for pair in pairs.load():
        yield from (pair.accepted, pair.rejected)
    yield from (case.text for case in load_cases())
    source = random.Random(seed)
    for family in ALL_FAMILIES.values():
        course = ShaderSequence([family], 3 if family.of_size(2).count < 10**6 else 1)
        for index in source.sample(range(course.count), min(modules, course.count)):
            yield course.case(index).text
    generator = CampaignGenerator(Plan(seed, language=MIXED))
    yield from (generator.case(index).text for index in range(modules))


def answers(name: str, asked: list[str]) -> Said:
    """What the target says of those that both it and the reference judge."""
    target = open_target(name, notify=lambda line: click.echo(line, err=True), timeout=60)
    found: Said = []
    for first in range(0, len(asked), PART):
        part = asked[first : first + PART]
        for text, answer in zip(part, answers_of(target, part), strict=True):
            with suppress(WgslError):
                if answer.verdict in (Verdict.ACCEPTS, Verdict.REJECTS):
                    found.append((read_module(text), answer.verdict))
    target.close()
    return found


def differing(said: Said, rules: Rules) -> Said:
    """Those of which the rules say otherwise."""
    return [(case, verdict) for case, verdict in said if case.verdict_under(rules) is not verdict]


def step(said: Said, wrong: Said, rules: Rules) -> tuple[str, Said] | None:
    """The departure to add or to take away, and what is then wrong; None if no single one helps."""
    names = [name for name in DEPARTURES if not name.startswith("webkit/")]
    left = sorted((len(differing(wrong, Rules(rules ^ DEPARTURES[name].rules))), name) for name in names)
    tried = [(name, differing(said, Rules(rules ^ DEPARTURES[name].rules))) for _, name in left[:BEST]]
    best = min(tried, key=lambda one: len(one[1]))
    return best if len(best[1]) < len(wrong) else None


if __name__ == "__main__":
    main()
