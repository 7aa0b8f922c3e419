"""Completes a saved finding: the smallest shader that shows it, a near miss that does not, and the fine bucket."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from wgsl_fuzz.fuzz.campaign.minimisation import (
    TWO_RUNS,
    Effort,
    HurryUp,
    Minimisation,
    PendingFinding,
    explaining_of,
    shared_minimisation,
)
from wgsl_fuzz.fuzz.cases.case import Case, ConciseCase
from wgsl_fuzz.fuzz.cases.drawer import Drawer
from wgsl_fuzz.fuzz.cases.plan import GROUP, shader_seed
from wgsl_fuzz.fuzz.cases.written import Written, names_of, spelling_of
from wgsl_fuzz.fuzz.findings.records import NEAREST, REDUCED, RELATED, NearestRecord, SpellingRecord
from wgsl_fuzz.fuzz.judging.judge import (
    HAVE_FINE_KEYS,
    Disagreement,
    Kind,
    RelationCause,
    judge,
    rules_of,
)
from wgsl_fuzz.fuzz.reduction.choices import reduce_twice
from wgsl_fuzz.fuzz.reduction.near_miss import changes_in_words
from wgsl_fuzz.fuzz.reduction.pairs import reduce_related
from wgsl_fuzz.fuzz.reduction.search import Reduction, reduce
from wgsl_fuzz.fuzz.reduction.spelling import briefly, reduce_spelled
from wgsl_fuzz.oracle.dynamics.execution import Execution
from wgsl_fuzz.oracle.dynamics.exploration import Bounds, explore
from wgsl_fuzz.oracle.rules.analyses import REFERENCE
from wgsl_fuzz.oracle.rules.bitset.analysis import verdict_of
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.edit.relations import RELATION
from wgsl_fuzz.strategies.generate.shaders import draw
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.printer import print_shader

QUICK = Bounds(steps=4_000, turn=500)
"""How far candidates are explored whose divergence counts."""
SECOND_CANDIDATES = 400
"""So many shaders are drawn for each second start; it takes about a tenth of a second."""


class Minimiser:
    """Completes findings, with targets of its own to ask."""

    def __init__(self, targets: Mapping[str, Target], without_uniformity: frozenset[str], drawer: Drawer) -> None:
        self.without_uniformity = without_uniformity
        self._drawer = drawer
        self._notion = drawer.plan.convergence
        self._effort = Effort(targets)

    def _diverges(self, shader: Shader) -> bool:
        """Whether a shader diverges, and the work of exploring it."""
        execution = Case(shader, thorough=True, notion=self._notion).execution
        self._effort.executed(execution.steps)
        return execution.outcome is Outcome.DIVERGES

    def complete(self, item: PendingFinding, hurry: HurryUp) -> Minimisation:
        """Reduces a finding to a shader that shows the same kind and cause."""
        self._effort.begin()

        def give_up() -> bool:
            return hurry() or self._effort.spent

        if item.found.kind is Kind.UNSTABLE or item.case.written is not None:
            done = self._unstable(item, give_up)
        elif item.found.kind is Kind.METAMORPHIC:
            done = self._metamorphic(item, give_up)
        else:
            done = self._disagreement(item, give_up)
        done.branches = explaining_of(item.found, item.case, done.case)
        done.files[REDUCED] = done.case.text
        return done

    def shared(self, item: PendingFinding, done: Minimisation) -> Minimisation | None:
        """The finding of another target on the shader that `done` reached, if that shows it, too."""
        self._effort.begin()
        assert isinstance(done.case, Case), "modules have a minimiser of their own"
        shown = self._again(done.case, item.found, self._of(item).verdict)
        if shown is None:
            return None
        return shared_minimisation(item, done, shown, self._effort.is_near_miss(done, shown))

    @staticmethod
    def _of(item: PendingFinding) -> Case:
        assert isinstance(item.case, Case), "modules have a minimiser of their own"
        return item.case

    # ------------------------------------------------------------------------------------- verdicts that differ

    def _disagreement(self, item: PendingFinding, give_up: HurryUp) -> Minimisation:
        case, found = self._of(item), item.found

        def shows_it(shader: Shader) -> bool:
            return self._again(Case(shader, case.seed, notion=self._notion), found, case.verdict) is not None

        reduction = self._second_start(item, reduce(case.shader, shows_it, give_up=give_up), shows_it, give_up)
        least, shown = self._as_brief_as_can_be(reduction.shader, case, found)
        if shown.kind is Kind.TOO_LENIENT and least.execution.outcome is Outcome.DIVERGES:
            shown = replace(shown, kind=Kind.UNSOUND)
        _ = least.execution  # for the record
        verdicts = least.verdicts() | {found.target: shown.answer.verdict.value}
        files, nearest = self._neighbour(reduction, least, found.target)
        return Minimisation(least, shown, files, verdicts, nearest=nearest)

    def _as_brief_as_can_be(self, shader: Shader, case: Case, found: Disagreement) -> tuple[Case, Disagreement]:
        """The reduced shader in a text that shows the finding of `case`, and the finding on it."""
        brief, full = (of(shader, case.seed, thorough=True, notion=self._notion) for of in (ConciseCase, Case))
        if (shown := self._again(brief, found, case.verdict)) is not None:
            return brief, shown
        return full, self._again(full, found, case.verdict) or found

    def _briefly(self, target: str, shader: Shader) -> str:
        """A plain text of a shader: the shortest of which the target says what it says of the full one."""
        if target == REFERENCE:
            return print_shader(shader, tacit=True)

        def verdict(text: str) -> Verdict:
            return self._effort.ask(target, text).verdict

        return briefly(shader, lambda text: verdict(text) is verdict(print_shader(shader)))

    def _neighbour(self, reduction: Reduction, least: Case, target: str) -> tuple[dict[str, str], NearestRecord | None]:
        """The nearest simpler shader that does not show it, as a file and in words."""
        if reduction.nearest is None:
            return {}, None
        text = self._briefly(target, reduction.nearest)
        return {NEAREST: text}, NearestRecord(tuple(changes_in_words(least.text, text)))

    def _second_start(
        self, item: PendingFinding, first: Reduction, shows_it: Callable[[Shader], bool], give_up: HurryUp
    ) -> Reduction:
        """The first of a bucket is reduced from its choices as well, if these alone give it back."""
        if not item.first or give_up():
            return first
        drawer = self._drawer
        seed, profile = shader_seed(drawer.plan.seed, item.index), drawer.swarm(item.index // GROUP).profile
        if draw(RandomSource(seed), profile) != self._of(item).shader:  # it is a mutation, or was drawn again
            return first
        return reduce_twice(seed, profile, first, shows_it, SECOND_CANDIDATES, give_up)

    def _again(self, candidate: Case, found: Disagreement, reference: Verdict) -> Disagreement | None:
        """The same finding on another shader, if it shows it; the semantics is asked only about unsoundness."""
        if found.kind in HAVE_FINE_KEYS and candidate.verdict is not reference:
            return None
        rules = rules_of(found.cause)  # asked first: most candidates fail here, before any compiler is troubled
        if rules is not None and verdict_of(candidate.shader, rules) is not found.answer.verdict:
            return None
        given = {} if found.target == REFERENCE else {found.target: self._effort.ask(found.target, candidate.text)}

        def execute() -> Execution:
            if found.kind is not Kind.UNSOUND:
                return Execution(Outcome.NOT_SEEN, 0)
            explored = explore(candidate.shader, bounds=QUICK, notion=self._notion)
            self._effort.executed(explored.steps)
            return Execution(explored.outcome, explored.steps, explored.witness)

        for again in judge(candidate.shader, candidate.verdict, execute, given, self.without_uniformity):
            if again.target == found.target and again.kind is found.kind and again.cause == found.cause:
                return again
        return None

    # --------------------------------------------------------------------------------- one shader, two verdicts

    def _unstable(self, item: PendingFinding, give_up: HurryUp) -> Minimisation:
        """Reduces the spelling first, then the shader; two runs of one text are left as they are."""
        case, found = self._of(item), item.found
        asked = partial(self._effort.ask, found.target)
        done = Minimisation(case, found)
        if case.written is not None and found.cause != TWO_RUNS:
            spelled = found.answer.verdict
            sane = {Verdict.ACCEPTS, Verdict.REJECTS} - {spelled}

            def shows(shader: Shader, text: str) -> bool:
                if found.kind is Kind.UNSOUND and not self._diverges(shader):
                    return False
                return asked(text).verdict is spelled and asked(print_shader(shader)).verdict in sane

            reduced = reduce_spelled(case.shader, case.written, shows, give_up=give_up)
            case = Case(reduced.shader, case.seed, True, reduced.written, shortened=reduced.text, notion=self._notion)
            related = self._briefly(found.target, reduced.shader)
            found = replace(found, answer=asked(case.text))  # its message is about this text
            done = Minimisation(case, found, {RELATED: related})
            done.spelling = spelling_record(reduced.shader, reduced.written)
            done.related_verdicts = {found.target: asked(related).verdict.value}
        _ = case.execution  # for the record
        done.verdicts = case.verdicts() | {found.target: found.answer.verdict.value}
        return done

    # ------------------------------------------------------------------------------------- metamorphic relations

    def _metamorphic(self, item: PendingFinding, give_up: HurryUp) -> Minimisation:
        case, found = self._of(item).plain, item.found
        relation = RELATION[RelationCause.parse(found.cause).relation]
        drawn = self._drawer.related(item.index, case)

        def answer(shader: Shader, text: str) -> Answer:
            if found.target == REFERENCE:
                return Answer(verdict_of(shader))
            return self._effort.ask(found.target, text)

        def accepts(shader: Shader) -> bool | None:
            said = answer(shader, print_shader(shader)).verdict
            return said is Verdict.ACCEPTS if said in (Verdict.ACCEPTS, Verdict.REJECTS) else None

        near = drawn.choices if drawn is not None and drawn.relation is relation else ()
        reduced = reduce_related(relation, case.shader, accepts, near=near, give_up=give_up)
        if reduced.twin is None:  # the target has changed its mind
            return Minimisation(case, found)
        least: Case = ConciseCase(reduced.reduction.shader, case.seed, thorough=True, notion=self._notion)
        if self._briefly(found.target, least.shader) != least.text:
            least = Case(least.shader, case.seed, thorough=True, notion=self._notion)
        files, nearest = self._neighbour(reduced.reduction, least, found.target)
        twin = files[RELATED] = self._briefly(found.target, reduced.twin.shader)
        found = replace(found, answer=answer(reduced.twin.shader, twin))
        verdicts = least.verdicts() | {found.target: answer(least.shader, least.text).verdict.value}
        related_verdicts = {found.target: found.answer.verdict.value}
        return Minimisation(least, found, files, verdicts, related_verdicts, nearest=nearest)


def spelling_record(shader: Shader, written: Written) -> SpellingRecord:
    """How a text is written, for records."""
    forms = tuple(sorted(spelling_of(shader, written).forms))
    return SpellingRecord(features=tuple(names_of(written.features)), seed=written.seed, forms=forms)
