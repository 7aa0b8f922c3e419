"""The shaders one edit away from another one."""

from collections.abc import Iterator
from contextlib import suppress

from wgsl_fuzz.fuzz.reduction.context import Context
from wgsl_fuzz.fuzz.reduction.pairs import PAIR_SORTS
from wgsl_fuzz.fuzz.reduction.search import SORTS, Sort, valid
from wgsl_fuzz.fuzz.reduction.size import size
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.rewrite import Misfit
from wgsl_fuzz.wgsl.syntax import Module


def made(sort: Sort, ctx: Context) -> Iterator[Module]:
    """The modules that the edits of a sort make, where they fit and change something."""
    for edit in sort(ctx):
        with suppress(Misfit):
            module = edit()
            if module is not ctx.module:
                yield module


def neighbours(resolution: Resolution) -> Iterator[tuple[str, Iterator[Module]]]:
    """By the name of each sort of edit."""
    ctx = Context(resolution)
    for name, sort in SORTS.items():
        yield name, made(sort, ctx)


def smaller_neighbours(resolution: Resolution, *, pairs: bool = False) -> Iterator[Resolution]:
    """The valid ones that are smaller; those of two edits at once, too, if `pairs`."""
    measure, ctx = size(resolution.module), Context(resolution)
    for sort in (*SORTS.values(), *(PAIR_SORTS if pairs else ())):
        for candidate in made(sort, ctx):
            smaller = valid(candidate) if size(candidate) < measure else None
            if smaller is not None:
                yield smaller
