"""HTTP with pages: one page is served, and it may greet, listen and post. Whoever asks otherwise gets an empty refusal.

Everything is below the path `/TOKEN/`, and the token is secret: who does not know it learns nothing, not even that
there is a page. The page is one file, whose content security policy names the hashes of its own script and style.
"""

import base64
import contextlib
import datetime
import hashlib
import hmac
import ipaddress
import os
import re
import secrets
import ssl
import tempfile
import threading
from collections.abc import Collection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from queue import Empty
from typing import Any

import orjson

from wgsl_fuzz.oracle.targets.browsers.claims import claim_of
from wgsl_fuzz.oracle.targets.browsers.guests import Guests
from wgsl_fuzz.oracle.targets.browsers.hub import BrowserPage, Hub, Refused
from wgsl_fuzz.oracle.targets.protocol import TargetError

BODY_BYTES = 4 << 20
"""The longest body of a request: messages on the texts of one job."""
GREETING_BYTES = 16 << 10
CONNECTIONS = 96
"""The most connections at once."""
READ_SECONDS = 15.0
"""How long a request may take to arrive, and a piece of an answer to be read."""
LOOK_SECONDS = 0.25
"""How often a silent connection is looked at."""
BEAT_EVERY = 20
"""After so many looks something is sent: a connection that is cut somewhere else shows when one writes to it."""

_SESSION = re.compile(r"(work|answers|lost|look|pulse)/([\w-]{1,64})")


def page_source() -> str:
    """The page, with its scripts in it."""
    page, script = (files(__package__).joinpath(name).read_text("utf-8") for name in ("page.html", "webgpu.js"))
    return page.replace("/* webgpu.js */\n", script)


def policy(page: str) -> str:
    """The content security policy of the page: its own script and style, and talk with this server only."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash(page, 'script')}",
            f"style-src {_hash(page, 'style')}",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def _hash(page: str, element: str) -> str:
    content = page.partition(f"<{element}>")[2].partition(f"</{element}>")[0]
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


class PageServer(ThreadingHTTPServer):
    """Serves the page to those who know the token, under the names `hosts`, until it is closed."""

    daemon_threads = True
    request_queue_size = CONNECTIONS

    def __init__(
        self,
        hub: Hub,
        address: str = "127.0.0.1",
        port: int = 0,
        *,
        hosts: Collection[str] = (),
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`port` 0: any; `hosts` are names of this machine beside `localhost` and `127.0.0.1`. Raises OSError."""
        self.hub, self.token = hub, secrets.token_urlsafe(16)
        self.page = page_source().encode()
        self.policy = policy(self.page.decode())
        self.tls = tls
        self.slots, self.guests = threading.BoundedSemaphore(CONNECTIONS), Guests(READ_SECONDS)
        super().__init__((address, port), _Handler)
        self.port: int = self.server_address[1]
        self.hosts = frozenset(f"{host}:{self.port}" for host in ("localhost", "127.0.0.1", *hosts))
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        self._thread.start()

    def address_for(self, host: str = "127.0.0.1") -> str:
        """What to open in a browser."""
        return f"{'http' if self.tls is None else 'https'}://{host}:{self.port}/{self.token}/"

    def close(self) -> None:
        """Ends the service."""
        self.shutdown()
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        """As the base class's, for so many connections at once and no more."""
        if self.slots.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """As the base class's."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.slots.release()

    def finish_request(self, request: Any, client_address: Any) -> None:
        """As the base class's; TLS is agreed upon here, where a slow client keeps nobody else waiting."""
        if self.tls is not None:
            request = self.tls.wrap_socket(request, server_side=True, do_handshake_on_connect=False)
        self.guests.enter(request)
        try:
            super().finish_request(request, client_address)  # the first read shakes hands
        finally:
            self.guests.leave(request)
            if self.tls is not None:
                request.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that break off are nothing to talk about."""


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: PageServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "wgsl-fuzz", ""
    timeout = READ_SECONDS

    def log_message(self, *_: object) -> None:
        """Requests are not logged: the path holds the token."""

    def send_error(self, code: int, *_: object, **__: object) -> None:
        """A refusal without words; the connection ends."""
        self.close_connection = True
        self._reply(code)

    def do_GET(self) -> None:
        """The page, or its stream of events."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """What pages say."""
        self._answer(self._post)

    def _answer(self, work: Any) -> None:
        try:
            work(self._checked_path())
        except Refused as refused:
            self.send_error(refused.status)
        except (ValueError, RecursionError):
            self.send_error(400)
        except OSError:  # the page is gone
            self.close_connection = True

    def _checked_path(self) -> str:
        """The path below the token. A request for another host, by another page or without the token is refused."""
        if self.headers.get_all("Host") is None or self.headers["Host"].lower() not in self.server.hosts:
            raise Refused(421, "another host")
        origin, scheme = self.headers["Origin"], "http" if self.server.tls is None else "https"
        if origin is not None and origin.lower() != f"{scheme}://{self.headers['Host'].lower()}":
            raise Refused(403, "another origin")
        token, slash, path = self.path.removeprefix("/").partition("/")
        if not (hmac.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode()) and slash):
            raise Refused(404, "the token is wrong")
        self.server.guests.leave(self.connection)
        return path

    def _get(self, path: str) -> None:
        if not path:
            self._reply(200, self.server.page, "text/html; charset=utf-8")
            return
        what, page = self._session(path)
        if what != "work":
            raise Refused(404, "nothing to get")
        self._stream(page)

    def _post(self, path: str) -> None:
        hub = self.server.hub
        if path == "hello":
            page = hub.greet(claim_of(self._body(GREETING_BYTES)))
            self._reply(200, orjson.dumps({"session": page.key}), "application/json")
            return
        what, page = self._session(path)
        body = self._body(BODY_BYTES if what == "answers" else GREETING_BYTES)
        if not isinstance(body, dict):
            raise Refused(400, "an object was expected")
        if what == "answers":
            hub.take(page, body.get("job"), body.get("answers"))
        elif what == "lost":
            hub.lose_device(page, str(body.get("reason"))[:200])
        elif what == "look":
            hub.look(page, body.get("away"))
        elif what != "pulse":
            raise Refused(404, "nothing to post")
        self._reply(204)

    def _session(self, path: str) -> tuple[str, BrowserPage]:
        """What is done, and the page that does it."""
        found = _SESSION.fullmatch(path)
        if found is None:
            raise Refused(404, "no such path")
        return found[1], self.server.hub.page(found[2])

    def _body(self, most: int) -> Any:
        """The body as JSON; Refused if it is too long, or of unknown length."""
        length = self.headers["Content-Length"] or ""
        if not re.fullmatch(r"\d{1,9}", length) or self.headers["Transfer-Encoding"] is not None:
            raise Refused(411, "the length is missing")
        if int(length) > most:
            raise Refused(413, "too long")
        data = self.rfile.read(int(length))
        if len(data) < int(length):
            raise Refused(400, "too short")
        return orjson.loads(data)

    def _reply(self, status: int, body: bytes = b"", kind: str = "") -> None:
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self._protect()
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def _protect(self) -> None:
        for name, value in (
            ("Content-Security-Policy", self.server.policy),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
        ):
            self.send_header(name, value)

    def _stream(self, page: BrowserPage) -> None:
        """Tells a page its jobs (server-sent events), until either side ends the connection."""
        self.close_connection = True
        connection, outbox = self.server.hub.connect(page)  # first: who has the reply is connected
        looks = 0
        try:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self._protect()
            self.end_headers()
            while page.connection == connection:
                try:
                    event = outbox.get(timeout=LOOK_SECONDS)
                except Empty:
                    if self._is_cut():
                        return
                    looks += 1
                    if looks % BEAT_EVERY == 0:
                        self.wfile.write(b":\n\n")
                    continue
                if event is None:
                    return
                self.wfile.write(b"data: " + orjson.dumps(event) + b"\n\n")  # JSON has no line feeds
        finally:
            self.server.hub.disconnect(page, connection)

    def _is_cut(self) -> bool:
        """Whether the page has ended its side: it has nothing to send on this connection."""
        self.connection.settimeout(0.01)
        try:
            return not self.connection.recv(1)
        except (TimeoutError, ssl.SSLWantReadError):
            return False
        finally:
            self.connection.settimeout(READ_SECONDS)


EXTRA = "pip install 'wgsl-fuzz[serve]'"
_DAYS = 30


def self_signed(address: str) -> tuple[ssl.SSLContext, str]:
    """A context with a new certificate for an address, and its SHA-256 fingerprint. Raises TargetError."""
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID
    except ImportError as error:
        raise TargetError(f"a page in the network needs a certificate: {EXTRA}") from error
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "wgsl-fuzz serve")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=_DAYS))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    context = _context(certificate.public_bytes(serialization.Encoding.PEM) + private)
    return context, certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def _context(pem: bytes) -> ssl.SSLContext:
    """A server's context; the standard library reads certificates from files only."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    descriptor, path = tempfile.mkstemp()  # readable to this user only
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(pem)
        context.load_cert_chain(path)
    finally:
        Path(path).unlink()
    return context
