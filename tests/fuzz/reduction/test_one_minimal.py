"""No statement is left that can be spared, whichever way the text was reduced: as a tree or as text."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies.spelled import spelled
from wgsl_fuzz import minimise
from wgsl_fuzz.fuzz.reduction.context import Context
from wgsl_fuzz.fuzz.reduction.search import read
from wgsl_fuzz.fuzz.reduction.text import reduce_text
from wgsl_fuzz.oracle.rules.uniformity.revisions import judge_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import TINY, draw_shader
from wgsl_fuzz.strategies.edit.subject import valid
from wgsl_fuzz.strategies.generate.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import SMALL_TINY
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.rewrite import Misfit
from wgsl_fuzz.wgsl.syntax import Block, Statement

Holds = Callable[[str], bool]


def verdict(text: str) -> Verdict:
    module = read(text)
    try:
        return Verdict.INVALID if module is None else judge_wgsl(module).verdict
    except WgslError:
        return Verdict.INVALID


def rejected(text: str) -> bool:
    return verdict(text) is Verdict.REJECTS


def rejected_with_two_barriers(text: str) -> bool:
    return text.count("workgroupBarrier();") > 1 and rejected(text)


def accepted_with_a_loop(text: str) -> bool:
    return "loop {" in text and "workgroupBarrier();" in text and verdict(text) is Verdict.ACCEPTS


def spelled_with_a_for(text: str) -> bool:
    return "for (" in text and "=" in text and verdict(text) is not Verdict.INVALID


PROPERTIES: list[Holds] = [rejected, rejected_with_two_barriers, accepted_with_a_loop, spelled_with_a_for]
TEXTS: dict[str, Callable[[int], str]] = {
    "plain shaders": lambda seed: print_shader(draw_shader(seed, TINY)),
    "spelled shaders": lambda seed: spelled(seed),
    "modules": lambda seed: print_module(draw_module(seed, SMALL_TINY)),
}


def without_a_statement(text: str) -> Iterator[str]:
    """The valid modules that differ from a text by one statement."""
    module = read(text)
    assert module is not None, text
    for place in Context(module).places:
        if isinstance(place.node, Statement) and not isinstance(place.node, Block):
            try:
                candidate = place.with_nodes()
            except Misfit:
                continue
            if valid(candidate) is not None:
                yield print_module(candidate)


def check(text: str, holds: Holds, reduced: str) -> None:
    assert holds(reduced)
    for smaller in without_a_statement(reduced):
        assert not holds(smaller), (text, reduced, smaller)


@pytest.mark.parametrize("kind", TEXTS)
@settings(max_examples=25)
@given(seed=st.integers(0, 500), holds=st.sampled_from(PROPERTIES))
def test_no_statement_of_what_is_reduced_can_be_spared(kind: str, seed: int, holds: Holds) -> None:
    text = TEXTS[kind](seed)
    if holds(text):
        check(text, holds, minimise(text, holds))


@settings(max_examples=20)
@given(kind=st.sampled_from(sorted(TEXTS)), seed=st.integers(0, 500), holds=st.sampled_from(PROPERTIES))
def test_no_statement_of_a_reduced_text_can_be_spared(kind: str, seed: int, holds: Holds) -> None:
    text = TEXTS[kind](seed)
    if len(text) < 1500 and holds(text):
        check(text, holds, reduce_text(text, holds))


def test_a_text_is_reduced_where_its_blanks_matter() -> None:
    text = "fn main() { if(a==1u) { f(); } /* x */ b=2u; f(); }"
    assert reduce_text(text, lambda candidate: "a==1u" in candidate) == "a==1u"
