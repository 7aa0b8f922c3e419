"""The generator: deterministic, the same under Hypothesis, and able to write what matters."""

import hashlib
from collections import Counter
from dataclasses import replace

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.database import InMemoryExampleDatabase, choices_to_bytes

from tests.tinywgsl.wellformed import violations
from wgsl_fuzz.strategies import (
    DEFAULT,
    GENERATOR_VERSION,
    PLAIN,
    PROFILES,
    RACE_FREE,
    SMALL,
    Profile,
    draw_shader,
    shaders,
)
from wgsl_fuzz.strategies.choices.source import RandomSource, RecordingSource, Source
from wgsl_fuzz.strategies.generate.shaders import draw
from wgsl_fuzz.tinywgsl.ast import (
    Barrier,
    Block,
    Break,
    Call,
    Continue,
    If,
    Lid,
    Loop,
    Return,
    Shader,
    SharedAssign,
    SharedRead,
    count_statements,
    expressions_in,
    is_break_if,
    renumbered,
    walk,
)
from wgsl_fuzz.wgsl.lower.raising import print_shader


def digest(profile: Profile) -> str:
    return hashlib.sha256("".join(print_shader(draw_shader(s, profile)) for s in range(200)).encode()).hexdigest()[:16]


def test_a_seed_gives_the_same_shader_until_the_generator_version_is_raised() -> None:
    assert (GENERATOR_VERSION, digest(DEFAULT)) == (10, "e76d182084298fb6")


def test_the_plain_profile_is_the_first_generator_to_the_letter() -> None:
    assert digest(PLAIN) == "8bcf95aec7da0b22"


@pytest.mark.parametrize("name", PROFILES)
def test_all_that_a_profile_draws_is_well_formed(name: str) -> None:
    @given(shaders(PROFILES[name]))
    def check(shader: Shader) -> None:
        assert violations(shader, main_may_return=True) == []

    check()


@given(st.integers(0, 2**64), st.sampled_from(list(PROFILES)))
def test_a_shader_is_a_function_of_seed_and_profile(seed: int, name: str) -> None:
    assert draw_shader(seed, PROFILES[name]) == draw_shader(seed, PROFILES[name])


@given(st.integers(0, 2**64))
def test_main_returns_only_where_it_may(seed: int) -> None:
    never = draw_shader(seed, replace(DEFAULT, main_returns=0))
    assert violations(never) == []


def test_the_default_profile_draws_twenty_to_forty_statements() -> None:
    sizes = sorted(count_statements(draw_shader(seed)) for seed in range(500))
    assert 20 <= sizes[250] <= 40


def test_shaders_of_a_run_differ() -> None:
    assert len({print_shader(draw_shader(seed)) for seed in range(1000)}) == 1000


@given(shaders())
def test_statements_are_numbered_in_source_order(shader: Shader) -> None:
    assert renumbered(shader) == shader


@given(shaders(SMALL) | shaders())
def test_every_function_is_called_and_every_local_is_used(shader: Shader) -> None:
    called = {s.function for f in shader.all_functions for s in walk(f.body) if isinstance(s, Call)}
    assert called == {f.name for f in shader.functions}
    text = print_shader(shader)
    for f in shader.all_functions:
        assert all(text.count(v.name) > 1 for v in f.locals)


@pytest.mark.parametrize("seed", range(20))
def test_a_drawn_shader_replays_under_hypothesis(seed: int) -> None:
    source = RecordingSource(RandomSource(seed))
    shader = draw(source, DEFAULT)
    key, database = b"replay", InMemoryExampleDatabase()
    database.save(key + b".secondary", choices_to_bytes(tuple(source.choices)))
    seen: list[Shader] = []

    def first(candidate: Shader) -> bool:
        seen.append(candidate)
        return True

    settings = hypothesis.settings(database=database, max_examples=1, phases=[hypothesis.Phase.reuse])
    hypothesis.find(shaders(), first, settings=settings, database_key=key)
    assert seen[0] == shader


@pytest.mark.parametrize("name", PROFILES)
def test_all_zero_choices_give_a_small_shader(name: str) -> None:
    shader = draw(_Zeros(), PROFILES[name])
    assert violations(shader, main_may_return=True) == []
    assert count_statements(shader) <= 24


class _Zeros(Source):
    def _integer(self, lo: int, hi: int) -> int:  # noqa: ARG002
        return lo


def test_what_stands_where() -> None:
    """Each construct in every place where it may stand turns up in 3,000 shaders."""
    seen: Counter[str] = Counter()
    for seed in range(3000):
        shader = draw_shader(seed)
        for f in shader.all_functions:
            _places(f.body, "main" if f is shader.main else "function", seen)
    contexts = [f"{f} {place}" for f in ("main", "function") for place in ("top", "if", "loop", "continuing")]
    for context in contexts:
        for construct in ("Assign", "Barrier", "If", "Loop", "SharedAssign", "Call"):
            assert seen[f"{construct} in {context}"], f"{construct} in {context}"
    for context in ("loop", "if in loop", "loop in loop", "loop in continuing"):
        for jump in ("Break", "Continue", "Return"):
            if (jump, context) != ("Return", "loop in continuing"):
                assert seen[f"{jump} at {context}"], f"{jump} at {context}"
    for shape in ("break-if", "break-if after statements", "dead code", "if with else", "loop without continuing"):
        assert seen[shape], shape


def _places(ss: Block, function: str, seen: Counter[str], place: str = "top", path: tuple[str, ...] = ()) -> None:
    for i, s in enumerate(ss):
        seen[f"{type(s).__name__} in {function} {place}"] += 1
        if isinstance(s, (Break, Continue, Return)):
            seen[f"{type(s).__name__} at {' in '.join(reversed(path[-2:]))}"] += 1
            seen[f"{type(s).__name__} at {path[-1] if path else 'top'}"] += 1
            seen["dead code"] += i + 1 < len(ss)
        if isinstance(s, If):
            seen["if with else"] += bool(s.orelse)
            _places(s.then, function, seen, "if", (*path, "if"))
            _places(s.orelse, function, seen, "if", (*path, "if"))
        if isinstance(s, Loop):
            last = s.continuing[-1] if s.continuing else None
            breaks = last is not None and is_break_if(last)
            seen["break-if"] += breaks
            seen["break-if after statements"] += breaks and len(s.continuing) > 1
            seen["loop without continuing"] += not s.continuing
            _places(s.body, function, seen, "loop", (*path, "loop"))
            rest = s.continuing[:-1] if breaks else s.continuing
            _places(rest, function, seen, "continuing", (*path, "continuing"))


def test_barriers_stand_in_functions_called_from_functions() -> None:
    chains = 0
    for seed in range(1000):
        shader = draw_shader(seed)
        with_barrier = {f.name for f in shader.functions if any(isinstance(s, Barrier) for s in walk(f.body))}
        for f in shader.functions:
            chains += any(isinstance(s, Call) and s.function in with_barrier for s in walk(f.body))
    assert chains > 20


@given(shaders(RACE_FREE))
def test_the_race_free_profile_has_no_data_races(shader: Shader) -> None:
    """By construction: what is written is each thread's own cell, and nothing else touches that array."""
    assert violations(shader, main_may_return=True) == []
    written = {s.array for f in shader.all_functions for s in walk(f.body) if isinstance(s, SharedAssign)}
    for f in shader.all_functions:
        for s in walk(f.body):
            assert not isinstance(s, SharedAssign) or s.index == Lid()
        for e in expressions_in(f.body):
            assert not (isinstance(e, SharedRead) and e.array in written) or e.index == Lid()
    assert all(a.size >= shader.workgroup_size for a in shader.arrays if a.name in written)


def test_the_race_free_profile_shares_memory() -> None:
    drawn = [draw_shader(seed, RACE_FREE) for seed in range(200)]
    assert sum(any(isinstance(s, SharedAssign) for s in walk(d.main.body)) for d in drawn) > 50
    assert sum(any(isinstance(e, SharedRead) for e in expressions_in(d.main.body)) for d in drawn) > 50
