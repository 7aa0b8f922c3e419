"""Findings of an earlier part of a run that are still as drawn: a kill, a stop or a spent budget came before reducing.

Each is drawn again from its place in the run. If that gives another text (the run's recipes are incomplete, say), the
finding stays as drawn.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from wgsl_fuzz.fuzz.campaign.minimisation import PendingFinding
from wgsl_fuzz.fuzz.cases.given import GivenModule, GivenShader
from wgsl_fuzz.fuzz.cases.languages import AnyCase, PlanDrawer
from wgsl_fuzz.fuzz.cases.plan import FRESH, GROUP, Recipe
from wgsl_fuzz.fuzz.cases.written import Written
from wgsl_fuzz.fuzz.files import read_text
from wgsl_fuzz.fuzz.findings.directory import SavedFinding
from wgsl_fuzz.fuzz.findings.loading import StoredFinding
from wgsl_fuzz.fuzz.findings.records import DRAWN, FindingRecord
from wgsl_fuzz.fuzz.judging.judge import VERDICTS_DIFFER, BucketKey, Disagreement, Kind
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.reduction.spelling import only
from wgsl_fuzz.oracle.rules.uniformity.revisions import WHOLE
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.reading import ParseError, parse

ALIKE = 3
"""So many findings of one raw bucket are reduced where no rule is at fault: more of them say nothing more."""


def is_reduced(kind: Kind, nth: int) -> bool:
    """Whether the nth finding of a raw bucket is worth reducing, from 1 on."""
    return kind in VERDICTS_DIFFER or nth <= ALIKE


def unreduced(findings: tuple[StoredFinding, ...]) -> Iterator[tuple[StoredFinding, int]]:
    """The stored findings that are as drawn and are to be reduced, each with its number in its raw bucket."""
    seen: Counter[BucketKey] = Counter()
    for found in findings:
        first = found.record.first
        key, kind = first.bucket or found.record.bucket, first.kind or found.record.kind
        seen[key] += 1
        if found.record.describes == DRAWN and is_reduced(kind, seen[key]):
            yield found, seen[key]


def pending(
    findings: tuple[StoredFinding, ...], drawer: PlanDrawer, recipes: Mapping[int, Recipe]
) -> Iterator[PendingFinding]:
    """These findings, drawn again and ready to be reduced; `recipes` are those of the run's steered groups."""
    for stored, nth in unreduced(findings):
        file = stored.record.place.file
        case = _drawn_again(stored.record, drawer, recipes) if file is None else _read_again(stored.record, file)
        found = _disagreement(stored.record)
        if case is not None and found is not None and case.text == stored.file(DRAWN):
            saved = SavedFinding(stored.folder, stored.record)
            yield PendingFinding(case, found, saved, first=nth == 1, index=stored.record.place.index or 0)


def _drawn_again(record: FindingRecord, drawer: PlanDrawer, recipes: Mapping[int, Recipe]) -> AnyCase | None:
    """The shader of a finding, written as the finding's text is; None if its place is not known."""
    index = record.place.index
    if index is None or record.place.seed != drawer.plan.seed:
        return None
    case = drawer.case(index, recipes.get(index // GROUP, FRESH))
    if record.place.relation is not None and record.kind is not Kind.METAMORPHIC:
        twin = drawer.related(index, case)
        return None if twin is None else twin[0]
    return case if record.spelling is not None else case.plain


def _read_again(record: FindingRecord, file: str) -> AnyCase | None:
    """The shader of a file, written as the finding's text is; None if it is not there any more."""
    try:
        text = read_text(file)
        if record.reference == WHOLE:
            return GivenModule(file, text).case()
        shader = parse(text)
    except (Problem, ParseError, WgslError):
        return None
    spelled = record.spelling
    written = None if spelled is None else Written(only(list(spelled.features)), spelled.seed or 0)
    return GivenShader(file, "", shader).case(written)


def _disagreement(record: FindingRecord) -> Disagreement | None:
    """What a finding's record says of its target; None if that is no verdict."""
    said = (record.related_verdicts or {}) if record.kind is Kind.METAMORPHIC else record.verdicts
    word = said.get(record.target)
    if word not in {verdict.value for verdict in Verdict}:
        return None
    return Disagreement(record.target, record.kind, Answer(Verdict(word), record.message), record.cause)
