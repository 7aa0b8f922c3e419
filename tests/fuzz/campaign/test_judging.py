"""Workers judge the answers; the campaign counts what they found, and judges again only what is saved."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.campaign.test_internal_errors import failing
from tests.fuzz.campaign.test_resume import lasting
from tests.fuzz.conftest import ran
from tests.fuzz.fakes import Blaming, FakeTarget, crashes_on_loops, without
from wgsl_fuzz.fuzz.campaign.reduce_task import ITS_TURN
from wgsl_fuzz.fuzz.campaign.worker import Worker
from wgsl_fuzz.fuzz.cases.plan import TINY, Plan
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.judging.judge import judge
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import WGSL_RULE_SETS, all_variants
from wgsl_fuzz.oracle.verdict import Answer, Verdict


@pytest.fixture(autouse=True)
def _few_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few of a kind are saved."""
    monkeypatch.setattr("wgsl_fuzz.fuzz.findings.directory.LIMIT", 2)


LAX = {TINY: without("10a"), "compute": all_variants()["if/condition/dropped"].rules}
"""Few shaders do where no departure explains a fault: all of them are tried."""


def kept(out: Path, language: str, programs: int) -> Any:
    """What a run keeps against targets with all kinds of faults."""
    targets = [
        FakeTarget(LAX[language], name="lax"),
        FakeTarget(instead=crashes_on_loops, name="crashing"),
        FakeTarget(instead=lambda _: Answer(Verdict.ACCEPTS), name="silent", checks_uniformity=False),
    ]
    ran(out, targets, Plan(5, language=language), programs, reducing=False)
    return lasting(out)


@pytest.mark.parametrize(("language", "programs"), [(TINY, 40), ("compute", 8)])
def test_who_judges_is_no_matter(language: str, programs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does a fault in the judging of a worker."""
    judged = list[int]()

    def noted(case: Any, *more: Any, **named: Any) -> Any:
        judged.append(case.seed)
        return judge(case, *more, **named)

    with monkeypatch.context() as patch:
        patch.setattr("wgsl_fuzz.fuzz.campaign.recorder.judge", noted)
        by_workers = kept(tmp_path / "workers", language, programs)
    record, findings, _, counted, *_ = by_workers
    assert 2 < sum(record.findings.values()) == len(findings) + len(counted)
    if language == TINY:  # what is only counted is not judged again
        assert 0 < len(judged) <= len(findings) < len({shader for _, shader, *_ in counted})
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.worker.judge", failing)
    assert kept(tmp_path / "failing", language, programs) == by_workers
    monkeypatch.setattr(Worker, "_judge", lambda *_: None)
    assert kept(tmp_path / "campaign", language, programs) == by_workers


class HalfKnown(Blaming):
    """The rules of Tint 0.3.8, and a fault that nobody knows: it rejects what has a `let`."""

    def _answered(self, text: str) -> Answer:
        unknown = Answer(Verdict.REJECTS, "1:1 error: 'let' must only be called from uniform control flow")
        return unknown if "let " in text else super()._answered(text)


def test_known_faults_are_counted_in_their_buckets_and_hide_no_other(tmp_path: Path) -> None:
    """The counts of findings are those of a run that judges each in full; each known bucket has a reduced shader."""
    runs = {}
    for known_first in (True, False):
        target = HalfKnown(Rules(WGSL_RULE_SETS["wgsl-tint-0.3.8"]), name="tint@0.3.8")
        out, plan = tmp_path / str(known_first), Plan(12, relations=False, known_first=known_first)
        counters = ran(out, [target], plan, 200, reducing=False)
        causes = Counter({key.cause: 0 for key in counters.keys})
        for key, n in counters.keys.items():
            causes[key.cause] += n
        saved = [found.record for found in load_run(out).findings]
        reduced = Counter(record.bucket for record in saved if record.unreduced == ITS_TURN)
        runs[known_first] = counters, causes, saved, reduced
    (few, causes, saved, reduced), (all_of_them, in_full, *_) = runs[True], runs[False]
    assert causes == in_full
    assert 0 < few.expected < few.findings.total()
    assert all_of_them.expected == 0
    assert not all(cause.departures for cause in causes)
    assert {record.cause for record in saved} == set(causes)
    known = {bucket for bucket in reduced if bucket.cause.departures}
    assert known
    assert {reduced[bucket] for bucket in known} == {1}
