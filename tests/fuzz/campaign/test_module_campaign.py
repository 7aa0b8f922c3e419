"""A campaign in modules of the whole language: drawn, judged, reduced, filed, shown and drawn again."""

import pytest

from tests.fuzz.conftest import ran
from tests.fuzz.fakes import FakeTarget
from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.judging.kinds import UNEXPLAINED, Kind
from wgsl_fuzz.fuzz.triage.triage import Triage
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2, all_variants
from wgsl_fuzz.oracle.verdict import Verdict

FAULT = all_variants()["if/condition/dropped"]
"""A target's that no departure explains: what guards a branch does not count."""


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> tuple[Finding, ...]:
    """Those of a campaign against a target that never takes what a branch decides into account."""
    out = tmp_path_factory.mktemp("module-campaign") / "run"
    ran(out, [FakeTarget(FAULT.rules)], Plan(5, language="compute"), 4)
    return load_run(out).findings


def test_what_is_found_is_reduced_and_keeps_its_verdicts(findings: tuple[Finding, ...]) -> None:
    assert findings
    for found in findings:
        assert found.record.reference == SECTION_15_2
        assert found.kind in (Kind.TOO_LENIENT, Kind.UNSOUND)
        least = read_module(found.text)
        assert least.verdict is Verdict.REJECTS
        assert least.verdict_under(FAULT.rules) is Verdict.ACCEPTS
        assert found.record.statements.reduced == (least.statements or 0) <= (found.record.statements.drawn or 0)
    assert min(found.record.statements.reduced or 99 for found in findings) <= 6


def test_what_no_departure_explains_is_explained_by_an_arm(findings: tuple[Finding, ...]) -> None:
    assert UNEXPLAINED in {found.record.cause for found in findings}  # others may fit by coincidence
    unexplained = [found for found in findings if found.record.cause == UNEXPLAINED]
    assert all(FAULT.name in (found.record.branches or ()) for found in unexplained)
    triage = Triage.of(load_run(findings[0].folder.parent.parent))
    assert triage.total >= len(findings)
    assert any(bucket.branch for bucket in triage.buckets)
