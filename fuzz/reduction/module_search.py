"""The reducer for the whole of WGSL: greedy, by the edits of `module_edits`; each kept module is smaller."""

from collections.abc import Callable, Iterator

from wgsl_fuzz.fuzz.reduction.module_edits import neighbours, size
from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Module

Interesting = Callable[[Resolution], bool]


def valid(module: Module) -> Resolution | None:
    """The meaning of a module whose names resolve and whose behaviours are valid; None for any other."""
    try:
        resolution = resolve(module)
        behaviours = BehaviourAnalysis()
        for f in resolution.functions:
            behaviours.check(f)
    except WgslError:
        return None
    return resolution


def reduce_module(
    resolution: Resolution, interesting: Interesting, *, most: int = 4000, give_up: Callable[[], bool] = lambda: False
) -> Resolution:
    """The smallest module reached for which `interesting` still holds; `most` candidates are looked at."""
    left = most
    again = True
    while again:
        again = False
        done: set[str] = set()
        while True:
            sort = next(((name, them) for name, them in neighbours(resolution) if name not in done), None)
            if sort is None:
                break
            name, candidates = sort
            found, looked = _first(candidates, resolution, interesting, left, give_up)
            left -= looked
            if left <= 0 or give_up():
                return found or resolution
            if found is None:
                done.add(name)
            else:
                resolution, again = found, True
    return resolution


def _first(
    candidates: Iterator[Module], now: Resolution, interesting: Interesting, most: int, give_up: Callable[[], bool]
) -> tuple[Resolution | None, int]:
    """The first smaller module that is interesting, and how many were looked at."""
    bound, looked = size(now.module), 0
    for candidate in candidates:
        if looked >= most or give_up():
            break
        looked += 1
        if size(candidate) < bound:
            resolution = valid(candidate)
            if resolution is not None and interesting(resolution):
                return resolution, looked
    return None, looked
