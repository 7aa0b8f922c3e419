"""What a campaign says of itself: where its time goes, what its processes use, what was restarted."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.fuzz.conftest import SMALL, ran, resumed
from tests.fuzz.fakes import FakeTarget, without
from wgsl_fuzz.fuzz.campaign.monitor import ProcessTree
from wgsl_fuzz.fuzz.campaign.remote import CHILD
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.cases.stages import DRAWING, REDUCING, STAGES
from wgsl_fuzz.fuzz.findings.stats import CAMPAIGN, COMPILERS, STATS, WORKERS, read_stats
from wgsl_fuzz.oracle.targets.protocol import CRASH, HANG
from wgsl_fuzz.oracle.verdict import Answer

PLAN = Plan(9)
BURN = "import time\nwhile time.process_time() < 0.3: pass\nprint('done', flush=True)\ninput()"


class Frail(FakeTarget):
    """A target whose child is lost at every other question."""

    def __init__(self) -> None:
        super().__init__(without("10a"))
        self.restarted: Counter[str] = Counter()

    def collect(self) -> list[Answer]:
        self.restarted[CRASH] += 1
        self.restarted[HANG] += 2
        return super().collect()


@pytest.mark.usefixtures("few_questions", "small_tasks")
def test_a_campaign_writes_down_what_it_did_and_used(tmp_path: Path) -> None:
    target = Frail()
    counters = ran(tmp_path / "run", [target], PLAN, 2 * SMALL)
    first, *_, last = read_stats(tmp_path / "run")
    assert first.programs == 0
    assert last.programs == counters.programs == 2 * SMALL
    assert last.languages == {"tiny": 2 * SMALL}
    assert last.findings == {kind.value: n for kind, n in counters.findings.items()}
    assert last.findings
    assert last.buckets == last.new_buckets == len(counters.keys) > 0
    assert last.to_reduce == 0
    assert last.restarts == {"fake": dict(target.restarted)}
    assert set(last.stages) == set(STAGES)
    assert last.stages[DRAWING] > 0
    assert last.stages[REDUCING] > 0
    assert last.memory[CAMPAIGN].processes == 1
    assert last.memory[CAMPAIGN].bytes > 1 << 20


@pytest.mark.usefixtures("few_questions", "small_tasks")
def test_a_resumed_run_goes_on_with_its_sums(tmp_path: Path) -> None:
    ran(tmp_path / "run", [Frail()], PLAN, 2 * SMALL)
    before = read_stats(tmp_path / "run")
    (tmp_path / "run" / STATS).write_bytes((tmp_path / "run" / STATS).read_bytes() + b'{"seconds": 1')
    resumed(tmp_path / "run", [Frail()], SMALL)
    lines = read_stats(tmp_path / "run")
    assert lines[: len(before)] == before
    last = lines[-1]
    assert last.programs == 3 * SMALL
    for stage, seconds in before[-1].stages.items():
        assert last.stages[stage] >= seconds
    for why, n in before[-1].restarts["fake"].items():
        assert last.restarts["fake"][why] > n
    assert last.processor[CAMPAIGN] > before[-1].processor[CAMPAIGN]


def _burning(program: Sequence[str] = (sys.executable, "-c", BURN)) -> "subprocess.Popen[bytes]":
    child = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline().strip() == b"done"
    return child


WORK = f"""import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {BURN!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(child.stdout.readline().decode().strip(), flush=True)
child.communicate(input().encode() + b"\\n")
"""
"""A worker that starts a compiler, and ends it when it is told to."""


@pytest.mark.skipif(os.name != "posix", reason="elsewhere nobody says what ended children took")
def test_compilers_are_told_from_the_workers_above_them() -> None:
    tree = ProcessTree()
    worker = _burning((sys.executable, "-c", WORK, CHILD))
    try:
        resident, spent = tree.usage()
        assert len(resident[WORKERS]) == 1
        assert resident[WORKERS][0] > 1 << 20
        assert resident[COMPILERS]
        assert spent[COMPILERS] >= 0.25
    finally:
        worker.communicate(b"\n")
    after, spent_after = tree.usage()
    assert WORKERS not in after
    assert all(spent_after[role] >= spent[role] for role in (CAMPAIGN, WORKERS, COMPILERS))
