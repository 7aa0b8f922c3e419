"""The analysis of the whole language on hand-written shaders: pairs for each row, combinations, real applications."""

from datetime import date, timedelta

import pytest

from tests.quality.module_mutants import SIDES, expected, tells, text_of
from tests.wgsl.applications import Change, applications, changes, forms
from tests.wgsl.reading import resolved
from wgsl_fuzz.fuzz.cases.pairs import load, load_combinations
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import LETTER, WGSL_RULE_SETS, analyse_wgsl, as_of
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolve import read


def verdict(text: str, rules: Rules = WGSL_RULE_SETS["wgsl"]) -> Verdict:
    module = resolved(text)
    try:
        return Verdict.INVALID if module is None else analyse_wgsl(module, rules).verdict
    except WgslError:
        return Verdict.INVALID


def test_each_pair_has_its_verdicts_and_its_messages() -> None:
    sides = [(p, side) for p in load() for side in SIDES]
    assert [(p.name, side) for p, side in sides if verdict(text_of(p, side)) is not expected(p, side).verdict] == []
    assert [(p.name, side) for p, side in sides if tells(p.name, side, UNCHANGED)] == []


def test_the_letter_gives_its_verdicts() -> None:
    told = [(p, side) for p in load() for side in SIDES if side in p.letter]
    assert len(told) > 100
    assert [(p.name, side) for p, side in told if verdict(text_of(p, side), LETTER) is not p.letter[side]] == []


def test_each_change_of_the_text_changes_what_its_pair_says() -> None:
    told = [(p, side) for p in load() for side in SIDES if side in p.before]
    assert len(told) > 50
    wrong = []
    for pair, side in told:
        day_before = date.fromisoformat(pair.change.split()[0]) - timedelta(days=1)
        if verdict(text_of(pair, side), as_of(day_before.isoformat())) is not pair.before[side]:
            wrong.append((pair.name, side))
    assert wrong == []


def test_the_rule_set_of_tint_gives_tints_verdicts() -> None:
    rules = WGSL_RULE_SETS["wgsl-tint-0.6.2"]
    wrong = [
        (p.name, side)
        for p in load()
        for side in SIDES
        if p.tint.get(side) not in (Verdict.CRASHED, Verdict.INVALID)  # what no rules say
        and verdict(text_of(p, side), rules) is not p.tint.get(side, expected(p, side).verdict)
    ]
    assert wrong == []


def test_combinations_have_their_verdicts() -> None:
    assert [c.name for c in load_combinations() if verdict(c.text) is not c.verdict] == []


@pytest.mark.parametrize("name", sorted({**applications(), **forms()}))
def test_applications_are_accepted(name: str) -> None:
    assert verdict({**applications(), **forms()}[name]) is Verdict.ACCEPTS


@pytest.mark.parametrize("change", changes(), ids=str)
def test_changes_of_applications_have_their_verdicts(change: Change) -> None:
    analysis = analyse_wgsl(read(change.text))
    assert analysis.verdict is change.verdict
    assert {v.severity.value for _, v in analysis.violations} == ({change.severity} if change.severity else set())


def test_all_functions_with_wrong_behaviours_are_told() -> None:
    resolution = read("fn f() { loop { } }\nfn g() -> u32 { }\nfn h() { }\nfn i() { while true { loop { } } }")
    with pytest.raises(WgslError, match="nothing leaves this loop") as caught:
        analyse_wgsl(resolution)
    assert [problem.start for problem in caught.value.all] == [9, 20, 71]
