"""Findings that take a spelling to show: the fewest forms on the smallest shader."""

from collections.abc import Callable

import pytest

from wgsl_fuzz.fuzz.cases.written import PLAIN, Written, text_of
from wgsl_fuzz.fuzz.reduction.ddmin import reduce_text
from wgsl_fuzz.fuzz.reduction.spelling import reduce_spelled, simplest, without_continues
from wgsl_fuzz.strategies import PROFILES, draw_shader
from wgsl_fuzz.tinywgsl.ast import Barrier, Shader, count_statements, walk
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.tinywgsl.wellformed import violations
from wgsl_fuzz.wgsl.reading import ParseError, parse
from wgsl_fuzz.wgsl.spelling import ALL

Bug = Callable[[str], bool]

BUGS: dict[str, tuple[Bug, int, str]] = {
    "for without a condition": (lambda text: "for (;;)" in text and "break;" in text, 4, "loops"),
    "empty statement before break if": (lambda text: "; break if" in " ".join(text.split()), 6, "continuings empties"),
    "hexadecimal literal": (lambda text: "0x" in text, 3, "literals"),
}
"""A text that shows the bug, the statements that it takes at most, and the features that can bring it about."""


@pytest.mark.parametrize("name", BUGS)
def test_a_spelling_bug_is_reduced_to_few_statements_and_one_feature(name: str) -> None:
    bug, most, features = BUGS[name]

    def shows(shader: Shader, text: str) -> bool:
        return bug(text) and not bug(print_shader(shader))

    drawn = ((draw_shader(seed, PROFILES["plain"]), Written(ALL, seed)) for seed in range(3000))
    shader, written = next((s, w) for s, w in drawn if shows(s, text_of(s, w)))
    least = reduce_spelled(shader, written, shows)
    assert parse(least.text) == parse(text_of(least.shader, least.written))
    assert shows(least.shader, least.text)
    assert violations(least.shader, main_may_return=True) == []
    assert count_statements(least.shader) <= most, least.text
    assert set(least.forms)
    assert any(getattr(least.written.features, feature) for feature in features.split())
    assert len(least.forms) <= 2, least.forms


ENDLESS = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  for (;;) {
    loop {
      if (lid == 0u) {
        break;
      }
      continue;
    }
    continue;
  }
}
"""


def test_no_continue_stays_that_the_end_of_a_loop_says() -> None:
    assert without_continues(ENDLESS, lambda _: True) == ENDLESS.replace("      continue;\n", "").replace(
        "    continue;\n", ""
    )
    assert without_continues(ENDLESS, lambda text: "continue" in text).count("continue") == 1
    assert without_continues(ENDLESS, lambda _: False) == ENDLESS


def test_a_continue_stays_that_another_shader_would_be_without() -> None:
    needed = ENDLESS.replace("        break;", "        continue;")
    assert without_continues(needed, lambda _: True).count("continue;") == 1


def test_a_spelled_text_is_reduced_to_one_without_them() -> None:
    def shows(_shader: Shader, text: str) -> bool:
        return "for (;;)" in text

    drawn = ((draw_shader(seed, PROFILES["plain"]), Written(ALL, seed)) for seed in range(3000))
    shader, written = next((s, w) for s, w in drawn if "for (;;)" in text_of(s, w))
    assert "continue" in text_of(shader, written)
    assert "continue" not in reduce_spelled(shader, written, shows).text


def test_what_the_plain_print_shows_is_kept_plain() -> None:
    def shows(shader: Shader, _text: str) -> bool:
        return any(isinstance(s, Barrier) for s in walk(shader.main.body))

    shader = next(s for s in map(draw_shader, range(100)) if shows(s, ""))
    assert simplest(shader, shows, Written(ALL, 7)) == PLAIN
    least = reduce_spelled(shader, Written(ALL, 7), shows)
    assert (least.written, least.forms, least.text) == (PLAIN, {}, print_shader(least.shader))


@pytest.mark.parametrize("seed", range(5))
def test_text_is_reduced_until_no_token_can_be_spared(seed: int) -> None:
    text = print_shader(draw_shader(seed))

    def has_main(candidate: str) -> bool:
        return "fn main" in " ".join(candidate.split()) and candidate.count("{") == candidate.count("}") >= 1

    assert sorted(reduce_text(text, has_main).split()) == ["fn", "main", "{", "}"]


def test_reduced_text_stays_what_it_has_to_be() -> None:
    text = print_shader(next(s for s in map(draw_shader, range(100)) if "loop {" in print_shader(s)))

    def loops(candidate: str) -> bool:
        try:
            parse(candidate)
        except ParseError:
            return False
        return "loop" in candidate

    least = reduce_text(text, loops)
    assert loops(least)
    assert len(least.split()) < 50
