"""What reducing a finding is given, what it gives, and how much it may ask: the same for both languages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from wgsl_fuzz.fuzz.cases.unread import FiledCase, UnreadCase
from wgsl_fuzz.fuzz.findings.records import NEAREST, REDUCED, FindingRecord, NearestRecord
from wgsl_fuzz.fuzz.judging.cases import account_of
from wgsl_fuzz.fuzz.judging.certainty import explaining_case, fit_of, is_to_be_explained
from wgsl_fuzz.fuzz.judging.judge import BucketKey, Disagreement, FineKey, Kind, RelationCause
from wgsl_fuzz.fuzz.judging.module_buckets import module_fine_key
from wgsl_fuzz.fuzz.judging.modules import known_cause
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Answer, Verdict

MOST_WORK = 20_000
"""How much work reducing one finding may take: one for each question, and for so many steps of the semantics one more.
A finding takes some hundred. It is no time, so that a busy machine reduces as an idle one does."""
STEPS_OF_WORK = 100
MOST_HANGS = 8
"""How often a compiler may give no answer in time while one finding is reduced: that costs ten seconds each time."""

TWO_RUNS = "two runs of one text"

HurryUp = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class PendingFinding:
    """A finding that is still to be reduced, on the shader as drawn."""

    case: FiledCase
    found: Disagreement
    first: bool
    """Of its raw bucket: worth a second start."""
    index: int


@dataclass(slots=True)
class Minimisation:
    """What reducing a finding gave; what is None of its record stays as it was."""

    case: FiledCase
    found: Disagreement
    files: dict[str, str] = field(default_factory=dict)
    verdicts: dict[str, str] | None = None
    related_verdicts: dict[str, str] | None = None
    shared: tuple[str, ...] = ()
    messages: dict[str, str] = field(default_factory=dict)
    nearest: NearestRecord | None = None
    branches: tuple[str, ...] | None = None

    def record(self, before: FindingRecord) -> FindingRecord:
        """The finding's record, completed."""
        relation = before.place.relation
        if self.found.kind is Kind.METAMORPHIC:
            relation = RelationCause.parse(self.found.cause).relation
        return replace(
            before,
            kind=self.found.kind,
            bucket=self.found.key,
            place=replace(before.place, relation=relation),
            describes=REDUCED,
            unreduced=None,
            threads=self.case.threads,
            verdicts=before.verdicts if self.verdicts is None else self.verdicts,
            message=self.found.answer.message,
            shared=self.shared,
            messages=self.messages or None,
            statements=replace(before.statements, reduced=self.case.statements),
            explanation=tuple(account_as_written(self.case, self.found)),
            forms=self.case.forms or None,
            related_verdicts=self.related_verdicts or before.related_verdicts,
            nearest=self.nearest,
            branches=self.branches,
            fit=self.found.fit,
            fine=fine_key_of(self.case, self.found),
            drawn=before.first,
        )


def account_as_written(case: FiledCase, found: Disagreement) -> list[str]:
    """A finding in words, lines being those of its text, also where that is a drawn spelling."""
    return account_of(case, found)


def fine_key_of(case: FiledCase, found: Disagreement) -> FineKey | BucketKey:
    """The fine bucket of a finding on a reduced case."""
    if isinstance(case, UnreadCase):
        return found.key
    return module_fine_key(case, found)


def explaining_of(found: Disagreement, drawn: FiledCase, reduced: FiledCase) -> tuple[str, ...] | None:
    """The branches of the rules, by their variants' names, that explain a finding on a case as drawn and reduced.

    None where nobody will ask. To find the branches takes as long as half the reduction.
    """
    if not is_to_be_explained(found.target, found.kind, found.cause):
        return None
    return tuple(sorted(explaining_case(*(case for case in (drawn, reduced) if not isinstance(case, UnreadCase)))))


def hold_against_neighbours(done: Minimisation, target: Target | None) -> None:
    """Asks a target about neighbours of a reduced case, for what explains the finding to fit."""
    case, found = done.case, done.found
    if target is None or isinstance(case, UnreadCase) or done.branches is None:
        return
    done.found = replace(found, fit=fit_of(case, found, done.branches, lambda text: ask(target, text)))


def ask(target: Target, text: str) -> Answer:
    """One target's answer to one text; nothing else must be in flight."""
    target.submit([text])
    return target.collect()[0]


def shared_minimisation(item: PendingFinding, done: Minimisation, shown: Disagreement, nearest: bool) -> Minimisation:
    """What reducing the finding of another target gave, for that of `item`: it is `shown` there, too.

    `nearest` says whether the near miss is one for its target as well.
    """
    if done.found.kind is Kind.UNSOUND and shown.kind is Kind.TOO_LENIENT:
        shown = replace(shown, kind=Kind.UNSOUND)
    verdicts = (done.verdicts or {}) | {shown.target: shown.answer.verdict.value}
    files = {name: text for name, text in done.files.items() if name != NEAREST or nearest}
    shared = Minimisation(done.case, shown, files, verdicts, nearest=done.nearest if nearest else None)
    shared.branches = done.branches
    if done.branches is None or known_cause(shown.target, shown.cause) is not None:
        shared.branches = explaining_of(item.found, item.case, done.case)
    return shared


class Effort:
    """Asks targets while one finding is reduced, and counts what that took."""

    def __init__(self, targets: Mapping[str, Target]) -> None:
        self.targets = targets
        self.work = self.hangs = 0

    def begin(self) -> None:
        """Begins with another finding."""
        self.work = self.hangs = 0

    @property
    def spent(self) -> bool:
        """Whether the finding took all that one may take."""
        return self.work > MOST_WORK or self.hangs > MOST_HANGS

    def ask(self, target: str, text: str) -> Answer:
        """One target's answer, and the work of asking."""
        answer = ask(self.targets[target], text)
        self.work += 1
        self.hangs += answer.verdict is Verdict.TIMED_OUT
        return answer

    def is_near_miss(self, done: Minimisation, shown: Disagreement) -> bool:
        """Whether the near miss of a reduction does not show a finding of another target either."""
        text = done.files.get(NEAREST)
        return text is not None and self.ask(shown.target, text).verdict is not shown.answer.verdict

    def executed(self, steps: int) -> None:
        """The semantics took so many steps."""
        self.work += steps // STEPS_OF_WORK
