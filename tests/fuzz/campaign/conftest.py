"""What tests of campaigns share."""

import pytest

from wgsl_fuzz.fuzz.campaign.campaign import Campaign

SMALL = 64
"""Shaders of a task under `small_tasks`."""


@pytest.fixture
def few_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reductions end after few questions: for tests whose assertions do not hang on how far they go."""
    ask_few_questions(monkeypatch)


def ask_few_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.reduce_finding.MOST_WORK", 60)
    monkeypatch.setattr("wgsl_fuzz.fuzz.judging.certainty.NEIGHBOURS", 2)


def reduce_nothing(work: Campaign) -> Campaign:
    """The same campaign, whose findings stay as drawn: for tests of what is filed."""
    work.reductions.put = lambda findings: None  # type: ignore[method-assign]  # noqa: ARG005
    return work


@pytest.fixture
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks of SMALL shaders: for tests of several tasks whose assertions do not hang on how large these are."""
    make_tasks_small(monkeypatch)


def make_tasks_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.campaign.TASK", SMALL)
