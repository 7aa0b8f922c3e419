"""The search of `diff`: every variant in which two rule sets differ has its shader."""

import math
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice, pairwise

import pytest

from tests.fuzz.command import there
from tests.wgsl.current_tint import refused_by_tint
from wgsl_fuzz.fuzz.cases.pairs import load
from wgsl_fuzz.fuzz.reduction.search import read
from wgsl_fuzz.fuzz.regression import diff
from wgsl_fuzz.oracle.rules.analysis import paper_verdict
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import DATES, WGSL_RULE_SETS, analyse_wgsl, judge_wgsl, wgsl_rules
from wgsl_fuzz.oracle.rules.uniformity.variants.letter import LETTER_VARIANTS
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.printer import print_module

SIDES = [*pairwise(f"wgsl-{date}" for date in DATES), ("wgsl", "wgsl-tint-0.6.2"), ("letter", "wgsl")]
MARKS = ((),) * (len(SIDES) - 2) + (pytest.mark.full,) * 2
MARKED = [pytest.param(sides, id="-".join(sides), marks=marks) for sides, marks in zip(SIDES, MARKS, strict=True)]


NEVER_SHOWN = frozenset(["letter/index-of-value-first", "letter/no-join-after-short-circuit"])
"""By the letter no call in an expression writes to a variable: these changes decide nothing."""


def telling(one: str) -> Iterator[diff.Text]:
    """The texts of which it is recorded that the rules of this kind, or their neighbours, judge them otherwise."""
    for pair in load():
        if {"letter": pair.letter or pair.tint, "wgsl": pair.tint}.get(one, pair.before or pair.tint):
            yield from ((pair.name, text) for text in (pair.rejected, pair.accepted))


def differ_of(one: str, other: str) -> diff.Differ:
    return diff.Differ(diff.side_named(one), diff.side_named(other))


@cache
def after_search(one: str, other: str) -> diff.Differ:
    differ = differ_of(one, other)
    differ.try_all(telling(one), math.inf, diff.OTHERS)
    return differ


@pytest.mark.parametrize("sides", MARKED)
def test_every_variant_has_a_small_shader_that_shows_it(sides: tuple[str, str]) -> None:
    """The text has the verdicts that are said, and what decides does."""
    searched = after_search(*sides)
    changes = {v.name for v in searched.changes}
    assert changes
    assert changes - searched.found.keys() == (NEVER_SHOWN if sides == ("letter", "wgsl") else set())
    assert searched.found
    base, goal = (side.rules or Rules() for side in searched.sides)
    for one in searched.sorted():
        resolution = there(read(one.text))
        verdicts = tuple(side.verdict(resolution) for side in one.sides)
        assert verdicts == one.verdicts
        assert set(verdicts) == {Verdict.ACCEPTS, Verdict.REJECTS}
        ways = [(base, verdicts[1]), (goal, verdicts[0])]
        ways = sorted(ways, key=lambda way: one.variants <= way[0])
        added, taken = (analyse_wgsl(resolution, Rules(rules ^ one.variants)).verdict is to for rules, to in ways)
        assert one.sides == searched.sides
        assert (added, taken) == (one.how is not diff.Decides.NEEDED, one.how is not diff.Decides.ENOUGH)
        assert one.text.count("\n") <= 22


@pytest.mark.parametrize("sides", MARKED)
def test_current_tint_takes_what_is_shown_for_valid(sides: tuple[str, str]) -> None:
    """The reducer is no type checker, but puts only values of one type for each other."""
    assert refused_by_tint([one.text for one in after_search(*sides).sorted()]) == []


def test_only_what_the_letter_never_shows_is_undecided() -> None:
    """By the letter a call in an expression writes to no variable: nothing is to join behind && and ||, or to order."""
    differ = after_search("letter", "wgsl")
    assert {*differ.undecided} == NEVER_SHOWN
    assert {one.decides for one in differ.sorted()} >= {v.name for v in LETTER_VARIANTS} - NEVER_SHOWN


def test_both_orders_find_the_same() -> None:
    one, other = differ_of("wgsl-2025-10-17", "wgsl"), differ_of("wgsl", "wgsl-2025-10-17")
    for differ in (one, other):
        differ.try_all(islice(telling("wgsl-2025-10-17"), 50), math.inf, diff.OTHERS)
    assert one.found
    assert {d.decides: (d.how, d.text) for d in one.sorted()} == {d.decides: (d.how, d.text) for d in other.sorted()}


def test_two_changes_may_be_needed_together() -> None:
    """By the intent each of two requirements fails; by the letter none does, for two reasons."""
    text = """
fn f(p: ptr<function, u32>) -> u32 { return *p; }
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) N: u32) {
  var a = array(0u, 0u);
  a[N] = 1u;
  if a[0] == 0u { workgroupBarrier(); }
  var x = N;
  if f(&x) == 0u { workgroupBarrier(); }
}
"""
    differ = differ_of("letter", "wgsl")
    resolution = there(read(text))
    verdicts = (Verdict.ACCEPTS, Verdict.REJECTS)
    both = ["letter/indices-forgotten", "letter/returns-addresses-only"]
    deciding = differ.deciding(resolution, verdicts)
    assert {rules.names[0]: how for rules, how in deciding.items()} == dict.fromkeys(both, diff.Decides.NEEDED)
    assert differ.together(resolution, verdicts).names == both


def test_random_search_finds_what_is_beyond_the_enumeration() -> None:
    differ = differ_of("without-10a", "paper")
    assert differ.search(400, 1, math.inf) == 400
    found = differ.sorted()
    assert {one.decides for one in found} == {"before-2025-10-14/10a"}
    assert all("random" in one.origin and one.text.count("\n") <= 11 for one in found)


def test_any_date_names_its_rules() -> None:
    assert wgsl_rules("wgsl-2025-01-16") == WGSL_RULE_SETS["wgsl-2023-11-20"]
    assert wgsl_rules("wgsl-2023-01-27") is None
    assert wgsl_rules("wgsl-2030-01-01") is None


def test_known_texts_stand_once_and_are_valid() -> None:
    texts = [text for _, text in diff.known_texts()]
    assert len(texts) == len(set(texts)) > 2000
    assert all(read(text) is not None for text in texts[::40])


def _texts(candidates: Iterable[diff.Candidate]) -> list[diff.Text]:
    return [(origin, it if isinstance(it, str) else print_module(it.module)) for origin, it in candidates]


def test_drawn_texts_come_again_and_are_valid_often() -> None:
    texts = _texts(diff.drawn(60, 7))
    assert texts == _texts(diff.drawn(60, 7))
    assert texts != _texts(diff.drawn(60, 8))
    valid = [text for _, text in texts if read(text) is not None]
    assert len(valid) >= 40
    assert sum(1 for origin, _ in texts if origin.startswith("a mutant of")) == 30


@pytest.mark.parametrize(
    "candidates", [islice(diff.enumerated(2), 0, None, 30), diff.drawn_cores(30, 0)], ids=["enumerated", "drawn"]
)
def test_small_shaders_have_the_core_that_their_text_has(candidates: Iterable[diff.Candidate]) -> None:
    found = [it for _, it in candidates if not isinstance(it, str)]
    assert found
    for one in found:
        read_again = there(read(print_module(one.module)))
        assert judge_wgsl(one).verdict is judge_wgsl(read_again).verdict
        assert paper_verdict(one) is paper_verdict(read_again) is not None


def test_a_change_that_gains_and_loses_shows_both() -> None:
    """The smaller of the two shaders converges: the other one is shown all the same."""
    head = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) p: u32)"
    gained = f"{head} {{ var x = array(p); x[0] = 0u; if x[0] == 0u {{ workgroupBarrier(); }} }}"
    lost = f"{head} {{ var x = vec2u(p, p); x.x = 0u; if x.y == 0u {{ workgroupBarrier(); }} }}"
    differ = differ_of("wgsl", "assign/left/partial-forgets")
    differ.try_all([("gained", gained), ("lost", lost)], math.inf, diff.OTHERS)
    lost_and_gained = {diff.Impact.SOUNDNESS_LOST: "lost", diff.Impact.PRECISION_GAINED: "gained"}
    assert {one.impact: one.origin for one in differ.sorted()} == lost_and_gained
