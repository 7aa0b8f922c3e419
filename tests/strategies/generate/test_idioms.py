"""Idioms: well-formed in place, of the shape they promise, and shown by the surface forms they are there for."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wgsl_fuzz.strategies.generate.statements
from tests.tinywgsl.wellformed import violations
from tests.wgsl.reading import parse
from wgsl_fuzz.strategies import DEFAULT, draw_shader
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.generate.simple import SimpleDrawer
from wgsl_fuzz.tinywgsl.ast import (
    Assign,
    Binary,
    Block,
    Call,
    Continue,
    Function,
    If,
    Literal,
    Local,
    Loop,
    Return,
    Shader,
    SharedAssign,
    SharedRead,
    Stmt,
    Type,
    blocks_of,
    expressions_of,
    is_break_if,
    walk,
    walk_expr,
)
from wgsl_fuzz.wgsl.spelling import NONE, draw_spelling

BASE = replace(DEFAULT, swarm=False, statements=(8, 30), owes_barrier=False, counters_in_body=0)
"""What a counter asks in a body comes anywhere, also between the statements of an idiom."""
RATES = ("headed_loops", "scratches", "updates", "nested_calls", "without_result", "else_ifs")
SEEDS = st.integers(0, 2**64)


def shaders(**rates: Any) -> st.SearchStrategy[Shader]:
    profile = replace(BASE, **rates)
    return SEEDS.map(lambda seed: draw_shader(seed, profile))


def blocks(f: Function) -> Iterator[Block]:
    """All blocks of a function."""
    yield f.body
    for s in walk(f.body):
        yield from blocks_of(s)


def reads(s: Stmt) -> list[str]:
    """The locals that a statement itself reads, one for each read."""
    return [e.name for whole in expressions_of(s) for e in walk_expr(whole) if isinstance(e, Local)]


def reads_in(ss: Block) -> list[str]:
    return [name for s in walk(ss) for name in reads(s)]


def writes_in(ss: Block) -> list[str]:
    return [s.name for s in walk(ss) if isinstance(s, (Assign, Call))]


@given(SEEDS, st.sets(st.sampled_from(RATES), min_size=1), st.sampled_from([20, 60, 100]))
def test_shaders_with_any_idioms_are_well_formed(seed: int, names: set[str], rate: int) -> None:
    rates: dict[str, Any] = dict.fromkeys(names, rate)
    shader = draw_shader(seed, replace(BASE, **rates))
    assert violations(shader, main_may_return=True) == []


@given(shaders(headed_loops=100))
def test_a_headed_loop_is_left_at_its_head(shader: Shader) -> None:
    for f in shader.all_functions:
        for s in walk(f.body):
            if isinstance(s, Loop):
                assert is_break_if(s.body[0])
                assert isinstance(s.body[-1], Continue)
                assert len(s.continuing) <= 1


def is_step(s: Stmt) -> bool:
    return isinstance(s, Assign) and s.value in [
        Binary(op, Local(s.name, Type.U32), Literal(1, Type.U32)) for op in ("+", "-")
    ]


@given(shaders(headed_loops=100, continuings=0))
def test_the_counter_of_a_headed_loop_is_its_own(shader: Shader) -> None:
    """Set right before the loop and changed by its step alone: so the loop ends unless its bound runs away."""
    for f in shader.all_functions:
        for ss in blocks(f):
            for before, s in pairwise(ss):
                if not isinstance(s, Loop) or not s.continuing:
                    continue
                (step,) = s.continuing
                assert isinstance(step, Assign)
                assert is_step(step)
                assert isinstance(before, Assign)
                assert isinstance(before.value, Literal)
                assert before.name == step.name
                assert step.name in reads(s.body[0])
                assert writes_in(f.body).count(step.name) == 2
                assert reads_in(f.body).count(step.name) == reads_in((s,)).count(step.name)


@contextmanager
def recorded(home: ModuleType | type, idiom: str) -> Iterator[list[Block]]:
    """What an idiom gives meanwhile, with what it puts before."""
    found: list[Block] = []
    draw = getattr(home, idiom)

    def recording(drawer: Any, *arguments: Any) -> Any:
        assert drawer.before == []
        s = draw(drawer, *arguments)
        if s is not None:
            found.append((*drawer.before, s))
        return s

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(home, idiom, recording)
        yield found


def placed(shader: Shader, part: Block) -> Function:
    """The function in which these statements stand, one after the other."""
    (f,) = [f for f in shader.all_functions if any(s is part[0] for s in walk(f.body))]
    (ss,) = [ss for ss in blocks(f) if any(s is part[0] for s in ss)]
    (i,) = [i for i, s in enumerate(ss) if s is part[0]]
    assert [id(s) for s in ss[i : i + len(part)]] == [id(s) for s in part]
    return f


@given(SEEDS)
def test_a_scratch_starts_anew_in_each_round(seed: int) -> None:
    """It is set to zero first of all, and nothing else reads or writes it: a round never sees another's value."""
    with recorded(wgsl_fuzz.strategies.generate.statements, "scratch") as found:
        shader = draw_shader(seed, replace(BASE, scratches=100))
    for part in found:
        f, reset = placed(shader, part), part[0]
        assert isinstance(reset, Assign)
        assert reset.value in (Literal(0, Type.U32), Literal(0, Type.I32), Literal(False, Type.BOOL))
        assert reads_in(part).count(reset.name) == reads_in(f.body).count(reset.name) > 0
        assert writes_in(part).count(reset.name) == writes_in(f.body).count(reset.name)
        assert any(s is reset for loop in walk(f.body) if isinstance(loop, Loop) for s in walk(loop.body))


@given(shaders(updates=100, carriers=0, counters=0))
def test_an_update_reads_what_it_writes_first(shader: Shader) -> None:
    """Of all variables and arrays but those of bools."""
    bools = {v.name for f in shader.all_functions for v in (*f.locals, *f.params) if v.type is Type.BOOL}
    bools |= {a.name for a in shader.arrays if a.type is Type.BOOL}
    for f in shader.all_functions:
        for s in walk(f.body):
            match s:
                case Assign(name, value) if name not in bools:
                    assert isinstance(value, Binary)
                    assert isinstance(value.left, Local)
                    assert value.left.name == name
                case SharedAssign(array, index, value) if array not in bools:
                    assert isinstance(value, Binary)
                    assert isinstance(value.left, SharedRead)
                    assert (value.left.array, value.left.index) == (array, index)


@given(SEEDS)
def test_only_the_next_statement_reads_the_result_of_a_nested_call(seed: int) -> None:
    with recorded(SimpleDrawer, "nested_call") as found:
        shader = draw_shader(seed, replace(BASE, nested_calls=100, functions=(1, 3)))
    for part in found:
        f, (call, reader) = placed(shader, part), part
        assert isinstance(call, Call)
        assert reads_in(f.body).count(call.name) == reads(reader).count(call.name) == 1
        assert writes_in(f.body).count(call.name) == 1


@given(shaders(without_result=100, nested_calls=50, functions=(1, 3)))
def test_nothing_reads_the_result_of_a_function_without_one(shader: Shader) -> None:
    nothing = Literal(0, Type.U32)
    for f in shader.functions:
        assert all(s.value == nothing for s in walk(f.body) if isinstance(s, Return))
    for f in shader.all_functions:
        read = reads_in(f.body)
        assert not any(s.name in read for s in walk(f.body) if isinstance(s, Call))


@pytest.mark.parametrize(
    ("rate", "features", "form"),
    [
        ("headed_loops", ("loops",), "while"),
        ("headed_loops", ("loops", "declarations"), "fused var in a for"),
        ("scratches", ("declarations",), "zeroed var in a loop"),
        ("updates", ("updates",), "decrement"),
        ("updates", ("updates",), "compound assignment of an element"),
        ("without_result", ("discards", "jumps"), "implicit return"),
        ("nested_calls", ("calls",), "nested call"),
        ("else_ifs", ("branches",), "else if"),
    ],
)
def test_an_idiom_shows_the_form_it_is_there_for(rate: str, features: tuple[str, ...], form: str) -> None:
    """More than twice as often as without it, and the text is read back as a well-formed shader."""
    allowed = replace(NONE, **dict.fromkeys(features, True))

    def shown(percent: int) -> int:
        count = 0
        rates: dict[str, Any] = {rate: percent}
        for seed in range(300):
            shader = draw_shader(seed, replace(BASE, **rates))
            spelling = draw_spelling(shader, RandomSource(seed), allowed)
            if percent and form in spelling.forms:
                assert violations(parse(spelling.text), main_may_return=True) == []
            count += form in spelling.forms
        return count

    assert shown(100) > max(10, 2 * shown(0))


def test_an_else_if_is_all_there_is_in_its_branch() -> None:
    chains = 0
    for seed in range(100):
        shader = draw_shader(seed, replace(BASE, else_ifs=100, elses=100))
        found = [s for f in shader.all_functions for s in walk(f.body) if isinstance(s, If) and s.orelse]
        chains += sum(len(s.orelse) == 1 and isinstance(s.orelse[0], If) for s in found)
    assert chains > 50
