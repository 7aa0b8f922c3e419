"""Compares verdicts: which answers are findings, of which kind, and by which cause (docs/words.md)."""

from collections.abc import Callable, Iterable, Mapping

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.judging.departures import departures_of_all, is_expected, rules_of
from wgsl_fuzz.fuzz.judging.kinds import (
    ANOTHER_MEMORY,
    COUNTEREXAMPLE,
    NO_ANALYSIS,
    REFERENCES_DIFFER,
    UNEXPLAINED,
    VERDICTS_DIFFER,
    Cause,
    Disagreement,
    Kind,
)
from wgsl_fuzz.fuzz.judging.without_reference import cause_of_failure, judge_unread
from wgsl_fuzz.oracle.dynamics.modules.execution import Execution
from wgsl_fuzz.oracle.rules.analyses import SECTION_4_2
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict
from wgsl_fuzz.strategies.edit.constancy import may_be_refused
from wgsl_fuzz.wgsl.problems import WgslError


def kind_of(reference: Verdict, answer: Answer, diverges: Callable[[], bool]) -> Kind | None:
    """The kind of finding that `answer` is, if any; `diverges` asks the semantics and is called only if needed."""
    match answer.verdict:
        case Verdict.CRASHED:
            return Kind.CRASH
        case Verdict.TIMED_OUT:
            return Kind.HANG
        case Verdict.INVALID:
            return Kind.INVALID
        case Verdict.REJECTS:
            return Kind.TOO_STRICT if reference is Verdict.ACCEPTS else None
        case Verdict.ACCEPTS:
            if diverges():
                return Kind.UNSOUND
            return Kind.TOO_LENIENT if reference is Verdict.REJECTS else None
        case Verdict.MISCOMPILES:
            return Kind.MISCOMPILED
        case Verdict.UNSUPPORTED:
            return None


def judge(
    case: Case,
    answers: Mapping[str, Answer],
    without_analysis: frozenset[str] = frozenset(),
    *,
    valid: bool = False,
    executed: bool = True,
    execution: Execution | None = None,
    known_first: bool = False,
) -> list[Disagreement]:
    """The findings among the answers to one case.

    INVALID is a finding only if the shader is known to be `valid` or has a core: the reference is no type checker.
    If not `executed`, a wrong *accepts* is too lenient, never unsound; with `known_first` only if the target's known
    departures explain it. An `execution` that diverges refutes *accepts* of the reference, also if all targets accept;
    without one the shader is executed only if it is disputed. Without a verdict of the reference, the targets are
    compared with each other.
    """
    if case.verdict is Verdict.INVALID:
        return judge_unread(answers, without_analysis) if len(answers) > 1 else []

    def diverges() -> bool:
        return executed and (execution or case.execute()).outcome is Outcome.DIVERGES

    disagreements = []
    expected = {target for target, answer in answers.items() if known_first and is_expected(target, case, answer)}
    disputed = any(a.verdict is Verdict.REJECTS for target, a in answers.items() if target not in expected)
    if case.verdict is Verdict.ACCEPTS and (disputed or execution) and diverges():
        disagreements.append(Disagreement(SECTION_15_2, Kind.UNSOUND, Answer(case.verdict), COUNTEREXAMPLE))
    for target, answer in answers.items():
        kind = kind_of(case.verdict, answer, diverges if target not in expected else lambda: False)
        if kind is not None and (valid or kind is not Kind.INVALID or case.core is not None):
            cause = cause_of(case, target, kind, answer, target not in without_analysis)
            disagreements.append(Disagreement(target, kind, answer, cause, target in expected))
    return disagreements


def cause_of(case: Case, target: str, kind: Kind, answer: Answer, has_analysis: bool = True) -> Cause:
    """The cause of a disagreement: for a wrong verdict, the fewest departures that give it."""
    if kind in (Kind.HANG, Kind.INVALID, Kind.CRASH):
        return cause_of_failure(kind, answer)
    if kind is Kind.MISCOMPILED:
        return ANOTHER_MEMORY
    if kind in (Kind.TOO_LENIENT, Kind.UNSOUND) and not has_analysis:
        return NO_ANALYSIS
    if answer.verdict is case.verdict:
        return COUNTEREXAMPLE
    departures = departures_of_all(target, [(case, answer.verdict)])
    return Cause(departures) if departures else UNEXPLAINED


def cause_of_broken(relation: str, target: str, said: Iterable[tuple[Case, Answer]]) -> Cause:
    """The cause of a broken relation; `said` has the target's answers about the text and its twin.

    The cause is the relation, with the departures that give the wrong verdicts. The reference keeps all relations, so
    one verdict at least is wrong. If a wrong verdict has no departures, the cause is the relation alone.
    """
    wrong = [(case, answer) for case, answer in said if answer.verdict is not case.verdict]
    causes = [cause_of(case, target, Kind.METAMORPHIC, answer) for case, answer in wrong]
    names = () if UNEXPLAINED in causes else dict.fromkeys(name for cause in causes for name in cause.departures)
    return Cause(tuple(names), relation=relation)


def cause_of_spelling(case: Case, disagreement: Disagreement, printed: Answer) -> Cause:
    """The cause of verdicts that a shader's spelling changes: both verdicts, and the departures that give both."""
    said = (case, disagreement.answer.verdict), (case.plain, printed.verdict)
    departures = departures_of_all(disagreement.target, said)
    return Cause(departures, drawn=disagreement.answer.verdict, printed=printed.verdict)


def shows(
    candidate: Case,
    case: Case,
    disagreement: Disagreement,
    ask: Callable[[str], Answer],
    diverges: Callable[[Case], bool],
    has_analysis: bool,
) -> bool:
    """Whether a smaller shader shows a finding about a target: of the same kind, by the same cause.

    `ask` gives the target's answer to a text, and is called last; `diverges` is asked only about unsoundness.
    """
    if not _may_show(candidate, case, disagreement):
        return False
    answer = ask(candidate.text)
    if answer.verdict is Verdict.INVALID and may_be_refused(candidate.resolution):
        return False  # then the compiler may be right about it
    kind = kind_of(candidate.verdict, answer, lambda: disagreement.kind is Kind.UNSOUND and diverges(candidate))
    if kind is None or kind is not disagreement.kind:
        return False
    return cause_of(candidate, disagreement.target, kind, answer, has_analysis) == disagreement.cause


def shows_of_ours(candidate: Case, case: Case, disagreement: Disagreement, diverges: Callable[[Case], bool]) -> bool:
    """The same for a finding about our own analyses."""
    if not _may_show(candidate, case, disagreement):
        return False
    if disagreement.kind is not Kind.REFERENCE:
        return diverges(candidate)
    return candidate.paper is disagreement.answer.verdict


def _may_show(candidate: Case, case: Case, disagreement: Disagreement) -> bool:
    """What costs least, since most candidates fail here: the reference's verdict, and that of the known departures."""
    try:
        if disagreement.kind in VERDICTS_DIFFER | {Kind.REFERENCE} and candidate.verdict is not case.verdict:
            return False
    except WgslError:
        return False
    if disagreement.kind is Kind.REFERENCE:
        return True
    rules = rules_of(disagreement.cause.explains)
    return rules is None or candidate.verdict_under(rules) is disagreement.answer.verdict


def difference_of_references(case: Case) -> list[Disagreement]:
    """The finding that the paper and section 15.2 disagree on a shader with a core; empty if they agree."""
    if case.paper in (None, case.verdict):
        return []
    return [Disagreement(SECTION_4_2, Kind.REFERENCE, Answer(case.paper), REFERENCES_DIFFER)]
