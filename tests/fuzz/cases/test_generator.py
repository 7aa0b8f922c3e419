"""What a campaign draws: by place, reproducibly, with what was asked for."""

from dataclasses import fields
from typing import Any

import pytest

from tests.tinywgsl.wellformed import violations
from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator, in_turn_for_forms
from wgsl_fuzz.fuzz.cases.plan import GROUP, Plan
from wgsl_fuzz.fuzz.findings.schema import RecordError, read, write
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.choices.constraints import CONSTRAINTS
from wgsl_fuzz.tinywgsl.ast import Shader, count_statements
from wgsl_fuzz.wgsl.spelling import NONE


def shader_of(case: Case) -> Shader:
    assert case.core is not None
    return case.core


def test_a_place_has_one_shader_and_one_text() -> None:
    one, other = CampaignGenerator(Plan(3)), CampaignGenerator(Plan(3))
    backwards = {index: other.case(index) for index in reversed(range(3 * GROUP))}
    for index in range(3 * GROUP):
        case = one.case(index)
        assert case.text == backwards[index].text


def test_runs_with_different_seeds_share_nothing() -> None:
    texts = [{CampaignGenerator(Plan(seed)).case(index).text for index in range(50)} for seed in (1, 2)]
    assert not texts[0] & texts[1]


def test_a_shader_in_eight_is_spelled_and_none_without_spelling() -> None:
    """Of swarms, half have features, and of their shaders a quarter is spelled, wherever else something is done."""
    generator = CampaignGenerator(Plan(7))
    featured = [generator.swarm(group).features != NONE for group in range(0, 1600, 3)]
    assert 0.4 < sum(featured) / len(featured) < 0.6
    for step in (1, 16, 64, 256):
        spelled = [in_turn_for_forms(index) for index in range(0, 400 * step, step)]
        assert 0.2 < sum(spelled) / len(spelled) < 0.3
    one = featured.index(True) * 3
    for index in range(one * GROUP, one * GROUP + GROUP):
        assert generator.case(index).spelled == in_turn_for_forms(index)
    assert not any(CampaignGenerator(Plan(7, spelling=False)).case(index).spelled for index in range(40 * GROUP))
    assert not any(CampaignGenerator(Plan(7, "plain")).case(index).spelled for index in range(0, 40 * GROUP, GROUP))


def test_a_drawn_shader_lowers_to_tinywgsl_and_its_plain_print_too() -> None:
    """The seven restrictions of the paper hold of every one, however it is spelled."""
    generator = CampaignGenerator(Plan(6))
    cases = [generator.case(index) for index in range(120)]
    for case in cases:
        assert violations(shader_of(case), main_may_return=True) == []
        assert case.plain.core is not None
        assert case.spelled or case.plain is case
    assert any(case.plain is not case for case in cases)


def test_a_group_has_a_swarm_of_its_own() -> None:
    generator = CampaignGenerator(Plan(4))
    swarms = [str(generator.swarm(group)) for group in (0, 1, 2, 0)]
    assert swarms[0] == swarms[3]
    assert len({*swarms}) == 3


@pytest.mark.parametrize("share", [20, 50, 80])
def test_the_share_of_uniform_shaders_is_as_asked_for(share: int) -> None:
    generator = CampaignGenerator(Plan(1, uniform=share))
    count = 400
    uniform = sum(generator.case(index).verdict is Verdict.ACCEPTS for index in range(count))
    assert abs(100 * uniform / count - share) <= 5


@pytest.mark.parametrize("name", sorted(CONSTRAINTS))
def test_what_is_required_is_there(name: str) -> None:
    generator = CampaignGenerator(Plan(1, spelling=False, require=(name,)))
    cases = [generator.case(index) for index in range(0, 20 * GROUP, GROUP)]
    held = sum(CONSTRAINTS[name].holds(shader_of(case)) for case in cases)
    assert held == len(cases) - generator.misses
    assert generator.misses <= 1


def test_sizes_are_as_asked_for() -> None:
    generator = CampaignGenerator(Plan(1, changes=(("statements", (3, 6)), ("functions", (0, 0)))))
    sizes = [count_statements(shader_of(generator.case(index))) for index in range(0, 30 * GROUP, GROUP)]
    assert max(sizes) <= 16
    assert all(not shader_of(generator.case(index)).functions for index in range(0, 30 * GROUP, GROUP))


@pytest.mark.parametrize(
    "plan",
    [Plan(1), Plan(2, "small", (("statements", (3, 6)), ("racy", False)), 30, ("break-if",), False, False)],
)
def test_a_plan_survives_its_record(plan: Plan) -> None:
    import orjson

    assert read(Plan, orjson.loads(orjson.dumps(write(plan, nulls=True)))) == plan


@pytest.mark.parametrize("record", [{}, {"seed": 1}, None])
def test_what_is_no_plan_is_a_problem(record: Any) -> None:
    with pytest.raises(RecordError, match=r"there is no|no JSON object"):
        read(Plan, record, [f.name for f in fields(Plan)])
