"""Profiles: the languages that are drawn, with sizes, rates and weights as data.

All of WGSL is drawn as motifs (`motifs`), some modules of TinyWGSL row by row (`tiny`). A profile's `rows` scales the
weight of a row by its name, and so do swarms: a new row needs no other mention.
"""

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

GENERATOR_VERSION = 18
"""Raised whenever a seed gives another shader than before; part of every record (docs/design.md, "Determinism")."""

Weights = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ModuleProfile:
    """The options of the generator of modules; two equal profiles and one seed give one module.

    Ranges are the fewest and the most; rates are percentages. What follows `motif_modules` is about rows only.
    """

    motif_kinds: Weights = (("compute", 1),)
    """Of which stage motifs are, and what they may have (`motifs.modules.KINDS`)."""
    newest: int = 62
    """The rate of modules with what only the newest compilers take; older builds find them invalid."""
    core: bool = False
    """Whether modules stay within TinyWGSL: scalars and shared arrays of them. Each has a core (`wgsl.lower`)."""
    motif_modules: int = 100
    """The rate of modules that are motifs; others are drawn row by row, and have a core."""
    racy: bool = True
    """False: no data races, by construction. A thread has a cell of its own in one array that only the entry point
    uses; all other arrays are only read."""
    threads: tuple[int, int] = (2, 4)
    """The workgroup size."""
    statements: tuple[int, int] = (6, 32)
    """How many statements are aimed at, in the whole module."""
    functions: tuple[int, int] = (0, 3)
    """How many functions beside the entry point."""
    pool: tuple[int, int] = (0, 3)
    """Of how many types beside u32 the variables, parameters and results of a module are."""
    memory: Weights = (("workgroup", 2), ("storage", 2))
    """The most shared variables, by address space."""
    nesting: int = 4
    """How deeply blocks may stand within blocks."""
    doses: tuple[int, ...] = (0, 10, 20, 30, 40, 60, 80, 100)
    """One is drawn for each module: the percentage of their weight that sources of non-uniformity keep."""
    leaves: Weights = (("literal", 25), ("local", 50), ("given", 6), ("shared", 10), ("varying", 15))
    rows: Weights = ()
    """Percentages of their own weight that rows have here, by name; all others have all of it."""
    triggers: Weights = (("barrier", 12), ("texture-barrier", 1))
    """The kinds of barriers, and how likely each is."""
    returns: int = 50
    """The share of modules whose entry point may return early."""
    shared_writes: int = 25
    """The rate of assignments to memory that functions share, where a variable of the function could have it."""
    counters: int = 80
    """The rate of loops that count, so that their execution may end."""
    swarm: bool = True
    """Whether each module first draws narrower options from these (swarm testing)."""
    tables: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """A cache of the drawer's: the rows that may be drawn, weighed."""


COMPUTE = ModuleProfile()
"""Compute shaders, with no more than the language itself."""
FRAGMENT = ModuleProfile((("fragment", 1),))
"""Fragment shaders with derivatives."""
SUBGROUPS = ModuleProfile((("compute-subgroups", 1), ("fragment-subgroups", 1)))
"""Compute and fragment shaders with subgroup operations: requirements of both scopes."""
ALL = ModuleProfile((("compute", 6), ("fragment", 4), ("compute-subgroups", 9), ("fragment-subgroups", 8)))
"""All that there is."""
PROPOSALS = ModuleProfile((("compute-proposals", 1),))
"""Compute shaders with what is only proposed."""
TINY = ModuleProfile(core=True, motif_modules=75)
"""TinyWGSL in any surface form. Motifs race there, and return early."""

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

SMALL_TINY = replace(
    TINY,
    statements=(1, 8),
    functions=(0, 1),
    memory=(("workgroup", 1), ("storage", 1)),
    motif_modules=0,
    swarm=False,
)
"""Modules that a person can read."""
RACE_FREE = replace(TINY, racy=False, shared_writes=40, motif_modules=0)
