"""What people read of a finding: the shortest plain text that shows it, and lines that are those of that text."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache

import pytest

from tests.fuzz.fakes import FakeTarget
from wgsl_fuzz.fuzz.campaign.minimisation import Minimisation, PendingFinding, account_as_written
from wgsl_fuzz.fuzz.campaign.minimise import Minimiser
from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.drawer import Drawer
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.cases.written import Written
from wgsl_fuzz.fuzz.judging.answers import OracleSet
from wgsl_fuzz.fuzz.judging.judge import Disagreement, Kind, judge
from wgsl_fuzz.fuzz.reduction.interestingness import InterestingnessTest
from wgsl_fuzz.fuzz.reduction.spelling import without_continues
from wgsl_fuzz.oracle.dynamics.execution import Execution
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.revisions import REVERSIONS
from wgsl_fuzz.oracle.rules.rule_set import PAPER
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.tinywgsl.ast import Loop, Shader, walk
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.wgsl.reading import parse, parse_with_positions
from wgsl_fuzz.wgsl.spelling import ALL

RULES = REVERSIONS["10b"]


class Picky(FakeTarget):
    """Answers by rules, but accepts texts of which `spared` holds."""

    def __init__(self, spared: Callable[[str], bool]) -> None:
        super().__init__(RULES)
        self._spared = spared
        self._texts: deque[list[str]] = deque()

    def submit(self, texts: Sequence[str]) -> None:
        self._texts.append(list(texts))
        super().submit(texts)

    def collect(self) -> list[Answer]:
        answers = zip(self._texts.popleft(), super().collect())
        return [Answer(Verdict.ACCEPTS) if self._spared(text) else answer for text, answer in answers]


def leaves_unsaid(text: str) -> bool:
    return print_shader(parse(text)) != text


@cache
def too_strict() -> Shader:
    """A shader with loops that the rules before the change of Fig. 10b reject, and the reference does not."""
    drawn = (draw_shader(seed) for seed in range(5000))
    return next(
        s for s in drawn if analyse(s).verdict is Verdict.ACCEPTS and analyse(s, RULES).verdict is Verdict.REJECTS
    )


def completed(target: FakeTarget) -> Minimisation:
    case = Case(too_strict())
    found = judge(
        case.shader,
        case.verdict,
        lambda: Execution(Outcome.NOT_SEEN, 0),
        {target.name: Answer(Verdict.REJECTS, "error: not uniform")},
        frozenset(),
    )[0]
    work = Minimiser({target.name: target}, frozenset(), Drawer(Plan(0)))
    return work.complete(PendingFinding(case, found, first=False, index=0), lambda: False)


@cache
def plain() -> Minimisation:
    """What a target gives whose analysis has the rules before that change."""
    return completed(FakeTarget(RULES))


def case_of(done: Minimisation) -> Case:
    assert isinstance(done.case, Case)
    return done.case


def test_a_reduced_text_does_not_say_what_the_end_of_a_loop_says() -> None:
    done = plain()
    text = done.files["reduced.wgsl"]
    assert any(isinstance(s, Loop) for s in walk(case_of(done).shader.main.body))
    assert leaves_unsaid(text)
    assert parse(text) == case_of(done).shader
    assert text == print_shader(case_of(done).shader, tacit=True)
    nearest = done.files["nearest.wgsl"]
    assert nearest == print_shader(parse(nearest), tacit=True)
    assert done.nearest is not None
    differs = done.nearest.differs
    gone = [m for line in differs if (m := re.search(r"(?:without|instead of) `([^`]+)` on line (\d+)", line))]
    assert gone, differs
    assert all(m[1].startswith(text.splitlines()[int(m[2]) - 1].strip()) for m in gone)


def test_where_that_text_does_not_show_it_all_is_said() -> None:
    done = completed(Picky(leaves_unsaid))
    assert done.files["reduced.wgsl"] == print_shader(case_of(done).shader)
    assert done.found.answer.verdict is Verdict.REJECTS


class Forgiving(FakeTarget):
    """Answers by the paper's rules, but accepts every text with `for (;;)`: two spellings, two verdicts."""

    def __init__(self) -> None:
        super().__init__(PAPER)
        self._texts: deque[list[str]] = deque()

    def submit(self, texts: Sequence[str]) -> None:
        self._texts.append(list(texts))
        super().submit(texts)

    def collect(self) -> list[Answer]:
        answers = zip(self._texts.popleft(), super().collect())
        return [Answer(Verdict.ACCEPTS) if "for (;;)" in text else answer for text, answer in answers]


def test_a_spelled_text_does_not_say_it_either() -> None:
    drawn = (Case(draw_shader(seed), written=Written(ALL, seed)) for seed in range(5000))
    case = next(c for c in drawn if "for (;;)" in c.text and c.verdict is Verdict.REJECTS)
    target = Forgiving()
    cause = "accepts as drawn, rejects as printed"
    found = Disagreement(target=target.name, kind=Kind.UNSTABLE, cause=cause, answer=Answer(Verdict.ACCEPTS))
    work = Minimiser({target.name: target}, frozenset(), Drawer(Plan(0)))
    done = work.complete(PendingFinding(case, found, first=False, index=0), lambda: False)
    text = done.files["reduced.wgsl"]
    assert "for (;;)" in text
    assert without_continues(text, lambda _: True) == text
    assert done.case.text == text


def places_that_fit(told: Sequence[str], text: str) -> int:
    """How many places are named, each of which must be one of such a thing."""
    lines, named = text.splitlines(), 0
    for what, pattern in (("the barrier", "Barrier()"), ("the `if`", "if ")):
        for line in (int(n) for said in told for n in re.findall(rf"{what} on line (\d+)", said)):
            named += 1
            assert pattern in lines[line - 1], told
    return named


def test_the_lines_of_an_account_are_those_of_the_text() -> None:
    done = plain()
    assert places_that_fit(account_as_written(done.case, done.found), done.case.text) >= 2
    parsed = parse_with_positions(done.case.text)
    mine, theirs = case_of(done).printed.positions, parsed.positions
    pairs = zip(walk(case_of(done).shader.main.body), walk(parsed.shader.main.body), strict=True)
    assert all(mine[id(s)] == theirs[id(t)] for s, t in pairs)


@pytest.mark.parametrize("seed", range(12))
def test_an_account_of_a_spelled_text_is_about_its_lines(seed: int) -> None:
    found = plain().found
    spelled = Case(too_strict(), written=Written(ALL, seed))
    assert places_that_fit(account_as_written(spelled, found), spelled.text) >= 1


@pytest.mark.parametrize("picky", [False, True])
def test_what_is_kept_is_kept_by_the_text_shown(picky: bool) -> None:
    target = Picky(leaves_unsaid) if picky else FakeTarget(RULES)
    keeper = InterestingnessTest(
        OracleSet(True, False, (target,)), {"fake": target}, {"paper": "accepts", "fake": "rejects"}
    )
    shader = too_strict()
    text = keeper.briefly(shader)
    assert text == print_shader(shader, tacit=not picky)
    assert leaves_unsaid(text) is not picky
    assert keeper.shows(shader, text)
