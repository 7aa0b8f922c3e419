"""What a campaign draws: by place, reproducibly, with what was asked for."""

from dataclasses import fields
from typing import Any

import pytest

from tests.tinywgsl.wellformed import violations
from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator, is_laid_out
from wgsl_fuzz.fuzz.cases.plan import GROUP, LANGUAGES, MIX, MIXED, REQUIRED, TINY, Plan
from wgsl_fuzz.fuzz.findings.schema import RecordError, read, write
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module


def shader_of(case: Case) -> Shader:
    assert case.core is not None
    return case.core


@pytest.mark.parametrize(("language", "places"), [(TINY, range(3 * GROUP)), (MIXED, range(0, 4 * GROUP * len(MIX), 5))])
def test_a_place_has_one_shader_and_one_text(language: str, places: range) -> None:
    one, other = (CampaignGenerator(Plan(3, language=language)) for _ in range(2))
    backwards = {index: other.case(index).text for index in reversed(places)}
    assert {index: one.case(index).text for index in places} == backwards


def test_a_mixed_run_has_all_languages() -> None:
    plan = Plan(1, language=MIXED)
    languages = [plan.language_of(group) for group in range(len(MIX))]
    assert set(languages) == set(LANGUAGES) - {MIXED}
    drawer = CampaignGenerator(plan)
    for group, language in enumerate(languages):
        assert language != TINY or drawer.case(group * GROUP).core is not None


def test_runs_with_different_seeds_share_nothing() -> None:
    texts = [{CampaignGenerator(Plan(seed)).case(index).text for index in range(50)} for seed in (1, 2)]
    assert not texts[0] & texts[1]


def test_a_shader_in_eight_has_a_layout_of_its_own() -> None:
    """Wherever else something is done."""
    for step in (1, 16, 64, 256):
        laid_out = [is_laid_out(index) for index in range(0, 800 * step, step)]
        assert 0.1 < sum(laid_out) / len(laid_out) < 0.15
    generator = CampaignGenerator(Plan(7, language="compute"))
    for index in range(40):
        case = generator.case(index)
        assert case.spelled == is_laid_out(index)
        if case.spelled:
            assert parse(case.text) == case.resolution.module
            assert case.plain.text == print_module(case.resolution.module) or case.plain is case or case.core


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


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("required", REQUIRED)
def test_what_is_required_is_there(language: str, required: str) -> None:
    generator = CampaignGenerator(Plan(1, required, language=language))
    assert {generator.case(index).verdict for index in range(0, 12 * GROUP, GROUP)} == {REQUIRED[required]}
    assert generator.misses == 0


@pytest.mark.parametrize(
    "plan",
    [Plan(1), Plan(2, "uniform", relations=False, language="compute", samples=(("tint", 4),))],
)
def test_a_plan_survives_its_record(plan: Plan) -> None:
    import orjson

    assert read(Plan, orjson.loads(orjson.dumps(write(plan, nulls=True)))) == plan


@pytest.mark.parametrize("record", [{}, {"seed": 1}, None])
def test_what_is_no_plan_is_a_problem(record: Any) -> None:
    with pytest.raises(RecordError, match=r"there is no|no JSON object"):
        read(Plan, record, [f.name for f in fields(Plan)])
