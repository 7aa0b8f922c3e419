"""The report page: a run's numbers and cards put into the template. One file, no network, works without scripts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wgsl_fuzz.fuzz.cases.plan import TINY
from wgsl_fuzz.fuzz.findings.directory import LIMIT, convergence_option
from wgsl_fuzz.fuzz.findings.loading import StoredRun
from wgsl_fuzz.fuzz.findings.records import RunRecord
from wgsl_fuzz.fuzz.findings.stats import ACCEPTED, read_stats, soundness_line, soundness_of
from wgsl_fuzz.fuzz.judging.answers import is_device
from wgsl_fuzz.fuzz.judging.kinds import BucketKey, Kind
from wgsl_fuzz.fuzz.present.pages import rendered
from wgsl_fuzz.fuzz.present.report.cards import Card, Command
from wgsl_fuzz.fuzz.present.report.plots import Plot, charts, clock
from wgsl_fuzz.fuzz.present.report.words import (
    ShownBucket,
    Totals,
    capital,
    groups_of,
    headline,
    named,
    on_twins,
    title,
    totals_of,
    worry,
)
from wgsl_fuzz.fuzz.present.triage_text import missing_lines
from wgsl_fuzz.fuzz.present.wording import written_date
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS
from wgsl_fuzz.oracle.verdict import Verdict

_ACCEPTS, _REJECTS = Verdict.ACCEPTS, Verdict.REJECTS


MatrixCell = tuple[int, bool]
"""How many shaders got these two verdicts, and whether that is a disagreement."""


@dataclass(frozen=True, slots=True)
class VerdictMatrix:
    """The reference's verdicts against a target's: rows accepts, rejects; columns accepts, rejects, neither."""

    target: str
    accepts: tuple[MatrixCell, MatrixCell, MatrixCell]
    rejects: tuple[MatrixCell, MatrixCell, MatrixCell]
    neither: str
    """Of what the last column consists; empty if it is empty."""

    @property
    def findings(self) -> int:
        """How many findings the table holds; the target's others are on transformed shaders, or about two verdicts."""
        return sum(shaders for shaders, differ in (*self.accepts, *self.rejects) if differ)


def matrices(record: RunRecord, on_twins: Mapping[BucketKey, int] | None = None) -> list[VerdictMatrix]:
    """A matrix for each target, from the marginal counts and the buckets of a run's record.

    `on_twins` has the findings, by raw key, on transformed shaders: the marginal counts are of the drawn ones alone.
    A target for which these do not fit together (a run killed between two writes) has no matrix.
    """
    buckets = record.keys
    buckets.subtract(on_twins or {})
    asked = {name: answers for name, answers in record.answers.items() if not is_device(name)}  # these run what is sure
    found = (_matrix(target, record.reference, answers, buckets) for target, answers in asked.items())
    return [matrix for matrix in found if matrix is not None]


def _matrix(
    target: str, reference: Mapping[Verdict, int], answers: Mapping[Verdict, int], buckets: Mapping[BucketKey, int]
) -> VerdictMatrix | None:
    own = [(key, n) for key, n in buckets.items() if key.target == target]
    lenient = sum(n for key, n in own if key.kind in (None, Kind.UNSOUND, Kind.TOO_LENIENT) or _spelled(key, _ACCEPTS))
    strict = sum(n for key, n in own if key.kind is Kind.TOO_STRICT or _spelled(key, _REJECTS))
    accepted = answers.get(_ACCEPTS, 0) - lenient
    rejected = answers.get(_REJECTS, 0) - strict
    rows = (accepted, strict), (lenient, rejected)
    totals = reference.get(_ACCEPTS, 0), reference.get(_REJECTS, 0)
    rest = [total - sum(row) for total, row in zip(totals, rows)]
    if min(*rows[0], *rows[1], *rest) < 0:
        return None
    others = [f"{n:,} {said.value}" for said, n in answers.items() if n and said not in (_ACCEPTS, _REJECTS)]
    unasked = sum(totals) - sum(answers.values())  # of a target that takes a sample
    wrong = bool(others)
    return VerdictMatrix(
        target,
        ((accepted, False), (strict, strict > 0), (rest[0], wrong and rest[0] > 0)),
        ((lenient, lenient > 0), (rejected, False), (rest[1], wrong and rest[1] > 0)),
        ", ".join([*others, *([f"{unasked:,} not asked"] if unasked > 0 else [])]),
    )


def _spelled(key: BucketKey, verdict: Verdict) -> bool:
    """Whether the verdict differs from the reference's as the shader was spelled only."""
    return key.kind is Kind.UNSTABLE and key.cause.drawn is verdict and key.cause.compares_spellings


CARDS = 24
"""Buckets that get a card; of more the less severe are a line each, lest the page grow too large to load."""


@dataclass(frozen=True, slots=True)
class Page:
    """All that the template shows."""

    run: StoredRun
    worry: tuple[str, str]
    headline: list[str]
    cards: list[Card]
    lines: list[ShownBucket]
    """The buckets without a card."""
    totals: Totals
    matrices: list[VerdictMatrix]
    missing: list[str]
    """What an earlier run found and this one did not, in words."""
    plots: list[Plot]

    @property
    def drawn(self) -> str:
        """`profile default` or `language mixed`: which kind of shaders was drawn."""
        option, value = _drawn(self.record)
        return f"{option.removeprefix('--')} {value}"

    @property
    def record(self) -> RunRecord:
        """The run's record."""
        return self.run.record

    @property
    def rate(self) -> float:
        """Shaders per second, over the whole run."""
        return self.record.programs / max(self.record.seconds, 1e-9)

    def beside(self, matrix: VerdictMatrix) -> int:
        """How many findings of its target a matrix does not hold."""
        return sum(n for (target, _), n in self.totals.items() if target == matrix.target) - matrix.findings

    @property
    def again(self) -> Command:
        """The command that draws the same shaders again."""
        run = self.record
        targets = [word for name in run.targets for word in ("--target", name)]
        targets += convergence_option(self.run.notion)
        if run.plan is not None and (course := run.plan.course) is not None:
            which = [word for name in course.families for word in ("--family", name)]
            which += [word for name, _ in course.near for word in ("--near", name)]
            which += ["--max-statements", str(course.max_statements), "--first", str(course.first)]
            return Command(
                "The same shaders again",
                ("wgsl-fuzz", "enumerate", *which, "--programs", str(run.programs), *targets),
            )
        budget = ("--programs", str(run.programs), "--seed", str(run.seed), *_drawn(run))
        return Command("The same shaders again", ("wgsl-fuzz", *targets, *budget))

    @property
    def date(self) -> str:
        """The day on which the run began, as `22 November 2026`; empty if nobody wrote it down."""
        return written_date(self.record.date)

    @property
    def menu(self) -> dict[str, str]:
        """The sections that there are, by their places."""
        numbers = bool(self.matrices or self.soundness)
        there = {"matrix": numbers, "rates": bool(self.plots)}
        names = {"findings": "Findings", "matrix": "Verdicts", "rates": "Over time", "words": "Words"}
        return {place: name for place, name in names.items() if there.get(place, True)}

    @property
    def soundness(self) -> dict[str, int]:
        """What the semantics says of the shaders that the reference accepts; empty if it accepts none."""
        counts = soundness_of(self.record.reference, self.record.semantics)
        return {word: n for word, n in counts.items() if word != ACCEPTED} if counts[ACCEPTED] else {}


def page_of(run: StoredRun, earlier: StoredRun | None = None) -> Page:
    """What there is to show of a run, held against an earlier one."""
    groups, comparison = groups_of(run, earlier)
    shown = [group for group in groups if group.bucket.findings][:CARDS]
    record, totals = run.record, totals_of(run)
    seen = [group.bucket.first_seen for group in groups if group.bucket.first_seen is not None]
    return Page(
        run,
        worry(groups),
        _headline(groups, totals, run),
        [Card(group) for group in shown],
        [group for group in groups if group not in shown],
        totals,
        matrices(record, on_twins(run)),
        [] if comparison is None else [*comparison.builds, *missing_lines(comparison)],
        charts(read_stats(run.path), seen, (record.seconds, record.programs, sum(totals.values()))),
    )


def _headline(groups: list[ShownBucket], totals: Totals, run: StoredRun) -> list[str]:
    """What was found, and by which notion of convergence if that is not the paper's."""
    told = [] if run.notion is CONTROL_STACKS else [run.notion.sentence]
    sure = soundness_line(soundness_of(run.record.reference, run.record.semantics))
    return [*headline(groups, totals, run.record, _asked(run.record)), f"{capital(sure)}.", *told]


def _asked(record: RunRecord) -> dict[str, int]:
    """About how many shaders each target was asked."""
    answers = {name: sum(record.answers.get(name, {}).values()) for name in record.targets}
    return {name: n or record.programs for name, n in answers.items()}


def report_page(run: StoredRun, earlier: StoredRun | None = None) -> str:
    """The page as HTML, of a run that may be held against an earlier one.

    Everything in it that comes from a shader, a compiler or a record is escaped.
    """
    filters: dict[str, Callable[..., object]] = {"named": named, "capital": capital, "clock": clock, "title_of": title}
    return rendered("report.html", filters, page=page_of(run, earlier), limit=LIMIT)


def _drawn(run: RunRecord) -> tuple[str, str]:
    """The option that says what kinds of shaders were drawn."""
    if run.plan is not None and run.plan.course is not None:
        return "--family", run.plan.course.described
    return "--language", TINY if run.plan is None else run.plan.language
