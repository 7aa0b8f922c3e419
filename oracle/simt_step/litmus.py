"""The ten base litmus tests of section 5.2, the figures of the paper as tests, and what Table 4 says of them.

A test has one behaviour that is synchronous; each other one is relaxed. A model that allows a relaxed one has a
witness for it. A model that allows none verifies the test.

Behind the tests: the same as WGSL with subgroups, for real devices.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from wgsl_fuzz.oracle.simt_step import shader as ir
from wgsl_fuzz.oracle.simt_step.rules import MODELS, Bounds, Machine, State, Step, explore


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
    """

    name: str
    what: str
    body: ir.Body
    synchronous: Mapping[str, int]
    relaxed: frozenset[str]
    subgroups: int = 1
    size: int = 2

    @property
    def arrays(self) -> Mapping[str, int]:
        """The arrays in memory and their lengths: a cell for each thread."""
        return MappingProxyType({"g": self.subgroups * self.size})

    @property
    def shader(self) -> ir.Shader:
        """The control flow graph."""
        return ir.lower(self.body, self.arrays)

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
    behaviour = Behaviour.UNKNOWN if found.gap else Behaviour.SYNCHRONOUS
    if witness is not None:
        behaviour = Behaviour.RELAXED
    steps = () if witness is None else tuple(step for step, _ in found.path(witness))
    return Result(litmus, model, behaviour, found.states, steps, found.gap, len(found.stuck))


# --------------------------------------------------------------------------------------------- base tests (section 5.2)

OWN, NEXT = ir.Address("g", "own"), ir.Address("g", "next")
SLOTS: ir.Body = (
    ir.Local("own", "copy", ("tid",)),
    ir.Local("place", "+", ("lane", 1)),
    ir.Local("place", "%", ("place", "sg_size")),
    ir.Local("first", "-", ("tid", "lane")),
    ir.Local("next", "+", ("first", "place")),
)
"""Each thread has its slot, and the next one in its subgroup, "wrapping at the end" (section 5.2)."""

ACCESSES: Mapping[str, tuple[ir.Body, ir.Body, Mapping[str, int]]] = MappingProxyType(
    {
        "ww": ((ir.Store(OWN, 0),), (ir.Store(NEXT, 1),), {"g": 1}),
        "wr": ((ir.Store(OWN, 1),), (ir.Load("read", NEXT),), {"read": 1}),
        "rw": ((ir.Load("read", OWN),), (ir.Store(NEXT, 1),), {"read": 0}),
    }
)
"""The pairs of accesses that race: the first, the second, and what is so if all threads end the first one first."""

_OPERATION = ir.SGOp("sum", "add", 1)
_ALLOWED = {"sm": ("SCF", "SSO"), "scf": ("SSO",), "sso": ()}


def _pattern(name: str, first: ir.Body, second: ir.Body) -> ir.Body:
    """The pattern of a model (section 5.2): Fig. 2, Fig. 9 without subgroup operations, Fig. 9 with them."""
    if name == "sm":
        return (*SLOTS, *first, *second)
    arm: ir.Body = (_OPERATION, *second) if name == "sso" else second
    return (*SLOTS, *first, ir.Local("c", "==", ("lane", 0)), ir.If("c", arm, arm))


_FIG_3: ir.Body = (
    ir.Store(ir.Address("g", 0), "tid"),
    ir.Load("read", ir.Address("g", 0)),
    ir.SGOp("equal", "all_equal", "read"),
)

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

_SWAPPED: ir.Body = (
    ir.Local("c", "==", ("tid", 0)),
    ir.If("c", (ir.Local("own", "copy", (0,)), ir.Local("next", "copy", (1,)))),
    ir.Local("d", "==", ("tid", 1)),
    ir.If("d", (ir.Local("own", "copy", (1,)), ir.Local("next", "copy", (0,)))),
)
"""The lines that Figs. 2, 9 and 11 begin with; `own` is `index_a`, `next` is `index_b`."""


def _figure(
    name: str, what: str, body: ir.Body, synchronous: Mapping[str, int], relaxed: tuple[str, ...] = ()
) -> Litmus:
    return Litmus(name, what, body, synchronous, frozenset(relaxed))


_ARM: ir.Body = (ir.Store(NEXT, 1),)
FIGURES: tuple[Litmus, ...] = (
    _figure(
        "fig-1",
        "who takes part",
        (
            ir.SGOp("val_a", "add", 1),
            ir.Local("c", "==", ("tid", 0)),
            ir.If("c", (ir.SGOp("val_b", "add", 1),), (ir.SGOp("val_b", "add", 1),)),
            ir.SGOp("val_c", "add", 1),
        ),
        {"val_a": 2, "val_b": 1, "val_c": 2},
    ),
    _figure("fig-2", "lockstep or independent", (*_SWAPPED, ir.Store(OWN, 0), *_ARM), {"g": 1}, ("SCF", "SSO")),
    _figure("fig-2-sg", "line 10 included", (*_SWAPPED, ir.Store(OWN, 0), ir.SGOp("sum", "add", 0), *_ARM), {"g": 1}),
    _figure("fig-9", "control flow", (*_SWAPPED, ir.Store(OWN, 0), ir.If("c", _ARM, _ARM)), {"g": 1}, ("SSO",)),
    _figure(
        "fig-9-sg",
        "lines 7 and 10 included",
        (*_SWAPPED, ir.Store(OWN, 0), ir.If("c", (_OPERATION, *_ARM), (_OPERATION, *_ARM))),
        {"g": 1},
    ),
    _figure(
        "fig-10",
        "no speculation",
        (
            ir.Load("cond", ir.Address("g", 0)),
            ir.Local("zero", "==", ("cond", 0)),
            ir.If("zero", (ir.SGOp("n", "add", 1), ir.Store(ir.Address("g", 0), 1))),
        ),
        {"n": 2},
    ),
    _figure(
        "fig-11",
        "no value out of thin air",
        (*_SWAPPED, ir.Load("b", OWN), ir.SGOp("a", "broadcast", "b"), ir.Store(NEXT, "a")),
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


_HEAD = """enable subgroups;
diagnostic(off, subgroup_uniformity);
"""
_MAIN = """
@compute @workgroup_size({size})
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) workgroup: vec3u) {{
  const sg_size = {size}u;
  let sg = workgroup.x;
  let tid = sg * sg_size + lane;
"""
_COMPARISONS = ("==", "!=", "<")
_LOGIC = {"and": "&&", "or": "||"}
_ATOMIC = {"add": "atomicAdd", "max": "atomicMax", "exchange": "atomicExchange"}
_SUBGROUP = {
    "add": "subgroupAdd({v})",
    "all": "select(0u, 1u, subgroupAll({v} != 0u))",
    "any": "select(0u, 1u, subgroupAny({v} != 0u))",
    "all_equal": "select(0u, 1u, subgroupMin({v}) == subgroupMax({v}))",
    "ballot": "subgroupBallot({v} != 0u).x",
    "broadcast": "subgroupBroadcast({v}, {lane}u)",
    "elect": "select(0u, 1u, subgroupElect())",
    "barrier": "subgroupAdd(0u)",
}


def buffers_of(litmus: Litmus) -> Mapping[str, int]:
    """The buffers of the printed test, in the order of their bindings, with the number of their cells."""
    n = litmus.subgroups * litmus.size
    return {**litmus.arrays, **{f"out_{r}": n for r in told(litmus)}}


def print_litmus(litmus: Litmus) -> str:
    """The test as a module of WGSL, to be run in as many workgroups as the test has subgroups.

    Each register is a local of type u32, each array a storage buffer of atomics. The registers that tell the outcome
    are stored to buffers of their names at the end. A subgroup is a workgroup of as many threads: in it no others take
    part, whatever the size of the device's subgroups.
    """
    ends: ir.Body = tuple(ir.Store(ir.Address(f"out_{r}", "tid"), r) for r in told(litmus))
    stated = " and ".join(
        f"all of {k if k in litmus.arrays else f'out_{k}'} is {v}" for k, v in litmus.synchronous.items()
    )
    head = f"// {litmus.name}: {litmus.what}. Workgroups: {litmus.subgroups}. Synchronous: {stated}.\n"
    return head + print_body((*litmus.body, *ends), buffers_of(litmus), litmus.size)


def told(litmus: Litmus) -> list[str]:
    """The registers that tell the outcome."""
    return [r for r in litmus.synchronous if r not in litmus.arrays]


def print_body(body: ir.Body, arrays: Mapping[str, int], size: int) -> str:
    """The module for a body, its arrays by name and length, and workgroups of `size` threads."""
    buffers = "".join(
        f"@group(0) @binding({place}) var<storage, read_write> {array}: array<atomic<u32>, {length}>;\n"
        for place, (array, length) in enumerate(arrays.items())
    )
    registers = [r for r in ir.lower(body, arrays).registers if r not in ir.BUILTINS]
    locals_ = "".join(f"  var {r}: u32;\n" for r in registers)
    lines = "".join(f"  {line}\n" for line in _lines(body, arrays))
    return f"{_HEAD}{buffers}{_MAIN.format(size=size)}{locals_}{lines}}}\n"


def _lines(body: ir.Body, arrays: Mapping[str, int]) -> Iterator[str]:
    """The statements, a line each, those of inner blocks indented."""

    def inner(body: ir.Body, indent: str = "  ") -> Iterator[str]:
        return (f"{indent}{line}" for line in _lines(body, arrays))

    for s in body:
        match s:
            case ir.If():
                yield f"if ({_operand(s.c)} != 0u) {{"
                yield from inner(s.then)
                if s.orelse:
                    yield "} else {"
                    yield from inner(s.orelse)
                yield "}"
            case ir.Loop():
                yield "loop {"
                yield from inner(s.body)
                yield "  continuing {"
                yield from inner(s.continuing, "    ")
                if s.break_if is not None:
                    yield f"    break if {_operand(s.break_if)} != 0u;"
                yield "  }"
                yield "}"
            case _:
                yield _simple(s, arrays)


def _simple(s: ir.Stmt, arrays: Mapping[str, int]) -> str:
    match s:
        case ir.Local():
            return f"{s.r} = {_local(s)};"
        case ir.Load():
            return f"{s.r} = atomicLoad({_address(s.a, arrays)});"
        case ir.Store():
            return f"atomicStore({_address(s.a, arrays)}, {_operand(s.value)});"
        case ir.Atomic():
            return f"{s.r} = {_ATOMIC[s.op]}({_address(s.a, arrays)}, {_operand(s.value)});"
        case ir.SGOp():
            return f"{s.r} = {_SUBGROUP[s.op].format(v=_operand(s.operand), lane=s.lane)};"
        case _:
            return f"{type(s).__name__.lower()};"  # a jump


def _address(a: ir.Address, arrays: Mapping[str, int]) -> str:
    """Addresses beyond the end are taken modulo the length, as in the model."""
    index = a.index if isinstance(a.index, int) else f"{a.index} % {arrays[a.array]}u"
    return f"&{a.array}[{index}]"


def _local(s: ir.Local) -> str:
    operands = [_operand(o) for o in s.operands]
    if s.op == "copy":
        return operands[0]
    if s.op == "not":
        return f"select(0u, 1u, {operands[0]} == 0u)"
    left, right = operands
    if s.op in _LOGIC:
        return f"select(0u, 1u, {left} != 0u {_LOGIC[s.op]} {right} != 0u)"
    if s.op in _COMPARISONS:
        return f"select(0u, 1u, {left} {s.op} {right})"
    return f"{left} {s.op} {right}"


def _operand(o: ir.Operand) -> str:
    return o if isinstance(o, str) else f"{o}u"
