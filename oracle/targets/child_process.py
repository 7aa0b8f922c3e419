"""A long-lived child that answers texts line by line (JSON text sequences, RFC 7464).

To the child: one JSON string a line, a WGSL text. From it, first `RS {"ready": {...}}` or `RS {"error": "why"}`, then,
in the order of the texts, `RS {"n": 0}` (accepted) or `RS {"n": 1, "message": "..."}` (refused), each ended by a
newline; `n` counts the texts, so that a spoilt line cannot shift the answers. RS is the character 1E: whatever else
appears on its standard output (Dawn prints warnings there) carries no RS and is dropped.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wgsl_fuzz.oracle.targets.scratch import discard, scratch_directory

MEMORY_LIMIT = 4 << 30
"""Bytes of private memory after which a child's allocations fail, where the system can limit them (Linux)."""

_RS = b"\x1e"
_READ_SIZE = 1 << 16
_STDERR_CHUNKS = 8
_REST = 0.001


@dataclass(frozen=True, slots=True)
class ChildLine:
    """A line of the child and when it was read (monotonic seconds)."""

    time: float
    value: Mapping[str, Any]


class ClosedOutput(Exception):
    """The child has closed its output: it is dead or dying."""


class Silence(Exception):
    """Nothing came in time."""


class ChildProcess:
    """One process and the threads that keep its pipes flowing, so that neither side waits for the other to read."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None = None, *, scratch: bool = True) -> None:
        """`scratch`: it runs in a directory of its own, where what it leaves is deleted; else where we do."""
        self._scratch = scratch_directory() if scratch else None
        self._process = subprocess.Popen(
            list(command),
            cwd=self._scratch,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=None if env is None else dict(env),
            # Its own session: Ctrl-C is for the parent, which may still want to collect.
            start_new_session=True,
        )
        self._limit_memory()
        self._inbox: queue.SimpleQueue[list[ChildLine] | None] = queue.SimpleQueue()
        self._unread: deque[ChildLine] = deque()
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stderr: deque[bytes] = deque(maxlen=_STDERR_CHUNKS)
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._write, self._read, self._read_stderr)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def send(self, texts: Sequence[str]) -> None:
        """Hands texts to the writer thread; never blocks."""
        self._outbox.put(b"".join(json.dumps(text).encode("ascii") + b"\n" for text in texts))

    def receive(self, deadline: float) -> ChildLine:
        """The next line; raises Silence at `deadline` (monotonic seconds), ClosedOutput when no more will come."""
        if not self._unread:
            try:
                received = self._inbox.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise Silence from None
            if received is None:
                raise ClosedOutput
            self._unread.extend(received)
        return self._unread.popleft()

    def end(self, patience: float = 0.5) -> str:
        """Ends the process, asking first (end of input) and killing after `patience` seconds; says how it ended."""
        self._outbox.put(None)
        killed = False
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            killed = True
        self._kill_group()
        status = self._process.wait()
        for thread in self._threads:
            thread.join(1.0)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        if self._scratch is not None:
            discard(self._scratch)
        how = "killed after its time" if killed else describe_status(status)
        last = b"".join(self._stderr).decode("utf-8", "replace").strip()
        return f"{how}: {last[-1000:]}" if last else how

    def _limit_memory(self) -> None:
        if sys.platform == "linux":
            import resource

            # Lost races (it is dead already) show in the handshake.
            with contextlib.suppress(OSError, ValueError):
                resource.prlimit(self._process.pid, resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))

    def _kill_group(self) -> None:
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def _write(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        with contextlib.suppress(OSError, ValueError):
            while (data := self._outbox.get()) is not None:
                view = memoryview(data)
                while view:
                    view = view[pipe.write(view) or 0 :]
        with contextlib.suppress(OSError, ValueError):
            pipe.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        fd, rest = self._process.stdout.fileno(), b""
        with contextlib.suppress(OSError):
            while chunk := os.read(fd, _READ_SIZE):
                now = time.monotonic()
                *lines, rest = (rest + chunk).split(b"\n")
                if values := [value for line in lines if (value := _parse(line)) is not None]:
                    self._inbox.put([ChildLine(now, value) for value in values])
                if _RS not in rest:
                    rest = b""
                # Waking for each answer would cost the caller a fifth of its processor time.
                time.sleep(_REST)
        self._inbox.put(None)

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        fd = self._process.stderr.fileno()
        with contextlib.suppress(OSError):
            while chunk := os.read(fd, 4096):
                self._stderr.append(chunk)


def _parse(line: bytes) -> Mapping[str, Any] | None:
    """What a line of the protocol says; what stands before the mark is the compiler's chatter."""
    _, mark, body = line.rpartition(_RS)
    if not mark:
        return None
    try:
        value = json.loads(body)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def describe_status(status: int) -> str:
    """`exit status 3` or `killed by SIGSEGV`, from what Popen calls a return code."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
