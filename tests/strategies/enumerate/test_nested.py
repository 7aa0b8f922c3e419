"""Blocks in each other: nothing that is valid is left out, and each kind of variable is asked about both ways."""

from itertools import product

import pytest

from wgsl_fuzz.fuzz.cases.case import read_case
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.enumerate import nested
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolve import resolve

EVERYWHERE = [kind for kind in nested.VARIABLES if kind.where == nested.FUNCTION and "#" in kind.declaration]
EMPTY = (nested.BARE, nested.ELSE, nested.DEFAULT, nested.BREAK_IF, nested.HELPER, nested.UPDATE)


def _is_valid(one: nested.Member) -> bool:
    try:
        return read_case(nested.text_of(one)).verdict in (Verdict.ACCEPTS, Verdict.REJECTS)
    except WgslError:
        return False


@pytest.mark.parametrize(("pattern", "guards"), [(".SJ.D.", ("u", "")), (".S.J.D", ("lid",))])
def test_every_jump_that_is_valid_is_there(pattern: str, guards: tuple[str, ...]) -> None:
    """By the parser and the rules of behaviours, which this family does not ask."""
    members = {(one.blocks, one.jump, one.guard) for one in nested.members(2) if one.pattern == pattern}
    for blocks, jump, guard in product(nested.PAIRS, nested.JUMPS, guards):
        if blocks[1] != nested.UPDATE or pattern == ".S.J.D":
            one = nested.Member(blocks, pattern, nested.PLAIN, jump, guard)
            assert ((blocks, jump, guard) in members) is _is_valid(one), nested.text_of(one)


def test_every_pair_of_blocks_has_every_variable_that_becomes_uniform_and_that_stops_to_be() -> None:
    members = {(one.blocks, one.kind, one.pattern, one.first) for one in nested.members(3)}
    asked = product(nested.PAIRS, EVERYWHERE, (".S.D.", ".S..D"), ("0u", "lid"))
    assert [one for one in asked if one not in members] == []


@pytest.mark.parametrize("pattern", [".S.D.", ".S..D", "S..D.", "S...D", "D.S..", "D..S."])
def test_every_pair_of_blocks_has_every_order_in_both_directions(pattern: str) -> None:
    """What differs is what the variable holds at first, or what is stored."""
    members = {(one.blocks, one.first) for one in nested.members(2) if one.pattern == pattern}
    for blocks in nested.PAIRS:
        iterates = blocks[0] in nested.LOOPS or not pattern.startswith("D")
        expected = iterates and not (pattern.split(".")[1] == "" and blocks[1] in EMPTY)
        assert [((blocks, first) in members) for first in ("0u", "lid")] == [expected] * 2, blocks


def test_no_two_of_all_sizes_are_equal_and_all_are_modules() -> None:
    texts = [nested.text_of(one) for size in range(5) for one in nested.members(size)]
    assert len({*texts}) == len(texts)
    for text in texts[::97]:
        parse(text)


@pytest.mark.slow
def test_all_resolve() -> None:
    for size in range(5):
        for one in nested.members(size):
            resolve(parse(nested.text_of(one)))


def test_every_block_has_accepted_and_rejected_members() -> None:
    verdicts = {block: set[Verdict]() for block in nested.BLOCKS}
    for one in nested.members(1)[::3]:
        verdicts[one.blocks[0]].add(read_case(nested.text_of(one)).verdict)
    assert all(some == {Verdict.ACCEPTS, Verdict.REJECTS} for some in verdicts.values())
