"""Hands texts to pages and takes their answers in. Pages may lie, be late, fall asleep or never come back.

A job is some texts for one kind of page. It is given to one page at a time, and answered at most once: only by the page
that was given it, with as many answers as it has texts. All else a page says is refused and changes nothing.
"""

import itertools
import re
import secrets
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from typing import Any

import orjson

from wgsl_fuzz.oracle.targets.browsers.claims import BrowserClaim

Answers = list[str | None]
"""For each text the browser's words, or None if it accepts."""

MESSAGE_CHARACTERS = 16 << 10
"""The most characters of a page's message on one text; the page cuts longer ones."""
AT_ONCE = 2
"""Jobs that a page holds: the next is there when one is done."""
PAGES = 32
"""The most pages that are known at once."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class LostPage(Exception):
    """The page that had the texts is gone; what is known about it is the text."""


class Refused(Exception):
    """A page said something that it had no reason to say."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


@dataclass
class Job:
    """Texts on their way to a page and back."""

    number: int
    texts: tuple[str, ...]
    future: "Future[Answers]" = field(default_factory=Future)

    @property
    def event(self) -> "Event":
        """What its page is told."""
        return {"job": self.number, "texts": [text.encode("utf-8", "replace").decode() for text in self.texts]}


Event = Mapping[str, object] | None
"""What a page is told: texts, what to show, or that it is to reload itself. None ends its connection."""


@dataclass
class BrowserPage:
    """A browser's page. `key` is its secret; what is put into `outbox` is sent."""

    key: str
    claim: BrowserClaim
    outbox: "SimpleQueue[Event]" = field(default_factory=SimpleQueue)
    jobs: dict[int, Job] = field(default_factory=dict)
    """What it was given and has not answered."""
    connection: int = 0
    """How often it has connected."""
    connected: bool = False
    away: bool = False
    """It said that nobody looks at it: a telephone then stops it, and no text is to blame."""
    heard: float = 0.0
    """When it last said anything (monotonic seconds)."""
    judged: int = 0


Watch = Callable[[str, BrowserPage], None]
"""Hears what happened (`came`, `left`, `back`, `lost`, `device`) to which page."""


class Hub:
    """The pages there are, and the texts for them. For use by many threads."""

    def __init__(self, watch: Watch = lambda _what, _page: None, *, grace: float = 15.0, silence: float = 4.0) -> None:
        """A page that lost its connection has `grace` seconds to come back before what it held is lost.

        A page not heard of for `silence` seconds is waited for: its texts are not to blame.
        """
        self._watch, self._grace, self._silence = watch, grace, silence
        self._pages: dict[str, BrowserPage] = {}
        self._queues: defaultdict[str, deque[Job]] = defaultdict(deque)
        self._numbers = itertools.count(1)
        self._changed = threading.Condition(threading.RLock())

    def ask(self, name: str, texts: Sequence[str]) -> "Future[Answers]":
        """Asks the pages of this name; LostPage if the one that was asked does not come back."""
        with self._changed:
            job = Job(next(self._numbers), tuple(texts))
            self._queues[name].append(job)
            self._feed(name)
        return job.future

    def drop(self, futures: Sequence["Future[Answers]"]) -> None:
        """Forgets what nobody wants to know any more. A page that holds such texts may hang: it begins afresh."""
        with self._changed:
            for queue in self._queues.values():
                for job in [job for job in queue if job.future in futures]:
                    queue.remove(job)
            for page in self._pages.values():
                if held := [job for job in page.jobs.values() if job.future in futures]:
                    for job in held:
                        del page.jobs[job.number]
                    page.away = True  # it is about to leave
                    page.outbox.put({"do": "afresh"})

    def show(self, name: str, title: str, rows: Sequence[Sequence[str]]) -> None:
        """Shows rows of words for people on the connected pages of this name."""
        with self._changed:
            for page in self._pages.values():
                if page.connected and page.claim.name == name:
                    page.outbox.put({"show": title, "rows": rows})

    def names(self) -> list[str]:
        """The names of the pages that are connected."""
        with self._changed:
            return sorted({page.claim.name for page in self._pages.values() if page.connected and not page.claim.fault})

    def claim(self, name: str) -> BrowserClaim | None:
        """What a connected page of this name says of itself."""
        with self._changed:
            return next((p.claim for p in self._pages.values() if p.connected and p.claim.name == name), None)

    def fault(self) -> str | None:
        """Why a page that came can judge nothing; None if there is no such page."""
        with self._changed:
            return next((page.claim.fault for page in self._pages.values() if page.claim.fault), None)

    def wait_for_change(self, seconds: float) -> None:
        """Returns when a page came or went, or after these seconds."""
        with self._changed:
            self._changed.wait(seconds)

    def waits(self, name: str) -> str | None:
        """Why no answers can come from pages of this name just now; None if they can."""
        with self._changed:
            pages = [page for page in self._pages.values() if page.connected and page.claim.name == name]
            if not pages:
                return f"no page of {name} is open"
            now = time.monotonic()
            if all(now - page.heard > self._silence for page in pages):
                return f"the page of {name} {'is in the background' if pages[0].away else 'does not respond'}"
        return None

    # What pages do.

    def greet(self, claim: BrowserClaim) -> BrowserPage:
        """A new page, which is to connect. Raises Refused if there are too many."""
        with self._changed:
            if len(self._pages) >= PAGES:
                gone = next((page for page in self._pages.values() if not page.connected and not page.jobs), None)
                if gone is None:
                    raise Refused(429, "too many pages")
                del self._pages[gone.key]
            page = BrowserPage(secrets.token_urlsafe(16), claim, heard=time.monotonic())
            self._pages[page.key] = page
            if claim.fault:
                self._watch("came", page)
                self._changed.notify_all()
            return page

    def page(self, key: str) -> BrowserPage:
        """The page with this secret. Raises Refused."""
        with self._changed:
            found = [page for page in self._pages.values() if secrets.compare_digest(page.key, key)]
            if not found:
                raise Refused(410, "no such page: greet first")
            found[0].heard = time.monotonic()
            return found[0]

    def connect(self, page: BrowserPage) -> "tuple[int, SimpleQueue[Event]]":
        """Notes that a page is there; what it holds is sent again. Returns the connection's number and events."""
        with self._changed:
            page.outbox.put(None)  # an older connection of its own
            page.outbox = SimpleQueue()
            what = "back" if page.connection else "came"
            page.connection += 1
            page.connected, page.away, page.heard = True, False, time.monotonic()
            for job in page.jobs.values():
                page.outbox.put(job.event)
            self._watch(what, page)
            self._feed(page.claim.name)
            self._changed.notify_all()
            return page.connection, page.outbox

    def disconnect(self, page: BrowserPage, connection: int) -> None:
        """Notes that a connection ended, and waits for another one of the page's in a thread of its own."""
        with self._changed:
            if page.connection != connection or page.key not in self._pages:
                return
            page.connected = False
            self._watch("left", page)
            self._changed.notify_all()
            timer = threading.Timer(self._grace, self._give_up, (page, connection))
        timer.daemon = True
        timer.start()

    def _give_up(self, page: BrowserPage, connection: int) -> None:
        with self._changed:
            if page.connection != connection or page.key not in self._pages:
                return
            del self._pages[page.key]
            self._release(page, "the page is gone")

    def _release(self, page: BrowserPage, why: str) -> None:
        """Takes back what a page held: for another page, if it went to sleep; else the texts may be at fault."""
        jobs, page.jobs = list(page.jobs.values()), {}
        if page.away:
            self._queues[page.claim.name].extendleft(reversed(jobs))
            self._feed(page.claim.name)
        elif jobs:
            self._watch("lost", page)
        for job in [] if page.away else jobs:
            job.future.set_exception(LostPage(why))

    def look(self, page: BrowserPage, away: object) -> None:
        """Notes whether anybody looks at the page. Raises Refused."""
        if not isinstance(away, bool):
            raise Refused(400, "away is true or false")
        with self._changed:
            page.away = away

    def lose_device(self, page: BrowserPage, reason: str) -> None:
        """The page's GPU device is lost, and with it what the page was asked."""
        with self._changed:
            self._watch("device", page)
            jobs, page.jobs = list(page.jobs.values()), {}
            for job in jobs:
                job.future.set_exception(LostPage(f"the device is lost: {reason}"))
            self._feed(page.claim.name)

    def take(self, page: BrowserPage, number: object, answers: object) -> None:
        """Takes in the answers to a job of the page's. Raises Refused; then the job stays unanswered."""
        with self._changed:
            job = page.jobs.get(number) if isinstance(number, int) else None
            if job is None:
                raise Refused(409, "this was not asked, or is answered")
            clean = cleaned(answers, len(job.texts))
            del page.jobs[job.number]
            page.judged += len(clean)
            job.future.set_result(clean)
            self._feed(page.claim.name)

    def _feed(self, name: str) -> None:
        """Gives waiting jobs to connected pages that hold few."""
        queue = self._queues[name]
        for page in list(self._pages.values()):
            able = page.connected and page.claim.name == name and not page.claim.fault
            while able and queue and len(page.jobs) < AT_ONCE:
                job = queue.popleft()
                page.jobs[job.number] = job
                page.outbox.put(job.event)


def cleaned(answers: object, count: int) -> Answers:
    """Answers of the expected number, kind and size, without control characters. Raises Refused."""
    if not isinstance(answers, list) or len(answers) != count:
        raise Refused(400, f"{count} answers were expected")
    if not all(a is None or (isinstance(a, str) and 0 < len(a) <= MESSAGE_CHARACTERS) for a in answers):
        raise Refused(400, f"an answer is null, or a message of 1 to {MESSAGE_CHARACTERS} characters")
    return [None if a is None else _CONTROL.sub(" ", a) for a in answers]


JOB_TEXTS = 64
"""The most texts that a page is given at once."""
LOOK_SECONDS = 1.0
"""How often it is looked whether somebody is waited for."""

Ask = Callable[[Sequence[str]], "Future[Answers]"]
Say = Callable[[Mapping[str, Any]], None]


@dataclass
class Talk:
    """One client's questions, and the answers to them."""

    _ask: Ask
    _say: Say
    _waits: Callable[[], str | None]
    """Says why no answer can come just now, or None."""
    _asked: "SimpleQueue[Future[Answers] | None]" = field(default_factory=SimpleQueue)
    open: "list[Future[Answers]]" = field(default_factory=list)
    """What is not answered."""

    def listen(self, lines: Iterable[bytes]) -> None:
        """Asks what the lines ask; at their end the answers end, too. Raises ValueError for nonsense."""
        for line in lines:
            texts = orjson.loads(line)
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                raise ValueError("a list of texts was expected")
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
