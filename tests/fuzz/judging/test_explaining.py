"""Which arms explain a finding: asked only where it matters, and of the drawn module only what the reduced one says."""

from functools import cache

import pytest

from wgsl_fuzz.fuzz.campaign.reduce_finding import explaining_of
from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.fuzz.judging.buckets import explaining
from wgsl_fuzz.fuzz.judging.judge import Cause, Disagreement, Kind
from wgsl_fuzz.oracle.rules.uniformity.coverage import deciding_arms
from wgsl_fuzz.oracle.verdict import Answer, Verdict

HEAD = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) "
TEXTS = (
    HEAD + "{ if (lid == 0u) { workgroupBarrier(); } }",
    HEAD + "{ var x: u32; loop { if (x == 1u) { break; } x = lid; } workgroupBarrier(); }",
    HEAD + "{ var x = lid; x = 0u; if (x == 0u) { workgroupBarrier(); } }",
    HEAD + "{ workgroupBarrier(); }",
)


@cache
def module(text: str) -> Case:
    return read_module(text)


@cache
def arms(text: str) -> frozenset[str]:
    return frozenset(deciding_arms(module(text).resolution))


@pytest.mark.parametrize("reduced", TEXTS)
@pytest.mark.parametrize("drawn", TEXTS)
def test_what_explains_both_counts_or_else_what_explains_the_reduced(drawn: str, reduced: str) -> None:
    found = explaining(module(drawn), module(reduced))
    assert found == ((arms(drawn) & arms(reduced)) or arms(reduced) or arms(drawn))


def test_what_a_known_departure_of_the_target_explains_is_not_looked_for() -> None:
    case = module(TEXTS[0])
    known = Disagreement(
        "tint@0.6.2", Kind.TOO_LENIENT, Answer(Verdict.ACCEPTS), Cause.parse("tint/contents-at-argument")
    )
    assert explaining_of(known, case, case) is None
    other = Disagreement("fake", Kind.TOO_LENIENT, Answer(Verdict.ACCEPTS), Cause.parse("tint/contents-at-argument"))
    assert explaining_of(other, case, case) == tuple(sorted(arms(TEXTS[0])))
    crash = Disagreement("fake", Kind.CRASH, Answer(Verdict.CRASHED), Cause.parse("signal 11"))
    assert explaining_of(crash, case, case) is None
