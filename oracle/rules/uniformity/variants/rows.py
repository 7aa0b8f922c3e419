"""What the tables of variants are made with: rows, each of which stands for a class that overrides one method.

A rule's parameter names choose its arguments: those of the method, `self`, `piece` (the replaced method) or `result`
(its answer). So do those of `where`, and of functions that give the method other arguments.

    .by(S.kept, lambda: [])
        def kept(self, e):
            return []

    .by(S.stmt, lambda result, self: nothing(self), of=w.Let)
        def stmt(self, s, cf):
            result = super().stmt(s, cf)
            return nothing(self) if isinstance(s, w.Let) else result

    .by(S.stmts, statements=lambda statements: statements[:1], where=lambda self: self.breaks)
        def stmts(self, statements, cf):
            return super().stmts(statements[:1] if self.breaks else statements, cf)
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, wraps
from inspect import cleandoc, signature
from types import UnionType
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Direction, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis
from wgsl_fuzz.oracle.rules.uniformity.graph import Role
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.builtins import Scope
from wgsl_fuzz.wgsl.diagnostics import Filters
from wgsl_fuzz.wgsl.resolution import Resolution

LAXER, STRICTER, EITHER = Direction.LAXER, Direction.STRICTER, Direction.EITHER

S = ScopeAnalysis

_P = ParamSpec("_P")
_R = TypeVar("_R")
_A = TypeVar("_A")


def replacing(
    piece: Callable[Concatenate[_A, _P], _R], rule: Callable[Concatenate[Callable[_P, _R], _A, _P], _R], base: type[_A]
) -> type[_A]:
    """A subclass of `base` with `rule` in place of the method `piece`; `rule` is handed what it replaces."""

    @wraps(piece)
    def method(self: _A, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return rule(getattr(super(cls, self), piece.__name__), self, *args, **kwargs)

    cls = type(f"{base.__name__}With_{piece.__name__}", (base,), {piece.__name__: method})
    return cls


def row(name: str, branch: str, way: Direction, *replacements: type) -> Variant:
    """A variant whose place is in its name."""
    return Variant(name, name.rpartition("/")[0], branch, way, replacements)


_PIECES: tuple[type, ...] = (BehaviourAnalysis, Resolution, Filters, ScopeAnalysis)
"""What variants replace pieces of: the analysis itself, and what it asks about behaviours, names and filters."""


class VariantRow(NamedTuple):
    """A variant without what it does, which `by` adds."""

    variant: Variant

    def first(self, piece: Callable[..., Any], rule: Callable[..., Any] | None = None, **options: Any) -> "VariantRow":
        """The same with one piece replaced, as by `by`, which replaces the last one."""
        return VariantRow(self.by(piece, rule, **options))

    def by(
        self,
        piece: Callable[..., Any],
        rule: Callable[..., Any] | None = None,
        *,
        of: type | UnionType | str = object,
        where: Callable[..., Any] | None = None,
        apart: bool = False,
        base: type | None = None,
        **given: Any,
    ) -> Variant:
        """The variant that has `rule` in place of the method `piece`, or calls it with other arguments: `given`.

        Where the first argument is none `of` a type, or is another text, or `where` does not hold, the method stays.
        `apart`: the rule tells nodes apart. `base` has the piece, if the analysis itself has not.
        """
        instead, applies = edited(piece, rule, of, where, given)
        base = base or next(base for base in _PIECES if getattr(base, piece.__name__, None) is piece)
        cls: Any = asked_by_analysis(replacing(piece, instead, base))
        cls.replaced = (ScopeAnalysis if issubclass(base, ScopeAnalysis) else base, piece.__name__, of, applies)
        if apart:
            cls.tells_nodes_apart = True
        return replace(self.variant, replacements=(*self.variant.replacements, cls))


def broken(name: str, branch: str, way: Direction) -> VariantRow:
    """A broken variant of one piece."""
    return VariantRow(row(name, branch, way))


class Author(NamedTuple):
    """Whose departures they are: a compiler's, or of a text of the specification. `prefix` begins their names."""

    prefix: str
    about: str = "{}"
    """What there is to say about each; {} is what it says itself."""
    equivalent: str = ""
    issue: int | None = None

    def of(self, v: Variant) -> Variant:
        """A departure as one of these."""
        name, about = f"{self.prefix}/{v.name}", self.about.replace("{}", v.about).strip()
        equivalent = v.equivalent or self.equivalent
        place = self.prefix.removeprefix("before-")  # a date, by which texts are ordered
        return replace(v, name=name, place=place, about=about, equivalent=equivalent, issue=self.issue)


def having(**others: Any) -> Callable[[Any], Any]:
    """A rule: what the piece gives, with some of its parts replaced."""
    return lambda result: replace(result, **others)


def departs(source: Author, name: str, way: Direction, does: str, about: str = "", equivalent: str = "") -> VariantRow:
    """A departure that replaces one piece: `does` is what an analysis with it does, as a predicate."""
    return VariantRow(source.of(Variant(name, "", "", way, (), equivalent, does, about)))


def departure(source: Author, cls: type, way: Direction) -> Variant:
    """A departure that is one class, by whose name it is called, and whose docstring says what it does, and in a second
    paragraph what there is to say about it.
    """
    does, _, about = (" ".join(p.split()) for p in f"{cleandoc(cls.__doc__ or '')}\n\n".partition("\n\n"))
    name = re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower()
    return source.of(Variant(name, "", "", way, (cls,), "", does[:1].lower() + does[1:].removesuffix("."), about))


Handed = tuple[Any, ...]
"""A piece, the object that it is a method of, and its arguments."""
Replaced = tuple[type, str, object, Callable[[Handed], bool]]
"""The class and the name of a piece, what its first argument is `of`, and what says whether it is replaced."""


def edited(
    piece: Callable[..., Any],
    rule: Callable[..., Any] | None,
    of: type | UnionType | str,
    where: Callable[..., Any] | None,
    given: dict[str, Any],
) -> tuple[Callable[..., Any], Callable[[Handed], bool]]:
    """What stands in place of a piece, and whether it does any other; both are `Handed` the same."""
    parameters = [*signature(piece).parameters.values()][1:]
    names = ["piece", "self", *(p.name for p in parameters)]
    defaults = [p.default for p in parameters]
    holds = None if where is None else _picking(names, where)
    instead = None if rule is None else _picking(names, rule)
    others = [
        (names.index(name), _picking(names, x if callable(x) else partial(_same, x))) for name, x in given.items()
    ]

    def applies(handed: Handed) -> bool:
        first = handed[2:] and handed[2]
        if not (first == of if isinstance(of, str) else isinstance(first, of)):
            return False
        return holds is None or bool(holds((*handed, *defaults[len(handed) - 2 :])))

    def method(*handed: Any) -> Any:
        if not applies(handed):
            return handed[0](*handed[2:])
        handed = (*handed, *defaults[len(handed) - 2 :])
        if instead is not None:
            return instead(handed)
        asked = [*handed]
        for place, other in others:
            asked[place] = other(handed)
        return handed[0](*asked[2:])

    return method, applies


def _same(x: object) -> object:
    return x


def _picking(names: Sequence[str], function: Callable[..., Any]) -> Callable[[Handed], Any]:
    """A function of what is handed over by these names, which gives `function` what its parameters name."""
    places = [None if name == "result" else names.index(name) for name in signature(function).parameters]
    return lambda handed: function(*(handed[0](*handed[2:]) if i is None else handed[i] for i in places))


def asked_by_analysis(cls: type) -> type:
    """The class that a variant replaces: of names and of filters, the analysis that asks them."""
    if not issubclass(cls, Resolution | Filters):
        return cls

    class Asking(ScopeAnalysis):
        def __init__(self, resolution: Resolution, scope: Scope | None) -> None:
            super().__init__(resolution.copied_as(cls) if issubclass(cls, Resolution) else resolution, scope)
            if issubclass(cls, Filters):
                self.filters = cls(resolution.module.directives)

    return Asking


def nothing(self: ScopeAnalysis) -> Node:
    """A node without edges: it is uniform."""
    return self.graph.fresh(Role.OPERATION, None, None)
