"""All motifs, in groups; how often each group is drawn depends on what the module can call."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from wgsl_fuzz.strategies.choices.source import Table
from wgsl_fuzz.strategies.modules.motifs.builtins import ACCEPTED_CALLS, BUILTINS, DIFFERING, filtered_call
from wgsl_fuzz.strategies.modules.motifs.calls import CALLS
from wgsl_fuzz.strategies.modules.motifs.drawing import MotifDrawer
from wgsl_fuzz.strategies.modules.motifs.filters import COVERING, FILTERS
from wgsl_fuzz.strategies.modules.motifs.flow import FLOW, all_leave
from wgsl_fuzz.strategies.modules.motifs.flows import FLOWS, flow_of_filtered
from wgsl_fuzz.strategies.modules.motifs.forms import FORMS
from wgsl_fuzz.strategies.modules.motifs.inputs import ACCEPTED_INPUTS, INPUT_MOTIFS
from wgsl_fuzz.strategies.modules.motifs.memory import MEMORY
from wgsl_fuzz.strategies.modules.motifs.narrow import NARROW, NARROWLY_SETTLED
from wgsl_fuzz.strategies.modules.motifs.pointers import POINTERS, remembered_through_let
from wgsl_fuzz.strategies.modules.motifs.settled import SETTLED
from wgsl_fuzz.strategies.modules.motifs.values import VALUES
from wgsl_fuzz.wgsl.builtins import Stage

Motif = Callable[[MotifDrawer], str]
Group = Sequence[Motif]

_NARROW = (*NARROW, remembered_through_let, flow_of_filtered, flow_of_filtered, all_leave, filtered_call, filtered_call)
_SETTLED = (*SETTLED, *NARROWLY_SETTLED)

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
    ACCEPTED_INPUTS,
    _SETTLED,
    FORMS,
    _NARROW,
)
_WEIGHTS = {
    (Stage.COMPUTE, False): (12, 16, 15, 13, 17, 9, 7, 4, 1, 6, 1, 1, 0, 7, 20),
    (Stage.FRAGMENT, False): (5, 3, 3, 3, 3, 1, 8, 13, 3, 7, 18, 0, 0, 6, 9),
    (Stage.COMPUTE, True): (2, 3, 2, 2, 2, 1, 8, 55, 5, 13, 8, 2, 0, 5, 8),
    (Stage.FRAGMENT, True): (2, 3, 2, 2, 2, 1, 7, 58, 5, 8, 8, 1, 0, 5, 8),
}
"""By the stage, and whether there are subgroup operations: these have the longest tables."""
_TABLES = {key: Table([*zip(GROUPS, weights, strict=True)]) for key, weights in _WEIGHTS.items()}

_QUIET_WEIGHTS = {
    (Stage.COMPUTE, False): (7, 4, 8, 6, 8, 9, 0, 3, 7, 3),
    (Stage.FRAGMENT, False): (7, 4, 8, 6, 8, 9, 6, 0, 7, 3),
    (Stage.COMPUTE, True): (7, 4, 8, 6, 8, 14, 6, 16, 4, 2),
    (Stage.FRAGMENT, True): (7, 4, 8, 6, 8, 14, 6, 1, 4, 2),
}
_QUIET_GROUPS: tuple[Group, ...] = (
    FLOW,
    FLOWS,
    VALUES,
    CALLS,
    POINTERS,
    ACCEPTED_CALLS,
    COVERING,
    ACCEPTED_INPUTS,
    _SETTLED,
    FORMS,
)
_QUIET = {key: Table([*zip(_QUIET_GROUPS, weights, strict=True)]) for key, weights in _QUIET_WEIGHTS.items()}
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
    text = d.source.pick(d.source.weighted(_QUIET[d.stage, d.subgroups]))(d)
    d.calm = before
    return text
