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


@pytest.mark.parametrize("opened", [("light", 390, True), ("dark", 390, True)], indirect=True)
def test_on_a_phone_the_first_finding_is_on_the_first_screen_and_notes_wrap(opened: Opened) -> None:
    badge = opened.page.locator("#finding-1 .badge").first.bounding_box()
    assert badge is not None
    assert badge["y"] + badge["height"] < 800
    for note in opened.page.locator("#finding-1 .listing p").all():
        box, listing = note.bounding_box(), opened.page.locator("#finding-1 .listing").first.bounding_box()
        assert box is not None
        assert listing is not None
        assert box["x"] + box["width"] <= listing["x"] + listing["width"]


@pytest.mark.parametrize("opened", [("light", 390, True), ("light", 1280, True)], indirect=True)
def test_no_option_of_a_command_is_wrapped_and_verdicts_are_aligned(opened: Opened) -> None:
    heights = (
        "Array.from(document.querySelectorAll('#finding-1 .command span:not(.label)'), e => e.getClientRects().length)"
    )
    rows = opened.page.evaluate(heights)
    texts = opened.page.locator("#finding-1 .command span:not(.label)").all_inner_texts()
    assert len(rows) == len(texts) > 5
    assert all(row == 1 for row, text in zip(rows, texts, strict=True) if "\n" not in text)
    left = (
        "Array.from(document.querySelectorAll('#finding-1 .verdicts .v'), e => Math.round(e.getBoundingClientRect().x))"
    )
    assert len(set(opened.page.evaluate(left))) == 1


@pytest.mark.parametrize("opened", [("light", 1280, False)], indirect=True)
def test_without_scripts_all_can_be_read(opened: Opened) -> None:
    page = opened.page
    assert page.locator("button:visible").count() == 0
    page.locator("#finding-2 > summary").click()
    assert page.locator("#finding-2 .listing").first.is_visible()
    page.locator("#finding-2 summary", has_text="own words").click()
    assert "</script><b>bold</b>" in page.locator("#finding-2 pre").last.inner_text()


def test_text_has_contrast_in_both_themes(browser: "Browser", address: str) -> None:
    """At least 4.5 to 1 (WCAG AA), for each pair of colours that text and its background have."""
    for scheme in ("light", "dark"):
        one = Opened(browser, address, scheme, 1280, scripts=True)
        low = one.page.evaluate(_LOW_CONTRAST)
        one.page.context.close()
        assert low == []


_LOW_CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const known = {};
  const rgba = (colour) => known[colour] ??= (() => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  })();
  const light = (colour) => colour.slice(0, 3).map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    for (; e; e = e.parentElement) { const b = rgba(getComputedStyle(e).backgroundColor); if (b[3] === 255) return b; }
    return [255, 255, 255, 255];
  };
  document.querySelectorAll("details").forEach((d) => { d.open = true; });
  const low = new Set();
  for (const e of document.querySelectorAll("body *:not(svg *, script)")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || !e.offsetParent) continue;
    const [a, b] = [light(rgba(getComputedStyle(e).color)), light(behind(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.add(`${e.tagName}.${e.className}: ${ratio.toFixed(2)}`);
  }
  return [...low];
}"""
