"""The supervisor between compiler commands and us: one process for many runs, whatever they do."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracle.targets.watching import comes, lives
from wgsl_fuzz.oracle.targets.children import supervision, supervisor
from wgsl_fuzz.oracle.targets.children.python_child import child_environment
from wgsl_fuzz.oracle.targets.children.supervision import ProcessLimits, Report, Supervisor
from wgsl_fuzz.oracle.targets.command import judge
from wgsl_fuzz.oracle.targets.description import TINT
from wgsl_fuzz.oracle.verdict import Verdict

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")

AMPLE = ProcessLimits(seconds=60.0, memory=0)


@pytest.fixture
def one() -> Iterator[Supervisor]:
    with closing(Supervisor()) as opened:
        yield opened


def sh(one: Supervisor, code: str, *words: str, limits: ProcessLimits = AMPLE, **place: Any) -> Report:
    report = one.run(["/bin/sh", "-c", code, "sh", *words], limits, **place)
    assert report is not None
    return report


def pid_of(one: Supervisor) -> int:
    """Of the supervisor's process, as what it runs sees it."""
    return int(sh(one, "echo $PPID")["out"])


def noted(path: Path) -> int:
    """The number that a process writes to a file, once it has."""
    assert comes(lambda: path.exists() and path.read_text(encoding="ascii").endswith("\n"))
    return int(path.read_text(encoding="ascii"))


# ------------------------------------------------------------------------------------------------------------ one run


RUN = st.tuples(st.binary(max_size=80), st.binary(max_size=80), st.integers(0, 255))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(RUN, min_size=1, max_size=4))
def test_each_report_holds_any_output_and_status_of_its_own_run(runs: list[tuple[bytes, bytes, int]]) -> None:
    with closing(Supervisor()) as one:
        for out, err, status in runs:
            octal = ["".join(f"\\0{byte:03o}" for byte in data) for data in (out, err)]
            report = sh(one, f'printf %b "$1"; printf %b "$2" >&2; exit {status}', *octal)
            assert (report["end"], report["status"]) == ("exit", status)
            assert (report["out"], report["err"]) == (out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


def test_what_cannot_start_is_reported(one: Supervisor, tmp_path: Path) -> None:
    report = one.run(["/no/such/program"], AMPLE)
    assert report is not None
    assert (report["end"], report["err"]) == ("not-started", "No such file or directory")
    assert judge(TINT, report, 1.0).verdict is Verdict.CRASHED
    assert sh(one, "", directory=tmp_path / "nowhere")["end"] == "not-started"
    assert sh(one, "", given=tmp_path / "nothing")["end"] == "not-started"


def test_output_is_capped(one: Supervisor) -> None:
    flood = "head -c 10000000 /dev/zero | tr '\\0' x"
    assert len(sh(one, flood)["out"]) == 64 << 10
    assert len(sh(one, flood, limits=ProcessLimits(60.0, 0, 5_000_000))["out"]) == 5_000_000, "longer than a line"


def test_an_interrupt_does_not_disturb_the_report(one: Supervisor) -> None:
    report = sh(one, "kill -INT $PPID; echo done")
    assert (report["end"], report["out"]) == ("exit", "done\n")


def test_what_left_the_session_and_its_environment_ends_with_the_command(one: Supervisor) -> None:
    escaped = "env -i setsid sh -c 'sleep 1000 <&- >&- 2>&- & echo $!'"
    numbers = [int(sh(one, escaped)["out"]) for _ in range(3)]
    assert comes(lambda: not any(map(lives, numbers)))


def test_a_supervisor_that_is_stopped_is_not_waited_for(one: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    first = pid_of(one)
    monkeypatch.setattr(supervision, "SILENT", 1.0)
    monkeypatch.setattr(supervision, "_PATIENCE", 0.2)
    assert one.run(["/bin/sh", "-c", "kill -STOP $PPID"], ProcessLimits(0.1, 0)) is None
    monkeypatch.undo()
    assert comes(lambda: not lives(first))
    assert sh(one, "echo again")["out"] == "again\n"


# ----------------------------------------------------------------------------------------------------------- many runs


def test_one_process_serves_all_runs(one: Supervisor) -> None:
    first = pid_of(one)
    sh(one, "kill -9 $$")
    sh(one, "sleep 1000", limits=ProcessLimits(0.1, 0))
    sh(one, "setsid sleep 2 & head -c 1000000 /dev/zero")
    one.run(["/no/such/program"], AMPLE)
    assert pid_of(one) == first


def test_runs_leave_no_file_open(one: Supervisor) -> None:
    files = Path(f"/proc/{pid_of(one)}/fd")
    before = len(list(files.iterdir()))
    for code in ("exit 3", "setsid sleep 2 &", "exec /no/such/program"):
        sh(one, code)
    one.run(["/no/such/program"], AMPLE)
    assert len(list(files.iterdir())) == before
    inside = sh(one, "ls /proc/self/fd")["out"].split()
    assert inside[:3] == ["0", "1", "2"]
    assert len(inside) == 4, "the last is that of ls itself: a command sees no pipe of ours"


def test_a_process_that_has_said_much_is_replaced(one: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "SPENT", 2000)
    seen = [pid_of(one) for _ in range(20)]
    assert 1 < len(set(seen)) < 10
    assert comes(lambda: not any(map(lives, set(seen[:-1]) - {seen[-1]})))


def test_after_a_run_that_was_not_waited_for_comes_no_report_of_it(
    one: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: object) -> Report:
        raise KeyboardInterrupt

    sh(one, "exit 0")
    with monkeypatch.context() as patch:
        patch.setattr(supervision._Process, "report", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sh(one, "exit 1")
    assert sh(one, "exit 2")["status"] == 2


def test_a_process_that_someone_kills_is_followed_by_another(one: Supervisor) -> None:
    assert one.run(["/bin/sh", "-c", "kill -9 $PPID; sleep 1"], AMPLE) is None
    assert sh(one, "exit 3")["status"] == 3
    os.kill(pid_of(one), signal.SIGKILL)
    assert (one.run(["/bin/true"], AMPLE) or {"status": 0})["status"] == 0, "it may have been in time"
    assert sh(one, "exit 5")["status"] == 5


READY = json.dumps({"program": supervisor.MARK, "pid": 1 << 30}) + "."
SOUND = json.dumps({"program": supervisor.MARK, "end": "exit", "status": 0, "out": "", "err": ""})


@pytest.mark.parametrize(
    "lines",
    [
        *([], ["x."], ["{}."], ["[]."], [SOUND[:-1] + "."], [SOUND], ['{"program": 1}.'], [SOUND + "+"]),
        *(['{"end": "exit", "status": 0}.'], [SOUND.replace("exit", "end") + "."], [SOUND + "?"]),
    ],
)
def test_without_a_sound_report_nothing_is_accepted(monkeypatch: pytest.MonkeyPatch, lines: list[str]) -> None:
    import subprocess_tee

    def run(_: list[str], stdout: Any, **_options: object) -> None:
        for line in [READY, *lines]:
            stdout.write(line)

    monkeypatch.setattr(subprocess_tee, "run", run)
    with closing(Supervisor()) as one:
        assert one.run(["x"], AMPLE) is None
    assert judge(TINT, None, 1.0).verdict is Verdict.CRASHED


# ---------------------------------------------------------------------------------------------------------- its end


def test_closing_breaks_off_the_run_at_hand(one: Supervisor, tmp_path: Path) -> None:
    note, reports = tmp_path / "pid", list[Report | None]()
    command = ["/bin/sh", "-c", 'echo $$ > "$1"; sleep 1000', "sh", str(note)]
    thread = threading.Thread(target=lambda: reports.append(one.run(command, AMPLE)))
    thread.start()
    running = noted(note)
    one.close()
    thread.join(30)
    assert reports == [None]
    assert comes(lambda: not lives(running))
    assert one.run(["/bin/true"], AMPLE) is None, "closed is closed"


FUZZER = """
import sys
from wgsl_fuzz.oracle.targets.children.supervision import ProcessLimits, Supervisor
code = 'sleep 1000 & echo $! > "$1"; echo $PPID > "$2"; echo $$ > "$3"; wait'
Supervisor().run(["/bin/sh", "-c", code, "sh", *sys.argv[1:]], ProcessLimits(60.0, 0))
"""


def test_a_fuzzer_that_is_killed_leaves_nothing_that_runs(tmp_path: Path) -> None:
    notes = [tmp_path / who for who in ("child", "supervisor", "command")]
    fuzzer = subprocess.Popen([sys.executable, "-c", FUZZER, *map(str, notes)], env=child_environment())
    processes = [noted(note) for note in notes]
    assert all(map(lives, processes))
    fuzzer.kill()
    fuzzer.wait()
    assert comes(lambda: not any(map(lives, processes)))
