"""Metamorphic relations: the reference keeps every one of them, and each is broken by some wrong analysis."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.quality.paper_mutants import KILLABLE, RULE_SETS
from wgsl_fuzz.oracle.rules.analysis import UniformityAnalysis, VariableMap, analyse
from wgsl_fuzz.oracle.rules.graph import CF_START, Node
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import DEFAULT, SMALL, Profile, draw_shader, shaders
from wgsl_fuzz.strategies.choices.source import DrawnBy, RandomSource, Source
from wgsl_fuzz.strategies.edit.inlining import can_be_inlined
from wgsl_fuzz.strategies.edit.relations import (
    RELATION,
    RELATIONS,
    Implication,
    RelatedShader,
    Relation,
    applied,
    broken,
    related,
)
from wgsl_fuzz.tinywgsl.ast import Call, Expr, Function, Lid, Shader, renumbered, walk
from wgsl_fuzz.tinywgsl.wellformed import violations
from wgsl_fuzz.wgsl.reading import parse

JUMPY = replace(
    DEFAULT,
    statements=(5, 20),
    weights=(
        ("assign", 30),
        ("barrier", 8),
        ("shared", 4),
        ("call", 12),
        ("if", 40),
        ("loop", 25),
        ("break", 15),
        ("continue", 10),
        ("return", 10),
    ),
    main_returns=60,
)
MUTANTS = {mutant.name: mutant for mutant in KILLABLE}

Accepts = Callable[[Shader], bool]


def reference(shader: Shader) -> bool:
    return analyse(shader).verdict is Verdict.ACCEPTS


def accepts(name: str) -> Accepts:
    """The verdict of a rule set or of a mutant of the rules."""
    if name in RULE_SETS:
        return lambda shader: analyse(shader, RULE_SETS[name]).verdict is Verdict.ACCEPTS
    return lambda shader: analyse(shader, MUTANTS[name].rules).verdict is Verdict.ACCEPTS


def breaks(relation: Relation, judge: Accepts, shader: Shader, seed: int) -> bool:
    new = applied(relation, shader, RandomSource(seed))
    return new is not None and broken(relation, judge(shader), judge(new))


def each(relations: tuple[Relation, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("relation", relations, ids=[r.name for r in relations])


# ------------------------------------------------------------------------------------------- the reference keeps them


@cache
def some_shaders(profile: Profile) -> list[tuple[int, Shader]]:
    """With their seeds."""
    return [(seed, draw_shader(seed, profile)) for seed in range(100)]


def check_kept(relation: Relation, shaders: Iterable[tuple[int, Shader]]) -> None:
    for seed, shader in shaders:
        assert not breaks(relation, reference, shader, seed), seed


@each(RELATIONS)
@pytest.mark.parametrize("profile", [DEFAULT, SMALL, JUMPY], ids=["default", "small", "jumpy"])
def test_the_reference_keeps_it(relation: Relation, profile: Profile) -> None:
    check_kept(relation, some_shaders(profile))


@pytest.mark.slow
@each(RELATIONS)
@pytest.mark.parametrize("profile", [DEFAULT, SMALL, JUMPY], ids=["default", "small", "jumpy"])
def test_the_reference_keeps_it_on_many(relation: Relation, profile: Profile) -> None:
    check_kept(relation, ((seed, draw_shader(seed, profile)) for seed in range(1_000, 4_000)))


# ---------------------------------------------------------------------------------------- wrong analyses do not

WRONG = {
    "no-source": "expr/literal/is-non-uniform",
    "barrier-added": "B/barrier/is-nothing",
    "dead-code": "list/tail/dead-analysed",
    "inlined": "call/line-4/demand-on-every-argument",
    "negated": "if/line-3/else-under-cf",
    "wrapped-in-if": "if/line-8/map-of-entry",
    "loop-once": "without-10d",
    "continuing-moved": "without-10a",
    "named": "assign/map/not-updated",
    "rest-in-else": "if/line-8/if-it-may-end",
    "commuted": "call/line-7/control-flow-is-result",
    "unread": "shared-assign/graph/value-demanded",
    "mirrored": "expr/binary/no-edge-to-left",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_analysis_breaks_it(name: str) -> None:
    """Within a few hundred drawn shaders: a relation that nothing breaks would find nothing."""
    judge = accepts(WRONG[name])
    drawn = ((seed, draw_shader(seed, profile)) for seed in range(600) for profile in (DEFAULT, SMALL, JUMPY))
    assert any(breaks(RELATION[name], judge, shader, seed) for seed, shader in drawn)


def in_main(body: str) -> Shader:
    head = "var<workgroup> A: array<u32, 1>;\n@compute @workgroup_size(2)\n"
    return parse(f"{head}fn main(@builtin(local_invocation_index) lid: u32) {{ {body} }}")


SELDOM = {
    "lid-for-expression": ("expr/lid/is-uniform", in_main("if (A[0u] == 0u) { workgroupBarrier(); }")),
    "barrier-removed": (
        "B/barrier/is-nothing",
        in_main("workgroupBarrier(); if (lid == 0u) { workgroupBarrier(); }"),
    ),
}
"""Where drawn shaders show it too seldom: a mutant of the rules, and a shader."""


@pytest.mark.parametrize("name", SELDOM)
def test_a_wrong_analysis_breaks_it_on_this_shader(name: str) -> None:
    mutant, shader = SELDOM[name]
    assert any(breaks(RELATION[name], accepts(mutant), shader, seed) for seed in range(50))
    assert not any(breaks(RELATION[name], reference, shader, seed) for seed in range(50))


LID_OVERLOOKED = in_main("var x: u32; if (A[0u] == 0u) { x = lid; } if (x == 0u) { workgroupBarrier(); }")


class LidIsCfStart(UniformityAnalysis):
    """`lid` does not even depend on its control flow."""

    def expr(self, M: VariableMap, cf: Node, e: Expr) -> Node:
        return CF_START if isinstance(e, Lid) else super().expr(M, cf, e)


def test_a_lid_without_its_control_flow_breaks_literal_for_source() -> None:
    """The one relation that no mutant of the rules breaks: there `lid` is no less non-uniform than a literal."""
    relation = RELATION["literal-for-source"]

    def judge(shader: Shader) -> bool:
        return LidIsCfStart().shader(shader).verdict is Verdict.ACCEPTS

    assert any(breaks(relation, judge, LID_OVERLOOKED, seed) for seed in range(20))
    assert not any(breaks(relation, reference, LID_OVERLOOKED, seed) for seed in range(20))


def test_every_relation_is_shown_broken_by_something() -> None:
    assert {*WRONG, *SELDOM, "literal-for-source"} == set(RELATION)


BREAK_BEFORE_10C = in_main("if (true) { workgroupBarrier(); if (lid == 0u) { return; } }")


def test_loop_once_needs_the_change_of_fig_10c() -> None:
    """Without it the head of a loop that never iterates depends on how the body ends, as in Tint 0.3.8."""
    relation = RELATION["loop-once"]
    for rules in ("without-10c", "tint-0.3.8"):
        assert any(breaks(relation, accepts(rules), BREAK_BEFORE_10C, seed) for seed in range(20))
    assert not any(breaks(relation, reference, BREAK_BEFORE_10C, seed) for seed in range(20))


# ------------------------------------------------------------------------------------------------ transformations


@each(RELATIONS)
def test_it_applies_to_a_share_of_shaders(relation: Relation) -> None:
    drawn = [shader for profile in (DEFAULT, JUMPY) for _, shader in some_shaders(profile)[:60]]
    found = [applied(relation, shader, RandomSource(seed)) for seed, shader in enumerate(drawn)]
    assert sum(new is not None for new in found) >= len(drawn) // 5
    for shader, new in zip(drawn, found, strict=True):
        if new is not None:
            assert violations(new, main_may_return=True) == []
            assert renumbered(new) == new
            assert new != shader


@given(st.data(), shaders(SMALL))
def test_a_drawn_relation_is_a_well_formed_shader_and_kept(data: st.DataObject, shader: Shader) -> None:
    def draw(source: Source) -> RelatedShader | None:
        return related(shader, source)

    found = data.draw(DrawnBy(draw))
    assert found is not None
    assert violations(found.shader, main_may_return=True) == []
    assert not broken(found.relation, reference(shader), reference(found.shader))


@given(st.integers(0, 10_000))
def test_what_is_drawn_is_a_function_of_the_choices(seed: int) -> None:
    shader = draw_shader(seed)
    assert related(shader, RandomSource(seed)) == related(shader, RandomSource(seed))


def test_all_relations_are_drawn() -> None:
    drawn = {found.relation.name for seed in range(300) if (found := related(draw_shader(seed), RandomSource(seed)))}
    assert drawn == set(RELATION)


def test_some_relation_applies_even_to_an_empty_shader() -> None:
    empty = Shader((), (), Function("main", (), (), (), None), 2)
    assert related(empty, RandomSource(0)) is not None


def test_an_inlined_call_is_gone_and_its_callee_stays() -> None:
    inlined = 0
    for seed in range(200):
        shader = draw_shader(seed)
        new = applied(RELATION["inlined"], shader, RandomSource(seed))
        if new is not None:
            inlined += 1
            assert [f.name for f in new.functions] == [f.name for f in shader.functions]
            changed = [f for f in shader.functions if count(new, f.name) != count(shader, f.name)]
            assert count(new, changed[-1].name) == count(shader, changed[-1].name) - 1  # it calls only those before it
            assert can_be_inlined(changed[-1])
    assert inlined > 40


def calls(shader: Shader) -> list[Call]:
    return [s for f in shader.all_functions for s in walk(f.body) if isinstance(s, Call)]


def count(shader: Shader, function: str) -> int:
    return sum(call.function == function for call in calls(shader))


@pytest.mark.parametrize(
    ("implication", "kept"),
    [
        (Implication.ACCEPTED, {(True, True), (False, True)}),
        (Implication.NOT_ACCEPTED_IF_REJECTED, {(False, False), (True, True), (True, False)}),
        (Implication.NOT_REJECTED_IF_ACCEPTED, {(False, False), (True, True), (False, True)}),
        (Implication.SAME, {(False, False), (True, True)}),
    ],
)
def test_what_an_implication_allows(implication: Implication, kept: set[tuple[bool, bool]]) -> None:
    relation = Relation("any", "any", implication, lambda shader, _: shader)
    verdicts = {(before, after) for before in (False, True) for after in (False, True)}
    assert {pair for pair in verdicts if not broken(relation, *pair)} == kept


def test_names_and_sentences_are_unique() -> None:
    assert len({r.name for r in RELATIONS}) == len({r.sentence for r in RELATIONS}) == len(RELATIONS)
