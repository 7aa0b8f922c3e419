"""Reducing a finding on two related texts: the smallest shader with some twin that breaks the relation.

Twins are not drawn at random for each candidate. Every way to transform the candidate is tried, and the way that last
broke the relation is tried first. For a small shader all twins are asked about, so that the result is one-minimal.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from wgsl_fuzz.fuzz.reduction.search import Reduction, reduce
from wgsl_fuzz.fuzz.reduction.size import size
from wgsl_fuzz.strategies.choices.replay import Choices
from wgsl_fuzz.strategies.edit.relations import RelatedShader, Relation, every
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution

Accepts = Callable[[Resolution], bool | None]
"""A target's verdict: accepted, rejected, or something that says nothing about relations."""
SameCause = Callable[[Resolution, bool, Resolution, bool], bool]
"""Whether a text and its twin, each with the target's verdict, break the relation for the reason that is looked for."""

TWINS = 32
"""How many ways of transforming a shader are tried before it is said to keep the relation: each takes milliseconds."""


def reduce_related(
    relation: Relation,
    shader: Resolution,
    accepts: Accepts,
    same: SameCause,
    *,
    near: Choices = (),
    most: int = TWINS,
    give_up: Callable[[], bool] = lambda: False,
) -> tuple[Reduction, RelatedShader | None]:
    """The smallest shader reached with a twin that breaks the relation for the `same` reason, and the simplest one.

    `shader` must have one, made by the choices `near` (`RelatedShader.choices`). No shader is asked about twice. The
    twin is None if the target answers differently now.
    """
    search = _Twins(relation, accepts, same, near, most, give_up)
    reduction = reduce(shader, search.breaks, give_up=give_up)
    return reduction, search.simplest(reduction.resolution)


@dataclass
class _Twins:
    relation: Relation
    accepts: Accepts
    same: SameCause
    near: Choices
    """How the twin was made that broke the relation last."""
    most: int
    give_up: Callable[[], bool]
    known: dict[str, bool | None] = field(default_factory=dict)
    """The verdicts, by text."""

    def breaks(self, one: Resolution) -> bool:
        """Whether a twin breaks the relation; the next search begins with how that one was made."""
        before = self._verdict(one)
        holds = self.relation.implication.holds
        if before is None or all(holds(before, after) for after in (True, False)):
            return False
        for twin in every(self.relation, one, self.most, self.near):
            if self.give_up():
                return False
            if self._broken(one, before, twin):
                self.near = twin.choices
                return True
        return False

    def simplest(self, one: Resolution) -> RelatedShader | None:
        """The smallest of the twins that break the relation with a shader; None if none does."""
        before = self._verdict(one)
        if before is None:
            return None
        least: RelatedShader | None = None
        for twin in every(self.relation, one, self.most, self.near):
            smaller = least is None or size(twin.resolution.module) < size(least.resolution.module)
            if smaller and self._broken(one, before, twin):
                least = twin
            if least is not None and self.give_up():
                break
        return least

    def _broken(self, one: Resolution, before: bool, twin: RelatedShader) -> bool:
        after = self._verdict(twin.resolution)
        if after is None or self.relation.implication.holds(before, after):
            return False
        return self.same(one, before, twin.resolution, after)

    def _verdict(self, one: Resolution) -> bool | None:
        text = print_module(one.module)
        if text not in self.known:
            self.known[text] = self.accepts(one)
        return self.known[text]
