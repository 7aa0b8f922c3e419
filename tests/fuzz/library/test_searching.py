"""The smallest shader with a property: drawn and reduced, by a call or behind a test of Hypothesis."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wgsl_fuzz import WGSL, Verdict, analyse, draw, find, given_shaders, minimise, parse
from wgsl_fuzz.tinywgsl.ast import count_statements

ANALYSES = {"wgsl-2023-01-28": 6, "wgsl-tint-0.3.8": 7, "without-10a": 6, "without-10c": 7, "whlsl-2019": 5}
"""Analyses, and how many statements are enough to tell each from the paper's."""
SLOW = ("wgsl-tint-0.3.8", "without-10a", "without-10c")
"""Those for which the search takes seconds."""
MANY = settings(max_examples=3_000, derandomize=True, database=None, deadline=None)


def differs(rules: str, text: str) -> bool:
    return analyse(text, rules) is not analyse(text)


def size(text: str) -> int:
    return count_statements(parse(text))


@pytest.mark.parametrize(
    "rules", [pytest.param(name, marks=pytest.mark.full if name in SLOW else ()) for name in ANALYSES]
)
def test_find_ends_small(rules: str) -> None:
    found = find(lambda text: differs(rules, text), seed=3)
    assert found is not None
    assert differs(rules, found)
    assert size(found) <= ANALYSES[rules]


def test_find_says_that_there_is_none() -> None:
    assert find(lambda _: False, tries=8) is None


def test_find_is_a_function_of_its_arguments() -> None:
    first, again = (find(lambda text: "loop" in text and "size(5)" in text, seed=3, threads=(5, 5)) for _ in range(2))
    assert first is not None
    assert first == again


@pytest.mark.full
@pytest.mark.parametrize("rules", ["wgsl-2023-01-28", "without-10a", "whlsl-2019"])
def test_what_hypothesis_shows_is_reduced(rules: str) -> None:
    """It is the shader of the last call: Hypothesis calls the test again to show how it fails."""
    asked: list[WGSL] = []

    @given_shaders(settings=MANY)
    def agrees(text: WGSL) -> None:
        asked.append(text)
        assert not differs(rules, text)

    with pytest.raises(AssertionError) as caught:
        agrees()
    # One more than the smallest: what Hypothesis finds first depends on the modules that are loaded (their constants).
    assert size(asked[-1]) <= ANALYSES[rules] + 1
    shown = "\n".join(caught.value.__notes__)
    assert "text=" in shown
    assert all(line in shown for line in asked[-1].splitlines())
    assert "lambda" not in shown


@pytest.mark.parametrize("uniform", [True, False])
def test_what_is_reduced_stays_uniform_if_that_was_asked_for(uniform: bool) -> None:
    asked: list[WGSL] = []

    @given_shaders(settings=MANY, uniform=uniform)
    def has_no_loop(text: WGSL) -> None:
        asked.append(text)
        assert "loop" not in text

    with pytest.raises(AssertionError):
        has_no_loop()
    assert (analyse(asked[-1]) is Verdict.ACCEPTS) == uniform
    found = find(lambda text: "loop" in text, uniform=uniform)
    assert found is not None
    assert (analyse(found) is Verdict.ACCEPTS) == uniform


def test_only_the_failure_at_hand_is_reduced() -> None:
    """An assumption that does not hold is no failure, and another error is another one."""
    asked: list[WGSL] = []

    @given_shaders(settings=MANY)
    def fails(text: WGSL) -> None:
        asked.append(text)
        assume("if" in text)
        if "loop" not in text:
            return
        if "continuing" not in text:
            raise ValueError(text)
        raise KeyError(text)

    with pytest.raises((KeyError, ValueError)) as caught:
        fails()
    assert "if" in asked[-1]
    assert ("continuing" in asked[-1]) is isinstance(caught.value, KeyError)


def test_a_test_with_other_arguments_and_a_name_of_its_own() -> None:
    @given_shaders(settings=settings(MANY, max_examples=30), statements=(1, 3))
    def has_a_barrier(least: int, shader: WGSL) -> None:
        assert shader.count("workgroupBarrier") >= least

    has_a_barrier(0)
    with pytest.raises(AssertionError):
        has_a_barrier(9)


@given(st.integers(0, 1 << 40))
@settings(max_examples=10)
def test_minimise_keeps_what_holds(seed: int) -> None:
    text = draw(seed)
    words = [word for word in ("loop", "if", "else", "lid") if word in text]
    reduced = minimise(text, lambda candidate: all(word in candidate for word in words))
    assert all(word in reduced for word in words)
    assert size(reduced) <= len(words) + 2
    assert parse(reduced) == reduced.shader


def test_what_depends_on_the_spelling_is_reduced_in_a_spelling() -> None:
    text = next(text for text in (draw(seed, spelled=True) for seed in range(999)) if "for (" in text and "+=" in text)
    reduced = minimise(text, lambda candidate: "for (" in candidate and "+=" in candidate)
    assert "for (" in reduced
    assert "+=" in reduced
    assert len(reduced.splitlines()) <= 12


def test_minimise_takes_trees_and_what_is_no_tinywgsl() -> None:
    tree = parse(draw(1))
    assert size(minimise(tree, lambda _: True)) <= 1
    other = "struct S { a: u32, b: f32 }\n" + draw(1)
    assert minimise(other, lambda text: "f32" in text).split() == ["struct", "S", "{", "m:", "f32,", "}"]
    assert minimise(f"{other} }}", lambda text: "f32" in text).strip() == "f32"
    with pytest.raises(ValueError, match="does not hold"):
        minimise(tree, lambda _: False)


def test_modules_are_found_and_reduced() -> None:
    def differs(text: str) -> bool:
        return analyse(text, "wgsl-tint-0.6.2") is not analyse(text, "wgsl")

    found = find(differs, language="compute", uniform=False)
    assert found is not None
    assert differs(found)
    assert analyse(found, "wgsl") is Verdict.REJECTS
    assert found.count(";") <= 12
