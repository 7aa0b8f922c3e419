"""The ten base litmus tests of section 5.2, the figures of the paper as tests, and what Table 4 says of them.

A test has one behaviour that is synchronous; each other one is relaxed. A model that allows a relaxed one has a
witness for it. A model that allows none verifies the test.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from wgsl_fuzz.oracle.simt_step.exploration import Bounds, Exploration, Step, explore
from wgsl_fuzz.oracle.simt_step.models import MODELS
from wgsl_fuzz.oracle.simt_step.shader import Address, Load, Local, SGOp, Shader, Store
from wgsl_fuzz.oracle.simt_step.states import Machine, State
from wgsl_fuzz.oracle.simt_step.structured import Body, If, lower


class Behaviour(Enum):
    """What a model allows."""

    SYNCHRONOUS = "synchronous"
    """Only the synchronous behaviour."""
    RELAXED = "relaxed"
    """A relaxed one, too."""
    UNKNOWN = "unknown"
    """Not decided within the bounds."""


@dataclass(frozen=True, slots=True)
class Litmus:
    """A test.

    synchronous: by the name of an array or a register, what all its cells hold, or all threads have in it, at the end
        of a synchronous execution.
    relaxed: the models that allow another outcome (Table 4 and the figures).
    subgroups, size: the smallest grid for which that is so.
    scratch: the name of another array with a cell for each thread, if there is one.
    """

    name: str
    what: str
    body: Body
    synchronous: Mapping[str, int]
    relaxed: frozenset[str]
    subgroups: int = 1
    size: int = 2
    scratch: str = ""

    @property
    def arrays(self) -> Mapping[str, int]:
        """The arrays in memory and their lengths: a cell for each thread."""
        return MappingProxyType(dict.fromkeys(filter(None, ("g", self.scratch)), self.subgroups * self.size))

    @property
    def shader(self) -> Shader:
        """The control flow graph."""
        return lower(self.body, self.arrays)

    def machine(self, model: str) -> Machine:
        """Ready to run under a model. Raises KeyError for one that is none."""
        return Machine(self.shader, MODELS[model], self.subgroups, self.size)

    def is_relaxed(self, P: Machine, S: State) -> bool:
        """Whether a final state shows a relaxed behaviour."""
        return any(
            any(v != value for v in (P.array(S, name) if name in self.arrays else [P.eval(name, σ.R) for σ in S.Σ]))
            for name, value in self.synchronous.items()
        )

    def expected(self, model: str) -> Behaviour:
        """What the paper says of a model."""
        return Behaviour.RELAXED if model in self.relaxed else Behaviour.SYNCHRONOUS


@dataclass(frozen=True, slots=True)
class Result:
    """What a model allows; `states` were explored; the steps to a relaxed outcome; which bound was reached, if any.

    `stuck` is the number of states in which threads wait for ever: none, if the model is as it should be.
    """

    litmus: Litmus
    model: str
    behaviour: Behaviour
    states: int
    witness: tuple[Step, ...]
    gap: str
    stuck: int

    @property
    def as_expected(self) -> bool:
        """Whether it is as the paper has it."""
        return self.behaviour is self.litmus.expected(self.model) and not self.stuck


def run(litmus: Litmus, model: str, bounds: Bounds | None = None, every_order: bool = True) -> Result:
    """The test under a model, in all executions. Raises KeyError for a model that is none."""
    P = litmus.machine(model)
    found = explore(P, bounds, every_order=every_order)
    witness = next((S for S in found.finals if litmus.is_relaxed(P, S)), None)
    behaviour = _behaviour(found, witness)
    steps = () if witness is None else tuple(step for step, _ in found.path(witness))
    return Result(litmus, model, behaviour, found.states, steps, found.gap, len(found.stuck))


def _behaviour(found: Exploration, witness: State | None) -> Behaviour:
    if witness is not None:
        return Behaviour.RELAXED
    return Behaviour.UNKNOWN if found.gap else Behaviour.SYNCHRONOUS


# --------------------------------------------------------------------------------------------- base tests (section 5.2)

OWN, NEXT = Address("g", "own"), Address("g", "next")
SLOTS: Body = (
    Local("own", "copy", ("tid",)),
    Local("place", "+", ("lane", 1)),
    Local("place", "%", ("place", "sg_size")),
    Local("first", "-", ("tid", "lane")),
    Local("next", "+", ("first", "place")),
)
"""Each thread has its slot, and the next one in its subgroup, "wrapping at the end" (section 5.2)."""

ACCESSES: Mapping[str, tuple[Body, Body, Mapping[str, int]]] = MappingProxyType(
    {
        "ww": ((Store(OWN, 0),), (Store(NEXT, 1),), {"g": 1}),
        "wr": ((Store(OWN, 1),), (Load("read", NEXT),), {"read": 1}),
        "rw": ((Load("read", OWN),), (Store(NEXT, 1),), {"read": 0}),
    }
)
"""The pairs of accesses that race: the first, the second, and what is so if all threads end the first one first."""

_OPERATION = SGOp("sum", "add", 1)
_ALLOWED = {"sm": ("SCF", "SSO"), "scf": ("SSO",), "sso": ()}


def _pattern(name: str, first: Body, second: Body) -> Body:
    """The pattern of a model (section 5.2): Fig. 2, Fig. 9 without subgroup operations, Fig. 9 with them."""
    if name == "sm":
        return (*SLOTS, *first, *second)
    arm: Body = (_OPERATION, *second) if name == "sso" else second
    return (*SLOTS, *first, Local("c", "==", ("lane", 0)), If("c", arm, arm))


_FIG_3: Body = (Store(Address("g", 0), "tid"), Load("read", Address("g", 0)), SGOp("equal", "all_equal", "read"))

BASE: tuple[Litmus, ...] = (
    Litmus("cm", "Fig. 3: one value for all that read", _FIG_3, {"equal": 1}, frozenset({"SM", "SCF", "SSO"}), 2, 2),
    *(
        Litmus(
            f"{pattern}-{access}",
            f"{what}, {access[0].upper()}-{access[1].upper()}",
            _pattern(pattern, first, second),
            synchronous,
            frozenset(_ALLOWED[pattern]),
        )
        for pattern, what in (
            ("sm", "Fig. 2: accesses in one block"),
            ("scf", "Fig. 9 without subgroup operations"),
            ("sso", "Fig. 9 with subgroup operations"),
        )
        for access, (first, second, synchronous) in ACCESSES.items()
    ),
)
"""The ten base tests: one of CM, and three pairs of accesses for each of SM, SCF and SSO."""

# ---------------------------------------------------------------------------------------------------------- the figures

_SWAPPED: Body = (
    Local("c", "==", ("tid", 0)),
    If("c", (Local("own", "copy", (0,)), Local("next", "copy", (1,)))),
    Local("d", "==", ("tid", 1)),
    If("d", (Local("own", "copy", (1,)), Local("next", "copy", (0,)))),
)
"""The lines that Figs. 2, 9 and 11 begin with; `own` is `index_a`, `next` is `index_b`."""


def _figure(name: str, what: str, body: Body, synchronous: Mapping[str, int], relaxed: tuple[str, ...] = ()) -> Litmus:
    return Litmus(name, what, body, synchronous, frozenset(relaxed))


_ARM: Body = (Store(NEXT, 1),)
FIGURES: tuple[Litmus, ...] = (
    _figure(
        "fig-1",
        "who takes part",
        (
            SGOp("val_a", "add", 1),
            Local("c", "==", ("tid", 0)),
            If("c", (SGOp("val_b", "add", 1),), (SGOp("val_b", "add", 1),)),
            SGOp("val_c", "add", 1),
        ),
        {"val_a": 2, "val_b": 1, "val_c": 2},
    ),
    _figure("fig-2", "lockstep or independent", (*_SWAPPED, Store(OWN, 0), *_ARM), {"g": 1}, ("SCF", "SSO")),
    _figure("fig-2-sg", "line 10 included", (*_SWAPPED, Store(OWN, 0), SGOp("sum", "add", 0), *_ARM), {"g": 1}),
    _figure("fig-9", "control flow", (*_SWAPPED, Store(OWN, 0), If("c", _ARM, _ARM)), {"g": 1}, ("SSO",)),
    _figure(
        "fig-9-sg",
        "lines 7 and 10 included",
        (*_SWAPPED, Store(OWN, 0), If("c", (_OPERATION, *_ARM), (_OPERATION, *_ARM))),
        {"g": 1},
    ),
    _figure(
        "fig-10",
        "no speculation",
        (
            Load("cond", Address("g", 0)),
            Local("zero", "==", ("cond", 0)),
            If("zero", (SGOp("n", "add", 1), Store(Address("g", 0), 1))),
        ),
        {"n": 2},
    ),
    _figure(
        "fig-11",
        "no value out of thin air",
        (*_SWAPPED, Load("b", OWN), SGOp("a", "broadcast", "b"), Store(NEXT, "a")),
        {"g": 0},
    ),
)
"""The other figures that are litmus tests. Under each direct model Figs. 1, 10 and 11 have one outcome."""

LITMUS: Mapping[str, Litmus] = MappingProxyType({litmus.name: litmus for litmus in (*BASE, *FIGURES)})
"""All tests by name."""

TABLE_4: Mapping[tuple[str, str], int] = MappingProxyType(
    {
        ("cm", "CM"): 5065,
        ("cm", "SM"): 3796,
        ("fig-2", "SM"): 203,
        ("fig-2", "SCF"): 211,
        ("fig-9", "SCF"): 227,
        ("fig-9", "SSO"): 308,
        ("fig-9-sg", "SSO"): 233,
    }
)
"""The states of Table 4, by test and model."""
