"""All motifs, in groups; how often each group is drawn depends on what the module can call."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from wgsl_fuzz.strategies.choices.source import Table
from wgsl_fuzz.strategies.modules.motifs.builtins import ACCEPTED_CALLS, BUILTINS, DIFFERING
from wgsl_fuzz.strategies.modules.motifs.calls import CALLS
from wgsl_fuzz.strategies.modules.motifs.drawing import MotifDrawer
from wgsl_fuzz.strategies.modules.motifs.filters import FILTERS
from wgsl_fuzz.strategies.modules.motifs.flow import FLOW
from wgsl_fuzz.strategies.modules.motifs.flows import FLOWS
from wgsl_fuzz.strategies.modules.motifs.inputs import INPUT_MOTIFS
from wgsl_fuzz.strategies.modules.motifs.pointers import MEMORY, POINTERS
from wgsl_fuzz.strategies.modules.motifs.values import VALUES
from wgsl_fuzz.wgsl.builtins import Stage

Motif = Callable[[MotifDrawer], str]
Group = Sequence[Motif]

GROUPS: tuple[Group, ...] = (
    FLOW,
    FLOWS,
    VALUES,
    CALLS,
    POINTERS,
    MEMORY,
    BUILTINS,
    DIFFERING,
    ACCEPTED_CALLS,
    INPUT_MOTIFS,
    FILTERS,
)
_WEIGHTS = {
    (Stage.COMPUTE, False): (11, 11, 12, 9, 11, 6, 4, 2, 1, 3, 1),
    (Stage.FRAGMENT, False): (4, 2, 2, 2, 2, 1, 8, 13, 3, 5, 10),
    (Stage.COMPUTE, True): (1, 2, 1, 1, 1, 1, 8, 28, 3, 4, 5),
    (Stage.FRAGMENT, True): (1, 1, 1, 1, 1, 1, 7, 25, 4, 5, 5),
}
"""By the stage, and whether there are subgroup operations: these have the longest tables."""
_TABLES = {key: Table([*zip(GROUPS, weights, strict=True)]) for key, weights in _WEIGHTS.items()}

_QUIET: Table[Group] = Table([(FLOW, 7), (FLOWS, 4), (VALUES, 8), (CALLS, 6), (POINTERS, 8), (ACCEPTED_CALLS, 9)])
"""Those that the rules accept in a calm module."""

MOTIFS: Mapping[str, Motif] = MappingProxyType(
    {motif.__name__.replace("_", "-"): motif for group in GROUPS for motif in group}
)
"""By name. Each gives the statements of a motif in the body of an entry point."""


def pick_motif(d: MotifDrawer) -> Motif:
    """One of them."""
    return d.source.pick(d.source.weighted(_TABLES[d.stage, d.subgroups]))


def quiet_motif(d: MotifDrawer) -> str:
    """The statements of a motif that the rules accept, though it is near to what they reject."""
    before, d.calm = d.calm, True
    text = d.source.pick(d.source.weighted(_QUIET))(d)
    d.calm = before
    return text
