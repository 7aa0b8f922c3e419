"""A spent budget ends a run, whatever a target does. Nothing is timed here: without the deadline nothing would end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.fakes import FakeTarget, without
from tests.fuzz.runs import DIVERGING
from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign, Deadline, OutOfTime
from wgsl_fuzz.fuzz.cases.case import Given
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.fuzz.findings.loading import load_run, read_campaign
from wgsl_fuzz.fuzz.findings.records import DRAWN
from wgsl_fuzz.fuzz.problems import INTERRUPTED, PROBLEM
from wgsl_fuzz.oracle.verdict import Answer, Verdict

posix = pytest.mark.skipif(os.name != "posix", reason="signals and commands of POSIX")
ROOT = Path(__file__).parents[3]
FOR_EVER = 3600.0


class Slow(FakeTarget):
    """Answers `quick` shaders at once, and each further one after some seconds."""

    quick = 0
    seconds = FOR_EVER

    def submit(self, texts: Sequence[str]) -> None:
        for _ in range(max(0, min(len(texts), self.asked + len(texts) - self.quick))):
            time.sleep(self.seconds)
        super().submit(texts)


@posix
@pytest.mark.parametrize("quick", [0, 1, 20])
def test_an_answer_that_never_comes_ends_no_run_late(tmp_path: Path, quick: int) -> None:
    """Neither about a given shader, nor about what is wrong with it, nor about a drawn one."""
    target = Slow(without("10a"))
    target.quick = quick
    given = [Given("x.wgsl", DIVERGING)]
    counters = Campaign([target], RunDirectory(tmp_path / "run"), plan=Plan(1), given=given).run(Budget(seconds=0.5))
    assert counters.programs <= quick
    assert read_campaign(tmp_path / "run")[0].finished


@posix
@pytest.mark.usefixtures("small_tasks", "no_causes")
def test_what_is_not_reduced_in_time_stays_as_drawn(tmp_path: Path) -> None:
    target = Slow(without("10a"), instead=lambda _: Answer(Verdict.ACCEPTS))
    target.quick = 600
    work = Campaign([target], RunDirectory(tmp_path / "run"), plan=Plan(1), stopped=lambda: target.asked > 150)
    counters = work.run(Budget())
    records = [found.record for found in load_run(tmp_path / "run").findings]
    assert DRAWN in {record.describes for record in records}, "reducing all of them takes thousands of questions"
    assert all(record.reproduce for record in records)
    assert len(records) == len(counters.saved)
    assert target.asked < 600


@posix
def test_it_raises_only_while_something_is_waited_for() -> None:
    handler = signal.getsignal(signal.SIGALRM)
    with Deadline(time.monotonic() - 60.0, 0.0, lambda: False) as deadline:
        signal.raise_signal(signal.SIGALRM)
        with pytest.raises(OutOfTime), deadline.waiting():
            time.sleep(FOR_EVER)
        signal.raise_signal(signal.SIGALRM)
    assert signal.getsignal(signal.SIGALRM) is handler


_COMPILER = """#!/bin/sh
for last; do :; done
grep -q 'var x = ;' "$last" && { echo 'error: expected an expression' >&2; exit 1; }
if grep -q 'lid == 0u) { workgroupBarrier(); } }' "$last"; then
  echo "error: 'workgroupBarrier' must only be called from uniform control flow" >&2; exit 1
fi
grep -q 'var x = lid' "$last" || exec sleep 3600
"""
"""Knows a good shader from a bad one and from a violation, as it is asked at the start, and hangs on all others."""


@pytest.mark.full
@posix
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_command_that_hangs_holds_up_no_campaign(tmp_path: Path, jobs: str) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text(_COMPILER)
    compiler.chmod(0o755)
    command = [sys.executable, "-m", "wgsl_fuzz", "--target", f"tint:{compiler}", "--minutes", "0.016", "--jobs", jobs]
    done = subprocess.run([*command, "--out", str(tmp_path / "run")], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (PROBLEM, ""), done.stderr
    assert done.stderr.splitlines()[-1].startswith("wgsl-fuzz: nothing was judged: ")


def test_a_campaign_that_judged_nothing_is_a_problem(tmp_path: Path) -> None:
    done = wgsl_fuzz("--target", "rules:letter", "--minutes", "1e-9", "--jobs", "1", "--out", tmp_path / "run")
    assert (done.exit_code, done.stdout) == (PROBLEM, "")
    assert done.stderr.splitlines()[-1].startswith("wgsl-fuzz: nothing was judged: ")


_IN_A_TERMINAL = """
import runpy, signal
from wgsl_fuzz.fuzz.cli.runs import progress

progress.EVERY = 1.0
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("wgsl_fuzz", run_name="__main__")
"""
"""A shell has what it starts in the background ignore Ctrl-C, and so these tests, too.

And these do not wait a minute for progress.
"""


@posix
@pytest.mark.parametrize(
    ("jobs", "shown"),
    [("1", "shaders"), *(pytest.param("2", shown, marks=pytest.mark.full) for shown in ("shaders", "target"))],
)
def test_an_interrupted_campaign_says_what_it_did_not_do(tmp_path: Path, jobs: str, shown: str) -> None:
    """Interrupted as a terminal does it, with its workers: once it works, and while these start."""
    command = [sys.executable, "-c", _IN_A_TERMINAL, "--target", "rules:paper", "--programs", "10000000"]
    command += ["--jobs", jobs, "--out", str(tmp_path / "run")]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        while shown not in run.stderr.readline():
            pass
        os.killpg(run.pid, signal.SIGINT)
        said = run.stderr.read() + run.stdout.read()
    assert run.returncode == INTERRUPTED
    assert "Traceback" not in said
    assert len(said.splitlines()) < 12
    if shown == "shaders":
        assert "Interrupted after" in said
        assert "of 10,000,000 shaders" in said
        assert "new: nothing" in said
        assert said.splitlines()[-1].endswith(f"Exit status {INTERRUPTED}.")
        assert read_campaign(tmp_path / "run")[0].programs > 0
