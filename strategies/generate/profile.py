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
    """Statements that need uniform control flow; a profile says how likely each is where a trigger is owed."""


GENERATOR_VERSION = 15
"""Raised whenever a seed gives another shader than before; part of every record (docs/design.md, "Determinism")."""

Weights = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ModuleProfile:
    """The options of the generator of modules; two equal profiles and one seed give one module.

    Ranges are the fewest and the most; rates are percentages.
    """

    core: bool = False
    """Whether modules stay within TinyWGSL: scalars and shared arrays of them. Each has a core (`wgsl.lower`)."""
    proposals: bool = False
    """Whether there are rows and filters of what is only proposed."""
    racy: bool = True
    """Of a module with a core; False: no data races, by construction. A thread has a cell of its own in one array that
    only the entry point uses; all other arrays are only read."""
    threads: tuple[int, int] = (2, 4)
    """The workgroup size of a module with a core."""
    stages: tuple[Stage, ...] = (Stage.COMPUTE,)
    """Of the entry points. Each module draws which of them it has."""
    entry_points: tuple[int, ...] = (1, 1, 1, 2)
    """Of these counts one is drawn."""
    statements: tuple[int, int] = (8, 44)
    """How many statements are aimed at, in the whole module."""
    functions: tuple[int, int] = (0, 3)
    """How many functions beside the entry points."""
    share: int = 33
    """The most of the statements that one of them gets, in percent of those that are left."""
    parameters: tuple[int, int] = (0, 3)
    pointers: int = 50
    """The rate of pointers among the parameters of functions."""
    pointer_spaces: Weights = (("function", 6), ("private", 2), ("workgroup", 1), ("storage", 2))
    results: int = 75
    """The rate of functions with a result."""
    pool: tuple[int, int] = (3, 7)
    """Of how many types the variables, parameters and results of a module are."""
    scalars: Weights = (("u32", 6), ("i32", 3), ("bool", 2), ("f32", 1))
    shapes: Weights = (("scalar", 6), ("vector", 3), ("array", 1), ("struct", 2), ("matrix", 1))
    """The weights of kinds of types in that pool."""
    memory: Weights = (("private", 2), ("workgroup", 2), ("storage", 2), ("read", 1), ("uniform", 1))
    """The most variables of module scope, by kind: `read` is a read-only storage buffer, `cells` holds matrices."""
    nesting: int = 4
    """How deeply blocks may stand within blocks."""
    depth: int = 3
    """The most operators on a path of an expression."""
    operators: int = 45
    """The rate of operations among expressions that may be one."""
    doses: tuple[int, ...] = (0, 10, 20, 30, 40, 60, 80, 100)
    """One is drawn for each module: the percentage of their weight that sources of non-uniformity keep."""
    leaves: Weights = (("literal", 25), ("local", 50), ("given", 6), ("shared", 10), ("varying", 15))
    rows: Weights = ()
    """Percentages of their own weight that rows have here, by name; all others have all of it."""
    triggers: Weights = (("barrier", 6), ("uniform-load", 2))
    """The rows of statements that need uniform control flow, and how likely each is when a trigger is owed."""
    due: tuple[int, int] = (0, 66)
    """How much of an entry point is left when a trigger is owed, in percent."""
    callee_triggers: int = 20
    """The rate of functions that get a trigger if there is none in them yet."""
    returns: int = 50
    """The share of modules whose entry points may return early."""
    guards: int = 30
    """The rate of triggers under an `if` of their own, which asks a variable."""
    mirrored: int = 0
    """The rate of comparisons with a literal that stands on the left."""
    carriers: int = 15
    """The rate of assignments of a source of non-uniformity as it is."""
    carried_results: int = 0
    """The rate for `return`, in percent of `carriers`."""
    shared_writes: int = 25
    """The rate of assignments to memory that functions share, where a variable of the function could have it."""
    payloads: int = 20
    """The rate of branches that jump and hold nothing else but such an assignment."""
    elses: int = 35
    branch_jumps: int = 30
    """The rate of branches that end with a jump, where one may stand."""
    both_jump: int = 8
    """The rate of `if`s and `switch`es all of whose branches end with a jump, where one may stand."""
    leaving_loops: int = 10
    """The rate of loops whose body never gets to its end, nor continues."""
    dead_code: int = 10
    """The rate of blocks that go on behind a jump."""
    counters: int = 80
    """The rate of loops that count, so that their execution may end."""
    unsteady: int = 15
    """The rate of loops whose body may change what they count."""
    pointer_sugar: int = 50
    """The rate of `p.x` for `(*p).x`."""
    effects: int = 40
    """The rate of calls that are tried where an expression may be one."""
    initialised: int = 70
    """The rate of variables of functions with an initial value."""
    locals: tuple[int, int] = (1, 3)
    """How many variables a function begins with."""
    hidden: int = 8
    """The rate of names of the module that a function does not see, and may have for its own."""
    newest: int = 40
    """The rate of modules with what only the newest compilers take; older builds find them invalid."""
    extended: bool = False
    """Whether entry points may have what needs an extension."""
    handles: tuple[int, int] = (0, 0)
    """How many textures a module has; samplers come with them."""
    handle_parameters: int = 0
    """The rate of textures and samplers among the parameters of functions, if the module has any."""
    filters: tuple[int, ...] = (0,)
    """One is drawn for each module: the rate of diagnostic filters at each place that takes one."""
    filter_directives: int = 0
    """The rate of modules with diagnostic filters as directives."""
    extras: int = 0
    """The rate of modules with directives that nothing needs."""
    motif_modules: int = 60
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
    handle_parameters=10,
    filters=(0, 0, 0, 0, 5, 20),
    filter_directives=10,
    extras=10,
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
    entry_points=(1, 2),
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
    motif_modules=88,
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
    motif_modules=74,
    motif_kinds=(("compute", 6), ("fragment", 4), ("compute-subgroups", 9), ("fragment-subgroups", 8)),
)
"""All that there is."""

PROPOSALS = replace(
    _STAGED,
    proposals=True,
    scalars=(("u32", 5), ("f32", 5), ("i32", 2), ("bool", 1)),
    shapes=(("scalar", 4), ("subgroup-matrix", 5), ("array", 2), ("struct", 2)),
    memory=(("cells", 2), ("workgroup", 1), ("storage", 2), ("uniform", 1)),
    doses=(0, 0, 0, 5, 10, 20),
    triggers=(("matrix-call", 6), ("barrier", 1), ("subgroup-call", 1)),
    motif_modules=70,
    motif_kinds=(("compute-proposals", 1),),
)
"""Compute shaders with what is only proposed: subgroup matrices."""

_OUTSIDE = ("pointer-let", "switch", "atomic-statement", "member-of-value", "atomic", "uniform-load-value")
_IN_TINY: Weights = (("negation", 400), ("assign", 170), ("var", 60), ("let", 60), ("loop", 150))
TINY = replace(
    COMPUTE,
    core=True,
    statements=(6, 32),
    share=50,
    entry_points=(1,),
    scalars=(("u32", 6), ("i32", 2), ("bool", 2)),
    shapes=(("scalar", 1),),
    pool=(0, 3),
    memory=(("workgroup", 2), ("storage", 2)),
    pointers=0,
    triggers=(("barrier", 12), ("texture-barrier", 1)),
    rows=(*COMPUTE.rows, *_IN_TINY, *[(name, 0) for name in _OUTSIDE]),
    initialised=40,
    mirrored=30,
    carried_results=50,
    motif_modules=60,
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
_RATES: dict[str, Odds[int]] = {
    "operators": Odds([(45, 2), (30, 1), (60, 1)]),
    "depth": Odds([(2, 1), (1, 1), (3, 1)]),
    "guards": Odds([(0, 1), (25, 1), (50, 1), (80, 1)]),
    "carriers": Odds([(20, 1), (5, 2), (30, 1), (50, 1)]),
    "payloads": Odds([(0, 1), (20, 1), (50, 1), (80, 1)]),
    "callee_triggers": Odds([(0, 2), (30, 1), (60, 1)]),
    "elses": Odds([(35, 1), (10, 1), (70, 1)]),
    "branch_jumps": Odds([(30, 1), (10, 1), (60, 1)]),
    "both_jump": Odds([(0, 2), (10, 1), (30, 1)]),
    "leaving_loops": Odds([(0, 2), (20, 1), (50, 1)]),
    "dead_code": Odds([(5, 1), (0, 1), (30, 1)]),
    "counters": Odds([(80, 2), (60, 1), (30, 1)]),
    "unsteady": Odds([(15, 1), (0, 1), (60, 1)]),
    "pointers": Odds([(50, 2), (20, 1), (90, 1)]),
    "effects": Odds([(40, 1), (10, 1), (80, 1)]),
    "results": Odds([(75, 2), (30, 1), (100, 1)]),
}
_TRIGGERS = Odds([(1, 3), (2, 1), (4, 1), (16, 1)])
"""By how much a trigger is more likely than in the base."""
_DUE = Odds([((0, 66), 4), ((0, 0), 1), ((100, 100), 1)])


def draw_module_swarm(source: ChoiceSource, base: ModuleProfile, rows: Constructs[Any]) -> ModuleProfile:
    """A profile within `base` that swarms no more."""
    least, most = base.statements
    low, high = source.weighted(_SIZES)
    own = dict(base.rows)
    names = dict.fromkeys([*(row.name for row in rows.expressions), *(row.name for row in rows.statements)])
    factors: Weights = tuple([(name, _factor(source, name) * own.get(name, 100) // 100) for name in names])
    rates: dict[str, Any] = {name: source.weighted(table) for name, table in _RATES.items() if getattr(base, name)}
    return replace(
        base,
        swarm=False,
        racy=base.racy and not (base.core and source.percent(_CALM)),
        statements=(least + (most - least) * low // 100, least + (most - least) * high // 100),
        functions=_part(source, base.functions) if source.percent(85) else (base.functions[0], base.functions[0]),
        parameters=_part(source, base.parameters),
        nesting=max(1, base.nesting - source.integer(0, 2)),
        doses=(source.pick(base.doses),),
        returns=source.pick((base.returns, 100, 0)) if base.returns else 0,
        due=source.weighted(_DUE),
        triggers=tuple([(name, weight * source.weighted(_TRIGGERS)) for name, weight in base.triggers]),
        filters=(source.pick(base.filters),),
        handles=_part(source, base.handles),
        rows=factors,
        **rates,
    )


def _factor(source: ChoiceSource, name: str) -> int:
    off = name not in _ALWAYS and source.percent(_OFF)
    return 0 if off else source.weighted(_FACTORS)


def _part(source: ChoiceSource, whole: tuple[int, int]) -> tuple[int, int]:
    """A range within a range."""
    least, most = whole
    low = source.integer(least, most)
    return low, source.integer(low, most)
