"""Profiles: the languages that are drawn, with sizes and rates as data."""

from dataclasses import dataclass, replace
from types import MappingProxyType

GENERATOR_VERSION = 21
"""Raised whenever a seed gives another shader than before; part of every record (docs/design.md, "Determinism")."""

Weights = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ModuleProfile:
    """The options of the generator of modules; two equal profiles and one seed give one module.

    Ranges are the fewest and the most; rates are percentages. What follows `core` is about modules that have one.
    """

    motif_kinds: Weights = (("compute", 1),)
    """Of which stage motifs are, and what they may have (`motifs.modules.KINDS`)."""
    newest: int = 62
    """The rate of modules with what only the newest compilers take; older builds find them invalid."""
    f16: int = 4
    """The rate of modules with `f16`."""
    calm: int = 20
    """The rate of modules in which what decides is uniform, so that the rules accept most of them."""
    core: bool = False
    """Whether modules stay within TinyWGSL: scalars and shared arrays of them. Each has a core (`wgsl.lower`)."""
    racy: int = 85
    """The rate of modules that may have data races. In others a thread has a cell of its own in one array that only
    the entry point uses, and no other shared variable is written to."""
    threads: tuple[int, int] = (2, 4)
    """The workgroup size."""
    statements: tuple[int, int] = (6, 60)
    """How many statements are aimed at: there is a motif for each 28 or so, and one at least."""
    returns: int = 50
    """The rate of modules whose entry point may return early."""


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
TINY = ModuleProfile(core=True)
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

SMALL_TINY = replace(TINY, statements=(1, 8))
"""Modules that a person can read."""
RACE_FREE = replace(TINY, racy=0)
