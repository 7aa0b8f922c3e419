"""The report page in headless Chromium: opened, clicked through, on a large screen and on a phone, dark and light."""

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.fuzz.runs import DIVERGING, STRICT, MadeUpRun, strict, unsound
from wgsl_fuzz.fuzz.findings.stats import StatsLine, StatsLog
from wgsl_fuzz.fuzz.present.report.page import report_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

playwright: Any = pytest.importorskip("playwright.sync_api", reason="playwright clicks through the page")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on the PATH")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a run with an unsound finding, a strict one whose lines are long, and one with two texts."""
    folder = tmp_path_factory.mktemp("report")
    made = MadeUpRun(folder / "run")
    made.found(unsound(), reduced=DIVERGING)
    long = STRICT.replace("lid >= 0u", " && ".join(["lid >= 0u"] * 12))
    made.found(strict(message=f"4:5 error: {'x' * 300}</script><b>bold</b>"), reduced=long, nearest=STRICT)
    pair = strict(kind="metamorphic", cause="negated", relation="negated")
    made.found(pair, reduced=STRICT, related=DIVERGING)
    log = StatsLog(made.path)
    for i in range(9):
        log.add(StatsLine(seconds=10.0 * i, programs=100 * i, findings={"unsound": i}))
    page = folder / "report.html"
    page.write_text(report_page(made.stored()), encoding="utf-8")
    return page.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


class Opened:
    """A page in the browser, and what it asked for or complained of."""

    def __init__(self, browser: "Browser", address: str, scheme: Any, width: int, scripts: bool) -> None:
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=scheme,
            java_script_enabled=scripts,
            permissions=["clipboard-read", "clipboard-write"],
        )
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page = context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(address)

    def background(self) -> str:
        return str(self.page.evaluate("getComputedStyle(document.body).backgroundColor"))

    def clipped(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


@pytest.fixture
def opened(browser: "Browser", address: str, request: pytest.FixtureRequest) -> Iterator[Opened]:
    """The page; a test may ask for another colour scheme, another width or no scripts."""
    scheme, width, scripts = getattr(request, "param", ("light", 1280, True))
    one = Opened(browser, address, scheme, width, scripts)
    yield one
    one.page.context.close()
    assert [url for url in one.requests if url != address] == []
    assert one.complaints == []


def test_a_finding_and_its_graph_open(opened: Opened) -> None:
    page = opened.page
    card = page.locator("#finding-2")
    assert not card.locator(".listing").first.is_visible()
    card.locator("> summary").click()
    assert card.locator(".listing").first.is_visible()
    graph = card.locator(".graphs svg").first
    assert not graph.is_visible()
    card.locator(".graphs > summary").click()
    assert graph.is_visible()


def test_the_command_is_copied(opened: Opened) -> None:
    page = opened.page
    page.locator("#finding-1 [data-copy]").first.click()
    page.get_by_text("Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("wgsl-fuzz check - --oracle wgsl --oracle semantics --oracle tint@0.3.8 <<'WGSL'\n")
    assert copied.endswith(f"\n{DIVERGING}WGSL")


@pytest.mark.parametrize("opened", [("light", 1280, True), ("dark", 1280, True)], indirect=True)
def test_the_theme_follows_the_system_and_the_button(opened: Opened) -> None:
    before = opened.background()
    assert (before == "rgb(255, 255, 255)") == (opened.page.locator("#theme").inner_text() == "Dark colours")
    opened.page.locator("#theme").click()
    changed = opened.background()
    assert changed != before
    opened.page.locator("#theme").click()
    assert opened.background() == before


def test_the_filter_hides_buckets(opened: Opened) -> None:
    page = opened.page
    page.locator("#filter").fill("unsound")
    assert page.locator(".card:visible").count() == 1
    page.locator("#filter").fill("")
    assert page.locator(".card:visible").count() == 3


@pytest.mark.parametrize("opened", [("dark", 360, True), ("light", 360, False), ("light", 1280, True)], indirect=True)
def test_nothing_sticks_out(opened: Opened) -> None:
    assert not opened.clipped()
    for summary in opened.page.locator("details:not([open]) > summary").all():
        if summary.is_visible():
            summary.click()
    assert not opened.clipped()


@pytest.mark.parametrize("opened", [("light", 1280, False)], indirect=True)
def test_without_scripts_all_can_be_read(opened: Opened) -> None:
    page = opened.page
    assert page.locator("button:visible").count() == 0
    page.locator("#finding-2 > summary").click()
    assert page.locator("#finding-2 .listing").first.is_visible()
    page.locator("#finding-2 summary", has_text="own words").click()
    assert "</script><b>bold</b>" in page.locator("#finding-2 pre").last.inner_text()
