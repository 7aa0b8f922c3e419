"""Stopping: the first signal is a request, the second an end."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from wgsl_fuzz.fuzz.cli.signals import SIGNALS, StopSignal
from wgsl_fuzz.fuzz.problems import INTERRUPTED

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
TWICE = """
import signal, sys
from wgsl_fuzz.fuzz.findings.directory import StorageError
from wgsl_fuzz.fuzz.cli.signals import StopSignal

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
@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("first", SIGNALS)
@pytest.mark.parametrize("second", SIGNALS)
def test_the_second_signal_writes_the_record_and_ends_at_once(
    first: signal.Signals, second: signal.Signals, fails: bool
) -> None:
    script = TWICE.format(first=int(first), second=int(second), fails=fails)
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True)
    assert done.returncode == INTERRUPTED
    lines = ["stopping: doing this; once more ends at once", "goes on True", "recorded"]
    assert done.stdout.splitlines() == lines, done.stderr
    assert not done.stderr


def test_handlers_are_put_back_after_an_error() -> None:
    before = [signal.getsignal(s) for s in SIGNALS]
    with pytest.raises(ZeroDivisionError), StopSignal(lambda _: None, ""):
        raise ZeroDivisionError
    assert [signal.getsignal(s) for s in SIGNALS] == before
