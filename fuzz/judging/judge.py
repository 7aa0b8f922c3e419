"""Compares verdicts: what is a finding, and its kind and cause (docs/words.md)."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import Enum

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.judging.departures import departures_of_all, is_expected, rules_of
from wgsl_fuzz.oracle.dynamics.modules.execution import Execution
from wgsl_fuzz.oracle.rules.analyses import SECTION_4_2, is_variant, renamed, with_full_names
from wgsl_fuzz.oracle.rules.rule_file import SUFFIX
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict
from wgsl_fuzz.strategies.edit.constancy import may_be_refused
from wgsl_fuzz.strategies.edit.relations import RELATION
from wgsl_fuzz.wgsl.problems import WgslError


class Kind(Enum):
    """The kinds of findings, most severe first."""

    UNSOUND = "unsound"
    MISCOMPILED = "miscompiled"
    TOO_LENIENT = "too-lenient"
    TOO_STRICT = "too-strict"
    INVALID = "invalid"
    CRASH = "crash"
    HANG = "hang"
    UNSTABLE = "unstable"
    METAMORPHIC = "metamorphic"
    TARGETS_DIFFER = "targets-differ"
    REFERENCE = "reference"
    """The paper and the specification judge a shader differently: a fault of ours, or of one of the texts."""


VERDICTS_DIFFER = frozenset({Kind.UNSOUND, Kind.TOO_LENIENT, Kind.TOO_STRICT})
"""The kinds about the uniformity analysis; the others are about the target as a program."""


HAVE_FINE_KEYS = VERDICTS_DIFFER | {Kind.MISCOMPILED}
"""Kinds with a fine key: the reduced shader says more than the raw key."""

REFERENCES = frozenset({SECTION_4_2, SECTION_15_2})
"""Our own analyses. They are not among the targets; a finding about one of them is about the rules."""

_VERDICT = "|".join(verdict.value for verdict in Verdict)
_SPELLING = re.compile(f"({_VERDICT}) (?:as drawn, ({_VERDICT}) as printed(?:: (.+))?|only as drawn: (.*))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cause:
    """Why an answer is wrong, as far as that is known. Its text is the last part of a raw bucket's name."""

    departures: tuple[str, ...] = ()
    """The departures from the rules, or a broken variant, that give the verdict, by name."""
    told: str = ""
    """Without departures, other words: such as the wording of a message."""
    relation: str = ""
    """The name of a broken relation. The departures then give the wrong verdicts on the two shaders."""
    drawn: Verdict | None = None
    """The verdict on the text, where that depends on how the text is spelled; None where it does not."""
    printed: Verdict | None = None
    """The verdict on the plain print; None if the plain print shows no finding."""
    forms: tuple[str, ...] = ()
    """The surface forms that the finding needs, if they are known."""

    def __str__(self) -> str:
        why = "+".join(self.departures) or self.told
        if self.relation:
            return f"{self.relation} by {why}" if why else self.relation
        if self.drawn is None:
            return why
        if self.printed is None:
            why = f"{self.drawn.value} only as drawn: {why}"
        else:
            both = f"{self.drawn.value} as drawn, {self.printed.value} as printed"
            why = f"{both}: {why}" if why else both
        return f"{why}: {', '.join(self.forms)}" if self.forms else why

    @classmethod
    def parse(cls, text: str) -> "Cause":
        """The cause that has this text, in a file."""
        if match := _SPELLING.fullmatch(text):
            printed = Verdict(match[2]) if match[2] else None
            return replace(cls._of_one_text(match[3] or match[4] or ""), drawn=Verdict(match[1]), printed=printed)
        relation, by, why = text.partition(" by ")
        if relation in RELATION and bool(by) is bool(why):
            return replace(cls._of_one_text(why), relation=relation)
        return cls._of_one_text(text)

    @classmethod
    def _of_one_text(cls, text: str) -> "Cause":
        names = tuple(text.split("+"))
        known = all(is_variant(name) or name.endswith(SUFFIX) for name in names)
        return cls(departures=names) if known else cls(told=text)

    @property
    def is_about_spelling(self) -> bool:
        """Whether the verdict depends on how the text is spelled."""
        return self.drawn is not None

    @property
    def compares_spellings(self) -> bool:
        """Whether the verdict on the text is held against that on its plain print."""
        return self.printed is not None

    @property
    def explains(self) -> tuple[str, ...]:
        """The departures that give the verdict on a text as such; none where two texts are compared."""
        return () if self.relation or self.is_about_spelling else self.departures

    @property
    def tells_apart(self) -> tuple[str, ...]:
        """The departures that tell two texts apart, if they are known."""
        return self.departures if self.relation or self.compares_spellings else ()


NO_ANALYSIS = Cause(told="uniformity not implemented")
UNEXPLAINED = Cause(told="no reversal explains it")
COUNTEREXAMPLE = Cause(told="counterexample to Theorem 4.1")
ANOTHER_MEMORY = Cause(told="leaves another memory")
REFERENCES_DIFFER = Cause(told="the references differ")
NO_ANSWER = Cause(told="no answer in time")
TWO_RUNS = Cause(told="two runs of one text")

_KEY = re.compile(f"(.+?) ({'|'.join(kind.value for kind in Kind)}) (.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class BucketKey:
    """A raw key, as text `TARGET KIND CAUSE`. A key without a kind covers all kinds."""

    target: str
    kind: Kind | None
    cause: Cause

    def __str__(self) -> str:
        return f"{self.target} {self.cause}" if self.kind is None else f"{self.target} {self.kind.value} {self.cause}"

    @classmethod
    def of(cls, target: str, kind: Kind, cause: Cause) -> "BucketKey":
        """The raw bucket of a finding; one for all kinds of a target that has no uniformity analysis."""
        return cls.without_analysis(target) if cause == NO_ANALYSIS else cls(target, kind, cause)

    @classmethod
    def without_analysis(cls, target: str) -> "BucketKey":
        """The one raw key of a target that has no uniformity analysis."""
        return cls(target, None, NO_ANALYSIS)

    @classmethod
    def parse(cls, text: str) -> "BucketKey":
        """The raw key that `text` is, with the full names of variants; raises ValueError if it is none."""
        if old := renamed(text):
            raise ValueError(old)
        text = with_full_names(text)
        if match := _KEY.fullmatch(text):
            return cls(match[1], Kind(match[2]), Cause.parse(match[3]))
        target = text.removesuffix(f" {NO_ANALYSIS}")
        if target in ("", text):
            raise ValueError(f"no bucket, such as `tint@0.6.2 too-strict tint/while-always-iterates`: {text!r}")
        return cls.without_analysis(target)

    @property
    def described(self) -> str:
        """Its text without target and kind."""
        return str(self.cause)

    @property
    def plain(self) -> "BucketKey":
        """For a fault of the front end that only a spelling shows, the key of that fault; otherwise itself."""
        cause = self.cause
        if self.kind is not Kind.UNSTABLE or cause.drawn is not Verdict.INVALID or cause.compares_spellings:
            return self
        return BucketKey(self.target, Kind.INVALID, replace(cause, drawn=None))


@dataclass(frozen=True, slots=True)
class FineKey:
    """A raw key, the rules on the witness path and the constructs left, as text `RAW | RULES | CONSTRUCTS`."""

    raw: BucketKey
    rules: str
    constructs: str

    def __str__(self) -> str:
        return f"{self.raw} | {self.rules} | {self.constructs}"

    @classmethod
    def parse(cls, text: str) -> "FineKey":
        """The fine key that `text` is; raises ValueError if it is none."""
        raw, *more = text.rsplit(" | ", 2)
        key = BucketKey.parse(raw)
        if len(more) != 2 or key.kind not in HAVE_FINE_KEYS:
            raise ValueError(f"no fine bucket: {text!r}")
        return cls(key, *more)

    @property
    def target(self) -> str:
        """The oracle that it is about."""
        return self.raw.target

    @property
    def cause(self) -> Cause:
        """The raw key's cause."""
        return self.raw.cause

    @property
    def described(self) -> str:
        """Its text without target and kind."""
        return f"{self.cause} | {self.rules} | {self.constructs}"


Key = FineKey | BucketKey
"""By which findings are put together."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Which explanations of a finding also fit the target's verdicts on neighbours (`fuzz.judging.certainty`)."""

    asked: int
    """The number of neighbours with a verdict."""
    names: tuple[str, ...] = ()
    """The cause and the branches (by variant name) that fit the verdicts on all these neighbours."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One oracle's answer that is a finding, and the raw key by which findings are counted together."""

    target: str
    kind: Kind
    answer: Answer
    cause: Cause
    expected: bool = False
    """Whether known departures of the target explain it, so that nothing was executed."""

    @property
    def key(self) -> BucketKey:
        """The raw bucket."""
        return BucketKey.of(self.target, self.kind, self.cause)


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


def cause_of_failure(kind: Kind, answer: Answer) -> Cause:
    """The cause of a crash, a hang or an invalid shader: the wording of the message, or no answer."""
    return NO_ANSWER if kind is Kind.HANG else Cause(told=signature(answer.message))


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


_LONGEST = 300
_QUOTED = re.compile(r"(?<!\S)(['`\"]).*?\1(?!\w)\S*")
"""A quoted name, perhaps of several words, and the characters attached to its end."""
_PLACE = re.compile(r"^line \d+, column \d+: ")
"""How our own rules say where something is."""


def signature(message: str) -> str:
    """A compiler's message without its positions, numbers and quoted names.

    Only the first line with `error` counts; if it ends in `is invalid`, the reason on the next line is added.
    """
    lines = message.splitlines() or [""]
    at = next((i for i, line in enumerate(lines) if "error" in line), 0)
    told = _steady(lines[at])
    reason = lines[at + 1] if at + 1 < len(lines) else ""
    if told.endswith("is invalid") and reason.startswith("= "):
        told = f"{told}: {_steady(reason.removeprefix('= '))}"
    return told if len(told) <= _LONGEST else f"{told[:_LONGEST].rpartition(' ')[0] or told[:_LONGEST]} …"


def _steady(line: str) -> str:
    """A line without numbers and quoted names."""
    words = _QUOTED.sub("", _PLACE.sub("", line)).split()
    return " ".join(w for w in words if not any(c.isdigit() for c in w) and not w.startswith(("'", "`", '"')))


# ------------------------------------------------------------------- targets compared with each other

# Crashes and hangs are faults without any reference. A person must decide which side of a difference is right.

_FAILURES = {Verdict.CRASHED: Kind.CRASH, Verdict.TIMED_OUT: Kind.HANG}


_Verb = tuple[str, str]
"""A verb phrase in the singular and the plural."""
_ACCEPTS, _REJECTS, _READS = ("accepts", "accept"), ("rejects", "reject"), ("reads it", "read it")


def judge_unread(answers: Mapping[str, Answer], without_analysis: frozenset[str] = frozenset()) -> list[Disagreement]:
    """The findings among the answers to a text that no reference judges, by the names of the targets."""
    failing = [(name, one, kind) for name, one in answers.items() if (kind := _FAILURES.get(one.verdict)) is not None]
    failures = [Disagreement(name, kind, answer, cause_of_failure(kind, answer)) for name, answer, kind in failing]
    return sorted([*failures, *differences(answers, without_analysis)], key=lambda one: one.target)


def differences(answers: Mapping[str, Answer], without_analysis: frozenset[str] = frozenset()) -> list[Disagreement]:
    """The differences between targets: a finding for each that refuses what another reads, and for each in a minority.

    The minority of *accepts* and *rejects* has the findings; in a tie, those that reject. A target without a uniformity
    analysis does not count there: it only reads or refuses a text. Causes name the other targets.
    """
    names = sorted(answers)
    accepting = [name for name in names if answers[name].verdict is Verdict.ACCEPTS]
    rejecting = [name for name in names if answers[name].verdict is Verdict.REJECTS]
    refusing = [name for name in names if answers[name].verdict is Verdict.INVALID]
    reading = sorted([*accepting, *rejecting])
    disagreements = []
    for name in refusing if reading else ():
        cause = Cause(told=f"refuses where {_who(reading, _READS)}: {signature(answers[name].message)}")
        disagreements.append(Disagreement(name, Kind.TARGETS_DIFFER, answers[name], cause))
    analysing = [name for name in accepting if name not in without_analysis]
    if analysing and rejecting:
        few, many, does, do = rejecting, analysing, _REJECTS, _ACCEPTS
        if len(analysing) < len(rejecting):
            few, many, does, do = analysing, rejecting, _ACCEPTS, _REJECTS
        cause = Cause(told=f"{does[0]} where {_who(many, do)}")
        disagreements += [Disagreement(name, Kind.TARGETS_DIFFER, answers[name], cause) for name in few]
    return sorted(disagreements, key=lambda one: one.target)


def _who(names: Sequence[str], verb: _Verb) -> str:
    """`a accepts`, `a and b accept`."""
    return f"{' and '.join(names)} {verb[len(names) > 1]}"


def still_differs(before: Mapping[str, Answer], ask: Callable[[str], Answer], disagreement: Disagreement) -> bool:
    """Whether a smaller text shows a finding: the targets of `before` say the same as there, for the same reason.

    `ask` gives the answer of a target, and is called until one differs.
    """
    return all(
        (answer := ask(name)).verdict is said.verdict
        and (name != disagreement.target or _same_reason(answer, said, disagreement))
        for name, said in before.items()
    )


def _same_reason(answer: Answer, before: Answer, disagreement: Disagreement) -> bool:
    """Whether a crash or *invalid* has the same wording as before; the reason of *rejects* does not matter."""
    if disagreement.kind is Kind.CRASH or answer.verdict is Verdict.INVALID:
        return signature(answer.message) == signature(before.message)
    return True


Words = tuple[str | None, ...]
"""An oracle's verdicts on the one or two texts of a finding."""


def sharing(target: str, said: Mapping[str, Words], without_analysis: Set[str] = frozenset()) -> tuple[str, ...]:
    """The other targets with the same verdicts on a finding's texts as `target`, sorted by name.

    A target without a uniformity analysis accepts every well-formed text, so it never shares an *accepts*.
    """
    own = said.get(target)
    silent = without_analysis if own is not None and Verdict.ACCEPTS.value in own else frozenset[str]()
    if own is None or target in silent:
        return ()
    return tuple(sorted(name for name in said.keys() - {target} - silent if said[name] == own))
