"""`wgsl-fuzz conformance`: the table in every form, exit statuses, the rows as tests for others, watching."""

import subprocess
from collections.abc import Iterator
from functools import partial
from html import unescape
from pathlib import Path
from shutil import which
from xml.etree import ElementTree as ET

import orjson
import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.fakes import FakeTarget, play
from tests.quality.paper_mutants import KILLABLE
from wgsl_fuzz.fuzz.cli.rules import conformance as command
from wgsl_fuzz.fuzz.cli.rules.conformance import watched
from wgsl_fuzz.fuzz.conformance.confusion import load_confusion
from wgsl_fuzz.fuzz.conformance.rows import SIDES, Level, load, step_of
from wgsl_fuzz.fuzz.files import follow
from wgsl_fuzz.oracle.verdict import Answer, Verdict

TINY = load(Level.CORE)
ROWS = f"{len(TINY.rows)} rows: {len(KILLABLE)} of the {len(KILLABLE)} branches of the paper's rules"
TENA = "rules:without-10a"


conformance = partial(wgsl_fuzz, "conformance")


def test_a_target_without_an_analysis_begins_with_what_most_rows_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("everything.py").write_text("def check(text: str) -> str:\n    return 'accepts'\n")
    said = conformance("--target", "python:everything:check")
    assert said.exit_code == 1
    assert said.output.count("has no uniformity analysis") == 1
    assert "not implemented" in said.output
    result = conformance("--target", "python:everything:check", "--format", "json")
    first = orjson.loads(result.stdout)["targets"][0]["next"]
    confusion = load_confusion(Level.CORE)
    step = {name for name in confusion.wrong if step_of(TINY[name]).number == 1}
    assert len(confusion.rows_of(first)) == max(map(len, map(confusion.rows_of, step)))


def test_json() -> None:
    result = conformance("--target", TENA, "--format", "json")
    assert result.exit_code == 1
    said = orjson.loads(result.stdout)
    assert (said["level"], said["rows"]) == ("core", len(TINY.rows))
    (table,) = said["targets"]
    assert table["analysis"]
    assert sum(table["counts"].values()) == len(table["results"]) == len(TINY.rows)
    for part in ("sections", "steps"):
        assert sum(one["rows"] for one in table[part].values()) == len(TINY.rows)
        assert sum(one["right"] for one in table[part].values()) == table["counts"]["right"]
    wrong = {row["row"] for row in table["results"] if row["status"] != "right"}
    rows_of = load_confusion(Level.CORE).rows_of
    assert all(row["implemented"] == rows_of(row["row"]).isdisjoint(wrong) for row in table["results"])
    red = [row for row in table["results"] if row["status"] != "right"]
    assert table["next"] == "10a"
    assert "10a" in {row["row"] for row in red}
    assert all(row["follows"] == "10a" for row in red if row["row"] != "10a")
    assert said["without"] == TINY.without


def test_junit(tmp_path: Path) -> None:
    path = tmp_path / "out.xml"
    assert conformance("--target", TENA, "--junitxml", str(path)).exit_code == 1
    (suite,) = ET.parse(path).getroot()
    cases = suite.findall("testcase")
    assert len(cases) == int(suite.attrib["tests"]) == len(TINY.rows)
    assert len(suite.findall("testcase/failure")) == int(suite.attrib["failures"]) > 0


def test_the_page_holds_what_fails_and_asks_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    conformance("--target", TENA, "--target", "rules:paper", "--format", "html", "-o", str(path))
    text = path.read_text(encoding="utf-8")
    assert "<h3>10a</h3>" in text
    assert "http" not in text.replace("https://www.w3.org", "")
    assert "<script" not in text
    assert all(f">{step.name}</h3>" in text for step in {step_of(row) for row in TINY.rows})
    assert 'class="line differs"' in text
    assert ROWS in unescape(text)
    assert "the <code>continue</code>s" in text
    assert (
        "is the built-in input <code>local_invocation_index</code>"
        in text.partition('<ul class="why">')[2].partition("</ul>")[0]
    )
    assert f"wgsl-fuzz conformance --target {TENA} --target rules:paper --level core --row 10a<" in text
    assert "`" not in text


def test_hostile_words_of_a_target_are_escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, lambda name: FakeTarget(instead=lambda _: Answer(Verdict.INVALID, "<b>\x1b[31m|"), name=name))
    page, junit = tmp_path / "page.html", tmp_path / "out.xml"
    result = conformance("--target", "fake", "--format", "html", "-o", str(page), "--junitxml", str(junit))
    assert result.exit_code == 1
    assert "\x1b" not in result.output
    assert "<b>" not in page.read_text(encoding="utf-8")
    assert ET.parse(junit).getroot()[0].attrib["skipped"] == str(len(TINY.rows))
    assert "\\|" in conformance("--target", "fake", "--format", "markdown").stdout


# --------------------------------------------------------------------------------------------------------------- export


@pytest.mark.parametrize("level", Level, ids=[level.value for level in Level])
def test_the_cts_file_holds_every_shader(level: Level, tmp_path: Path) -> None:
    path = tmp_path / "conformance.spec.ts"
    assert conformance("--level", level.value, "--format", "cts", "-o", str(path)).exit_code == 0
    text = path.read_text(encoding="utf-8")
    rows = load(level).rows
    assert text.count("code: `") == 2 * len(rows)
    assert text.count("pass: true") == text.count("pass: false") == len(rows)
    assert text.count("g.test('") == len({row.section for row in rows})
    if which("node") is not None:
        module = tmp_path / "conformance.mjs"
        module.write_text(text, encoding="utf-8")
        assert subprocess.run(["node", "--check", str(module)], check=False).returncode == 0


def test_plain_files_with_expectations(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert conformance("--format", "wgsl", "-o", str(folder)).exit_code == 0
    lines = (folder / "expectations.txt").read_text(encoding="utf-8").splitlines()[1:]
    expected = dict(line.split(" ") for line in lines)
    assert len(expected) == 2 * len(TINY.rows)
    assert {path.name for path in folder.glob("*.wgsl")} == expected.keys()
    row = TINY["loop/line-8/under-cf"]
    for side in SIDES:
        name = f"loop--line-8--under-cf.{side}.wgsl"
        assert (folder / name).read_text(encoding="utf-8").endswith(row.text(side))
        assert expected[name] == row.expected(side).value
    assert conformance("--format", "wgsl", "-o", str(folder / "expectations.txt")).exit_code == 2


# ---------------------------------------------------------------------------------------------------------------- watch


@pytest.mark.parametrize(
    ("looks", "asked"), [(["", "", "22", "333", "", ""], "333"), (["", None, "", "again", ""], "again")]
)
def test_watching_asks_again_when_the_file_is_another_one(tmp_path: Path, looks: list[str | None], asked: str) -> None:
    """Not while it is written, and not while it is away."""
    path, texts = tmp_path / "compiler", iter(looks)
    path.write_text("1")

    def sleep(_: float) -> None:
        text = next(texts)
        if text is None:
            path.unlink()
        elif text:
            path.write_text(text)

    rounds = follow(lambda: (path,), sleep)
    next(rounds)
    next(rounds)
    assert path.read_text() == asked
    with pytest.raises(RuntimeError):
        next(rounds)  # nothing changes any more: the looks run out


def test_what_can_be_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("")
    assert {*map(watched, ("python:mine:check", "rules:mine.py", "tint:./mine.py"))} == {Path("mine.py")}


def test_a_round_says_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the rounds a file of rules is mended; a round that cannot be asked is told, and waited out."""
    monkeypatch.chdir(tmp_path)
    texts = iter(['VARIANTS = ["10a"]\n', "VARIANTS = [", 'VARIANTS = ["10a", "10b"]\n'])

    def rounds(_: object) -> Iterator[None]:
        for text in texts:
            path.write_text(text, encoding="utf-8")
            yield

    path = tmp_path / "mine.py"
    path.write_text('VARIANTS = ["10a"]\n', encoding="utf-8")
    monkeypatch.setattr(command, "follow", rounds)
    result = conformance("--target", "rules:mine.py", "--watch")
    assert result.stderr.count("wgsl-fuzz: ") == 1
    assert result.output.count("Since the last round") == 1
    assert "right -> too strict: 10b" in result.output
