"""The types of expressions are those that the generator meant, and those that current Tint sees."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.wgsl.current_tint import refused_by_tint
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.generate.builtin_families import rows_of_functions, rows_of_textures
from wgsl_fuzz.strategies.generate.drawer import Drawer
from wgsl_fuzz.strategies.generate.modules import draw, draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl import types as t
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import expression_text, print_module
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Block, Call, Expression, Function, Let, Module, Phony, Statement
from wgsl_fuzz.wgsl.walk import descendants

Drawn = dict[int, tuple[Expression, vt.Type]]


@contextmanager
def remembered(monkeypatch: pytest.MonkeyPatch) -> Iterator[Drawn]:
    """What the generator draws for which type, by the identity of the node."""
    found: Drawn = {}
    draw_one = Drawer.expression

    def expression(self: Drawer, type: vt.Type, depth: int | None = None) -> Expression:
        e = draw_one(self, type, depth)
        found[id(e)] = e, type
        return e

    with monkeypatch.context() as patch:
        patch.setattr(Drawer, "expression", expression)
        yield found


def disagreements(seeds: range, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], int, int]:
    """Expressions of another type than they were drawn for; how many are known; how many there are."""
    wrong, known, count = [], 0, 0
    profiles = list(MODULE_PROFILES.values())
    for seed in seeds:
        with remembered(monkeypatch) as drawn:
            module = draw(RandomSource(seed), profiles[seed % len(profiles)])
        resolution = resolve(module)
        types = vt.ValueTypes(resolution)
        for e in descendants(module):
            if id(e) in drawn and drawn[id(e)][0] is e and isinstance(e, Expression):
                count += 1
                found, wanted = types.of(e), drawn[id(e)][1]
                known += found is not None
                if found is not None and vt.joined(found, wanted) != wanted:
                    wrong.append(f"{seed}: {expression_text(e)} is {found}, drawn as {wanted}")
    return wrong, known, count


@pytest.mark.parametrize("modules", [120, pytest.param(5000, marks=pytest.mark.slow)])
def test_types_are_those_that_were_drawn(monkeypatch: pytest.MonkeyPatch, modules: int) -> None:
    wrong, known, count = disagreements(range(modules), monkeypatch)
    assert wrong == []
    assert known / count > 0.99


def test_results_are_those_of_the_rows_of_built_in_functions() -> None:
    rows = [row for row in rows_of_functions() + rows_of_textures() if row.result]
    for row in rows:
        module = parse("".join(f"alias A{i} = {a.type};\n" for i, a in enumerate(row.arguments)))
        types = vt.ValueTypes(resolve(module))
        given = [types.named(d.type) for d in module.declarations]  # type: ignore[union-attr]
        template = vt.type_of(row.template) if row.template else None
        assert vt.result_type(row.function, given, template, row.member) == vt.type_of(row.result), row.name


def test_components_of_results_have_the_type_of_a_component() -> None:
    rows = [row for row in rows_of_functions() + rows_of_textures() if not row.member]
    vectors = [row for row in rows if row.result and isinstance(vt.type_of(row.result), t.Vector)]
    assert {"bitcast", "abs", "select", "textureLoad", "subgroupAdd"} <= {row.function for row in vectors}
    for row in vectors:
        callee = f"{row.function}<{row.template}>" if row.template else row.function
        parameters = ", ".join(f"a{i}: {a.type}" for i, a in enumerate(row.arguments))
        given = ", ".join(f"a{i}" for i, _ in enumerate(row.arguments))
        resolution = resolve(parse(f"enable subgroups; fn f({parameters}) {{ _ = {callee}({given}).x; }}"))
        (phony,) = (n for n in descendants(resolution.module) if isinstance(n, Phony))
        assert vt.ValueTypes(resolution).of(phony.value) in (vt.component(vt.type_of(row.result)), None), row.name


def test_texts_of_types_are_read_as_the_types() -> None:
    texts = (
        *("u32", "vec3<f32>", "mat2x4<f16>", "array<array<u32, 4>, 3>", "array<S>", "S", "atomic<i32>", "sampler"),
        *(
            "ptr<function, u32>",
            "ptr<storage, u32, read>",
            "ptr<storage, array<u32>, read_write>",
            "ptr<uniform, vec4<f32>>",
        ),
        *("texture_2d<u32>", "texture_storage_2d_array<rgba8uint, read_write>", "texture_depth_2d"),
        *("subgroup_matrix_left<f16, 8, 4>", "array<subgroup_matrix_result<u8, 16, 8>, 2>", "atomic<vec2<u32>>"),
        *("texel_buffer<r32uint, read>", "binding_array<texture_2d<f32>, 4>"),
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
bool:  v.x == 1   atomicCompareExchangeWeak(&w, 1, 2).exchanged
f16:  length(vec2h())
i32:  frexp(1f).exp
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
    resolution = resolve(parse(text.replace("SELF", e)))
    (phony,) = (n for n in descendants(resolution.module) if isinstance(n, Phony))
    assert str(vt.ValueTypes(resolution).of(phony.value)) == type


def test_operands_that_do_not_fit_have_no_type() -> None:
    assert vt.joined(t.INT, t.U32) == vt.joined(t.U32, t.INT) == t.U32
    assert vt.joined(t.INT, t.F32) == vt.joined(t.FLOAT, t.F32) == t.F32
    assert vt.joined(t.INT, t.FLOAT) == t.FLOAT
    assert [vt.joined(t.FLOAT, t.U32), vt.joined(t.U32, t.F32), vt.joined(t.INT, t.BOOL), vt.joined(None, t.U32)] == [
        None
    ] * 4
    assert vt.joined(t.Vector(2, t.INT), t.Vector(2, t.U32)) == t.Vector(2, t.U32)
    assert vt.joined(t.Vector(2, t.INT), t.Vector(3, t.U32)) is None


def with_lets(module: Module, count: int) -> str:
    """The module, where each of its first functions begins with a zero of each type that is known in it."""
    types = vt.ValueTypes(resolve(module))
    found = []
    for declaration in module.declarations:
        if isinstance(declaration, Function):
            inner = [vt.pointee(types.of(e)) for e in descendants(declaration.body) if isinstance(e, Expression)]
            zeros = dict.fromkeys(type for type in inner if type is not None and vt.is_constructible(type))
            lets = [
                Let(f"zero_{i}", vt.written(type), Call(vt.written(type), ()))
                for i, type in enumerate([*zeros][:count])
            ]
            declaration = replaced(declaration, tuple(lets))
        found.append(declaration)
    return print_module(Module(module.directives, tuple(found)))


def replaced(f: Function, lets: tuple[Statement, ...]) -> Function:
    body = Block((*lets, *f.body.statements), f.body.attributes)
    return Function(f.name, f.parameters, body, f.result, f.attributes, f.result_attributes)


@pytest.mark.full
def test_current_tint_takes_zeros_of_all_types_that_are_known() -> None:
    texts = [with_lets(draw_module(seed, MODULE_PROFILES["all"]), 20) for seed in range(200)]
    assert sum("zero_3" in text for text in texts) > 100
    assert refused_by_tint(texts) == []
