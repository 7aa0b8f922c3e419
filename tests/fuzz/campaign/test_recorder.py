"""Findings that only a spelling, a second run or a second shader shows; and runs that are resumed."""

import re
import shlex
from pathlib import Path

import pytest

from tests.fuzz.campaign.test_resume import lasting
from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.conftest import ran, resumed
from tests.fuzz.fakes import FakeTarget, Reader, no_for, without
from tests.wgsl.reading import parse
from wgsl_fuzz.fuzz.campaign.campaign import OutOfTime
from wgsl_fuzz.fuzz.campaign.reduce_task import ALIKE
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.loading import load_run, read_campaign
from wgsl_fuzz.fuzz.findings.records import DrawnRecord, FindingRecord
from wgsl_fuzz.fuzz.judging.kinds import TWO_RUNS, BucketKey, Kind
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.verdict import Answer, Verdict


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing gets smaller, and few neighbours are asked about."""
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.reduce_finding.MOST_WORK", -1)
    monkeypatch.setattr("wgsl_fuzz.fuzz.judging.certainty.NEIGHBOURS", 1)


def test_a_spelling_that_is_judged_differently_is_unstable(tmp_path: Path) -> None:
    counters = ran(tmp_path / "run", [Reader(no_for)], Plan(5, relations=False), 250)
    assert set(map(str, counters.keys)) == {"fake unstable invalid only as drawn: error: unknown statement"}
    reduced_ones = [f for f in load_run(tmp_path / "run").findings if f.record.describes == "reduced.wgsl"]
    assert len(reduced_ones) == ALIKE
    for found in reduced_ones:
        drawn, reduced, plain = (found.files[f"{name}.wgsl"] for name in ("drawn", "reduced", "related"))
        assert "for (" in drawn
        assert "for (" in reduced
        assert "for (" not in plain
        assert parse(reduced) == parse(plain) or analyse(parse(reduced)).verdict is analyse(parse(plain)).verdict
        assert (found.record.statements.reduced or 99) <= 4
        assert "for" in (found.record.forms or ())
        assert _words(found.record) == ("invalid", analyse(parse(plain)).verdict.value)
        assert _words(found.record.first) == ("invalid", analyse(parse(drawn)).verdict.value)
        assert str(found.folder / "related.wgsl") in found.record.reproduce


@pytest.mark.parametrize("target", [Reader(no_for), FakeTarget(without("10d"))])
def test_what_draws_a_finding_again_draws_its_text(tmp_path: Path, target: FakeTarget) -> None:
    ran(tmp_path / "run", [target], Plan(2), 250, reducing=False)
    first, *others = load_run(tmp_path / "run").findings
    for found in (first, *others[:4]):
        command = shlex.split(found.record.draw_again)[1:]
        _comment, text = wgsl_fuzz(*command).stdout.split("\n", 1)
        assert text.strip() == found.files["drawn.wgsl"].replace("\r\n", "\n").strip()


def test_a_target_that_changes_its_mind_is_unstable(tmp_path: Path) -> None:
    asked: set[str] = set()

    def moody(text: str) -> Answer | None:
        if text in asked:
            return None
        asked.add(text)
        return Answer(Verdict.CRASHED, "signal 11") if len(text) % 37 == 0 else None

    counters = ran(tmp_path / "run", [Reader(moody)], Plan(6), 150)
    assert counters.findings.keys() == {Kind.UNSTABLE}
    assert BucketKey("fake", Kind.UNSTABLE, TWO_RUNS) in counters.keys


def _words(record: FindingRecord | DrawnRecord) -> tuple[str, str]:
    """What the target says of the text shown and of the other one."""
    return (record.verdicts or {})["fake"], (record.related_verdicts or {})["fake"]


@pytest.mark.usefixtures("hurry", "no_causes")
def test_a_construct_is_no_spelling_and_breaks_no_relation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.cases.generator.RELATED_EVERY", 1)
    no = Answer(Verdict.REJECTS, "error: not uniform")
    reader = Reader(lambda text: no if re.search(r"\bfor\b", text) else None)
    counters = ran(tmp_path / "run", [reader], Plan(6), 24)
    assert counters.findings[Kind.TOO_STRICT] > counters.findings[Kind.UNSTABLE]
    broken = {key.cause.relation for key in counters.keys if key.kind is Kind.METAMORPHIC}
    assert broken <= {"no-source", "loop-for-for"}, "what rejects without a source, and what changes the `for` itself"


class _BrokenOff(Reader):
    """Its last question about a finding is broken off: what was filed of that shader's findings is lasting."""

    left = 1 << 30

    def collect(self) -> list[Answer]:
        self.left -= len(self._batches[0]) == 1
        if not self.left:
            raise OutOfTime
        return super().collect()


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize("left", [5, 9])
def test_a_run_broken_off_files_nothing_twice_whose_kind_was_found_by_verifying(tmp_path: Path, left: int) -> None:
    ran(tmp_path / "whole", [Reader(no_for)], Plan(6), 100)
    target = _BrokenOff(no_for)
    target.left = left
    ran(tmp_path / "run", [target], Plan(6), 100)
    done = read_campaign(tmp_path / "run")[0].programs
    assert done < 100
    resumed(tmp_path / "run", [Reader(no_for)], 100 - done)
    assert lasting(tmp_path / "run") == lasting(tmp_path / "whole")


@pytest.mark.usefixtures("hurry")
def test_the_words_as_drawn_are_about_the_text_as_drawn(tmp_path: Path) -> None:
    unknown = Answer(Verdict.INVALID, "error: unknown statement")
    reader = Reader(lambda text: unknown if "let " in text else None, name="reader")
    targets = [FakeTarget(without("10a"), name="rules"), reader]
    ran(tmp_path / "run", targets, Plan(13), 150)
    recorded = []
    for found in load_run(tmp_path / "run").findings:
        text, said = found.files.get("drawn.wgsl") or "", found.record.first.verdicts or {}
        for target in targets:
            target.submit([text])
        answers = {target.name: target.collect()[0].verdict.value for target in targets}
        assert {name: said[name] for name in answers} == answers, found.folder.name
        recorded.append(found.target)
    assert set(recorded) >= {"rules", "reader"}
