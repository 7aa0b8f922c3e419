"""Enumeration: all there is, once, well-formed, and counted without being built."""

import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tinywgsl.wellformed import renumbered, violations
from tests.wgsl.current_tint import ask_tint, refused_by_tint
from tests.wgsl.reading import parse
from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.course import ShaderSequence
from wgsl_fuzz.oracle.rules.uniformity.revisions import WGSL_RULE_SETS
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.enumerate import combinations, families
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.syntax import Function, Return
from wgsl_fuzz.wgsl.walk import statements_below

COUNTS = {
    families.MAIN: (0, 0, 3, 55, 910, 14400),
    families.SINGLE_LOOP: (0, 107, 1848, 32292, 670566, 15312750),
    families.TWO_FUNCTION: (0, 15, 97, 1402, 27111, 496647),
    families.SHARED_MEMORY: (1, 14, 681, 50496, 4498309, 444074609),
}
BUILT = 6000
"""Sizes with more shaders are only counted here; `-m slow` builds more."""
SMALL = [(f, n) for f, counts in COUNTS.items() for n, count in enumerate(counts) if count <= BUILT]
LARGE = [(f, n) for f, counts in COUNTS.items() for n, count in enumerate(counts) if BUILT < count <= 100_000]


def _named(value: object) -> str:
    return value.name if isinstance(value, families.Family) else str(value)


def _texts_up_to_renaming(shaders: list[core.Shader]) -> set[str]:
    """Texts, of which those are equal that become equal when two variables change places, arguments and all."""
    return {min(_swapped(text, "xy"), _swapped(text, "pq"), text) for text in map(print_shader, shaders)}


def _swapped(text: str, names: str) -> str:
    """With the names exchanged; declarations of locals and parameters, which then stand in another order, left out."""
    other = {names[0]: names[1], names[1]: names[0]}
    text = re.sub(r"(?m)^ *var [a-z]: u32;\n", "", text)
    text = re.sub(r"f\((p|q): u32, (p|q): u32\)", "f", text)
    text = re.sub(rf"\b[{names}]\b", lambda m: other[m[0]], text)
    return re.sub(r"f\((\w+), (\w+)\)", r"f(\2, \1)", text) if names == "pq" else text


@pytest.mark.parametrize(
    ("family", "size"), [*SMALL, *[pytest.param(*c, marks=pytest.mark.slow) for c in LARGE]], ids=_named
)
def test_there_are_as_many_as_counted_and_no_two_are_equal(family: families.Family[core.Shader], size: int) -> None:
    shaders = list(family.of_size(size))
    assert len(shaders) == family.of_size(size).count
    assert len(_texts_up_to_renaming(shaders)) == len({print_shader(s) for s in shaders}) == len(shaders)


@given(st.sampled_from([*COUNTS]), st.integers(0, 5), st.data())
def test_every_shader_is_well_formed_and_worth_asking_about(
    family: families.Family[core.Shader], size: int, data: st.DataObject
) -> None:
    """Random access into sizes that nobody could go through."""
    shaders = family.of_size(size)
    if not shaders.count:
        return
    shader = shaders.nth(data.draw(st.integers(0, shaders.count - 1)))
    assert violations(shader, main_may_return=True) == []
    assert renumbered(shader) == shader == parse(print_shader(shader))
    assert shader.workgroup_size == families.THREADS
    assert any(isinstance(s, core.Barrier) for f in shader.all_functions for s in core.walk(f.body))
    assert family is families.SHARED_MEMORY or any(
        isinstance(e, core.Lid) for e in core.expressions_in(shader.main.body)
    )
    assert len(shader.functions) == (family is families.TWO_FUNCTION)


@pytest.mark.parametrize("family", COUNTS, ids=lambda family: family.name)
def test_current_tint_finds_none_invalid(family: families.Family[core.Shader]) -> None:
    sizes = [shaders for shaders in map(family.of_size, range(6)) if shaders.count]
    texts = [print_shader(shaders.nth(i * shaders.count // 60)) for shaders in sizes for i in range(60)]
    assert refused_by_tint(texts)[:2] == []


@given(st.sampled_from([*COUNTS]), st.integers(1, 4), st.data())
def test_sizes_follow_one_another(family: families.Family[core.Shader], size: int, data: st.DataObject) -> None:
    shaders, before = family.of_size(size), family.up_to(size - 1).count
    if shaders.count:
        i = data.draw(st.integers(0, shaders.count - 1))
        assert family.up_to(size).nth(before + i) == shaders.nth(i)


# -------------------------------------------------------------------------------------------------- what is in them


def test_the_reset_of_locals_at_calls_is_within_reach() -> None:
    """docs/paper-notes.md, note 2: a local that outlives the call, and `f` called twice."""
    shaders = families.TWO_FUNCTION.of_size(4)
    twice = (s for s in shaders if sum(isinstance(one, core.Call) for one in core.walk(s.main.body)) == 2)
    texts = map(print_shader, twice)
    assert any("if (t == 0u)" in text and "t = p;" in text and text.count("x = f(lid, 0u);") == 2 for text in texts)


# ------------------------ Enumeration in the whole language: all there is, once, valid, and counted without being built


TEXT_COUNTS = {
    families.POINTER_FUNCTION: (1, 4, 55, 856, 15_187, 262_243),
    families.LOOP_BODY: (0, 0, 5, 166, 4_924, 134_314),
    families.EFFECTS: (0, 25_376, 37_100_608),
    families.REQUIREMENTS: (0, 288, 64_674, 13_318_362),
    families.CLAUSES: (0, 30, 576, 5_400, 49_896),
    families.NESTED: (0, 981, 50_688, 17_326, 28_740),
}
SLOT_COUNTS = {
    "short-circuit": (1, 27, 279, 1_389),
    "calls": (1, 43, 651, 3_977),
    "parts": (1, 50, 794, 4_252),
    "workgroup": (1, 77, 2_094, 22_896),
    "filters": (1, 64, 1_079, 8_304),
    "subgroups": (1, 44, 734, 5_980),
    "inputs": (1, 23, 193, 713),
    "fragments": (1, 34, 418),
    "sources": (1, 39, 573),
    "matrices": (1, 32, 358),
    "bindings": (1, 29, 270),
    "shadows": (1, 52, 773),
    "conversions": (1, 39, 542),
    "pointers": (1, 37, 496),
}
TEXT_COUNTS |= {family: SLOT_COUNTS[family.name] for family in families.COMBINED}
BUILT_TEXTS = [
    pytest.param(family, n, marks=pytest.mark.slow if count > 1_000 else ())
    for family, counts in TEXT_COUNTS.items()
    for n, count in enumerate(counts)
    if 0 < count <= 40_000
]
SMALL_TEXTS = (families.POINTER_FUNCTION, 3), (families.LOOP_BODY, 3)
FAITHFUL = (families.REQUIREMENTS, 1), (families.CLAUSES, 2), (families.NESTED, 1)
"""Of these the current Tint answers as the reference."""
LARGE_TEXTS = (
    *((families.POINTER_FUNCTION, 4), (families.LOOP_BODY, 4), (families.EFFECTS, 1)),
    *((families.REQUIREMENTS, 2), (families.CLAUSES, 4)),
)
IN_SLOTS = [(family, 1) for family in families.COMBINED]
RULES = WGSL_RULE_SETS["wgsl-tint-0.6.2"]


@cache
def _sequence(family: families.Family[str], size: int) -> ShaderSequence:
    return ShaderSequence([family], size)


def _module(family: families.Family[str], size: int, i: int) -> Case:
    case = _sequence(family, size).case(family.up_to(size - 1).count + i if size else i)
    assert isinstance(case, Case)
    return case


def test_every_family_has_its_name() -> None:
    assert {family.name: family for family in COUNTS} == families.FAMILIES
    assert {family.name: family for family in TEXT_COUNTS} == families.TEXT_FAMILIES
    assert len(families.ALL_FAMILIES) == len(COUNTS) + len(TEXT_COUNTS), "no name is given twice"


@pytest.mark.parametrize(("family", "counts"), [*COUNTS.items(), *TEXT_COUNTS.items()], ids=_named)
def test_the_counts_are_known_without_building_a_member(
    family: families.Family[core.Shader] | families.Family[str], counts: tuple[int, ...]
) -> None:
    assert tuple(family.of_size(n).count for n in range(len(counts))) == counts
    assert family.up_to(len(counts) - 1).count == sum(counts)


@pytest.mark.parametrize(("family", "size"), BUILT_TEXTS, ids=_named)
def test_no_two_are_equal(family: families.Family[str], size: int) -> None:
    texts = [_module(family, size, i).text for i in range(family.of_size(size).count)]
    assert len({*texts}) == len(texts)


@given(st.sampled_from([*TEXT_COUNTS]), st.integers(0, 6), st.data())
def test_every_module_is_valid_and_worth_asking_about(
    family: families.Family[str], size: int, data: st.DataObject
) -> None:
    """Random access into sizes that nobody could go through."""
    count = family.of_size(size).count
    if not count:
        return
    case = _module(family, size, data.draw(st.integers(0, count - 1)))
    assert case.verdict in (Verdict.ACCEPTS, Verdict.REJECTS)
    assert re.search(r"Barrier\(\);|UniformLoad|dpd|fwidth|subgroup\w+\(|M\(", case.text)
    assert family in families.COMBINED or case.text.count("lid") > 1


@given(st.sampled_from(combinations.ALL), st.integers(0, 9), st.data())
def test_sizes_in_slots_count_what_is_not_plain(slots: combinations.Slots, size: int, data: st.DataObject) -> None:
    texts = slots.of_size(size)
    assert (texts.count == 0) is (size > len(slots.fillings))
    if texts.count:
        text = texts.nth(data.draw(st.integers(0, texts.count - 1)))
        not_plain = [(name, one.split("$do")) for name, some in slots.fillings.items() for one in some[1:]]
        assert len({name for name, parts in not_plain if all(part in text for part in parts)}) >= size


@given(st.integers(1, 6), st.data())
def test_sizes_of_texts_count_statements(size: int, data: st.DataObject) -> None:
    count = families.POINTER_FUNCTION.of_size(size).count
    case = _module(families.POINTER_FUNCTION, size, data.draw(st.integers(0, count - 1)))
    callee = next(d for d in case.resolution.module.declarations if isinstance(d, Function))
    assert sum(1 for _ in statements_below(callee)) >= size
    assert BehaviourAnalysis().behaviour(callee.body)
    assert not any(isinstance(s, Return) and s.value is not None for s in statements_below(callee))


def test_the_families_show_the_departures_that_they_are_for() -> None:
    """Of the current Tint, by its rule set."""
    for family, size in SMALL_TEXTS:
        modules = [_module(family, size, i) for i in range(family.of_size(size).count)]
        assert any(module.verdict_under(RULES) is not module.verdict for module in modules)


@pytest.mark.parametrize(
    ("family", "most"),
    [*SMALL_TEXTS, *FAITHFUL, *IN_SLOTS, *[pytest.param(*one, marks=pytest.mark.slow) for one in LARGE_TEXTS]],
    ids=_named,
)
def test_tint_answers_as_its_rule_set(family: families.Family[str], most: int) -> None:
    course = ShaderSequence([family], most)
    for first in range(0, course.count, 1024):
        cases = [course.case(i) for i in range(first, min(first + 1024, course.count))]
        for case, answer in zip(cases, ask_tint([case.text for case in cases]), strict=True):
            assert isinstance(case, Case)
            assert case.verdict_under(RULES) is answer.verdict, case.text
