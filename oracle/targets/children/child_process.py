"""A long-lived child that answers texts, and the threads at its pipes; `lines` has the protocol."""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psutil

from wgsl_fuzz.oracle.targets.children.lines import PLACE_BYTES, PLACE_VARIABLE, RS, line_of_texts, value_of
from wgsl_fuzz.oracle.targets.children.scratch import PREFIX, discard, scratch_directory
from wgsl_fuzz.oracle.targets.children.strays import end_strays, marked

MEMORY_LIMIT = 4 << 30
"""Bytes of private memory after which a child's allocations fail, where the system can limit them (Linux)."""

FLOOD = 256 << 20
"""Bytes of output that nobody asked for, after which no more is read."""

KILLED = "killed by SIGKILL"
"""How a child ended that someone else killed."""

ASIDE: Mapping[str, Any] = {
    "start_new_session": True,
    "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
}
"""How a child is started that Ctrl-C is not for: the parent may still want to collect. Windows knows no sessions."""

_READ_SIZE = 1 << 16
_STDERR_CHUNKS = 8
_LOOK_SECONDS = 0.2
"""How often to look whether a silent child lives: processes that it started may keep its output open."""
_SLEPT_SECONDS = 1.0
"""A look that took so much longer did not look: the machine, or this process, was asleep, and time stood still."""
_LAST_SECONDS = 1.0
"""How long the last words of a dead child are waited for."""


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

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str] | None = None,
        *,
        scratch: bool = True,
        memory: int = MEMORY_LIMIT,
    ) -> None:
        """`scratch`: it runs in a directory of its own, where what it leaves is deleted; else where we do. `memory` is
        in bytes, 0 for no limit.
        """
        self._scratch = scratch_directory() if scratch else None
        self._mark = self._scratch or f"{PREFIX}{os.getpid()}-{uuid.uuid4().hex}"
        self._place = tempfile.TemporaryFile(buffering=0) if hasattr(os, "pread") else None  # noqa: SIM115
        fds = [] if self._place is None else [self._place.fileno()]
        try:
            self._process = subprocess.Popen(
                list(command),
                cwd=self._scratch,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env={**(env or os.environ), PLACE_VARIABLE: "".join(map(str, fds)), **marked(self._mark)},
                pass_fds=fds,
                **ASIDE,
            )
        except BaseException:
            self._clean_up()
            raise
        self._unasked = 0
        self._limit_memory(memory)
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
        """Hands a line of texts to the writer thread; never blocks."""
        self._outbox.put(line_of_texts(texts))

    @property
    def begun(self) -> int | None:
        """How many texts it has begun; None if it never said so."""
        if self._place is None:
            return None
        written = os.pread(self._place.fileno(), PLACE_BYTES, 0)
        return int.from_bytes(written, "little") if len(written) == PLACE_BYTES else None

    def receive(self, deadline: float) -> ChildLine:
        """The next line; raises Silence at `deadline` (monotonic seconds), ClosedOutput when no more will come."""
        self._unasked = 0
        if not self._unread:
            received = self._received(deadline)
            if received is None:
                raise ClosedOutput
            self._unread.extend(received)
        return self._unread.popleft()

    def _received(self, deadline: float) -> list[ChildLine] | None:
        """The next lines read; None if no more will come."""
        while True:
            now = time.monotonic()
            dead, left = self._process.poll() is not None, deadline - now
            try:
                return self._inbox.get(timeout=_LAST_SECONDS if dead else max(0.0, min(left, _LOOK_SECONDS)))
            except queue.Empty:
                if dead:
                    return None
                slept = time.monotonic() - now - _LOOK_SECONDS
                if slept > _SLEPT_SECONDS:
                    deadline += slept
                elif left <= _LOOK_SECONDS:
                    raise Silence from None

    def end(self, patience: float = 0.5) -> str:
        """Ends the process, asking first (end of input) and killing after `patience` seconds; says how it ended."""
        self._outbox.put(None)
        killed = False
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            killed = True
        self._kill_group()
        end_strays(self._mark)  # one that holds a pipe would keep a thread below waiting
        status = self._process.wait()
        for thread in self._threads:
            thread.join(1.0)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._clean_up()
        how = "killed after its time" if killed else describe_status(status)
        last = b"".join(self._stderr).decode("utf-8", "replace").strip()
        return f"{how}: {last[-1000:]}" if last else how

    def _clean_up(self) -> None:
        if self._place is not None:
            self._place.close()
        if self._scratch is not None:
            discard(self._scratch)

    def _limit_memory(self, limit: int) -> None:
        if limit and sys.platform == "linux":
            import resource

            # Lost races (it is dead already) show in the handshake.
            with contextlib.suppress(OSError, ValueError):
                resource.prlimit(self._process.pid, resource.RLIMIT_DATA, (limit, limit))

    def _kill_group(self) -> None:
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            with contextlib.suppress(psutil.Error):
                for one in psutil.Process(self._process.pid).children(recursive=True):
                    one.kill()
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
        fd, rest = self._process.stdout.fileno(), bytearray()
        with contextlib.suppress(OSError):
            while chunk := os.read(fd, _READ_SIZE):
                now = time.monotonic()
                first, *lines = chunk.split(b"\n")
                rest += first
                if lines:
                    whole, rest = [bytes(rest), *lines[:-1]], bytearray(lines[-1])
                    if values := [value for line in whole if (value := value_of(line)) is not None]:
                        self._inbox.put([ChildLine(now, value) for value in values])
                        self._unasked += len(chunk)
                if len(rest) > FLOOD or self._unasked > FLOOD:
                    break
                if RS not in rest:
                    rest.clear()
        self._inbox.put(None)

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        fd = self._process.stderr.fileno()
        with contextlib.suppress(OSError):
            while chunk := os.read(fd, 4096):
                self._stderr.append(chunk)


def describe_status(status: int) -> str:
    """`exit status 3` or `killed by SIGSEGV`, from what Popen calls a return code."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
