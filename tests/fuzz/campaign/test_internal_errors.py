"""Faults of wgsl-fuzz itself: no campaign ends by one, none is hidden, and what was found before it is kept."""

from pathlib import Path

import pytest

from tests.fuzz.conftest import ran
from tests.fuzz.fakes import FakeTarget, Reader, without
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.cases.case import Case, Given, drawn_case
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.cli.runs.progress import closing_lines
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.loading import load_run, read_run
from wgsl_fuzz.fuzz.findings.records import RunRecord
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.fuzz.triage.triage import Triage
from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, Notion
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution

Places = list[int | None]
PROGRAMS = 64
GIVEN = [Given(case.name, case.text) for case in load_cases() if case.name in ("fig-10a", "fig-10b")]


def failing(*_: object, **__: object) -> object:
    """What stands for a piece of ours that has a fault."""
    raise IndexError


def taking_all_memory(*_: object, **__: object) -> object:
    """What stands for a shader that is too much for this machine."""
    raise MemoryError


def run(out: Path) -> tuple[Counters, tuple[Finding, ...]]:
    """A campaign against a target with a known departure; it reduces little, which takes long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wgsl_fuzz.fuzz.campaign.reduce_finding.MOST_WORK", 5)
        patch.setattr("wgsl_fuzz.fuzz.judging.certainty.NEIGHBOURS", 1)
        return ran(out, [FakeTarget(without("10a"))], Plan(3), PROGRAMS), load_run(out).findings


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Places:
    """The places of what a campaign without faults finds."""
    counters, findings = run(tmp_path_factory.mktemp("faults") / "run")
    assert findings
    assert not counters.faults
    return [found.record.place.index for found in findings]


@pytest.mark.parametrize(
    "place",
    [
        "fuzz.judging.judge.cause_of",
        "fuzz.campaign.reduce_finding.reduce",
        "oracle.dynamics.modules.execution.shader_to_run",
    ],
)
def test_what_is_found_is_kept(place: str, sound: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"wgsl_fuzz.{place}", failing)
    counters, findings = run(tmp_path / "run")
    assert [found.record.place.index for found in findings] == sound
    ((said, times),) = counters.faults.items()
    assert said.startswith("IndexError in failing (")
    assert times >= len({*sound}), "once for each shader"
    record = read_run(tmp_path / "run")
    assert isinstance(record, RunRecord)
    assert record.faults == counters.faults
    if place.endswith("reduce"):
        assert all("our own program failed on it: IndexError" in (found.record.unreduced or "") for found in findings)
    assert any(said in line for line in closing_lines(counters, Triage.of(load_run(tmp_path / "run")), "", 1))


def test_a_module_that_cannot_be_drawn_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def sometimes(resolution: Resolution, seed: int = 0, notion: Notion = CONTROL_STACKS) -> Case:
        calls.append(1)
        if len(calls) % 3 == 0:
            failing()
        return drawn_case(resolution, seed, notion)

    monkeypatch.setattr("wgsl_fuzz.fuzz.cases.generator.drawn_case", sometimes)
    counters, _ = run(tmp_path / "run")
    assert counters.programs == PROGRAMS
    assert sum(counters.faults.values()) >= 2


@pytest.mark.parametrize("place", ["execute", "paper_verdict"])
def test_an_error_is_counted_once_a_shader(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever meets it: a worker, and the main process again for each finding."""
    shaders = set[str]()

    def noting(resolution: Resolution, **_: object) -> object:
        shaders.add(repr(core_of(resolution).shader or print_module(resolution.module)))
        return failing()

    monkeypatch.setattr(f"wgsl_fuzz.fuzz.cases.case.{place}", noting)
    yes, no = Answer(Verdict.ACCEPTS), Answer(Verdict.REJECTS)
    targets = [Reader(lambda _: yes, "lax"), Reader(lambda _: no, "strict"), Reader(lambda _: no, "stricter")]
    counters = ran(tmp_path / "run", targets, Plan(9, relations=False), 12, reducing=False, given=GIVEN)
    assert counters.findings.total() > len(shaders)
    assert [*counters.faults.values()] == [len(shaders)]


@pytest.mark.parametrize("place", ["fuzz.cases.case.execute", "fuzz.campaign.campaign.judge"])
def test_too_little_memory_ends_no_campaign(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"wgsl_fuzz.{place}", taking_all_memory)
    target = Reader(lambda _: Answer(Verdict.ACCEPTS))
    counters = ran(tmp_path / "run", [target], Plan(9), 4, reducing=False, given=GIVEN)
    assert counters.programs == 4
    assert [said.partition(" (")[0] for said in counters.faults] == ["MemoryError in taking_all_memory"]


def test_a_finding_that_cannot_be_told_is_shown_with_the_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, (found, *_) = run(tmp_path / "run")
    monkeypatch.setattr("wgsl_fuzz.fuzz.findings.finding.account_of", failing)
    first, second = found.account.lines()
    assert first == f"fake: {found.kind.value}."
    assert second.startswith("our own program failed on it: IndexError in failing (")
