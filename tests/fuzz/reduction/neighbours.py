"""The shaders one edit away from another one."""

from collections.abc import Iterator
from contextlib import suppress

from wgsl_fuzz.fuzz.reduction.context import Context
from wgsl_fuzz.fuzz.reduction.search import EDIT_KINDS, EditKind
from wgsl_fuzz.fuzz.reduction.size import size
from wgsl_fuzz.fuzz.reduction.statements import MOVES
from wgsl_fuzz.strategies.edit.subject import valid
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.rewrite import Misfit
from wgsl_fuzz.wgsl.syntax import Module


def made(kind: EditKind, ctx: Context) -> Iterator[Module]:
    """The modules that the edits of a kind make, where they fit and change something."""
    for edit in kind(ctx):
        with suppress(Misfit):
            module = edit()
            if module is not ctx.module:
                yield module


def neighbours(resolution: Resolution) -> Iterator[tuple[str, Iterator[Module]]]:
    """By the name of each kind of edit."""
    ctx = Context(resolution)
    for name, kind in EDIT_KINDS.items():
        yield name, made(kind, ctx)


def smaller_neighbours(resolution: Resolution, *, moves: bool = False) -> Iterator[Resolution]:
    """The valid ones that are smaller; those by moves, too, if `moves`."""
    measure, ctx = size(resolution.module), Context(resolution)
    for kind in (*EDIT_KINDS.values(), *(MOVES.values() if moves else ())):
        for candidate in made(kind, ctx):
            smaller = valid(candidate) if size(candidate) < measure else None
            if smaller is not None:
                yield smaller
