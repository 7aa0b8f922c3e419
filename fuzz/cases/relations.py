"""Metamorphic relations of both languages, by their names."""

from wgsl_fuzz.oracle.rules.uniformity.revisions import WHOLE
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies.edit.relations import RELATION, Relation
from wgsl_fuzz.strategies.edit.relations import MODULE_RELATION, ModuleRelation

AnyRelation = Relation | ModuleRelation
"""One of shaders of TinyWGSL, or one of modules."""


def relation_named(name: str, reference: str) -> AnyRelation | None:
    """The relation of a name between texts that this reference judges; None if there is none (any more)."""
    return MODULE_RELATION.get(name) if reference == WHOLE else RELATION.get(name)


def breaks(relation: AnyRelation, first: Answer, second: Answer) -> bool:
    """Whether answers about a text and its twin break a relation: only verdicts can."""
    said = (Verdict.ACCEPTS, Verdict.REJECTS)
    if first.verdict not in said or second.verdict not in said:
        return False
    return not relation.implication.holds(first.verdict is Verdict.ACCEPTS, second.verdict is Verdict.ACCEPTS)
