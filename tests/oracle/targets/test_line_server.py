"""A server with a scripted child: whatever the child does, answers come back in order, one to one."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.oracle.targets.watching import comes, lives
from wgsl_fuzz.oracle.targets.children.line_server import KILLED_ATTEMPTS, ChildProcess, LineServer
from wgsl_fuzz.oracle.targets.children.python_child import child_environment
from wgsl_fuzz.oracle.targets.protocol import CRASH, HANG, TargetError
from wgsl_fuzz.oracle.verdict import Answer, Verdict

CHILD = """
import os, sys, time
from wgsl_fuzz.oracle.targets.children.python_child import serve

seen = []

def check(text):
    word, _, rest = text.partition(" ")
    seen.append(word)
    if word == "crash" or (word == "straw" and len(seen) > 5):
        sys.stderr.write("the last words\\n"); sys.stderr.flush()
        os.abort()
    if word == "hang":
        time.sleep(1000)
    return None if word != "refuse" else "refused " + rest

serve(lambda: (check, {"version": "1"}))
"""


def classify(message: str) -> Answer:
    return Answer(Verdict.INVALID, message)


@contextmanager
def serving(folder: Path, source: str = CHILD, timeout: float = 30.0, **options: object) -> Iterator[LineServer]:
    script = folder / "child.py"
    script.write_text(source, encoding="utf-8")
    command = [sys.executable, str(script)]
    server = LineServer(command, classify, timeout=timeout, env=child_environment(), **options)  # type: ignore[arg-type]
    try:
        yield server
    finally:
        server.close()


def answers(server: LineServer, *batches: list[str]) -> list[list[Answer]]:
    for batch in batches:
        server.submit(batch)
    return [server.collect() for _ in batches]


def test_a_crash_says_how_and_with_which_words(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        ((answer,),) = answers(server, ["crash"])
        assert server.restarted.total() == 2
        assert server.restarted == {CRASH: 2}
    assert "SIGABRT" in answer.message
    assert "the last words" in answer.message


def test_a_crash_of_many_texts_together_is_no_crash_of_the_last(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        (found,) = answers(server, ["accept"] * 5 + ["straw"] * 3)
        assert [answer.verdict for answer in found] == [Verdict.ACCEPTS] * 8
        # The first five are asked twice: the sixth broke a line that was not answered yet.
        assert server.restarted.total() == 2


def test_a_hang_is_answered_and_the_rest_too(tmp_path: Path) -> None:
    with serving(tmp_path, timeout=0.5) as server:
        (found,) = answers(server, ["accept", "hang", "refuse me"])
        assert set(server.restarted) == {HANG}
    assert [answer.verdict for answer in found] == [Verdict.ACCEPTS, Verdict.TIMED_OUT, Verdict.INVALID]
    assert found[1].message == "no answer within 0.5 s"


def test_time_does_not_run_between_batches(tmp_path: Path) -> None:
    with serving(tmp_path, timeout=1.0) as server:
        answers(server, ["accept"])
        time.sleep(1.2)
        server.submit(["accept"])
        time.sleep(1.2)
        assert server.collect() == [Answer(Verdict.ACCEPTS)]
        assert server.restarted.total() == 0


def test_megabytes_in_flight_do_not_lock_up(tmp_path: Path) -> None:
    long = "refuse " + "x" * 200_000
    with serving(tmp_path) as server:
        first, second = answers(server, [long] * 40, [long] * 40)
    assert [len(answer.message) for answer in first + second] == [len("refused ") + 200_000] * 80


@pytest.mark.parametrize("text", ["", "\n\r\x1e", '"\\', "\0", "é\u2028𝄞", "\ud800"])
def test_any_text_can_be_sent(tmp_path: Path, text: str) -> None:
    with serving(tmp_path) as server:
        (found,) = answers(server, ["refuse " + text, "accept"])
    assert found[0].message == "refused " + text.replace("\ud800", "?")
    assert found[1].verdict is Verdict.ACCEPTS


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import sys; sys.stderr.write('no library'); sys.exit(3)", "does not start: exit status 3: no library"),
        ('print(\'\\x1e{"error": "wrong\\\\nplatform"}\')', "^wrong platform$"),
        ("print('\\x1e{\"hello\": 1}')", "speaks no protocol"),
    ],
)
def test_a_child_that_never_works_is_a_target_error(tmp_path: Path, source: str, says: str) -> None:
    with pytest.raises(TargetError, match=says), serving(tmp_path, source):
        pass


def test_a_child_that_is_never_ready_is_waited_for_once(tmp_path: Path) -> None:
    source = f"open({str(tmp_path / 'starts')!r}, 'a').write('x')\nwhile True: pass"
    waiting = serving(tmp_path, source, timeout=0.3, start=0.5)
    with pytest.raises(TargetError, match=r"does not start: not ready within 0\.5 s"), waiting:
        pass
    starts = tmp_path / "starts"
    assert not starts.exists() or starts.read_text(encoding="ascii") in ("", "x")


def test_a_command_that_is_not_there_is_a_target_error() -> None:
    with pytest.raises(TargetError, match="cannot be started"):
        LineServer(["/no/such/command"], classify)


def test_a_closed_target_is_not_used_again(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        pid = server.pid
        assert server.banner == {"version": "1"}
        with pytest.raises(ValueError, match="nothing was submitted"):
            server.collect()
    assert comes(lambda: not lives(pid))
    server.close()
    with pytest.raises(TargetError, match="closed"):
        server.submit(["accept"])


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to look at processes")
@pytest.mark.parametrize("text", ["accept", "hang"])
def test_children_die_with_a_killed_parent(tmp_path: Path, text: str) -> None:
    (tmp_path / "child.py").write_text(CHILD, encoding="utf-8")
    parent = (
        "import os, sys, time\nfrom wgsl_fuzz.oracle.targets.children.line_server import LineServer\n"
        "server = LineServer([sys.executable, sys.argv[1]], print)\n"
        "server.submit([sys.argv[2]]); print(server.pid, flush=True); time.sleep(1000)\n"
    )
    command = [sys.executable, "-c", parent, str(tmp_path / "child.py"), text]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=child_environment()) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        assert lives(child)
        process.kill()
    assert comes(lambda: not lives(child))


@pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX")
def test_an_interrupt_of_the_terminal_does_not_reach_the_child(tmp_path: Path) -> None:
    (tmp_path / "child.py").write_text(CHILD, encoding="utf-8")
    child = ChildProcess([sys.executable, str(tmp_path / "child.py")], child_environment())
    try:
        assert os.getsid(child.pid) == child.pid
        assert os.getpgid(child.pid) != os.getpgid(0)
    finally:
        child.end()


_KILLED_TWICE = """
import json, os, signal, sys
print("\\x1e" + json.dumps({"ready": {}}), flush=True)
for line in sys.stdin:
    with open(sys.argv[1], "a+") as file:
        file.write("x")
        file.seek(0)
        if len(file.read()) <= int(sys.argv[2]):
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    print("\\x1e" + json.dumps({"n": 0, "answers": [None] * len(json.loads(line))}), flush=True)
"""
"""It is killed at the first so many lines, as if a system had no memory left."""


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is of POSIX")
@pytest.mark.parametrize(
    ("kills", "verdict"), [(KILLED_ATTEMPTS - 1, Verdict.ACCEPTS), (KILLED_ATTEMPTS + 1, Verdict.CRASHED)]
)
def test_what_someone_else_kills_is_asked_again(tmp_path: Path, kills: int, verdict: Verdict) -> None:
    command = [sys.executable, "-S", "-c", _KILLED_TWICE, str(tmp_path / "lines"), str(kills)]
    server = LineServer(command, lambda message: Answer(Verdict.REJECTS, message))
    assert server.ask(["a text"])[0].verdict is verdict
    server.close()


def test_sleep_is_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that sleeps for a minute has not waited for a minute."""
    code = "import time; time.sleep(0.7); print('\\x1e{\"n\": 0}', flush=True)"
    child = ChildProcess([sys.executable, "-S", "-c", code])
    clock, begun = time.monotonic, time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: clock() + (60.0 if clock() > begun + 0.1 else 0.0))
    try:
        assert child.receive(begun + 5.0)[1] == {"n": 0}
    finally:
        monkeypatch.undo()
        child.end()
