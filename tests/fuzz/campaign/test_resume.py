"""A run that is resumed is an undisturbed one, wherever and however often it was killed: finding for finding, label for
label, count for count.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.command import refused
from tests.fuzz.conftest import SMALL
from tests.fuzz.fakes import FakeTarget, without
from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings import directory
from wgsl_fuzz.fuzz.findings.directory import RUN, RunDirectory, StorageError
from wgsl_fuzz.fuzz.findings.loading import load_run, pending_of, read_campaign
from wgsl_fuzz.fuzz.findings.state import LOCK, STATE, RunState
from wgsl_fuzz.oracle.verdict import Answer

ROOT = Path(__file__).parents[3]
PLAN = Plan(9)
PROGRAMS = 2 * SMALL
MANY = 12 * SMALL
"""So many that the longest reduction fits between two of many kills: a reduction that is killed begins anew."""
posix = pytest.mark.skipif(os.name != "posix", reason="kill -9 is of POSIX")


class Killed(BaseException):
    """No code catches it."""


class Clock:
    """Counts what happens to a run, and kills it at one of these moments."""

    def __init__(self, last: int | None = None) -> None:
        self.now = 0
        self.last = last

    def tick(self) -> None:
        self.now += 1
        if self.now == self.last:
            raise Killed


class Ticking(FakeTarget):
    """A target whose every question is a moment to be killed at: in a task, in a verification, in a reduction."""

    def __init__(self, clock: Clock, name: str, *departures: str) -> None:
        super().__init__(without(*departures), name=name)
        self._clock = clock

    def collect(self) -> list[Answer]:
        self._clock.tick()
        return super().collect()


@contextmanager
def writes_that_tick(clock: Clock) -> Iterator[None]:
    """Every write is two such moments: before it, and after it."""

    def ticking(write: Callable[..., Any]) -> Callable[..., Any]:
        def ticked(*arguments: Any) -> Any:
            clock.tick()
            done = write(*arguments)
            clock.tick()
            return done

        return ticked

    with pytest.MonkeyPatch.context() as patch:
        for name in ("write", "commit"):
            patch.setattr(RunState, name, ticking(getattr(RunState, name)))
        patch.setattr(directory, "write_atomically", ticking(directory.write_atomically))
        yield


def part(out: Path, clock: Clock, programs: int = PROGRAMS) -> bool:
    """Begins a run or goes on with it; whether it came to its end."""
    with writes_that_tick(clock):
        targets = [Ticking(clock, "first", "10a"), Ticking(clock, "second", "10a", "10b")]
        return _is_ended(Campaign(targets, RunDirectory(out), plan=PLAN), programs)


def _is_ended(work: Campaign, programs: int) -> bool:
    out, done = work.directory.path, 0
    try:
        if (out / STATE).exists() and RunState(out, reading=True).value("SELECT count(*) FROM record"):
            record = read_campaign(out)[0]
            done = record.programs
            work.resume(record)
        else:
            for path in out.glob("*"):  # it was killed before it began: nothing was promised yet
                path.rmdir() if path.is_dir() else path.unlink()
        work.run(Budget(programs=programs - done))
    except Killed:
        work.directory.close()
        return False
    return True


def lasting(out: Path) -> Any:
    """All that a run keeps, without when and where it was done."""
    run = load_run(out)
    record = replace(read_campaign(out)[0], seconds=0.0, date=None, id=None, budget=None, workers={})
    findings = []
    for found in run.findings:
        texts = {path.name: path.read_text(encoding="utf-8") for path in found.folder.glob("*.wgsl")}
        findings.append((found.folder.name, replace(found.record, after=None, reproduce="", draw_again=""), texts))
    state = RunState(out, reading=True)
    place = "c.shader, c.kind, c.relation, c.family, c.number, c.file"
    counted = sorted(state.rows(f"SELECT key, {place} FROM counted c JOIN bucket ON id = bucket"), key=repr)
    state.close()
    return record, findings, run.broken, counted, pending_of(out)


@pytest.mark.usefixtures("few_questions", "small_tasks")
@pytest.mark.parametrize(
    ("programs", "share", "most"), [(PROGRAMS, 2, 2), pytest.param(MANY, 8, 200, marks=pytest.mark.slow)]
)
def test_a_resumed_run_is_an_undisturbed_one(tmp_path: Path, programs: int, share: int, most: int) -> None:
    """Of two targets, which share findings: killed at so many random moments, each in this share of the run."""
    clock, choice, kills = Clock(), random.Random(3), 0
    assert part(tmp_path / "whole", clock, programs)
    whole = lasting(tmp_path / "whole")
    assert any(record.shared for _, record, _ in whole[1])
    while kills < most:
        out = tmp_path / f"run-{kills}"
        while not part(out, Clock(choice.randint(1, clock.now // share)), programs):
            kills += 1
        assert lasting(out) == whole


@pytest.mark.usefixtures("few_questions", "small_tasks")
def test_a_clock_that_jumps_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Someone sets it a day forth and back, whenever it is looked at."""
    assert part(tmp_path / "whole", Clock())
    clock, days = time.time, cycle((86_400.0, -86_400.0))
    monkeypatch.setattr(time, "time", lambda: clock() + next(days))
    assert part(tmp_path / "run", Clock())
    monkeypatch.undo()
    assert lasting(tmp_path / "run")[1:] == lasting(tmp_path / "whole")[1:]
    assert 0 < read_campaign(tmp_path / "run")[0].seconds < 24 * 3600


# ------------------------------------------------------------------------------------------------------ real processes


def _started(*arguments: object) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "wgsl_fuzz", "--jobs", "2", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def progress(out: Path) -> tuple[int, int]:
    """What a run has done and has yet to reduce, as its folder has it."""
    with suppress(Exception):
        return read_campaign(out)[0].programs, pending_of(out)
    return 0, 0


@posix
@pytest.mark.slow
@pytest.mark.parametrize("kills", [3, 40])
def test_a_campaign_killed_for_real_is_an_undisturbed_one(tmp_path: Path, kills: int) -> None:
    """By kill -9, each time a little further."""
    whole, out, target = tmp_path / "whole", tmp_path / "run", ("--target", "rules:without-10a", "--language", "tiny")
    begin: Sequence[object] = (*target, "--seed", 5, "--programs", 256 * (kills + 2), "--out")
    with _started(*begin, whole) as run:
        run.wait()
    for _ in range(kills):
        before, _pending = progress(out)
        with _started(*(("--resume", out) if before else (*begin, out))) as run:
            while run.poll() is None and progress(out)[0] <= before:
                time.sleep(0.05)
            run.kill()
    with _started("--resume", out) as run:
        run.wait()
    assert lasting(out) == lasting(whole)


# ----------------------------------------------------------------------------------------------- a folder that is used


def test_a_folder_that_is_written_to_is_refused(tmp_path: Path) -> None:
    Campaign([FakeTarget()], RunDirectory(tmp_path / "run"), plan=PLAN).run(Budget(programs=8))
    one, other = RunDirectory(tmp_path / "run"), RunDirectory(tmp_path / "run")
    one.reopen(8)
    with pytest.raises(StorageError, match="is in use"):
        other.reopen(8)
    assert load_run(tmp_path / "run").record.programs == 8
    one.close()
    other.reopen(8)
    other.close()
    assert (tmp_path / "run" / LOCK).exists()


@pytest.mark.parametrize("content", [b"", b"no database", None])
def test_a_state_that_is_none_is_one_line(tmp_path: Path, content: bytes | None) -> None:
    out = tmp_path / "run"
    Campaign([FakeTarget()], RunDirectory(out), plan=PLAN).run(Budget(programs=8))
    if content is None:
        (out / STATE).unlink()
    else:
        (out / STATE).write_bytes(content)
    assert STATE in refused("--resume", out, "--programs", "8")


def test_a_full_disk_loses_nothing_that_was_committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of a finding cannot be written: its state has it, and the next part writes it."""
    target = FakeTarget(without("10a"))

    write: Callable[[Path, bytes], None] = directory.write_atomically

    def full(path: Path, content: bytes) -> None:
        if path.name != RUN:
            raise StorageError(f"cannot write {path}: No space left on device")
        write(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(directory, "write_atomically", full)
        with pytest.raises(StorageError, match=r"No space left.*wgsl-fuzz generate -n 1 --seed 9 .*--first"):
            Campaign([target], RunDirectory(tmp_path / "run"), plan=PLAN).run(Budget(programs=400))
    assert load_run(tmp_path / "run").findings
    assert not list((tmp_path / "run/findings").iterdir())
    work = Campaign([target], RunDirectory(tmp_path / "run"), plan=PLAN)
    work.resume(read_campaign(tmp_path / "run")[0])
    assert not list((tmp_path / "run").glob(".part-*"))
    work.run(Budget(programs=0))
    assert len(list((tmp_path / "run/findings").glob("*/finding.json"))) == work.counters.findings.total() > 0
