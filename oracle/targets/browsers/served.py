"""`browser`: whatever browser has opened the page of a running `wgsl-fuzz serve`. It is what its page claims to be."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from wgsl_fuzz.oracle.targets.browsers.claims import KNOWN, learn
from wgsl_fuzz.oracle.targets.browsers.exchange import Post, connected, posts
from wgsl_fuzz.oracle.targets.children.line_server import LineServer
from wgsl_fuzz.oracle.targets.children.python_child import value_of
from wgsl_fuzz.oracle.targets.description import Dialect
from wgsl_fuzz.oracle.targets.probes import PROBES, VIOLATIONS
from wgsl_fuzz.oracle.targets.protocol import State, Target, TargetError, TargetInfo, TargetRequest
from wgsl_fuzz.oracle.verdict import Answer, Verdict

PREFIX = "browser"
HINT = "start `wgsl-fuzz serve` in another terminal, and open its page in a browser"
_CHILD = "wgsl_fuzz.oracle.targets.browsers.exchange"


class _Reader:
    """Reads messages by a dialect that may be learnt from the first of them."""

    def __init__(self, dialect: Dialect | None) -> None:
        self.dialect = dialect

    def __call__(self, raw: str) -> Answer:
        return Answer(Verdict.INVALID, raw) if self.dialect is None else self.dialect.refusal(raw)

    def learn(self, server: LineServer) -> None:
        """Learns from what the compiler says of plain violations, whose messages pass through unread."""
        self.dialect = None
        self.dialect = learn(lambda texts: [answer.message or None for answer in server.ask(texts)], VIOLATIONS)


def open_served(request: TargetRequest) -> Target:
    """`browser`, `browser@NAME` (`browser@safari-26.1`), `browser:PORT` (of the service's page). Raises TargetError."""
    post = _post(request)
    banner = _first_banner(request, post)
    name = str(banner.get("name"))
    reader = _Reader(KNOWN.get(str(banner.get("compiler"))))
    learns = reader.dialect is None
    server = LineServer.of_python(request, [_CHILD, str(post.page_port), name], reader, probes=PROBES)
    if learns:
        reader.learn(server)
    origin = f"a browser's page, which claims: {_words(banner)}; {banner.get('user_agent')}"
    return server.as_target(f"{PREFIX}@{name}", origin)


def served_infos() -> Sequence[TargetInfo]:
    """The services that run on this machine, else how to start one."""
    running = posts()
    if not running:
        return [TargetInfo(PREFIX, "any browser's page", State.MISSING, reason=HINT)]
    return [TargetInfo(f"{PREFIX}:{post.page_port}", "wgsl-fuzz serve", State.INSTALLED) for post in running]


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
    raise TargetError(f"{request.spec}: wgsl-fuzz serve has ended")


def _words(banner: Mapping[str, Any]) -> str:
    parts = (f"{banner.get('browser')} {banner.get('version')}", banner.get("compiler"), banner.get("adapter"))
    return ", ".join(str(part) for part in parts if part)
