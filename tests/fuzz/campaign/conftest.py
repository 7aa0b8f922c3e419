"""What tests of campaigns share."""

import pytest

SMALL = 64
"""Shaders of a task under `small_tasks`."""


@pytest.fixture
def few_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reductions end after few questions: for tests whose assertions do not hang on how far they go."""
    ask_few_questions(monkeypatch)


def ask_few_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.reduce_finding.MOST_WORK", 60)


@pytest.fixture
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks of SMALL shaders: for tests of several tasks whose assertions do not hang on how large these are."""
    make_tasks_small(monkeypatch)


def make_tasks_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.campaign.TASK", SMALL)
