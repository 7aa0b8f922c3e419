"""`explain` of texts that are not TinyWGSL, and by rule sets of the whole language."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from wgsl_fuzz.fuzz.cli.main import main

CORPUS = Path(__file__).parents[3] / "corpus"
TINY = CORPUS / "fig-7" / "shader.wgsl"
FOLDER = Path(__file__).parents[1] / "present" / "explanations"
REJECTED = FOLDER / "early-return.wgsl"
ACCEPTED = FOLDER / "accepted.wgsl"


def explain(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["explain", *map(str, arguments)])


def test_words() -> None:
    result = explain(REJECTED)
    assert result.exit_code == 0
    said = REJECTED.with_suffix(".txt").read_text(encoding="utf-8")
    assert result.output.split("\n", 1)[1] == said.split("\n", 1)[1]


@pytest.mark.parametrize("file", [REJECTED, ACCEPTED, TINY])
def test_json(file: Path) -> None:
    said = json.loads(explain(file, "--json").output)
    assert list(said) == ["file", "verdict", "explanations", "functions"]
    assert said["verdict"] == ("uniform" if file == ACCEPTED else "non-uniform")
    assert bool(said["explanations"]) == (file != ACCEPTED)
    for explanation in said["explanations"]:
        assert {"severity", "rules", "scope", "function", "same as", "steps"} == explanation.keys()
        assert all({"sentence", "line", "depth"} <= step.keys() for step in explanation["steps"])


def test_json_of_tinywgsl_has_the_lines_of_the_words() -> None:
    (explanation,) = json.loads(explain(TINY, "--json").output)["explanations"]
    assert [step["line"] for step in explanation["steps"]] == [6, 5, 5]


def test_a_rule_set_of_the_whole_language_explains_tinywgsl_too() -> None:
    paper, whole = explain(TINY), explain(TINY, "--rules", "wgsl")
    assert "needs uniform control flow" in paper.output
    assert "must be called in uniform control flow" in whole.output
    assert whole.output.splitlines()[0] == f"{TINY}: wgsl rejects"


def test_a_rule_set_decides() -> None:
    """By the letter, what an atomic operation gives is uniform if its arguments are."""
    file = FOLDER / "return-in-loop.wgsl"
    assert explain(file, "--rules", "wgsl").output == explain(file).output
    assert explain(file, "--rules", "letter").output.splitlines()[0].endswith(": letter accepts")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((REJECTED, "--rules", "paper"), "is not TinyWGSL, and the rules paper are for that only"),
        ((REJECTED, "--dot", "--full"), "--full is for TinyWGSL"),
        ((REJECTED, "--json", "--dot"), "choose one"),
        ((TINY, "--json", "--full"), "--full is about the picture"),
        ((REJECTED, "--function", "g"), "no analysed function is called g; there is main"),
    ],
)
def test_what_cannot_be_had_is_one_line(arguments: tuple[object, ...], says: str) -> None:
    result = explain(*arguments)
    assert result.exit_code == 2
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_errors_have_a_place(tmp_path: Path) -> None:
    file = tmp_path / "x.wgsl"
    file.write_text("fn f() {\n  let x = 1\n}\n", encoding="utf-8")
    result = explain(file)
    assert result.exit_code == 2
    assert re.fullmatch(rf"{file}:3:1: .+\n", result.stderr)


@pytest.mark.parametrize("file", [REJECTED, ACCEPTED, FOLDER / "pointer-out.wgsl"])
def test_svg(file: Path) -> None:
    root = ET.fromstring(explain(file, "--svg").output)
    assert root.tag.endswith("svg")
    texts = {(t.text or "").replace("\xa0", " ") for t in root.iter("{http://www.w3.org/2000/svg}text")}
    assert texts & {"MayBeNonUniform"}


def test_html() -> None:
    text = explain(FOLDER / "return-in-loop.wgsl", "--html").output
    marks = dict(re.findall(r'<li id="L(\d+)"(?: class="([a-z-]+)")?>', text))
    assert {line: mark for line, mark in marks.items() if mark} == {
        "4": "path",
        "5": "source-of",
        "6": "path",
        "9": "demand",
        "15": "path",
        "16": "path",
        "17": "demand",
    }
    assert set(re.findall(r'href="#L(\d+)"', text)) <= marks.keys()
    assert text.count("<figure>") == 2
    assert "src=" not in text
    assert "<script" not in text


def test_html_escapes_the_source(tmp_path: Path) -> None:
    file = tmp_path / "<b>.wgsl"
    file.write_text("// <script>alert(1)</script>\n" + REJECTED.read_text(encoding="utf-8"), encoding="utf-8")
    text = explain(file, "--html").output
    assert "<script" not in text
    assert "<b>" not in text
