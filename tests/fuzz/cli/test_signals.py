"""Stopping: the first signal is a request, the second an end."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from wgsl_fuzz.fuzz.cli.runs.signals import HANGUP, SIGNALS, StopSignal
from wgsl_fuzz.fuzz.findings.loading import read_campaign
from wgsl_fuzz.fuzz.problems import INTERRUPTED

ROOT = Path(__file__).parents[3]
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
ENDING = tuple(s for s in SIGNALS if s != HANGUP)
"""The second one of these ends the process."""
TWICE = """
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from wgsl_fuzz.fuzz.findings.directory import StorageError
from wgsl_fuzz.fuzz.cli.runs.signals import StopSignal

def record():
    print("recorded", flush=True)
    if {fails}:
        raise StorageError("the disk is full")

stop = StopSignal(lambda line: print(line, flush=True), "doing this")
with stop:
    stop.record = record
    signal.raise_signal({first})
    print("goes on", stop.requested, flush=True)
    signal.raise_signal({second})
    print("too late", flush=True)
"""


@pytest.fixture(autouse=True)
def _not_ignored() -> Iterator[None]:
    """Those who run the tests may have what they start ignore signals, as `nohup` does."""
    before = {s: signal.signal(s, signal.SIG_DFL) for s in SIGNALS}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for s, handler in before.items():
        signal.signal(s, handler)


@posix
@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_is_told_and_requested_and_the_run_goes_on(number: signal.Signals) -> None:
    said: list[str] = []
    before = [signal.getsignal(s) for s in SIGNALS]
    with StopSignal(said.append, "judging what was drawn") as stop:
        assert not stop.requested
        signal.raise_signal(number)
        assert stop.requested
    assert said == ["stopping: judging what was drawn; once more ends at once"]
    assert [signal.getsignal(s) for s in SIGNALS] == before


@posix
@pytest.mark.parametrize(
    ("first", "second", "fails"),
    [*((one, other, False) for one in SIGNALS for other in SIGNALS), (signal.SIGINT, signal.SIGTERM, True)],
)
def test_the_second_signal_writes_the_record_and_ends_at_once(
    first: signal.Signals, second: signal.Signals, fails: bool
) -> None:
    script = TWICE.format(first=int(first), second=int(second), fails=fails)
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    ends = second in ENDING  # a terminal that closes twice ends nothing
    assert done.returncode == (INTERRUPTED if ends else 0)
    lines = ["stopping: doing this; once more ends at once", "goes on True", "recorded" if ends else "too late"]
    assert done.stdout.splitlines() == lines, done.stderr
    assert not done.stderr


@posix
def test_under_nohup_a_terminal_may_close() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with StopSignal(lambda _: None, "doing this") as stop:
        signal.raise_signal(signal.SIGHUP)
        assert not stop.requested


IN_A_TERMINAL = [sys.executable, "-m", "wgsl_fuzz", "--target", "rules:paper", "--programs", "10000000", "--jobs", "2"]


@posix
@pytest.mark.full
def test_a_campaign_whose_terminal_closes_ends_in_order(tmp_path: Path) -> None:
    """It cannot say so to anybody, but its record does, and nothing of it is left."""
    import pty

    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        os.execv(sys.executable, [*IN_A_TERMINAL, "--out", str(tmp_path / "run")])
    seen = b""
    while re.search(rb"[1-9][0-9,]* shaders", seen) is None:
        seen += os.read(terminal, 1024)
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == INTERRUPTED
    record = read_campaign(tmp_path / "run")[0]
    assert record.finished
    assert record.programs
