"""The analysis on bit sets against the one rule by rule: verdicts and summaries, under the rule sets that it knows."""

from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.rules.test_against_transcription import BRANCHY
from tests.oracle.rules.test_coverage import LOOPY
from tests.quality.test_mutants import JUMPY
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.rules.analysis import FunctionResult, UniformityAnalysis, analyse
from wgsl_fuzz.oracle.rules.bitset.analysis import BitsetAnalysis, verdict_of
from wgsl_fuzz.oracle.rules.bitset.departures import departures_of
from wgsl_fuzz.oracle.rules.revisions import RULE_SETS, departing
from wgsl_fuzz.oracle.rules.rule_set import PAPER, Effect, Rules, Variant
from wgsl_fuzz.oracle.rules.variants import DEPARTURES, VARIANTS
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import DEFAULT, SMALL, Profile, draw_shader, shaders
from wgsl_fuzz.strategies.enumerate.families import FAMILIES, SINGLE_LOOP
from wgsl_fuzz.tinywgsl.ast import (
    Barrier,
    Binary,
    Call,
    Function,
    If,
    Lid,
    Literal,
    Local,
    Return,
    Shader,
    Type,
    Variable,
)
from wgsl_fuzz.wgsl.reading import parse

COMBINATIONS = [departing(some) for n in range(len(DEPARTURES) + 1) for some in combinations(DEPARTURES, n)]
"""The paper's rules with any of the historic departures, together or not."""
PROFILES = {"default": DEFAULT, "small": SMALL, "loopy": LOOPY, "jumpy": JUMPY, "branchy": BRANCHY}


def agree(shader: Shader, rules: Rules) -> Verdict:
    """Asserts that both say the same of the shader, and of every function before one with an error."""
    departures = departures_of(rules)
    assert departures is not None
    reference, bitset = analyse(shader, rules), BitsetAnalysis(departures)
    assert bitset.shader(shader) is reference.verdict
    results = [r for r in reference.functions if not r.violates and r.function is not shader.main]
    assert {r.function.name: r.summary for r in results} == bitset.F
    return reference.verdict


def agree_on_seeds(profile: Profile, seeds: range) -> set[Verdict]:
    """Each shader under all named rule sets and some combinations of departures, another few each time."""
    return {
        agree(shader, rules)
        for seed, shader in ((seed, draw_shader(seed, profile)) for seed in seeds)
        for rules in {*RULE_SETS.values(), *COMBINATIONS[seed % 101 :: 101]}
    }


@given(shaders(SMALL), st.sampled_from(COMBINATIONS))
def test_agrees_on_small_shaders(shader: Shader, rules: Rules) -> None:
    agree(shader, rules)


@pytest.mark.parametrize("name", PROFILES)
def test_agrees_on_seeds(name: str) -> None:
    assert agree_on_seeds(PROFILES[name], range(50)) == {Verdict.ACCEPTS, Verdict.REJECTS}


def test_what_is_remembered_depends_on_the_callee() -> None:
    harmless, demanding = (
        Function("f", (), (), (*ss, Return(Literal(0, Type.U32))), Type.U32) for ss in ((), (Barrier(1),))
    )
    ss = Call(3, "y", "f", ()), Return(Local("y", Type.U32))
    caller = Function("g", (), (Variable("y", Type.U32),), ss, Type.U32)
    under = If(Binary("==", Lid(), Literal(0, Type.U32)), (Call(2, "x", "g", ()),), ())
    main = Function("main", (), (Variable("x", Type.U32),), (under, Barrier(4)), None)
    said = [verdict_of(Shader((), (f, caller), main, 2)) for f in (harmless, demanding, harmless)]
    assert said == [Verdict.ACCEPTS, Verdict.REJECTS, Verdict.ACCEPTS]


@pytest.mark.slow
@pytest.mark.parametrize("name", PROFILES)
def test_agrees_on_many_seeds(name: str) -> None:
    assert agree_on_seeds(PROFILES[name], range(1_000, 6_000)) == {Verdict.ACCEPTS, Verdict.REJECTS}


def enumerated(most: int) -> list[Shader]:
    return [*chain.from_iterable(f.of_size(n) for f in FAMILIES.values() for n in range(most + 1))]


def test_agrees_on_every_shader_of_two_statements() -> None:
    for i, shader in enumerate(enumerated(2)):
        for rules in (PAPER, COMBINATIONS[i % len(COMBINATIONS)]):
            agree(shader, rules)


@pytest.mark.slow
def test_agrees_on_every_shader_of_three_statements() -> None:
    for i, shader in enumerate(enumerated(3)):
        for rules in (*RULE_SETS.values(), COMBINATIONS[i % len(COMBINATIONS)]):
            agree(shader, rules)


def test_every_departure_is_known_and_no_other_variant_is() -> None:
    assert all(departures_of(rules) for rules in COMBINATIONS)
    assert len({departures_of(rules) for rules in COMBINATIONS}) == len(COMBINATIONS) == 2 ** len(DEPARTURES)
    for name, variant in VARIANTS.items():
        assert (departures_of(variant.rules) is not None) == (name in DEPARTURES)


class Unready(UniformityAnalysis):
    """A user's own."""

    def function(self, f: Function) -> FunctionResult:
        """Nobody else's answer."""
        raise LookupError(f.name)


def test_what_is_no_departure_is_asked_rule_by_rule() -> None:
    """Even if it is called as one of them is."""
    shader = draw_shader(0)
    own = Variant("10a", "", "", Effect.EITHER, (Unready,))
    with pytest.raises(LookupError):
        verdict_of(shader, own.rules)
    for variant in VARIANTS.values():
        assert verdict_of(shader, variant.rules) is analyse(shader, variant.rules).verdict


BESIDE = {
    "unbroken-loop-keeps-variables": {"10b"},
    "jumping-statements-keep-variables": {"joins-at-empty-continuing"},
}
BRANCHES_JUMP = (corpus_folder() / "tint-branches-jump-in-the-body" / "shader.wgsl").read_text()


@pytest.mark.parametrize("name", DEPARTURES)
def test_every_departure_changes_some_verdict(name: str) -> None:
    """Beside others that let it: or agreement on it would say nothing."""
    beside = BESIDE.get(name, {"10b", "10d"} - {name})
    rules, changed = departing(beside), departing({*beside, name})
    few = chain(SINGLE_LOOP.of_size(2), SINGLE_LOOP.of_size(3), [parse(BRANCHES_JUMP)])
    assert any(verdict_of(shader, rules) is not verdict_of(shader, changed) for shader in few)
