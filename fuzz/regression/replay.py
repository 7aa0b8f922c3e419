"""The corpus as a regression test: what targets say now, against what is recorded.

A target without a record is taken to be recorded as agreeing with the reference. A version without a
record is compared with the record of another version (`record_for`).
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from wgsl_fuzz.fuzz.cases.case import SEMANTICS
from wgsl_fuzz.fuzz.findings.records import RecordedVerdict
from wgsl_fuzz.fuzz.judging.account import rejection_of, short_account
from wgsl_fuzz.fuzz.judging.answers import Examination, HangLimit, OracleSet, Progress, ask_all, hang_limit_for_files
from wgsl_fuzz.fuzz.judging.kinds import BucketKey, Disagreement
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression import corpus
from wgsl_fuzz.fuzz.regression.corpus import CorpusCase
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, Notion
from wgsl_fuzz.oracle.rules.analyses import SECTION_4_2
from wgsl_fuzz.oracle.rules.uniformity.revisions import WGSL_RULE_SETS
from wgsl_fuzz.oracle.targets.protocol import Target, as_local, families_of, is_akin, prefix_of, spec_of
from wgsl_fuzz.oracle.verdict import Verdict


class ReplayStatus(Enum):
    """How an answer stands to the record; the last two fail a replay, but for what is new and known."""

    STILL = "still"
    """As recorded, right or wrong."""
    FIXED = "fixed"
    """Recorded as wrong, and now as the reference says."""
    CHANGED = "changed"
    """Neither as recorded nor as the reference says."""
    NEW = "new"
    """No record of this target, and not as the reference says."""

    @property
    def fails(self) -> bool:
        """Whether a replay with such an answer ends with exit status 1, if nobody knows it."""
        return self in (ReplayStatus.CHANGED, ReplayStatus.NEW)


Said = tuple[Verdict, Verdict | None]
"""A target's verdicts on a case's text and on its second text, if it has one."""


def word_of(said: object, recorded: object | None, right: Sequence[object]) -> ReplayStatus:
    """The word for an answer; `right` holds the answers that would be as the reference says."""
    if said == recorded:
        return ReplayStatus.STILL
    if said in right:
        return ReplayStatus.STILL if recorded is None else ReplayStatus.FIXED
    return ReplayStatus.NEW if recorded is None else ReplayStatus.CHANGED


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One oracle's answer to one case."""

    case: CorpusCase
    oracle: str
    word: ReplayStatus
    said: str
    expected: str
    recorded: str | None
    """What the record has it say; None if there is none."""
    record: str | None = None
    """The target whose record is used: another version's, if this one has none."""
    kind: str | None = None
    """The kind of finding that it is, where it disagrees."""
    bucket: BucketKey | None = None
    issue: str | None = None
    details: tuple[str, ...] = ()
    """For people, where the word fails: why."""
    fresh: RecordedVerdict | None = None
    """What would be recorded of this answer."""
    strict: bool = False
    """Whether FIXED fails, too: a fault that is repaired has to be recorded, or it could return unnoticed."""
    is_known: bool = False
    """Whether a known-file has the bucket: what is new of the target is no news then."""

    @property
    def fails(self) -> bool:
        """Whether a replay with this answer ends with exit status 1."""
        if self.word is ReplayStatus.NEW:
            return not self.is_known
        return self.word.fails or (self.strict and self.word is ReplayStatus.FIXED)

    @property
    def disagrees(self) -> bool:
        """Whether it is known to disagree with the reference, or does so now."""
        return self.kind is not None


@dataclass(slots=True)
class Replay:
    """All results, in the order of cases and oracles."""

    results: list[CaseResult] = field(default_factory=list)
    unreadable: dict[Path, str] = field(default_factory=dict)
    """Why the reference cannot judge a file: it is no WGSL, or not TinyWGSL where it has to be."""
    specs: dict[str, str] = field(default_factory=dict)
    """What opens each target, by its name."""
    like: str | None = None
    """The target whose record counts where one of its family has none."""

    @property
    def words(self) -> Counter[ReplayStatus]:
        """How many answers there are of each word."""
        return Counter(result.word for result in self.results)

    @property
    def unreadable_lines(self) -> list[str]:
        """A line for each file that cannot be judged."""
        return [f"{path}: {problem}" for path, problem in self.unreadable.items()]

    @property
    def status(self) -> int:
        """The exit status: 2 if a file cannot be judged, 1 if an answer is not as it should be, else 0."""
        return 2 if self.unreadable else int(any(result.fails for result in self.results))


def load_texts(folder: Path | None) -> list[CorpusCase]:
    """The text of a file; the cases and the plain *.wgsl files of a folder, by default the shipped corpus's.

    Raises Problem if there are none.
    """
    if folder is not None and folder.exists() and not folder.is_dir():  # a pipe, too
        return [corpus.plain_case(folder, str(folder))]
    cases = corpus.load_cases(folder)
    if folder is not None and not (folder / corpus.CASE).exists():
        cases += [corpus.plain_case(path, path.stem) for path in sorted(folder.glob("*.wgsl"))]
    if not cases:
        raise Problem(f"there is nothing to replay in {folder}: no */{corpus.CASE} and no *.wgsl")
    return cases


def check_like(like: str | None, cases: Sequence[CorpusCase]) -> None:
    """Raises Problem for a record that no case has, naming those that there are."""
    names = {name for case in cases for name in case.verdicts}
    if like is not None and like not in names:
        raise Problem(f"nothing is recorded of {like!r}; recorded: {', '.join(sorted(names)) or 'nothing'}")


def record_for(name: str, verdicts: Mapping[str, RecordedVerdict], like: str | None = None) -> str | None:
    """The name whose record a target is compared with: the target's own, else `like` if both are of one family.

    A version without a record (`tint@0.6.3`) is compared with the newest one before it (`tint@0.6.2`), else with the
    oldest. A command (`tint:/path`) may be of any version, so it has none: None. A page's browser is compared as that
    of a machine. A browser of a kind without records is compared with the newest of its compiler.
    """
    name = as_local(name)
    if name in verdicts:
        return name
    if like is not None and is_akin(name, like) and like in verdicts:
        return like
    version = _version(name)
    if version is None:
        return None
    own, *_ = families = families_of(name)
    for family in families:
        others = {v: other for other in verdicts if prefix_of(other) == family and (v := _version(other))}
        before = [v for v in others if v <= version or family != own]
        if others:
            return others[max(before) if before else min(others)]
    return None


def _version(name: str) -> tuple[int, ...] | None:
    """`naga@29.0.1.1` as numbers; None for other names."""
    parts = name.partition("@")[2].removesuffix("esr").split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else None


def replay(
    cases: Sequence[CorpusCase],
    targets: Sequence[Target],
    like: str | None = None,
    notion: Notion = CONTROL_STACKS,
    progress: Progress = lambda _: None,
) -> Replay:
    """Asks the targets about all cases, and the reference and the semantics meanwhile. Raises TargetError, also if
    one hangs on several cases in a row of which no hang is recorded.

    `notion` is what counts as convergence; what a case of the corpus records is by the paper's.
    """
    texts = [case.text for case in cases]
    seconds = [case.second.text for case in cases if case.second is not None]
    oracles = OracleSet(True, True, tuple(targets), notion)
    # What is filed without an outcome says nothing of executions.
    executed = {text for case in cases if not case.filed or case.outcome is not None for text in case.texts.values()}
    unexecuted = {*texts, *seconds} - executed
    examined = ask_all([*texts, *seconds], oracles, _hang_limit(cases), progress, unexecuted=unexecuted)
    others = iter(examined[len(texts) :])
    done = Replay(specs={target.name: spec_of(target) for target in targets}, like=like)
    for case, first in zip(cases, examined):
        second = None if case.second is None else next(others)
        if problem := first.case.problem or ("" if second is None else second.case.problem):
            done.unreadable[case.path] = problem
            continue
        if not case.filed:
            case = replace(case, expected=first.case.verdict, outcome=first.case.outcome)
        if case.ours:
            done.results += _ours(case, first)
        done.results += [_answered(case, first, second, target, like) for target in targets]
    return done


def _hang_limit(cases: Sequence[CorpusCase]) -> HangLimit:
    files: dict[str, Path] = {}
    may_hang: set[str] = set()
    for case in cases:
        own = {text: case.path.with_name(file) for file, text in case.texts.items()}
        files |= own
        if any(Verdict.TIMED_OUT in (one.verdict, one.second) for one in case.verdicts.values()):
            may_hang.update(own)
    return hang_limit_for_files(files, may_hang)


def _ours(case: CorpusCase, first: Examination) -> list[CaseResult]:
    """The references and the semantics against their records."""
    read = first.case
    pairs = [(case.rules, read.verdict_under(WGSL_RULE_SETS[case.rules]).value, case.expected.value)]
    if (paper := read.paper) not in (None, read.verdict):  # the references differ
        pairs.append((SECTION_4_2, paper.value, read.verdict.value))
    if case.outcome is not None:
        pairs.append((SEMANTICS, read.ask_semantics()[0], case.outcome.value))
    return [
        CaseResult(case, oracle, word_of(said, recorded, (recorded,)), said, recorded, recorded, oracle)
        for oracle, said, recorded in pairs
    ]


def _answered(
    case: CorpusCase, first: Examination, second: Examination | None, target: Target, like: str | None
) -> CaseResult:
    """A target's answer against its record."""
    said: Said = (first.answers[target.name].verdict, second.answers[target.name].verdict if second else None)
    valid = first.case.core is not None
    expected: Said = (case.expected, case.second.expected if case.second else None)
    record = record_for(target.name, case.verdicts, like)
    recorded = None if record is None else case.verdicts[record]
    right = right_answers(expected, target)
    if recorded is None:
        allowed = {Verdict.UNSUPPORTED} | (set() if valid else {Verdict.INVALID})
        right += [_unless(allowed, said, one) for one in right]
    before = None if recorded is None else (recorded.verdict, recorded.second)
    if before is not None and said[0] is Verdict.UNSUPPORTED:
        # What another build knows says nothing of this one; and some that lacked a feature were recorded as invalid.
        before = said if record != as_local(target.name) or before[0] is Verdict.INVALID else before
    word = word_of(said, before, right)
    found = _finding(first, second, target)
    kind, cause = (found.kind, found.cause) if found else (None, None)
    chosen = record is not None and prefix_of(record) == prefix_of(target.name)  # by a person, perhaps
    if word is ReplayStatus.STILL and chosen and recorded is not None and recorded.cause is not None:
        kind, cause = recorded.kind, recorded.cause
    fresh = corpus.classified(
        RecordedVerdict(*said), case.expected, case.outcome, case.second, kind, cause, valid=valid
    )
    return CaseResult(
        case,
        target.name,
        word,
        shown(said),
        shown(expected),
        None if recorded is None else shown((recorded.verdict, recorded.second)),
        record,
        None if fresh.kind is None else fresh.kind.value,
        fresh.bucket_of(target.name),
        None if fresh.kind is None else case.issue,
        _details(first, second, found) if word.fails else (),
        fresh,
    )


def right_answers(expected: Said, target: Target) -> list[Said]:
    """The answers that are as the reference says."""
    if target.checks_uniformity:
        return [expected]
    return [expected, (Verdict.ACCEPTS, None if expected[1] is None else Verdict.ACCEPTS)]  # all that it can do


def _unless(allowed: Collection[Verdict], said: Said, expected: Said) -> Said:
    """What is expected, but a verdict that is allowed where that is said: a target need not know all of WGSL."""
    first, second = said
    return first if first in allowed else expected[0], second if second in allowed else expected[1]


def _finding(first: Examination, second: Examination | None, target: Target) -> Disagreement | None:
    both = [*first.found, *(second.found if second else ())]
    return next((found for found in both if found.target == target.name), None)


def shown(said: Said) -> str:
    """`accepts`, or `accepts / rejects` of two texts."""
    return said[0].value if said[1] is None else f"{said[0].value} / {said[1].value}"


def _details(first: Examination, second: Examination | None, found: Disagreement | None) -> tuple[str, ...]:
    one = first if second is None or found in first.found else second
    if found is None:
        return ()
    return (*short_account(one.case, found), *rejection_of(one.case))


def record(results: Sequence[CaseResult]) -> int:
    """Writes what the targets said into their cases; how many case files changed. The reference's part stays."""
    changed = 0
    by_case: dict[Path, tuple[CorpusCase, dict[str, RecordedVerdict]]] = {}
    for result in results:
        case = result.case
        if case.filed and result.fresh is not None:
            by_case.setdefault(case.folder, (case, dict(case.verdicts)))[1][result.oracle] = result.fresh
    for case, verdicts in by_case.values():
        if verdicts != case.verdicts:
            corpus.write_case(replace(case, verdicts=verdicts))
            changed += 1
    return changed
