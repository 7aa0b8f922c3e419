"""Workers judge the answers; the campaign counts what they found, and judges again only what is saved."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.campaign.conftest import reduce_nothing
from tests.fuzz.campaign.test_faults import failing
from tests.fuzz.campaign.test_resume import lasting
from tests.fuzz.fakes import FakeTarget, crashes_on_loops, without
from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign
from wgsl_fuzz.fuzz.campaign.worker import Worker
from wgsl_fuzz.fuzz.cases.plan import TINY, Plan
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.fuzz.judging.judge import judge
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.tinywgsl.ast import Shader


@pytest.fixture(autouse=True)
def _few_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few of a kind are saved."""
    monkeypatch.setattr("wgsl_fuzz.fuzz.findings.directory.LIMIT", 2)


LAX = {TINY: without("10a"), "compute": all_variants()["if/condition/dropped"].rules}
"""Few shaders do where no departure explains a fault: all of them are tried."""


def accepts(_: Shader) -> Answer:
    """Everything, as a target without an analysis."""
    return Answer(Verdict.ACCEPTS)


def ran(out: Path, language: str, programs: int = 100) -> Any:
    """What a run keeps against targets with all kinds of faults."""
    targets = [
        FakeTarget(LAX[language], name="lax"),
        FakeTarget(instead=crashes_on_loops, name="crashing"),
        FakeTarget(instead=accepts, name="silent", checks_uniformity=False),
    ]
    work = Campaign(targets, RunDirectory(out), plan=replace(Plan(4), language=language))
    reduce_nothing(work).run(Budget(programs=programs))
    return lasting(out)


@pytest.mark.parametrize(("language", "programs"), [(TINY, 40), ("compute", 8)])
def test_who_judges_does_not_matter(
    language: str, programs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does a fault in the judging of a worker."""
    judged = list[int]()

    def noted(case: Any, *more: Any, **named: Any) -> Any:
        judged.append(case.seed)
        return judge(case, *more, **named)

    with monkeypatch.context() as patch:
        patch.setattr("wgsl_fuzz.fuzz.campaign.recorder.judge", noted)
        by_workers = ran(tmp_path / "workers", language, programs)
    record, findings, _, counted, *_ = by_workers
    assert 2 < sum(record.findings.values()) == len(findings) + len(counted)
    if language == TINY:  # what is only counted is not judged again
        assert 0 < len(judged) <= len(findings) < len({shader for _, shader, _ in counted})
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.worker.judge", failing)
    assert ran(tmp_path / "failing", language, programs) == by_workers
    monkeypatch.setattr(Worker, "_judge", lambda *_: None)
    assert ran(tmp_path / "campaign", language, programs) == by_workers
