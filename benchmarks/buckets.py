"""How well buckets tell causes apart: planted mutants, what each becomes, and who shares a bucket with whom.

    python benchmarks/buckets.py [--shaders 2500] [--findings 10] [--mixtures 200]

Each mutant of the paper's rules (`tests/quality/paper_mutants`) plays a target; its findings are judged, reduced and
bucketed as a campaign does, by the rules for all WGSL. A fault need not be one of the single changes of these rules
that may explain it. Two mutants are related if they break one line of the rules, or give different verdicts from the
paper on mostly the same shaders: no shader then tells them apart.
"""

import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.power import deciding_of
from tests.quality.paper_mutants import DOUBLE, KILLABLE, VARIANTS
from wgsl_fuzz.fuzz.campaign.recorder import drawn_record
from wgsl_fuzz.fuzz.campaign.reduce_finding import RIGHT
from wgsl_fuzz.fuzz.cases.case import Case, drawn_case, read_module, tiny_case
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import DRAWN, REDUCED, ShaderOrigin
from wgsl_fuzz.fuzz.judging import judge, kinds
from wgsl_fuzz.fuzz.judging.buckets import explaining, what_is_left
from wgsl_fuzz.fuzz.judging.certainty import fit_of
from wgsl_fuzz.fuzz.reduction.search import reduce
from wgsl_fuzz.fuzz.triage.triage import grouped
from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.rule_set import Rules, Variant
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.wgsl.resolution import Resolution

RELATED = 0.5
"""Of the shaders on which either of two mutants differs from the paper, the share on which both do."""
FEWEST = 5
"""Mutants with fewer findings are left out."""
TARGET = "mutant"


Buckets = dict[str, list[str]]
"""The buckets of each mutant's findings."""


@click.command()
@click.option("--shaders", type=int, default=2500, show_default=True, help="Drawn, to find what kills a mutant.")
@click.option("--findings", type=int, default=10, show_default=True, help="Of each mutant, at most.")
@click.option("--mixtures", type=int, default=200, show_default=True, help="Targets with two unrelated faults.")
def main(shaders: int, findings: int, mixtures: int) -> None:
    """Print the confusion tables."""
    begun = time.perf_counter()
    drawn = [tiny_case(draw_shader(seed)) for seed in range(shaders)]
    kills = _kills(drawn)
    planted = {
        m.name: [_planted(m, seed, drawn) for seed in sorted(kills[m.name])[:findings]]
        for m in (*KILLABLE, *DOUBLE)
        if len(kills[m.name]) >= FEWEST
    }
    click.echo(f"{len(planted)} mutants, {sum(map(len, planted.values()))} findings\n")

    def by(bucket: Callable[[Finding], str]) -> Buckets:
        return {m: [bucket(p) for p in rows] for m, rows in planted.items()}

    in_triage = {m: _in_buckets(rows) for m, rows in planted.items()}
    click.echo("                          in one   buckets   largest  unrelated   mutants with an")
    click.echo("                          bucket  a mutant     share      pairs   unrelated one in theirs")
    _row("raw key", by(lambda p: str(p.key)), kills)
    _row("fine key (constructs)", by(lambda p: str(p.fine)), kills)
    _row("all deciding branches", by(lambda p: f"{p.kind} {p.record.branches}"), kills)
    _row("bucket of `triage`", in_triage, kills)
    _mixed(planted, kills, mixtures)
    click.echo("\nconfusion: bucket <- mutants (findings)")
    _confusion(in_triage)
    click.echo(f"{time.perf_counter() - begun:.1f} s")


def _kills(drawn: Sequence[Case]) -> dict[str, set[int]]:
    """The seeds whose shaders tell each mutant from the paper."""
    kills: dict[str, set[int]] = defaultdict(set)
    for seed, case in enumerate(drawn):
        for name in deciding_of("paper", case):
            kills[name].add(seed)
    return kills


def _planted(mutant: Variant, seed: int, shaders: Sequence[Case]) -> Finding:
    """What a campaign with these `shaders` makes of a mutant's finding; lenient verdicts are not executed."""
    drawn = shaders[seed]
    said = _verdict(drawn.resolution, mutant.rules)
    assert said is not None, "it was drawn with a core"
    answer = Answer(said, "error: not uniform")
    kind = kinds.Kind.TOO_STRICT if drawn.verdict is Verdict.ACCEPTS else kinds.Kind.TOO_LENIENT
    cause = judge.cause_of(drawn, "", kind, answer)

    def shows_it(resolution: Resolution) -> bool:
        if _verdict(resolution, mutant.rules) is not answer.verdict:
            return False
        case = drawn_case(resolution)
        return case.verdict is drawn.verdict and judge.cause_of(case, "", kind, answer) == cause

    reduced = drawn_case(reduce(drawn.resolution, shows_it).resolution)
    found = kinds.Disagreement(TARGET, kind, answer, cause)
    branches = explaining(drawn, reduced, verdict=said)

    def ask(text: str) -> Answer:
        return Answer(_verdict(read_module(text).resolution, mutant.rules) or Verdict.UNSUPPORTED)

    right = (case for case in shaders[:RIGHT] if _verdict(case.resolution, mutant.rules) is case.verdict)
    record = replace(
        drawn_record(reduced, found, {}, {}, ShaderOrigin(index=seed), 0.0),
        describes=REDUCED,
        branches=tuple(sorted(branches)),
        fit=fit_of(reduced, found, branches, ask, right, reduced=True),
        left=tuple(what_is_left(reduced, found)),
    )
    texts = {DRAWN: drawn.text, REDUCED: reduced.text}
    return Finding(record, texts, folder=Path(mutant.name, str(seed)), cases={DRAWN: drawn, REDUCED: reduced})


def _verdict(resolution: Resolution, rules: Rules) -> Verdict | None:
    """The verdict of the paper's analysis under some rules; None without a core."""
    shader = core_of(resolution).shader
    return None if shader is None else analyse(shader, rules).verdict


def _in_buckets(rows: list[Finding]) -> list[str]:
    """The bucket of each finding, as `triage` has it, if these are all of a run."""
    groups, _ = grouped(rows)
    bucket = {one.folder: str(key) for key, findings in groups.items() for one in findings}
    return [bucket[one.folder] for one in rows]


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


def _mixed(planted: dict[str, list[Finding]], kills: dict[str, set[int]], mixtures: int) -> None:
    """Targets with two faults: how pure the buckets are."""
    source = random.Random(1)
    pairs = [(a, b) for a, b in combinations(planted, 2) if _line(a) != _line(b) and _overlap(kills[a], kills[b]) < 0.2]
    pure = total = two = 0
    for a, b in source.sample(pairs, min(mixtures, len(pairs))):
        rows = planted[a] + planted[b]
        by_bucket: dict[str, Counter[str]] = defaultdict(Counter)
        for p, bucket in zip(rows, _in_buckets(rows), strict=True):
            by_bucket[bucket][p.folder.parent.as_posix()] += 1
        pure += sum(max(counts.values()) for counts in by_bucket.values())
        total += len(rows)
        two += len(by_bucket) == 2
    click.echo(
        f"two faults in one target: {pure / total:.1%} of the findings are in a bucket of mostly their own; exactly "
        f"two buckets: {two} of {min(mixtures, len(pairs))}"
    )


def _confusion(buckets: Buckets) -> None:
    by_bucket: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant, keys in buckets.items():
        for key in keys:
            by_bucket[key][mutant] += 1
    for bucket, mutants in sorted(by_bucket.items()):
        click.echo(f"  {bucket} <- " + ", ".join(f"{m} ({n})" for m, n in mutants.most_common()))


if __name__ == "__main__":
    main()
