"""Enumeration in the whole language: all there is, once, valid, and counted without being built."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.fuzz.campaign.enumeration import ShaderSequence
from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.oracle.rules.uniformity.revisions import WGSL_RULE_SETS
from wgsl_fuzz.oracle.targets import TargetError, open_target
from wgsl_fuzz.oracle.targets.families import tint as builds
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.enumerate import families
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.syntax import Function, Return
from wgsl_fuzz.wgsl.walk import statements_below

COUNTS = {
    families.POINTER_FUNCTION: (1, 4, 55, 856, 15_187, 262_243),
    families.LOOP_BODY: (0, 0, 5, 166, 4_924, 134_314),
    families.EFFECTS: (0, 25_376, 37_100_608),
}
SMALL = [(family, n) for family, counts in COUNTS.items() for n, count in enumerate(counts) if 0 < count <= 1_000]
LARGE = [(family, n) for family, counts in COUNTS.items() for n, count in enumerate(counts) if 1_000 < count <= 40_000]
RULES = WGSL_RULE_SETS["wgsl-tint-0.6.2"]


def _named(value: object) -> str:
    return value.name if isinstance(value, families.Family) else str(value)


def _module(family: families.Family[str], size: int, i: int) -> Case:
    case = ShaderSequence([family], size).case(family.up_to(size - 1).count + i if size else i)
    assert isinstance(case, Case)
    return case


def test_every_family_has_its_name_and_no_name_is_given_twice() -> None:
    assert {family.name: family for family in COUNTS} == families.TEXT_FAMILIES
    assert not families.TEXT_FAMILIES.keys() & families.FAMILIES.keys()


@pytest.mark.parametrize(("family", "counts"), COUNTS.items(), ids=_named)
def test_the_counts_are_known_without_building_a_module(family: families.Family[str], counts: tuple[int, ...]) -> None:
    assert tuple(family.of_size(n).count for n in range(len(counts))) == counts


def as_many_as_counted(family: families.Family[str], size: int) -> None:
    texts = [_module(family, size, i).text for i in range(family.of_size(size).count)]
    assert len({*texts}) == len(texts)


@pytest.mark.parametrize(("family", "size"), SMALL, ids=_named)
def test_no_two_are_equal(family: families.Family[str], size: int) -> None:
    as_many_as_counted(family, size)


@pytest.mark.slow
@pytest.mark.parametrize(("family", "size"), LARGE, ids=_named)
def test_no_two_of_many_are_equal(family: families.Family[str], size: int) -> None:
    as_many_as_counted(family, size)


@given(st.sampled_from([*COUNTS]), st.integers(0, 6), st.data())
def test_every_module_is_valid_and_worth_asking_about(
    family: families.Family[str], size: int, data: st.DataObject
) -> None:
    """Random access into sizes that nobody could go through."""
    count = family.of_size(size).count
    if not count:
        return
    case = _module(family, size, data.draw(st.integers(0, count - 1)))
    assert case.verdict in (Verdict.ACCEPTS, Verdict.REJECTS)
    assert "workgroupBarrier();" in case.text
    assert case.text.count("lid") > 1


@given(st.integers(1, 6), st.data())
def test_sizes_count_statements(size: int, data: st.DataObject) -> None:
    count = families.POINTER_FUNCTION.of_size(size).count
    case = _module(families.POINTER_FUNCTION, size, data.draw(st.integers(0, count - 1)))
    callee = next(d for d in case.resolution.module.declarations if isinstance(d, Function))
    assert sum(1 for _ in statements_below(callee)) >= size
    assert BehaviourAnalysis().behaviour(callee.body)
    assert not any(isinstance(s, Return) and s.value is not None for s in statements_below(callee))


def test_the_families_show_the_departures_that_they_are_for() -> None:
    """Of the current Tint, by its rule set."""
    for family, size in ((families.POINTER_FUNCTION, 3), (families.LOOP_BODY, 3)):
        modules = [_module(family, size, i) for i in range(family.of_size(size).count)]
        assert any(module.verdict_under(RULES) is not module.verdict for module in modules)


def agree_with_tint(family: families.Family[str], most: int) -> None:
    """Asserts that the current Tint says of every module what its rule set does."""
    try:
        target = open_target(f"tint@{builds.CURRENT}", timeout=60)
    except TargetError as error:
        pytest.skip(str(error))
    course = ShaderSequence([family], most)
    wrong = []
    for first in range(0, course.count, 256):
        cases = [course.case(i) for i in range(first, min(first + 256, course.count))]
        target.submit([case.text for case in cases])
        for case, answer in zip(cases, target.collect(), strict=True):
            assert isinstance(case, Case)
            if case.verdict_under(RULES) is not answer.verdict:
                wrong.append((case.text, answer))
    target.close()
    assert wrong == []


@pytest.mark.parametrize("family", [families.POINTER_FUNCTION, families.LOOP_BODY], ids=_named)
def test_tint_answers_as_its_rule_set(family: families.Family[str]) -> None:
    agree_with_tint(family, 3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "most"), [(families.POINTER_FUNCTION, 4), (families.LOOP_BODY, 4), (families.EFFECTS, 1)], ids=_named
)
def test_tint_answers_to_many_as_its_rule_set(family: families.Family[str], most: int) -> None:
    agree_with_tint(family, most)
