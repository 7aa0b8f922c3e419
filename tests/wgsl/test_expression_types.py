"""The types of expressions: by hand, and zeros of all that are known, as current Tint sees them."""

from dataclasses import replace

import pytest

from tests.wgsl.current_tint import refused_by_tint
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolve import read, resolve
from wgsl_fuzz.wgsl.syntax import Call, Expression, Function, Let, Module, Phony
from wgsl_fuzz.wgsl.walk import descendants


def test_texts_of_types_are_read_as_the_types() -> None:
    texts = (
        *("u32", "vec3<f32>", "mat2x4<f16>", "array<array<u32, 4>, 3>", "array<S>", "S", "atomic<i32>", "sampler"),
        *("ptr<function, u32>", "ptr<storage, u32, read>", "ptr<storage, array<u32>, read_write>"),
        *("texture_2d<u32>", "texture_storage_2d_array<rgba8uint, read_write>", "texture_depth_2d"),
        *("subgroup_matrix_left<f16, 8, 4>", "array<subgroup_matrix_result<u8, 16, 8>, 2>", "atomic<vec2<u32>>"),
        *("texel_buffer<r32uint, read>", "binding_array<texture_2d<f32>, 4>", "ptr<uniform, vec4<f32>>"),
    )
    for text in texts:
        module = parse(f"enable f16, subgroup_matrix; struct S {{ a: u32 }}\nalias T = {text};")
        type = vt.ValueTypes(resolve(module)).named(module.declarations[1].type)  # type: ignore[union-attr]
        assert str(type) == text


BY_HAND = """
int:  1   max(1, 2)
float:  1 + 1.5   sqrt(1)
u32:  1 + u   max(1, u)   dot(v, v)   array(1u, 2)[0]   abs(v).z   atomicAdd(&w, 1)   workgroupUniformLoad(&w)
vec2<u32>:  vec2(1, u)   (*&v).zy
vec2<float>:  vec2(1, 2.0)
vec3<u32>:  vec3(v.xy, 1u)   v * 2   2 * v   select(v, 2 * v, true)
vec2<f32>:  m * vec3f()   m[1]   modf(vec2f()).whole   bitcast<vec2f>(v.xy)   bitcast<vec3f>(v).zy
vec3<f32>:  vec2f() * m
mat2x2<f32>:  m * transpose(m)   m * mat2x3<f32>()
vec3<bool>:  v == v
bool:  v.x == 1   !(v[0] == 1 && true)   atomicCompareExchangeWeak(&w, 1, 2).exchanged
f16:  length(vec2h())
i32:  frexp(1f).exp   1i << 2u
array<u32, 2>:  array(1u, 2)
f32:  bitcast<vec2f>(v.xy).x   transpose(m)[0].y
ptr<function, vec3<u32>>:  &v
subgroup_matrix_left<f32, 4, 8>:  l   subgroupMatrixScalarAdd(l, 1)   M(1.0)   array(l, l)[0]
subgroup_matrix_result<u32, 2, 8>:  subgroupMatrixMultiply<u32>(l, r)   subgroupMatrixMultiplyAccumulate(l, r, a)
subgroup_matrix_right<i8, 2, 4>:  subgroupMatrixLoad<subgroup_matrix_right<i8, 2, 4>, row_major>(&y, 0, 8)
array<subgroup_matrix_left<f32, 4, 8>, 2>:  array(l, l)
vec4<u32>:  textureLoad(tb, 1)
vec4<f32>:  textureLoad(ba[u], vec2u(), 0)
texture_2d<f32>:  ba[1]
"""
ROWS = [line.split(":  ") for line in BY_HAND.strip().splitlines()]


@pytest.mark.parametrize(("e", "type"), [(e, type) for type, texts in ROWS for e in texts.split("   ")])
def test_types_by_hand(e: str, type: str) -> None:
    text = (
        "enable f16, subgroup_matrix; var<workgroup> w: atomic<u32>; var<workgroup> y: array<i32, 64>;"
        "alias M = subgroup_matrix_left<f32, 4, 8>;"
        "@group(0) @binding(0) var tb: texel_buffer<r32uint, read>;"
        "@group(0) @binding(1) var ba: binding_array<texture_2d<f32>, 4>;"
        "@compute @workgroup_size(1) fn main() { var u = 1u; var v = vec3u(); let m = mat3x2<f32>(); "
        "let l = M(); let r = subgroup_matrix_right<i8, 2, 4>();"
        "let a = subgroup_matrix_result<u32, 2, 8>(); _ = SELF; }"
    )
    resolution = read(text.replace("SELF", e))
    (phony,) = (n for n in descendants(resolution.module) if isinstance(n, Phony))
    assert str(vt.ValueTypes(resolution).of(phony.value)) == type


def with_lets(module: Module, count: int) -> str:
    """The module, where each of its first functions begins with a zero of each type that is known in it."""
    types = vt.ValueTypes(resolve(module))
    found = []
    for declaration in module.declarations:
        if isinstance(declaration, Function):
            inner = [vt.pointee(types.of(e)) for e in descendants(declaration.body) if isinstance(e, Expression)]
            zeros = dict.fromkeys(type for type in inner if type is not None and vt.is_constructible(type))
            written = [vt.written(type) for type in [*zeros][:count]]
            lets = [Let(f"zero_{i}", type, Call(type, ())) for i, type in enumerate(written)]
            body = replace(declaration.body, statements=(*lets, *declaration.body.statements))
            declaration = replace(declaration, body=body)
        found.append(declaration)
    return print_module(Module(module.directives, tuple(found)))


@pytest.mark.full
def test_current_tint_takes_zeros_of_all_types_that_are_known() -> None:
    texts = [with_lets(draw_module(seed, MODULE_PROFILES["all"]), 20) for seed in range(200)]
    assert sum("zero_3" in text for text in texts) > 100
    assert refused_by_tint(texts) == []
