"""Runs one command under limits and reports on it: a stand-alone program, started anew for each shader.

    python -I -S supervisor.py SECONDS BYTES OUTPUT-BYTES FILE INPUT ENVIRONMENT -- COMMAND ARGUMENT...

SECONDS is the time it may take, and FILE is there for as long as anybody wants the answer. BYTES is its address space
(0: unlimited), OUTPUT-BYTES how much of its standard output and standard error each is kept. INPUT is what it reads,
and ENVIRONMENT what is added to its environment, as a JSON object. The report is one line of ASCII JSON: `end` is
`exit`, `signal`, `timeout` or `not-started`, `status` the exit status, signal or errno, `out` and `err` the output with
bytes that are not UTF-8 replaced. The command's output stands inside that line, so nothing it writes can pass for the
report, and without the line nothing is known. Needs POSIX, and imports little: starting it takes half of its own time.
"""

import json
import os
import resource
import select
import signal
import sys
import time

# These two are all that this program shares with its users.
ENDS = ("exit", "signal", "timeout", "not-started")
MARK = "wgsl-fuzz-supervisor"

_NOT_STARTED = 127
_READ_SIZE = 1 << 16
_LOOK_SECONDS = 0.02
_SLEPT_SECONDS = 1.0
"""A look that took so much longer did not look: the machine, or this process, was asleep, and time stood still."""


def main(arguments: list[str]) -> None:
    """Runs the command and prints the report."""
    # Ctrl-C is for the fuzzer; it still wants this answer.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    seconds, memory, kept, wanted = float(arguments[0]), int(arguments[1]), int(arguments[2]), arguments[3]
    os.environ.update(json.loads(arguments[5]))
    report = supervise(arguments[7:], seconds, memory, kept, wanted, arguments[4])
    print(json.dumps({"program": MARK, **report}))


def supervise(command: list[str], seconds: float, memory: int, kept: int, wanted: str, given: str) -> dict[str, object]:
    """Starts the command in a session of its own, waits for its end or its time, and kills what is left of it."""
    out, err, failure = os.pipe(), os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        _become(command, seconds, memory, given, out[1], err[1], failure[1])
    for _, writing in (out, err, failure):
        os.close(writing)
    reason = os.read(failure[0], 16)
    if reason:
        os.waitpid(pid, 0)
        return {"end": "not-started", "status": int(reason), "out": "", "err": os.strerror(int(reason))}
    texts: dict[int, bytearray] = {out[0]: bytearray(), err[0]: bytearray()}
    status = _watch(pid, texts, time.monotonic() + seconds, kept, wanted)
    end, number = _describe(status)
    return {"end": end, "status": number, "out": _text(texts[out[0]]), "err": _text(texts[err[0]])}


def _become(command: list[str], seconds: float, memory: int, given: str, out: int, err: int, failure: int) -> None:
    """In the child: sets limits and turns into the command, or writes the errno and leaves."""
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        # A process that escapes the group still runs out of processor time.
        _limit(resource.RLIMIT_CPU, int(seconds + 2) * (os.cpu_count() or 1))
        _limit(resource.RLIMIT_CORE, 0)
        if memory:
            _limit(resource.RLIMIT_AS, memory)
        os.dup2(os.open(given, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.execv(command[0], command)
    except OSError as error:
        os.write(failure, str(error.errno).encode())
    finally:
        os._exit(_NOT_STARTED)


def _limit(which: int, wanted: int) -> None:
    """Lowers a limit; one that is lower already stays."""
    hard = resource.getrlimit(which)[1]
    value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(which, (value, value))


def _watch(pid: int, texts: dict[int, bytearray], deadline: float, kept: int, wanted: str) -> int | None:
    """Reads until the process has ended, whoever else holds its pipes; its wait status, or None when time ran out.

    Time has run out as well when the file `wanted` is gone.
    """
    open_pipes = set(texts)
    status: int | None = None
    while status is None and time.monotonic() < deadline and os.path.exists(wanted):  # noqa: PTH110
        now = time.monotonic()
        ended, status_now = os.waitpid(pid, os.WNOHANG)
        status = status_now if ended else None
        wait = 0.0 if ended else min(_LOOK_SECONDS, max(0.0, deadline - now))
        _drain(open_pipes, texts, wait, kept)
        slept = time.monotonic() - now - wait
        if slept > _SLEPT_SECONDS:
            deadline += slept
    _kill_group(pid)
    if status is None:
        os.waitpid(pid, 0)
    _drain(open_pipes, texts, 0.0, kept, rounds=64)
    return status


def _drain(pipes: set[int], texts: dict[int, bytearray], wait: float, kept: int, rounds: int = 1) -> None:
    """Reads what there is, waiting at most `wait` seconds for it; what exceeds the limit is read and dropped."""
    for _ in range(rounds):
        if not pipes:
            if wait:
                time.sleep(min(wait, 0.001))
            return
        ready = select.select(list(pipes), [], [], wait)[0]
        if not ready:
            return
        for pipe in ready:
            chunk = os.read(pipe, _READ_SIZE)
            if not chunk:
                pipes.discard(pipe)
            texts[pipe] += chunk[: kept - len(texts[pipe])]


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _describe(status: int | None) -> tuple[str, int]:
    if status is None:
        return "timeout", 0
    if os.WIFSIGNALED(status):
        return "signal", os.WTERMSIG(status)
    return "exit", os.WEXITSTATUS(status)


def _text(data: bytearray) -> str:
    return data.decode("utf-8", "replace")


if __name__ == "__main__":
    main(sys.argv[1:])
