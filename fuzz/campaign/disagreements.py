"""What is wrong with the answers about drawn shaders: each disagreement is handed to the recorder."""

from collections.abc import Mapping, Sequence

from wgsl_fuzz.fuzz.campaign.recorder import Origin, Recorder
from wgsl_fuzz.fuzz.campaign.worker import ShaderResult
from wgsl_fuzz.fuzz.cases.faults import FAULTS, note_fault
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.findings.directory import FEW
from wgsl_fuzz.fuzz.judging.cases import cause_of_broken, difference_of_references, judge_case
from wgsl_fuzz.fuzz.judging.judge import NOT_IMPLEMENTED, UNEXPLAINED, Disagreement, Kind, kind_of, unimplemented
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies.edit.relations import RELATION, Relation


class Disagreements:
    """Looks for them; `filing` may ask targets again."""

    def __init__(self, drawer: CampaignGenerator, filing: Recorder, without_uniformity: frozenset[str]) -> None:
        self._drawer, self._filing, self._without_uniformity = drawer, filing, without_uniformity

    def file(self, drawn: ShaderResult, twin: ShaderResult | None) -> None:
        """Files what is wrong with the answers about a shader, and about its twin if it has one."""
        self._judge(drawn)
        if twin is not None:
            self._judge(twin)
            self._compare(drawn, twin)

    def _judge(self, judged: ShaderResult) -> None:
        """Files what is wrong with one shader's answers.

        The worker has judged them, and most findings are only counted. To save one, the shader is drawn again.
        """
        origin, lenient = self._origin(judged), judged.lenient(self._without_uniformity)
        floods = [name for name in lenient if self._is_flood(name)]
        for name in floods:
            found = Disagreement(name, Kind.TOO_LENIENT, judged.answers[name], NOT_IMPLEMENTED)
            self._filing.count(found, origin)
        answers = judged.to_judge(floods)
        if answers is None:
            return
        known = judged.findings if floods == lenient else None
        if known is not None and all(self._filing.is_enough(found, origin) for found in known):
            for found in known:
                self._filing.count(found, origin)
            return
        case = self._case(judged)
        for found in self._findings(case, judged, answers):
            self._filing.found(case, found, judged.answers, origin)

    def _findings(self, case: ModuleCase, judged: ShaderResult, answers: Mapping[str, Answer]) -> list[Disagreement]:
        """What is wrong with the answers; by verdicts alone if looking for their causes fails by a fault of ours."""
        try:
            found = judge_case(case, answers, self._without_uniformity)
            return [*found, *difference_of_references(case)]
        except FAULTS as fault:
            note_fault(self._filing.counters.faults, fault)
        kinds = {name: kind_of(judged.verdict, answer, lambda: False) for name, answer in answers.items()}
        return [Disagreement(name, kind, answers[name], UNEXPLAINED) for name, kind in kinds.items() if kind]

    def _is_flood(self, name: str) -> bool:
        """Whether of the shaders accepted by a target without an analysis enough are saved."""
        return self._filing.directory.by_key[unimplemented(name)] >= FEW

    def _compare(self, drawn: ShaderResult, twin: ShaderResult) -> None:
        """Files broken metamorphic relations; the reference itself is judged like any target."""
        assert twin.relation is not None, "only twins are compared"
        ours, relation = drawn.reference, RELATION[twin.relation]
        before = {ours: Answer(drawn.verdict)} | {name: drawn.answers[name] for name in sorted(drawn.answers)}
        after = {ours: Answer(twin.verdict)} | twin.answers
        for name, first in before.items():
            second = after.get(name)  # a device takes few
            if second is None or name in self._without_uniformity or not _breaks(relation, first, second):
                continue
            case = self._case(drawn)
            other = self._case(twin)
            cause = self._cause_of_broken(relation.name, name, [(case, first), (other, second)])
            found = Disagreement(name, Kind.METAMORPHIC, second, cause)
            given = drawn.answers | {name: first}
            self._filing.found(case, found, given, self._origin(drawn), other.text)

    def _cause_of_broken(self, relation: str, target: str, said: Sequence[tuple[ModuleCase, Answer]]) -> str:
        """What names the raw bucket; the relation alone if looking for departures fails by a fault of ours."""
        try:
            return cause_of_broken(relation, target, said)
        except FAULTS as fault:
            note_fault(self._filing.counters.faults, fault)
            return relation

    def _case(self, judged: ShaderResult) -> ModuleCase:
        """The shader that was judged, drawn again; executed, if that refuted the reference."""
        case = self._drawer.case(judged.index)
        if judged.relation is not None:
            twin = self._drawer.related(judged.index, case)
            assert twin is not None, "drawn by the worker from the same choices"
            case = twin[0]
        if judged.diverges:
            _ = case.execution
        return case

    def _origin(self, judged: ShaderResult) -> Origin:
        return Origin(self._drawer.plan, judged.index, judged.relation)


def _breaks(relation: Relation, first: Answer, second: Answer) -> bool:
    """Whether answers about a text and its twin break a relation: only verdicts can."""
    said = (Verdict.ACCEPTS, Verdict.REJECTS)
    if first.verdict not in said or second.verdict not in said:
        return False
    return not relation.holds(first.verdict is Verdict.ACCEPTS, second.verdict is Verdict.ACCEPTS)
