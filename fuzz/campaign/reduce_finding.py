"""Reduces findings: the smallest shader that shows the same kind and cause, and what all targets say of it.

The result depends on the finding's record and the targets alone: not on the time of the reduction, nor on earlier work
of the process.
"""

import gc
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from wgsl_fuzz.fuzz.campaign.garbage import Collector
from wgsl_fuzz.fuzz.campaign.reduce_task import HurryUp, ReductionResult, ReductionTask
from wgsl_fuzz.fuzz.cases.case import Case, drawn_case, read_case, read_module
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import MIXED, TINY, Plan
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import DRAWN, NEAREST, REDUCED, RELATED
from wgsl_fuzz.fuzz.internal_errors import FAULT, FAULTS, described
from wgsl_fuzz.fuzz.judging import judge, kinds, without_reference
from wgsl_fuzz.fuzz.judging.buckets import explaining, in_one_line, what_is_left
from wgsl_fuzz.fuzz.judging.certainty import fit_of, is_to_be_explained
from wgsl_fuzz.fuzz.judging.departures import are_known, base_of, rules_of
from wgsl_fuzz.fuzz.reduction.beside import beside, least_beside, never_right, words_of
from wgsl_fuzz.fuzz.reduction.related import reduce_related
from wgsl_fuzz.fuzz.reduction.search import Reduction, read, reduce
from wgsl_fuzz.fuzz.reduction.text import reduce_text
from wgsl_fuzz.oracle.targets.families.rules import reads_modules
from wgsl_fuzz.oracle.targets.protocol import Target, answers_of, spec_of
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict
from wgsl_fuzz.strategies.edit.relations import RELATION
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import Source, WgslError
from wgsl_fuzz.wgsl.resolution import Resolution

MOST_WORK = 20_000
"""The bound on the work of one reduction: one unit for each question to a target, and for STEPS_OF_WORK steps of the
semantics. A finding takes some hundred. It is not a time, so that a busy machine reduces as an idle one does."""
STEPS_OF_WORK = 100
MOST_HANGS = 8
"""The number of timeouts of a compiler after which a reduction ends: each costs ten seconds."""
LONGEST = 1000
"""The most characters that are kept of another target's message."""
RIGHT = 128
"""Of the first so many shaders of the run, those that a target answers rightly refute causes."""

_SAYING = frozenset({Verdict.ACCEPTS, Verdict.REJECTS, Verdict.INVALID})
"""The verdicts of targets that take part in a difference."""
_VERDICT = {True: Verdict.ACCEPTS, False: Verdict.REJECTS}


def with_smaller_case(
    before: Finding,
    case: Case,
    disagreement: kinds.Disagreement,
    verdicts: dict[str, str],
    *,
    related: Case | None = None,
    related_verdicts: dict[str, str] | None = None,
    reduction: Reduction | None = None,
) -> Finding:
    """The finding on the smaller shader, before other targets are asked.

    `related` is the other one of two texts. `reduction` has the near miss.
    """
    texts = {REDUCED: case} | ({} if related is None else {RELATED: related})
    files, nearest = {**before.files, **{name: one.text for name, one in texts.items()}}, None
    if reduction is not None and reduction.nearest is not None:
        files[NEAREST], nearest = reduction.nearest, {"differs": reduction.differs}
    record = replace(
        before.record,
        kind=disagreement.kind,
        describes=REDUCED,
        unreduced=None,
        threads=case.threads,
        verdicts=verdicts,
        message=disagreement.answer.message,
        shared=(),
        statements=replace(before.record.statements, reduced=case.statements),
        forms=case.forms or None,
        related_verdicts=related_verdicts or before.record.related_verdicts,
        nearest=nearest,
        drawn=before.record.first,
    )
    return replace(before, record=record, files=files, cases={**before.cases, **texts})


def explaining_of(disagreement: kinds.Disagreement, drawn: Case, reduced: Case) -> tuple[str, ...] | None:
    """The branches of the rules, by variant name, that explain a finding on both the drawn and the reduced case; of a
    text that is refused those of behaviours.

    None for a finding that needs no such explanation. The search takes as long as half the reduction.
    """
    is_refused = disagreement.kind is kinds.Kind.INVALID and reduced.is_read
    if not is_refused and not is_to_be_explained(disagreement.target, disagreement.kind, disagreement.cause):
        return None
    base = base_of(disagreement.target)
    return tuple(sorted(explaining(drawn, reduced, verdict=disagreement.answer.verdict, base=base)))


def ask(target: Target, text: str) -> Answer:
    """One target's answer to one text; nothing else must be in flight."""
    return answers_of(target, [text])[0]


class FindingReducer:
    """Reduces saved findings of a run, with targets that it alone uses."""

    def __init__(self, plan: Plan, targets: Sequence[Target]) -> None:
        self._targets = {target.name: target for target in targets}
        self._without_analysis = frozenset(t.name for t in targets if not t.checks_uniformity)
        language = MIXED if all(reads_modules(spec_of(target)) for target in targets) else TINY
        drawn = plan if plan.course is None else Plan(plan.seed, language=language)
        self._generator, self._collector = CampaignGenerator(drawn), Collector()
        self._first: list[Case] = []
        self._right: dict[str, list[Case]] = {}
        self._answers: dict[tuple[str, str], Answer] = {}
        """What was said of reduced texts of one task: no text is sent twice."""
        self._faults = Counter[str]()
        """Internal errors of executions, each once, by description."""
        self._begin()

    def work(self, findings: ReductionTask, hurry: HurryUp = lambda: False) -> ReductionResult:
        """Reduces findings that belong together. If `hurry` returns True, the reduction is abandoned."""
        begun, self._faults = time.thread_time(), Counter()
        try:
            reduced = self._reduced(findings, hurry)
        except FAULTS as fault:
            said = described(fault)
            reduced = ReductionResult(findings, why=FAULT.format(said), faults=Counter([said]))
        self._collector.look()
        return replace(reduced, faults=reduced.faults + self._faults, spent=time.thread_time() - begun)

    def _reduced(self, findings: ReductionTask, hurry: HurryUp) -> ReductionResult:
        saved, *further = findings
        if saved.case(DRAWN).reference != saved.record.reference or not saved.record.has_verdict:
            return ReductionResult(findings)
        reached = [self.reduce(saved, hurry)]
        for other in further:
            if not hurry() and other.record.has_verdict:
                other.cases = saved.cases  # the text is the same
                reached.append(self.shared(other, reached[0]) or self.reduce(other, hurry))
        if hurry():
            return ReductionResult(findings, broken_off=True)
        self._answers.clear()
        for done in reached:
            self._complete(done)
        if not gc.isenabled():
            gc.collect(1)  # what outlived an earlier collection waits for the one of all
        return ReductionResult(findings, {done.number: done for done in reached})

    def _begin(self) -> None:
        """Begins with another finding."""
        self._work = self._hangs = 0
        self._explored_in_vain = False
        """Whether a candidate diverged, but exploring did not show it: then any witness will do for the next ones."""

    def reduce(self, saved: Finding, hurry: HurryUp) -> Finding:
        """The finding on a smaller shader that shows the same kind and cause. `work` says more of it.

        Raises ValueError if the record has no verdict of its target.
        """
        self._begin()
        case, disagreement = saved.case(DRAWN), saved.record.found

        def give_up() -> bool:
            return hurry() or self._work > MOST_WORK or self._hangs > MOST_HANGS

        if not case.is_read:
            done = self._of_text(saved, give_up)
        elif (no_rule := self._beside(saved, give_up)) is not None:
            return no_rule
        elif disagreement.cause == kinds.TWO_RUNS:  # the text is not the cause
            done = self._completed(saved, case)
        elif disagreement.kind is kinds.Kind.METAMORPHIC:
            done = self._metamorphic(saved, give_up)
        elif disagreement.cause.is_about_spelling:
            done = self._spelled(saved, give_up)
        else:
            reduction = reduce(
                case.placed.resolution,
                lambda smaller: self._shows(drawn_case(smaller, notion=case.notion), case, disagreement),
                give_up=give_up,
            )
            done = self._completed(saved, read_module(reduction.text, notion=case.notion), reduction)
        done.record.branches = explaining_of(disagreement, case, done.case())
        return done

    def given(self, saved: Finding, text: str) -> Finding | None:
        """The finding on a smaller text that somebody else found; None if that does not show it. Raises WgslError."""
        self._begin()
        case, disagreement, least = saved.case(DRAWN), saved.record.found, read_module(text)
        if not self._shows(least, case, disagreement):
            return None
        done = self._completed(saved, least)
        done.record.branches = explaining_of(disagreement, case, least)
        return done

    def shared(self, saved: Finding, done: Finding) -> Finding | None:
        """The finding of another target on the shader that `done` reached, if that shows it, too."""
        self._begin()
        case, disagreement, least = saved.case(DRAWN), saved.record.found, done.case()
        if case.is_read and (no_rule := self._beside(saved, lambda: self._work > MOST_WORK)) is not None:
            return no_rule
        if not case.is_read:
            before = self._taking_part(case.text, disagreement)
            if not without_reference.still_differs(before, lambda name: self._ask(name, least.text), disagreement):
                return None
        else:
            two_texts = disagreement.kind is kinds.Kind.METAMORPHIC or disagreement.cause.is_about_spelling
            if two_texts or not self._shows(least, case, disagreement):
                return None
        shown = self._said_of(least.text, disagreement)
        if done.kind is kinds.Kind.UNSOUND and shown.kind is kinds.Kind.TOO_LENIENT:
            shown = replace(shown, kind=kinds.Kind.UNSOUND)
        verdicts = done.record.verdicts | {shown.target: shown.answer.verdict.value}
        other = with_smaller_case(saved, least, shown, verdicts)
        text = done.files.get(NEAREST)
        if text is not None and self._ask(shown.target, text).verdict is not shown.answer.verdict:
            other.files, other.record.nearest = {**other.files, NEAREST: text}, done.record.nearest
        other.record.branches = done.record.branches
        is_other = base_of(shown.target) != base_of(done.target)
        if done.record.branches is None or is_other or are_known(shown.target, shown.cause.explains):
            other.record.branches = explaining_of(disagreement, case, least)
        return other

    def _ask(self, target: str, text: str) -> Answer:
        """One target's answer, and the work of asking."""
        answer = ask(self._targets[target], text)
        self._work += 1
        self._hangs += answer.verdict is Verdict.TIMED_OUT
        return answer

    def _said_of(self, text: str, disagreement: kinds.Disagreement) -> kinds.Disagreement:
        """The disagreement with what its target says of another text; a reference says the same."""
        if disagreement.target in kinds.REFERENCES:
            return disagreement
        return replace(disagreement, answer=self._ask(disagreement.target, text))

    def _completed(
        self, before: Finding, least: Case, reduction: Reduction | None = None, related: Case | None = None
    ) -> Finding:
        """The finding on the reduced shader, and what its target says of that, and of the `related` one."""
        least, target = replace(least, thorough=True), before.record.target
        shown = self._said_of(least.text, before.record.found)
        if shown.kind is kinds.Kind.TOO_LENIENT and least.execute().outcome is Outcome.DIVERGES:
            shown = replace(shown, kind=kinds.Kind.UNSOUND)
        if shown.kind in kinds.HAVE_FINE_KEYS:
            least.execute()  # for the record
        self._faults |= Counter(least.faults)
        verdicts = least.verdicts() | {target: shown.answer.verdict.value}
        second = None if related is None else {target: self._ask(target, related.text).verdict.value}
        return with_smaller_case(
            before, least, shown, verdicts, related=related, related_verdicts=second, reduction=reduction
        )

    def _shows(self, candidate: Case, case: Case, disagreement: kinds.Disagreement) -> bool:
        """Whether a smaller shader shows the finding; the semantics is asked only about unsoundness."""
        if disagreement.kind is kinds.Kind.REFERENCE or disagreement.target in kinds.REFERENCES:
            return judge.shows_of_ours(candidate, case, disagreement, self._diverges)
        ask, has_analysis = partial(self._ask, disagreement.target), disagreement.target not in self._without_analysis
        return judge.shows(candidate, case, disagreement, ask, self._diverges, has_analysis)

    def _diverges(self, candidate: Case) -> bool:
        """Whether a shader diverges, and the work of exploring it."""
        again = replace(candidate, thorough=True, drawn=True)
        execution = again.execute(any_witness=self._explored_in_vain)
        if execution.fault:
            self._faults[execution.fault] = 1
        self._work += execution.steps // STEPS_OF_WORK
        diverges = execution.outcome is Outcome.DIVERGES
        self._explored_in_vain |= diverges and not execution.is_explored
        return diverges

    # -------------------------------------------------------------------------------------------------- no rule

    def _beside(self, saved: Finding, give_up: HurryUp) -> Finding | None:
        """The finding on a plain shader, with the least that makes the target wrong about it; None if rules matter."""
        found = saved.record.found
        for case, said in self._wrongly_judged(saved):
            right: list[frozenset[str]] = []
            wrong = partial(self._is_wrong_beside, found.target, said, right, give_up)
            least = least_beside(case.resolution, case.text, wrong, said, give_up)
            if least is not None and not self._is_of_rules(found.target, least, said):
                kind = kinds.Kind.TOO_LENIENT if said is Verdict.ACCEPTS else kinds.Kind.TOO_STRICT
                kind = saved.kind if saved.kind is kinds.Kind.UNSOUND else kind  # the shader as drawn diverges
                record = replace(saved.record, kind=kind, cause=kinds.NO_RULE, beside=least, related_verdicts=None)
                record.drawn, record.words = saved.record.first, never_right(least, right)
                files = {name: text for name, text in saved.files.items() if name != RELATED}
                before = replace(saved, record=record, files=files)
                plain = Reduction(case.resolution, 0, 0, beside("", said) or None, (f"it has no {in_one_line(least)}",))
                return self._completed(before, read_module(beside(least, said)), plain)
        return None

    def _is_wrong_beside(
        self, target: str, said: Verdict, right: list[frozenset[str]], give_up: HurryUp, text: str
    ) -> bool:
        """Whether a target says this of a plain shader beside a text, and the reference does not.

        Where the target is `right`, it adds the words of the text.
        """
        if give_up():
            return False
        whole = beside(text, said)
        answer = self._ask(target, whole).verdict
        try:
            ours = read_module(whole).verdict if answer in (Verdict.ACCEPTS, Verdict.REJECTS) else said
        except WgslError:
            return False
        if answer is ours is not said:
            right.append(words_of(text))
        return answer is said is not ours

    @staticmethod
    def _is_of_rules(target: str, text: str, said: Verdict) -> bool:
        """Whether one change of the rules makes a plain shader be judged so beside a text, and only beside it."""
        near, plain = (read_module(beside(one, said)) for one in (text, ""))
        base = base_of(target)
        return bool(explaining(near, verdict=said, base=base) - explaining(plain, base=base))

    def _wrongly_judged(self, saved: Finding) -> Iterator[tuple[Case, Verdict]]:
        """The texts of a finding that its target judges wrongly, as far as its known departures do not explain it."""
        found = saved.record.found
        if found.target in kinds.REFERENCES or found.cause in (kinds.NO_ANALYSIS, kinds.TWO_RUNS):
            return
        is_verdict = found.kind in kinds.VERDICTS_DIFFER | {kinds.Kind.UNSTABLE, kinds.Kind.METAMORPHIC}
        if is_verdict and not are_known(found.target, found.cause.departures):
            yield from ((it, said) for name, said in saved.judged() if (it := saved.case(name)).verdict is not said)

    # --------------------------------------------------------------------------------- one shader, two spellings

    def _spelled(self, saved: Finding, give_up: HurryUp) -> Finding:
        """Reduces a text of which a target says another thing than of its plain print: as a tree, else as text."""
        case, disagreement = saved.case(DRAWN), saved.record.found

        def shows(text: str, tree: Resolution) -> bool:
            one = Case(Source(text), tree, drawn=True, spelled=True, notion=case.notion)
            return (one.core is None) == (case.core is None) and self._shows_spelled(one, disagreement)

        def shows_tree(tree: Resolution) -> bool:
            return shows(print_module(tree.module), tree)

        def shows_text(text: str) -> bool:
            tree = read(text)
            return tree is not None and shows(text, tree)

        if shows_tree(case.resolution):
            text = reduce(case.placed.resolution, shows_tree, give_up=give_up).text
        else:
            text = reduce_text(case.text, shows_text, give_up=give_up)
        least = read_module(text, notion=case.notion, spelled=True)
        return self._completed(saved, least, related=least.plain)

    def _shows_spelled(self, candidate: Case, disagreement: kinds.Disagreement) -> bool:
        """Whether a target tells a text from its plain print as in the finding, and the rules do not."""
        plain, said = candidate.plain, disagreement.answer.verdict
        if plain is candidate or candidate.verdict is not plain.verdict:
            return False
        rules = rules_of(disagreement.cause.departures)
        if rules is not None and candidate.verdict_under(rules) is not said:
            return False
        if disagreement.kind is kinds.Kind.UNSOUND and not self._diverges(candidate):
            return False
        if self._ask(disagreement.target, candidate.text).verdict is not said:
            return False
        printed = self._ask(disagreement.target, plain.text).verdict
        return printed in {Verdict.ACCEPTS, Verdict.REJECTS} - {said}

    # ---------------------------------------------------------------------------------------------- two shaders

    def _metamorphic(self, saved: Finding, give_up: HurryUp) -> Finding:
        """Reduces a shader and its twin together; what they break the relation by stays the same."""
        case, disagreement = saved.case(DRAWN), saved.record.found
        relation = RELATION[disagreement.cause.relation]
        drawn = self._generator.related_module(saved.record.place.index or 0, case)

        def answer(one: Case) -> Answer:
            if disagreement.target in kinds.REFERENCES:
                return Answer(one.verdict)
            return self._ask(disagreement.target, one.text)

        def accepts(shader: Resolution) -> bool | None:
            try:
                said = answer(drawn_case(shader)).verdict
            except WgslError:
                return None
            return said is Verdict.ACCEPTS if said in (Verdict.ACCEPTS, Verdict.REJECTS) else None

        def same(one: Resolution, before: bool, twin: Resolution, after: bool) -> bool:
            said = [(drawn_case(shader), Answer(_VERDICT[word])) for shader, word in ((one, before), (twin, after))]
            try:
                return judge.cause_of_broken(relation.name, disagreement.target, said) == disagreement.cause
            except WgslError:
                return False

        near = drawn.choices if drawn is not None and drawn.relation is relation else ()
        reduction, related = reduce_related(relation, case.resolution, accepts, same, near=near, give_up=give_up)
        if related is None:  # the target has changed its mind
            return with_smaller_case(saved, case, disagreement, saved.record.verdicts)
        least, twin = read_module(reduction.text), read_module(print_module(related.module))
        disagreement = replace(disagreement, answer=answer(twin))
        verdicts = least.verdicts() | {disagreement.target: answer(least).verdict.value}
        said = {disagreement.target: disagreement.answer.verdict.value}
        return with_smaller_case(saved, least, disagreement, verdicts, related=twin, related_verdicts=said)

    # --------------------------------------------------------------------------- a text that no reference judges

    def _of_text(self, saved: Finding, give_up: HurryUp) -> Finding:
        """Reduces a text on which targets differ: as a tree if it is one, else as text."""
        case, disagreement = saved.case(DRAWN), saved.record.found
        before = self._taking_part(case.text, disagreement)

        def shows(text: str) -> bool:
            return without_reference.still_differs(before, lambda name: self._ask(name, text), disagreement)

        tree, text, reduction = read(case.text), case.text, None
        if tree is not None and shows(print_module(tree.module)):
            reduction = reduce(tree, lambda smaller: shows(print_module(smaller.module)), give_up=give_up)
            text = reduction.text
        elif shows(text):
            text = reduce_text(text, shows, give_up=give_up)
        shown = self._said_of(text, disagreement)
        verdicts = {shown.target: shown.answer.verdict.value}
        return with_smaller_case(saved, read_case(text, case.notion), shown, verdicts, reduction=reduction)

    def _taking_part(self, text: str, disagreement: kinds.Disagreement) -> dict[str, Answer]:
        """What those targets say of the text that take part in a finding; its own target comes first."""
        own, others = disagreement.target, self._targets if disagreement.kind is kinds.Kind.TARGETS_DIFFER else ()
        said = {name: self._ask(name, text) for name in dict.fromkeys((own, *others))}
        return {name: answer for name, answer in said.items() if name == own or answer.verdict in _SAYING}

    # ------------------------------------------------------------------------------------------- all other targets

    def _complete(self, done: Finding) -> None:
        """Notes what fits the neighbours, every target's verdict, who shares the finding, and what explains it."""
        record, case = done.record, done.case()
        disagreement, target = record.found, self._targets.get(record.target)
        if target is not None and record.branches is not None:
            right, is_reduced = self._right_of(target), record.describes == REDUCED
            said = partial(ask, target)
            record.fit = fit_of(case, disagreement, record.branches, said, right, reduced=is_reduced)
        self._ask_others(done)
        record.left = what_is_left(case, disagreement, record.beside)

    def _right_of(self, target: Target) -> list[Case]:
        """Of the first shaders of the run, or of drawn ones for an enumeration, those that a target answers rightly."""
        if target.name not in self._right:
            self._first = self._first or self._generator.cases(range(RIGHT))
            pairs = zip(self._first, answers_of(target, [case.text for case in self._first]), strict=True)
            self._right[target.name] = [case for case, answer in pairs if answer.verdict is case.verdict]
        return self._right[target.name]

    def _ask_others(self, done: Finding) -> None:
        record, own, two = done.record, done.target, done.related is not None
        if not two:  # an answer that was given already: to the finding of another target it is one of the others
            self._answers[own, done.text] = record.found.answer
        texts = [done.text, *([done.files[RELATED]] if two else [])]
        others = {name: [self._said(name, text) for text in texts] for name in self._targets if name != own}
        if not others:
            return
        words = {name: tuple(answer.verdict.value for answer in answers) for name, answers in others.items()}
        record.verdicts = record.verdicts | {name: said[0] for name, said in words.items()}
        if two:
            record.related_verdicts = (record.related_verdicts or {}) | {name: said[1] for name, said in words.items()}
        if record.cause != kinds.TWO_RUNS:
            ours = (record.verdicts.get(own), (record.related_verdicts or {}).get(own))[: len(texts)]
            record.shared = without_reference.sharing(own, words | {own: ours}, self._without_analysis)
        messages = {name: said[0].message[:LONGEST] for name, said in others.items() if said[0].message}
        record.messages = messages or None

    def _said(self, name: str, text: str) -> Answer:
        if (name, text) not in self._answers:
            self._answers[name, text] = ask(self._targets[name], text)
        return self._answers[name, text]
