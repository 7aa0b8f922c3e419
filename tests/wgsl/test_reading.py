"""Where lowered statements stand in the text, and spelling that makes no difference."""

import re
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.wgsl.reading import parse
from wgsl_fuzz.strategies import shaders
from wgsl_fuzz.tinywgsl import ast as core
from wgsl_fuzz.wgsl.lower.module import lower
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.parser import parse as parse_wgsl
from wgsl_fuzz.wgsl.problems import Source
from wgsl_fuzz.wgsl.resolve import resolve

# ------------------------------------------------------------------------------------------------------ positions


def test_positions_of_what_stands_in_the_text_and_of_what_does_not() -> None:
    text = """fn g() { }
@compute @workgroup_size(1) fn main() {
  var x = 1u; /* a
  comment */ g();
  while x == 1u {
    x++;
  }
  if x == 2u { } else if x == 3u { g(); }
}
"""
    lowered, source = lower(resolve(parse_wgsl(text))), Source(text)
    assert lowered.shader == parse(text)
    found = [source.position(lowered.starts[id(s)]) for f in lowered.shader.all_functions for s in core.walk(f.body)]
    assert found == [
        (1, 10),  # the `return 0u` of g stands at its closing brace
        (3, 3),
        (4, 14),
        (5, 3),  # while
        (5, 3),  # its if
        (5, 3),  # its break
        (6, 5),
        (7, 3),  # its continue, which goes without saying
        (8, 3),
        (8, 23),
        (8, 36),
    ]


def shared_statements(shader: core.Shader) -> bool:
    seen = [id(s) for f in shader.all_functions for s in core.walk(f.body)]
    return len(seen) != len(set(seen))


@given(shaders())
def test_every_statement_is_an_object_of_its_own_and_stands_within_its_parent(shader: core.Shader) -> None:
    lowered = lower(resolve(parse_wgsl(print_shader(shader))))
    assert not shared_statements(lowered.shader)
    for f in lowered.shader.all_functions:
        for s in core.walk(f.body):
            for inner in core.blocks_of(s):
                for child in inner:
                    assert lowered.starts[id(child)] >= lowered.starts[id(s)]


@given(shaders(), st.randoms(use_true_random=False))
def test_declarations_may_stand_in_any_order(shader: core.Shader, random: Random) -> None:
    text = print_shader(shader)
    parts = re.findall(r"(?ms)^(?:@group|var<).*?;$|^(?:fn |@compute).*?^\}", text)
    assert len(parts) == len(shader.arrays) + len(shader.all_functions)
    random.shuffle(parts)
    shuffled = parse("\n".join(parts))
    assert {a.name: a for a in shuffled.arrays} == {a.name: a for a in shader.arrays}
    assert {f.name: f.params for f in shuffled.functions} == {f.name: f.params for f in shader.functions}
    declared: set[str] = set()
    for f in shuffled.all_functions:
        assert all(s.function in declared for s in core.walk(f.body) if isinstance(s, core.Call))
        declared.add(f.name)
