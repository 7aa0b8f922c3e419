"""Runs commands under limits, one after another, and reports on each: a stand-alone program that stays for many.

    python -I -S supervisor.py

It first says that it is there (`program`, `pid`). Then it reads requests from standard input, a JSON object a line:
`command` is a path and its arguments, `seconds` the time that it may take, `memory` its address space in bytes (0:
unlimited), `kept` how many bytes of its standard output and standard error each are kept, `given` the file that it
reads, `directory` where it runs (null: where we do), `environment` what is added to its environment. Each is answered
before the next: `end` is `exit`, `signal`, `timeout` or `not-started`, `status` the exit status, signal or errno, `out`
and `err` the output with bytes that are not UTF-8 replaced. The command's output stands inside that JSON, so nothing it
writes can pass for a report, and without a report nothing is known. What is said is ASCII, in lines of bounded length:
each ends with `+` if it goes on in the next, else with `.`. The end of the input, or of the process that started it,
ends the supervisor and what it runs. Needs POSIX, and imports little.
"""

import json
import os
import resource
import select
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

# These four are all that this program shares with its users.
ENDS = ("exit", "signal", "timeout", "not-started")
MARK = "wgsl-fuzz-supervisor"
MORE, LAST = "+", "."

_LINE = 1 << 20
_NOT_STARTED = 127
_READ_SIZE = 1 << 16
_SET_CHILD_SUBREAPER = 36
_ROUNDS = 100
"""A process may start another one while it is ended."""
_LOOK_SECONDS = 0.5
"""How often to look whether anybody is left who wants an answer; whatever else happens is noticed at once."""
_SLEPT_SECONDS = 1.0
"""A look that took so much longer did not look: the machine, or this process, was asleep, and time stood still."""


class Unwanted(Exception):
    """Nobody wants the answer any more."""


class ChildWatch:
    """What a supervisor looks at while a command runs: ended children, and whether its own parent is there.

    What it prepares for all commands costs each of them less than after a fork. A signal that is caught is as it was at
    first in what is executed: Ctrl-C is for the fuzzer, which still wants an answer, but may end a command.
    """

    def __init__(self) -> None:
        for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGCHLD):
            signal.signal(number, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        limit(resource.RLIMIT_CORE, 0)
        self.environment, self.processors = dict(os.environ), os.cpu_count() or 1
        self._parent = os.getppid()
        self._woken, writing = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)

    def requests(self) -> Iterator[Any]:
        """Each request as it comes."""
        rest = b""
        while True:
            while b"\n" not in rest:
                if 0 not in self._ready([0], _LOOK_SECONDS):
                    continue
                chunk = os.read(0, _READ_SIZE)
                if not chunk:
                    return
                rest += chunk
            line, _, rest = rest.partition(b"\n")
            yield json.loads(line)

    def readable(self, pipes: set[int], seconds: float) -> list[int]:
        """Which of these can be read, after at most so long, or the end of a child. Raises Unwanted."""
        ready = self._ready([0, *pipes], seconds)
        if 0 in ready:  # there is one request at a time: this is the end of the input
            raise Unwanted
        return [pipe for pipe in ready if pipe in pipes]

    def _ready(self, pipes: list[int], seconds: float) -> list[int]:
        ready = select.select([self._woken, *pipes], [], [], seconds)[0]
        if self._woken in ready:
            os.read(self._woken, _READ_SIZE)
        if os.getppid() != self._parent:
            raise Unwanted
        return ready


def main() -> None:
    """Answers requests until nobody is left who makes any."""
    watch = ChildWatch()
    with suppress(PermissionError):  # it leads a session already
        os.setsid()
    try:
        with suppress(ImportError, AttributeError):  # on Linux, it inherits what a command leaves behind
            import ctypes

            ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        say({"pid": os.getpid()})
        for request in watch.requests():
            say(supervise(request, watch))
    except (Unwanted, BrokenPipeError):
        os._exit(0)


def say(value: dict[str, object]) -> None:
    """Writes one answer."""
    text = json.dumps({"program": MARK, **value})
    while text:
        line, text = text[:_LINE], text[_LINE:]
        data = (line + (MORE if text else LAST) + "\n").encode("ascii")
        while data:
            data = data[os.write(1, data) :]


def supervise(asked: dict[str, Any], watch: ChildWatch) -> dict[str, object]:
    """Starts the command in a session of its own, waits for its end or its time, and kills what is left of it."""
    out, err, failure = os.pipe(), os.pipe(), os.pipe()
    environment = watch.environment | asked["environment"]
    pid = os.fork()
    if pid == 0:
        _become(asked, environment, watch.processors, (out[1], err[1], failure[1]))
    for _, writing in (out, err, failure):
        os.close(writing)
    try:
        reason = os.read(failure[0], 16)
        if reason:
            os.waitpid(pid, 0)
            return {"end": "not-started", "status": int(reason), "out": "", "err": os.strerror(int(reason))}
        texts: dict[int, bytearray] = {out[0]: bytearray(), err[0]: bytearray()}
        status = _status(pid, texts, time.monotonic() + asked["seconds"], asked["kept"], watch)
    finally:
        for reading, _ in (out, err, failure):
            os.close(reading)
    end, number = _describe(status)
    return {"end": end, "status": number, "out": _text(texts[out[0]]), "err": _text(texts[err[0]])}


def _become(asked: dict[str, Any], environment: dict[str, str], processors: int, pipes: tuple[int, int, int]) -> None:
    """In the child: sets limits and turns into the command, or writes the errno and leaves."""
    out, err, failure = pipes
    try:
        os.setsid()
        # A process that escapes the group still runs out of processor time.
        limit(resource.RLIMIT_CPU, int(asked["seconds"] + 2) * processors)
        if asked["memory"]:
            limit(resource.RLIMIT_AS, asked["memory"])
        if asked["directory"] is not None:
            os.chdir(asked["directory"])
        os.dup2(os.open(asked["given"], os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.execve(asked["command"][0], asked["command"], environment)
    except OSError as error:
        os.write(failure, str(error.errno).encode())
    finally:
        os._exit(_NOT_STARTED)


def limit(which: int, wanted: int) -> None:
    """Lowers a limit; one that is lower already stays, and so does one that the system does not have (macOS)."""
    hard = resource.getrlimit(which)[1]
    value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(which, (value, value))


def _status(pid: int, texts: dict[int, bytearray], deadline: float, kept: int, watch: ChildWatch) -> int | None:
    """Reads until the process has ended, whoever else holds its pipes; its wait status, or None when time ran out."""
    open_pipes = set(texts)
    status: int | None = None
    try:
        while status is None and time.monotonic() < deadline:
            now = time.monotonic()
            ended, status_now = os.waitpid(pid, os.WNOHANG)
            status = status_now if ended else None
            wait = 0.0 if ended else min(_LOOK_SECONDS, max(0.0, deadline - now))
            _drain(open_pipes, texts, wait, kept, watch)
            slept = time.monotonic() - now - wait
            if slept > _SLEPT_SECONDS:
                deadline += slept
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        if status is None:
            os.waitpid(pid, 0)
        _end_orphans()
    _drain(open_pipes, texts, 0.0, kept, watch, rounds=64)
    return status


def _drain(
    pipes: set[int], texts: dict[int, bytearray], wait: float, kept: int, watch: ChildWatch, rounds: int = 1
) -> None:
    """Read available output, waiting at most `wait` seconds; output beyond the limit is dropped."""
    for _ in range(rounds):
        ready = watch.readable(pipes, wait)
        for pipe in ready:
            chunk = os.read(pipe, _READ_SIZE)
            if not chunk:
                pipes.discard(pipe)
            texts[pipe] += chunk[: kept - len(texts[pipe])]
        if not ready:
            return


def _end_orphans() -> None:
    """Ends all children of this process, and theirs, which it inherits."""
    for _ in range(_ROUNDS):
        with suppress(OSError), open("/proc/thread-self/children", encoding="ascii") as children:  # noqa: PTH123
            for child in children.read().split():
                os.kill(int(child), signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _describe(status: int | None) -> tuple[str, int]:
    if status is None:
        return "timeout", 0
    if os.WIFSIGNALED(status):
        return "signal", os.WTERMSIG(status)
    return "exit", os.WEXITSTATUS(status)


def _text(data: bytearray) -> str:
    return data.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
