"""Asking several targets about batches of texts: all of them at the same time, and a slow one about a sample only.

A target that takes a sample answers in a thread of its own. So it holds nobody up but where a task ends.
"""

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue

from wgsl_fuzz.fuzz.cases.plan import is_sampled
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Answer

CLOSE_SECONDS = 0.2
"""How long a target that takes a sample may take to end what it was asked."""


@dataclass(slots=True)
class _Part:
    """What a target that takes a sample was asked of a batch: the places of the texts, and the answers to come."""

    places: tuple[int, ...]
    answers: "Future[list[Answer]]"


@dataclass(slots=True)
class Asked:
    """A batch of texts that targets were asked about."""

    count: int
    waited: dict[str, float]
    """Seconds for which each target was waited for, so far."""
    parts: dict[str, _Part] = field(default_factory=dict)
    """Of the targets that take a sample."""
    answers: dict[str, list[Answer]] | None = None
    """Of those that are asked about all texts; None as long as nobody has waited for them."""

    @property
    def waited_for_samples(self) -> float:
        """Seconds for which those were waited for that take a sample."""
        return sum(self.waited.get(name, 0.0) for name in self.parts)

    @property
    def is_answered(self) -> bool:
        """Whether nobody has to be waited for any more."""
        return self.answers is not None and all(part.answers.done() for part in self.parts.values())


class Questions:
    """Asks targets; `samples` has those that are asked about one shader in so many only, by name."""

    def __init__(self, targets: Sequence[Target], samples: Mapping[str, int]) -> None:
        self._all = [target for target in targets if samples.get(target.name, 1) <= 1]
        self._sampled = {t.name: samples[t.name] for t in targets if t not in self._all}
        self._threads = {target.name: _TargetThread(target) for target in targets if target.name in self._sampled}

    def submit(self, indices: Sequence[int], texts: Sequence[str]) -> Asked:
        """Hands over a batch; each text has the place in the run of its shader."""
        asked = Asked(len(texts), {})
        for name, thread in self._threads.items():
            places = tuple(i for i, index in enumerate(indices) if is_sampled(index, self._sampled[name]))
            if places:
                asked.parts[name] = _Part(places, thread.ask([texts[i] for i in places]))
        for target in self._all:
            begun = time.monotonic()
            target.submit(texts)
            asked.waited[target.name] = time.monotonic() - begun
        return asked

    def settle(self, asked: Asked) -> None:
        """Waits for the targets that are asked about all texts: once for each batch, in the order of submission."""
        asked.answers = {}
        for target in self._all:
            begun = time.monotonic()
            asked.answers[target.name] = target.collect()
            asked.waited[target.name] += time.monotonic() - begun

    def collect(self, asked: Asked) -> list[dict[str, Answer]]:
        """What is said of each text of a settled batch, by the targets that were asked about it. Raises TargetError."""
        assert asked.answers is not None, "settled"
        said = [{name: of_target[i] for name, of_target in asked.answers.items()} for i in range(asked.count)]
        for name, part in asked.parts.items():
            begun = time.monotonic()
            for i, answer in zip(part.places, part.answers.result(), strict=True):
                said[i][name] = answer
            asked.waited[name] = time.monotonic() - begun
        return said

    def close(self) -> None:
        """Forgets what was asked and not answered yet; the targets stay open."""
        for thread in self._threads.values():
            thread.close()


class _TargetThread:
    """Asks one target, batch after batch, in a thread that ends with the process."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._asked: SimpleQueue[tuple[list[str], Future[list[Answer]]] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def ask(self, texts: list[str]) -> "Future[list[Answer]]":
        """The answers to these texts, some time; its result raises what the target does."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()
        answers: Future[list[Answer]] = Future()
        self._asked.put((texts, answers))
        return answers

    def close(self) -> None:
        """Ends the thread after the batch at hand, which is waited for a moment."""
        if self._thread is None:
            return
        with suppress(Exception):
            while True:
                self._asked.get_nowait()
        self._asked.put(None)
        self._thread.join(CLOSE_SECONDS)
        self._thread = None

    def _work(self) -> None:
        while (asked := self._asked.get()) is not None:
            texts, answers = asked
            try:
                self._target.submit(texts)
                answers.set_result(self._target.collect())
            except BaseException as error:
                answers.set_exception(error)
