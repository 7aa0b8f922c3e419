"""Hypothesis's shrinker as a second start: it shrinks what the generator chose, and so leaves other local minima."""

import time
from contextlib import suppress
from unittest import SkipTest

from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis.database import InMemoryExampleDatabase
from hypothesis.errors import HypothesisException

from fuzz.edits import size
from fuzz.reduce import Interesting, Reduction, reduce
from strategies import Profile, shaders
from strategies.shaders import draw
from strategies.source import RandomSource, RecordingSource, saved_choices
from tinywgsl.ast import Shader, renumbered

_KEY = b"second start"


class _TimeIsUp(SkipTest):
    """Hypothesis lets this kind of exception end its search; after any other it would shrink that."""


def second_start(seed: int, profile: Profile, interesting: Interesting, seconds: float) -> Shader | None:
    """The smallest shader met while Hypothesis shrinks the choices of `draw_shader(seed, profile)`.

    None if nothing that it tried in so many seconds is interesting.
    """
    recording = RecordingSource(RandomSource(seed))
    draw(recording, profile)
    database = InMemoryExampleDatabase()
    database.save(_KEY + b".secondary", saved_choices(recording.choices))
    deadline = time.monotonic() + seconds
    known: dict[Shader, bool] = {}

    def shows(shader: Shader) -> bool:
        if time.monotonic() > deadline:
            raise _TimeIsUp("time is up")
        shader = renumbered(shader)
        if shader not in known:
            known[shader] = bool(interesting(shader))
        return known[shader]

    quiet = settings(
        database=database,
        phases=(Phase.reuse, Phase.shrink),
        max_examples=100,
        deadline=None,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    with suppress(HypothesisException, _TimeIsUp):  # whatever ended it, `known` has what there is
        find(shaders(profile), shows, settings=quiet, database_key=_KEY)
    return min((shader for shader, shown in known.items() if shown), key=size, default=None)


def reduce_twice(seed: int, profile: Profile, first: Reduction, interesting: Interesting, seconds: float) -> Reduction:
    """The smaller of `first` and of what the AST reducer makes of the second start; no longer than `seconds` each."""
    start = second_start(seed, profile, interesting, seconds)
    if start is None:
        return first
    deadline = time.monotonic() + seconds
    second = reduce(start, interesting, give_up=lambda: time.monotonic() > deadline)
    return min(first, second, key=lambda reduction: size(reduction.shader))
