"""Swarms of modules: some rows are off, the others more or less likely, and rates are drawn themselves."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from wgsl_fuzz.strategies.choices.source import Source, Table
from wgsl_fuzz.strategies.modules.profile import ModuleProfile, Weights
from wgsl_fuzz.strategies.modules.rows import ExpressionRow, Rows, StatementRow

_ALWAYS = frozenset({"assign", "if", "var", "trigger", "call"})
_FACTORS = Table([(100, 3), (50, 3), (25, 3), (200, 3), (400, 1)])
_OFF = 15
"""The rate of rows that are off."""
_MOTIF_ALONE = 15
"""The rate of swarms in which only a motif decides."""
_SIZES = Table([((30, 60), 4), ((10, 35), 2), ((0, 100), 1), ((40, 70), 3), ((70, 100), 1)])
"""Which part of the base's range of statements is aimed at, in percent."""
_RATES: dict[str, Table[int]] = {
    "operators": Table([(45, 2), (30, 1), (60, 1)]),
    "depth": Table([(2, 1), (1, 1), (3, 1)]),
    "guards": Table([(0, 1), (25, 1), (50, 1), (80, 1)]),
    "carriers": Table([(20, 1), (5, 2), (30, 1), (50, 1)]),
    "payloads": Table([(0, 1), (20, 1), (50, 1), (80, 1)]),
    "callee_triggers": Table([(0, 2), (30, 1), (60, 1)]),
    "elses": Table([(35, 1), (10, 1), (70, 1)]),
    "branch_jumps": Table([(30, 1), (10, 1), (60, 1)]),
    "both_jump": Table([(0, 2), (10, 1), (30, 1)]),
    "leaving_loops": Table([(0, 2), (20, 1), (50, 1)]),
    "dead_code": Table([(5, 1), (0, 1), (30, 1)]),
    "counters": Table([(80, 2), (60, 1), (30, 1)]),
    "unsteady": Table([(15, 1), (0, 1), (60, 1)]),
    "pointers": Table([(50, 2), (20, 1), (90, 1)]),
    "effects": Table([(40, 1), (10, 1), (80, 1)]),
    "results": Table([(75, 2), (30, 1), (100, 1)]),
}
_TRIGGERS = Table([(1, 3), (2, 1), (4, 1), (16, 1)])
"""By how much a trigger is more likely than in the base."""
_DUE = Table([((0, 66), 4), ((0, 0), 1), ((100, 100), 1)])


def draw_module_swarm(source: Source, base: ModuleProfile, rows: Rows[Any]) -> ModuleProfile:
    """A profile within `base` that swarms no more."""
    least, most = base.statements
    low, high = source.weighted(_SIZES)
    own = dict(base.rows)
    names = dict.fromkeys(
        (*_names(rows.expressions), *_names(rows.statements), *_names(rows.motifs), *_names(rows.callee_motifs))
    )
    factors: Weights = tuple([(name, _factor(source, name) * own.get(name, 100) // 100) for name in names])
    rates: dict[str, Any] = {name: source.weighted(table) for name, table in _RATES.items()}
    profile = replace(
        base,
        swarm=False,
        statements=(least + (most - least) * low // 100, least + (most - least) * high // 100),
        functions=_part(source, base.functions) if source.percent(85) else (base.functions[0], base.functions[0]),
        parameters=_part(source, base.parameters),
        nesting=max(1, base.nesting - source.integer(0, 2)),
        doses=(source.pick(base.doses),),
        returns=source.pick((base.returns, 100, 0)),
        due=source.weighted(_DUE),
        triggers=tuple([(name, weight * source.weighted(_TRIGGERS)) for name, weight in base.triggers]),
        filters=(source.pick(base.filters),),
        handles=_part(source, base.handles),
        rows=factors,
        **rates,
    )
    return _around_motifs(profile) if rows.motifs and source.percent(_MOTIF_ALONE) else profile


def _around_motifs(profile: ModuleProfile) -> ModuleProfile:
    """The profile where all but a motif is uniform, and so what decides."""
    weights = tuple([(name, weight // 4 if name == "trigger" else weight) for name, weight in profile.rows])
    return replace(profile, doses=(0,), motifs=100, guards=0, due=(0, 0), rows=weights)


def _factor(source: Source, name: str) -> int:
    off = name not in _ALWAYS and source.percent(_OFF)
    return 0 if off else source.weighted(_FACTORS)


def _names(rows: Sequence[ExpressionRow[Any]] | Sequence[StatementRow[Any]]) -> list[str]:
    return [row.name for row in rows]


def _part(source: Source, whole: tuple[int, int]) -> tuple[int, int]:
    """A range within a range."""
    least, most = whole
    low = source.integer(least, most)
    return low, source.integer(low, most)
