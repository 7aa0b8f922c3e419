"""Swarms: each draws narrower options within a profile, so that shaders differ in kind (swarm testing)."""

from dataclasses import replace

from wgsl_fuzz.strategies.choices.source import ChoiceSource, Odds
from wgsl_fuzz.strategies.generate.profile import ModuleProfile
from wgsl_fuzz.strategies.generate.tiny.modules import ROWS

_NAMES = [row.name for rows in ROWS for row in rows]
_ALWAYS = frozenset({"assign", "if", "var", "barrier", "call"})
_FACTORS = Odds([(100, 3), (50, 3), (25, 3), (200, 3), (400, 1)])
_CALM = 15
"""The rate of swarms without data races: devices are asked about no others."""
_OFF = 15
"""The rate of rows that are off."""
_SIZES = Odds([((30, 60), 4), ((10, 35), 2), ((0, 100), 1), ((40, 70), 3), ((70, 100), 1)])
"""Which part of the base's range of statements is aimed at, in percent."""
_TRIGGERS = Odds([(1, 3), (2, 1), (4, 1), (16, 1)])
"""By how much a barrier is more likely than in the base."""


def draw_swarm(source: ChoiceSource, base: ModuleProfile) -> ModuleProfile:
    """A profile within `base` that swarms no more; `base` itself if it has no core."""
    if not base.core:
        return base
    least, most = base.statements
    low, high = source.weighted(_SIZES)
    own = dict(base.rows)
    factors = tuple([(name, _factor(source, name) * own.get(name, 100) // 100) for name in _NAMES])
    return replace(
        base,
        swarm=False,
        racy=base.racy and not source.percent(_CALM),
        statements=(least + (most - least) * low // 100, least + (most - least) * high // 100),
        functions=_part(source, base.functions) if source.percent(85) else (base.functions[0], base.functions[0]),
        nesting=max(1, base.nesting - source.integer(0, 2)),
        doses=(source.pick(base.doses),),
        returns=source.pick((base.returns, 100, 0)) if base.returns else 0,
        triggers=tuple([(name, weight * source.weighted(_TRIGGERS)) for name, weight in base.triggers]),
        rows=factors,
    )


def _factor(source: ChoiceSource, name: str) -> int:
    off = name not in _ALWAYS and source.percent(_OFF)
    return 0 if off else source.weighted(_FACTORS)


def _part(source: ChoiceSource, whole: tuple[int, int]) -> tuple[int, int]:
    """A range within a range."""
    least, most = whole
    low = source.integer(least, most)
    return low, source.integer(low, most)
