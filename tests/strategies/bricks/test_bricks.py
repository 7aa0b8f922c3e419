"""Bricks: any selection of them is a well-formed shader, whose text and size need no second look."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tinywgsl.shapes import shape
from wgsl_fuzz.strategies import DEFAULT, RACE_FREE, SMALL, Profile
from wgsl_fuzz.strategies.bricks.composition import EXCESS, Composer, Composition
from wgsl_fuzz.strategies.bricks.environment import ENOUGH, Environment
from wgsl_fuzz.strategies.choices.constraints import CONSTRAINTS
from wgsl_fuzz.strategies.choices.source import DrawnBy, RandomSource, Source
from wgsl_fuzz.strategies.choices.swarm import draw_swarm
from wgsl_fuzz.strategies.generate.simple import HEADED_LOOP, NESTED_CALL
from wgsl_fuzz.tinywgsl.ast import (
    Break,
    Call,
    If,
    Loop,
    Return,
    Shader,
    count_statements,
    id_of,
    renumbered,
    walk,
)
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.tinywgsl.wellformed import violations
from wgsl_fuzz.wgsl.reading import parse

SEEDS = st.integers(0, 2**64)
SWARMING = [DEFAULT, RACE_FREE, replace(DEFAULT, main_returns=0), replace(DEFAULT, statements=(1, 6))]


def composer(seed: int, base: Profile = DEFAULT, **changes: Any) -> Composer:
    """Of an environment of a swarm."""
    profile = replace(draw_swarm(RandomSource(seed), base).profile, **changes)
    return Composer(Environment(RandomSource(seed), profile))


def composed(seed: int, count: int, base: Profile = DEFAULT, *, showing: bool = False) -> list[Composition]:
    of = composer(seed, base)
    return [of.compose(RandomSource(i), showing=showing) for i in range(count)]


@given(SEEDS, st.sampled_from(SWARMING), st.booleans())
def test_what_is_put_together_is_well_formed(seed: int, base: Profile, showing: bool) -> None:
    for one in composed(seed, 4, base, showing=showing):
        assert violations(one.shader, main_may_return=base.main_returns > 0) == []


@given(SEEDS, st.sampled_from(SWARMING))
def test_the_text_is_the_printers_and_the_size_is_right(seed: int, base: Profile) -> None:
    for one in composed(seed, 4, base):
        assert one.text == print_shader(one.shader)
        assert one.size == count_statements(one.shader)
        assert parse(one.text) == renumbered(one.shader)


@given(DrawnBy(lambda source: Composer(Environment(source, SMALL)).compose(source)))
def test_any_source_of_choices_will_do(one: Composition) -> None:
    assert violations(one.shader, main_may_return=True) == []
    assert one.text == print_shader(one.shader)


def test_the_smallest_choices_give_a_shader() -> None:
    class Zeros(Source):
        def _integer(self, lo: int, hi: int) -> int:  # noqa: ARG002
            return lo

    one = Composer(Environment(Zeros(), SMALL)).compose(Zeros())
    assert violations(one.shader, main_may_return=True) == []


@given(SEEDS)
def test_a_shader_depends_on_its_choices_only(seed: int) -> None:
    """Not on what the same environment gave before."""
    one, other = composer(seed), composer(seed)
    forwards = [one.compose(RandomSource(i)) for i in range(4)]
    backwards = [other.compose(RandomSource(i)) for i in reversed(range(4))]
    assert forwards == backwards[::-1]


@given(SEEDS)
def test_bricks_do_not_share_what_must_be_their_own(seed: int) -> None:
    """IDs, and statements: those that stand twice in a shader would have two places."""
    environment = composer(seed).environment
    bodies = [b.statements for b in (*environment.bricks, *environment.closing, *environment.guarded)]
    bodies += [v.function.body for versions in environment.versions for v in versions]
    statements = [s for body in bodies for s in walk(body)]
    ids = [number for s in statements if (number := id_of(s)) is not None]
    assert len(set(ids)) == len(ids)
    assert len({id(s) for s in statements}) == len(statements)


@given(SEEDS)
def test_bricks_know_what_is_in_them(seed: int) -> None:
    environment = composer(seed).environment
    functions = {versions[0].function.name for versions in environment.versions}
    for b in (*environment.bricks, *environment.closing):
        called = {s.function for s in walk(b.statements) if isinstance(s, Call)}
        assert called == {name for name in functions if b.uses & environment.numbers[name]}
        assert b.returns == any(isinstance(s, Return) for s in walk(b.statements))


def _heads(shader: Shader) -> bool:
    loops = [s for f in shader.all_functions for s in walk(f.body) if isinstance(s, Loop)]
    return any(isinstance(loop.body[0], If) and loop.body[0].then == (Break(),) for loop in loops)


def test_shaders_that_show_idioms_have_them_if_a_brick_has() -> None:
    """All but those that lack a function or may not return."""
    shown: dict[str, int] = {HEADED_LOOP: 0, NESTED_CALL: 0}
    for seed in range(60):
        of = composer(seed, functions=(1, 1), motifs=(), main_returns=100)
        for idiom in shown:
            having = [b for b in of.environment.bricks if idiom in b.shows]
            one = of.compose(RandomSource(seed), showing=True)
            if having:
                shown[idiom] += 1
                assert any(b.text in one.text for b in having), idiom
            if having and idiom == HEADED_LOOP:
                assert _heads(one.shader)
    assert min(shown.values()) > 5


@pytest.mark.parametrize("seed", range(3))
def test_most_shaders_of_an_environment_differ_in_shape(seed: int) -> None:
    environments = [composed(seed + 100 * i, 32) for i in range(10)]
    shapes = {shape(one.shader) for shaders in environments for one in shaders}
    assert len(shapes) > 0.97 * sum(map(len, environments))


def test_there_are_bricks_enough() -> None:
    counts = sorted(len(composer(seed).environment.bricks) for seed in range(60))
    assert counts[6] >= ENOUGH


def test_sizes_are_as_asked_for() -> None:
    """The last brick may exceed them, and calls, a guarded barrier and the last barrier come on top."""
    for seed in range(40):
        of = composer(seed, functions=(0, 0), motifs=(), statements=(10, 12))
        least = min(b.size for b in of.environment.bricks)
        sizes = [of.compose(RandomSource(i)).size for i in range(10)]
        assert all(size <= 12 + max(EXCESS, least) + 3 for size in sizes)
        enough = sum(b.size for b in of.environment.bricks if not b.returns and b.size < EXCESS) >= 12
        assert not enough or all(size >= 9 for size in sizes)


def test_a_barrier_that_is_owed_is_there() -> None:
    has_another = CONSTRAINTS["non-final-barrier"].holds
    shaders = [one.shader for seed in range(60) for one in composed(seed, 8)]
    assert sum(map(has_another, shaders)) > 0.95 * len(shaders)
