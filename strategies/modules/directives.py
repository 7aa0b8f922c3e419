"""The directives `enable` and `requires` of a module that is drawn: what it uses, and sometimes more (WGSL 4.1)."""

from collections.abc import Iterable

from wgsl_fuzz.strategies.choices.source import Source
from wgsl_fuzz.wgsl.builtins import EXTENSIONS, LANGUAGE_FEATURES
from wgsl_fuzz.wgsl.syntax import Directive, Enable, Requires

_EXTENSIONS = sorted(EXTENSIONS)
_FEATURES = sorted(LANGUAGE_FEATURES)


def draw_directives(source: Source, extensions: Iterable[str], extras: int) -> tuple[Directive, ...]:
    """The extensions that a module uses, enabled; and in `extras` percent what it does not need."""
    needed = sorted(extensions)
    if source.percent(extras):
        needed = sorted({*needed, source.pick(_EXTENSIONS)})
    found: list[Directive] = []
    if needed and source.percent(50):
        found = [Enable((name,)) for name in needed]
    elif needed:
        found = [Enable(tuple(needed))]
    if source.percent(extras):
        found.append(Requires((source.pick(_FEATURES),)))
    return tuple(found)
