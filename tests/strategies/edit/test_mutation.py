"""Mutation: well-formed neighbours of any shader, every row of the table among them."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.strategies import RACE_FREE, SMALL, draw_shader, shaders
from wgsl_fuzz.strategies.choices.source import DrawnBy, RandomSource, RecordingSource, Source
from wgsl_fuzz.strategies.edit.grafting import grafted
from wgsl_fuzz.strategies.edit.mutation import MOST_STATEMENTS, ROWS, Mutator, mutate
from wgsl_fuzz.tinywgsl.ast import Function, Shader, count_statements, renumbered, walk
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.tinywgsl.rewrite import checked, places
from wgsl_fuzz.tinywgsl.wellformed import violations
from wgsl_fuzz.wgsl.reading import parse

CORPUS = [
    renumbered(parse(path.read_text(encoding="utf-8")))
    for path in sorted(Path(__file__).parents[3].joinpath("corpus").glob("*/shader.wgsl"))
    if '"wgsl"' not in path.with_name("case.json").read_text(encoding="utf-8")
]
EMPTY = Shader((), (), Function("main", (), (), (), None), 2)


class Zeros(Source):
    """The smallest choice everywhere."""

    def _integer(self, lo: int, hi: int) -> int:  # noqa: ARG002
        return lo


def mutants(shader: Shader, donor: Shader | None = None) -> st.SearchStrategy[Shader]:
    def draw(source: Source) -> Shader:
        return mutate(shader, source, donor)

    return DrawnBy(draw)


def check(shader: Shader, mutant: Shader) -> None:
    assert violations(mutant, main_may_return=True) == []
    assert renumbered(mutant) == mutant
    assert mutant != shader


@given(st.data(), shaders(), shaders(SMALL))
def test_a_mutant_is_well_formed_and_another_shader(data: st.DataObject, shader: Shader, donor: Shader) -> None:
    check(shader, data.draw(mutants(shader)))
    check(shader, data.draw(mutants(shader, donor)))
    check(donor, data.draw(mutants(donor, shader)))


@pytest.mark.parametrize("shader", CORPUS)
def test_the_corpus_can_be_mutated_again_and_again(shader: Shader) -> None:
    for seed in range(40):
        current = shader
        for step in range(5):
            new = mutate(current, RandomSource(100 * seed + step), CORPUS[seed % len(CORPUS)])
            check(current, new)
            current = new
        assert parse(print_shader(current)) == parse(print_shader(parse(print_shader(current))))


@pytest.mark.parametrize("shader", [*CORPUS, EMPTY, draw_shader(1), draw_shader(2, SMALL)])
def test_the_smallest_choices_mutate(shader: Shader) -> None:
    check(shader, mutate(shader, Zeros()))
    check(shader, mutate(shader, Zeros(), CORPUS[0]))


def test_a_mutant_is_a_function_of_the_choices() -> None:
    for seed in range(100):
        shader, donor = draw_shader(seed), draw_shader(seed + 1)
        source = RecordingSource(RandomSource(seed))
        assert mutate(shader, source, donor) == mutate(shader, RandomSource(seed), donor)
        assert mutate(shader, Replay(source.choices), donor) == mutate(shader, RandomSource(seed), donor)


class Replay(Source):
    """Recorded choices again."""

    def __init__(self, choices: list[int]) -> None:
        self._choices = iter(choices)

    def _integer(self, lo: int, hi: int) -> int:  # noqa: ARG002
        return next(self._choices)


@pytest.mark.parametrize("name", ROWS)
def test_every_row_succeeds(name: str) -> None:
    """On at least one of eight shaders it gives another well-formed one, and never a badly typed one."""
    succeeded = 0
    for seed in range(80):
        shader = draw_shader(seed)
        edited = Mutator(shader, RandomSource(seed), draw_shader(seed + 1)).mutated(name)
        if edited is not None:
            new = checked(shader, edited)
            succeeded += new is not None and new != shader
            messages = [v.message for v in violations(edited, main_may_return=True)]
            assert not any("declared" in m or "assigned" in m or "take" in m for m in messages)
    assert succeeded >= 10


def test_mutants_of_one_shader_differ() -> None:
    shader = draw_shader(5)
    assert len({print_shader(mutate(shader, RandomSource(seed))) for seed in range(200)}) > 120


def test_shaders_do_not_grow_without_bound() -> None:
    shader, largest = draw_shader(7), 0
    for seed in range(400):
        shader = mutate(shader, RandomSource(seed), draw_shader(seed))
        largest = max(largest, count_statements(shader))
    assert largest < 3 * MOST_STATEMENTS


@given(st.integers(0, 10_000), shaders(SMALL), shaders(RACE_FREE))
def test_a_graft_is_well_typed_wherever_it_is_put(seed: int, shader: Shader, donor: Shader) -> None:
    """Statements that leave out jumps may make a loop endless, and nothing worse."""
    for i, f in enumerate(shader.all_functions):
        for place in places(f.body):
            new = renumbered(grafted(RandomSource(seed), donor.main.body, donor, shader, i, place))
            found = Counter(v.message for v in violations(new, main_may_return=True))
            assert set(found) <= {"a loop that cannot be left", f"{f.name} can reach its end without a return"}
            grown = sum(1 for _ in walk(new.all_functions[i].body)) > sum(1 for _ in walk(f.body))
            assert grown or not donor.main.body
