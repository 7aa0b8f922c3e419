"""Enumeration: all there is, once, and well-formed."""

import pytest

from strategies.enumeration import Alphabet, shaders_of_size
from tinywgsl.ast import Barrier, Lid, expressions_in, renumbered, walk
from tinywgsl.parser import parse
from tinywgsl.printer import print_shader
from tinywgsl.wellformed import violations

COUNTS = {1: 0, 2: 3, 3: 55, 4: 910}


@pytest.mark.parametrize(("size", "count"), COUNTS.items())
def test_the_counts_are_known_and_nothing_repeats(size: int, count: int) -> None:
    shaders = list(shaders_of_size(size))
    assert len(shaders) == count == len({print_shader(shader) for shader in shaders})


def test_every_shader_is_well_formed_and_worth_asking_about() -> None:
    for size in (2, 3, 4):
        for shader in shaders_of_size(size):
            assert violations(shader, main_may_return=True) == []
            assert renumbered(shader) == shader == parse(print_shader(shader))
            assert any(isinstance(s, Barrier) for s in walk(shader.main.body))
            assert any(isinstance(e, Lid) for e in expressions_in(shader.main.body))


def test_the_smallest_are_as_expected() -> None:
    """`if (lid == 0) { barrier }`, and an assignment of lid beside a barrier."""
    bodies = {print_shader(shader).split("{\n", 1)[1] for shader in shaders_of_size(2)}
    assert any("if (lid == 0u) {\n    workgroupBarrier();" in body for body in bodies)
    assert sum("x = lid;" in body for body in bodies) == 2


def test_a_smaller_alphabet_gives_fewer() -> None:
    assert len(list(shaders_of_size(3, Alphabet(conditions=(Lid(),), values=())))) < COUNTS[3]
