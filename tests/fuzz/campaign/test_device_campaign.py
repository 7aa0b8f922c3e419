"""A campaign that runs shaders on a device: what it files, reduces, shows, keeps and asks again."""

from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.conftest import ran
from tests.fuzz.fakes import FakeTarget
from tests.oracle.devices.fakes import PlayedDevice, lost, minus_is_plus, played
from tests.wgsl.reading import parse
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.loading import StoredRun, load_run
from wgsl_fuzz.fuzz.findings.records import REDUCED
from wgsl_fuzz.fuzz.judging.kinds import ANOTHER_MEMORY, Kind
from wgsl_fuzz.fuzz.present.export import export
from wgsl_fuzz.fuzz.regression.corpus import export_case, load_case
from wgsl_fuzz.fuzz.regression.replay import ReplayStatus, load_texts, replay
from wgsl_fuzz.fuzz.regression.run_replay import replay_run, texts_of
from wgsl_fuzz.fuzz.triage.triage import Triage
from wgsl_fuzz.oracle.devices.device import DeviceTarget
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import Binary, expressions_in

PLAN = Plan(9, execute="all")


def run(out: Path, device: DeviceTarget, programs: int = 30) -> StoredRun:
    """A campaign against rules that are right, and a device."""
    ran(out, [FakeTarget(), device], PLAN, programs)
    return load_run(out)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """The run against a device that takes `-` for `+`."""
    return run(tmp_path_factory.mktemp("device") / "run", played(minus_is_plus))


@pytest.fixture
def finding(stored: StoredRun) -> Finding:
    """The smallest of its findings."""
    return min(stored.findings, key=lambda found: found.record.statements.shown or 99)


def test_what_a_device_does_wrongly_is_found_and_reduced_to_that(stored: StoredRun, finding: Finding) -> None:
    assert {found.kind for found in stored.findings} == {Kind.MISCOMPILED}
    assert {found.target for found in stored.findings} == {"wgpu@played"}
    for found in stored.findings:
        assert found.record.describes == REDUCED
        assert found.record.verdicts["wgsl"] == Verdict.ACCEPTS.value
        assert found.record.verdicts["wgpu@played"] == Verdict.MISCOMPILES.value
        assert found.record.verdicts["semantics"] == "converges"
    functions = parse(finding.text).all_functions
    operators = {e.op for f in functions for e in expressions_in(f.body) if isinstance(e, Binary)}
    assert operators == {"-"}
    assert (finding.record.statements.reduced or 99) <= 3
    assert str(finding.fine) == f"wgpu@played miscompiled {ANOTHER_MEMORY} | -"


def test_the_run_counts_what_the_device_was_given_and_what_not(stored: StoredRun) -> None:
    said = stored.record.answers["wgpu@played"]
    assert said.keys() == {Verdict.ACCEPTS, Verdict.MISCOMPILES, Verdict.UNSUPPORTED}
    assert sum(said.values()) == stored.record.reference[Verdict.ACCEPTS]


def test_people_read_what_was_expected_and_what_was_left(stored: StoredRun, finding: Finding) -> None:
    told = "\n".join(finding.account.lines())
    assert "wgpu@played leaves another memory than the semantics." in told
    assert ", not " in told
    done = wgsl_fuzz("triage", stored.path)
    assert (done.exit_code, "miscompiled" in done.stdout) == (1, True)
    page = wgsl_fuzz("report", stored.path).stdout
    assert "Wgpu played ran" in page
    assert "not as the semantics leaves it" in page
    (bucket, *_) = Triage.of(stored).buckets
    for form in ("markdown", "cts", "tint"):
        assert "leaves another memory" in export(bucket, form)


def test_a_device_is_asked_again_by_a_replay_and_compilers_are_not(stored: StoredRun) -> None:
    texts = list(texts_of(stored))
    compiler = FakeTarget()
    still = replay_run(texts, [compiler, played(minus_is_plus)])
    assert {(one.oracle, one.word) for one in still.results} == {("wgpu@played", ReplayStatus.STILL)}
    fixed = replay_run(texts, [played(name="wgpu@newer")])
    assert {one.word for one in fixed.results} == {ReplayStatus.FIXED}


def test_a_corpus_keeps_it(finding: Finding, tmp_path: Path) -> None:
    folder = export_case(finding, tmp_path, name="minus", why="The device takes - for +.")
    recorded = load_case(folder).verdicts["wgpu@played"]
    assert (recorded.verdict, recorded.kind, recorded.cause) == (Verdict.MISCOMPILES, Kind.MISCOMPILED, ANOTHER_MEMORY)
    entries = load_texts(tmp_path)
    for device, word in ((played(minus_is_plus), ReplayStatus.STILL), (played(), ReplayStatus.FIXED)):
        assert {one.word for one in replay(entries, [device]).results if one.oracle == "wgpu@played"} == {word}


@pytest.mark.parametrize(
    ("verdict", "kind"), [(Verdict.CRASHED, Kind.CRASH), (Verdict.TIMED_OUT, Kind.HANG)], ids=["dies", "hangs"]
)
def test_a_device_that_is_lost_is_a_finding_of_another_kind(verdict: Verdict, kind: Kind, tmp_path: Path) -> None:
    found = run(tmp_path / "run", played(lost(verdict)), 30).findings
    assert {one.kind for one in found} == {kind}


def test_a_device_that_is_right_finds_nothing_and_sees_only_some(tmp_path: Path) -> None:
    device = PlayedDevice()
    target = DeviceTarget("wgpu@played", "", device)
    ran(tmp_path / "run", [target], Plan(1), 32)
    record = load_run(tmp_path / "run").record
    assert (record.findings, bool(device.given)) == ({}, True)
    assert sum(record.answers["wgpu@played"].values()) < record.reference[Verdict.ACCEPTS]


# ------------------------------------------------------------------------------------------------- the command line


def test_a_device_is_asked_again_if_it_is_named(stored: StoredRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.judging.answers.open_target", lambda *_, **__: played(minus_is_plus))
    done = wgsl_fuzz("replay", stored.path, "--target", "wgpu")
    assert (done.exit_code, "STILL" in done.stdout) == (0, True)
