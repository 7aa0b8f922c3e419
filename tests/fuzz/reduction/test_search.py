"""The reducer: ends small, stays well-formed, keeps what was found."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.quality.paper_mutants import REVERSIONS
from tests.quality.planted import Planted, planted
from wgsl_fuzz.fuzz.reduction.edits import size, trimmed, variants
from wgsl_fuzz.fuzz.reduction.rename import renamed, with_plain_names
from wgsl_fuzz.fuzz.reduction.search import PAIRS_UP_TO, is_one_minimal, reduce
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import SMALL, draw_shader, shaders
from wgsl_fuzz.tinywgsl.ast import Barrier, Continue, Shader, count_statements, expressions_in, renumbered, walk
from wgsl_fuzz.tinywgsl.behaviour import NEXT, BehaviourAnalysis
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.tinywgsl.rewrite import Path, block_at, paths, places, spliced, with_body
from wgsl_fuzz.tinywgsl.wellformed import violations
from wgsl_fuzz.wgsl.reading import parse

# The fewest statements that tell each reversal from the paper, counting each loop's `continue` and restriction (1).
LEAST = {"10a": 6, "10b": 7, "10c": 6, "10d": 6}


@pytest.mark.parametrize("figure", sorted(REVERSIONS))
def test_a_reversed_rule_reduces_to_about_its_figure(figure: str) -> None:
    rules = REVERSIONS[figure]

    def disagrees(shader: Shader) -> bool:
        return analyse(shader).verdict is not analyse(shader, rules).verdict

    drawn = (draw_shader(seed) for seed in range(8000))
    sizes: list[int] = []
    for shader in drawn:
        if disagrees(shader):
            reduction = reduce(shader, disagrees)
            assert disagrees(reduction.shader)
            assert violations(reduction.shader, main_may_return=True) == []
            sizes = sorted([*sizes, count_statements(reduction.shader)])
            if len(sizes) == 3:
                break
    assert sizes[len(sizes) // 2] <= LEAST[figure] + 2, sizes


@given(shaders(SMALL))
def test_what_is_reduced_stays_interesting_and_well_formed(shader: Shader) -> None:
    def rejected_with_a_barrier(candidate: Shader) -> bool:
        barriers = any(isinstance(s, Barrier) for f in candidate.all_functions for s in walk(f.body))
        return barriers and analyse(candidate).verdict is Verdict.REJECTS

    if not rejected_with_a_barrier(shader):
        return
    least = reduce(shader, rejected_with_a_barrier).shader
    assert rejected_with_a_barrier(least)
    assert violations(least, main_may_return=True) == []
    assert size(least) <= size(shader)
    assert parse(print_shader(least)) == least


@given(shaders(SMALL))
def test_nothing_interesting_leaves_the_shader_as_it_was_but_for_names(shader: Shader) -> None:
    reduction = reduce(shader, lambda candidate: size(candidate) == size(shader))
    assert reduction.shader == with_plain_names(shader)


@given(shaders(SMALL))
def test_no_statement_is_left_of_what_nobody_asks_for(shader: Shader) -> None:
    assert count_statements(reduce(shader, lambda _: True).shader) == 0


def test_giving_up_keeps_what_was_reached() -> None:
    shader = draw_shader(3)
    assert reduce(shader, lambda _: True, give_up=lambda: True).tried == 0


@given(shaders(SMALL))
def test_variants_do_not_repeat_the_shader(shader: Shader) -> None:
    for candidate in variants(shader):
        assert candidate != shader


@given(shaders(SMALL))
def test_renaming_there_and_back(shader: Shader) -> None:
    names = {v.name for f in shader.all_functions for v in (*f.params, *f.locals)}
    there = {name: f"{name}_new" for name in names}
    back = {new: old for old, new in there.items()}
    assert renamed(renamed(shader, there), back) == shader


def test_parameters_and_locals_of_all_functions_have_names_of_their_own_kind() -> None:
    shader = next(
        s for s in map(draw_shader, range(100)) if len(s.functions) > 1 and all(len(f.params) for f in s.functions)
    )
    plain = with_plain_names(shader)
    params = [v.name for f in plain.functions for v in f.params]
    locals_ = [v.name for f in plain.all_functions for v in f.locals]
    assert params[:4] == list("pqrs")[: len(params)]
    assert locals_[:3] == list("xyz")[: len(locals_)]
    assert len({*params, *locals_}) == len(params) + len(locals_)
    assert violations(plain, main_may_return=True) == []


def test_trimming_drops_what_nothing_uses() -> None:
    shader = draw_shader(1)
    bare = trimmed(replace(shader, functions=(), main=replace(shader.main, body=(Barrier(1),))))
    assert (bare.arrays, bare.main.locals) == ((), ())
    assert list(expressions_in(bare.main.body)) == []
    assert renumbered(bare) == bare


@pytest.mark.parametrize("one", planted(), ids=lambda one: one.name)
def test_what_is_planted_reduces_to_its_known_minimum_or_two_more(one: Planted) -> None:
    (shader,) = one.drawn()
    least = reduce(shader, one.shows).shader
    assert one.shows(least)
    assert violations(least, main_may_return=True) == []
    assert count_statements(least) <= one.least + 2, print_shader(least)
    assert is_one_minimal(least, one.shows)


def verdict_and_barriers(shader: Shader) -> Hashable:
    barriers = sum(isinstance(s, Barrier) for f in shader.all_functions for s in walk(f.body))
    return f"{analyse(shader).verdict.value} {min(barriers, 2)}"


JUMPY = replace(
    SMALL,
    swarm=False,
    statements=(5, 12),
    weights=(
        ("assign", 10),
        ("barrier", 20),
        ("if", 40),
        ("loop", 45),
        ("break", 15),
        ("continue", 20),
        ("return", 10),
    ),
    main_returns=60,
)


def continues_beyond_barriers(shader: Shader) -> Hashable:
    statements = [s for f in shader.all_functions for s in walk(f.body)]
    barriers = sum(isinstance(s, Barrier) for s in statements)
    return barriers > 0 and f"{sum(isinstance(s, Continue) for s in statements) - barriers} more"


def dead_statements(shader: Shader) -> Iterator[tuple[int, Path]]:
    """What stands behind a statement that never goes on, but for the `continue` that must end a loop's body."""
    B = BehaviourAnalysis()
    for i, f in enumerate(shader.all_functions):
        fixed = {place.path for place in places(f.body) if place.fixed}
        for path in paths(f.body):
            before = block_at(f.body, path)[: path[-1]]
            if path not in fixed and any(not NEXT & B.statement(s) for s in before):
                yield i, path


def without(shader: Shader, i: int, path: Path) -> Shader:
    f = shader.all_functions[i]
    return renumbered(trimmed(with_body(shader, i, spliced(f.body, path, 1, ()))))


@given(shaders(JUMPY), st.sampled_from([continues_beyond_barriers, verdict_and_barriers]))
def test_no_dead_statement_is_left_that_can_be_spared(shader: Shader, shows: Callable[[Shader], Hashable]) -> None:
    wanted = shows(shader)
    if not wanted:
        return
    least = reduce(shader, shows, wanted=wanted).shader
    for i, path in dead_statements(least):
        spared = without(least, i, path)
        assert violations(spared, main_may_return=True) or shows(spared) != wanted, print_shader(least)
    if count_statements(least) <= PAIRS_UP_TO:
        assert is_one_minimal(least, shows, wanted=wanted), print_shader(least)


def in_main(body: str) -> Shader:
    return parse(f"@compute @workgroup_size(2)\nfn main(@builtin(local_invocation_index) lid: u32) {{ {body} }}")


def test_what_a_barrier_shows_is_not_taken_for_what_a_continue_does() -> None:
    """The two have one hash, and a shader with the one was refused for what it shows with the other."""
    shader = in_main("loop { break; workgroupBarrier(); continue; continue; continue; } workgroupBarrier();")
    reduction = reduce(shader, continues_beyond_barriers, wanted="1 more")
    assert reduction.shader == in_main("loop { break; continue; continue; } workgroupBarrier();")


@given(shaders(JUMPY))
def test_code_that_never_runs_is_the_first_to_go(shader: Shader) -> None:
    first = next(variants(shader))
    if any(dead_statements(shader)):
        assert not any(dead_statements(first))
        assert violations(renumbered(trimmed(first)), main_may_return=True) == []
        assert analyse(first).verdict is analyse(shader).verdict


@given(shaders(SMALL))
def test_no_shader_is_asked_about_twice_and_each_is_well_formed(shader: Shader) -> None:
    asked: list[Shader] = []

    def interesting(candidate: Shader) -> bool:
        asked.append(candidate)
        return count_statements(candidate) % 3 != 0

    reduction = reduce(shader, interesting)
    assert len(set(asked[:-1])) == len(asked[:-1])  # the last one may be the renamed shader
    assert all(violations(candidate, main_may_return=True) == [] for candidate in asked)
    assert reduction.asked == len(asked)


@given(shaders(SMALL))
def test_it_never_drifts_and_notes_the_smallest_of_what_else_it_met(shader: Shader) -> None:
    met: dict[Hashable, list[Shader]] = {}

    def interesting(candidate: Shader) -> Hashable:
        met.setdefault(verdict_and_barriers(candidate), []).append(candidate)
        return verdict_and_barriers(candidate)

    wanted = verdict_and_barriers(shader)
    reduction = reduce(shader, interesting, wanted=wanted)
    assert verdict_and_barriers(reduction.shader) == wanted
    met.pop(wanted, None)
    assert {key: size(s) for key, s in reduction.noted.items()} == {k: min(map(size, ss)) for k, ss in met.items()}


@given(shaders(SMALL))
def test_the_nearest_does_not_show_it_and_differs_in_the_lines_said(shader: Shader) -> None:
    if analyse(shader).verdict is Verdict.ACCEPTS:
        return

    def rejected(candidate: Shader) -> bool:
        return analyse(candidate).verdict is Verdict.REJECTS

    reduction = reduce(shader, rejected)
    nearest = reduction.nearest
    assert nearest is not None
    assert not rejected(nearest)
    assert size(nearest) < size(reduction.shader)
    assert reduction.differs
    assert violations(nearest, main_may_return=True) == []


def test_the_nearest_in_words() -> None:
    text = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (lid == 0u) {
    workgroupBarrier();
  }
}
"""
    reduction = reduce(parse(text), lambda s: analyse(s).verdict is Verdict.REJECTS)
    assert print_shader(reduction.shader) == text
    assert reduction.differs == ("with `if (false) {` instead of `if (lid == 0u) {` on line 3",)
