"""What a kill, a stop or a spent budget leaves as drawn is reduced when the run goes on, label for label."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fuzz.campaign.test_recorder import Reader
from tests.fuzz.fakes import FakeTarget
from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign
from wgsl_fuzz.fuzz.campaign.pending import unreduced
from wgsl_fuzz.fuzz.campaign.steering import Steering
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.fuzz.findings.loading import load_run, read_campaign
from wgsl_fuzz.fuzz.findings.records import DRAWN, FindingRecord
from wgsl_fuzz.oracle.rules.revisions import REVERSIONS
from wgsl_fuzz.oracle.verdict import Answer, Verdict

PLAN = Plan(5)
PROGRAMS = {"lenient": 400, "strict": 700, "of spellings": 400, "of relations": 400}


def _no_for(text: str) -> Answer | None:
    return Answer(Verdict.INVALID, "error: unknown statement") if "for (" in text else None


def _odd(text: str) -> Answer | None:
    """Breaks relations: what it says hangs on the length of the text."""
    return Answer(Verdict.REJECTS, "error: not uniform") if len(text) % 7 == 0 else None


TARGETS: dict[str, Callable[[], FakeTarget]] = {
    "lenient": lambda: FakeTarget(REVERSIONS["10a"]),
    "strict": lambda: FakeTarget(REVERSIONS["10c"]),
    "of spellings": lambda: Reader(_no_for),
    "of relations": lambda: Reader(_odd),
}


def _campaign(out: Path, name: str) -> Campaign:
    return Campaign([TARGETS[name]()], RunDirectory(out), plan=PLAN, steering=Steering(PLAN.seed, ()))


def _resumed(out: Path, name: str, budget: Budget) -> Campaign:
    directory = RunDirectory(out)
    directory.reopen()
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
        patch.setattr(Campaign, "_settle", lambda _: None)
        _campaign(tmp_path / "part", name).run(Budget(programs=PROGRAMS[name]))
    left = load_run(tmp_path / "part")
    assert {found.record.describes for found in left.findings} == {DRAWN}
    assert list(unreduced(left.findings))
    work = _resumed(tmp_path / "part", name, Budget(programs=0))
    assert _records(tmp_path / "part") == _records(tmp_path / "whole")
    assert work.counters.findings == whole.counters.findings
    assert work.counters.buckets == whole.counters.buckets
    assert not list(unreduced(load_run(tmp_path / "part").findings))


@pytest.mark.usefixtures("few_questions")
def test_what_cannot_be_drawn_again_stays_as_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Campaign, "_settle", lambda _: None)
        _campaign(tmp_path / "run", "strict").run(Budget(programs=PROGRAMS["strict"]))
    found = load_run(tmp_path / "run").findings[0]
    (found.folder / DRAWN).write_text("// someone wrote here\n" + found.text)
    _resumed(tmp_path / "run", "strict", Budget(programs=0))
    after = load_run(tmp_path / "run").findings
    assert [f.record.describes == DRAWN for f in after] == [f.folder == found.folder for f in after]
