"""Rows, one for each construct that is drawn, and profiles: sizes, rates and weights of rows, as data.

Whoever adds a construct writes a row and puts it into a table. A row of an expression draws one of a wanted type; a row
of a statement draws one or several statements. `Constructs` holds the rows of a generator, `modules.ROWS` all of
them. All draw with a `Drawer` and may give up: the drawer then takes something simpler. A profile's `rows` scales the
weight of any row by its name, and so do swarms: a new row needs no other mention. `motifs` draw what rates seldom give.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from wgsl_fuzz.strategies.choices.source import ChoiceSource, Odds
from wgsl_fuzz.wgsl.builtins import ALL_STAGES, Stage
from wgsl_fuzz.wgsl.syntax import Expression, Statement
from wgsl_fuzz.wgsl.types import Type


class Site(NamedTuple):
    """Where a statement is about to stand."""

    nesting: int
    """How many more blocks may open here."""
    may_return: bool = False
    """Not in a `continuing`; in entry points only if the module was drawn so."""
    may_break: bool = False
    may_continue: bool = False
    in_continuing: bool = False

    def inside(self) -> "Site":
        """The place in a block or branch that stands here."""
        return self._replace(nesting=self.nesting - 1)


D = TypeVar("D")
"""What rows draw with: `drawer.Drawer`, which this file is below of."""


@dataclass(frozen=True, slots=True)
class ExpressionRow(Generic[D]):
    """A construct that has a value."""

    name: str
    weight: int
    fits: Callable[[Type], bool]
    """Whether it can be of a type."""
    draw: Callable[[D, Type, int], Expression | None]
    """Draws it of the type, with at most so many operators on a path; None: not here."""


@dataclass(frozen=True, slots=True)
class StatementRow(Generic[D]):
    """A construct that is a statement."""

    name: str
    weight: int
    draw: Callable[[D, Site], Sequence[Statement]]
    """Draws it, perhaps with declarations before; nothing: not here."""
    least: int = 1
    """The fewest statements that it takes."""
    allowed: Callable[[Site], bool] = lambda _: True
    stages: frozenset[Stage] = ALL_STAGES
    """From where a function that holds it may be reached."""


@dataclass(frozen=True, slots=True)
class Constructs(Generic[D]):
    """The rows of a generator."""

    expressions: tuple[ExpressionRow[D], ...]
    statements: tuple[StatementRow[D], ...]
    triggers: tuple[StatementRow[D], ...]
    """Statements that need uniform control flow; a profile says how likely each is."""


GENERATOR_VERSION = 17
"""Raised whenever a seed gives another shader than before; part of every record (docs/design.md, "Determinism")."""

Weights = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ModuleProfile:
    """The options of the generator of modules; two equal profiles and one seed give one module.

    Ranges are the fewest and the most; rates are percentages.
    """

    core: bool = False
    """Whether modules stay within TinyWGSL: scalars and shared arrays of them. Each has a core (`wgsl.lower`)."""
    racy: bool = True
    """Of a module with a core; False: no data races, by construction. A thread has a cell of its own in one array that
    only the entry point uses; all other arrays are only read."""
    threads: tuple[int, int] = (2, 4)
    """The workgroup size of a module with a core."""
    stages: tuple[Stage, ...] = (Stage.COMPUTE,)
    """Of the entry points. Each module draws which of them it has."""
    entry_points: tuple[int, ...] = (1, 1, 1, 2)
    """Of these counts one is drawn."""
    statements: tuple[int, int] = (6, 32)
    """How many statements are aimed at, in the whole module."""
    functions: tuple[int, int] = (0, 3)
    """How many functions beside the entry points."""
    pointers: int = 50
    """The rate of pointers among the parameters of functions."""
    pool: tuple[int, int] = (3, 7)
    """Of how many types the variables, parameters and results of a module are."""
    scalars: Weights = (("u32", 6), ("i32", 3), ("bool", 2), ("f32", 1))
    shapes: Weights = (("scalar", 6), ("vector", 3), ("array", 1), ("struct", 2), ("matrix", 1))
    """The weights of kinds of types in that pool."""
    memory: Weights = (("private", 2), ("workgroup", 2), ("storage", 2), ("read", 1), ("uniform", 1))
    """The most variables of module scope, by kind: `read` is a read-only storage buffer."""
    nesting: int = 4
    """How deeply blocks may stand within blocks."""
    doses: tuple[int, ...] = (0, 10, 20, 30, 40, 60, 80, 100)
    """One is drawn for each module: the percentage of their weight that sources of non-uniformity keep."""
    leaves: Weights = (("literal", 25), ("local", 50), ("given", 6), ("shared", 10), ("varying", 15))
    rows: Weights = ()
    """Percentages of their own weight that rows have here, by name; all others have all of it."""
    triggers: Weights = (("barrier", 6), ("uniform-load", 2))
    """The rows of statements that need uniform control flow, and how likely each is."""
    returns: int = 50
    """The share of modules whose entry points may return early."""
    shared_writes: int = 25
    """The rate of assignments to memory that functions share, where a variable of the function could have it."""
    counters: int = 80
    """The rate of loops that count, so that their execution may end."""
    newest: int = 62
    """The rate of modules with what only the newest compilers take; older builds find them invalid."""
    extended: bool = False
    """Whether entry points may have what needs an extension, and modules directives that nothing needs."""
    handles: tuple[int, int] = (0, 0)
    """How many textures a module has; samplers come with them."""
    filters: tuple[int, ...] = (0,)
    """One is drawn for each module: the rate of diagnostic filters at each place that takes one."""
    motif_modules: int = 95
    """The rate of modules that are motifs and nothing else (`motifs`). In a core these race, and return early."""
    motif_kinds: Weights = (("compute", 1),)
    """Of which stage these are, and what they may have (`motifs.modules.KINDS`)."""
    swarm: bool = True
    """Whether each module first draws narrower options from these (swarm testing)."""
    tables: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """A cache of the drawer's: the rows that may be drawn, weighed."""


_STAGED_ROWS = ("builtin", "derivative", "sample", "texture", "subgroup", "exchange", "array-length")
COMPUTE = ModuleProfile(rows=tuple([(name, 0) for name in _STAGED_ROWS]))
"""Compute shaders, with no more than the language itself."""

_RARER: Weights = (("derivative", 40), ("sample", 40), ("subgroup", 40))
"""Each such expression is one more requirement, and they should not all have to hold."""
_STAGED = replace(
    COMPUTE,
    extended=True,
    handles=(0, 3),
    filters=(0, 0, 0, 0, 5, 20),
    scalars=(("u32", 5), ("f32", 4), ("i32", 2), ("bool", 2)),
    doses=(0, 0, 5, 10, 20, 30, 50, 100),
    rows=_RARER,
)
FRAGMENT = replace(
    _STAGED,
    stages=(Stage.FRAGMENT, Stage.FRAGMENT, Stage.FRAGMENT, Stage.VERTEX),
    memory=(("private", 2), ("storage", 2), ("read", 1), ("uniform", 2)),
    triggers=(("derivative-call", 6), ("sample-call", 3)),
    rows=(*_RARER, ("subgroup", 0)),
    entry_points=(2, 1, 2),
    motif_kinds=(("fragment", 1),),
)
"""Fragment shaders with derivatives, some with vertex shaders."""

SUBGROUPS = replace(
    _STAGED,
    stages=(Stage.COMPUTE, Stage.COMPUTE, Stage.FRAGMENT),
    triggers=(
        ("subgroup-call", 6),
        ("barrier", 2),
        ("uniform-load", 1),
        ("derivative-call", 1),
        ("texture-barrier", 1),
    ),
    entry_points=(2, 3, 2, 3),
    motif_modules=95,
    motif_kinds=(("compute-subgroups", 1), ("fragment-subgroups", 1)),
)
"""Compute and fragment shaders with subgroup operations: requirements of both scopes."""

ALL = replace(
    _STAGED,
    stages=(Stage.COMPUTE, Stage.FRAGMENT, Stage.COMPUTE, Stage.FRAGMENT, Stage.VERTEX),
    entry_points=(1, 2, 1, 3),
    triggers=(
        ("barrier", 8),
        ("derivative-call", 6),
        ("sample-call", 4),
        ("subgroup-call", 3),
        ("uniform-load", 2),
        ("texture-barrier", 1),
    ),
    motif_modules=95,
    motif_kinds=(("compute", 6), ("fragment", 4), ("compute-subgroups", 9), ("fragment-subgroups", 8)),
)
"""All that there is."""

PROPOSALS = replace(_STAGED, motif_modules=95, motif_kinds=(("compute-proposals", 1),))
"""Compute shaders with what is only proposed, as motifs have it, and some of all else."""

_OUTSIDE = ("pointer-let", "switch", "atomic-statement", "member-of-value", "atomic", "uniform-load-value")
_IN_TINY: Weights = (("negation", 400), ("assign", 170), ("var", 60), ("let", 60), ("loop", 150))
TINY = replace(
    COMPUTE,
    core=True,
    entry_points=(1,),
    scalars=(("u32", 6), ("i32", 2), ("bool", 2)),
    shapes=(("scalar", 1),),
    pool=(0, 3),
    memory=(("workgroup", 2), ("storage", 2)),
    pointers=0,
    triggers=(("barrier", 12), ("texture-barrier", 1)),
    rows=(*COMPUTE.rows, *_IN_TINY, *[(name, 0) for name in _OUTSIDE]),
    motif_modules=75,
)
"""TinyWGSL in any surface form."""

MODULE_PROFILES = MappingProxyType(
    {
        "tiny": TINY,
        "compute": COMPUTE,
        "fragment": FRAGMENT,
        "subgroups": SUBGROUPS,
        "all": ALL,
        "proposals": PROPOSALS,
    }
)
"""By the name that `--language` takes."""

SMALL = replace(COMPUTE, statements=(1, 8), functions=(0, 1), motif_modules=0, swarm=False)
"""Modules that a person can read."""

SMALL_TINY = replace(
    TINY,
    statements=(1, 8),
    functions=(0, 1),
    memory=(("workgroup", 1), ("storage", 1)),
    motif_modules=0,
    swarm=False,
)
RACE_FREE = replace(TINY, racy=False, shared_writes=40, motif_modules=0)


_ALWAYS = frozenset({"assign", "if", "var", "trigger", "call"})
_FACTORS = Odds([(100, 3), (50, 3), (25, 3), (200, 3), (400, 1)])
_CALM = 15
"""The rate of swarms without data races, of modules with a core: devices are asked about no others."""
_OFF = 15
"""The rate of rows that are off."""
_SIZES = Odds([((30, 60), 4), ((10, 35), 2), ((0, 100), 1), ((40, 70), 3), ((70, 100), 1)])
"""Which part of the base's range of statements is aimed at, in percent."""
_TRIGGERS = Odds([(1, 3), (2, 1), (4, 1), (16, 1)])
"""By how much a trigger is more likely than in the base."""


def draw_module_swarm(source: ChoiceSource, base: ModuleProfile, rows: Constructs[Any]) -> ModuleProfile:
    """A profile within `base` that swarms no more."""
    least, most = base.statements
    low, high = source.weighted(_SIZES)
    own = dict(base.rows)
    names = dict.fromkeys([*(row.name for row in rows.expressions), *(row.name for row in rows.statements)])
    factors: Weights = tuple([(name, _factor(source, name) * own.get(name, 100) // 100) for name in names])
    return replace(
        base,
        swarm=False,
        racy=base.racy and not (base.core and source.percent(_CALM)),
        statements=(least + (most - least) * low // 100, least + (most - least) * high // 100),
        functions=_part(source, base.functions) if source.percent(85) else (base.functions[0], base.functions[0]),
        nesting=max(1, base.nesting - source.integer(0, 2)),
        doses=(source.pick(base.doses),),
        returns=source.pick((base.returns, 100, 0)) if base.returns else 0,
        triggers=tuple([(name, weight * source.weighted(_TRIGGERS)) for name, weight in base.triggers]),
        filters=(source.pick(base.filters),),
        handles=_part(source, base.handles),
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
