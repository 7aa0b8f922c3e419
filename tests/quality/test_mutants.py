"""Every branch of the rules is tested: each mutant of section 4.2 and Figs. 8 and 9 is killed by a shader named here.

A witness is a file in `witnesses`: the smallest shader found for some mutants, with the paper's verdict on it.
"""

import inspect
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.rules.paper_transcription import ug_shader
from tests.quality.paper_mutants import DOUBLE, EQUIVALENT, KILLABLE, VARIANTS, departing
from tests.quality.paper_witnesses import BY_MUTANT, BY_NAME
from tests.strategies.drawn import shaders
from tests.tinywgsl.wellformed import violations
from wgsl_fuzz.oracle.rules.analysis import UniformityAnalysis, analyse, analysis_under
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Direction, Rules, Variant
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import SMALL_TINY, TINY, ModuleProfile, draw_shader
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.behaviour import CoreBehaviourAnalysis

JUMPY = replace(TINY, statements=(5, 20), returns=60, calm=0)
"""Smaller shaders with more early returns."""


def named(mutants: tuple[Variant, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("mutant", mutants, ids=[m.name for m in mutants])


def test_every_rule_and_line_has_a_mutant() -> None:
    lines = {f"{m.rule}/{m.line}" for m in KILLABLE}
    assert lines >= {f"if/line-{n}" for n in (1, 2, 3, 6, 7, 8, 9)}
    assert lines >= {f"call/line-{n}" for n in (4, 5, 6, 7)}
    assert lines >= {f"loop/line-{n}" for n in range(5, 14)}
    assert lines >= {f"func/line-{n}" for n in (3, 5, 6, 7, 8, 9, 11)}
    behaviours = ("list", "assign", "barrier", "call", "break", "continue", "return", "if", "loop")
    assert lines >= {f"B/{s}" for s in behaviours} | {"shader/order"}
    assert lines >= {f"expr/{e}" for e in ("lid", "shared-read", "literal", "local", "binary")}
    assert {m.rule for m in KILLABLE} >= {"list", "assign", "shared-assign", "barrier", "return", "break", "continue"}


@named(KILLABLE + DOUBLE)
def test_is_killed(mutant: Variant) -> None:
    witness = BY_MUTANT[mutant.name]
    assert analyse(witness.shader).verdict is witness.verdict
    assert analyse(witness.shader, mutant.rules).verdict is not witness.verdict


@pytest.mark.parametrize("name", BY_NAME)
def test_witness_is_judged_as_the_paper_does(name: str) -> None:
    """By a transcription that shares no code with the analysis."""
    witness = BY_NAME[name]
    assert violations(witness.shader, main_may_return=True) == []
    _, violator = ug_shader(witness.shader)
    assert witness.verdict is (Verdict.ACCEPTS if violator is None else Verdict.REJECTS)
    assert witness.kills


def test_every_mutant_has_one_witness_and_every_witness_a_mutant() -> None:
    kills = [mutant for witness in BY_NAME.values() for mutant in witness.kills]
    assert sorted(kills) == sorted(m.name for m in KILLABLE + DOUBLE)


# ------------------------------------------------------------------------------------------------ equivalent mutants


def drawn(seeds: range) -> Iterator[tuple[Shader, Verdict]]:
    """Shaders, and the paper's verdicts on them."""
    for seed, profile in product(seeds, (TINY, JUMPY)):
        shader = draw_shader(seed, profile)
        yield shader, analyse(shader).verdict


@cache
def some_drawn() -> list[tuple[Shader, Verdict]]:
    return [*drawn(range(300))]


def check_equivalent(mutant: Variant, shaders: Iterable[tuple[Shader, Verdict]]) -> None:
    for shader, verdict in shaders:
        assert analyse(shader, mutant.rules).verdict is verdict


@named(EQUIVALENT)
def test_equivalent_mutants_do_not_differ(mutant: Variant) -> None:
    assert len(mutant.equivalent) > 20, "the argument why"
    check_equivalent(mutant, some_drawn())


@pytest.mark.slow
@named(EQUIVALENT)
def test_equivalent_mutants_do_not_differ_on_many(mutant: Variant) -> None:
    check_equivalent(mutant, drawn(range(1_000, 31_000)))


# ---------------------------------------------------------------------------------------------- directions, pieces


@pytest.mark.parametrize(
    ("profile", "seeds"),
    [
        pytest.param(SMALL_TINY, range(150), id="small"),
        pytest.param(JUMPY, range(150), id="jumpy"),
        pytest.param(TINY, range(1_000, 6_000), id="many", marks=pytest.mark.slow),
        pytest.param(JUMPY, range(1_000, 6_000), id="many jumpy", marks=pytest.mark.slow),
    ],
)
def test_effects_go_the_way_they_say(profile: ModuleProfile, seeds: range) -> None:
    one_way = [m for m in KILLABLE if m.direction is not Direction.EITHER]
    for seed in seeds:
        shader = draw_shader(seed, profile)
        verdict = analyse(shader).verdict
        stays = Direction.LAXER if verdict is Verdict.ACCEPTS else Direction.STRICTER
        assert [
            m.name for m in one_way if m.direction is stays and analyse(shader, m.rules).verdict is not verdict
        ] == []


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=[*VARIANTS])
def test_a_variant_says_its_place_and_overrides_methods_that_there_are(variant: Variant) -> None:
    """With the same parameters, by name; what is put on top of them is in the class alone."""
    assert variant.rule
    assert variant.line
    assert variant.branch
    assert variant.replacements
    for cls in variant.replacements:
        base = UniformityAnalysis if issubclass(cls, UniformityAnalysis) else CoreBehaviourAnalysis
        pieces = {name: f for c in cls.__mro__ if c not in base.__mro__ for name, f in vars(c).items() if callable(f)}
        assert pieces
        for name, function in pieces.items():
            assert not name.startswith("_")
            assert [*inspect.signature(function).parameters] == [*inspect.signature(getattr(base, name)).parameters]


def test_a_rule_set_is_a_value() -> None:
    assert departing(["10a", "10b"]) == departing(["10b", "10a"]) == Rules((VARIANTS["10a"], VARIANTS["10b"]))
    assert analysis_under(departing(["10a", "10b"])) is analysis_under(departing(["10b", "10a"]))
    assert analysis_under(UNCHANGED) is UniformityAnalysis
    assert repr(departing(["10b", "10a"])) == "Rules(10a, 10b)"


@given(shaders(SMALL_TINY), st.lists(st.sampled_from(sorted(VARIANTS)), unique=True, max_size=6))
def test_variants_compose(shader: Shader, names: list[str]) -> None:
    """Any of them together are an analysis, whatever it says; the laxer ones alone are laxer, the stricter stricter."""
    rules = departing(names)
    verdict, paper = analyse(shader, rules).verdict, analyse(shader).verdict
    directions = {v.direction for v in rules if not v.equivalent}
    if paper is Verdict.ACCEPTS and directions <= {Direction.LAXER}:
        assert verdict is Verdict.ACCEPTS
    if paper is Verdict.REJECTS and directions <= {Direction.STRICTER}:
        assert verdict is Verdict.REJECTS
