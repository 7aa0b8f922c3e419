"""Completes a saved finding on a module of the whole language: the smallest module that shows it."""

from collections.abc import Mapping
from dataclasses import replace

from wgsl_fuzz.fuzz.campaign.minimisation import (
    Effort,
    HurryUp,
    Minimisation,
    PendingFinding,
    explaining_of,
    shared_minimisation,
)
from wgsl_fuzz.fuzz.cases.languages import PlanDrawer
from wgsl_fuzz.fuzz.cases.module_case import ModuleCase, drawn_case, read_module
from wgsl_fuzz.fuzz.findings.records import NEAREST, REDUCED, RELATED, NearestRecord
from wgsl_fuzz.fuzz.judging.cases import cause_of_broken
from wgsl_fuzz.fuzz.judging.departures import rules_of_module
from wgsl_fuzz.fuzz.judging.judge import VERDICTS_DIFFER, Disagreement, Kind, RelationCause, kind_of
from wgsl_fuzz.fuzz.judging.modules import cause_in_module
from wgsl_fuzz.fuzz.reduction.search import Reduction, reduce
from wgsl_fuzz.fuzz.reduction.related import reduce_related_module
from wgsl_fuzz.oracle.rules.analyses import REFERENCE
from wgsl_fuzz.oracle.rules.uniformity.revisions import WHOLE
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict
from wgsl_fuzz.strategies.edit.constancy import may_be_refused
from wgsl_fuzz.strategies.edit.relations import RELATION
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution

OURS = frozenset({REFERENCE, WHOLE})
"""The references, which are no targets to be asked."""

_VERDICT = {True: Verdict.ACCEPTS, False: Verdict.REJECTS}


class ModuleMinimiser:
    """Completes findings on modules, with targets of its own to ask."""

    def __init__(self, targets: Mapping[str, Target], without_uniformity: frozenset[str], drawer: PlanDrawer) -> None:
        self._without_uniformity = without_uniformity
        self._drawer = drawer
        self._effort = Effort(targets)
        self._explored_in_vain = False
        """Whether a candidate diverges, but exploring did not show it: the next ones are likely such, too."""

    def complete(self, item: PendingFinding, hurry: HurryUp) -> Minimisation:
        """Reduces a finding to a module that shows the same kind and cause."""
        case, found = item.case, item.found
        assert isinstance(case, ModuleCase), "shaders of TinyWGSL have a minimiser of their own"
        self._effort.begin()
        self._explored_in_vain = False

        def give_up() -> bool:
            return hurry() or self._effort.spent

        if found.kind is Kind.METAMORPHIC:
            return self._metamorphic(item, case, give_up)

        def shows_it(resolution: Resolution) -> bool:
            return self._shows(drawn_case(resolution, notion=case.notion), case, found)

        reduction = Reduction(case.placed.resolution, 0, 0)
        if found.kind is not Kind.UNSTABLE:  # that is of two runs
            reduction = reduce(reduction.resolution, shows_it, give_up=give_up)
        done = self._completed(replace(read_module(reduction.text), notion=case.notion), found)
        if reduction.nearest is not None:
            done.files[NEAREST] = reduction.nearest
            done.nearest = NearestRecord(reduction.differs)
        done.branches = explaining_of(found, case, done.case)
        done.files[REDUCED] = done.case.text
        return done

    def _metamorphic(self, item: PendingFinding, case: ModuleCase, give_up: HurryUp) -> Minimisation:
        """Reduces a module and its twin together; what they break the relation by stays the same."""
        found = item.found
        relation = RELATION[RelationCause.parse(found.cause).relation]
        drawn = self._drawer.related_module(item.index, case)

        def answer(one: ModuleCase) -> Answer:
            if found.target == WHOLE:
                return Answer(one.verdict)
            return self._effort.ask(found.target, one.text)

        def accepts(module: Resolution) -> bool | None:
            try:
                said = answer(drawn_case(module)).verdict
            except WgslError:
                return None
            return said is Verdict.ACCEPTS if said in (Verdict.ACCEPTS, Verdict.REJECTS) else None

        def same(one: Resolution, before: bool, twin: Resolution, after: bool) -> bool:
            said = [(drawn_case(module), Answer(_VERDICT[word])) for module, word in ((one, before), (twin, after))]
            try:
                return cause_of_broken(relation.name, found.target, said) == found.cause
            except WgslError:
                return False

        near = drawn.choices if drawn is not None and drawn.relation is relation else ()
        reduced = reduce_related_module(relation, case.resolution, accepts, same, near=near, give_up=give_up)
        if reduced.twin is None:  # the target has changed its mind
            return Minimisation(case, found)
        least, twin = read_module(reduced.reduction.text), read_module(print_module(reduced.twin.module))
        found = replace(found, answer=answer(twin))
        verdicts = least.verdicts() | {found.target: answer(least).verdict.value}
        done = Minimisation(least, found, {RELATED: twin.text, REDUCED: least.text}, verdicts)
        done.related_verdicts = {found.target: found.answer.verdict.value}
        return done

    def shared(self, item: PendingFinding, done: Minimisation) -> Minimisation | None:
        """The finding of another target on the module that `done` reached, if that shows it, too."""
        case, found = item.case, item.found
        assert isinstance(case, ModuleCase), "shaders of TinyWGSL have a minimiser of their own"
        assert isinstance(done.case, ModuleCase), "of the same language"
        self._effort.begin()
        self._explored_in_vain = False
        if found.kind is Kind.METAMORPHIC:  # that is of two texts
            return None
        if not self._shows(done.case, case, found):
            return None
        shown = (
            found if found.target == WHOLE else replace(found, answer=self._effort.ask(found.target, done.case.text))
        )
        return shared_minimisation(item, done, shown, self._effort.is_near_miss(done, shown))

    def _completed(self, least: ModuleCase, found: Disagreement) -> Minimisation:
        """What is said of the reduced module."""
        least = replace(least, thorough=True)
        shown = found
        if found.target not in OURS:
            shown = replace(found, answer=self._effort.ask(found.target, least.text))
        if shown.kind is Kind.TOO_LENIENT and least.execution.outcome is Outcome.DIVERGES:
            shown = replace(shown, kind=Kind.UNSOUND)
        if found.kind in VERDICTS_DIFFER:
            _ = least.execution  # for the record
        verdicts = least.verdicts() | {found.target: shown.answer.verdict.value}
        return Minimisation(least, shown, verdicts=verdicts)

    def _shows(self, candidate: ModuleCase, case: ModuleCase, found: Disagreement) -> bool:
        """Whether a smaller module shows the finding; the semantics is asked only about unsoundness."""
        try:
            if found.kind in VERDICTS_DIFFER | {Kind.REFERENCE} and candidate.verdict is not case.verdict:
                return False
            if found.kind is Kind.REFERENCE:
                return candidate.paper is found.answer.verdict
        except WgslError:
            return False
        rules = rules_of_module(found.cause)  # asked first: most candidates fail here, before a compiler is troubled
        if rules is not None and candidate.verdict_under(rules) is not found.answer.verdict:
            return False
        if found.target == WHOLE:
            return self._diverges(candidate)
        answer = self._effort.ask(found.target, candidate.text)
        if answer.verdict is Verdict.INVALID and may_be_refused(candidate.resolution):
            return False  # then the compiler may be right about it
        kind = kind_of(candidate.verdict, answer, lambda: found.kind is Kind.UNSOUND and self._diverges(candidate))
        if kind is not found.kind:
            return False
        implemented = found.target not in self._without_uniformity
        return cause_in_module(candidate, found.target, kind, answer, implemented) == found.cause

    def _diverges(self, candidate: ModuleCase) -> bool:
        """Whether a module diverges, and the work of exploring it."""
        again = replace(candidate, thorough=True, drawn=True)
        execution = again.execution_by_any_witness if self._explored_in_vain else again.execution
        self._effort.executed(execution.steps)
        diverges = execution.outcome is Outcome.DIVERGES
        self._explored_in_vain |= diverges and not execution.is_explored
        return diverges
