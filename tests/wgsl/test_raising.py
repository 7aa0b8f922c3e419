"""Raising gives the tree and the names that parsing and resolving the printed text give."""

from collections.abc import Mapping

import pytest

from tests.wgsl.reading import parse as parse_tiny
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.enumerate.families import FAMILIES
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.wgsl.lower.module import lower
from wgsl_fuzz.wgsl.lower.raising import print_shader, raised
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Identifier
from wgsl_fuzz.wgsl.walk import descendants

EXTREMES = """var<workgroup> w: array<bool, 2>;
@group(0) @binding(0) var<storage, read_write> s: array<i32>;
@group(0) @binding(1) var<storage, read_write> t: array<u32, 4>;

fn f(p_in: i32, q: bool) -> i32 {
  var p: i32 = p_in;
  var a: bool;
  a = (q && w[0i]) || !a;
  p = -i32(-2147483648);
  s[p] = -5i;
  s[0u] = -(5i);
  return p;
}

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: i32;
  x = f(i32(lid), (x < 1i));
  loop {
    if (true) {
      break;
    } else {
      if (bool(t[lid])) {
        return;
      }
    }
    continue;
    continuing {
      if (false) {
        x = s[1u];
      }
      break if x == 3i;
    }
  }
  workgroupBarrier();
}
"""


def _facts(resolution: Resolution) -> Mapping[str, object]:
    """What the names in a module mean, and where its effects stand; nodes are numbered in order."""
    nodes = [*descendants(resolution.module)]
    number = {id(node): i for i, node in enumerate(nodes)}
    assert len(number) == len(nodes), "a node stands in the tree twice"
    named = [(n, resolution.declaration(n)) for n in nodes if isinstance(n, Identifier)]
    return {
        "uses": {number[id(n)]: number[id(d)] for n, d in named if d is not None},
        "functions": [(number[id(f)], [number[id(g)] for g in resolution.callees(f)]) for f in resolution.functions],
        "stages": [(resolution.entry_stage(f), resolution.stages(f)) for f in resolution.functions],
        "extents": {
            number[f]: [(number[node], start, end) for node, start, end in extents]
            for f, extents in resolution.extents.items()
        },
        "effects": sorted(number[id(e)] for e in resolution.effects),
    }


def _is_as_parsed(shader: core.Shader) -> None:
    found, parsed = raised(shader), parse(print_shader(shader))
    assert found.module == parsed
    assert _facts(found) == _facts(resolve(parsed))
    assert lower(found).shader == shader


def test_drawn_shaders_are_raised_as_their_text_is_parsed() -> None:
    for seed in range(60):
        _is_as_parsed(draw_shader(seed))


def test_every_construct_and_the_extreme_literals_are_raised() -> None:
    shader = parse_tiny(EXTREMES)
    assert print_shader(shader) == EXTREMES
    _is_as_parsed(shader)


def test_an_assigned_parameter_is_copied_under_a_free_name() -> None:
    p, taken = core.Variable("p", core.Type.U32), core.Variable("p_in", core.Type.U32)
    f = core.Function("f", (p,), (taken,), (core.Assign("p", core.Local("p_in", core.Type.U32)),), core.Type.U32)
    text = print_shader(core.Shader((), (f,), core.Function("main", (), (), (), None), 2))
    assert "fn f(p_in1: u32) -> u32 {\n  var p: u32 = p_in1;\n" in text


@pytest.mark.parametrize("family", FAMILIES)
def test_enumerated_shaders_share_blocks_and_no_node(family: str) -> None:
    shaders = FAMILIES[family].up_to(3)
    for i in range(0, shaders.count, max(shaders.count // 50, 1)):
        _is_as_parsed(shaders.nth(i))
