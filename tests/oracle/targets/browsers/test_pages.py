"""The service for pages against hostile ones: what was not asked is refused, and changes nothing."""

import http.client
import re
import socket
import ssl
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.targets.browsers.fake_page import AGENT, SECONDS, FakePage
from wgsl_fuzz.oracle.targets.browsers.claims import claim_of
from wgsl_fuzz.oracle.targets.browsers.hub import MESSAGE_CHARACTERS, PAGES, Hub, LostPage, cleaned
from wgsl_fuzz.oracle.targets.browsers.page_server import BODY_BYTES, GREETING_BYTES, PageServer, page_source
from wgsl_fuzz.oracle.targets.protocol import engine_of

NAME = "safari-26.1"


@pytest.fixture
def server() -> Iterator[PageServer]:
    server = PageServer(Hub(grace=0.1))
    yield server
    server.close()


@pytest.fixture
def page(server: PageServer) -> Iterator[FakePage]:
    """A page that is connected."""
    page = FakePage.of(server)
    page.connect()
    yield page
    page.leave()


def test_texts_come_and_answers_go(server: PageServer, page: FakePage) -> None:
    future = server.hub.ask(NAME, ["a", "b\n\x00é\ud800"])
    job = page.told()
    assert job["texts"] == ["a", "b\n\x00é?"]
    assert page.answer(job, [None, "1:1 error: no"]) == 204
    assert future.result(SECONDS) == [None, "1:1 error: no"]


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["", "page.html", "hello", "work/x", "../", "%2e%2e/", "favicon.ico"])
def test_without_the_token_there_is_nothing(server: PageServer, page: FakePage, method: str, path: str) -> None:
    wrong = [f"/{path}", f"/{'x' * len(server.token)}/{path}", f"/{server.token[:-1]}/{path}", f"//{path}"]
    for target in wrong:
        assert page.request(method, target, b"{}") == (404, b"")


@pytest.mark.parametrize("path", ["/", "index.html", "page.html", "work", "work/", "hub.py", "../hub.py", "answers/x"])
def test_with_the_token_only_the_page_is_there(server: PageServer, page: FakePage, path: str) -> None:
    status, body = page.request("GET", f"/{server.token}/{path}")
    assert status in (404, 410)
    assert body == b""
    assert page.request("GET", f"/{server.token}/")[0] == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost", "127.0.0.1:1", "", "localhost.evil.example:{port}"])
def test_another_host_is_refused(server: PageServer, page: FakePage, host: str) -> None:
    headers = {"Host": host.format(port=server.port)}
    assert page.request("GET", f"/{server.token}/", headers=headers) == (421, b"")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://localhost", "http://127.0.0.1"])
def test_another_pages_requests_are_refused(server: PageServer, page: FakePage, origin: str) -> None:
    assert page.request("POST", f"/{server.token}/hello", b"{}", {"Origin": origin}) == (403, b"")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "HEAD"])
def test_other_methods_are_refused(server: PageServer, page: FakePage, method: str) -> None:
    assert page.request(method, f"/{server.token}/")[0] == 501


def test_a_body_has_a_length_and_a_bound(server: PageServer, page: FakePage) -> None:
    hello, answers = f"/{server.token}/hello", f"/{server.token}/answers/{page.session}"
    assert page.request("POST", hello, headers={"Content-Length": str(GREETING_BYTES + 1)})[0] == 413
    assert page.request("POST", answers, headers={"Content-Length": str(BODY_BYTES + 1)})[0] == 413
    for length in ("-1", "x", "", "1e3", "9" * 10):
        assert page.request("POST", hello, headers={"Content-Length": length})[0] == 411
    assert page.request("POST", hello, b"2\r\n{}\r\n0\r\n\r\n", {"Transfer-Encoding": "chunked"})[0] == 411


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"userAgent": 1}', b"\xff", b"[" * 9000])
def test_a_greeting_of_nonsense_is_refused(server: PageServer, page: FakePage, body: bytes) -> None:
    assert page.request("POST", f"/{server.token}/hello", body)[0] == 400


@pytest.mark.parametrize(
    "answers",
    [None, {}, "xx", [None], [None] * 3, [None, 1], [None, ""], [None, "x" * (MESSAGE_CHARACTERS + 1)], [None, True]],
)
def test_answers_of_another_shape_are_refused(server: PageServer, page: FakePage, answers: object) -> None:
    future = server.hub.ask(NAME, ["a", "b"])
    job = page.told()
    assert page.say("answers", {"job": job["job"], "answers": answers}) == 400
    assert not future.done()
    assert page.answer(job, [None, "x"]) == 204


def test_what_was_not_asked_or_is_answered_is_refused(server: PageServer, page: FakePage) -> None:
    future = server.hub.ask(NAME, ["a"])
    job = page.told()
    for number in (job["job"] + 1, str(job["job"]), None, [job["job"]]):
        assert page.answer({"job": number}, [None]) == 409
    assert page.answer(job, ["first"]) == 204
    assert page.answer(job, [None]) == 409
    assert future.result(SECONDS) == ["first"]


def test_a_page_answers_for_itself_only(server: PageServer, page: FakePage) -> None:
    other = FakePage.of(server)
    future = server.hub.ask(NAME, ["a"])
    job = page.told()
    assert other.answer(job, ["forged"]) == 409
    assert page.answer(job, [None]) == 204
    assert future.result(SECONDS) == [None]
    other.session = "x" * len(page.session)
    assert other.answer(job, [None]) == 410


def test_late_answers_are_refused(server: PageServer, page: FakePage) -> None:
    future = server.hub.ask(NAME, ["a"])
    job = page.told()
    page.leave()
    with pytest.raises(LostPage):
        future.result(SECONDS)
    assert page.answer(job, [None]) == 410


def test_texts_of_a_page_that_said_it_leaves_go_to_the_next(server: PageServer, page: FakePage) -> None:
    future = server.hub.ask(NAME, ["a"])
    page.told()
    assert page.say("look", {"away": True}) == 204
    page.leave()
    successor = FakePage.of(server)
    successor.work(lambda text: text)
    assert future.result(SECONDS) == ["a"]
    successor.leave()


def test_a_lost_device_loses_what_was_asked(server: PageServer, page: FakePage) -> None:
    future = server.hub.ask(NAME, ["a"])
    page.told()
    assert page.say("lost", {"reason": "\x1b[31mcrash"}) == 204
    with pytest.raises(LostPage, match="crash"):
        future.result(SECONDS)


def test_there_are_only_so_many_pages(server: PageServer, page: FakePage) -> None:
    others = [FakePage.of(server) for _ in range(3 * PAGES)]
    assert all(other.session for other in others), "pages that never connect make room"
    assert page.say("pulse", {}) == 204, "a page that is connected stays"


def test_silent_connections_keep_nobody_waiting(server: PageServer, page: FakePage) -> None:
    silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(8)]
    for one in silent:
        one.sendall(b"POST /")
    assert page.say("pulse", {}) == 204
    for one in silent:
        one.close()


def test_every_reply_forbids_what_it_does_not_need(server: PageServer, page: FakePage) -> None:
    for path in (f"/{server.token}/", "/"):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        connection.request("GET", path)
        reply = connection.getresponse()
        headers = {name.lower(): value for name, value in reply.getheaders()}
        connection.close()
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'sha256-")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert not [name for name in headers if name.startswith("access-control")]
    assert page.token not in page_source()


def test_tls_is_agreed_upon_in_the_clients_own_time() -> None:
    certificates = pytest.importorskip("wgsl_fuzz.oracle.targets.browsers.page_server")
    pytest.importorskip("cryptography", reason="a certificate needs the extra [serve]")
    context, fingerprint = certificates.self_signed("127.0.0.1")
    server = PageServer(Hub(), tls=context)
    try:
        slow = socket.create_connection(("127.0.0.1", server.port))
        trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        raw = socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS)
        with trusting.wrap_socket(raw) as connection:
            connection.sendall(f"GET /{server.token}/ HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
            assert connection.recv(12) == b"HTTP/1.1 200"
        slow.close()
    finally:
        server.close()
    assert re.fullmatch("(?:[0-9A-F]{2}:){31}[0-9A-F]{2}", fingerprint)


CLAIMS = st.dictionaries(
    st.sampled_from(["userAgent", "brands", "adapter", "fault"]),
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=30)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(st.sampled_from(["brand", "version", "vendor", "fallback"]), inner, max_size=3),
        ),
    ),
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(CLAIMS)
def test_claims_are_short_and_harmless(said: dict[str, object]) -> None:
    try:
        claim = claim_of(said)
    except ValueError:
        assert not isinstance(said.get("userAgent"), str)
        return
    assert re.fullmatch(r"[\w.-]{1,60}", claim.name, re.ASCII)
    for words in (claim.words, claim.user_agent, claim.fault):
        assert re.fullmatch(r"[\w .,:;()/+@-]{0,400}", words, re.ASCII)


@pytest.mark.parametrize(
    ("agent", "name", "compiler"),
    [
        (AGENT, NAME, "WebKit"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0", "firefox-153.0", "Naga"),
        ("Mozilla/5.0 (X11) AppleWebKit/537.36 HeadlessChrome/156.0.0.0 Safari/537.36", "chrome-156.0.0.0", "Tint"),
        ("Mozilla/5.0 AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.1", "edge-140.1", "Tint"),
        ("Mozilla/5.0 (iPhone) AppleWebKit/605 CriOS/140.0 Safari/604.1", "chrome-ios-140.0", "WebKit"),
        ("Mozilla/5.0 (iPhone) AppleWebKit/605 EdgiOS/140.0", "edge-ios-140.0", "WebKit"),
        ("Mozilla/5.0 (iPhone) AppleWebKit/605 FxiOS/140.0", "firefox-ios-140.0", "WebKit"),
        ("curl", "unknown", "another compiler"),
    ],
)
def test_browsers_are_told_by_their_user_agents(agent: str, name: str, compiler: str) -> None:
    claim = claim_of({"userAgent": agent})
    assert (claim.name, claim.compiler) == (name, compiler)
    assert engine_of(f"browser@{claim.name}") == (compiler.lower() if name != "unknown" else None)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.one_of(st.none(), st.text(min_size=1, max_size=30)), max_size=4))
def test_messages_keep_their_lines_and_lose_control_characters(answers: list[str | None]) -> None:
    for before, after in zip(answers, cleaned(answers, len(answers)), strict=True):
        assert (before is None) == (after is None)
        if before is not None and after is not None:
            assert len(before) == len(after)
            assert before.count("\n") == after.count("\n")
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", after)


def test_many_askers_and_pages_lose_no_answer(server: PageServer) -> None:
    pages = [FakePage.of(server) for _ in range(3)]
    for page in pages:
        page.work(lambda text: None if text.endswith("0") else text)
    got: dict[int, list[str | None]] = {}

    def ask(asker: int) -> None:
        texts = [f"{asker}.{i}" for i in range(20)]
        futures = [server.hub.ask(NAME, texts[at : at + 5]) for at in range(0, 20, 5)]
        got[asker] = [answer for future in futures for answer in future.result(SECONDS)]

    threads = [threading.Thread(target=ask, args=(asker,)) for asker in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for asker, answers in got.items():
        expected = [f"{asker}.{i}" for i in range(20)]
        assert answers == [None if text.endswith("0") else text for text in expected]
    assert len(got) == 6
    for page in pages:
        page.leave()
