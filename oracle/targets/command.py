"""Compilers that are commands: `tint:/path/to/tint`, `naga:/path/to/naga`. One process for each text.

Run through subprocess-tee, which has no time limit, keeps all output and loses everything to one byte that is not
UTF-8; hence the supervisor between it and the compiler.
"""

import hashlib
import json
import os
import shutil
import signal
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wgsl_fuzz.oracle.targets.messages import MESSAGE_LIMIT, NAGA, TINT, Dialect, refusal, says_error
from wgsl_fuzz.oracle.targets.named import normal_path
from wgsl_fuzz.oracle.targets.probes import BROKEN, VALID, has_analysis
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.targets.registry import TargetRequest
from wgsl_fuzz.oracle.targets.scratch import discard, scratch_directory
from wgsl_fuzz.oracle.verdict import Answer, Verdict

MEMORY_LIMIT = 4 << 30
OUTPUT_LIMIT = 64 << 10
AGAIN = 2
"""How often a command is run again that was killed from outside: by a system out of memory, say."""

_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_SHELL_SIGNALS = range(128 + 1, 128 + 32)
_RUST_PANIC = 101

_TINT_OPTIONS = (
    *(("--format", name, "-o", os.devnull) for name in ("spirv", "wgsl", "msl", "hlsl", "glsl")),
    (),
)
"""Builds differ in the output formats they have; the last choice asks for none."""

_NAGA_OPTIONS = (("--validate", "31"), ())
"""31: all checks, control-flow uniformity among them."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use: seconds, bytes of address space (0: unlimited)."""

    seconds: float
    memory: int


def run_supervised(
    command: Sequence[str], limits: Limits, wanted: Path = _SUPERVISOR, directory: Path | None = None
) -> Mapping[str, Any] | None:
    """The supervisor's report on one run; None when there is none, whatever the reason.

    The run is broken off when the file `wanted` disappears. The command runs in `directory`, by default in ours.
    """
    import subprocess_tee

    from wgsl_fuzz.oracle.targets.supervisor import ENDS, MARK

    numbers = [str(limits.seconds), str(limits.memory), str(OUTPUT_LIMIT), str(wanted)]
    done = subprocess_tee.run(
        [sys.executable, "-I", "-S", str(_SUPERVISOR), *numbers, "--", *command], quiet=True, tee=False, cwd=directory
    )
    try:
        report = json.loads(done.stdout.strip())
    except ValueError:
        return None
    sound = isinstance(report, dict) and report.get("program") == MARK and report.get("end") in ENDS
    return report if sound and done.returncode == 0 else None


def judge(dialect: Dialect, report: Mapping[str, Any] | None, seconds: float) -> Answer:
    """The answer that a report stands for. Only a plain exit with status 0 and no error in the output accepts."""
    if report is None:
        return Answer(Verdict.CRASHED, "the supervisor did not report")
    output = "\n".join(text for text in (report["err"], report["out"]) if text)
    end, status = report["end"], int(report["status"])
    if end == "timeout":
        return Answer(Verdict.TIMED_OUT, f"no end within {seconds:g} s")
    if end == "not-started":
        return Answer(Verdict.CRASHED, f"cannot be started: {report['err']}")
    if end == "signal" or status in _SHELL_SIGNALS:
        number = status if end == "signal" else status - 128
        return Answer(Verdict.CRASHED, f"killed by {_signal_name(number)}\n{output}".strip()[:MESSAGE_LIMIT])
    if status == _RUST_PANIC and dialect is NAGA:
        return Answer(Verdict.CRASHED, (output.strip() or "panicked")[:MESSAGE_LIMIT])
    if status == 0 and not says_error(output):
        return Answer(Verdict.ACCEPTS)
    answer = refusal(dialect, output)
    if status == 0 and answer.verdict is Verdict.REJECTS:
        return Answer(Verdict.INVALID, f"exit status 0, yet: {answer.message}"[:MESSAGE_LIMIT])
    return answer


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class CommandTarget:
    """A compiler command as a target. A thread runs the shaders one after another while the caller does other work."""

    def __init__(self, request: TargetRequest, dialect: Dialect) -> None:
        self.checks_uniformity = False
        self._dialect = dialect
        path, self._binary = _find_binary(request)
        self.name = f"{request.prefix}:{path}"
        self.origin = f"command {self._binary} (sha256 {_digest(self._binary)})"
        self._folder = Path(scratch_directory())
        self._litter = self._folder / "run-in"
        self._litter.mkdir()
        self._wanted = self._folder / "wanted"
        self._wanted.touch()
        self._closed = False
        self._pool = ThreadPoolExecutor(max_workers=1, initializer=_block_interrupts)
        self._batches: deque[Future[list[Answer]]] = deque()
        self._options: tuple[str, ...] = ()
        self._limits = Limits(request.timeout, MEMORY_LIMIT)
        try:
            self._pool.submit(self._handshake, request).result()
        except BaseException:
            self.close()
            raise

    def submit(self, texts: Sequence[str]) -> None:
        """Hands over a batch of WGSL texts."""
        batch = tuple(texts)
        self._batches.append(self._pool.submit(lambda: [self._check(text) for text in batch if not self._closed]))

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch submitted, in order."""
        if not self._batches:
            raise ValueError("nothing was submitted")
        return self._batches.popleft().result()

    def close(self) -> None:
        """Breaks off the shader at hand and drops the rest."""
        self._closed = True
        self._wanted.unlink(missing_ok=True)
        self._pool.shutdown(wait=True, cancel_futures=True)
        discard(str(self._folder))

    def _check(self, text: str) -> Answer:
        """One run, and another one if the supervisor or the command was killed from outside."""
        file = self._folder / "shader.wgsl"
        file.write_text(text, encoding="utf-8", errors="replace")
        command = [self._binary, *self._options, str(file)]
        report = self._run(command)
        for _ in range(AGAIN):
            if report is not None and (report["end"], report["status"]) != ("signal", signal.SIGKILL):
                break
            report = self._run(command)
        return _without_file(judge(self._dialect, report, self._limits.seconds), str(file))

    def _run(self, command: Sequence[str]) -> Mapping[str, Any] | None:
        report = run_supervised(command, self._limits, self._wanted, self._litter)
        if any(self._litter.iterdir()):  # what a compiler leaves there would grow for the length of a campaign
            discard(str(self._litter))
            self._litter.mkdir()
        return report

    def _handshake(self, request: TargetRequest) -> None:
        """Finds arguments with which the command knows a good shader from a bad one, or raises TargetError."""
        choices = _TINT_OPTIONS if self._dialect is TINT else _NAGA_OPTIONS
        # A build with AddressSanitizer reserves more address space than any limit leaves it.
        for memory in (MEMORY_LIMIT, 0):
            for options in choices:
                self._options, self._limits = options, Limits(request.timeout, memory)
                good = self._check(VALID)
                if good.verdict is Verdict.ACCEPTS and self._check(BROKEN).verdict is Verdict.INVALID:
                    if not memory:
                        request.notify(f"{self.name} does not run in {MEMORY_LIMIT >> 30} GiB: no memory limit")
                    self.checks_uniformity = has_analysis(lambda texts: [self._check(text) for text in texts])
                    return
                if good.verdict is Verdict.TIMED_OUT:
                    break
        reason = " ".join(good.message.split())[:200] or "it accepts a syntax error"
        raise TargetError(f"{self._binary} is no WGSL compiler: {reason}")


def open_command(request: TargetRequest, dialect: Dialect) -> Target:
    """The target for a request with a path; TargetError when there is no compiler there."""
    if os.name != "posix":
        raise TargetError(f"{request.spec}: compiler commands need a POSIX system")
    return CommandTarget(request, dialect)


def _find_binary(request: TargetRequest) -> tuple[str, str]:
    """The path as records have it, and the file."""
    given = request.path or ""
    if os.sep not in given:
        found = shutil.which(given)
        if found is not None:
            return given, found
        if not Path(given).is_file():
            raise TargetError(f"{request.spec}: there is no command {given} on PATH, and no such file")
    path = Path(given).expanduser().absolute()
    if not path.is_file():
        raise TargetError(f"{request.spec}: there is no file {given}")
    if not os.access(path, os.X_OK):
        raise TargetError(f"{request.spec}: {given} is not executable")
    normal = normal_path(given)
    return (normal if os.sep in normal else f"./{normal}"), str(path)  # without a `/` it would be a command on PATH


def _digest(path: str) -> str:
    """Twelve hex digits that tell two builds at one path apart."""
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:12]
    except OSError:
        return "unreadable"


def _without_file(answer: Answer, file: str) -> Answer:
    return Answer(answer.verdict, answer.message.replace(file, "shader.wgsl")) if answer.message else answer


def _block_interrupts() -> None:
    """In the pool's thread: children inherit the mask, so that Ctrl-C reaches none of them before it is ready."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
