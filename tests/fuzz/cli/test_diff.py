"""The command `diff`: of two rule sets, and of one with an analysis of TinyWGSL."""

import re
from collections import Counter
from functools import partial
from itertools import chain
from pathlib import Path

import orjson
import pytest

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.cases.case import count_statements
from wgsl_fuzz.fuzz.cases.pairs import load
from wgsl_fuzz.fuzz.regression.diff import Impact, corpus_texts, enumerated, execution_of, side_named
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.rules.analysis import paper_verdict
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, WGSL_RULE_SETS, analyse_wgsl, judge_wgsl
from wgsl_fuzz.oracle.rules.uniformity.variants.history import FIGURES
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import read

FEW = ("--max-statements", "0", "--programs", "0")


_diff = partial(wgsl_fuzz, "diff")


def _verdicts(code: str, name: str) -> dict[str, str]:
    """What the paper and a rule set say of a text."""
    resolution = read(code)
    verdict = paper_verdict(resolution)
    assert verdict is not None
    return {"paper": verdict.value, name: judge_wgsl(resolution, WGSL_RULE_SETS[name]).verdict.value}


pytestmark = pytest.mark.usefixtures("few_texts")


def test_a_difference_is_shown_with_its_change_and_the_reason() -> None:
    result = _diff("letter", "wgsl", *FEW)
    assert result.exit_code == 1
    _, *parts = result.stdout.strip().split("\n\nletter ")
    assert len(parts) > 3
    for part in parts:
        head, *lines = part.splitlines()
        name = re.findall(r"\((letter/[\w-]+)\)", head)[0]
        assert DEPARTURES[name].does in head
        assert DEPARTURES[name].about == lines[0].strip()
        said = {" ".join(line.split()[:2]) for line in lines}
        assert {"letter accepts", "wgsl rejects"} <= said or {"letter rejects", "wgsl accepts"} <= said
        assert any(re.match(r"    error in \w+ \(", line) for line in lines)


@pytest.mark.parametrize(("old", "new"), [("wgsl-2025-01-16", "wgsl"), ("without-10a", "paper")])
def test_the_lines_of_an_explanation_are_those_of_the_text_shown(old: str, new: str) -> None:
    _, *parts = re.split(rf"\n\n(?={old} )", _diff(old, new, "--max-statements", "2", "--programs", "0").stdout)
    assert parts
    for part in parts:
        text = re.findall(r"^    (.*)$", part.partition(f"\n  {old} ")[0], re.M)
        steps = re.findall(r"^ +line (\d+): `(.*?)`:", part, re.M)
        assert steps
        for line, quote in steps:
            assert quote.partition("\n")[0].partition("...")[0].strip() in text[int(line) - 1]


def test_json_has_both_verdicts_of_the_text() -> None:
    result = _diff("wgsl", "wgsl-tint-0.6.2", *FEW, "--format", "json")
    found = [orjson.loads(line) for line in result.stdout.splitlines()]
    assert found
    for one in found:
        assert set(one) == {
            *("decides", "does", "how", "code", "verdicts", "origin", "impact", "counts", "tried", "applications")
        }
        for name in one["decides"].split(" + "):
            assert name in DEPARTURES
        assert one["verdicts"].pop("semantics", "converges") in [outcome.value for outcome in Outcome]
        for name, verdict in one["verdicts"].items():
            assert analyse_wgsl(read(one["code"]), WGSL_RULE_SETS[name]).verdict.value == verdict


def test_what_only_differs_by_itself_is_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named, and does not change the status."""
    (pair,) = [pair for pair in load() if pair.name == "order-short-circuit-keeps-old-value"]
    texts = [(pair.name, pair.rejected)]
    monkeypatch.setattr("wgsl_fuzz.fuzz.regression.diff.known_texts", lambda: iter(texts))
    result = _diff("letter", "wgsl", *FEW)
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("No shader was found that these decide")]
    assert result.exit_code == 0
    assert "letter/no-join-after-short-circuit" in line


# ----------------------------------------------------------------------------------------- the paper, asked of cores


def test_the_two_references_agree_on_what_is_tried() -> None:
    result = _diff("paper", "wgsl", "--max-statements", "2", "--programs", "20")
    head, *rows = result.stdout.splitlines()
    assert (result.exit_code, " ".join(head.split())) == (0, "wgsl instead of paper small shaders other texts")
    assert [row.split()[-2] for row in rows if row] == ["0"] * len(Impact) + ["2,070"]


@pytest.mark.parametrize("figure", sorted(FIGURES))
def test_each_reversal_is_told_from_the_paper_by_its_figure_or_less(figure: str) -> None:
    result = _diff(f"without-{figure}", "paper", *FEW, "--format", "json")
    assert result.exit_code == 1
    (found,) = [orjson.loads(line) for line in result.stdout.splitlines()]
    assert found["decides"] == FIGURES[figure]
    figures = dict(corpus_texts())
    assert count_statements(parse(found["code"])) <= count_statements(parse(figures[f"corpus/fig-{figure}"]))
    unsound = found["verdicts"]["semantics"] == "diverges" and found["verdicts"][f"without-{figure}"] == "accepts"
    assert unsound == (figure == "10a")


def test_the_corpus_shows_what_is_beyond_the_enumeration() -> None:
    result = _diff("paper", "wgsl-tint-0.6.2", *FEW, "--format", "json")
    assert result.exit_code == 1
    found = {f["decides"]: f for f in map(orjson.loads, result.stdout.splitlines())}
    assert {name: f["how"] for name, f in found.items()} == {
        "tint/joins-at-empty-continuing": "alone",
        "tint/jumping-statements-keep-variables": "needed",
        "tint/unbroken-loop-keeps-variables": "needed",
    }
    for difference in found.values():
        assert difference["origin"].startswith("corpus/tint-")
        assert difference["verdicts"].pop("semantics") == "converges"
        assert _verdicts(difference["code"], "wgsl-tint-0.6.2") == difference["verdicts"]
        assert difference["verdicts"]["paper"] == "accepts"


# ------------------------------------------------------------------------------------------------- what it means


def test_every_small_shader_is_counted_by_what_its_difference_means() -> None:
    """The counts are those of an enumeration that asks both and the semantics."""
    sides = side_named("without-10a"), side_named("wgsl")
    expected: Counter[str] = Counter()
    for _, candidate in chain(enumerated(1), enumerated(2)):
        assert isinstance(candidate, Resolution)
        verdicts = [side.verdict(candidate) for side in sides]
        if verdicts == [Verdict.ACCEPTS, Verdict.REJECTS]:
            done = execution_of(candidate)
            assert done is not None
            expected[Impact.of(Verdict.REJECTS, done).value[0]] += 1
    lines = _diff("without-10a", "wgsl", "--max-statements", "2", "--programs", "0", "--format", "json").stdout
    found = [orjson.loads(line) for line in lines.splitlines()]
    assert {one["impact"]: one["counts"]["small shaders"] for one in found} == expected
    assert {one["impact"] for one in found} == {"soundness gained", "precision without an end lost"}
    assert all(one["tried"]["small shaders"] == 2070 for one in found)


def test_applications_that_are_judged_otherwise_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (corpus_folder() / "fig-10a" / "shader.wgsl").read_text("utf-8")
    monkeypatch.setattr("wgsl_fuzz.fuzz.regression.diff.load_applications", lambda: {"blur": text})
    shown = _diff("wgsl", "without-10a", *FEW).stdout
    assert re.search(r"^soundness lost: .* 1 +\d+$", shown, re.M)
    assert "soundness lost: accepted now, diverges: blur" in shown


def test_a_pull_request_has_a_table_and_a_shader_of_each_kind() -> None:
    shown = _diff("wgsl", "without-10a", "--max-statements", "2", "--programs", "0", "--format", "markdown").stdout
    assert shown.startswith("## What `without-10a` changes against `wgsl`\n\n|  | small shaders |")
    for heading in ("### Soundness lost: accepted now, diverges", "### Precision without an end gained: accepted now"):
        part = shown.partition(heading)[2]
        code = re.search(r"```wgsl\n(.*?)```", part, re.S)
        assert code is not None
        read(code[1])
    assert shown.count("<details>") == shown.count("</details>") == 2


def test_a_test_of_the_cts_expects_what_the_new_rules_say(tmp_path: Path) -> None:
    for sides, expected in ((("wgsl", "without-10a"), "true"), (("without-10a", "wgsl"), "false")):
        options = ("--max-statements", "2", "--programs", "0", "--format", "cts", "-o", tmp_path / "x.ts")
        assert _diff(*sides, *options).stdout == ""
        shown = (tmp_path / "x.ts").read_text()
        assert re.findall(r"expectCompileResult\((\w+)", shown) == [expected] * 2
        names = re.findall(r"g\.test\('(wgsl_fuzz,[a-z0-9_]+)'\)", shown)
        assert len(names) == len(set(names)) == 2


def test_a_folder_of_shaders_is_counted(tmp_path: Path) -> None:
    """By name and impact, first of all; what is no WGSL is passed over. A folder without a shader is refused."""
    head = "@compute @workgroup_size(2) fn main(@builtin(global_invocation_id) gid: vec3u) "
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "row.wgsl").write_text(head + "{ if gid.y == 0 { workgroupBarrier(); } }", encoding="utf-8")
    (tmp_path / "column.wgsl").write_text(head + "{ if gid.x == 0 { workgroupBarrier(); } }", encoding="utf-8")
    (tmp_path / "wrong.wgsl").write_text("fn", encoding="utf-8")
    result = _diff("wgsl", "relaxed/components", "--shaders", str(tmp_path), "--format", "json", *FEW)
    assert result.exit_code == 1
    line = orjson.loads(result.stdout.splitlines()[0])
    assert (line["impact"], line["counts"]) == ("precision gained", {"given shaders": 1, "other texts": 0})
    assert line["tried"]["given shaders"] == 2
    assert line["applications"] == [str(Path("inner", "row.wgsl"))]
    assert "2 shaders of" in result.stderr
    refused = _diff("wgsl", "letter", "--shaders", str(tmp_path / "none"), *FEW)
    assert refused.exit_code == 2
