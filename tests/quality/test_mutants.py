"""Every branch of the rules is tested: each mutant of section 4.2 and Figs. 8 and 9 is killed by a shader named here.

A witness is a file in `witnesses`: the smallest shader found for some mutants, with the paper's verdict on it.
"""

from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import pytest

import oracle.rules.analysis
from oracle.rules.mutants import (
    DOUBLE,
    EQUIVALENT,
    KILLABLE,
    MUTANTS,
    Effect,
    Mutant,
    Patch,
    PatchError,
    analyse,
    loaded,
    patched,
)
from oracle.rules.mutants.model import ANALYSIS
from oracle.rules.revisions import REVERSIONS
from oracle.verdict import Verdict
from strategies import DEFAULT, SMALL, Profile, draw_shader
from tests.oracle.rules.paper_transcription import ug_shader
from tinywgsl.ast import Shader
from tinywgsl.parser import parse
from tinywgsl.wellformed import violations

WITNESSES = Path(__file__).with_name("witnesses")
JUMPY = replace(
    DEFAULT,
    statements=(5, 20),
    weights=(
        ("assign", 30),
        ("barrier", 5),
        ("shared", 4),
        ("call", 12),
        ("if", 40),
        ("loop", 25),
        ("break", 15),
        ("continue", 15),
        ("return", 10),
    ),
    main_returns=60,
    doses=(10, 20, 40),
)
"""Many ways out of few statements: the lines of the loop rule that plain choice seldom reaches."""


@dataclass(frozen=True)
class Witness:
    """A shader, the paper's verdict on it, and the mutants that it kills."""

    shader: Shader
    verdict: Verdict
    kills: tuple[str, ...]


def read(path: Path) -> Witness:
    """The header is of lines `// paper: VERDICT` and `// kills: MUTANT`."""
    text = path.read_text(encoding="utf-8")
    header = [line.removeprefix("// ").split(": ", 1) for line in text.splitlines() if line.startswith("// ")]
    (verdict,) = [value for key, value in header if key == "paper"]
    return Witness(parse(text), Verdict(verdict), tuple(value for key, value in header if key == "kills"))


BY_NAME = {path.stem: read(path) for path in sorted(WITNESSES.glob("*.wgsl"))}
BY_MUTANT = {mutant: name for name, witness in BY_NAME.items() for mutant in witness.kills}


def named(mutants: tuple[Mutant, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("mutant", mutants, ids=[m.name for m in mutants])


@named(KILLABLE + DOUBLE)
def test_is_killed(mutant: Mutant) -> None:
    witness = BY_NAME[BY_MUTANT[mutant.name]]
    assert oracle.rules.analysis.analyse(witness.shader).verdict is witness.verdict
    assert analyse(mutant, witness.shader).verdict is not witness.verdict


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


def test_names_are_unique_and_of_three_parts() -> None:
    names = [m.name for m in (*MUTANTS, *DOUBLE)]
    assert len(set(names)) == len(names)
    assert all(len(m.name.split("/")) == 3 for m in MUTANTS)
    assert all(m.branch for m in MUTANTS)


def test_there_are_enough() -> None:
    assert len(KILLABLE) >= 40
    assert len(DOUBLE) >= 10
    assert not any(m.equivalent for m in DOUBLE)


def test_every_rule_and_line_has_a_mutant() -> None:
    lines = {f"{m.rule}/{m.line}" for m in KILLABLE}
    assert lines >= {f"if/line-{n}" for n in (1, 2, 3, 6, 7, 8, 9)}
    assert lines >= {f"call/line-{n}" for n in (4, 5, 6, 7)}
    assert lines >= {f"loop/line-{n}" for n in range(5, 14)}
    assert lines >= {f"func/line-{n}" for n in (3, 5, 6, 7, 8, 9, 11)}
    assert lines >= {
        f"B/{s}" for s in ("list", "assign", "barrier", "call", "break", "continue", "return", "if", "loop")
    }
    assert lines >= {f"expr/{e}" for e in ("lid", "shared-read", "literal", "local", "binary")}
    assert {m.rule for m in KILLABLE} >= {"list", "assign", "shared-assign", "barrier", "return", "break", "continue"}
    assert "shader/order" in lines


@pytest.mark.parametrize("profile", [DEFAULT, JUMPY], ids=["default", "jumpy"])
def test_the_changes_of_section_5_are_among_them(profile: Profile) -> None:
    reverted = {
        "10a": "loop/line-8/break-if-keeps-control-flow",
        "10b": "B/loop/case-1-never",
        "10c": "loop/line-6/always-fresh",
        "10d": "loop/line-8/always-analysed",
    }
    mutants = {m.name: m for m in MUTANTS}
    for shader in map(lambda seed: draw_shader(seed, profile), range(100)):
        for figure, name in reverted.items():
            paper = oracle.rules.analysis.analyse(shader, REVERSIONS[figure]).verdict
            assert analyse(mutants[name], shader).verdict is paper


@pytest.mark.parametrize("double", DOUBLE, ids=[m.name for m in DOUBLE])
def test_a_double_mutant_has_the_patch_of_a_single_one(double: Mutant) -> None:
    (single,) = singles_of(double)
    assert double.name.startswith(single.name)
    assert len(double.patches) == 2


def singles_of(double: Mutant) -> list[Mutant]:
    return [m for m in KILLABLE if m.patches == double.patches[:1]]


@pytest.mark.slow
def test_double_mutants_are_harder() -> None:
    """Each differs from the paper on fewer programs than the single mutant that it mends for most."""
    harder: Counter[str] = Counter()
    for seed in range(3_000):
        shader = draw_shader(seed)
        verdict = oracle.rules.analysis.analyse(shader).verdict
        for double in DOUBLE:
            (single,) = singles_of(double)
            harder[double.name] += analyse(single, shader).verdict is not verdict
            harder[double.name] -= analyse(double, shader).verdict is not verdict
    assert [m.name for m in DOUBLE if harder[m.name] <= 0] == []


# ------------------------------------------------------------------------------------------------ equivalent mutants


def check_equivalent(mutant: Mutant, seeds: range) -> None:
    shaders = chain.from_iterable((draw_shader(seed, profile) for seed in seeds) for profile in (DEFAULT, JUMPY))
    for shader in shaders:
        assert analyse(mutant, shader).verdict is oracle.rules.analysis.analyse(shader).verdict


@named(EQUIVALENT)
def test_equivalent_mutants_do_not_differ(mutant: Mutant) -> None:
    assert len(mutant.equivalent) > 20, "the argument why"
    check_equivalent(mutant, range(1_000))


@pytest.mark.slow
@named(EQUIVALENT)
def test_equivalent_mutants_do_not_differ_on_many(mutant: Mutant) -> None:
    check_equivalent(mutant, range(1_000, 31_000))


# ------------------------------------------------------------------------------------------------- effects, patches


def check_effects(seeds: range, profile: Profile) -> None:
    one_way = [m for m in KILLABLE if m.effect is not Effect.EITHER]
    for seed in seeds:
        shader = draw_shader(seed, profile)
        verdict = oracle.rules.analysis.analyse(shader).verdict
        stays = Effect.LAXER if verdict is Verdict.ACCEPTS else Effect.STRICTER
        assert [m.name for m in one_way if m.effect is stays and analyse(m, shader).verdict is not verdict] == []


@pytest.mark.parametrize("profile", [SMALL, JUMPY], ids=["small", "jumpy"])
def test_effects_go_the_way_they_say(profile: Profile) -> None:
    check_effects(range(150), profile)


@pytest.mark.slow
@pytest.mark.parametrize("profile", [DEFAULT, JUMPY], ids=["default", "jumpy"])
def test_effects_go_the_way_they_say_on_many(profile: Profile) -> None:
    check_effects(range(1_000, 6_000), profile)


@named((*MUTANTS, *DOUBLE))
def test_patches_change_the_source_and_what_is_loaded_is_apart(mutant: Mutant) -> None:
    for module in {p.module for p in mutant.patches}:
        assert patched(module, mutant) != patched(module, replace(mutant, patches=()))
    assert loaded(mutant) is loaded(mutant)
    assert loaded(mutant).__globals__ is not oracle.rules.analysis.__dict__


@pytest.mark.parametrize("old", ["no such text in the rules", "return graph"])
def test_a_patch_that_does_not_fit_exactly_once_is_an_error_that_names_the_mutant(old: str) -> None:
    misfit = Mutant("if/line-1/misfit", "none", Effect.EITHER, (Patch(ANALYSIS, old, ""),))
    with pytest.raises(PatchError, match="if/line-1/misfit"):
        loaded(misfit)


def test_without_patches_the_loaded_analysis_is_the_paper() -> None:
    none = Mutant("none/none/none", "none", Effect.EITHER, ())
    for seed in range(200):
        shader = draw_shader(seed, JUMPY)
        assert analyse(none, shader).verdict is oracle.rules.analysis.analyse(shader).verdict
