"""Two analyses by different routes: on TinyWGSL, in whatever spelling, section 15.2 and the paper say the same."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tests.quality.paper_mutants import DEPARTURES as MUTANTS
from tests.quality.paper_mutants import departing
from tests.strategies.spelled import spelled
from tests.wgsl.reading import ParseError
from tests.wgsl.reading import parse as parse_tiny
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, WGSL_RULE_SETS, analyse_wgsl, judge_wgsl
from wgsl_fuzz.oracle.rules.uniformity.variants.history import FIGURES
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.enumerate.families import FAMILIES
from wgsl_fuzz.tinywgsl.ast import Assign, Local, Shader
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import read

COUNTS = [pytest.param(300, id="300"), pytest.param(100_000, id="100,000", marks=pytest.mark.slow)]
PARTNERS = {**FIGURES, **{name: name for name in MUTANTS if name in DEPARTURES}}
"""The variant of section 15.2 that is a variant of the paper's rules, by its name there."""
TOGETHER = {
    "wgsl-2023-01-28": (*FIGURES, "before-2025-12-01/joins-at-continuing", "before-2025-12-01/joins-at-exit"),
    "wgsl-tint-0.6.2": tuple(name for name in PARTNERS if name.startswith("tint/")),
    "wgsl-tint-0.3.8": ("10b", "10c", *(name for name in PARTNERS if name.startswith("tint/"))),
}
"""What a rule set of section 15.2 comes to on TinyWGSL."""
BEHIND_A_BREAK = parse_tiny("""@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  x = lid;
  loop { break; continue; continuing { x = 0u; } }
  if (x != 0u) { workgroupBarrier(); }
}
""")
"""Older texts analyse the dead continuing; what it assigns is no value at the `break`."""
OF_A_DEAD_PARAMETER = parse_tiny("""fn f(p: u32) -> bool {
  loop { workgroupBarrier(); return false; continue; continuing { break if 0u == p; } }
  return false;
}
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) { var x: bool; x = f(lid); }
""")


def verdict(text: str, rules: Rules = UNCHANGED) -> Verdict:
    return analyse_wgsl(read(text), rules).verdict


def figures() -> Iterator[Shader]:
    """The shaders of the corpus that are TinyWGSL."""
    for path in sorted((Path(__file__).parents[4] / "corpus").glob("*/shader.wgsl")):
        with suppress(ParseError):
            yield parse_tiny(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("count", COUNTS)
def test_drawn_and_spelled_shaders(count: int) -> None:
    for i in range(count):
        shader = draw_shader(i)
        expected = analyse(shader).verdict
        assert verdict(print_shader(shader)) is expected, i
        assert verdict(spelled(i)) is expected, i


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("size", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_every_small_shader(family: str, size: int) -> None:
    for shader in FAMILIES[family].up_to(size):
        text = print_shader(shader)
        assert verdict(text) is analyse(shader).verdict, text


def shaders(count: int) -> Iterator[tuple[Shader, Resolution]]:
    """The corpus, what is between the two sections, and drawn shaders; each as both read it."""
    for shader in (*figures(), BEHIND_A_BREAK, *map(draw_shader, range(count))):
        yield shader, read(print_shader(shader))


def same_with_copies(shader: Shader, one: Rules, other: Rules) -> bool:
    """Whether both say the same of the shader with a variable in place of each parameter."""
    functions = []
    for f in shader.functions:
        params = tuple(replace(p, name=f"{p.name}_given") for p in f.params)
        copies = tuple(Assign(p.name, Local(given.name, p.type)) for p, given in zip(f.params, params, strict=True))
        functions.append(replace(f, params=params, locals=(*f.locals, *f.params), body=(*copies, *f.body)))
    copied = replace(shader, functions=tuple(functions))
    return judge_wgsl(read(print_shader(copied)), other).verdict is analyse(copied, one).verdict


@pytest.mark.parametrize("count", [150, pytest.param(20_000, marks=pytest.mark.slow)])
def test_older_rules_say_the_same(count: int) -> None:
    """Each of the nine departures alone, and the rule sets that have several of them.

    A parameter keeps its value in a continuing that is not reached (see below): then its copy decides.
    """
    rules = {name: (departing((name,)), DEPARTURES[PARTNERS[name]].rules) for name in PARTNERS}
    rules |= {name: (departing(names), WGSL_RULE_SETS[name]) for name, names in TOGETHER.items()}
    differ, moved = [], set()
    for i, (shader, resolution) in enumerate(shaders(count)):
        for name, (one, other) in rules.items():
            expected = analyse(shader, one).verdict
            if judge_wgsl(resolution, other).verdict is not expected and not same_with_copies(shader, one, other):
                differ.append((name, i))
            if expected is not analyse(shader).verdict:
                moved.add(name)
    assert differ == []
    assert moved >= {*FIGURES, *TOGETHER} - {"wgsl-tint-0.6.2"}, "no shader shows that they do anything"


def test_a_parameter_keeps_its_value_in_a_dead_continuing() -> None:
    """In section 15.2 a parameter is no variable; in the paper it is one, and nothing says its value there."""
    dead = ("10c", "10d")
    assert analyse(OF_A_DEAD_PARAMETER, departing(dead)).verdict is Verdict.ACCEPTS
    older = Rules(DEPARTURES[PARTNERS[name]] for name in dead)
    assert verdict(print_shader(OF_A_DEAD_PARAMETER), older) is Verdict.REJECTS
