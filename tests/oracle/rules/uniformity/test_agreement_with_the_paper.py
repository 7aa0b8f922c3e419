"""Two analyses by different routes: on TinyWGSL, in whatever spelling, section 15.2 and the paper say the same."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.quality.paper_mutants import departing
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, INTENT, analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.enumerate.families import FAMILIES
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.reading import ParseError
from wgsl_fuzz.wgsl.reading import parse as parse_tiny
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.spelling import spell

COUNTS = [pytest.param(500, id="500"), pytest.param(100_000, id="100,000", marks=pytest.mark.slow)]
HISTORIC = {
    "10a": "before-2025-10-14/10a",
    "10c": "before-2025-12-01/10c",
    "10d": "before-2025-12-01/10d",
    "joins-at-continuing": "before-2025-12-01/joins-at-continuing",
    "joins-at-exit": "before-2025-12-01/joins-at-exit",
}
"""Variants that both analyses have, by the paper's name."""


def verdict(text: str, rules: Rules = INTENT) -> Verdict:
    return analyse_wgsl(resolve(parse(text)), rules).verdict


def figures() -> Iterator[Shader]:
    """The shaders of the corpus that are TinyWGSL."""
    for path in sorted((Path(__file__).parents[4] / "corpus").glob("*/shader.wgsl")):
        with suppress(ParseError):
            yield parse_tiny(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("count", COUNTS)
def test_drawn_and_spelled_shaders(count: int) -> None:
    for i in range(count):
        shader = draw_shader(i)
        expected = analyse(shader).verdict
        assert verdict(print_shader(shader)) is expected, i
        assert verdict(spell(shader, RandomSource(i))) is expected, i


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("size", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_every_small_shader(family: str, size: int) -> None:
    for shader in FAMILIES[family].up_to(size):
        text = print_shader(shader)
        assert verdict(text) is analyse(shader).verdict, text


@pytest.mark.parametrize("name", HISTORIC)
def test_historic_rules(name: str) -> None:
    one, other = departing((name,)), Rules((DEPARTURES[HISTORIC[name]],))
    shaders = [*figures(), *(draw_shader(i) for i in range(300))]
    differ = 0
    for i, shader in enumerate(shaders):
        expected = analyse(shader, one).verdict
        assert verdict(print_shader(shader), other) is expected, i
        differ += expected is not analyse(shader).verdict
    assert differ, "no shader shows that the variants do anything"
