"""The report page: a run's numbers and cards put into the template. One file, no network, works without scripts."""

from dataclasses import dataclass

import jinja2
from markupsafe import Markup

from wgsl_fuzz.fuzz.cases.plan import TINY
from wgsl_fuzz.fuzz.findings.directory import LIMIT, convergence_option
from wgsl_fuzz.fuzz.findings.loading import StoredRun
from wgsl_fuzz.fuzz.findings.records import CampaignRecord, RunRecord
from wgsl_fuzz.fuzz.findings.soundness import ACCEPTED, soundness_line, soundness_of
from wgsl_fuzz.fuzz.judging.answers import is_device
from wgsl_fuzz.fuzz.present.dates import in_words
from wgsl_fuzz.fuzz.present.highlighting import quoted
from wgsl_fuzz.fuzz.present.plurals import count
from wgsl_fuzz.fuzz.present.report.cards import Card
from wgsl_fuzz.fuzz.present.report.charts import Chart, Ends, charts, clock
from wgsl_fuzz.fuzz.present.report.commands import Command
from wgsl_fuzz.fuzz.present.report.grouping import Group, Totals, groups_of, groups_since, on_twins, totals_of
from wgsl_fuzz.fuzz.present.report.numbers import Matrix, matrices
from wgsl_fuzz.fuzz.present.report.plots import Plot, plots
from wgsl_fuzz.fuzz.present.report.words import GLOSSARY, capital, headline, named, title, worry
from wgsl_fuzz.fuzz.present.since_text import missing_lines
from wgsl_fuzz.oracle.dynamics.convergence import CONTROL_STACKS

CARDS = 24
"""Buckets that get a card; of more the less severe are a line each, lest the page grow too large to load."""

_LOADER = jinja2.PackageLoader("wgsl_fuzz.fuzz.present")


@dataclass(frozen=True, slots=True)
class Page:
    """All that the template shows."""

    run: StoredRun
    worry: tuple[str, str]
    headline: list[str]
    cards: list[Card]
    lines: list[Group]
    """The buckets without a card."""
    totals: Totals
    matrices: list[Matrix]
    charts: list[Chart]
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

    def beside(self, matrix: Matrix) -> int:
        """How many findings of its target a matrix does not hold."""
        return sum(n for (target, _), n in self.totals.items() if target == matrix.target) - matrix.findings

    @property
    def again(self) -> Command:
        """The command that draws the same shaders again."""
        run = self.record
        options = ("--execute-on" if is_device(name) else "--target" for name in run.targets)
        targets = [word for pair in zip(options, run.targets) for word in pair]
        targets += [word for option in convergence_option(self.run.notion) for word in option.split()]
        budget = ("--programs", str(run.programs), "--seed", str(run.seed), *_drawn(run))
        return Command("The same shaders again", ("wgsl-fuzz", *targets, *budget))

    @property
    def date(self) -> str:
        """The day on which the run began, as `22 November 2026`; empty if nobody wrote it down."""
        return in_words(self.record.date)

    @property
    def menu(self) -> dict[str, str]:
        """The sections that there are, by their places."""
        numbers = bool(self.matrices or self.soundness)
        there = {"matrix": numbers, "rates": bool(self.charts or self.plots)}
        names = {
            "findings": "Findings",
            "matrix": "Verdicts",
            "rates": "Over time",
            "words": "Words",
        }
        return {place: name for place, name in names.items() if there.get(place, True)}

    @property
    def soundness(self) -> dict[str, int]:
        """What the semantics says of the shaders that the reference accepts; empty if it accepts none."""
        counts = soundness_of(self.record.reference, self.record.semantics)
        return {word: n for word, n in counts.items() if word != ACCEPTED} if counts[ACCEPTED] else {}


def page_of(run: StoredRun, earlier: StoredRun | None = None) -> Page:
    """What there is to show of a run, held against an earlier one."""
    groups, comparison = (groups_of(run), None) if earlier is None else groups_since(run, earlier)
    shown = [group for group in groups if group.findings][:CARDS]
    record, totals = run.record, totals_of(run)
    seen = [group.after for group in groups if group.after is not None]
    return Page(
        run,
        worry(groups),
        _headline(groups, totals, run),
        [Card(group, group.number) for group in shown],
        [group for group in groups if group not in shown],
        totals,
        matrices(record, on_twins(run)),
        charts(run.progress(), seen, Ends(record.seconds or 0.0, record.programs or 0, sum(totals.values()))),
        [] if comparison is None else [*comparison.builds, *missing_lines(comparison)],
        plots(run.stats()),
    )


def _headline(groups: list[Group], totals: Totals, run: StoredRun) -> list[str]:
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
    environment = jinja2.Environment(
        loader=_LOADER, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"quoted": quoted, "named": named, "capital": capital}
    environment.filters |= {"clock": clock, "title_of": title, "count": count}
    return environment.get_template("report.html").render(
        page=page_of(run, earlier),
        glossary=GLOSSARY,
        limit=LIMIT,
        style=Markup(_piece("report.css")),
        script=Markup(_piece("report.js")),
    )


def _piece(name: str) -> str:
    return _LOADER.get_source(jinja2.Environment(), name)[0]


def _drawn(run: RunRecord) -> tuple[str, str]:
    """The option that says what kinds of shaders were drawn."""
    plan = run.plan if isinstance(run, CampaignRecord) else None
    if plan is None or plan.language == TINY:
        return "--profile", str(run.profile)
    return "--language", plan.language
