"""Targets behind a long-lived child process: its pipes, batches, time limits, crashes and restarts.

`python_child` has the protocol.
"""

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
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeGuard

import psutil

from wgsl_fuzz.oracle.targets.children import python_child
from wgsl_fuzz.oracle.targets.children.scratch import PREFIX, discard, end_strays, marked, scratch_directory
from wgsl_fuzz.oracle.targets.probes import has_analysis
from wgsl_fuzz.oracle.targets.protocol import CRASH, GARBLED, HANG, TargetError, TargetRequest
from wgsl_fuzz.oracle.verdict import Answer, Verdict

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


ChildLine = tuple[float, Mapping[str, Any]]
"""When a line of the child was read (monotonic seconds), and the line."""


class LostAnswer(Exception):
    """The child gave no answer; `verdict` is CRASHED or TIMED_OUT. `nonsense`: it said something else."""

    def __init__(self, verdict: Verdict, *, nonsense: bool = False) -> None:
        self.verdict = verdict
        self.nonsense = nonsense

    @property
    def why(self) -> str:
        """Why the child is replaced."""
        return GARBLED if self.nonsense else HANG if self.verdict is Verdict.TIMED_OUT else CRASH


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
                env={**(env or os.environ), python_child.PLACE_VARIABLE: "".join(map(str, fds)), **marked(self._mark)},
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
        self._outbox.put(python_child.line_of_texts(texts))

    @property
    def begun(self) -> int | None:
        """How many texts it has begun; None if it never said so."""
        if self._place is None:
            return None
        written = os.pread(self._place.fileno(), python_child.PLACE_BYTES, 0)
        return int.from_bytes(written, "little") if len(written) == python_child.PLACE_BYTES else None

    def receive(self, deadline: float) -> ChildLine:
        """The next line; raises LostAnswer at `deadline` (monotonic seconds), and when no more will come."""
        self._unasked = 0
        if not self._unread:
            received = self._received(deadline)
            if received is None:
                raise LostAnswer(Verdict.CRASHED)
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
                    raise LostAnswer(Verdict.TIMED_OUT) from None

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
                    if values := [value for line in whole if (value := python_child.value_of(line)) is not None]:
                        self._inbox.put([(now, value) for value in values])
                        self._unasked += len(chunk)
                if len(rest) > FLOOD or self._unasked > FLOOD:
                    break
                if python_child.RS not in rest:
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


Classify = Callable[[str], Answer]
"""From the compiler's own words to the answer, for a text that it refused."""

START_SECONDS = 30.0
"""So long a start may take however short the time for an answer: node, a graphics device and a loaded machine do."""
USERS_START = 5.0
"""The same for what a user wrote."""
_START_ATTEMPTS = 3
KILLED_ATTEMPTS = 8
"""The same where someone else kills the child each time: no compiler does so to itself, but a system out of memory."""


@dataclass
class _Batch:
    texts: tuple[str, ...]
    submitted: float
    answers: dict[int, Answer] = field(default_factory=dict)
    """By the text's place in the batch."""
    apart: bool = False
    """Whether each text is sent in its own line."""

    def rest(self) -> list[int]:
        """The places of the texts that have no answer."""
        return [i for i in range(len(self.texts)) if i not in self.answers]


def _are_answers(value: object, most: int) -> TypeGuard[list[str | None]]:
    """Whether this is one answer or more, and no more than were asked for."""
    return isinstance(value, list) and 0 < len(value) <= most and all(a is None or isinstance(a, str) for a in value)


def _received(child: ChildProcess, since: float, seconds: float) -> ChildLine:
    """The child's next line, which may take so long; what it waits for meanwhile takes none of that time."""
    while "waiting" in (line := child.receive(since + seconds))[1]:
        since = line[0]
    return line


class LineServer:
    """Answers texts through a child that speaks the protocol of `python_child`.

    `as_target` makes it a target. A batch is one line, and so are the answers to it. What it raises begins with `spec`,
    the name by which it was opened. `timeout` is the time for
    one text, in seconds, and for a start unless `start` is longer. `probes` are texts whose verdicts are known;
    each new child must answer them. With `scratch`, a child runs in a directory of its own, not in the caller's;
    `memory` is its limit in bytes, 0 for none. A text that the child does not survive is tried again alone in a
    fresh child, because the state left by earlier texts may be at fault: only the second loss makes it CRASHED or
    TIMED_OUT. What else was in flight is asked again; one by one, if nobody knows which text it was. Raises
    TargetError when no child gets through its start. Not for use by several threads at once.
    """

    def __init__(
        self,
        command: Sequence[str],
        classify: Classify,
        *,
        spec: str = "",
        timeout: float = 10.0,
        start: float = START_SECONDS,
        env: Mapping[str, str] | None = None,
        probes: Sequence[tuple[str, Verdict]] = (),
        scratch: bool = True,
        memory: int = MEMORY_LIMIT,
    ) -> None:
        self.name = self.origin = ""
        self.spec, self._scratch, self._memory = spec, scratch, memory
        self.checks_uniformity = False
        self._command = command
        self._classify = classify
        self._timeout, self._start_seconds = timeout, max(start, timeout)
        self._env = env
        self._probes = probes
        self._batches: deque[_Batch] = deque()
        self._asked: deque[tuple[_Batch, int]] = deque()
        """The texts that the present child was given and has not answered, in that order."""
        self._progress = 0.0
        self._answered = 0
        self._child: ChildProcess | None = None
        self.restarted: Counter[str] = Counter()
        """How often the child was replaced, by the reason; more often than there are CRASHED and TIMED_OUT answers is a
        warning.
        """
        self.banner: Mapping[str, Any] = {}
        """What the child said of itself when it was ready."""
        self._start()

    @classmethod
    def of_python(cls, request: TargetRequest, child: Sequence[str], classify: Classify, **options: Any) -> Self:
        """The server whose child is the `main` of one of our modules (of this package, or by its whole name)."""
        module, *arguments = child
        module = module if "." in module else f"{__package__}.{module}"
        # Python would warn of `-m`: the package imports some of them.
        command = [sys.executable, "-c", f"import sys; from {module} import main; main(*sys.argv[1:])", *arguments]
        options = {"env": python_child.child_environment(), **options}
        return cls(command, classify, spec=request.spec, timeout=request.timeout, **options)

    def submit(self, texts: Sequence[str]) -> None:
        """Hands over a batch; returns at once."""
        batch = _Batch(tuple(texts), time.monotonic())
        self._send(batch, range(len(batch.texts)))
        self._batches.append(batch)

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch not yet collected."""
        if not self._batches:
            raise ValueError("nothing was submitted")
        batch = self._batches[0]
        while len(batch.answers) < len(batch.texts):
            try:
                self._take(batch.submitted)
            except LostAnswer as lost:
                self._recover(lost)
        self._batches.popleft()
        return [batch.answers[i] for i in range(len(batch.texts))]

    def ask(self, texts: Sequence[str]) -> list[Answer]:
        """The answers to these texts; nothing else must be in flight."""
        self.submit(texts)
        return self.collect()

    def as_target(self, name: str, origin: str, *, checks_uniformity: bool | None = None, spec: str = "") -> Self:
        """Itself, under a name for records; `spec` opens it again, if the name does not.

        Unless it is given, plain violations tell whether it checks uniformity. If it answers too few of them, it is
        closed, and TargetError raised.
        """
        try:
            known = has_analysis(self.ask, self.spec) if checks_uniformity is None else checks_uniformity
        except BaseException:
            self.close()
            raise
        self.name, self.origin, self.spec, self.checks_uniformity = name, origin, spec, known
        return self

    def close(self) -> None:
        """Ends the child; closing twice does no harm."""
        child, self._child = self._child, None
        if child is not None:
            child.end()

    @property
    def pid(self) -> int:
        """The process id of the present child."""
        return self._running().pid

    def _running(self) -> ChildProcess:
        if self._child is None:
            raise TargetError("this target is closed")
        return self._child

    def _send(self, batch: _Batch, places: Sequence[int]) -> None:
        """Asks the present child about some texts of a batch, in one line."""
        child = self._running()
        if places:
            self._asked += ((batch, i) for i in places)
            child.send([batch.texts[i] for i in places])

    def _take(self, submitted: float) -> None:
        """Takes in a line of answers; its time runs from the line before, or from the texts' submission."""
        self._progress, said = _received(self._running(), max(self._progress, submitted), self._timeout)
        answers = said.get("answers")
        if said.get("n") != self._answered or not _are_answers(answers, len(self._asked)):
            raise LostAnswer(Verdict.CRASHED, nonsense=True)
        for message in answers:
            batch, i = self._asked.popleft()
            batch.answers[i] = Answer(Verdict.ACCEPTS) if message is None else self._classify(message)
        self._answered += len(answers)

    def _recover(self, lost: LostAnswer) -> None:
        """Answers the text at which the child died, if known; the rest is sent again."""
        if (culprit := self._culprit(lost)) is None:
            self._restart(lost)
            for batch in self._batches:
                batch.apart = True
        else:
            batch, i = culprit
            batch.answers[i] = self._answer_alone(batch.texts[i], lost)
        self._resubmit(culprit)

    def _culprit(self, lost: LostAnswer) -> tuple[_Batch, int] | None:
        """The text that the child had begun; None if nobody knows."""
        begun = None if lost.nonsense else self._running().begun
        if begun is not None:
            at = begun - 1 - self._answered
            if 0 <= at < len(self._asked):
                return self._asked[at]
        batch, i = self._asked[0]
        return (batch, i) if batch.apart or len(self._asked) == 1 else None

    def _answer_alone(self, text: str, before: LostAnswer) -> Answer:
        """The answer of a fresh child to one text, and leaves a live child behind."""
        self._restart(before)
        for attempt in range(KILLED_ATTEMPTS):
            try:
                (answer,) = self._first_answers([text])
            except LostAnswer as lost:
                how = self._restart(lost)
                if not how.startswith(KILLED) or attempt == KILLED_ATTEMPTS - 1:
                    return Answer(lost.verdict, self._late(how) if lost.verdict is Verdict.TIMED_OUT else how)
            else:
                break
        return answer

    def _late(self, how: str) -> str:
        """The message for a text that timed out: the limit, and the child's last output."""
        _, colon, words = how.partition(": ")
        return f"no answer within {self._timeout:g} s{colon}{words}"

    def _resubmit(self, culprit: tuple[_Batch, int] | None) -> None:
        """Gives the present child what its predecessor left unanswered; what came before a culprit is a line by
        itself, lest it be lost once more.
        """
        now = time.monotonic()
        for batch in self._batches:
            batch.submitted = now
            rest, end = batch.rest(), -1 if culprit is None or culprit[0] is not batch else culprit[1]
            if batch.apart:
                for i in rest:
                    self._send(batch, [i])
            else:
                self._send(batch, [i for i in rest if i < end])
                self._send(batch, [i for i in rest if i > end])

    def _restart(self, lost: LostAnswer) -> str:
        """Replaces the child; says how the old one ended."""
        # An answerless child is hung or dead: asking it to leave is no use.
        how = self._running().end(patience=0.1)
        self._child = None
        self.restarted[lost.why] += 1
        self._start()
        return how

    def _start(self) -> None:
        """Starts a child and has it prove itself; TargetError after several failures in a row, or if the first one
        never says that it is ready.
        """
        failures = kills = 0
        while True:
            try:
                child = ChildProcess(self._command, self._env, scratch=self._scratch, memory=self._memory)
            except OSError as error:
                raise self._fault(f"the compiler's process cannot be started: {error}") from error
            try:
                return self._begin_with(child)
            except LostAnswer as lost:
                ready, self._child = self._child is not None, None
                how = child.end(patience=0.1)
                if lost.verdict is Verdict.TIMED_OUT:
                    how = self._late(how) if ready else f"not ready within {self._start_seconds:g} s"
                    if not ready and not self.restarted:
                        failures = _START_ATTEMPTS - 1
            except TargetError:
                child.end()
                self._child = None
                raise
            killed = how.startswith(KILLED)
            failures, kills = failures + (not killed), kills + killed
            if failures == _START_ATTEMPTS or kills == KILLED_ATTEMPTS:
                raise self._fault(f"the compiler does not start: {' '.join(how.split())}")

    def _begin_with(self, child: ChildProcess) -> None:
        """Makes a child the present one. Raises LostAnswer if it gives none, TargetError if it is no such compiler."""
        begun, said = _received(child, time.monotonic(), self._start_seconds)
        if "ready" not in said:
            why = str(said.get("error", "the compiler's process speaks no protocol"))
            raise self._fault(" ".join(why.split()))
        self._asked.clear()
        self._child, self.banner, self._progress, self._answered = child, said["ready"], begun, 0
        self._check_probes()

    def _fault(self, words: str) -> TargetError:
        return TargetError(f"{self.spec}: {words}" if self.spec else words)

    def _first_answers(self, texts: Sequence[str]) -> list[Answer]:
        """What the present child says of texts before all others. Raises LostAnswer."""
        batch = _Batch(tuple(texts), time.monotonic())
        self._send(batch, range(len(texts)))
        while len(batch.answers) < len(texts):
            self._take(batch.submitted)
        return [batch.answers[i] for i in range(len(texts))]

    def _check_probes(self) -> None:
        answers = self._first_answers([text for text, _ in self._probes])
        for (text, expected), answer in zip(self._probes, answers, strict=True):
            if answer.verdict is not expected:
                words = f"{answer.verdict.value} {answer.message}".strip()
                raise self._fault(
                    f"no WGSL compiler as expected: {text.strip()!r} is answered {' '.join(words.split())}"
                )
