"""How well buckets tell causes apart: planted mutants, what each becomes, and who shares a bucket with whom.

    python benchmarks/buckets.py [--shaders 2500] [--findings 10] [--mixtures 200]
    python benchmarks/buckets.py --rarity fuzz/judging/rarity.json
        writes the table that `fuzz.judging.buckets.surprise` reads
    python benchmarks/buckets.py --rarity fuzz/judging/rarity_modules.json --language mixed
        writes the one of the arms of the rules for the whole language

Each mutant of `oracle.rules.variants` plays a target; its findings are judged, reduced and bucketed as a campaign does,
without the target's name. "Held out": the mutant is not among the branches that may explain its findings, as a real
fault is likely not to be; double mutants never are. Two mutants are related if they break one line of the rules, or
give different verdicts from the paper on mostly the same shaders: no shader then tells them apart.
"""

import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations, count, islice
from pathlib import Path

import click
import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.quality.paper_mutants import DOUBLE, KILLABLE, VARIANTS, deciding
from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.languages import PlanDrawer
from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.cases.plan import LANGUAGES, TINY, Plan
from wgsl_fuzz.fuzz.judging.buckets import common_causes, explaining, fine_key
from wgsl_fuzz.fuzz.judging.certainty import fit_of
from wgsl_fuzz.fuzz.judging.judge import Disagreement, Fit, Kind, cause_of, rules_of
from wgsl_fuzz.fuzz.reduction.search import reduce
from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.coverage import ArmCoverage, arms
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.raising import raised
from wgsl_fuzz.wgsl.reading import parse

RELATED = 0.5
"""Of the shaders on which either of two mutants differs from the paper, the share on which both do."""
FEWEST = 5
"""Mutants with fewer findings are left out."""


@dataclass(frozen=True)
class Planted:
    """One finding of a mutant."""

    mutant: str
    found: Disagreement
    reduced: Shader
    explained: frozenset[str]
    fit: Fit

    @property
    def fine(self) -> str:
        """Its fine key."""
        return str(fine_key(self.reduced, self.found))


Buckets = dict[str, list[str]]
"""The buckets of each mutant's findings."""

ELSEWHERE = 1_000_000
"""The first seed of the planted findings: the table of rarities counts other shaders."""


@click.command()
@click.option("--shaders", type=int, default=2500, show_default=True, help="Drawn, to find what kills a mutant.")
@click.option("--findings", type=int, default=10, show_default=True, help="Of each mutant, at most.")
@click.option("--mixtures", type=int, default=200, show_default=True, help="Targets with two unrelated faults.")
@click.option("--rarity", type=click.Path(path_type=Path), help="Only write how often each branch decides, as JSON.")
@click.option("--language", type=click.Choice(LANGUAGES), default=TINY, help="What --rarity counts in.")
def main(shaders: int, findings: int, mixtures: int, rarity: Path | None, language: str) -> None:
    """Print the confusion tables."""
    if rarity is not None:
        (_write_rarity if language == TINY else partial(_write_rarity_of_modules, language))(rarity, shaders)
        return
    begun = time.perf_counter()
    kills = _kills(shaders)
    planted = {
        m.name: [_planted(m, seed) for seed in sorted(kills[m.name])[:findings]]
        for m in (*KILLABLE, *DOUBLE)
        if len(kills[m.name]) >= FEWEST
    }
    click.echo(f"{len(planted)} mutants, {sum(map(len, planted.values()))} findings\n")

    def by(bucket: Callable[[Planted], str]) -> Buckets:
        return {m: [bucket(p) for p in rows] for m, rows in planted.items()}

    common = {m: _common(rows) for m, rows in planted.items()}
    click.echo("                          in one   buckets   largest  unrelated   mutants with an")
    click.echo("                          bucket  a mutant     share      pairs   unrelated one in theirs")
    _row("raw key", by(lambda p: str(p.found.key)), kills)
    _row("fine key (path, constructs)", by(lambda p: p.fine), kills)
    _row("all deciding branches", by(lambda p: f"{p.found.kind} {sorted(deciding(p.reduced))}"), kills)
    _row("common cause", common, kills)
    _row("common cause, held out", {m: _common(rows, {m}) for m, rows in planted.items()}, kills)
    _mixed(planted, kills, mixtures)
    click.echo("\nconfusion: bucket <- mutants (findings)")
    _confusion(common)
    click.echo(f"{time.perf_counter() - begun:.1f} s")


def _kills(shaders: int) -> dict[str, set[int]]:
    """The seeds whose shaders tell each mutant from the paper."""
    kills: dict[str, set[int]] = defaultdict(set)
    for seed in range(ELSEWHERE, ELSEWHERE + shaders):
        shader = draw_shader(seed)
        verdict = analyse(shader).verdict
        doubles = [m.name for m in DOUBLE if analyse(shader, m.rules).verdict is not verdict]
        for name in [*deciding(shader, verdict), *doubles]:
            kills[name].add(seed)
    return kills


def _reduced(shader: Shader, shows: Callable[[Shader], bool]) -> Shader:
    """The smallest shader of TinyWGSL reached of which something holds, as it must of the one given."""
    reduction = reduce(raised(shader), lambda tree: (core := core_of(tree).shader) is not None and shows(core))
    return core_of(reduction.resolution).shader or shader


def _planted(mutant: Variant, seed: int) -> Planted:
    """What a campaign makes of a mutant's finding; lenient verdicts are not executed."""
    drawn, rules_of_target = draw_shader(seed), mutant.rules
    verdict = analyse(drawn).verdict
    answer = Answer(analyse(drawn, rules_of_target).verdict, "error: not uniform")
    kind = Kind.TOO_STRICT if verdict is Verdict.ACCEPTS else Kind.TOO_LENIENT
    cause = cause_of(drawn, verdict, kind, answer, implemented=True)
    rules = rules_of(cause)

    def shows_it(shader: Shader) -> bool:
        if analyse(shader).verdict is not verdict or analyse(shader, rules_of_target).verdict is not answer.verdict:
            return False
        if rules is not None and analyse(shader, rules).verdict is not answer.verdict:
            return False
        return cause_of(shader, verdict, kind, answer, implemented=True) == cause

    reduced, found = _reduced(drawn, shows_it), Disagreement("target", kind, answer, cause)
    branches = explaining(drawn, reduced)

    def ask(text: str) -> Answer:
        return Answer(analyse(parse(text), rules_of_target).verdict)

    return Planted(mutant.name, found, reduced, branches, fit_of(Case(reduced), found, branches, ask))


def _common(rows: list[Planted], held_out: set[str] | None = None) -> list[str]:
    causes = common_causes([p.explained - (held_out or set()) for p in rows], [p.fit.names for p in rows])
    return [cause or p.fine for cause, p in zip(causes, rows, strict=True)]


def _line(mutant: str) -> str:
    return VARIANTS[mutant].place


def _related(one: str, other: str, kills: dict[str, set[int]]) -> bool:
    return _line(one) == _line(other) or _overlap(kills[one], kills[other]) >= RELATED


def _overlap(one: set[int], other: set[int]) -> float:
    return len(one & other) / len(one | other)


def _row(name: str, buckets: Buckets, kills: dict[str, set[int]]) -> None:
    shares = [Counter(keys).most_common(1)[0][1] / len(keys) for keys in buckets.values()]
    unrelated = [(a, b) for a, b in combinations(buckets, 2) if not _related(a, b, kills)]
    sharing = [pair for pair in unrelated if set(buckets[pair[0]]) & set(buckets[pair[1]])]
    single = sum(len(set(keys)) == 1 for keys in buckets.values())
    each = sum(len(set(keys)) for keys in buckets.values()) / len(buckets)
    touched = len({m for pair in sharing for m in pair})
    click.echo(
        f"{name:27}  {single:3}     {each:5.2f}    {sum(shares) / len(shares):6.1%}     "
        f"{len(sharing) / len(unrelated):6.2%}   {touched} of {len(buckets)}"
    )


def _mixed(planted: dict[str, list[Planted]], kills: dict[str, set[int]], mixtures: int) -> None:
    """Targets with two faults: how pure the buckets are."""
    source = random.Random(1)
    pairs = [(a, b) for a, b in combinations(planted, 2) if _line(a) != _line(b) and _overlap(kills[a], kills[b]) < 0.2]
    for words, out in (("", False), (", held out", True)):
        pure = total = two = 0
        for a, b in source.sample(pairs, min(mixtures, len(pairs))):
            rows = planted[a] + planted[b]
            by_bucket: dict[str, Counter[str]] = defaultdict(Counter)
            for p, bucket in zip(rows, _common(rows, {a, b} if out else None), strict=True):
                by_bucket[bucket][p.mutant] += 1
            pure += sum(max(counts.values()) for counts in by_bucket.values())
            total += len(rows)
            two += len(by_bucket) == 2
        click.echo(
            f"two faults in one target{words}: {pure / total:.1%} of the findings are in a bucket of mostly their "
            f"own; exactly two buckets: {two} of {min(mixtures, len(pairs))}"
        )


def _confusion(buckets: Buckets) -> None:
    by_bucket: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant, keys in buckets.items():
        for key in keys:
            by_bucket[key][mutant] += 1
    for bucket, mutants in sorted(by_bucket.items()):
        click.echo(f"  {bucket} <- " + ", ".join(f"{m} ({n})" for m, n in mutants.most_common()))


def _write_rarity(path: Path, shaders: int) -> None:
    decided = Counter(name for seed in range(10**6, 10**6 + shaders) for name in deciding(draw_shader(seed)))
    table = {"shaders": shaders, "decided": {m.name: decided[m.name] for m in KILLABLE}}
    path.write_bytes(orjson.dumps(table, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _write_rarity_of_modules(language: str, path: Path, modules: int) -> None:
    drawer = PlanDrawer(Plan(10**6, language=language))
    cases = (drawer.case(index) for index in count())
    drawn = islice((case.resolution for case in cases if isinstance(case, ModuleCase)), modules)
    decided = ArmCoverage().extend(drawn).decided
    table = {"shaders": modules, "decided": {arm.name: decided[arm.name] for arm in arms()}}
    path.write_bytes(orjson.dumps(table, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


if __name__ == "__main__":
    main()
