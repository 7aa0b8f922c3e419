"""The campaign, with targets that are wrong in known ways."""

import platform
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock, patch
from weakref import ref

import orjson
import psutil
import pytest

from tests.fuzz.campaign.test_resume import lasting
from tests.fuzz.conftest import ran
from tests.fuzz.fakes import FakeTarget, crashes_on_loops, without
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.campaign.garbage import COLLECT_EVERY, GROWN, Collector, rare_collections
from wgsl_fuzz.fuzz.campaign.reduce_task import ALIKE
from wgsl_fuzz.fuzz.campaign.worker import EXECUTE_EVERY, ShaderResult, Task, Worker
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import ALL, MIXED, SAMPLE, TINY, Plan, is_sampled
from wgsl_fuzz.fuzz.findings.directory import LIMIT, StorageError
from wgsl_fuzz.fuzz.findings.known import KnownBucket, KnownBuckets
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.judging.kinds import Kind
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.tinywgsl.ast import Shader

TEN_A = without("10a").names[0]
PLAN = Plan(8)
"""What these tests count on is known of its shaders."""


def _records(out: Path) -> list[dict[str, Any]]:
    return [orjson.loads(path.read_bytes()) for path in sorted(out.glob("findings/*/finding.json"))]


@pytest.mark.parametrize("language", [TINY, MIXED])
def test_a_target_that_is_right_gives_no_finding(tmp_path: Path, language: str) -> None:
    counters = ran(tmp_path / "run", [FakeTarget()], Plan(7, language=language), 150)
    assert (counters.programs, dict(counters.keys)) == (150, {})
    assert counters.reference == counters.answers["fake"]
    assert orjson.loads((tmp_path / "run/run.json").read_bytes())["programs"] == 150


@pytest.fixture(scope="module")
def unsound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Counters]:
    """A run against a target that is unsound."""
    out = tmp_path_factory.mktemp("unsound") / "run"
    return out, ran(out, [FakeTarget(without("10a"))], Plan(3), 400)


def test_an_unsound_target_is_found_reduced_and_explained(unsound: tuple[Path, Counters]) -> None:
    out, counters = unsound
    assert set(map(str, counters.keys)) <= {f"fake {kind} {TEN_A}" for kind in ("unsound", "too-lenient")}
    record = next(r for r in _records(out) if r["kind"] == "unsound")
    assert record["statements"]["reduced"] <= 8
    assert record["verdicts"] == {"wgsl": "rejects", "semantics": "diverges", "fake": "accepts"}
    account = next(one for one in load_run(out).findings if one.kind is Kind.UNSOUND).account
    assert any("break if" in line for line in account.departures)
    assert any("waits at the barrier on line" in line for line in account.witness)
    assert record["reproduce"].startswith("wgsl-fuzz check ")


def test_a_record_says_of_which_shader_it_speaks(unsound: tuple[Path, Counters]) -> None:
    out, counters = unsound
    records = _records(out)
    for record in records:
        if record["describes"] == "drawn.wgsl":  # enough of its bucket were reduced
            assert "fine" not in record
            continue
        assert record["drawn"]["verdicts"].keys() == {"wgsl", "semantics", "fake"}
        diverges = record["verdicts"]["semantics"] == "diverges"
        assert diverges == (record["kind"] == "unsound")
    kinds = [record["kind"] for record in records]
    assert counters.findings == {Kind(kind): kinds.count(kind) for kind in set(kinds)}


def test_a_target_that_hangs_gets_smaller_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.worker.PATIENCE", -1.0)
    sizes, target = list[int](), FakeTarget()
    submit = target.submit

    def counted(texts: Sequence[str]) -> None:
        sizes.append(len(texts))
        submit(texts)

    monkeypatch.setattr(target, "submit", counted)
    ran(tmp_path / "run", [target], PLAN, 40)
    assert sizes[-1] == 1


@pytest.mark.parametrize(("known", "reduces"), [("fake crash other", ALIKE), ("fake crash signal", 0)])
def test_beyond_the_limit_findings_are_counted_with_their_seeds(tmp_path: Path, known: str, reduces: int) -> None:
    entries = KnownBuckets((KnownBucket(known, "https://example.org/1"),))
    counters = ran(tmp_path / "run", [FakeTarget(instead=crashes_on_loops)], PLAN, 100, known=entries)
    records, counted = _records(tmp_path / "run"), lasting(tmp_path / "run")[3]
    assert len(records) == LIMIT
    assert len(records) + len(counted) == counters.findings[Kind.CRASH] == sum(counters.keys.values())
    reduced = [r["statements"]["reduced"] for r in records if r["describes"] == "reduced.wgsl"]
    assert len(reduced) == reduces * len(counters.keys)
    assert all(n <= 5 for n in reduced)
    for _, index, *_ in counted:
        core = CampaignGenerator(PLAN).case(index).core
        assert core is not None
        assert crashes_on_loops(core)


def test_the_first_of_a_new_bucket_is_saved_though_the_kind_is_full(tmp_path: Path) -> None:
    def invalid(shader: Shader) -> Answer:
        rare = shader.workgroup_size == 2 and len(shader.functions) == 3
        return Answer(Verdict.INVALID, "error: rare thing" if rare else "error: common thing")

    ran(tmp_path / "run", [FakeTarget(instead=invalid)], PLAN, 200)
    buckets = [r["bucket"] for r in _records(tmp_path / "run")]
    assert buckets.count("fake invalid error: rare thing") >= 1
    assert len(buckets) <= LIMIT + 1


def test_the_process_that_counts_collects_its_garbage_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python does not do so during a campaign: what is filed leaves cycles behind, for days."""
    collector = Mock()
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.campaign.Collector", lambda: collector)
    ran(tmp_path / "run", [FakeTarget()], PLAN, 100)
    assert sum(call.args[0] for call in collector.count.call_args_list) == 100


# ------------------------------- What a campaign's process does not need any more is found, and the system gets it back


MIB = 1 << 20


class _Cycle:
    def __init__(self) -> None:
        self.itself = self


def test_a_collector_collects_every_so_many_shaders_and_only_where_python_does_not() -> None:
    collector = Collector()
    with rare_collections():
        cycle = ref(_Cycle())
        collector.count(COLLECT_EVERY - 1)
        assert cycle() is not None
        collector.count(1)
        assert cycle() is None


def test_a_collector_collects_at_once_where_the_process_has_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = SimpleNamespace(rss=GROWN)
    monkeypatch.setattr(psutil, "Process", lambda: SimpleNamespace(memory_info=lambda: memory))
    with rare_collections():
        collector = Collector()
        cycle = ref(_Cycle())
        collector.look()
        assert cycle() is not None
        memory.rss += GROWN + 1
        collector.look()
        assert cycle() is None
        cycle = ref(_Cycle())
        collector.look()  # not again for the same
        assert cycle() is not None


def resident() -> float:
    """Resident memory of this process, in MiB."""
    size: int = psutil.Process().memory_info().rss
    return size / MIB


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries give memory back by themselves")
def test_what_was_needed_for_a_moment_is_given_back() -> None:
    before = resident()
    needed = [bytes(4096) for _ in range(64 * MIB // 4096)]
    kept = needed[-1]  # the C library gives back by itself what stands behind everything that is in use
    del needed
    assert resident() > before + 32
    with rare_collections():
        Collector().count(COLLECT_EVERY)
    assert resident() < before + 16
    assert len(kept) == 4096


# ------------------------------------------ What a worker asks of which shaders: all of the cheap, of the dear a sample


def judged(plan: Plan, task: Task) -> list[ShaderResult]:
    """What a worker says of the shaders drawn, part by part: a busy machine makes the parts shorter."""
    worker, found = Worker(plan, [FakeTarget()]), list[ShaderResult]()
    while task.count:
        done = worker.work(task)
        found += done.judged
        task = replace(task, first=task.first + done.count, count=task.count - done.count)
    return [one for one in found if one.relation is None]


def test_accepted_shaders_are_executed_as_the_plan_says_and_that_changes_nothing_else() -> None:
    sample, every = (judged(Plan(3, execute=execute), Task(0, 160)) for execute in (SAMPLE, ALL))
    for some, one in zip(sample, every, strict=True):
        is_accepted = one.verdict is Verdict.ACCEPTS
        assert (one.outcome is not None) is is_accepted
        assert (some.outcome is not None) is (is_accepted and is_sampled(some.index, EXECUTE_EVERY))
        assert replace(some, outcome=None) == replace(one, outcome=None)


@pytest.mark.parametrize("full", ["directory.RunState", "directory.write_atomically", "stats.StatsLog.__init__"])
def test_a_disk_that_is_full_at_the_start_leaves_the_folder_to_the_next_try(tmp_path: Path, full: str) -> None:
    with (
        patch(f"wgsl_fuzz.fuzz.findings.{full}", side_effect=StorageError("the disk is full")),
        pytest.raises(StorageError, match="the disk is full"),
    ):
        ran(tmp_path, [FakeTarget()], PLAN, 8)
    assert not list(tmp_path.iterdir())
    assert ran(tmp_path, [FakeTarget()], PLAN, 8).programs == 8
    with pytest.raises(StorageError, match="is not empty"):
        ran(tmp_path, [FakeTarget()], PLAN, 8)
    assert (tmp_path / "run.json").exists()
