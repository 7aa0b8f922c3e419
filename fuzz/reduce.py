"""The reducer: the smallest shader that still shows what was found, by edits on the AST.

Greedy: the first simpler neighbour that is still interesting is taken, and the search goes on from there, until no
neighbour is. `size` strictly decreases, so it ends.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from fuzz.edits import size, trimmed, variants
from fuzz.rename import with_plain_names
from tinywgsl.ast import Shader, renumbered
from tinywgsl.wellformed import violations

Interesting = Callable[[Shader], bool]


@dataclass(frozen=True, slots=True)
class Reduction:
    """The reduced shader, and how many candidates were tried and asked about on the way."""

    shader: Shader
    tried: int
    asked: int


def reduce(
    shader: Shader, interesting: Interesting, *, most: int = 20_000, give_up: Callable[[], bool] = lambda: False
) -> Reduction:
    """The smallest shader reached from `shader` for which `interesting` holds; it must hold for `shader` itself.

    Every candidate asked about is well-formed (restriction (1) is kept if `shader` keeps it), numbered canonically and
    free of unused locals and arrays. At most `most` candidates are tried, and none
    any more once `give_up` says so.
    """
    may_return = bool(violations(shader))
    current, best = shader, size(shader)
    tried = asked = 0
    changed = True
    while changed and tried < most and not give_up():
        changed, position = False, 0
        neighbours = variants(current)
        while tried < most and not give_up() and (candidate := next(neighbours, None)) is not None:
            tried += 1
            candidate = renumbered(trimmed(candidate))
            if size(candidate) < best and not violations(candidate, main_may_return=may_return):
                asked += 1
                if interesting(candidate):
                    current, best, changed = candidate, size(candidate), True
                    neighbours = islice(variants(current), position, None)  # on from here, not from the start
                    continue
            position += 1
    renamed = with_plain_names(current)
    if renamed != current and not violations(renamed, main_may_return=may_return) and interesting(renamed):
        current = renamed
    return Reduction(current, tried, asked)
