"""`diff`: rediscovers the paper's four changes by itself."""

import math
import re

import orjson
import pytest
from click.testing import CliRunner, Result

from wgsl_fuzz.fuzz.cli.main import main
from wgsl_fuzz.fuzz.reduction.edits import size
from wgsl_fuzz.fuzz.regression.diff import Differ
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.revisions import RULE_SETS
from wgsl_fuzz.oracle.rules.variants import CHANGES
from wgsl_fuzz.tinywgsl.ast import count_statements
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.wgsl.reading import parse

# Counted with each loop's final `continue`, and `break if` as the two statements that it is in TinyWGSL.
FIGURES = {"10a": 5, "10b": 7, "10c": 6, "10d": 6}


def _diff(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["diff", *arguments])


@pytest.mark.parametrize("figure", sorted(CHANGES))
def test_each_reversal_is_told_from_the_paper_by_its_figure_or_less(figure: str) -> None:
    result = _diff(f"without-{figure}", "paper", "--programs", "0", "--json")
    assert result.exit_code == 1
    (found,) = [orjson.loads(line) for line in result.stdout.splitlines()]
    assert found["decides"] == figure
    assert count_statements(parse(found["code"])) <= FIGURES[figure]
    unsound = found["verdicts"]["semantics"] == "diverges" and found["verdicts"][f"without-{figure}"] == "accepts"
    assert unsound == (figure == "10a")


def test_the_draft_of_2023_differs_in_each_change() -> None:
    result = _diff("wgsl-2023", "paper", "--programs", "0", "--json")
    found = {f["decides"]: f for f in map(orjson.loads, result.stdout.splitlines())}
    assert set(CHANGES) <= set(found)
    for difference in found.values():
        shader = parse(difference["code"])
        for name in ("wgsl-2023", "paper"):
            assert analyse(shader, RULE_SETS[name]).verdict.value == difference["verdicts"][name]


def test_equal_rule_sets_do_not_differ() -> None:
    result = _diff("paper", "paper", "--max-statements", "4", "--programs", "50")
    assert (result.exit_code, result.stdout) == (0, "")


def test_random_search_finds_what_is_beyond_the_enumeration() -> None:
    differ = Differ("without-10a", "paper")
    assert differ.search(400, 0, math.inf) == 400
    (found,) = differ.sorted()
    assert "random" in found.origin
    assert size(found.shader)[0] <= 9


def test_the_corpus_shows_what_is_beyond_the_enumeration() -> None:
    result = _diff("paper", "tint-0.6.2", "--max-statements", "1", "--programs", "0", "--json")
    assert result.exit_code == 1
    found = {f["decides"]: f for f in map(orjson.loads, result.stdout.splitlines())}
    beside = ("jumping-statements-keep-variables", "unbroken-loop-keeps-variables")
    joins = "joins-at-empty-continuing"
    assert set(found) == {joins, *(f"{joins} + {name}" for name in beside)}
    for difference in found.values():
        assert difference["origin"].startswith("corpus/tint-")
        assert analyse(parse(difference["code"])).verdict.value == difference["verdicts"]["paper"] == "accepts"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--max-statements", "3", "--programs", "7"), "every one of up to 3 statements and 7 random ones; --max-st"),
        (("--max-statements", "3", "--seconds", "0"), "0 random ones; the time was up: --seconds"),
    ],
)
def test_finding_nothing_says_where_it_was_looked_for(arguments: tuple[str, ...], said: str) -> None:
    (*_, last) = _diff("paper", "paper", *arguments).stderr.splitlines()
    assert last.startswith("no difference was found")
    assert " ".join(said.split()) in last


def test_differences_are_shown_with_both_verdicts() -> None:
    result = _diff("without-10a", "paper", "--max-statements", "3", "--programs", "0")
    assert "without-10a accepts and is unsound here: it diverges" in result.stdout
    assert "paper rejects" in result.stdout


def test_no_loop_ends_in_a_continue_that_goes_without_saying() -> None:
    arguments = ("wgsl-2023", "paper", "--max-statements", "3", "--programs", "0")
    codes = [orjson.loads(line)["code"] for line in _diff(*arguments, "--json").stdout.splitlines()]
    assert codes
    assert all(code == print_shader(parse(code), tacit=True) for code in codes)
    shown = _diff(*arguments).stdout
    for code in codes:
        lines = code.splitlines()
        assert "\n".join(f"    {line}".rstrip() for line in lines) in "\n".join(map(str.rstrip, shown.splitlines()))


def test_the_lines_of_an_explanation_are_those_of_the_text_shown() -> None:
    shown = _diff("without-10a", "paper", "--max-statements", "3", "--programs", "0").stdout.splitlines()
    text = [line[4:] for line in shown[1:]]
    (line,) = re.findall(r"the barrier on line (\d+)", "\n".join(shown))
    assert text[int(line) - 1].strip() == "workgroupBarrier();"


def test_an_unknown_rule_set_is_refused() -> None:
    result = _diff("paper", "wgsl-1999")
    assert result.exit_code == 2
    assert "wgsl-2023" in result.stderr


def test_the_proposal_of_2019_differs_both_ways() -> None:
    result = _diff("whlsl-2019", "paper", "--max-statements", "5", "--programs", "0", "--json")
    found = {f["decides"]: f["verdicts"] for f in map(orjson.loads, result.stdout.splitlines())}
    assert set(found) == {"whlsl-2019 accepts", "paper accepts"}
