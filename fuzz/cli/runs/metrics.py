"""`--metrics PORT`: the latest sample of a campaign for Prometheus, on this machine only."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from wgsl_fuzz.fuzz.findings.stats import StatsLine
from wgsl_fuzz.fuzz.present.metrics import CONTENT_TYPE, metrics_text
from wgsl_fuzz.fuzz.problems import Problem

LOOPBACK, PATH = "127.0.0.1", "/metrics"
MOST = 8
"""Requests that are answered at once; further ones are hung up on."""
SECONDS = 5.0
"""The time of a request, from its connection to its end."""


@dataclass
class Feed:
    """Where samples come from: the latest one, if there is any. It is asked by other threads."""

    sample: Callable[[], StatsLine | None] = lambda: None


class MetricsServer(ThreadingHTTPServer):
    """Answers GET /metrics in threads of its own. Raises OSError if the port cannot be had; port 0 is any free one."""

    allow_reuse_address = os.name == "posix"  # elsewhere it would take a port that is in use
    block_on_close = False

    def __init__(self, port: int, feed: Feed) -> None:
        self.feed = feed
        self._free = threading.BoundedSemaphore(MOST)
        super().__init__((LOOPBACK, port), _Handler)

    @property
    def address(self) -> str:
        """What to ask for."""
        return f"http://{LOOPBACK}:{self.server_address[1]}{PATH}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """As of ThreadingHTTPServer, for so many connections at once as there may be."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """In a thread: answers one connection, which is hung up on when its time is over."""
        hang_up = threading.Timer(SECONDS, _hang_up, (request,))
        hang_up.daemon = True
        hang_up.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            hang_up.cancel()
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing: a client that hangs up is none of the campaign's business."""


class _Handler(BaseHTTPRequestHandler):
    server: MetricsServer
    server_version = "wgsl-fuzz"
    sys_version = ""

    def do_GET(self) -> None:
        """The sample; 404 for what is no path of ours, 503 before the first one."""
        line = self.server.feed.sample()
        if self.path != PATH:
            self.send_error(HTTPStatus.NOT_FOUND, f"there is only {PATH}")
        elif line is None:
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, "nothing was measured yet")
        else:
            content = metrics_text(line).encode()
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing."""


def _hang_up(request: socket.socket) -> None:
    with suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)


@contextmanager
def served(port: int | None, say: Callable[[str], object]) -> Iterator[Feed]:
    """A context in which the samples of a feed are served at a port, if one is given. Raises Problem if it cannot be
    had.
    """
    feed = Feed()
    if port is None:
        yield feed
        return
    try:
        server = MetricsServer(port, feed)
    except OSError as error:
        why = error.strerror or str(error)
        raise Problem(f"cannot serve --metrics at {LOOPBACK}:{port}: {why}; --metrics 0 takes a free port") from error
    say(f"metrics: {server.address}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield feed
    finally:
        server.shutdown()
        server.server_close()
