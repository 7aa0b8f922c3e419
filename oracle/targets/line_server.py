"""A target behind a long-lived child process: batches, time limits, crashes and restarts."""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wgsl_fuzz.oracle.targets.child_process import ChildLine, ChildProcess, ClosedOutput, Silence
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.oracle.verdict import Answer, Verdict

Classify = Callable[[str], Answer]
"""From the compiler's own words to the answer, for a text that it refused."""

_START_TIMEOUT = 60.0
_START_ATTEMPTS = 3


class _LostAnswer(Exception):
    """The child gave no answer to the text at hand; `verdict` is CRASHED or TIMED_OUT."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict


@dataclass
class _Batch:
    texts: tuple[str, ...]
    submitted: float
    answers: list[Answer] = field(default_factory=list)

    def rest(self) -> tuple[str, ...]:
        return self.texts[len(self.answers) :]


class LineServer:
    """Answers texts through a child that speaks the protocol of `child_process`.

    `timeout` is the time for one text, in seconds. `probes` are texts whose verdicts are known; each new child must
    answer them. With `scratch`, a child runs in a directory of its own, not in the caller's. A text that the child does
    not survive is tried again alone in a fresh child, because the state left by earlier texts may be at fault: only the
    second loss makes it CRASHED or TIMED_OUT. Raises TargetError when no child gets through its start. Not for use by
    several threads at once.
    """

    def __init__(
        self,
        command: Sequence[str],
        classify: Classify,
        *,
        timeout: float = 10.0,
        env: Mapping[str, str] | None = None,
        probes: Sequence[tuple[str, Verdict]] = (),
        scratch: bool = True,
    ) -> None:
        self._scratch = scratch
        self._command = command
        self._classify = classify
        self._timeout = timeout
        self._env = env
        self._probes = probes
        self._batches: deque[_Batch] = deque()
        self._progress = 0.0
        self._answered = 0
        self._child: ChildProcess | None = None
        self.restarts = 0
        """How often the child was replaced; more often than there are CRASHED and TIMED_OUT answers is a warning."""
        self.banner: Mapping[str, Any] = {}
        """What the child said of itself when it was ready."""
        self._start()

    def submit(self, texts: Sequence[str]) -> None:
        """Hands over a batch; returns at once."""
        child = self._running()
        batch = _Batch(tuple(texts), time.monotonic())
        self._batches.append(batch)
        child.send(batch.texts)

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch not yet collected."""
        if not self._batches:
            raise ValueError("nothing was submitted")
        batch = self._batches[0]
        while rest := batch.rest():
            try:
                answer = self._answer(batch.submitted)
            except _LostAnswer:
                answer = self._answer_alone(rest[0])
                batch.answers.append(answer)
                self._resubmit()
            else:
                batch.answers.append(answer)
        self._batches.popleft()
        return batch.answers

    def ask(self, texts: Sequence[str]) -> list[Answer]:
        """The answers to these texts; nothing else must be in flight."""
        self.submit(texts)
        return self.collect()

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

    def _answer(self, submitted: float) -> Answer:
        """The child's next answer; its time runs from the answer before, or from the text's submission."""
        since = max(self._progress, submitted)
        try:
            received = self._running().receive(since + self._timeout)
        except Silence:
            raise _LostAnswer(Verdict.TIMED_OUT) from None
        except ClosedOutput:
            raise _LostAnswer(Verdict.CRASHED) from None
        self._progress = received.time
        if received.value.get("n") != self._answered:
            raise _LostAnswer(Verdict.CRASHED)
        self._answered += 1
        message = received.value.get("message")
        return Answer(Verdict.ACCEPTS) if message is None else self._classify(str(message))

    def _answer_alone(self, text: str) -> Answer:
        """The answer of a fresh child to one text, and leaves a live child behind."""
        self._restart()
        self._running().send([text])
        try:
            return self._answer(time.monotonic())
        except _LostAnswer as lost:
            return Answer(lost.verdict, self._restart())

    def _resubmit(self) -> None:
        """Gives the present child what its predecessor left unanswered."""
        now = time.monotonic()
        for batch in self._batches:
            batch.submitted = now
            self._running().send(batch.rest())

    def _restart(self) -> str:
        """Replaces the child; says how the old one ended."""
        # An answerless child is hung or dead: asking it to leave is no use.
        how = self._running().end(patience=0.1)
        self._child = None
        self.restarts += 1
        self._start()
        return how

    def _start(self) -> None:
        """Starts a child and has it prove itself; TargetError after several failures in a row."""
        how = ""
        for _ in range(_START_ATTEMPTS):
            child = self._spawn()
            try:
                ready = child.receive(time.monotonic() + _START_TIMEOUT)
            except (ClosedOutput, Silence):
                how = child.end(patience=0.1)
                continue
            self._check_ready(child, ready)
            self._child, self.banner, self._progress, self._answered = child, ready.value["ready"], ready.time, 0
            try:
                return self._check_probes()
            except _LostAnswer:
                self._child = None
                how = child.end(patience=0.1)
            except TargetError:
                self.close()
                raise
        raise TargetError(f"the compiler does not start: {' '.join(how.split())}")

    def _spawn(self) -> ChildProcess:
        try:
            return ChildProcess(self._command, self._env, scratch=self._scratch)
        except OSError as error:
            raise TargetError(f"the compiler's process cannot be started: {error}") from error

    @staticmethod
    def _check_ready(child: ChildProcess, ready: ChildLine) -> None:
        if "ready" not in ready.value:
            child.end()
            raise TargetError(
                " ".join(str(ready.value.get("error", "the compiler's process speaks no protocol")).split())
            )

    def _check_probes(self) -> None:
        self._running().send([text for text, _ in self._probes])
        for text, expected in self._probes:
            answer = self._answer(time.monotonic())
            if answer.verdict is not expected:
                words = f"{answer.verdict.value} {answer.message}".strip()
                raise TargetError(
                    f"no WGSL compiler as expected: {text.strip()!r} is answered {' '.join(words.split())}"
                )


@dataclass(frozen=True)
class ServedTarget:
    """A target made of a name and a server."""

    name: str
    origin: str
    checks_uniformity: bool
    server: LineServer

    @property
    def restarts(self) -> int:
        """How often the child had to be replaced."""
        return self.server.restarts

    def submit(self, texts: Sequence[str]) -> None:
        """Hands over a batch of WGSL texts."""
        self.server.submit(texts)

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch submitted, in order."""
        return self.server.collect()

    def close(self) -> None:
        """Ends the child process."""
        self.server.close()
