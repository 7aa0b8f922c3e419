"""Findings with two texts, above all broken relations: what binds the two verdicts, and which of them is wrong."""

from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.judging.judge import Kind, RelationCause
from wgsl_fuzz.fuzz.triage.verdicts import OPEN, labels, said_of
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.edit.relations import RELATION, Relation

_UNIFORMITY = (Verdict.ACCEPTS.value, Verdict.REJECTS.value)


def relation_of(found: Finding) -> Relation | None:
    """The relation that a metamorphic finding breaks; None for other findings, or one of another version."""
    if found.kind is not Kind.METAMORPHIC:
        return None
    record = found.record
    return RELATION.get(record.place.relation or RelationCause.parse(record.cause).relation)


def bound_by(found: Finding) -> str:
    """The relation in words: `The relation loop-around: putting statements into ... the verdict`; empty if unknown."""
    relation = relation_of(found)
    return "" if relation is None else f"The relation {relation.name}: {relation.sentence}"


def wrong_texts(found: Finding) -> tuple[int, ...]:
    """The texts, 0 and 1, on which the target's verdict is not that of the reference; empty if that is not known."""
    said = _words(found)
    if said is None:
        return ()
    ours, theirs = said
    return tuple(i for i, (right, word) in enumerate(zip(ours, theirs)) if word != right)


def who_is_right(found: Finding) -> str:
    """Which verdict the reference contradicts: `The reference accepts both, so ... is wrong`; empty if not known."""
    wrong, said, names = wrong_texts(found), _words(found), labels(found)
    if not wrong or said is None:
        return ""
    first, second = said[0]
    does = f"{first} both" if first == second else f"{first} {names[0]} and {second} {names[1]}"
    whose = f"verdict on {names[wrong[0]]} is" if len(wrong) == 1 else "two verdicts are both"
    return f"The reference {does}, so the {whose} wrong."


def _words(found: Finding) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """What the reference and what the target say of both texts, if all of that is known."""
    said = {one.oracle: one.words for one in said_of(found)}
    ours, theirs = said.get(found.record.reference, ()), said.get(found.target, ())
    known = len(ours) == len(theirs) == 2 and OPEN not in theirs and set(ours) <= set(_UNIFORMITY)
    if found.target == found.record.reference or not known:
        return None
    return ours, theirs
