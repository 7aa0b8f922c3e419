"""Findings reduced: what only a spelling shows, what two runs show, and accounts that are about the reduced text."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.fuzz.fakes import FakeTarget, Reader, without
from tests.fuzz.runs import saved_finding
from tests.strategies.spelled import spelled
from wgsl_fuzz.fuzz.campaign.reduce_finding import FindingReducer
from wgsl_fuzz.fuzz.cases.case import Case, read_module, tiny_case
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.judging.account import account_of
from wgsl_fuzz.fuzz.judging.judge import TWO_RUNS, Cause, Disagreement, Kind, judge
from wgsl_fuzz.fuzz.reduction.search import read
from wgsl_fuzz.oracle.rules.uniformity.revisions import INTENT
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies import TINY, draw_shader


def reduced(target: FakeTarget, case: Case, found: Disagreement) -> Finding:
    reducer = FindingReducer({target.name: target}, frozenset(), CampaignGenerator(Plan(0)))
    return reducer.reduce(saved_finding(target, case, found), lambda: False)


BUGS: dict[str, tuple[Callable[[str], bool], Verdict, int]] = {
    "a for without a condition": (lambda text: "for (;;)" in text, Verdict.ACCEPTS, 4),
    "an empty statement": (lambda text: re.search(r"[;{}]\s*;", text) is not None, Verdict.INVALID, 2),
    "a comment": (lambda text: "/*" in text and read(text) is not None, Verdict.INVALID, 3),
}
"""What a text has that the target is wrong about, what it says then, and the statements that it takes at most."""


@pytest.mark.parametrize("name", BUGS)
def test_what_only_a_spelling_shows_is_reduced_with_its_plain_print(name: str) -> None:
    bug, said, most = BUGS[name]
    other = {Verdict.ACCEPTS: Verdict.REJECTS}.get(said, Verdict.ACCEPTS)
    target = Reader(lambda text: Answer(said) if bug(text) else None)
    cases = (read_module(spelled(seed), seed=seed, spelled=True) for seed in range(3000))
    case = next(c for c in cases if bug(c.text) and not bug(c.plain.text) and c.verdict is c.plain.verdict is other)
    cause = Cause(drawn=said, printed=other if said is Verdict.ACCEPTS else None)
    done = reduced(target, case, Disagreement(target.name, Kind.UNSTABLE, Answer(said), cause))
    text, plain = done.files["reduced.wgsl"], done.files["related.wgsl"]
    assert text == done.case().text
    assert bug(text)
    assert not bug(plain)
    least = done.case()
    assert least.core == read_module(plain).core is not None
    assert least.statements <= most, text
    assert done.record.related_verdicts is not None
    assert done.record.verdicts[target.name] == said.value
    assert done.record.related_verdicts[target.name] in ("accepts", "rejects")
    assert done.key.cause == cause


def test_what_two_runs_show_stays_as_it_was_drawn() -> None:
    case = tiny_case(draw_shader(3, TINY))
    target = FakeTarget(INTENT)
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
    lines = done.text.splitlines()
    told = account_of(done.case(), done.record.found)
    for line, patterns in ((r"the barrier on line (\d+)", "Barrier()"), (r"the `if` on line (\d+)", "if ")):
        assert all(patterns in lines[int(n) - 1] for said in told for n in re.findall(line, said)), told
    assert done.record.nearest is not None
    differs = done.record.nearest["differs"]
    gone = [m for d in differs if (m := re.search(r"(?:without|instead of) `([^`]+)` on line (\d+)", d))]
    assert gone, differs
    assert all(m[1].startswith(lines[int(m[2]) - 1].strip()) for m in gone)
    assert done.key == found.key


def test_another_targets_finding_is_shown_by_the_same_text() -> None:
    target, case, found = too_strict()
    other = FakeTarget(without("10b"))
    other.name = "other"
    reducer = FindingReducer({target.name: target, "other": other}, frozenset(), CampaignGenerator(Plan(0)))
    first = reducer.reduce(saved_finding(target, case, found), lambda: False)
    shared = reducer.shared(saved_finding(other, case, replace(found, target="other")), first)
    assert shared is not None
    assert shared.case() is first.case()
    assert shared.files == first.files
    assert shared.target == "other"
