"""Constraints: the universal ones hold by construction, the others can be had and can be missed."""

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tinywgsl.shapes import shape
from tests.wgsl.reading import parse
from wgsl_fuzz.strategies import RACE_FREE, draw_shader, shaders
from wgsl_fuzz.strategies.choices.constraints import CONSTRAINTS, UNIVERSAL
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.tinywgsl.ast import Assign, Block, Function, If, Literal, Loop, Shader, Stmt, Type
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.spelling import NONE, spell

MAIN = "@compute @workgroup_size(2)\nfn main(@builtin(local_invocation_index) lid: u32) {\n"
HAVE = {
    "some-barrier": "workgroupBarrier();",
    "no-unused-locals": "var x: u32; x = 1u;",
    "non-final-barrier": "workgroupBarrier(); workgroupBarrier();",
    "barrier-in-loop": "loop { workgroupBarrier(); continuing { break if true; } }",
    "barrier-under-condition": "if (true) { workgroupBarrier(); }",
    "loop-that-only-returns": "loop { if (lid == 0u) { return; } else { return; } }",
    "return-in-loop": "loop { if (true) { return; } continuing { break if true; } }",
    "nested-loops": "loop { loop { break; } break; }",
    "break-if": "loop { continuing { break if true; } }",
    "continue-in-body": "loop { if (true) { continue; } break; }",
    "unreachable-continuing": "loop { break; continuing { workgroupBarrier(); } }",
    "main-returns": "return;",
    "main-without-return": "workgroupBarrier();",
}
LACK = {
    "some-barrier": "",
    "no-unused-locals": "var x: u32;",
    "non-final-barrier": "if (true) { } workgroupBarrier();",
    "barrier-in-loop": "loop { break; } workgroupBarrier();",
    "barrier-under-condition": "if (true) { } workgroupBarrier();",
    "loop-that-only-returns": "loop { if (lid == 0u) { return; } else { break; } }",
    "return-in-loop": "loop { break; } return;",
    "nested-loops": "loop { break; } loop { break; }",
    "break-if": "loop { if (true) { break; } }",
    "continue-in-body": "loop { loop { break; } break; }",
    "unreachable-continuing": "loop { if (true) { break; } continuing { workgroupBarrier(); } }",
    "main-returns": "workgroupBarrier();",
    "main-without-return": "if (true) { return; }",
}


@cache
def some_shaders() -> list[Shader]:
    return [draw_shader(seed) for seed in range(2000)]


@given(shaders() | shaders(RACE_FREE))
def test_swarming_profiles_have_the_universal_ones_by_construction(shader: Shader) -> None:
    assert [c.name for c in UNIVERSAL if not c.holds(shader)] == []


def test_the_universal_ones_hold_for_many() -> None:
    for seed, shader in enumerate(some_shaders()[:1000]):
        assert [c.name for c in UNIVERSAL if not c.holds(shader)] == [], seed


@pytest.mark.parametrize("name", [c.name for c in CONSTRAINTS.values() if not c.universal])
def test_drawing_again_soon_gives_the_others(name: str) -> None:
    holds = CONSTRAINTS[name].holds
    had = sum(map(holds, some_shaders()[:600]))
    assert 600 / 50 < had < 600


@pytest.mark.parametrize("name", HAVE)
def test_what_has_it_and_what_lacks_it(name: str) -> None:
    assert CONSTRAINTS[name].holds(parse(MAIN + HAVE[name] + "}"))
    assert not CONSTRAINTS[name].holds(parse(MAIN + LACK[name] + "}"))


def test_uncalled_functions_are_found() -> None:
    call = "fn f() -> u32 { return 1u; }\n" + MAIN + "var x: u32; x = f(); }"
    assert CONSTRAINTS["no-uncalled-functions"].holds(parse(call))
    assert not CONSTRAINTS["no-uncalled-functions"].holds(parse(call.replace("x = f()", "x = 1u")))


def test_names_and_sentences() -> None:
    assert all(name == c.name and c.sentence for name, c in CONSTRAINTS.items())
    assert {"some-barrier", "no-unused-locals", "no-uncalled-functions"} <= {c.name for c in UNIVERSAL}


# ---------------------------------------------------------------------------------------------------------- shapes


@given(shaders(), st.integers(0, 2**64))
def test_names_do_not_change_a_shape(shader: Shader, seed: int) -> None:
    text = spell(shader, RandomSource(seed), replace(NONE, names=True))
    assert shape(parse(text)) == shape(parse(print_shader(shader)))


@given(shaders())
def test_the_values_of_literals_do_not_change_a_shape(shader: Shader) -> None:
    assert shape(shader.with_functions([*shader.functions, _with_ones(shader)])) == shape(shader)


def _with_ones(shader: Shader) -> Function:
    def block(ss: Block) -> Block:
        return tuple([statement(s) for s in ss])

    def statement(s: Stmt) -> Stmt:
        match s:
            case Assign(x, Literal(_, type)):
                return Assign(x, Literal(type is not Type.BOOL, type))
            case If(e, then, orelse):
                return If(e, block(then), block(orelse))
            case Loop(id, body, continuing):
                return Loop(id, block(body), block(continuing))
            case _:
                return s

    return replace(shader.main, body=block(shader.main.body))


def test_different_shaders_have_different_shapes() -> None:
    assert len({shape(shader) for shader in some_shaders()}) > 1960
    x_y = parse(MAIN + "var x: u32; var y: u32; x = y; y = 1u; }")
    y_x = parse(MAIN + "var x: u32; var y: u32; y = x; y = 1u; }")
    assert shape(x_y) != shape(y_x)
