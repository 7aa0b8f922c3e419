"""A page without a browser: plain HTTP, and answers by a function. It may do what a hostile page would."""

import http.client
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import orjson

from wgsl_fuzz.oracle.targets.browsers.page_server import PageServer

AGENT = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.1 Safari/605.1.15"
SECONDS = 30.0

Answer = Callable[[str], str | None]


class FakePage:
    """Greets a server on creation; `listen` connects."""

    def __init__(self, port: int, token: str, claim: Mapping[str, Any] | None = None) -> None:
        self.port, self.token = port, token
        status, body = self.post("hello", claim or {"userAgent": AGENT, "adapter": {"vendor": "apple"}})
        self.session = orjson.loads(body)["session"] if status == 200 else ""
        self.shown: Mapping[str, Any] = {}
        """What it was told to show; `work` ends with that."""
        self._stream: http.client.HTTPResponse | None = None
        self._socket: socket.socket | None = None

    @classmethod
    def of(cls, server: PageServer, claim: Mapping[str, Any] | None = None) -> "FakePage":
        """A page of a server in this process."""
        return cls(server.port, server.token, claim)

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        """The status and the body of the reply."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            connection.request(method, path, body, dict(headers or {}))
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    def post(self, what: str, value: object) -> tuple[int, bytes]:
        """Posts JSON below the token."""
        return self.request("POST", f"/{self.token}/{what}", orjson.dumps(value))

    def say(self, what: str, value: object) -> int:
        """Posts JSON as this page; the status."""
        return self.post(f"{what}/{self.session}", value)[0]

    def connect(self) -> None:
        """Opens the stream of what it is told."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        connection.request("GET", f"/{self.token}/work/{self.session}")
        self._socket = connection.sock
        self._stream = connection.getresponse()
        assert self._stream.status == 200

    def told(self) -> Mapping[str, Any]:
        """The next thing it is told. Raises EOFError at the end."""
        assert self._stream is not None
        while line := self._stream.readline():
            if line.startswith(b"data: "):
                value = orjson.loads(line.removeprefix(b"data: "))
                assert isinstance(value, dict)
                return value
        raise EOFError

    def leave(self) -> None:
        """Cuts the stream."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()

    def answer(self, job: Mapping[str, Any], answers: Sequence[object]) -> int:
        """Answers a job; the status."""
        return self.say("answers", {"job": job["job"], "answers": list(answers)})

    def work(self, judge: Answer) -> threading.Thread:
        """Connects, and answers in a thread until the stream ends."""
        self.connect()

        def answer_all() -> None:
            try:
                while True:
                    job = self.told()
                    if "show" in job:
                        self.shown = job
                        return
                    if "job" in job:
                        self.answer(job, [judge(text) for text in job["texts"]])
            except (EOFError, OSError, ValueError, http.client.HTTPException):
                return

        thread = threading.Thread(target=answer_all, daemon=True)
        thread.start()
        return thread
