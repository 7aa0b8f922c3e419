"""What a campaign draws: by place, reproducibly, with what was asked for."""

from dataclasses import fields
from typing import Any

import pytest

from wgsl_fuzz.fuzz.cases.drawer import GROUPS, WINDOW, Drawer, in_turn_for_forms
from wgsl_fuzz.fuzz.cases.plan import GROUP, Plan, shader_seed
from wgsl_fuzz.fuzz.findings.schema import RecordError, read, write
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.choices.constraints import CONSTRAINTS
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.generate.shaders import draw
from wgsl_fuzz.tinywgsl.ast import count_statements
from wgsl_fuzz.wgsl.spelling import NONE


def test_a_place_has_one_shader_and_one_text() -> None:
    one, other = Drawer(Plan(3)), Drawer(Plan(3))
    backwards = {index: other.case(index) for index in reversed(range(3 * GROUP))}
    for index in range(3 * GROUP):
        case = one.case(index)
        assert (case.shader, case.text) == (backwards[index].shader, backwards[index].text)


def test_runs_with_different_seeds_share_nothing() -> None:
    texts = [{Drawer(Plan(seed)).case(index).text for index in range(50)} for seed in (1, 2)]
    assert not texts[0] & texts[1]


def test_a_shader_in_eight_is_spelled_and_none_without_spelling() -> None:
    """Of swarms, half have features, and of their shaders a quarter is spelled, wherever else something is done."""
    drawer = Drawer(Plan(7))
    featured = [drawer.swarm(group).features != NONE for group in range(0, 1600, 3)]
    assert 0.4 < sum(featured) / len(featured) < 0.6
    one = [drawer.swarm(group).features != NONE for group in range(WINDOW)].index(True)
    for step in (1, 16, 64, 256):
        indices = [i for i in range(0, 512 * step, step) if drawer.environment(i // GROUP) == drawer.environment(one)]
        spelled = [in_turn_for_forms(index) for index in range(0, 400 * step, step)]
        assert 0.2 < sum(spelled) / len(spelled) < 0.3
        for index in indices[:8]:
            assert (drawer.case(index).written is not None) == in_turn_for_forms(index)
    drawer = Drawer(Plan(7, spelling=False))
    assert all(drawer.case(index).written is None for index in range(40 * GROUP))
    assert all(Drawer(Plan(7, "plain")).case(index).written is None for index in range(0, 40 * GROUP, GROUP))


def test_a_shader_in_thirty_two_is_drawn_without_bricks() -> None:
    drawer = Drawer(Plan(5))
    drawn = 0
    for index in range(640):
        case = drawer.case(index)
        alone = draw(RandomSource(shader_seed(5, index)), drawer.swarm(index // GROUP).profile)
        drawn += case.shader == alone
        assert (case.composition is None) == (case.shader == alone)
    assert 10 <= drawn <= 30


def test_what_is_known_of_a_case_is_what_printing_and_counting_say() -> None:
    drawer = Drawer(Plan(6))
    for index in range(120):
        plain = drawer.case(index).plain
        assert plain.text == plain.printed.text
        assert plain.statements == count_statements(plain.shader)


@pytest.mark.parametrize("language", ["tiny", "mixed"])
def test_groups_of_one_environment_share_a_swarm(language: str) -> None:
    """As many groups in TinyWGSL for each environment; another run of the same groups begins with the next window."""
    drawer = Drawer(Plan(4, language=language))
    groups = [group for group in range(1000) if drawer.plan.language_of(group) == "tiny"]
    by_number: dict[int, list[int]] = {}
    for group in groups[: len(groups) // (GROUPS * WINDOW) * GROUPS * WINDOW]:
        by_number.setdefault(drawer.environment(group), []).append(group)
    assert {len(of) for of in by_number.values()} == {GROUPS}
    assert sorted(by_number) == list(range(len(by_number)))
    assert all(len({id(drawer.swarm(group)) for group in of}) == 1 for of in by_number.values())
    swarms = {str(drawer.swarm(of[0]).to_json()) for of in by_number.values()}
    assert len(swarms) == len(by_number)


def test_many_swarms_are_seen_early() -> None:
    drawer = Drawer(Plan(4))
    assert len({drawer.environment(group) for group in range(WINDOW)}) == WINDOW


@pytest.mark.parametrize("share", [20, 50, 80])
def test_the_share_of_uniform_shaders_is_as_asked_for(share: int) -> None:
    drawer = Drawer(Plan(1, uniform=share))
    count = 1200
    uniform = sum(drawer.case(index).verdict is Verdict.ACCEPTS for index in range(count))
    assert abs(100 * uniform / count - share) <= 3


@pytest.mark.parametrize("name", sorted(CONSTRAINTS))
def test_what_is_required_is_there(name: str) -> None:
    drawer = Drawer(Plan(1, require=(name,)))
    cases = [drawer.case(index) for index in range(0, 20 * GROUP, GROUP)]
    held = sum(CONSTRAINTS[name].holds(case.shader) for case in cases)
    assert held == len(cases) - drawer.misses
    assert drawer.misses <= 1


def test_sizes_are_as_asked_for() -> None:
    drawer = Drawer(Plan(1, changes=(("statements", (3, 6)), ("functions", (0, 0)))))
    sizes = [count_statements(drawer.case(index).shader) for index in range(0, 30 * GROUP, GROUP)]
    assert max(sizes) <= 16
    assert all(not drawer.case(index).shader.functions for index in range(0, 30 * GROUP, GROUP))


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
