"""Swarms stay within their base, and differ."""

from dataclasses import fields, replace

from hypothesis import given
from hypothesis import strategies as st

from tests.tinywgsl.wellformed import violations
from wgsl_fuzz.strategies import DEFAULT, PLAIN, PROFILES, Profile, draw_shader
from wgsl_fuzz.strategies.choices.source import DrawnBy, RandomSource, Source
from wgsl_fuzz.strategies.choices.swarm import Swarm, draw_swarm
from wgsl_fuzz.strategies.generate.shaders import draw
from wgsl_fuzz.tinywgsl.ast import Call, Return, Shader, count_statements, walk
from wgsl_fuzz.wgsl.spelling import NONE

BASES = st.sampled_from([*PROFILES.values(), replace(DEFAULT, main_returns=0, functions=(0, 0), statements=(5, 6))])


def swarms(base: Profile = DEFAULT) -> st.SearchStrategy[Swarm]:
    return DrawnBy(lambda source: draw_swarm(source, base))


def drawn(swarm: Swarm, seed: int) -> Shader:
    return draw(RandomSource(seed), swarm.profile)


@given(BASES.flatmap(swarms), st.integers(0, 2**64))
def test_what_a_swarm_draws_is_well_formed(swarm: Swarm, seed: int) -> None:
    assert not swarm.profile.swarm
    assert violations(drawn(swarm, seed), main_may_return=True) == []


@given(BASES.flatmap(lambda base: st.tuples(st.just(base), swarms(base))))
def test_a_swarm_stays_within_its_base(pair: tuple[Profile, Swarm]) -> None:
    base, swarm = pair
    profile = swarm.profile
    for name in ("statements", "functions", "arrays", "threads", "locals", "params"):
        (least, most), (low, high) = getattr(base, name), getattr(profile, name)
        assert least <= low <= high <= most, name
    assert set(profile.doses) <= set(base.doses)
    assert profile.nesting <= base.nesting
    assert profile.racy == base.racy
    for name in ("weights", "jumps", "leaves", "types"):
        absent = {what for what, weight in getattr(base, name) if not weight}
        assert all(not weight for what, weight in getattr(profile, name) if what in absent)
    if base.main_returns in (0, 100):
        assert profile.main_returns == base.main_returns


@given(st.integers(0, 2**64))
def test_options_hold_in_all_swarms(seed: int) -> None:
    shader = draw_shader(seed, replace(DEFAULT, main_returns=0, functions=(0, 0), threads=(3, 3), racy=False))
    assert shader.workgroup_size == 3
    assert shader.functions == ()
    assert not any(isinstance(s, (Call, Return)) for s in walk(shader.main.body))


def test_the_smallest_choices_give_a_plain_swarm() -> None:
    class Zeros(Source):
        def _integer(self, lo: int, hi: int) -> int:  # noqa: ARG002
            return lo

    swarm = draw_swarm(Zeros(), DEFAULT)
    assert swarm.features == NONE
    assert all(weight > 0 for _, weight in swarm.profile.weights)


def test_half_of_the_swarms_are_printed_plainly() -> None:
    plain = sum(draw_swarm(RandomSource(seed)).features == NONE for seed in range(1000))
    assert 450 < plain < 550


def test_every_option_of_a_swarm_is_on_in_some_and_off_in_others() -> None:
    found = [draw_swarm(RandomSource(seed)).profile for seed in range(500)]
    fixed = {"threads", "racy", "swarm", "owes_barrier"}
    for f in fields(Profile):
        assert (len({getattr(profile, f.name) for profile in found}) > 1) == (f.name not in fixed), f.name
    for i, (name, _) in enumerate(DEFAULT.weights):
        off = sum(not profile.weights[i][1] for profile in found)
        assert off < 250, name
        assert (off > 20) == (name not in ("assign", "if")), name


def test_a_swarming_profile_draws_what_its_swarms_draw() -> None:
    for seed in range(50):
        source = RandomSource(seed)
        assert draw_shader(seed) == draw(source, draw_swarm(source).profile)


def test_shaders_are_of_middling_size() -> None:
    sizes = sorted(count_statements(draw_shader(seed)) for seed in range(1500))
    assert 20 <= sizes[750] <= 32
    assert sizes[0] < 12
    assert sizes[-1] > 45


def test_the_first_generator_does_not_swarm() -> None:
    assert Profile() == PLAIN
    assert not PLAIN.swarm
