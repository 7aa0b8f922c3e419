"""Findings reduced: what only a spelling shows, what two runs show, and accounts that are about the reduced text."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fuzz.campaign.test_resume import lasting
from tests.fuzz.conftest import ran, resumed
from tests.fuzz.fakes import FakeTarget, Reader, no_for, without
from tests.fuzz.runs import cause_named, change_state, saved_finding
from tests.strategies.spelled import spelled
from wgsl_fuzz.fuzz.campaign.reduce_finding import FindingReducer
from wgsl_fuzz.fuzz.campaign.reduce_task import ITS_TURN, UNREADABLE, is_reduced, why_unreduced
from wgsl_fuzz.fuzz.cases.case import Case, read_module, tiny_case
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.loading import load_run, pending_of
from wgsl_fuzz.fuzz.findings.records import DRAWN, REDUCED
from wgsl_fuzz.fuzz.judging.judge import judge
from wgsl_fuzz.fuzz.judging.kinds import TWO_RUNS, UNEXPLAINED, BucketKey, Cause, Disagreement, Kind
from wgsl_fuzz.fuzz.reduction.search import read
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies import TINY, draw_shader


def reduced(target: FakeTarget, case: Case, found: Disagreement) -> Finding:
    reducer = FindingReducer(Plan(0), [target])
    return reducer.reduce(saved_finding(target, case, found), lambda: False)


BUGS: dict[str, tuple[Callable[[str], bool], Verdict, int]] = {
    "a comment that it accepts": (lambda text: "/*" in text, Verdict.ACCEPTS, 6),  # by tokens alone
    "an empty statement": (lambda text: re.search(r"[;{}]\s*;", text) is not None, Verdict.INVALID, 2),
    "a comment": (lambda text: "/*" in text and read(text) is not None, Verdict.INVALID, 3),
}
"""What a text has that the target is wrong about, what it says then, and the statements that it takes at most."""


@pytest.mark.parametrize("name", BUGS)
def test_what_only_a_spelling_shows_is_reduced_with_its_plain_print(name: str) -> None:
    bug, said, most = BUGS[name]
    other = {Verdict.ACCEPTS: Verdict.REJECTS}.get(said, Verdict.ACCEPTS)
    target = Reader(lambda text: Answer(said) if bug(text) else None)
    cases = (read_module(spelled(seed), seed=seed, spelled=True) for seed in range(353, 3000))
    case = next(c for c in cases if bug(c.text) and not bug(c.plain.text) and c.verdict is c.plain.verdict is other)
    cause = Cause(drawn=said, printed=other if said is Verdict.ACCEPTS else None)
    done = reduced(target, case, Disagreement(target.name, Kind.UNSTABLE, Answer(said), cause))
    text, plain = done.files["reduced.wgsl"], done.files["related.wgsl"]
    assert text == done.case().text
    assert bug(text)
    assert not bug(plain)
    least = done.case()
    assert least.core == read_module(plain).core is not None
    assert (least.statements or 0) <= most, text
    assert done.record.verdicts[target.name] == said.value
    assert (done.record.related_verdicts or {})[target.name] in ("accepts", "rejects")
    assert done.key.cause == cause


def test_a_target_is_never_wrong_about_what_the_reference_answers_likewise() -> None:
    case = read_module(
        "fn workgroupBarrier() { } @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) p: u32)"
        " { while (p == 0u) { storageBarrier(); workgroupBarrier(); } }"
    )
    target = Reader(lambda text: Answer(Verdict.ACCEPTS) if "fn workgroupBarrier" in text else None)
    done = reduced(target, case, Disagreement(target.name, Kind.TOO_LENIENT, Answer(Verdict.ACCEPTS), UNEXPLAINED))
    assert done.case().verdict is Verdict.REJECTS, done.text


def test_what_two_runs_show_stays_as_it_was_drawn() -> None:
    case = tiny_case(draw_shader(3, TINY))
    target = FakeTarget(UNCHANGED)
    done = reduced(target, case, Disagreement(target.name, Kind.UNSTABLE, Answer(Verdict.ACCEPTS), TWO_RUNS))
    assert done.files == {"drawn.wgsl": case.text, "reduced.wgsl": case.text}


def too_strict() -> tuple[FakeTarget, Case, Disagreement]:
    """A shader that the rules before the change of Fig. 10b reject, and the reference does not."""
    target = FakeTarget(without("10b"))
    for seed in range(2650, 5000):
        case = tiny_case(draw_shader(seed, TINY))
        if case.verdict is Verdict.ACCEPTS:
            target.submit([case.text])
            for found in judge(case, {target.name: target.collect()[0]}, valid=True):
                return target, case, found
    raise AssertionError("there is one")


def test_the_lines_of_an_account_and_of_the_nearest_are_those_of_the_reduced_text() -> None:
    target, case, found = too_strict()
    done = reduced(target, case, found)
    lines, told = done.text.splitlines(), done.account
    for line, patterns in ((r"the barrier on line (\d+)", "Barrier()"), (r"the `if` on line (\d+)", "if ")):
        assert all(patterns in lines[int(n) - 1] for said in told.lines() for n in re.findall(line, said)), told
    differs = (done.record.nearest or {})["differs"]
    gone = [m for d in differs if (m := re.search(r"(?:without|instead of) `([^`]+)` on line (\d+)", d))]
    assert gone, differs
    assert all(m[1].startswith(lines[int(m[2]) - 1].strip()) for m in gone)
    assert done.key == found.key


def test_another_targets_finding_is_shown_by_the_same_text_if_that_target_is_wrong_about_it() -> None:
    target, case, found = too_strict()
    other = FakeTarget(without("10b"), name="other")
    right = FakeTarget(instead=lambda shader: Answer(Verdict.REJECTS) if shader == case.core else None, name="right")
    reducer = FindingReducer(Plan(0), [target, other, right])
    first = reducer.reduce(saved_finding(target, case, found), lambda: False)
    shared, own = (
        reducer.shared(saved_finding(one, case, replace(found, target=one.name)), first) for one in (other, right)
    )
    assert shared is not None
    assert (shared.case() is first.case(), shared.files, shared.target) == (True, first.files, "other")
    assert own is None


# --------------- What a kill, a stop or a spent budget leaves as drawn is reduced when the run goes on, label for label


PLAN = Plan(13)


def _odd(text: str) -> Answer | None:
    """Breaks relations: what it says hangs on the length of the text."""
    return Answer(Verdict.REJECTS, "error: not uniform") if len(text) % 7 == 0 else None


def _lenient() -> FakeTarget:
    return FakeTarget(without("10a"), name="lenient")


def _all_faults() -> list[FakeTarget]:
    """Targets with findings of every kind that is reduced in a way of its own: strict, of spellings, of relations."""
    return [_lenient(), FakeTarget(without("10c"), name="strict"), Reader(no_for, "forms"), Reader(_odd, "relations")]


@pytest.mark.full
@pytest.mark.usefixtures("few_questions")
def test_what_was_left_as_drawn_is_reduced_as_if_it_were_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.cases.generator.RELATED_EVERY", 2)
    plan = Plan(8)  # it meets all of them early
    ran(tmp_path / "whole", _all_faults(), plan, 64)
    ran(tmp_path / "part", _all_faults(), plan, 64, reducing=False)
    left = load_run(tmp_path / "part").findings
    assert {found.record.describes for found in left} == {DRAWN}
    assert {found.target for found in left} == {target.name for target in _all_faults()}
    assert {found.kind for found in left} >= {Kind.TOO_LENIENT, Kind.TOO_STRICT, Kind.UNSTABLE, Kind.METAMORPHIC}
    assert pending_of(tmp_path / "part")
    resumed(tmp_path / "part", _all_faults())
    assert lasting(tmp_path / "part") == lasting(tmp_path / "whole")
    assert not pending_of(tmp_path / "part")


@pytest.mark.usefixtures("few_questions")
def test_what_cannot_be_read_again_stays_as_drawn(tmp_path: Path) -> None:
    ran(tmp_path / "run", [_lenient()], PLAN, 250, reducing=False)
    change_state(tmp_path / "run", "UPDATE finding SET files = ? WHERE number = 1", '{"drawn.wgsl": "fn"}')
    resumed(tmp_path / "run", [_lenient()])
    first, *others = load_run(tmp_path / "run").findings
    assert first.record.describes == DRAWN
    assert first.record.unreduced == UNREADABLE
    assert [(found.record.describes, found.record.unreduced) for found in others[:1]] == [(REDUCED, None)]
    assert not pending_of(tmp_path / "run")


def test_of_a_known_cause_fewer_and_fewer_are_reduced() -> None:
    answer = Answer(Verdict.ACCEPTS)
    known = Disagreement("fake", Kind.TOO_LENIENT, answer, cause_named("10a"))
    assert [nth for nth in range(1, 21) if is_reduced(known, nth)] == [1, 2, 3, 4, 8, 16]
    assert all(is_reduced(replace(known, cause=UNEXPLAINED), nth) for nth in range(1, 21))
    crash = Disagreement("fake", Kind.CRASH, answer, cause_named("signal 11"))
    assert [nth for nth in range(1, 21) if is_reduced(crash, nth)] == [1, 2, 3]


def test_a_finding_says_why_it_is_not_reduced(tmp_path: Path) -> None:
    ran(tmp_path / "run", [_lenient()], PLAN, 400, reducing=False)
    nth = Counter[BucketKey]()
    for found in load_run(tmp_path / "run").findings:
        nth[found.key] += 1
        on = Disagreement(found.target, found.kind, Answer(Verdict.ACCEPTS), found.record.cause)
        assert found.record.unreduced == why_unreduced(on, nth[found.key])
    known = Disagreement("fake", Kind.TOO_LENIENT, Answer(Verdict.ACCEPTS), cause_named("10a"))
    assert why_unreduced(known, 4) == ITS_TURN
    assert "number 5" in why_unreduced(known, 5)
    assert why_unreduced(known, 1, known=True) == ITS_TURN
    assert "--no-known" in why_unreduced(replace(known, kind=Kind.CRASH), 1, known=True)
