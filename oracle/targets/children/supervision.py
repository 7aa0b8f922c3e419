"""Commands run under limits, through a supervisor process that stays: `supervisor` is its program.

It is run through subprocess-tee, which has no time limit, keeps all output and loses everything to one byte that is not
UTF-8; hence the supervisor between it and the compiler, and a new one now and then.
"""

import json
import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

OUTPUT_LIMIT = 64 << 10
SPENT = 8 << 20
"""So much is read of a supervisor before it is replaced, in characters: subprocess-tee keeps all of it."""

SILENT = 5.0
"""So many seconds more than a command's time a supervisor may be silent."""
_LINE_COST = 128
_PATIENCE = 5.0
"""Seconds that a supervisor has to end when asked."""
_PROGRAM = Path(__file__).with_name("supervisor.py")

Report = Mapping[str, Any]
"""What the supervisor says of a run."""


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What one run may use: seconds, bytes of address space (0: unlimited), bytes of each stream that are kept."""

    seconds: float
    memory: int
    output: int = OUTPUT_LIMIT


class Supervisor:
    """Runs commands, one at a time. Any thread may close it, which breaks off the run at hand.

    Its process is started at the first run, and anew if it is lost. As a context manager it is closed at the end.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._closed = False

    def run(
        self,
        command: Sequence[str],
        limits: ProcessLimits,
        directory: Path | None = None,
        given: Path = Path(os.devnull),
        environment: Mapping[str, str] | None = None,
    ) -> Report | None:
        """The report on one run; None when there is none, whatever the reason. Raises OSError if no process can be
        started. The command runs in `directory` (None: where we do), reads `given`, and has more in its `environment`.
        """
        from wgsl_fuzz.oracle.targets.children.supervisor import ENDS

        request = {
            "command": list(command),
            "seconds": limits.seconds,
            "memory": limits.memory,
            "kept": limits.output,
            "given": str(given),
            "directory": None if directory is None else str(directory),
            "environment": dict(environment or {}),
        }
        process, report = None, None
        try:
            process = self._asked(request)
            report = None if process is None else process.report()
        finally:  # what was not answered properly, or not waited for, must not answer the next request
            if process is not None and (report is None or process.read > SPENT):
                self._end(process)
        sound = report is not None and report.get("end") in ENDS
        return report if sound else None

    def close(self) -> None:
        """Ends the process and what it runs; there are no more runs."""
        with self._lock:
            self._closed, process = True, self._process
        if process is not None:
            self._end(process)

    def _asked(self, request: Mapping[str, Any]) -> "_Process | None":
        """The process, with the request before it; None if this is closed."""
        with self._lock:
            if self._closed:
                return None
            if self._process is None:
                self._process = _Process()
            self._process.ask(request)
            return self._process

    def _end(self, process: "_Process") -> None:
        with self._lock:
            if self._process is process:
                self._process = None
            process.end()


class _Process:
    """A supervisor's process, the thread that reads it, and the pipe to it."""

    def __init__(self) -> None:
        self.read = 0
        """How much was read of it, in characters."""
        self._pid: int | None = None
        self._failure: Exception | None = None
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._given, self._requests = os.pipe()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def ask(self, request: Mapping[str, Any]) -> None:
        """Hands a request over; what is lost with the process shows in the report."""
        self._seconds = request["seconds"]
        data = json.dumps(request).encode("ascii") + b"\n"
        with suppress(BrokenPipeError):
            while data:
                data = data[os.write(self._requests, data) :]

    def report(self) -> Report | None:
        """The next report; None if there is none. Raises OSError if the process could not be started."""
        if self._pid is None:
            ready = self._answer()
            if ready is None:
                return None
            self._pid = int(ready["pid"])
        return self._answer()

    def end(self) -> None:
        """Ends it: by the end of its input, or by force."""
        if self._requests >= 0:
            os.close(self._requests)
            self._requests = -1
        self._thread.join(_PATIENCE)
        if self._thread.is_alive() and self._pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            self._thread.join(_PATIENCE)

    def _answer(self) -> Report | None:
        from wgsl_fuzz.oracle.targets.children.supervisor import LAST, MARK, MORE

        parts = list[str]()
        while not parts or parts[-1].endswith(MORE):
            line = self._line()
            if line is None:
                if self._failure is not None:
                    raise self._failure
                return None
            parts.append(line)
            self.read += len(line) + _LINE_COST
        try:
            value = json.loads("".join(part[:-1] for part in parts)) if parts[-1].endswith(LAST) else None
        except ValueError:
            return None
        return value if isinstance(value, dict) and value.get("program") == MARK else None

    def _line(self) -> str | None:
        for _ in range(int(self._seconds + SILENT)):  # seconds that the machine sleeps through do not count
            with suppress(Empty):
                return self._lines.get(timeout=1.0)
        return None  # it is stopped, say

    def write(self, text: str) -> None:
        """What subprocess-tee calls with each line, and with what ends it."""
        self._release()
        if text.strip():
            self._lines.put(text)

    def _run(self) -> None:
        import subprocess

        import subprocess_tee

        # The process inherits the mask, so that Ctrl-C does not reach it before it is ready.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            command = [sys.executable, "-I", "-S", str(_PROGRAM)]
            subprocess_tee.run(command, stdin=self._given, stdout=self, stderr=subprocess.DEVNULL)
        except (OSError, RuntimeError) as error:  # no process, or no thread, is left to be had
            self._failure = error
        finally:
            self._release()
            self._lines.put(None)

    def _release(self) -> None:
        """Closes our end of what the process reads: with it nobody does when the process is gone."""
        if self._given >= 0:
            os.close(self._given)
            self._given = -1
