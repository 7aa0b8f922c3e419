"""The core of a module is the shader that it was printed from; where there is none, people are told why."""

import re

import pytest

from wgsl_fuzz.oracle.core import core_of, from_core
from wgsl_fuzz.oracle.rules.analysis import analyse, paper_verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.wgsl.lower.raising import print_shader, raised
from wgsl_fuzz.wgsl.problems import Source
from wgsl_fuzz.wgsl.resolve import read

MAIN = """@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lid: u32) {
  BODY
  workgroupBarrier();
}
"""

NONE = {
    "let x = 1.5;": ("floating point is outside TinyWGSL", 3),
    "loop { }": ("a loop that cannot be left (wgsl)", 3),
    "switch lid { default { } }": ("switch is outside TinyWGSL", 3),
    "_ = f(); }\nfn f() -> u32 { if true { return 1u; }": ("f can reach its end without a return (wgsl)", 0),
}


def test_printed_shaders_are_their_own_core() -> None:
    for seed in range(40):
        shader = draw_shader(seed)
        text = print_shader(shader)
        resolution = read(text)
        core = core_of(resolution)
        assert core.shader == shader, seed
        assert core is core_of(resolution), "worked out once"
        assert paper_verdict(resolution) is analyse(shader).verdict, seed
        source = Source(text)
        lines = {source.position(start)[0] for start in core.starts.values()}
        declared = re.compile(r" *(var|fn|@\w+|\}.*|continuing \{)( .*|\(.*|<.*)?$|$")
        stated = {i for i, line in enumerate(text.splitlines(), 1) if not declared.match(line)}
        assert lines == stated, seed


def test_the_core_that_a_module_is_made_from_is_the_one_that_it_lowers_to() -> None:
    for seed in range(40):
        known, found = core_of(from_core(draw_shader(seed))), core_of(raised(draw_shader(seed)))
        assert (known.shader, known.names) == (found.shader, found.names), seed
        assert set(known.starts.values()) == set(found.starts.values()) == {-1}, seed


@pytest.mark.parametrize("body", NONE)
def test_why_there_is_none(body: str) -> None:
    text = MAIN.replace("BODY", body)
    resolution = read(text)
    core = core_of(resolution)
    assert core.shader is None
    assert (core.why, Source(text).position(core.at)[0]) == NONE[body]
    assert paper_verdict(resolution) is None
