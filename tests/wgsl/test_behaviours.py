"""Behaviours (9.7): the paper's analysis on TinyWGSL, and current Tint on drawn bodies.

The rows of conformance hold each branch.
"""

from random import Random

import pytest
from hypothesis import given

from tests.strategies.drawn import shaders
from tests.wgsl.current_tint import ask_tint
from tests.wgsl.reading import body
from tests.wgsl.test_resolve import check
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import TINY
from wgsl_fuzz.tinywgsl import ast, behaviour
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis, spell
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.problems import ResolveProblem
from wgsl_fuzz.wgsl.resolve import read
from wgsl_fuzz.wgsl.syntax import Function, Loop
from wgsl_fuzz.wgsl.walk import descendants


@pytest.mark.parametrize("after", ["return;", "continue;", "{ return; }"])
def test_what_a_continuing_must_not_have(after: str) -> None:
    """Resolution refuses most of it before."""
    with pytest.raises(ResolveProblem):
        BehaviourAnalysis().check(body(f"loop {{ break; continuing {{ {after} }} }}"))


@pytest.mark.parametrize("around", ["{ # }", "if c { # }", "loop { # break; }", "switch c { default { # } }"])
def test_deep_nests(around: str) -> None:
    text = ";"
    for _ in range(400):
        text = around.replace("#", text)
    BehaviourAnalysis().check(body(text))


# ------------------------------------------------------------------------------------------------------ against others


@given(shaders(TINY))
def test_tinywgsl_agrees(shader: ast.Shader) -> None:
    """Of each function and each loop, on the plain text of a drawn shader, which resolution accepts."""
    resolution = read(print_shader(shader))
    ours, theirs = BehaviourAnalysis(), behaviour.CoreBehaviourAnalysis()
    functions = [d for d in resolution.module.declarations if isinstance(d, Function)]
    for function, tiny in zip(functions, shader.all_functions, strict=True):
        ours.check(function)
        assert spell(ours.behaviour(function.body)) == spell(theirs.block(tiny.body))
        loops = [node for node in descendants(function) if isinstance(node, Loop)]
        tiny_loops = [s for s in ast.walk(tiny.body) if isinstance(s, ast.Loop)]
        for mine, other in zip(loops, tiny_loops, strict=True):
            assert spell(ours.behaviour(mine)) == spell(theirs.statement(other))


SIMPLE = [";", "return;", "break;", "continue;", "discard;", "x++;"]
COMPOUND = [
    "{ # }",
    "if c { # }",
    "if c { # } else { # }",
    "if c { # } else if d { # } else { # }",
    "switch x { case 1 { # } default { # } }",
    "switch x { default { # } }",
    "loop { # }",
    "loop { # continuing { # } }",
    "loop { # continuing { # break if c; } }",
    "while c { # }",
    "for (;;) { # }",
    "for (; c;) { # }",
]


def draw_body(random: Random, depth: int) -> str:
    """Statements of control flow; what they say need not be allowed."""
    statements = []
    for _ in range(random.choice([0, 1, 1, 1, 2, 3])):
        if depth == 0 or random.random() < 0.3:
            statements.append(random.choice(SIMPLE))
        else:
            parts = random.choice(COMPOUND).split("#")
            statements.append(parts[0] + "".join(draw_body(random, depth - 1) + part for part in parts[1:]))
    return " ".join(statements)


def test_current_tint_allows_the_same_bodies() -> None:
    random = Random(20261122)
    texts = []
    for i in range(2000):
        drawn = draw_body(random, 3)
        result, end = ("-> u32", "return 1u;") if i % 2 else ("", "")
        drawn = drawn.replace("return;", "return 1u;") if i % 2 else drawn
        texts.append(f"fn f(c: bool, d: bool) {result} {{ var x = 0; {drawn} {end if i % 4 == 1 else ''} }}")
    refused = [_refuses(text) for text in texts]
    answers = ask_tint(texts)
    assert [
        (text, answer.message)
        for text, ours, answer in zip(texts, refused, answers, strict=True)
        if ours != (answer.verdict is Verdict.INVALID)
    ] == []
    assert min(refused.count(False), refused.count(True)) > len(texts) / 5


def _refuses(text: str) -> bool:
    try:
        check(text)
    except ResolveProblem:
        return True
    return False
