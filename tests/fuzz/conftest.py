"""What tests of campaigns and commands share."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.fuzz.findings.loading import read_campaign
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.fuzz.regression.diff import known_texts
from wgsl_fuzz.oracle.targets.protocol import Target

SMALL = 64
"""Shaders of a task under `small_tasks`."""


@pytest.fixture(autouse=True, scope="module")
def _few_cases() -> Iterator[None]:
    """Campaigns of commands first ask about the paper's figures, not about all of the corpus."""
    figures = [case for case in load_cases() if case.name.startswith("fig-")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wgsl_fuzz.fuzz.cli.runs.campaign.load_cases", lambda: figures)
        yield


@pytest.fixture
def few_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reductions end after few questions: for tests whose assertions do not hang on how far they go."""
    ask_few_questions(monkeypatch)


def ask_few_questions(monkeypatch: pytest.MonkeyPatch, most: int = 60) -> None:
    """In this process: the workers of a ProcessPool reduce as ever."""
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.reduce_finding.MOST_WORK", most)
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.reduce_finding.RIGHT", 2)
    monkeypatch.setattr("wgsl_fuzz.fuzz.judging.certainty.NEIGHBOURS", 2)
    monkeypatch.setattr("wgsl_fuzz.fuzz.judging.certainty.TWINS", 1)


@pytest.fixture
def no_causes(monkeypatch: pytest.MonkeyPatch) -> None:
    """No departure explains a verdict: to try all of them at each step of a reduction takes seconds."""
    monkeypatch.setattr("wgsl_fuzz.fuzz.judging.judge.departures_of_all", lambda *_: ())


def reduce_nothing(work: Campaign) -> Campaign:
    """The same campaign, whose findings stay as drawn: for tests of what is filed."""
    work.reductions.put = lambda findings: None  # type: ignore[method-assign]  # noqa: ARG005
    return work


def ran(
    out: Path, targets: Sequence[Target], plan: Plan, programs: int = 0, *, reducing: bool = True, **options: Any
) -> Counters:
    """What a campaign counted in so many shaders; unless it is `reducing`, its findings stay as drawn."""
    work = Campaign(targets, RunDirectory(out), plan=plan, **options)
    return (work if reducing else reduce_nothing(work)).run(Budget(programs=programs))


def resumed(out: Path, targets: Sequence[Target], programs: int = 0, **options: Any) -> Campaign:
    """A campaign that went on, with so many more shaders."""
    record, plan = read_campaign(out)
    work = Campaign(targets, RunDirectory(out), plan=plan, **options)
    work.resume(record)
    work.run(Budget(programs=programs))
    return work


@pytest.fixture
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks of SMALL shaders: for tests of several tasks whose assertions do not hang on how large these are."""
    make_tasks_small(monkeypatch)


def make_tasks_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.campaign.TASK", SMALL)


@pytest.fixture
def few_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """To `diff`, the first texts that ship will do."""
    texts = list(islice(known_texts(), 120))
    monkeypatch.setattr("wgsl_fuzz.fuzz.regression.diff.known_texts", lambda: iter(texts))
    monkeypatch.setattr("wgsl_fuzz.fuzz.regression.diff.load_applications", dict)
