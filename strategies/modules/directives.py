"""The directives `enable` and `requires` of a module that is drawn: what it uses, and sometimes more (WGSL 4.1)."""

from collections.abc import Iterator

from wgsl_fuzz.strategies.choices.source import Source
from wgsl_fuzz.strategies.modules.interfaces import extensions_of
from wgsl_fuzz.wgsl.builtins import EXTENSIONS, FUNCTIONS, LANGUAGE_FEATURES
from wgsl_fuzz.wgsl.syntax import Attribute, Call, Directive, Enable, Module, Requires
from wgsl_fuzz.wgsl.walk import descendants

_EXTENSIONS = sorted(EXTENSIONS)
_FEATURES = sorted(LANGUAGE_FEATURES)


def draw_directives(source: Source, module: Module, extras: int) -> tuple[Directive, ...]:
    """What the module needs enabled; and in `extras` percent what it does not need.

    No declaration of the module may have the name of a built-in function.
    """
    needed = sorted(set(_needed(module)))
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


def _needed(module: Module) -> Iterator[str]:
    """The extensions of the functions that are called and of the inputs and outputs."""
    for node in descendants(module):
        if isinstance(node, Attribute):
            yield from extensions_of((node,))
        elif isinstance(node, Call):
            row = FUNCTIONS.get(node.callee.name)
            if row is not None and row.extension in EXTENSIONS:
                yield row.extension
