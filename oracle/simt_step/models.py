"""The direct models of Table 1: which instructions are independent, synchronous or collective.

The paper's own table of this is in its supplementary material. This one is read from Table 1 and from sections 4.1
to 4.3. They say nothing about local instructions, which no other thread can tell apart in any mode.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from wgsl_fuzz.oracle.simt_step.shader import Atomic, Instruction, Label, Load, Local, LoopMerge, SelectionMerge, SGOp
from wgsl_fuzz.oracle.simt_step.shader import Store as StoreInstruction


class Mode(Enum):
    """How the threads of a dynamic block execute an instruction (section 4, "Modes of Instruction Execution")."""

    INDEPENDENT = "independent"
    """Each thread for itself, in any order."""
    SYNCHRONOUS = "synchronous"
    """Each thread for itself, once all have arrived."""
    COLLECTIVE = "collective"
    """All threads in one step."""


class Kind(Enum):
    """The classes of instructions (Fig. 6)."""

    LABEL = "label"
    LOCAL = "local"
    MEMORY = "memory"
    SUBGROUP = "subgroup"
    MERGE = "merge"
    TERM = "branch"


Model = Mapping[Kind, Mode]

_ALONE = MappingProxyType(dict.fromkeys(Kind, Mode.INDEPENDENT))
SSO: Model = MappingProxyType({**_ALONE, Kind.SUBGROUP: Mode.COLLECTIVE})
"""Synchronous subgroup operations (section 4.3): only they are collective."""
SCF: Model = MappingProxyType({**SSO, **dict.fromkeys((Kind.LABEL, Kind.MERGE, Kind.TERM), Mode.COLLECTIVE)})
"""Synchronous control flow (section 4.2): threads enter and leave basic blocks together."""
SM: Model = MappingProxyType({**SCF, Kind.MEMORY: Mode.SYNCHRONOUS})
"""Synchronous memory (section 4.1)."""
CM: Model = MappingProxyType({**SCF, Kind.MEMORY: Mode.COLLECTIVE})
"""Collective memory (section 4.1)."""

MODELS: Mapping[str, Model] = MappingProxyType({"CM": CM, "SM": SM, "SCF": SCF, "SSO": SSO})
"""The direct models by name, the strongest first."""


def kind_of(instr: Instruction) -> Kind:
    """The class that an instruction is of."""
    match instr:
        case Label():
            return Kind.LABEL
        case Local():
            return Kind.LOCAL
        case Load() | StoreInstruction() | Atomic():
            return Kind.MEMORY
        case SGOp():
            return Kind.SUBGROUP
        case SelectionMerge() | LoopMerge():
            return Kind.MERGE
    return Kind.TERM
