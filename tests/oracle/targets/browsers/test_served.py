"""`browser`: a page of a running service as a target, with pages that answer late, crash, sleep and come back."""

import errno
import json
import os
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from queue import SimpleQueue

import pytest

from tests.oracle.targets.browsers.fake_page import FakePage
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.browsers import served
from wgsl_fuzz.oracle.targets.browsers.claims import dialect_of, learnt
from wgsl_fuzz.oracle.targets.browsers.hub import BrowserPage, Event, Hub
from wgsl_fuzz.oracle.targets.browsers.page_server import PageServer
from wgsl_fuzz.oracle.targets.browsers.served import Exchange, connected, path_of, posts
from wgsl_fuzz.oracle.targets.cache import CACHE_VARIABLE
from wgsl_fuzz.oracle.targets.probes import BROKEN, NON_UNIFORM, VALID
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.verdict import Verdict

NAME = "safari-26.1"
GRACE = 0.2
TINT = {"userAgent": "x HeadlessChrome/156.0 y", "brands": [{"brand": "Chromium", "version": "156.0.1"}]}


class Service:
    """A service in this process, of a patience in seconds."""

    def __init__(self, patience: float = 60.0) -> None:
        self.hub = Hub(grace=GRACE, silence=3600.0)
        self.server = PageServer(self.hub)
        self.exchange = Exchange(self.hub, self.server.port, patience)
        self.pages: list[FakePage] = []

    def open(self, claim: Mapping[str, object] | None = None, judge: object = None) -> FakePage:
        page = FakePage.of(self.server, claim)
        self.pages.append(page)
        page.work(judge or webkit)  # type: ignore[arg-type]
        return page

    def close(self) -> None:
        for page in self.pages:
            page.leave()
        self.exchange.close()
        self.server.close()


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    service = Service()
    yield service
    service.close()


def webkit(text: str) -> str | None:
    """A made-up compiler whose wordings nobody has seen. It dislikes barriers near an `if`."""
    if "var x = ;" in text:
        return "1:90 error: Expected an expression, but got a ';'"
    if "workgroupBarrier" in text and ("if (" in text or "loop" in text):
        return f"1:{len(text)} error: call to 'workgroupBarrier' is not in uniform control flow\n1:2 note: here"
    return None


def verdicts(target: Target, *texts: str) -> list[Verdict]:
    target.submit(texts)
    return [answer.verdict for answer in target.collect()]


@pytest.fixture
def target(service: Service) -> Iterator[Target]:
    service.open()
    target = open_target("browser", timeout=60.0)
    yield target
    target.close()


def test_a_page_is_a_target_by_its_own_account(target: Target) -> None:
    assert target.name == f"browser@{NAME}"
    assert target.origin.startswith("a browser's page, which claims: safari 26.1, WebKit, apple; Mozilla/5.0")
    assert target.checks_uniformity
    assert verdicts(target, VALID, BROKEN, NON_UNIFORM) == [Verdict.ACCEPTS, Verdict.INVALID, Verdict.REJECTS]


def test_a_page_that_comes_later_is_waited_for(service: Service) -> None:
    told: list[str] = []

    def notified(line: str) -> None:
        told.append(line)
        service.open(TINT)

    target = open_target(f"browser:{service.server.port}", notify=notified, timeout=60.0)
    assert target.name == "browser@chromium-156.0.1"
    assert told == [f"browser:{service.server.port}: no browser has opened the page: waiting for it"]
    target.close()


def test_a_page_that_sleeps_is_waited_for(service: Service) -> None:
    sleeper = FakePage.of(service.server)
    service.pages.append(sleeper)

    def judge(text: str) -> str | None:
        if "asleep" in text and sleeper.say("look", {"away": True}) == 204:
            sleeper.leave()
        return webkit(text)

    sleeper.work(judge)
    target = open_target("browser", timeout=2.0)
    target.submit([VALID, VALID + "// asleep\n", NON_UNIFORM])
    time.sleep(2.5)  # longer than the time for a text
    service.open()
    assert [answer.verdict for answer in target.collect()] == [Verdict.ACCEPTS, Verdict.ACCEPTS, Verdict.REJECTS]
    assert getattr(target, "restarted", None) == {}
    target.close()


def test_a_text_that_takes_every_page_down_is_a_crash(service: Service) -> None:
    def come() -> None:
        page = FakePage.of(service.server)
        service.pages.append(page)

        def judge(text: str) -> str | None:
            if "deadly" in text:
                page.leave()
                threading.Timer(0.1, come).start()
                raise EOFError
            return webkit(text)

        page.work(judge)

    come()
    target = open_target("browser", timeout=60.0)
    found = verdicts(target, VALID, VALID + "// deadly\n", NON_UNIFORM)
    assert found == [Verdict.ACCEPTS, Verdict.CRASHED, Verdict.REJECTS]
    target.close()


def test_a_page_that_answers_nonsense_is_no_compiler(service: Service) -> None:
    service.open(judge=lambda _text: None)
    with pytest.raises(TargetError, match="no WGSL compiler as expected"):
        open_target("browser", timeout=60.0)


def test_who_has_the_reply_is_connected(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = service.hub.connect

    def slowly(page: BrowserPage) -> "tuple[int, SimpleQueue[Event]]":
        time.sleep(GRACE)
        return connect(page)

    monkeypatch.setattr(service.hub, "connect", slowly)
    service.open()
    assert service.hub.names() == [NAME]


def test_several_browsers_are_several_targets(service: Service) -> None:
    service.open()
    service.open(TINT)
    with pytest.raises(TargetError, match=f"name one of browser@chromium-156.0.1, browser@{NAME}"):
        open_target("browser", timeout=60.0)
    both = [open_target(spec, timeout=60.0) for spec in (f"browser@{NAME}", "browser@chromium-156.0.1")]
    # Tint's wordings are known, so words that are not Tint's are no rejection of its.
    assert [verdicts(target, NON_UNIFORM) for target in both] == [[Verdict.REJECTS], [Verdict.INVALID]]
    for target in both:
        target.close()


def test_nobody_waits_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    service = Service(patience=0.5)
    try:
        with pytest.raises(TargetError, match="no browser has opened the page, and none came within"):
            open_target("browser")
    finally:
        service.close()


def test_without_a_service_one_line_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    (tmp_path / "serve").mkdir()
    path_of(1).write_text('{"page_port": 1, "port": 1, "secret": "", "process": 999999999}')
    path_of(2).write_text("nonsense")
    with pytest.raises(TargetError, match="start `wgsl-fuzz serve`"):
        open_target("browser")
    assert not path_of(1).exists()
    assert not path_of(2).exists()
    with pytest.raises(TargetError, match="--port 7"):
        open_target("browser:7")
    assert served.served_infos()[0].reason == served.HINT


def test_the_exchange_answers_to_its_secret_only(service: Service) -> None:
    service.open()
    (post,) = posts()
    assert path_of(post.page_port).stat().st_mode & 0o777 == 0o600
    for secret, says in ((post.secret, b"ready"), ("x" * len(post.secret), b""), ("", b"")):
        with connected(type(post)(post.page_port, post.port, secret, post.process), None) as connection:
            connection.settimeout(30)
            assert says in connection.recv(4096)


def test_strangers_keep_nobody_out(service: Service) -> None:
    page = service.open()
    (post,) = posts()
    for port in (post.port, post.page_port):
        strangers = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(230)]
        assert strangers[0].recv(1) == b"", "the oldest is cut"
        assert page.say("pulse", {}) == 204
        with connected(post, None) as connection:
            assert b"ready" in connection.recv(4096)
        for one in strangers:
            one.close()


def test_the_exchange_survives_that_no_file_is_left(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.open()
    accept, failures = socket.socket.accept, [OSError(errno.EMFILE, "Too many open files")] * 2

    def accepted(self: socket.socket) -> tuple[socket.socket, object]:
        if failures and self is service.exchange._listening:
            raise failures.pop()
        return accept(self)

    monkeypatch.setattr(socket.socket, "accept", accepted)
    for _ in range(4):
        with connected(posts()[0], None) as connection:
            assert b"ready" in connection.recv(4096)
    assert not failures


def test_a_service_that_does_not_answer_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(served, "_GREETING_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        (tmp_path / "serve").mkdir()
        post = {"page_port": 1, "port": deaf.getsockname()[1], "secret": "", "process": os.getpid()}
        path_of(1).write_text(json.dumps(post))
        with pytest.raises(TargetError, match="does not answer any more"):
            open_target("browser")


@pytest.mark.parametrize("nonsense", [b"[]", b"5", b"null", b'"x"', b"{", b'[["a"]]', b"[5]", b'{"a": 1}', b"\xff"])
def test_nonsense_ends_a_connection_without_a_traceback(
    service: Service, monkeypatch: pytest.MonkeyPatch, nonsense: bytes
) -> None:
    raised: list[object] = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    page = service.open()
    (post,) = posts()
    for connection in (socket.create_connection(("127.0.0.1", post.port)), connected(post, None)):
        with connection, connection.makefile("rb") as said:
            connection.settimeout(30)
            connection.sendall(nonsense + b"\n")
            connection.shutdown(socket.SHUT_WR)
            assert not [line for line in said if b"answers" in line], "and it has ended"
    assert page.say("pulse", {}) == 204
    assert not raised


def test_wordings_are_learnt_from_plain_violations() -> None:
    dialect = learnt(["1:9 error: call of 'f' at 3 must be uniform\n1:1 note: x", "error: argument must be uniform"])
    for words in ("7:77 error: call of 'other name' at 12 must be uniform", "error: argument must be uniform"):
        assert dialect.refusal(words).verdict is Verdict.REJECTS
    for words in (
        "7:7 error: call of 'f' at 3 must be uniform, and more",
        "7:7 error: unresolved identifier 'call of'",
        "1:9 error: argument must be uniform\n1:1 error: syntax",
    ):
        assert dialect.refusal(words).verdict is Verdict.INVALID
    assert learnt([]).refusal("1:1 error: anything").verdict is Verdict.INVALID


@pytest.mark.parametrize(
    ("browser", "words"),
    [
        ("chromium", "1:8 error: extension 'primitive_index' is not allowed in the current environment"),
        ("firefox", "error: the `clip_distances` extension is not supported in the current environment"),
        ("firefox", "error: the `f16` enable-extension is not supported in the current environment"),
        ("firefox", "error: the `subgroups` enable-extension is not yet supported"),
        ("firefox", "error: `@diagnostic(…)` attribute(s) not yet implemented"),
        ("firefox", "error: unknown enable-extension `subgroup_size_control`"),
        ("firefox", "error: unknown language extension `linear_indexing`"),
        ("firefox", "Type [8] '' is invalid\n= Capability Capabilities(TEXTURE_EXTERNAL) is required"),
        ("firefox", "Global variable [0] 'x' is invalid\n  = Capability Capabilities(IMMEDIATES) is not supported"),
    ],
)
def test_what_an_adapter_lacks_is_no_fault_of_the_compiler(browser: str, words: str) -> None:
    assert dialect_of(browser).refusal(f"Shader '' parsing {words}").verdict is Verdict.UNSUPPORTED
    for other in ("error: unknown extension `f16`", "error: extension 'f17' is no extension", "Capability is missing"):
        assert dialect_of(browser).refusal(other).verdict is Verdict.INVALID
