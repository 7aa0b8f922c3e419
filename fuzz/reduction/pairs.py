"""Reducing a finding on two related shaders: the smallest shader with some twin that breaks the relation.

Twins are not drawn at random for each candidate. Every way to transform the candidate is tried, and the way that last
broke the relation is tried first. For a small shader all twins are asked about, so that the result is one-minimal.
"""

from collections.abc import Callable
from dataclasses import dataclass

from wgsl_fuzz.fuzz.reduction.edits import size
from wgsl_fuzz.fuzz.reduction.search import Reduction, reduce
from wgsl_fuzz.strategies.choices.replay import Choices
from wgsl_fuzz.strategies.edit.relations import RelatedShader, Relation, broken, every
from wgsl_fuzz.tinywgsl.ast import Shader

Accepts = Callable[[Shader], bool | None]
"""A target's verdict: accepted, rejected, or something that says nothing about relations."""

TWINS = 96
"""How many ways of transforming a shader are tried before it is said to keep the relation."""


@dataclass(frozen=True, slots=True)
class RelatedReduction:
    """The reduction, and the simplest twin that breaks the relation with the reduced shader."""

    reduction: Reduction
    twin: RelatedShader | None
    """None if the target answers differently now."""


def reduce_related(
    relation: Relation,
    shader: Shader,
    accepts: Accepts,
    *,
    near: Choices = (),
    most: int = TWINS,
    give_up: Callable[[], bool] = lambda: False,
    progress: Callable[[Shader, int], None] = lambda _shader, _asked: None,
) -> RelatedReduction:
    """The smallest shader reached from `shader` that has a twin which breaks the relation. `shader` must have one.

    `near` are the choices that made that twin (`RelatedShader.choices`). No shader is asked about twice.
    """
    search = _Twins(relation, accepts, near, most, give_up)
    reduction = reduce(shader, search.breaks, give_up=give_up, progress=progress)
    return RelatedReduction(reduction, search.simplest(reduction.shader))


class _Twins:
    def __init__(
        self, relation: Relation, accepts: Accepts, near: Choices, most: int, give_up: Callable[[], bool]
    ) -> None:
        self._relation = relation
        self._accepts = accepts
        self._near = near
        self._most = most
        self._give_up = give_up
        self._known: dict[Shader, bool | None] = {}

    def breaks(self, shader: Shader) -> bool:
        """Whether a twin breaks the relation; the next shader's search begins with how that one was made."""
        before = self._verdict(shader)
        if before is None or not any(broken(self._relation, before, after) for after in (True, False)):
            return False
        for twin in every(self._relation, shader, self._most, self._near):
            if self._give_up():
                return False
            if self._broken(before, twin):
                self._near = twin.choices
                return True
        return False

    def simplest(self, shader: Shader) -> RelatedShader | None:
        """The smallest of the twins that break the relation with a shader."""
        before = self._verdict(shader)
        if before is None:
            return None
        least: RelatedShader | None = None
        for twin in every(self._relation, shader, self._most, self._near):
            if (least is None or size(twin.shader) < size(least.shader)) and self._broken(before, twin):
                least = twin
            if least is not None and self._give_up():
                break
        return least

    def _broken(self, before: bool, twin: RelatedShader) -> bool:
        after = self._verdict(twin.shader)
        return after is not None and broken(self._relation, before, after)

    def _verdict(self, shader: Shader) -> bool | None:
        if shader not in self._known:
            self._known[shader] = self._accepts(shader)
        return self._known[shader]
