"""What a kill, a stop or a spent budget leaves as drawn is reduced when the run goes on, label for label."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fuzz.fakes import FakeTarget, Reader, without
from tests.fuzz.runs import change_state
from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign, ReductionQueue
from wgsl_fuzz.fuzz.campaign.reduce_task import ITS_TURN, UNREADABLE, is_reduced, why_unreduced
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.fuzz.findings.loading import load_run, pending_of, read_campaign
from wgsl_fuzz.fuzz.findings.records import DRAWN, REDUCED, FindingRecord
from wgsl_fuzz.fuzz.judging.judge import UNEXPLAINED, BucketKey, Cause, Disagreement, Kind
from wgsl_fuzz.oracle.verdict import Answer, Verdict

PLAN = Plan(5)
PROGRAMS = {"lenient": 400, "strict": 700, "of spellings": 400, "of relations": 400}


def _no_for(text: str) -> Answer | None:
    return Answer(Verdict.INVALID, "error: unknown statement") if "for (" in text else None


def _odd(text: str) -> Answer | None:
    """Breaks relations: what it says hangs on the length of the text."""
    return Answer(Verdict.REJECTS, "error: not uniform") if len(text) % 7 == 0 else None


TARGETS: dict[str, Callable[[], FakeTarget]] = {
    "lenient": lambda: FakeTarget(without("10a")),
    "strict": lambda: FakeTarget(without("10c")),
    "of spellings": lambda: Reader(_no_for),
    "of relations": lambda: Reader(_odd),
}


def _campaign(out: Path, name: str) -> Campaign:
    return Campaign([TARGETS[name]()], RunDirectory(out), plan=PLAN)


def _resumed(out: Path, name: str, budget: Budget) -> Campaign:
    directory = RunDirectory(out)
    record, plan = read_campaign(out)
    work = Campaign([TARGETS[name]()], directory, plan=plan)
    work.resume(record)
    work.run(budget)
    return work


def _records(out: Path) -> dict[str, FindingRecord]:
    """What is said of each finding, without when and where it was found."""
    return {f.folder.name: replace(f.record, after=None, reproduce="", draw_again="") for f in load_run(out).findings}


@pytest.mark.full
@pytest.mark.usefixtures("few_questions")
@pytest.mark.parametrize("name", sorted(TARGETS))
def test_what_was_left_as_drawn_is_reduced_as_if_nothing_had_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    whole = _campaign(tmp_path / "whole", name)
    whole.run(Budget(programs=PROGRAMS[name]))

    with monkeypatch.context() as patch:
        patch.setattr(ReductionQueue, "put", lambda *_: None)
        _campaign(tmp_path / "part", name).run(Budget(programs=PROGRAMS[name]))
    left = load_run(tmp_path / "part")
    assert {found.record.describes for found in left.findings} == {DRAWN}
    assert pending_of(tmp_path / "part")
    work = _resumed(tmp_path / "part", name, Budget(programs=0))
    assert _records(tmp_path / "part") == _records(tmp_path / "whole")
    assert work.counters.findings == whole.counters.findings
    assert work.counters.buckets == whole.counters.buckets
    assert not pending_of(tmp_path / "part")


@pytest.mark.usefixtures("few_questions")
def test_what_cannot_be_read_again_stays_as_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(ReductionQueue, "put", lambda *_: None)
        _campaign(tmp_path / "run", "lenient").run(Budget(programs=250))
    change_state(tmp_path / "run", "UPDATE finding SET files = ? WHERE number = 1", '{"drawn.wgsl": "fn"}')
    _resumed(tmp_path / "run", "lenient", Budget(programs=0))
    first, *others = load_run(tmp_path / "run").findings
    assert first.record.describes == DRAWN
    assert first.record.unreduced == UNREADABLE
    assert [(found.record.describes, found.record.unreduced) for found in others[:1]] == [(REDUCED, None)]
    assert not pending_of(tmp_path / "run")


def test_of_a_known_cause_fewer_and_fewer_are_reduced() -> None:
    answer = Answer(Verdict.ACCEPTS)
    known = Disagreement("fake", Kind.TOO_LENIENT, answer, Cause.parse("10a"))
    assert [nth for nth in range(1, 21) if is_reduced(known, nth)] == [1, 2, 3, 4, 8, 16]
    assert all(is_reduced(replace(known, cause=UNEXPLAINED), nth) for nth in range(1, 21))
    crash = Disagreement("fake", Kind.CRASH, answer, Cause.parse("signal 11"))
    assert [nth for nth in range(1, 21) if is_reduced(crash, nth)] == [1, 2, 3]


def test_a_finding_says_why_it_is_not_reduced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(ReductionQueue, "put", lambda *_: None)
        _campaign(tmp_path / "run", "lenient").run(Budget(programs=400))
    nth = Counter[BucketKey]()
    for found in load_run(tmp_path / "run").findings:
        nth[found.key] += 1
        on = Disagreement(found.target, found.kind, Answer(Verdict.ACCEPTS), found.record.cause)
        assert found.record.unreduced == why_unreduced(on, nth[found.key])
    known = Disagreement("fake", Kind.TOO_LENIENT, Answer(Verdict.ACCEPTS), Cause.parse("10a"))
    assert why_unreduced(known, 4) == ITS_TURN
    assert "number 5" in why_unreduced(known, 5)
