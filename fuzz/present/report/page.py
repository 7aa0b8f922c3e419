"""The report page: a run's numbers and cards put into the template. One file, no network, works without scripts."""

from collections.abc import Callable
from typing import Any

from wgsl_fuzz.fuzz.cases.plan import TINY
from wgsl_fuzz.fuzz.findings.directory import LIMIT, convergence_option
from wgsl_fuzz.fuzz.findings.loading import StoredRun
from wgsl_fuzz.fuzz.findings.records import RunRecord
from wgsl_fuzz.fuzz.findings.stats import soundness_line, soundness_of
from wgsl_fuzz.fuzz.present.pages import rendered
from wgsl_fuzz.fuzz.present.report.cards import Card, Command
from wgsl_fuzz.fuzz.present.report.words import capital, groups_of, headline, named, title, totals_of, worry
from wgsl_fuzz.fuzz.present.triage_text import missing_lines
from wgsl_fuzz.fuzz.present.wording import clock, verdict_rows, written_date
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS

CARDS = 24
"""Buckets that get a card; of more the less severe are a line each, lest the page grow too large to load."""


def page_of(run: StoredRun, earlier: StoredRun | None = None) -> dict[str, Any]:
    """All that the template shows of a run, held against an earlier one."""
    groups, comparison = groups_of(run, earlier)
    shown = [group for group in groups if group.bucket.findings][:CARDS]
    record, totals = run.record, totals_of(run)
    accepted = soundness_of(record.reference, record.semantics)
    answers = {name: sum(record.answers.get(name, {}).values()) for name in record.targets}
    asked = {name: n or record.programs for name, n in answers.items()}
    told = [*headline(groups, totals, record, asked), f"{capital(soundness_line(accepted))}."]
    told += [] if run.notion is CONTROL_STACKS else [run.notion.sentence]
    sections = {"findings": "Findings"} | ({"verdicts": "Verdicts"} if record.answers else {})
    return {
        "run": run,
        "record": record,
        "worry": worry(groups),
        "headline": told,
        "cards": [Card(group) for group in shown],
        "lines": [group for group in groups if group not in shown],
        "totals": totals,
        "verdicts": verdict_rows(record.reference, record.answers),
        "missing": [] if comparison is None else [*comparison.builds, *missing_lines(comparison)],
        "menu": {**sections, "words": "Words"},
        "date": written_date(record.date),
        "rate": record.programs / max(record.seconds, 1e-9),
        "drawn": " ".join(_drawn(record)).removeprefix("--"),
        "again": _again(run),
    }


def _again(run: StoredRun) -> Command:
    """The command that draws the same shaders again."""
    record = run.record
    targets = [word for name in record.targets for word in ("--target", name)]
    targets += convergence_option(run.notion)
    if record.plan is not None and (course := record.plan.course) is not None:
        which = [word for name in course.families for word in ("--family", name)]
        which += [word for name, _ in course.near for word in ("--near", name)]
        which += ["--max-statements", str(course.max_statements), "--first", str(course.first)]
        words = ("wgsl-fuzz", "enumerate", *which, "--programs", str(record.programs), *targets)
    else:
        budget = ("--programs", str(record.programs), "--seed", str(record.seed), *_drawn(record))
        words = ("wgsl-fuzz", *targets, *budget)
    return Command("The same shaders again", words)


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
