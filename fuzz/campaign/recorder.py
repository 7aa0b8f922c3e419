"""From a disagreement to a finding on disk: verified, saved as drawn, and handed on to be reduced.

If the shader was written in drawn surface forms, the target is asked again about the plain text. A different verdict
makes the finding `unstable`: the spelling is at fault. So does a different verdict in a second run on the same text.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from shlex import quote

from wgsl_fuzz import __version__
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.campaign.reduce_finding import ask
from wgsl_fuzz.fuzz.campaign.reduce_task import ITS_TURN, ReductionResult, why_unreduced
from wgsl_fuzz.fuzz.campaign.worker import ShaderResult
from wgsl_fuzz.fuzz.cases.case import Case, drawn_case, read_module
from wgsl_fuzz.fuzz.cases.course import NEAR, ShaderSequence
from wgsl_fuzz.fuzz.cases.plan import Plan, shader_seed
from wgsl_fuzz.fuzz.findings.directory import AS_DRAWN, FEW, PENDING, RunDirectory, StorageError
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.known import KnownBuckets
from wgsl_fuzz.fuzz.findings.records import DRAWN, RELATED, FindingRecord, ShaderOrigin, Sizes
from wgsl_fuzz.fuzz.internal_errors import FAULTS, described
from wgsl_fuzz.fuzz.judging.departures import are_known, measured
from wgsl_fuzz.fuzz.judging.judge import cause_of_broken, cause_of_spelling, difference_of_references, judge, kind_of
from wgsl_fuzz.fuzz.judging.kinds import (
    HAVE_FINE_KEYS,
    NO_ANALYSIS,
    REFERENCES,
    TWO_RUNS,
    UNEXPLAINED,
    VERDICTS_DIFFER,
    BucketKey,
    Cause,
    Disagreement,
    Kind,
)
from wgsl_fuzz.fuzz.judging.without_reference import sharing
from wgsl_fuzz.fuzz.triage.triage import issue_of_finding
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2
from wgsl_fuzz.oracle.targets.protocol import Target, spec_of
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies.edit.relations import RELATION, Relation
from wgsl_fuzz.wgsl.problems import WgslError

Waiting = Callable[[], AbstractContextManager[None]]


class Recorder:
    """Verifies, counts and saves the findings of one run."""

    def __init__(
        self,
        plan: Plan,
        targets: Mapping[str, Target],
        directory: RunDirectory,
        counters: Counters,
        excluded: frozenset[Kind] = frozenset(),
        known: KnownBuckets | None = None,
    ) -> None:
        """Findings of the kinds `excluded` are not filed."""
        self._plan = plan
        self._without_analysis = frozenset(name for name, t in targets.items() if not t.checks_uniformity)
        self._read: dict[str | None, Case] = {}
        """The parsed cases of the current shader (None) and its twin (its relation)."""
        self._faults = set[str]()
        """Internal errors on them, by description, but those of executions."""
        self.targets = targets
        self.directory = directory
        self.counters = counters
        self.to_reduce: list[Finding] = []
        """Saved findings to be reduced; the campaign moves them to its queue."""
        self.waiting: Waiting = nullcontext
        """The context in which targets are called; interruptions propagate."""
        self._specs = {name: spec_of(target) for name, target in targets.items()}
        self._excluded, self._known = excluded, known or KnownBuckets()
        self._sequence = None if plan.course is None else ShaderSequence.of(plan.course)

    def is_enough(self, disagreement: Disagreement, place: ShaderOrigin) -> bool:
        """Whether a finding is not saved: its bucket is full, it is already saved, or its kind is excluded."""
        return self._is_left_out(disagreement, place) or self.directory.is_full(disagreement)

    def _is_left_out(self, disagreement: Disagreement, place: ShaderOrigin) -> bool:
        """Whether a finding is not even counted: it is already saved, or its kind is excluded."""
        return disagreement.kind in self._excluded or self.directory.is_filed(place, disagreement)

    def count(self, disagreement: Disagreement, place: ShaderOrigin) -> None:
        """Count a finding whose bucket has enough on disk."""
        if self._is_left_out(disagreement, place):
            return
        self.counters.count_disagreement(disagreement)
        self.counters.expected += disagreement.expected
        self.directory.count(disagreement, place)

    def file_disagreement(
        self,
        case: Case,
        disagreement: Disagreement,
        answers: Mapping[str, Answer],
        place: ShaderOrigin,
        twin: str | None = None,
    ) -> None:
        """Files a disagreement on a shader, or on it and its `twin`. Raises StorageError, with what draws it again.

        `answers` are about the text of the shader. For a broken relation, `disagreement.answer` is about the twin.
        """
        if self.is_enough(disagreement, place):
            self.count(disagreement, place)
            return
        asked = case
        case, disagreement, printed = self._verified(asked, disagreement)
        if self.is_enough(disagreement, place):  # it may be of another kind now
            self.count(disagreement, place)
            return
        if case is not asked:  # the finding's own target has been asked about the plain text
            others = self.targets.keys() - {disagreement.target}
            answers = {name: self.ask(name, case.text) if name in others else said for name, said in answers.items()}
        self.counters.count_disagreement(disagreement)
        try:
            saved = self._save(case, disagreement, answers, place, twin, printed)
        except StorageError as error:  # the message must suffice to draw the shader again
            again = draw_again(self._plan, place, spelled=case.plain is not case)
            raise StorageError(f"{error}; found and not saved: {disagreement.key}, {again or place.file}") from error
        self.counters.saved.append(saved)
        if saved.record.unreduced == ITS_TURN:
            self.to_reduce.append(saved)
            self.counters.reduced.setdefault(saved.key, None)

    def ask(self, name: str, text: str) -> Answer:
        """One target's answer to one text."""
        with self.waiting():
            return ask(self.targets[name], text)

    def _verified(self, case: Case, disagreement: Disagreement) -> tuple[Case, Disagreement, Answer | None]:
        """The case and the finding to file; if only the spelling shows it, also the answer about the plain text."""
        if disagreement.target in REFERENCES or disagreement.kind is Kind.METAMORPHIC:
            return case, disagreement, None
        if disagreement.kind is Kind.HANG or disagreement.cause == NO_ANALYSIS:
            return case.plain, disagreement, None
        if case.plain.verdict is not case.verdict:
            return case, disagreement, None  # the rules tell the two spellings apart: a target may do so, too
        plain = self.ask(disagreement.target, case.plain.text)
        if plain.verdict is disagreement.answer.verdict:
            return case.plain, replace(disagreement, answer=plain), None
        if plain.verdict is Verdict.UNSUPPORTED:  # `unsupported` contradicts nothing
            return case, disagreement, None
        again = disagreement.answer if case.plain is case else self.ask(disagreement.target, case.text)
        if case.plain is case or again.verdict is not disagreement.answer.verdict:
            return case, replace(disagreement, kind=Kind.UNSTABLE, cause=TWO_RUNS), None
        tree = drawn_case(case.resolution, case.seed, case.notion)
        if disagreement.kind in HAVE_FINE_KEYS and tree.text != case.plain.text:
            answer = self.ask(disagreement.target, tree.text)
            if answer.verdict is disagreement.answer.verdict:  # no matter of layout: its constructs decide
                return tree, replace(disagreement, answer=answer), None
        if disagreement.kind in HAVE_FINE_KEYS:
            cause = cause_of_spelling(case, disagreement, plain)
        else:
            cause = replace(disagreement.cause, drawn=disagreement.answer.verdict)
        # Unsound and miscompiled are more severe than unstable.
        kind = disagreement.kind if disagreement.kind in (Kind.UNSOUND, Kind.MISCOMPILED) else Kind.UNSTABLE
        return case, replace(disagreement, kind=kind, cause=cause), plain

    def _save(
        self,
        case: Case,
        disagreement: Disagreement,
        answers: Mapping[str, Answer],
        place: ShaderOrigin,
        related: str | None,
        printed: Answer | None,
    ) -> Finding:
        again, after = draw_again(self._plan, place, spelled=case.plain is not case), round(self.counters.seconds, 3)
        if disagreement.kind is Kind.METAMORPHIC:
            place = replace(place, relation=disagreement.cause.relation)
        if disagreement.kind in VERDICTS_DIFFER:
            case.execute()  # the record has the outcome
        record = drawn_record(case, disagreement, answers, self.targets, place, after)
        record.generator, record.draw_again = self._plan.generator, again
        if disagreement.kind is Kind.METAMORPHIC:
            record.verdicts |= {name: answer.verdict.value for name, answer in answers.items()}
            record.related_verdicts = {disagreement.target: disagreement.answer.verdict.value}
        record.forms = case.forms or None
        if printed is not None:
            record.related_verdicts = {disagreement.target: printed.verdict.value}
            related = case.plain.text
        files = {DRAWN: case.text} | ({RELATED: related} if related else {})
        nth = self.directory.by_key[disagreement.key] + 1
        known = self._is_known(disagreement)
        record.unreduced = why_unreduced(disagreement, nth, known)
        reduction = PENDING if record.unreduced == ITS_TURN else AS_DRAWN
        saved = self.directory.save(record, files, self._specs, reduction=reduction)
        if reduction is PENDING:
            saved.cases[DRAWN] = case
        return saved

    def _is_known(self, disagreement: Disagreement) -> bool:
        """Whether one reduction shows the fault: known departures give the verdict, or the target's words are known."""
        if not self._plan.known_first:
            return False
        if disagreement.kind in (Kind.CRASH, Kind.HANG, Kind.INVALID):
            return self._known.issue_of(disagreement.key) is not None
        return measured(disagreement.target) is not None and are_known(disagreement.target, disagreement.cause.explains)

    # ------------------------------------------------------------------------------------------------- reducing

    def complete(self, done: ReductionResult) -> None:
        """Save the reduction of a finding, and of the other targets' findings on the same shader."""
        if done.broken_off:
            return
        for saved in done.findings:
            if saved.number not in done.completed:
                self.directory.leave_as_drawn(saved, done.why)
                self.counters.settle(saved.key, new=True)
                continue
            reduced = done.completed[saved.number]
            if reduced.kind is not saved.kind:
                self._rename(saved.record, reduced.record)
            self.directory.complete(saved, reduced, self._specs)
            self.settle([reduced])

    def settle(self, findings: Iterable[Finding]) -> None:
        """Notes whether findings are known, as far as they are reduced."""
        for one in findings:
            keys = {one.key, one.record.first.bucket or one.key}
            for key in keys if one.is_reduced else ():
                self.counters.settle(key, new=issue_of_finding(one, self._known) is None)
            if one.record.unreduced == ITS_TURN:
                self.counters.reduced.setdefault(one.key, None)

    def _rename(self, before: FindingRecord, worse: FindingRecord) -> None:
        """Moves the counts of a too lenient finding whose reduced shader diverges: it is unsound."""
        c = self.counters
        c.findings[worse.kind] += 1
        c.keys[worse.bucket] += 1
        c.findings -= Counter([before.kind])  # Counter subtraction drops zeros
        c.keys -= Counter([before.bucket])

    # ---------------------------------------------------------------------------------- what is wrong with answers

    def file_result(self, drawn: ShaderResult, twin: ShaderResult | None) -> None:
        """Files the disagreements about a shader, and about its twin if it has one."""
        self._read.clear()
        try:
            self._judge(drawn)
            if twin is not None:
                self._judge(twin)
                self._compare(drawn, twin)
        except WgslError as error:  # the tree was judged, but its text is no WGSL
            self._faults.add(f"a drawn shader is invalid: {error}")
        self.count_faults(self._read.values(), drawn.faults + (twin.faults if twin else ()))

    def count_faults(self, cases: Iterable[Case], counted: Iterable[str] = ()) -> None:
        """Counts the internal errors on one shader and its twin, each once, but those that a worker `counted`."""
        self.counters.faults.update(self._faults.union(*(case.faults for case in cases)).difference(counted))
        self._faults.clear()

    def _judge(self, judged: ShaderResult) -> None:
        """Files the disagreements about one shader.

        The worker has judged the shader, and most findings are only counted. Its text is parsed only to save one.
        """
        place, accepting = self._place(judged), judged.accepting_without_analysis(self._without_analysis)
        enough = [name for name in accepting if self.directory.by_key[BucketKey.without_analysis(name)] >= FEW]
        for name in enough:
            disagreement = Disagreement(name, Kind.TOO_LENIENT, judged.answers[name], NO_ANALYSIS)
            self.count(disagreement, place)
        answers = judged.to_judge(enough)
        if answers is None:
            return
        known: Sequence[Disagreement] | None = judged.findings if enough == accepting else None
        if known is not None:
            known = [self._in_its_bucket(disagreement) for disagreement in known]
            if all(self.is_enough(disagreement, place) for disagreement in known):
                for disagreement in known:
                    self.count(disagreement, place)
                return
            if any(disagreement.expected for disagreement in known):  # the first of its bucket is judged in full
                known = None
        case = self._case(judged)
        for disagreement in self._findings(case, judged, answers, known):
            self.file_disagreement(case, disagreement, judged.answers, place)

    def _in_its_bucket(self, disagreement: Disagreement) -> Disagreement:
        """An expected finding, which was not executed, in the bucket that its cause has: as unsound if the first is."""
        unsound = replace(disagreement, kind=Kind.UNSOUND)
        lenient, counts = disagreement.expected and disagreement.kind is Kind.TOO_LENIENT, self.directory.by_key
        return unsound if lenient and counts[unsound.key] > counts[disagreement.key] else disagreement

    def _findings(
        self,
        case: Case,
        judged: ShaderResult,
        answers: Mapping[str, Answer],
        known: Sequence[Disagreement] | None,
    ) -> list[Disagreement]:
        """The disagreements; without causes if an internal error stops the search for them."""
        try:
            if known is None:
                known = judge(case, answers, self._without_analysis, valid=True, execution=case.executed)
            return [*(one for one in known if one.kind is not Kind.REFERENCE), *difference_of_references(case)]
        except FAULTS as fault:
            self._faults.add(described(fault))
        kinds = {name: kind_of(judged.verdict, answer, lambda: False) for name, answer in answers.items()}
        return [Disagreement(name, kind, answers[name], UNEXPLAINED) for name, kind in kinds.items() if kind]

    def _compare(self, drawn: ShaderResult, twin: ShaderResult) -> None:
        """Files broken metamorphic relations; the reference itself is judged like any target."""
        assert twin.relation is not None, "only twins are compared"
        ours, relation = SECTION_15_2, RELATION[twin.relation]
        before = {ours: Answer(drawn.verdict)} | {name: drawn.answers[name] for name in sorted(drawn.answers)}
        after = {ours: Answer(twin.verdict)} | twin.answers
        for name, first in before.items():
            second = after.get(name)  # a device runs only some shaders
            if second is None or name in self._without_analysis or not _breaks(relation, first, second):
                continue
            case = self._case(drawn)
            other = self._case(twin)
            cause = self._cause_of_broken(relation.name, name, [(case, first), (other, second)])
            disagreement = Disagreement(name, Kind.METAMORPHIC, second, cause)
            answers = drawn.answers | {name: first}
            self.file_disagreement(case, disagreement, answers, self._place(drawn), other.text)

    def _cause_of_broken(self, relation: str, target: str, said: Sequence[tuple[Case, Answer]]) -> Cause:
        """The cause of a broken relation; the relation alone if an internal error stops the search for departures."""
        try:
            return cause_of_broken(relation, target, said)
        except FAULTS as fault:
            self._faults.add(described(fault))
            return Cause(relation=relation)

    def _case(self, judged: ShaderResult) -> Case:
        """The parsed case of a result; executed again if the worker saw it diverge."""
        if (case := self._read.get(judged.relation)) is None:
            plan, seed = self._plan, shader_seed(self._plan.seed, judged.index)
            thorough, spelled = self._sequence is not None, judged.spelled
            case = read_module(judged.text, seed=seed, notion=plan.convergence, spelled=spelled, thorough=thorough)
            self._read[judged.relation] = case
        if judged.diverges:
            case.execute()
        return case

    def _place(self, judged: ShaderResult) -> ShaderOrigin:
        plan = self._plan
        if self._sequence is not None and plan.course is not None:
            at = plan.course.first + judged.index
            family, number = self._sequence.where(at)
            return ShaderOrigin(seed=plan.seed, index=at, profile=plan.language, family=family, number=number)
        profile = plan.language_of(judged.index)
        return ShaderOrigin(seed=plan.seed, index=judged.index, profile=profile, relation=judged.relation)


def drawn_record(
    case: Case,
    disagreement: Disagreement,
    answers: Mapping[str, Answer],
    targets: Mapping[str, Target],
    place: ShaderOrigin,
    after: float,
) -> FindingRecord:
    """The record of a finding on the shader as drawn; `after` is in seconds from the start of the run."""
    words = {name: answer.verdict.value for name, answer in answers.items()}
    return FindingRecord(
        version=__version__,
        kind=disagreement.kind,
        target=disagreement.target,
        reference=case.reference,
        cause=disagreement.cause,
        place=place,
        after=after,
        threads=case.threads,
        convergence=None if case.notion is CONTROL_STACKS else case.notion,
        targets={name: t.origin for name, t in targets.items()},
        verdicts=case.verdicts() | words | {disagreement.target: disagreement.answer.verdict.value},
        message=disagreement.answer.message,
        shared=_shared(disagreement, answers, targets),
        statements=Sizes(case.statements),
    )


def _shared(
    disagreement: Disagreement, answers: Mapping[str, Answer], targets: Mapping[str, Target]
) -> tuple[str, ...]:
    """The targets that share a finding on the drawn shader; empty for a finding that compares two answers."""
    if disagreement.kind in (Kind.UNSTABLE, Kind.METAMORPHIC) or disagreement.cause.is_about_spelling:
        return ()
    said = {name: (answer.verdict.value,) for name, answer in answers.items() if name in targets}
    without_analysis = frozenset(name for name, t in targets.items() if not t.checks_uniformity)
    own = {disagreement.target: (disagreement.answer.verdict.value,)}
    return sharing(disagreement.target, said | own, without_analysis)


def draw_again(plan: Plan, place: ShaderOrigin, *, spelled: bool) -> str:
    """The command that draws a shader again, in its surface forms if `spelled`; empty for a shader from a file."""
    if place.file is not None:
        return ""
    if plan.course is not None:
        option, name = "--family", place.family or ""
        if name.startswith(NEAR):
            option, name = "--near", quote(name.removeprefix(NEAR))
        bound = f"{option} {name} --max-statements {plan.course.max_statements}"
        return f"wgsl-fuzz enumerate {bound} --first {place.number} --programs 1 --format wgsl"
    text = " --text related" if place.relation else " --text drawn" if spelled else ""
    return f"wgsl-fuzz generate -n 1 {plan.flags()} --first {place.index}{text} --format wgsl"


def _breaks(relation: Relation, first: Answer, second: Answer) -> bool:
    """Whether the answers about a text and its twin break a relation: both must be `accepts` or `rejects`."""
    said = (Verdict.ACCEPTS, Verdict.REJECTS)
    if first.verdict not in said or second.verdict not in said:
        return False
    return not relation.implication.holds(first.verdict is Verdict.ACCEPTS, second.verdict is Verdict.ACCEPTS)
