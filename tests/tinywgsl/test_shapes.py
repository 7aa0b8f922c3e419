"""Shapes: what is left of a shader without its names and the values of its literals."""

import re
from dataclasses import replace

from hypothesis import given

from tests.tinywgsl.shapes import shape
from tests.wgsl.reading import parse
from wgsl_fuzz.strategies import draw_shader, shaders
from wgsl_fuzz.tinywgsl.ast import Assign, Block, Function, If, Literal, Loop, Shader, Stmt, Type
from wgsl_fuzz.wgsl.lower.raising import print_shader

MAIN = "@compute @workgroup_size(2)\nfn main(@builtin(local_invocation_index) lid: u32) {\n"


@given(shaders())
def test_names_do_not_change_a_shape(shader: Shader) -> None:
    text = print_shader(shader)
    for i, v in enumerate(v for f in shader.all_functions for v in (*f.params, *f.locals)):
        text = re.sub(rf"\b{v.name}\b", f"other_{i}", text)
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
    assert len({shape(draw_shader(seed)) for seed in range(500)}) > 485
    x_y = parse(MAIN + "var x: u32; var y: u32; x = y; y = 1u; }")
    y_x = parse(MAIN + "var x: u32; var y: u32; y = x; y = 1u; }")
    assert shape(x_y) != shape(y_x)
