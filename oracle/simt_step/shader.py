"""The shader language of Fig. 6: basic blocks with labels, merge instructions and terminators.

Beyond the figure, with the paper's words for them: loop merges and returns (section 2, Table 2), atomic updates, and
local instructions that compute something. Values are integers; a condition holds unless it is 0.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from wgsl_fuzz.oracle.simt_step.operations import ATOMIC, LOCAL, SUBGROUP

Reg = str
"""r, a register of a thread."""
Operand = Reg | int
"""r | v."""


class ShaderError(Exception):
    """The shader does not keep to Fig. 6."""


@dataclass(frozen=True, slots=True)
class Label:
    """`label(ℓ)`, the first instruction of each basic block."""

    label: str


@dataclass(frozen=True, slots=True)
class Local:
    """`r ← op(Operand*)`, which concerns nothing but the thread's registers."""

    r: Reg
    op: str
    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Address:
    """A cell of an array in memory; an index beyond the end is taken modulo the length."""

    array: str
    index: Operand


@dataclass(frozen=True, slots=True)
class Load:
    """`Load r ← a`."""

    r: Reg
    a: Address


@dataclass(frozen=True, slots=True)
class Store:
    """`Store a ← Operand`."""

    a: Address
    value: Operand


@dataclass(frozen=True, slots=True)
class Atomic:
    """`r ← a; a ← op(a, Operand)` in one step; not in Fig. 6."""

    r: Reg
    op: str
    a: Address
    value: Operand


@dataclass(frozen=True, slots=True)
class SGOp:
    """`r ← SG_op(op, Operand)`; `lane` is the one that a broadcast reads."""

    r: Reg
    op: str
    operand: Operand = 0
    lane: int = 0


@dataclass(frozen=True, slots=True)
class SelectionMerge:
    """`selectionMerge(ℓ)`: where the threads meet again after the branch that follows."""

    label: str


@dataclass(frozen=True, slots=True)
class LoopMerge:
    """`OpLoopMerge` of SPIR-V: where the threads meet after the loop, and where in each iteration."""

    label: str
    continue_target: str


@dataclass(frozen=True, slots=True)
class Branch:
    """`branch(ℓ)`."""

    label: str


@dataclass(frozen=True, slots=True)
class BranchCond:
    """`branchCond(Operand, ℓ1, ℓ2)`."""

    c: Operand
    label_t: str
    label_f: str


@dataclass(frozen=True, slots=True)
class Return:
    """`OpReturn` (Table 2): the thread ends."""


Memory = Load | Store | Atomic
Merge = SelectionMerge | LoopMerge
Term = Branch | BranchCond | Return
Instruction = Label | Local | Memory | SGOp | Merge | Term
Block = tuple[Instruction, ...]
"""B: a label, normal instructions, perhaps a merge instruction, a terminator."""

BUILTINS = ("tid", "lane", "sg", "sg_size")
"""Registers that have a value from the start: the thread, its place in its subgroup, the subgroup, its size."""


@dataclass(frozen=True, slots=True)
class Shader:
    """S: basic blocks by their labels, the entry first, and the arrays in memory, by name and length."""

    blocks: Mapping[str, Block]
    arrays: Mapping[str, int]

    @property
    def entry(self) -> str:
        """The label of the entry block."""
        return next(iter(self.blocks))

    @property
    def registers(self) -> tuple[Reg, ...]:
        """All registers: those with a value from the start first, the others in order of their names."""
        named = {name for block in self.blocks.values() for instr in block for name in _registers(instr)}
        return (*BUILTINS, *sorted(named - set(BUILTINS)))


def shader(blocks: Sequence[Block], arrays: Mapping[str, int]) -> Shader:
    """A shader of these blocks. Raises ShaderError if it does not keep to Fig. 6."""
    by_label: dict[str, Block] = {}
    for block in blocks:
        if not block or not isinstance(block[0], Label):
            raise ShaderError("a block begins with a label")
        if block[0].label in by_label:
            raise ShaderError(f"two blocks have the label {block[0].label}")
        by_label[block[0].label] = block
    if not by_label:
        raise ShaderError("a shader has a block")
    made = Shader(MappingProxyType(by_label), MappingProxyType(dict(arrays)))
    for block in blocks:
        _check(block, made)
    return made


def successors(block: Block) -> tuple[str, ...]:
    """The labels that the block's terminator names: `b.C`."""
    match block[-1]:
        case Branch(label):
            return (label,)
        case BranchCond(_, label_t, label_f):
            return (label_t, label_f)
    return ()


def _check(block: Block, made: Shader) -> None:
    first, inner, last = block[0], block[1:-1], block[-1]
    if not isinstance(last, Branch | BranchCond | Return):
        raise ShaderError(f"{first} has no terminator")
    for place, instr in enumerate(inner):
        if isinstance(instr, Label | Branch | BranchCond | Return):
            raise ShaderError(f"{instr} is inside a block")
        if isinstance(instr, SelectionMerge | LoopMerge) and place != len(inner) - 1:
            raise ShaderError(f"{instr} stands right before the terminator")
    targets = [*successors(block)]
    if len(block) > 1 and isinstance(block[-2], SelectionMerge | LoopMerge):
        targets += [block[-2].label] + ([block[-2].continue_target] if isinstance(block[-2], LoopMerge) else [])
    for label in targets:
        if label not in made.blocks:
            raise ShaderError(f"there is no block {label}")
    for instr in inner:
        _check_names(instr, made)


def _check_names(instr: Instruction, made: Shader) -> None:
    if isinstance(instr, Load | Store | Atomic) and made.arrays.get(instr.a.array, 0) < 1:
        raise ShaderError(f"there is no array {instr.a.array}")
    tables: dict[type, Mapping[str, Callable[..., object]]] = {Local: LOCAL, Atomic: ATOMIC, SGOp: SUBGROUP}
    if isinstance(instr, Local | Atomic | SGOp) and instr.op not in tables[type(instr)]:
        raise ShaderError(f"there is no operation {instr.op}")


def _registers(instr: Instruction) -> Iterator[Reg]:
    operands: tuple[Operand, ...] = ()
    match instr:
        case Local(r, _, operands):
            yield r
        case Load(r, a):
            yield r
            operands = (a.index,)
        case Store(a, value):
            operands = (a.index, value)
        case Atomic(r, _, a, value):
            yield r
            operands = (a.index, value)
        case SGOp(r, _, operand):
            yield r
            operands = (operand,)
        case BranchCond(c):
            operands = (c,)
    yield from (o for o in operands if isinstance(o, str))
