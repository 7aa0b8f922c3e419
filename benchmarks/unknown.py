"""Bugs that nobody knows yet, planted: is each told apart from those that are known, and is it one bucket?

    python benchmarks/unknown.py [--arms 100] [--half hidden] [--shaders 3000] [--seed 11]

A target is Tint 0.6.2 as we know it (`rules:wgsl-tint-0.6.2`) with one more fault: a variant of the rules that acts in
one context only (`oracle/rules/uniformity/contexts.py`). Each is a campaign with `like = "tint@0.6.2"`, then `triage`.
A finding is the variant's if the rules without it answer otherwise on the shader as drawn, or on the other one of a
pair. Wanted: one new bucket of all that the variant caused and of nothing else; and nothing that it caused under a
known bug. The findings of two are then put into buckets together, as of one target with two bugs: no bucket may hold
both. Of the hidden half no name is printed.
"""

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from functools import cache, partial
from itertools import combinations
from multiprocessing.pool import ThreadPool
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.power import cases_of, over_parts
from tests.quality.contexts import alive, digest, is_hidden
from wgsl_fuzz.fuzz.cases.plan import MIXED, Plan
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.findings.records import DRAWN, RELATED
from wgsl_fuzz.fuzz.triage.triage import Bucket, Triage, grouped
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis, analyse_module
from wgsl_fuzz.oracle.rules.uniformity.contexts import (
    Where,
    confinable_arms,
    confined,
    deciding_in_contexts,
)
from wgsl_fuzz.oracle.rules.uniformity.places import Places, arm_of, context_of, name_of
from wgsl_fuzz.oracle.rules.uniformity.revisions import WGSL_RULE_SETS, judge_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve

ROOT = Path(__file__).resolve().parents[1]
BASE, LIKE = "wgsl-tint-0.6.2", "tint@0.6.2"
PAIRS = 300
SERVE = "--serve"
"""With a name behind it: answer lines of texts, as a compiler with that planted."""
DESCRIPTION = """
name = "planted"
mode = "lines"
like = {like}
command = {command}
rejects = {{ output = "non-uniform" }}
"""


# ---------------------------------------------------------------------------------------------------------- the target


@cache
def _planted(arm: str, context: str) -> tuple[Where, type[ScopeAnalysis]]:
    where = Where(context)
    return where, confined(confinable_arms()[arm].variant, where, WGSL_RULE_SETS[BASE])


def verdict_of(name: str, resolution: Resolution) -> Verdict:
    """What the target says of a module that shares no node between two places. Raises WgslError."""
    where, analysis = _planted(arm_of(name), context_of(name))
    where.places, where.here = Places(resolution), None
    for function in resolution.functions:
        analysis.behaviour_analysis().check(function)
    return analyse_module(resolution, analysis).verdict


def serve(name: str) -> None:
    """Answers lines of texts (`oracle/targets/children/python_child.py`), as a target by description."""

    def message(text: str) -> str | None:
        try:
            said = verdict_of(name, resolve(parse(text)))
        except WgslError as problem:
            return f"error: {problem.message}"
        return None if said is Verdict.ACCEPTS else "error: non-uniform"

    _say({"ready": {}})
    answered = 0
    for line in sys.stdin:
        answers = [message(text) for text in json.loads(line)]
        _say({"n": answered, "answers": answers})
        answered += len(answers)


def _say(value: object) -> None:
    print("\x1e" + json.dumps(value), flush=True)


def is_of(name: str, text: str) -> bool:
    """Whether what is planted decides the target's answer on a text."""
    resolution = resolve(parse(text))
    try:
        return verdict_of(name, resolution) is not judge_wgsl(resolution, WGSL_RULE_SETS[BASE]).verdict
    except WgslError:
        return True


# ------------------------------------------------------------------------------------------------------------ measured


class Outcome(NamedTuple):
    """What became of one planted bug."""

    name: str
    findings: tuple[Finding, ...]
    """Those saved that it caused."""
    buckets: tuple[str, ...]
    """The new ones that have some."""
    strangers: int
    """Saved findings in these that it did not cause."""
    known: int
    """Of its findings those that are under a known bug."""


@click.command()
@click.option("--arms", type=click.IntRange(min=1), default=100, show_default=True, help="How many, drawn at random.")
@click.option("--half", type=click.Choice(["hidden", "open"]), default="hidden", show_default=True)
@click.option("--shaders", type=click.IntRange(min=1), default=3000, show_default=True, help="Of each campaign.")
@click.option("--seed", type=int, default=11, show_default=True, help="Of the choice and of the campaigns.")
@click.option("--workers", type=click.IntRange(min=1), default=2, show_default=True)
@click.option("--runs", type=click.Path(path_type=Path), help="Keep the runs here.  [default: dropped]")
def main(arms: int, half: str, shaders: int, seed: int, workers: int, runs: Path | None) -> None:
    """Print how many became one bucket."""
    halves = sorted(one for one in alive() if is_hidden(one) is (half == "hidden"))
    chosen = frozenset(random.Random(seed).sample(halves, min(arms, len(halves))))
    parts = [range(i, shaders, workers) for i in range(workers)]
    names = sorted(set().union(*over_parts(partial(_names, Plan(seed, language=MIXED), chosen), parts)))
    click.echo(f"{len(names)} of {arms} decide one of {shaders} shaders")
    with tempfile.TemporaryDirectory() as folder, ThreadPool(workers) as pool:
        place = (runs or Path(folder)).resolve()
        place.mkdir(parents=True, exist_ok=True)
        campaign = partial(_outcome, place, shaders, seed)
        outcomes: list[Outcome] = []
        for outcome in pool.imap_unordered(campaign, names):
            outcomes.append(outcome)
            if half == "open":
                name, findings, *more = outcome
                click.echo("  ".join(map(str, (name, len(findings), *more))))
        _print(outcomes)
        _print_pairs(outcomes, random.Random(seed))


def _names(plan: Plan, chosen: frozenset[str], places: range) -> set[str]:
    """The chosen variants that decide a shader at these places."""
    names: dict[str, str] = {}

    def is_wanted(arm: str, context: str) -> bool:
        one = digest(name_of(arm, context))
        return one in chosen and one not in names

    for case in cases_of(plan, places):
        names |= {digest(name_of(*name)): name_of(*name) for name in deciding_in_contexts(case.text, is_wanted)}
    return set(names.values())


def _outcome(folder: Path, shaders: int, seed: int, name: str) -> Outcome:
    run = folder / f"{digest(name)}-{shaders}-{seed}"
    if not run.exists():
        begun = folder / f"{run.name}.part"
        rmtree(begun, ignore_errors=True)
        description = folder / f"{digest(name)}.toml"
        words = [sys.executable, str(Path(__file__).resolve()), SERVE, name]
        description.write_text(DESCRIPTION.format(like=json.dumps(LIKE), command=json.dumps(words)), "utf-8")
        budget = ["--programs", str(shaders), "--seed", str(seed), "--jobs", "1", "--no-corpus", "--quiet"]
        command = [sys.executable, "-m", "wgsl_fuzz", "--target", str(description), *budget, "--out", str(begun)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise click.ClickException(done.stderr)
        begun.rename(run)
    triage = Triage.of(load_run(run))
    texts = {f.folder: (f.files.get(DRAWN), f.files.get(RELATED)) for b in triage.buckets for f in b.findings}
    its = [f for b in triage.buckets for f in b.findings if any(is_of(name, text) for text in texts[f.folder] if text)]
    folders = {one.folder for one in its}

    def counts(bucket: Bucket) -> tuple[int, int]:
        own = sum(one.folder in folders for one in bucket.findings)
        return own, len(bucket.findings) - own

    held: Mapping[str, tuple[int, int]] = {b.name: counts(b) for b in triage.buckets}
    new = tuple(b.name for b in triage.new if held[b.name][0] or not b.findings)
    known = sum(held[b.name][0] for b in triage.met_again)
    return Outcome(name, tuple(its), new, sum(held[bucket][1] for bucket in new), known)


def _print(outcomes: list[Outcome]) -> None:
    by_count = Counter(len(outcome.buckets) for outcome in outcomes)
    click.echo(f"new buckets: {', '.join(f'{n} for {by_count[n]}' for n in sorted(by_count))}")
    exact = sum(len(one.buckets) == 1 and not one.strangers and not one.known for one in outcomes)
    click.echo(f"exactly one, with all and only what was planted: {exact}")
    click.echo(f"with a finding under a known bug: {sum(bool(one.known) for one in outcomes)}")
    click.echo(f"with a finding that was not planted in a new bucket: {sum(bool(one.strangers) for one in outcomes)}")


def _print_pairs(outcomes: list[Outcome], source: random.Random) -> None:
    """Two planted bugs of different branches in one target: how many such share a bucket."""
    known = {one.name: one.findings for one in outcomes if one.findings}
    pairs = [(a, b) for a, b in combinations(sorted(known), 2) if arm_of(a) != arm_of(b)]
    chosen = source.sample(pairs, min(PAIRS, len(pairs)))
    shared = pure = total = 0
    for one, other in chosen:
        groups, _ = grouped([*known[one], *known[other]])
        folders = {f.folder for f in known[one]}
        held = [(sum(f.folder in folders for f in group), len(group)) for group in groups.values()]
        shared += any(0 < own < count for own, count in held)
        pure += sum(max(own, count - own) for own, count in held)
        total += sum(count for _, count in held)
    click.echo(f"two in one target: {shared} of {len(chosen)} share a bucket")
    click.echo(f"findings in a bucket of mostly their own: {pure / max(1, total):.1%}")


if __name__ == "__main__":
    if sys.argv[1:2] == [SERVE]:
        serve(sys.argv[2])
    else:
        main()
