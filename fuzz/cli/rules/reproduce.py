"""The command `reproduce`: what the papers and our pages claim, and what measures it again."""

import os
import platform
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import click

from wgsl_fuzz.fuzz import today
from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign
from wgsl_fuzz.fuzz.cases.case import Case, read_case
from wgsl_fuzz.fuzz.cases.course import ShaderSequence
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import MIXED, TINY, Plan
from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.fuzz.findings.stats import soundness_of
from wgsl_fuzz.fuzz.judging.kinds import Kind
from wgsl_fuzz.fuzz.output import notice
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.dynamics.semantics import NOTIONS
from wgsl_fuzz.oracle.rules.uniformity.coverage import ArmCoverage
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES
from wgsl_fuzz.oracle.rules.uniformity.variants.history import FIGURES
from wgsl_fuzz.oracle.simt_step.litmus import LITMUS, run
from wgsl_fuzz.oracle.simt_step.rules import MODELS
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies import GENERATOR_VERSION
from wgsl_fuzz.strategies.enumerate.families import ALL_FAMILIES

Numbers = Mapping[str, float]
Measure = Callable[[int], Numbers]
SEED = 1


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence, and a function that measures what it says."""

    name: str
    source: str
    measure: Measure
    """From a size to the numbers found, by label; its documentation is the sentence."""
    size: int
    """How many shaders, or up to how many statements, the numbers on our pages are of."""
    quick: int
    """The size that takes seconds."""
    bounds: Mapping[str, tuple[float, float]]
    """The least and the most that a number may be."""

    @property
    def says(self) -> str:
        """The sentence."""
        return self.measure.__doc__ or ""

    @property
    def expected(self) -> str:
        """The bounds in words: `diverging = 0, seconds <= 86,400`."""
        return ", ".join(f"{label} {_bound(*bounds)}" for label, bounds in self.bounds.items())


def _bound(least: float, most: float) -> str:
    if least == most:
        return f"= {most:,}"
    return f"<= {most:,}" if most < inf else f">= {least:,}"


def measured(claim: Claim, *, quick: bool) -> dict[str, Any]:
    """Measures what a claim says: its row of JSON. Raises TargetError if a compiler that it needs is missing."""
    size, begun = claim.quick if quick else claim.size, time.monotonic()
    numbers = claim.measure(size)
    return {
        "claim": claim.name,
        "source": claim.source,
        "size": size,
        "expected": claim.expected,
        "measured": dict(numbers),
        "holds": all(least <= numbers[label] <= most for label, (least, most) in claim.bounds.items()),
        "seconds": round(time.monotonic() - begun, 1),
    }


def circumstances() -> Mapping[str, object]:
    """What numbers depend on beside the project: generator, date, machine."""
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return {"generator": GENERATOR_VERSION, "seed": SEED, "date": today(), "machine": machine}


# --------------------------------------------------------------------------------------------------------- the claims

CLAIMS: list[Claim] = []
_NONE = (0, 0)
_PROVEN = dict.fromkeys(("diverging", "sampled", "out of steps", "not run", "differences"), _NONE)


def _claim(
    name: str, source: str, size: int, quick: int, bounds: Mapping[str, tuple[float, float]]
) -> Callable[[Measure], Measure]:
    """Makes a claim of a function that measures it."""

    def claimed(measure: Measure) -> Measure:
        CLAIMS.append(Claim(name, source, measure, size, quick, bounds))
        return measure

    return claimed


@_claim("soundness", "the paper, Theorem 4.1", 3, 2, _PROVEN)
def _shared_memory(statements: int) -> Numbers:
    """Every accepted shader with shared memory of so many statements converges."""
    return _all_shaders("shared-memory", statements)


@_claim("soundness-of-loops", "the paper, Theorem 4.1", 4, 2, _PROVEN)
def _loops(statements: int) -> Numbers:
    """Every accepted shader of one loop of so many statements converges."""
    return _all_shaders("single-loop", statements)


def _all_shaders(family: str, statements: int) -> Numbers:
    """Explores every accepted shader of a family of `enumerate`, up to so many statements."""
    shaders = ShaderSequence([ALL_FAMILIES[family]], statements)
    with tempfile.TemporaryDirectory() as folder:
        work = Campaign([], RunDirectory(Path(folder) / "run"), plan=shaders.plan())
        done = work.run(Budget(programs=shaders.count))
    differences = done.findings[Kind.REFERENCE]
    return {"shaders": shaders.count, **soundness_of(done.reference, done.outcomes), "differences": differences}


def _drawn(count: int, language: str = TINY, require: str | None = None) -> Iterator[Case]:
    generator = CampaignGenerator(Plan(SEED, require, language=language))
    return (generator.case(index) for index in range(count))


@_claim("references", "docs/design.md", 20_000, 200, {"differences": _NONE})
def _references(count: int) -> Numbers:
    """Section 4.2 of the paper and section 15.2 of the specification agree on drawn shaders."""
    said = Counter((case.verdict, case.paper) for case in _drawn(count))
    lowered = {pair: n for pair, n in said.items() if pair[1] is not None}
    wrong = sum(n for (one, other), n in lowered.items() if one is not other)
    return {"shaders": count, "with a core": sum(lowered.values()), "differences": wrong}


@_claim("figures", "the paper, Fig. 10", 4, 4, {"decided": (4, 4)})
def _figures(_: int) -> Numbers:
    """Each of the four changes of section 5 decides its own figure."""
    texts = {figure: (corpus_folder() / f"fig-{figure}" / "shader.wgsl").read_text("utf-8") for figure in FIGURES}
    cases = {figure: read_case(text) for figure, text in texts.items()}
    decided = [c.verdict is not c.verdict_under(DEPARTURES[FIGURES[f]].rules) for f, c in cases.items()]
    return {"figures": len(decided), "decided": sum(decided)}


@_claim("campaign", "the paper, section 6", 7_484, 100, {"seconds": (0, 24 * 3600)})
def _campaign(count: int) -> Numbers:
    """7,484 shaders, 2,383 of them uniform, take 24 hours on 8 threads; none shows a discrepancy with Tint 10cbb7e."""
    with tempfile.TemporaryDirectory() as folder, closing(open_target("tint")) as target:
        plan = Plan(SEED, language=TINY)
        done = Campaign([target], RunDirectory(Path(folder) / "run"), plan=plan).run(Budget(programs=count))
    uniform, findings = done.reference[Verdict.ACCEPTS], sum(done.findings.values())
    return {"shaders": done.programs, "uniform": uniform, "seconds": done.seconds, "discrepancies": findings}


@_claim("precision", "docs/for-researchers.md", 2_000, 100, {"open %": (0, 20)})
def _precision(count: int) -> Numbers:
    """The semantics decides whether a rejected shader diverges or was rejected needlessly."""
    accepted, outcomes = 0, Counter[Outcome | None]()
    for case in _drawn(count):
        accepted += case.verdict is Verdict.ACCEPTS
        if case.verdict is Verdict.REJECTS:
            case.execute()
            outcomes[case.outcome] += 1
    diverging, proven = outcomes[Outcome.DIVERGES], outcomes[Outcome.CONVERGES]
    rejected = sum(outcomes.values())
    shares = {"diverging %": diverging, "needlessly rejected %": proven, "open %": rejected - diverging - proven}
    return {"accepted %": 100 * accepted / count} | {word: 100 * n / max(1, rejected) for word, n in shares.items()}


_HELD = {"out of order": _NONE, "diverging by control-stacks": (1, inf)}


@_claim("notions", "docs/convergence.md", 1_000, 80, _HELD)
def _notions(count: int) -> Numbers:
    """What converges by one notion of convergence converges by the wider ones."""
    diverging, wider = Counter[str](), 0
    for case in _drawn(count, require="non-uniform"):
        found = [replace(case, notion=notion, thorough=True) for notion in NOTIONS.values()]
        outcomes = [one.execute().outcome for one in found]
        diverging.update(name for name, outcome in zip(NOTIONS, outcomes, strict=True) if outcome is Outcome.DIVERGES)
        wider += any((one, other) == (Outcome.CONVERGES, Outcome.DIVERGES) for one, other in pairwise(outcomes))
    return {"shaders": count, **{f"diverging by {name}": diverging[name] for name in NOTIONS}, "out of order": wider}


@_claim("power", "docs/for-researchers.md", 2_000, 50, {"decided": (200, inf)})
def _power(count: int) -> Numbers:
    """Nearly every branch of section 15.2 decides one of so many modules: breaking it changes the verdict."""
    covered = ArmCoverage().extend(case.resolution for case in _drawn(count, MIXED))
    rows = covered.rows()
    return {"shaders": count, "branches": len(rows), "decided": sum(bool(n) for _, n in rows)}


@_claim("litmus", "docs/simt-step.md", len(LITMUS), 2, {"unlike the paper": _NONE})
def _litmus(tests: int) -> Numbers:
    """The models of SIMT-Step allow what its Table 4 and figures say."""
    results = [run(test, model) for test in [*LITMUS.values()][:tests] for model in MODELS]
    return {"rows": len(results), "unlike the paper": sum(not result.as_expected for result in results)}


@_claim("rate", "the paper, section 6", 2_000, 100, {"a second on one core": (0.087, inf)})
def _rate(count: int) -> Numbers:
    """Drawing and judging is faster than by Alloy, which took 8 threads for 0.087 shaders a second."""
    begun = time.process_time()
    for case in _drawn(count):
        _ = case.verdict
    return {"shaders": count, "a second on one core": count / (time.process_time() - begun)}


ALL = "all"


@click.command()
@click.argument("names", nargs=-1, metavar="[CLAIM]...")
@click.option("--quick", is_flag=True, help="Sizes that take seconds, not those of the pages.")
@o.format_option("text", "json")
@click.pass_context
def reproduce(context: click.Context, names: tuple[str, ...], quick: bool, form: str) -> None:
    """Measure again what the papers and our pages claim.

    Without CLAIM: a list of the claims, and nothing is measured. `all` measures every one. A size is how many shaders
    are drawn, or up to how many statements all shaders are gone through. Measured numbers say whether accepted shaders
    are proven to converge, were only sampled, or took too many steps.

    Exit status: 0 every claim holds, 1 some does not, 2 the request or the set-up is at fault.
    """
    known = {claim.name: claim for claim in CLAIMS}
    for name in names:
        if name not in known and name != ALL:
            raise Problem(f"there is no claim {name!r}; there are {', '.join(known)}, and {ALL}")
    if not names:
        o.hand_over(_list(CLAIMS, form))
        return
    wanted = CLAIMS if ALL in names else [known[name] for name in dict.fromkeys(names)]
    done: list[tuple[Claim, dict[str, Any]]] = []
    for claim in wanted:
        notice(f"{claim.name}: {claim.says}")
        try:
            done.append((claim, measured(claim, quick=quick)))
        except TargetError as error:
            raise Problem(f"{claim.name}: {error}") from error
    o.hand_over(_written(done, form, circumstances()))
    context.exit(int(not all(row["holds"] for _, row in done)))


def _list(claims: Sequence[Claim], form: str) -> str:
    if form == "text":
        return "".join(f"{one.name}, size {one.size:,} ({one.source})\n  {one.says}\n" for one in claims)
    rows = [
        {"claim": one.name, "size": f"{one.size:,}", "expected": one.expected, "source": one.source, "says": one.says}
        for one in claims
    ]
    return o.as_json(rows)


def _written(done: Sequence[tuple[Claim, dict[str, Any]]], form: str, circumstances: Mapping[str, object]) -> str:
    """The results, and what they depend on."""
    if form == "json":
        return o.as_json({**circumstances, "claims": [row for _, row in done]})
    told = ", ".join(f"{word} {value}" for word, value in circumstances.items())
    return "\n".join(line for one in done for line in _block(*one)) + f"\n{told}\n"


def _block(claim: Claim, row: Mapping[str, Any]) -> Sequence[str]:
    result = "holds" if row["holds"] else "DOES NOT HOLD"
    head = f"{claim.name}, size {row['size']:,}: {result} ({claim.source}; {row['seconds']:.1f} s)"
    numbers = (f"{label} {n:,.0f}" if n == int(n) else f"{label} {n:,.1f}" for label, n in row["measured"].items())
    return head, f"  {claim.says}", f"  expected: {claim.expected}", f"  measured: {', '.join(numbers)}", ""
