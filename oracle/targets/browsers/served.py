"""`browser`: whatever browser has opened the page of a running `wgsl-fuzz serve`. It is what its page claims to be.

Those who ask meet the pages at a port of the loopback, and a file that tells it. The file is in the user's cache,
readable to the user only, and holds a secret that whoever asks says first. Then both speak the protocol of
`python_child`. The child of this target (`main`) carries lines between its parent and the service.
"""

import hmac
import os
import secrets
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from wgsl_fuzz.oracle.targets.browsers.claims import KNOWN, learnt
from wgsl_fuzz.oracle.targets.browsers.guests import Guests
from wgsl_fuzz.oracle.targets.browsers.hub import Hub, Talk
from wgsl_fuzz.oracle.targets.cache import cache_folder
from wgsl_fuzz.oracle.targets.children.line_server import LineServer
from wgsl_fuzz.oracle.targets.children.python_child import die_with, line_of, private_output, say, value_of
from wgsl_fuzz.oracle.targets.children.scratch import lives
from wgsl_fuzz.oracle.targets.probes import PROBES, VIOLATIONS
from wgsl_fuzz.oracle.targets.protocol import SERVED, Availability, Target, TargetError, TargetInfo, TargetRequest
from wgsl_fuzz.oracle.verdict import Answer, Verdict

LOOPBACK = "127.0.0.1"
_GREETING_BYTES = 4096
_GREETING_SECONDS = 10.0
_LOOK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Post:
    """A running service, as its file tells it."""

    page_port: int
    port: int
    secret: str
    process: int


def posts() -> list[Post]:
    """The services of this user that run, by their page's port; the files of others are deleted."""
    found = []
    for path in sorted(_folder().glob("*.json")):
        post = _read(path)
        if post is None or not lives(post.process):
            with suppress(OSError):
                path.unlink()
        else:
            found.append(post)
    return found


def path_of(page_port: int) -> Path:
    """The file of the service whose page has this port."""
    return _folder() / f"{page_port}.json"


def _folder() -> Path:
    return cache_folder() / "serve"


def _read(path: Path) -> Post | None:
    try:
        return Post(**orjson.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def connected(post: Post, name: str | None) -> socket.socket:
    """A connection that has asked for the pages of this name (None: for the only ones there are). Raises OSError."""
    connection = socket.create_connection((LOOPBACK, post.port), timeout=_GREETING_SECONDS)
    connection.sendall(orjson.dumps({"secret": post.secret, "name": name}) + b"\n")
    return connection


class Exchange:
    """Lets this user's processes ask the pages of a hub."""

    def __init__(self, hub: Hub, page_port: int, patience: float) -> None:
        """`patience`: how many seconds a page is waited for. Raises OSError."""
        self._hub, self._patience, self._guests = hub, patience, Guests(_GREETING_SECONDS)
        self._listening = socket.create_server((LOOPBACK, 0))
        self._absent: dict[str | None, float] = {}
        """Since when pages are waited for."""
        self._path = path_of(page_port)
        self._post = Post(page_port, self._listening.getsockname()[1], secrets.token_urlsafe(32), os.getpid())
        self._write()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Ends the service, and deletes the file."""
        self._path.unlink(missing_ok=True)
        self._listening.close()

    def _write(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._path.unlink(missing_ok=True)
        with os.fdopen(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(orjson.dumps(self._post))

    def _accept(self) -> None:
        while self._listening.fileno() >= 0:
            try:
                connection = self._listening.accept()[0]
                self._guests.enter(connection)
                threading.Thread(target=self._attend, args=(connection,), daemon=True).start()
            except (OSError, RuntimeError):  # it is closed, or no file or thread is left to be had for a while
                time.sleep(_LOOK_SECONDS)

    def _attend(self, connection: socket.socket) -> None:
        with connection, suppress(OSError, ValueError, TypeError):
            file = connection.makefile("rb")
            try:
                asked = orjson.loads(file.readline(_GREETING_BYTES))
            finally:
                self._guests.leave(connection)
            secret = str(asked.get("secret")) if isinstance(asked, dict) else ""
            if hmac.compare_digest(secret.encode(), self._post.secret.encode()):
                self._converse(connection, file, asked.get("name"))

    def _converse(self, connection: socket.socket, lines: Iterator[bytes], wanted: str | None) -> None:
        def say(value: Mapping[str, Any]) -> None:
            connection.sendall(line_of(value))

        def ended(_why: str) -> None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

        try:
            name = self._name(wanted, say)
            claim = self._hub.claim(name)
            say({"ready": {**({} if claim is None else {**asdict(claim), "words": claim.words}), "name": name}})
        except ConnectionAbortedError as gone:
            say({"error": str(gone)})
            return
        talk = Talk(partial(self._hub.ask, name), say, partial(self._waits, name))
        speaking = talk.speak_aside(ended)
        try:
            talk.listen(lines)
            speaking.join()
        finally:
            self._hub.drop(talk.open)

    def _name(self, wanted: str | None, say: Any) -> str:
        """The name of the pages to ask, once there are some. Raises ConnectionAbortedError."""
        while True:
            names = self._hub.names()
            if wanted in names:
                self._absent.pop(wanted, None)
                return wanted or ""
            if wanted is None and len(names) > 1:
                choices = ", ".join(f"browser@{name}" for name in names)
                raise ConnectionAbortedError(f"several browsers are connected: name one of {choices}")
            if wanted is None and names:
                self._absent.pop(None, None)
                return names[0]
            what = "no browser has opened the page" if wanted is None else f"no page of {wanted} is open"
            self._wait(wanted, what)
            say({"waiting": what})
            self._hub.wait_for_change(_LOOK_SECONDS)

    def _waits(self, name: str) -> str | None:
        """As the hub's, for so long and no longer: then ConnectionAbortedError."""
        why = self._hub.waits(name)
        if why is None:
            self._absent.pop(name, None)
            return None
        self._wait(name, why)
        return why

    def _wait(self, name: str | None, why: str) -> None:
        """Raises ConnectionAbortedError if it has been so for too long: no page came."""
        now = time.monotonic()
        if now - self._absent.setdefault(name, now) > self._patience:
            del self._absent[name]
            raise ConnectionAbortedError(f"{why}, and none came within {self._patience / 60:g} minutes")


_PIECE = 1 << 16


def main(page_port: str, name: str) -> None:
    """Carries until either side ends."""
    threading.Thread(target=die_with, args=(os.getppid(),), daemon=True).start()
    out = private_output()
    found = [post for post in posts() if post.page_port == int(page_port)]
    try:
        connection = connected(found[0], name)
        connection.settimeout(None)
    except (IndexError, OSError):
        say(out, {"error": f"wgsl-fuzz serve has ended: the one at port {page_port}"})
        return
    threading.Thread(target=_carry_in, args=(connection,), daemon=True).start()
    while piece := connection.recv(_PIECE):
        data = memoryview(piece)
        while data:
            data = data[out.write(data) or 0 :]
    sys.stderr.write("the page is gone\n")


def _carry_in(connection: socket.socket) -> None:
    while piece := os.read(0, _PIECE):
        connection.sendall(piece)
    connection.shutdown(socket.SHUT_WR)


PREFIX = SERVED
HINT = "start `wgsl-fuzz serve` in another terminal, and open its page in a browser"
_CHILD = "wgsl_fuzz.oracle.targets.browsers.served"


def open_served(request: TargetRequest) -> Target:
    """`browser`, `browser@NAME` (`browser@safari-26.1`), `browser:PORT` (of the service's page). Raises TargetError."""
    post = _post(request)
    banner = _first_banner(request, post)
    name = str(banner.get("name"))
    dialect = KNOWN.get(str(banner.get("compiler")))

    def read(raw: str) -> Answer:
        return Answer(Verdict.INVALID, raw) if dialect is None else dialect.refusal(raw)

    server = LineServer.of_python(request, [_CHILD, str(post.page_port), name], read, probes=PROBES)
    if dialect is None:  # it is learnt from what the compiler says of plain violations, unread
        dialect = learnt([answer.message for answer in server.ask(VIOLATIONS) if answer.message])
    origin = f"a browser's page, which claims: {banner.get('words')}; {banner.get('user_agent')}"
    return server.as_target(f"{PREFIX}@{name}", origin)


def served_infos() -> Sequence[TargetInfo]:
    """The services that run on this machine, else how to start one."""
    running = posts()
    if not running:
        return [TargetInfo(PREFIX, "any browser's page", Availability.MISSING, reason=HINT)]
    return [TargetInfo(f"{PREFIX}:{post.page_port}", "wgsl-fuzz serve", Availability.INSTALLED) for post in running]


def _post(request: TargetRequest) -> Post:
    running = posts()
    if request.path is not None:
        running = [post for post in running if str(post.page_port) == request.path]
        if not running:
            raise TargetError(f"{request.spec}: no `wgsl-fuzz serve --port {request.path}` is running")
    if not running:
        raise TargetError(f"{request.spec}: {HINT}")
    if len(running) > 1 and request.version is None:
        choices = ", ".join(f"{PREFIX}:{post.page_port}" for post in running)
        raise TargetError(f"{request.spec}: several services are running: name one of {choices}")
    return running[-1]


def _first_banner(request: TargetRequest, post: Post) -> Mapping[str, Any]:
    """The page to use. Waits for one, with a line. Raises TargetError."""
    told = False
    with suppress(OSError), connected(post, request.version) as connection:
        for line in connection.makefile("rb"):
            value = value_of(line) or {}
            if "waiting" in value and not told:
                told = True
                request.notify(f"{request.spec}: {value['waiting']}: waiting for it")
            if "error" in value:
                raise TargetError(f"{request.spec}: {value['error']}")
            if isinstance(ready := value.get("ready"), dict):
                return ready
    raise TargetError(f"{request.spec}: wgsl-fuzz serve has ended, or does not answer any more: start it again")
