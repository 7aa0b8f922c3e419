"""The command `diff` of rule sets of the whole language, and of one with a rule set of TinyWGSL."""

import re
from itertools import islice

import orjson
import pytest
from click.testing import CliRunner, Result

from wgsl_fuzz.fuzz.cases.pairs import load
from wgsl_fuzz.fuzz.cli.main import main
from wgsl_fuzz.fuzz.regression.module_texts import known_texts
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, WGSL_RULE_SETS, analyse_wgsl
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.reading import parse as parse_tiny
from wgsl_fuzz.wgsl.resolve import resolve

FEW = ("--max-statements", "1", "--programs", "0")


def _diff(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["diff", *arguments])


@pytest.fixture(autouse=True)
def _few_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first texts that ship will do."""
    texts = list(islice(known_texts(), 120))
    monkeypatch.setattr("wgsl_fuzz.fuzz.regression.module_diff.known_texts", lambda: iter(texts))


def test_a_difference_is_shown_with_its_change_and_the_reason() -> None:
    result = _diff("letter", "intent", *FEW)
    assert result.exit_code == 1
    parts = result.stdout.strip().split("\n\nletter ")
    assert len(parts) > 3
    for part in parts:
        head, *lines = part.splitlines()
        name = re.findall(r"\((letter/[\w-]+)\)", head)[0]
        assert DEPARTURES[name].does in head
        assert DEPARTURES[name].about == lines[0].strip()
        assert {"letter accepts", "letter rejects"} & set(map(str.strip, lines))
        assert {"intent accepts", "intent rejects"} & set(map(str.strip, lines))
        assert any(re.match(r"    error in \w+ \(", line) for line in lines)


def test_the_lines_of_an_explanation_are_those_of_the_text_shown() -> None:
    shown = _diff("wgsl-2025-01-16", "wgsl", *FEW).stdout
    for part in re.split(r"\n\n(?=wgsl-2025-01-16 )", shown):
        text = re.findall(r"^    (.*)$", part.partition("\n  wgsl-2025-01-16 ")[0], re.M)
        steps = re.findall(r"^ +line (\d+): `(.*?)`:", part, re.M)
        assert steps
        for line, quote in steps:
            assert quote.partition("\n")[0].partition("...")[0].strip() in text[int(line) - 1]


def test_departures_of_a_rule_set_that_is_named_as_a_target_are_groups() -> None:
    result = _diff("wgsl", "rules:webkit", *FEW)
    assert result.exit_code == 1
    assert {"webkit/joins-at-end-of-loop", "webkit/module-variables-remember"} <= {
        *re.findall(r"\((webkit/[\w-]+)\)", result.stdout)
    }
    assert result.stdout == _diff("rules:wgsl", "webkit", *FEW).stdout


def test_json_has_both_verdicts_of_the_text() -> None:
    result = _diff("wgsl", "wgsl-tint-0.6.2", *FEW, "--json")
    found = [orjson.loads(line) for line in result.stdout.splitlines()]
    assert found
    for one in found:
        assert set(one) == {"decides", "how", "code", "verdicts", "origin"}
        for name in one["decides"].split(" + "):
            assert name in DEPARTURES
        for name, verdict in one["verdicts"].items() if one["how"] != "hidden" else ():
            assert analyse_wgsl(resolve(parse(one["code"])), WGSL_RULE_SETS[name]).verdict.value == verdict


def test_what_only_differs_by_itself_is_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hidden difference names the rule set with the variant, and does not change the status."""
    (pair,) = [pair for pair in load() if pair.name == "order-short-circuit-keeps-old-value"]
    texts = [(pair.name, pair.rejected)]
    monkeypatch.setattr("wgsl_fuzz.fuzz.regression.module_diff.known_texts", lambda: iter(texts))
    result = _diff("letter", "intent", *FEW, "--json")
    (one,) = map(orjson.loads, result.stdout.splitlines())
    assert (result.exit_code, one["how"]) == (0, "hidden")
    assert one["verdicts"] == {"intent": "rejects", f"intent with {one['decides']}": "accepts"}
    assert "no shader was found on which this decides between the two" in _diff("letter", "intent", *FEW).stdout


def test_equal_rules_are_called_the_same() -> None:
    result = _diff("wgsl", "intent")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "wgsl and intent are the same rules\n"


def test_the_bounds_are_told() -> None:
    result = _diff("wgsl-2026-06-09", "wgsl-2025-12-15", "--seconds", "0")
    assert result.exit_code == 0
    assert "0 texts that ship and 0 random ones; the time was up" in result.stderr


@pytest.mark.parametrize("name", ["wgsl-2022-01-01", "wgsl-2025-13", "wgsl-1"])
def test_what_names_no_rules_is_refused(name: str) -> None:
    result = _diff("wgsl", name)
    assert result.exit_code == 2
    assert name in result.stderr


@pytest.mark.parametrize("tiny", ["paper", "tint-0.6.2"])
def test_a_rule_set_of_each_language_are_compared_on_tinywgsl(tiny: str) -> None:
    result = _diff(tiny, "wgsl-2025-10-17", "--max-statements", "3", "--programs", "20", "--json")
    found = {one["decides"]: one for one in map(orjson.loads, result.stdout.splitlines())}
    assert result.exit_code == 1
    assert "before-2025-12-01/10d" in found
    for one in found.values():
        verdict = analyse_wgsl(resolve(parse(one["code"])), WGSL_RULE_SETS["wgsl-2025-10-17"]).verdict
        assert one["verdicts"]["wgsl-2025-10-17"] == verdict.value
        if tiny == "paper":
            assert analyse(parse_tiny(one["code"])).verdict.value == one["verdicts"][tiny] != verdict.value


def test_the_two_references_agree_on_what_is_tried() -> None:
    result = _diff("paper", "wgsl", "--max-statements", "3", "--programs", "20")
    assert (result.exit_code, result.stdout) == (0, "")


def test_the_reason_is_that_of_the_rule_set_that_rejects() -> None:
    shown = _diff("wgsl-2025-10-17", "paper", "--max-statements", "1", "--programs", "0").stdout
    assert "wgsl-2025-10-17 analyses a continuing block that is not reached (before-2025-12-01/10d)" in shown
    assert re.search(r"wgsl-2025-10-17 rejects\n    error in main \(synchronization\):\n      line \d+:", shown)


def test_explain_and_check_know_any_date(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("texts") / "loop.wgsl"
    file.write_text(
        """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) N: u32) {
  loop { continuing { workgroupBarrier(); break if N == 0u; } }
}
"""
    )
    run = CliRunner().invoke
    assert ": wgsl-2025-01-16 accepts" in run(main, ["explain", str(file), "--rules", "wgsl-2025-01-16"]).stdout
    assert ": wgsl-2025-11-01 rejects" in run(main, ["explain", str(file), "--rules", "wgsl-2025-11-01"]).stdout
    checked = run(main, ["check", str(file), "--oracle", "wgsl-2025-01-16", "--json"]).stdout
    assert orjson.loads(checked)["verdicts"]["wgsl-2025-01-16"] == "accepts"
