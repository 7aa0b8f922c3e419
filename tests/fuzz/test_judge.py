"""The judge: the table of DESIGN, section 3, row by row."""

import pytest

from fuzz.judge import COUNTEREXAMPLE, NOT_IMPLEMENTED, REFERENCE, UNEXPLAINED, Kind, judge, kind_of, signature
from fuzz.oracles import Case
from oracle.execution import Execution
from oracle.rules import REVERSIONS
from oracle.verdict import Answer, Outcome, Verdict
from tinywgsl.parser import parse

_ACCEPTED = parse("@compute @workgroup_size(2) fn main() { workgroupBarrier(); }")
_DIVERGING = parse(
    "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32)"
    "{ if (lid == 0u) { workgroupBarrier(); } workgroupBarrier(); }"
)
_BREAK_IF = parse(
    "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32)"
    "{ loop { workgroupBarrier(); continuing { break if lid == 0u; } } workgroupBarrier(); }"
)

A, R, INV, C, T = Verdict.ACCEPTS, Verdict.REJECTS, Verdict.INVALID, Verdict.CRASHED, Verdict.TIMED_OUT


@pytest.mark.parametrize(
    ("reference", "answer", "diverges", "kind"),
    [
        (A, A, False, None),
        (A, A, True, Kind.UNSOUND),
        (A, R, False, Kind.TOO_STRICT),
        (R, A, False, Kind.TOO_LENIENT),
        (R, A, True, Kind.UNSOUND),
        (R, R, True, None),
        (R, R, False, None),
        (A, INV, False, Kind.INVALID),
        (R, INV, False, Kind.INVALID),
        (A, C, False, Kind.CRASH),
        (R, T, False, Kind.HANG),
    ],
)
def test_kinds(reference: Verdict, answer: Verdict, diverges: bool, kind: Kind | None) -> None:
    assert kind_of(reference, Answer(answer), lambda: diverges) is kind


def test_the_semantics_is_not_asked_when_both_reject() -> None:
    def never() -> Execution:
        raise AssertionError("asked")

    assert judge(_DIVERGING, R, never, {"x": Answer(R)}) == []


def test_a_reversal_that_reproduces_the_verdict_is_the_cause() -> None:
    (found,) = judge(_BREAK_IF, R, lambda: Case(_BREAK_IF).execution, {"x": Answer(A)})
    assert (found.kind, found.cause, found.key) == (Kind.UNSOUND, "10a", "x unsound 10a")


def test_an_unexplained_verdict_says_so() -> None:
    (found,) = judge(_ACCEPTED, A, lambda: Case(_ACCEPTED).execution, {"x": Answer(R)})
    assert (found.kind, found.cause) == (Kind.TOO_STRICT, UNEXPLAINED)
    assert set(REVERSIONS) == {"10a", "10b", "10c", "10d"}


def test_a_target_without_uniformity_is_one_bucket_across_kinds() -> None:
    keys = set()
    for execution in (Execution(Outcome.DIVERGES, 1), Execution(Outcome.NOT_SEEN, 1)):
        (found,) = judge(_DIVERGING, R, lambda: execution, {"naga": Answer(A)}, frozenset({"naga"}))  # noqa: B023
        keys.add(found.key)
    assert keys == {f"naga {NOT_IMPLEMENTED}"}


def test_an_accepted_shader_that_diverges_is_held_against_the_reference() -> None:
    found = judge(_ACCEPTED, A, lambda: Execution(Outcome.DIVERGES, 1), {"x": Answer(A)})
    assert [(f.target, f.kind, f.cause) for f in found] == [
        (REFERENCE, Kind.UNSOUND, COUNTEREXAMPLE),
        ("x", Kind.UNSOUND, COUNTEREXAMPLE),
    ]


def test_signatures_forget_positions_and_names() -> None:
    one = signature("3:4 warning: x\n12:7 error: expected '}' for loop")
    assert one == signature("1:1 error: expected ')' for loop") == "error: expected for loop"
