"""The shader language of Fig. 6: basic blocks with labels, merge instructions and terminators; and structured bodies.

Beyond the figure, with the paper's words for them: loop merges and returns (section 2, Table 2), atomic updates, and
local instructions that compute something. Values are integers; a condition holds unless it is 0.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

LOCAL: Mapping[str, Callable[..., int]] = {
    "copy": lambda a: a,
    "not": lambda a: int(not a),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "%": lambda a, b: a % b if b else 0,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "and": lambda a, b: int(bool(a) and bool(b)),
    "or": lambda a, b: int(bool(a) or bool(b)),
}
"""`Exec` of section 4.1: the register's new value from the operands."""

ATOMIC: Mapping[str, Callable[[int, int], int]] = {
    "add": lambda old, v: old + v,
    "max": max,
    "exchange": lambda _, v: v,
}
"""What an atomic update leaves in the cell."""

SUBGROUP: Mapping[str, Callable[[Mapping[int, int], int], Mapping[int, int]]] = {
    "add": lambda values, _: dict.fromkeys(values, sum(values.values())),
    "all": lambda values, _: dict.fromkeys(values, int(all(values.values()))),
    "any": lambda values, _: dict.fromkeys(values, int(any(values.values()))),
    "all_equal": lambda values, _: dict.fromkeys(values, int(len(set(values.values())) == 1)),
    "ballot": lambda values, _: dict.fromkeys(values, sum(1 << lane for lane, v in values.items() if v)),
    "broadcast": lambda values, lane: dict.fromkeys(values, values.get(lane, 0)),
    "elect": lambda values, _: {lane: int(lane == min(values)) for lane in values},
    "barrier": lambda values, _: dict.fromkeys(values, 0),
}
"""`ExecSG` of section 4.1: from the values of the active lanes to their results.

The number is the lane of a broadcast. The paper does not say what the value of a lane that is not active is: it is 0.
"""


Reg = str
"""r, a register of a thread."""
Operand = Reg | int
"""r | v."""


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
class Merge:
    """`selectionMerge(ℓ)`: where the threads meet again after the branch that follows.

    Or `OpLoopMerge` of SPIR-V: where they meet after the loop, and where in each iteration, `continue_target`.
    """

    label: str
    continue_target: str = ""


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


def _registers(instr: Instruction) -> Iterator[Reg]:
    """The registers that it names."""
    named = [getattr(instr, field, 0) for field in ("r", "value", "operand", "c")]
    named += [*getattr(instr, "operands", ()), *([instr.a.index] if isinstance(instr, Memory) else [])]
    return (name for name in named if isinstance(name, str))


@dataclass(frozen=True, slots=True)
class If:
    """`if (c) { then } else { orelse }`."""

    c: Operand
    then: "Body"
    orelse: "Body" = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """`loop { body continuing { continuing break if break_if } }`; without `break_if` only a `Break` ends it."""

    body: "Body"
    continuing: "Body" = ()
    break_if: Operand | None = None


@dataclass(frozen=True, slots=True)
class Break:
    """`break`, of the innermost loop."""


@dataclass(frozen=True, slots=True)
class Continue:
    """`continue`, of the innermost loop."""


Stmt = Local | Memory | SGOp | If | Loop | Break | Continue | Return
Body = tuple[Stmt, ...]


def lower(body: Body, arrays: Mapping[str, int]) -> Shader:
    """The shader whose blocks do what the statements do; each construct has a number, which its labels end with."""
    blocks: dict[str, Block] = {}
    _emit(blocks, count(1), "entry", body, Return(), None)
    return Shader(blocks, arrays)


def _emit(
    blocks: dict[str, Block], numbers: Iterator[int], label: str, body: Body, after: Term, loop: Merge | None
) -> None:
    """Adds the blocks of a body, from label ℓ on; `after` ends them, and `loop` is the innermost loop."""
    instructions: list[Instruction] = [Label(label)]
    for place, s in enumerate(body):
        rest = body[place + 1 :]
        match s:
            case If():
                n = next(numbers)
                then, orelse, merge = f"then{n}", f"else{n}", f"merge{n}"
                branch = BranchCond(s.c, then, orelse if s.orelse else merge)
                blocks[label] = (*instructions, Merge(merge), branch)
                _emit(blocks, numbers, then, s.then, Branch(merge), loop)
                if s.orelse:
                    _emit(blocks, numbers, orelse, s.orelse, Branch(merge), loop)
                return _emit(blocks, numbers, merge, rest, after, loop)
            case Loop():
                n = next(numbers)
                header, inside, again, merge = f"header{n}", f"body{n}", f"continue{n}", f"merge{n}"
                here = Merge(merge, again)
                blocks[label] = (*instructions, Branch(header))
                blocks[header] = (Label(header), here, Branch(inside))
                _emit(blocks, numbers, inside, s.body, Branch(again), here)
                back = Branch(header) if s.break_if is None else BranchCond(s.break_if, merge, header)
                _emit(blocks, numbers, again, s.continuing, back, None)
                return _emit(blocks, numbers, merge, rest, after, loop)
            case Break() | Continue():
                assert loop is not None, "a jump is in a loop"
                after = Branch(loop.label if isinstance(s, Break) else loop.continue_target)
                break
            case Return():
                after = s
                break
            case _:
                instructions.append(s)
    blocks[label] = (*instructions, after)
    return None
