"""Reducing a finding on two related texts: the smallest shader, or module, with some twin that breaks the relation.

Twins are not drawn at random for each candidate. Every way to transform the candidate is tried, and the way that last
broke the relation is tried first. For a small shader all twins are asked about, so that the result is one-minimal.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from wgsl_fuzz.fuzz.cases.relations import AnyRelation
from wgsl_fuzz.fuzz.reduction.edits import size
from wgsl_fuzz.fuzz.reduction.module_search import ModuleReduction, reduce_module
from wgsl_fuzz.fuzz.reduction.module_size import size as module_size
from wgsl_fuzz.fuzz.reduction.search import Reduction, reduce
from wgsl_fuzz.strategies.choices.replay import Choices
from wgsl_fuzz.strategies.edit.relations import RelatedShader, Relation, every
from wgsl_fuzz.strategies.modules.edit import relations as modules
from wgsl_fuzz.strategies.modules.edit.relations import ModuleRelation, RelatedModule
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution

T = TypeVar("T")
"""A shader, or a module with its names resolved."""
Accepts = Callable[[T], bool | None]
"""A target's verdict: accepted, rejected, or something that says nothing about relations."""
SameCause = Callable[[T, bool, T, bool], bool]
"""Whether a text and its twin, each with the target's verdict, break the relation for the reason that is looked for."""

TWINS = 96
"""How many ways of transforming a shader are tried before it is said to keep the relation."""
MODULE_TWINS = 32
"""The same of a module: each takes milliseconds."""


@dataclass(frozen=True, slots=True)
class RelatedReduction:
    """The reduction, and the simplest twin that breaks the relation with the reduced shader."""

    reduction: Reduction
    twin: RelatedShader | None
    """None if the target answers differently now."""


@dataclass(frozen=True, slots=True)
class RelatedModuleReduction:
    """The same of modules."""

    reduction: ModuleReduction
    twin: RelatedModule | None


def reduce_related(
    relation: Relation,
    shader: Shader,
    accepts: Accepts[Shader],
    *,
    near: Choices = (),
    most: int = TWINS,
    give_up: Callable[[], bool] = lambda: False,
    progress: Callable[[Shader, int], None] = lambda _shader, _asked: None,
) -> RelatedReduction:
    """The smallest shader reached from `shader` that has a twin which breaks the relation. `shader` must have one.

    `near` are the choices that made that twin (`RelatedShader.choices`). No shader is asked about twice.
    """

    def twins(one: Shader, near: Choices) -> Iterator[_Twin[Shader]]:
        return (_Twin(it.shader, it.choices, it) for it in every(relation, one, most, near))

    search = _Twins(relation, _Texts(twins, accepts, lambda one: one, size), near, give_up)
    reduction = reduce(shader, search.breaks, give_up=give_up, progress=progress)
    return RelatedReduction(reduction, search.simplest(reduction.shader))


def reduce_related_module(
    relation: ModuleRelation,
    module: Resolution,
    accepts: Accepts[Resolution],
    same: SameCause[Resolution],
    *,
    near: Choices = (),
    most: int = MODULE_TWINS,
    give_up: Callable[[], bool] = lambda: False,
) -> RelatedModuleReduction:
    """The same of a module: the smallest that has a twin which breaks the relation for the `same` reason."""

    def twins(one: Resolution, near: Choices) -> Iterator[_Twin[Resolution]]:
        return (_Twin(it.resolution, it.choices, it) for it in modules.every(relation, one, most, near))

    def text(one: Resolution) -> str:
        return print_module(one.module)

    texts = _Texts(twins, accepts, text, lambda one: module_size(one.module), same)
    search = _Twins(relation, texts, near, give_up)
    reduction = reduce_module(module, search.breaks, give_up=give_up)
    return RelatedModuleReduction(reduction, search.simplest(reduction.resolution))


class _Twin(NamedTuple, Generic[T]):
    subject: T
    choices: Choices
    related: Any
    """As the relations of its language give it."""


@dataclass(frozen=True, slots=True)
class _Texts(Generic[T]):
    """What the search must know of a language."""

    twins: Callable[[T, Choices], Iterator[_Twin[T]]]
    accepts: Accepts[T]
    key: Callable[[T], Hashable]
    size: Callable[[T], Any]
    same: SameCause[T] = lambda _one, _before, _twin, _after: True


class _Twins(Generic[T]):
    def __init__(self, relation: AnyRelation, texts: _Texts[T], near: Choices, give_up: Callable[[], bool]) -> None:
        self._holds = relation.implication.holds
        self._texts = texts
        self._near = near
        self._give_up = give_up
        self._known: dict[Hashable, bool | None] = {}

    def breaks(self, one: T) -> bool:
        """Whether a twin breaks the relation; the next search begins with how that one was made."""
        before = self._verdict(one)
        if before is None or all(self._holds(before, after) for after in (True, False)):
            return False
        for twin in self._texts.twins(one, self._near):
            if self._give_up():
                return False
            if self._broken(one, before, twin):
                self._near = twin.choices
                return True
        return False

    def simplest(self, one: T) -> Any:
        """The smallest of the twins that break the relation with a text; None if none does."""
        before = self._verdict(one)
        if before is None:
            return None
        least: _Twin[T] | None = None
        for twin in self._texts.twins(one, self._near):
            smaller = least is None or self._texts.size(twin.subject) < self._texts.size(least.subject)
            if smaller and self._broken(one, before, twin):
                least = twin
            if least is not None and self._give_up():
                break
        return None if least is None else least.related

    def _broken(self, one: T, before: bool, twin: _Twin[T]) -> bool:
        after = self._verdict(twin.subject)
        if after is None or self._holds(before, after):
            return False
        return self._texts.same(one, before, twin.subject, after)

    def _verdict(self, one: T) -> bool | None:
        key = self._texts.key(one)
        if key not in self._known:
            self._known[key] = self._texts.accepts(one)
        return self._known[key]
