"""The shaders one edit away from another one."""

from collections.abc import Iterator

from wgsl_fuzz.fuzz.reduction.context import Context
from wgsl_fuzz.fuzz.reduction.pairs import PAIR_SORTS
from wgsl_fuzz.fuzz.reduction.search import SORTS, valid
from wgsl_fuzz.fuzz.reduction.size import size
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Module


def neighbours(resolution: Resolution) -> Iterator[tuple[str, Iterator[Module]]]:
    """By the name of each sort of edit."""
    ctx = Context(resolution)
    for name, sort in SORTS.items():
        yield name, sort(ctx)


def smaller_neighbours(resolution: Resolution, *, pairs: bool = False) -> Iterator[Resolution]:
    """The valid ones that are smaller; those of two edits at once, too, if `pairs`."""
    measure, ctx = size(resolution.module), Context(resolution)
    for sort in (*SORTS.values(), *(PAIR_SORTS if pairs else ())):
        for candidate in sort(ctx):
            smaller = valid(candidate) if size(candidate) < measure else None
            if smaller is not None:
                yield smaller
