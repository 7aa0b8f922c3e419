"""Who says what of a stored finding; of one with two texts, of each of them."""

from dataclasses import dataclass

from wgsl_fuzz.fuzz.cases.case import SEMANTICS, Case
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.judging.kinds import REFERENCES, Kind
from wgsl_fuzz.oracle.rules.analyses import SECTION_4_2
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.edit.relations import RELATION, Relation

OPEN = "not recorded"
"""Instead of a verdict: only a finding's own target is known to have seen both texts."""


@dataclass(frozen=True, slots=True)
class OracleVerdicts:
    """An oracle and its word on each text of a finding, in the order of `labels`."""

    oracle: str
    words: tuple[str, ...]
    origin: str
    """Its version, or what it is."""


def labels(finding: Finding) -> tuple[str, ...]:
    """What to call the texts of a finding: nothing if there is one, else a name for each."""
    if finding.related is None:
        return ("",)
    if finding.kind is Kind.METAMORPHIC:
        return "the first shader", "the second shader"
    return "this spelling", "the plain spelling"


def said_of(finding: Finding) -> list[OracleVerdicts]:
    """What every oracle says of the finding's text, or of both its texts; in the record's order."""
    first, second = _by_text(finding)
    ran = "" if finding.record.threads is None else f"{finding.record.threads} threads"
    ours = {SECTION_4_2: "the paper's rules", SECTION_15_2: "the rules of WGSL, section 15.2", SEMANTICS: ran}
    origins = ours | finding.record.targets
    rows = []
    for name in dict.fromkeys([*first, *(second or {})]):
        words = (first.get(name, OPEN),) + (() if second is None else (second.get(name, OPEN),))
        rows.append(OracleVerdicts(name, words, origins.get(name, "")))
    return rows


def _by_text(found: Finding) -> tuple[dict[str, str], dict[str, str] | None]:
    """The words on the text shown, and those on the related one if there is one."""
    first, related = dict(found.record.verdicts), found.related
    if related is None:
        return first, None
    second = dict(found.record.related_verdicts or {})
    alike = None if found.kind is Kind.METAMORPHIC else first.get(SEMANTICS)
    second |= _ours(related, SEMANTICS in first, alike)
    if found.target in REFERENCES:
        first |= _ours(found.case(), semantics=False)
    return first, second


def _ours(case: Case, semantics: bool, same: str | None = None) -> dict[str, str]:
    """The words of our own oracles; of one shader spelled in two ways the executions are the `same`."""
    words = case.verdicts()
    return words | {SEMANTICS: same or case.ask_semantics()[0]} if semantics and words else words


_UNIFORMITY = (Verdict.ACCEPTS.value, Verdict.REJECTS.value)


def relation_of(finding: Finding) -> Relation | None:
    """The relation that a metamorphic finding breaks; None for other findings, or one of another version."""
    if finding.kind is not Kind.METAMORPHIC:
        return None
    record = finding.record
    return RELATION.get(record.place.relation or record.cause.relation)


def bound_by(finding: Finding) -> str:
    """The relation in words: `The relation loop-around: putting statements into ... the verdict`; empty if unknown."""
    relation = relation_of(finding)
    return "" if relation is None else f"The relation {relation.name}: {relation.sentence}"


def wrong_texts(finding: Finding) -> tuple[int, ...]:
    """The texts, 0 and 1, on which the target's verdict is not that of the reference; empty if that is not known."""
    said = _words(finding)
    if said is None:
        return ()
    ours, theirs = said
    return tuple(i for i, (right, word) in enumerate(zip(ours, theirs)) if word != right)


def who_is_right(finding: Finding) -> str:
    """Which verdict the reference contradicts: `The reference accepts both, so ... is wrong`; empty if not known."""
    wrong, said, names = wrong_texts(finding), _words(finding), labels(finding)
    if not wrong or said is None:
        return ""
    first, second = said[0]
    does = f"{first} both" if first == second else f"{first} {names[0]} and {second} {names[1]}"
    whose = f"verdict on {names[wrong[0]]} is" if len(wrong) == 1 else "two verdicts are both"
    return f"The reference {does}, so the {whose} wrong."


def _words(found: Finding) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """What the reference and what the target say of both texts, if all of that is known."""
    said = {one.oracle: one.words for one in said_of(found)}
    ours, theirs = said.get(SECTION_15_2, ()), said.get(found.target, ())
    known = len(ours) == len(theirs) == 2 and OPEN not in theirs and set(ours) <= set(_UNIFORMITY)
    if found.target in REFERENCES or not known:
        return None
    return ours, theirs
