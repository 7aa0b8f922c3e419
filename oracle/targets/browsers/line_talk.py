"""The protocol of `lines` spoken for a hub: texts come in, and what pages answer goes out in the order of the texts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import Any

import orjson

from wgsl_fuzz.oracle.targets.browsers.hub import Answers, LostPage

JOB_TEXTS = 64
"""The most texts that a page is given at once."""
LOOK_SECONDS = 1.0
"""How often it is looked whether somebody is waited for."""

Ask = Callable[[Sequence[str]], "Future[Answers]"]
Say = Callable[[Mapping[str, Any]], None]


class Talk:
    """One client's questions, and the answers to them."""

    def __init__(self, ask: Ask, say: Say, waits: Callable[[], str | None]) -> None:
        """`waits` says why no answer can come just now, or None."""
        self._ask, self._say, self._waits = ask, say, waits
        self._asked: SimpleQueue[Future[Answers] | None] = SimpleQueue()
        self.open: list[Future[Answers]] = []
        """What is not answered."""

    def listen(self, lines: Iterable[bytes]) -> None:
        """Asks what the lines ask; at their end the answers end, too. Raises ValueError for nonsense."""
        for line in lines:
            texts = orjson.loads(line)
            for at in range(0, len(texts), JOB_TEXTS):
                future = self._ask(texts[at : at + JOB_TEXTS])
                self.open.append(future)
                self._asked.put(future)
        self._asked.put(None)

    def speak(self) -> None:
        """Says the answers until there are no more questions. Raises LostPage, and what saying raises."""
        answered = 0
        while (future := self._asked.get()) is not None:
            answers = self._awaited(future)
            self.open.remove(future)
            self._say({"n": answered, "answers": answers})
            answered += len(answers)

    def _awaited(self, future: "Future[Answers]") -> Answers:
        while True:
            try:
                return future.result(LOOK_SECONDS)
            except TimeoutError:
                if why := self._waits():
                    self._say({"waiting": why})

    def speak_aside(self, ended: Callable[[str], None]) -> Thread:
        """Begins to speak in a thread; `ended` hears how that ended, empty if well."""

        def work() -> None:
            try:
                self.speak()
            except (LostPage, OSError) as error:
                ended(str(error) or type(error).__name__)
            else:
                ended("")

        thread = Thread(target=work, daemon=True)
        thread.start()
        return thread
