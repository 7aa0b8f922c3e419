"""Hypothesis's shrinker as a second start: it shrinks what the generator chose, and so leaves other local minima."""

from collections.abc import Callable
from contextlib import suppress
from unittest import SkipTest

from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis.database import InMemoryExampleDatabase
from hypothesis.errors import HypothesisException

from fuzz.reduction.edits import size
from fuzz.reduction.search import Interesting, Reduction, reduce
from strategies import Profile, shaders
from strategies.choices.source import RandomSource, RecordingSource, saved_choices
from strategies.generate.shaders import draw
from tinywgsl.ast import Shader, renumbered

_KEY = b"second start"
MOST = 2_000
"""Candidates that the AST reducer tries from the second start: three times what reductions need."""


class _SearchLimit(SkipTest):
    """Hypothesis lets this kind of exception end its search; after any other it would shrink that."""


def _never() -> bool:
    return False


def second_start(
    seed: int, profile: Profile, interesting: Interesting, questions: int, give_up: Callable[[], bool] = _never
) -> Shader | None:
    """The smallest shader met while Hypothesis shrinks the choices of `draw_shader(seed, profile)`.

    None if none of those that it asks about is interesting. It ends after so many questions, not seconds: a busy
    machine finds what an idle one finds.
    """
    recording = RecordingSource(RandomSource(seed))
    draw(recording, profile)
    database = InMemoryExampleDatabase()
    database.save(_KEY + b".secondary", saved_choices(recording.choices))
    known: dict[Shader, bool] = {}

    def shows(shader: Shader) -> bool:
        shader = renumbered(shader)
        if shader not in known:
            if len(known) >= questions or give_up():
                raise _SearchLimit("asked enough")
            known[shader] = bool(interesting(shader))
        return known[shader]

    quiet = settings(
        settings(derandomize=True),  # by a parent: given together with a database it is refused
        database=database,
        phases=(Phase.reuse, Phase.shrink),
        max_examples=100,
        deadline=None,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    with suppress(HypothesisException, _SearchLimit):  # whatever ended it, `known` has what there is
        find(shaders(profile), shows, settings=quiet, database_key=_KEY)
    return min((shader for shader, shown in known.items() if shown), key=size, default=None)


def reduce_twice(
    seed: int,
    profile: Profile,
    first: Reduction,
    interesting: Interesting,
    questions: int,
    give_up: Callable[[], bool] = _never,
) -> Reduction:
    """The smaller of `first` and of what the AST reducer makes of the second start."""
    start = second_start(seed, profile, interesting, questions, give_up)
    if start is None:
        return first
    second = reduce(start, interesting, most=MOST, give_up=give_up)
    return min(first, second, key=lambda reduction: size(reduction.shader))
