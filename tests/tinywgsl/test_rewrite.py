"""Rewriting: every place and every expression is found, and what is put there is there."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given

from wgsl_fuzz.strategies import SMALL, shaders
from wgsl_fuzz.strategies.generate.shaders import draw_shader
from wgsl_fuzz.tinywgsl.ast import (
    Barrier,
    Binary,
    Block,
    Break,
    Call,
    Continue,
    Lid,
    Literal,
    Local,
    Loop,
    Return,
    Shader,
    Stmt,
    Type,
    blocks_of,
    count_statements,
    expressions_in,
    expressions_of,
    is_break_if,
    renumbered,
    walk,
    walk_expr,
)
from wgsl_fuzz.tinywgsl.rewrite import (
    block_at,
    checked,
    edited,
    edited_inside,
    mapped,
    names_of,
    occurrences,
    paths,
    places,
    rewritten,
    sites,
    spliced,
    with_blocks,
    with_body,
    with_expression_at,
    with_expressions,
    with_local,
    with_mapped_expressions,
    with_names,
    with_spliced_site,
)
from wgsl_fuzz.tinywgsl.wellformed import violations

MARK = Barrier(-1)


def bodies(shader: Shader) -> list[Block]:
    return [f.body for f in shader.all_functions]


def test_places_of_a_loop() -> None:
    """The continue at the end, and the break if, are fixed; nothing may stand behind or inside them."""
    break_if = Loop(1, (Barrier(2), Continue(3)), (draw_break_if(),))
    found = [(place.path, place.statement, place.in_loop, place.fixed) for place in places((break_if,))]
    assert found == [
        ((0,), break_if, False, False),
        ((0, 0, 0), Barrier(2), True, False),
        ((0, 0, 1), Continue(3), True, True),
        ((0, 1, 0), draw_break_if(), False, True),
        ((1,), None, False, False),
    ]
    assert [place.may_return for place in places((break_if,))] == [True, True, True, False, True]
    assert [place.nesting for place in places((break_if,))] == [0, 1, 1, 1, 0]


def draw_break_if() -> Stmt:
    (loop,) = (s for s in walk(draw_loop_with_break_if().main.body) if isinstance(s, Loop))
    return loop.continuing[-1]


def draw_loop_with_break_if() -> Shader:
    for seed in range(1000):
        shader = draw_shader(seed, SMALL)
        loops = [s for s in walk(shader.main.body) if isinstance(s, Loop)]
        if len(loops) == 1 and loops[0].continuing and is_break_if(loops[0].continuing[-1]):
            return shader
    raise AssertionError("the generator draws no break if any more")


@given(shaders())
def test_places_are_all_statements_but_those_inside_a_break_if(shader: Shader) -> None:
    for body in bodies(shader):
        hidden = {
            id(s.continuing[-1])
            for s in walk(body)
            if isinstance(s, Loop) and s.continuing and is_break_if(s.continuing[-1])
        }
        breaks = sum(1 for s in walk(body) if id(s) in hidden)
        found = [place for place in places(body) if place.statement is not None]
        assert len(found) == sum(1 for _ in walk(body)) - breaks
        assert all(block_at(body, place.path)[place.path[-1]] is place.statement for place in found)


@given(shaders())
def test_a_barrier_may_stand_at_every_place(shader: Shader) -> None:
    for i, body in enumerate(bodies(shader)):
        for place in places(body):
            marked = spliced(body, place.path, 0, (MARK,))
            assert block_at(marked, place.path)[place.path[-1]] is MARK
            assert sum(1 for _ in walk(marked)) == sum(1 for _ in walk(body)) + 1
            assert spliced(marked, place.path, 1, ()) == body
        assert checked(shader, with_body(shader, i, marked)) is not None


@given(shaders())
def test_jumps_may_stand_where_places_say_so(shader: Shader) -> None:
    """And only there. (A jump may cut a loop or a function off its end: that is not a matter of places.)"""
    misplaced = ("outside a loop", "leaves a continuing", "in a continuing")
    for i, f in enumerate(shader.all_functions):
        value = None if f.result is None else Literal(False if f.result is Type.BOOL else 0, f.result)
        for place in places(f.body):
            for jump, legal in (
                (Break(), place.in_loop),
                (Continue(-1), place.in_loop),
                (Return(value), place.may_return),
            ):
                jumping = with_body(shader, i, spliced(f.body, place.path, 0, (jump,)))
                found = [v for v in violations(jumping, main_may_return=True) if v.message.endswith(misplaced)]
                assert (not found) == legal


@given(shaders(SMALL))
def test_every_expression_is_found_and_replaced(shader: Shader) -> None:
    for body in bodies(shader):
        for s in walk(body):
            found = list(occurrences(s))
            assert [e for _, e in found] == list(expressions_in((with_blocks(s, [() for _ in blocks_of(s)]),)))
            for path, e in found:
                assert with_expression_at(s, path, e) == s
                swapped = dict(occurrences(with_expression_at(s, path, Lid())))
                assert swapped[path] == Lid()


@given(shaders(SMALL))
def test_rewriting_with_itself_changes_nothing(shader: Shader) -> None:
    for body in bodies(shader):
        assert rewritten(body, lambda s: (with_expressions(s, expressions_of(s)),)) == body
        assert with_names(body, {}) == body


def test_mapped_replaces_the_outermost() -> None:
    e = Binary("+", Lid(), Literal(1, Type.U32))
    assert mapped(e, lambda e: Lid() if isinstance(e, Binary) else None) == Lid()
    assert mapped(e, lambda e: Literal(2, Type.U32) if isinstance(e, Lid) else None) == Binary(
        "+", Literal(2, Type.U32), Literal(1, Type.U32)
    )


@given(shaders(SMALL))
def test_renaming_there_and_back(shader: Shader) -> None:
    for f in shader.all_functions:
        names = {v.name: f"{v.name}_new" for v in (*f.params, *f.locals)}
        back = {new: old for old, new in names.items()}
        there = with_names(f.body, names)
        targets = [s.name for s in walk(there) if isinstance(s, Call)]
        assert all(name in back for name in targets)
        assert with_names(there, back) == f.body


@given(shaders(SMALL))
def test_every_use_of_a_name_is_renamed(shader: Shader) -> None:
    names = {name: f"{name}_new" for name in names_of(shader)}
    for body in bodies(shader):
        there = with_names(body, names)
        fields = [
            (getattr(x, "name", "_new"), getattr(x, "array", "_new"), getattr(x, "function", "_new"))
            for x in (*walk(there), *expressions_in(there))
        ]
        assert all(name.endswith("_new") for used in fields for name in used)
        assert with_names(there, {new: old for old, new in names.items()}) == body


@given(shaders(SMALL))
def test_paths_lead_to_every_statement_in_the_order_of_walk(shader: Shader) -> None:
    for body in bodies(shader):
        found = [block_at(body, path)[path[-1]] for path in paths(body)]
        assert [id(s) for s in found] == [id(s) for s in walk(body)]


@given(shaders(SMALL))
def test_one_block_is_edited_at_a_time(shader: Shader) -> None:
    for body in bodies(shader):
        for s in walk(body):
            found = [ss[0] for ss in edited_inside((s,), 0, lambda block: iter([(MARK, *block), ()]))]
            assert len(found) == 2 * len(blocks_of(s))
            for k, new in enumerate(found):
                expected = list(blocks_of(s))
                expected[k // 2] = () if k % 2 else (MARK, *expected[k // 2])
                assert blocks_of(new) == tuple(expected)
                assert expressions_of(new) == expressions_of(s)


@given(shaders(SMALL))
def test_every_statement_is_edited_where_it_stands(shader: Shader) -> None:
    """Outer statements before inner ones: `edited` goes the way of `paths`."""

    def cut(ss: Block, i: int) -> Iterator[Block]:
        yield (*ss[:i], *ss[i + 1 :])

    for body in bodies(shader):
        assert list(edited(body, cut)) == [spliced(body, path, 1, ()) for path in paths(body)]


@given(shaders(SMALL))
def test_a_site_is_a_place_of_its_function(shader: Shader) -> None:
    for site in sites(shader):
        body = shader.all_functions[site.function].body
        assert site.place in places(body)
        marked = with_spliced_site(shader, site, 0, MARK)
        assert marked == with_body(shader, site.function, spliced(body, site.place.path, 0, (MARK,)))


@given(shaders(SMALL))
def test_what_no_change_is_asked_of_stays_the_same_object(shader: Shader) -> None:
    for body in bodies(shader):
        assert all(with_mapped_expressions(s, lambda _: None) is s for s in walk(body))


@given(shaders(SMALL))
def test_a_local_is_replaced_wherever_it_is_read(shader: Shader) -> None:
    for body in bodies(shader):
        for e in expressions_in(body):
            for name in {inner.name for inner in walk_expr(e) if isinstance(inner, Local)}:
                reads = sum(isinstance(inner, Local) and inner.name == name for inner in walk_expr(e))
                new = with_local(e, name, Local("new", Type.U32))
                assert sum(inner == Local("new", Type.U32) for inner in walk_expr(new)) == reads
                assert name not in {inner.name for inner in walk_expr(new) if isinstance(inner, Local)}


def test_names_of_a_shader() -> None:
    shader = draw_shader(3)
    assert names_of(shader) >= {"lid", "main"} | {a.name for a in shader.arrays} | {f.name for f in shader.functions}


@pytest.mark.parametrize(
    "wrong", [(Break(),), (Barrier(1), Continue(1)), (Return(Lid()),)], ids=["break", "continue", "type"]
)
def test_checked_refuses_what_is_not_well_formed(wrong: Block) -> None:
    shader = draw_shader(0)
    for i, f in enumerate(shader.all_functions):
        if f.result is not Type.U32:
            assert checked(shader, with_body(shader, i, (*wrong, *f.body))) is None


@given(shaders())
def test_checked_says_what_violations_say(shader: Shader) -> None:
    """Also when a statement disappears, which is not always well-formed."""
    for i, f in enumerate(shader.all_functions):
        for place in places(f.body)[:8]:
            if place.statement is not None:
                shorter = with_body(shader, i, spliced(f.body, place.path, 1, ()))
                well_formed = not violations(renumbered(shorter), main_may_return=True)
                new = checked(shader, shorter)
                assert (new is not None) == well_formed
                assert new is None or (renumbered(new) == new and count_statements(new) < count_statements(shader))


def test_checked_looks_at_no_function_that_both_share() -> None:
    """The contract that makes it cheap: `before` is well-formed."""
    shader = draw_shader(0)
    broken = with_body(shader, len(shader.functions), (Break(),))
    assert checked(broken, broken) is not None
    assert checked(shader, replace(broken, main=replace(broken.main))) is None
