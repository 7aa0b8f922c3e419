"""The system state of Table 3, with the auxiliary fields of dynamic blocks (section 4). Nothing here changes a state.

σ    the state of a thread ⟨pc, db, R⟩
Σ    those of all threads
M    memory
D    the dynamic blocks, which together are the dynamic execution graph
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from wgsl_fuzz.oracle.simt_step.models import Kind, Mode, Model, kind_of
from wgsl_fuzz.oracle.simt_step.shader import BUILTINS, Address, Block, Instruction, Operand, Shader

Threads = frozenset[int]
NONE: Threads = frozenset()


@dataclass(frozen=True, slots=True)
class Thread:
    """σ: the place in the basic block, or None once it has ended; the dynamic block; the registers."""

    pc: int | None
    db: int
    R: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DynamicBlock:
    """db (section 3), with `ms`, `sis` and `U` (section 4).

    id: its number. It follows from how the block came about, so equal states are equal, whatever led to them.
    b: the label of the basic block.
    C: the children.
    merge: the block in which its threads meet again after its branch.
    ms: the merge stack, its top first.
    sis: the places of the synchronous instructions at which the threads are synchronized.
    T: the threads that execute the block. A thread is among them from its arrival on.
    U: the threads that may still arrive.
    """

    id: int
    b: str
    C: frozenset[int] = frozenset()
    merge: int | None = None
    ms: tuple[int, ...] = ()
    sis: frozenset[int] = frozenset()
    T: Threads = NONE
    U: Threads = NONE


Blocks = tuple[DynamicBlock, ...]
"""D, in order of the numbers."""


@dataclass(frozen=True, slots=True)
class State:
    """⟨M, Σ, D⟩."""

    M: tuple[int, ...]
    Σ: tuple[Thread, ...]
    D: Blocks


class Machine:
    """What is fixed for a run: the shader, the model, and the shape of the grid.

    `subgroups` subgroups of `size` threads each. `by_the_letter` keeps T-SYNC-EXECUTE as printed (`rules`). Raises
    ValueError for a model whose subgroup operations are not collective: it would need values to be symbolic.
    """

    def __init__(
        self, shader: Shader, model: Model, subgroups: int = 1, size: int = 2, by_the_letter: bool = False
    ) -> None:
        if model[Kind.SUBGROUP] is not Mode.COLLECTIVE:
            raise ValueError("subgroup operations are collective in all direct models")
        self.shader, self.model, self.subgroups, self.size = shader, model, subgroups, size
        self.by_the_letter = by_the_letter
        self.n = subgroups * size
        self._slots = {r: slot for slot, r in enumerate(shader.registers)}
        self._offsets: dict[str, int] = {}
        for array, length in shader.arrays.items():
            self._offsets[array] = sum(shader.arrays[a] for a in self._offsets)
            assert length > 0
        self._numbers: dict[tuple[int, str], int] = {}

    @cached_property
    def modes(self) -> Mapping[str, tuple[Mode, ...]]:
        """The mode of each instruction of each basic block."""
        return {
            label: tuple(self.model[kind_of(instr)] for instr in block) for label, block in self.shader.blocks.items()
        }

    def initial(self, memory: Mapping[str, tuple[int, ...]] | None = None) -> State:
        """The initial state (section 4): a dynamic block of the entry for each subgroup; memory is 0 unless given."""
        M = [0] * sum(self.shader.arrays.values())
        for array, values in (memory or {}).items():
            M[self._offsets[array] : self._offsets[array] + len(values)] = values
        Σ, D = [], []
        for sg in range(self.subgroups):
            threads = range(sg * self.size, (sg + 1) * self.size)
            db = DynamicBlock(self.number(-1 - sg, ""), self.shader.entry, T=frozenset(threads))
            D.append(db)
            Σ += [Thread(0, db.id, self._registers(t)) for t in threads]
        return State(tuple(M), tuple(Σ), tuple(D))

    def _registers(self, t: int) -> tuple[int, ...]:
        """R_0(t)."""
        given = dict(zip(BUILTINS, (t, t % self.size, t // self.size, self.size), strict=True))
        return tuple(given.get(r, 0) for r in self._slots)

    def number(self, parent: int, label: str) -> int:
        """The number of the dynamic block of `ℓ` that `parent` gives rise to; always the same one."""
        return self._numbers.setdefault((parent, label), len(self._numbers))

    def eval(self, operand: Operand, R: tuple[int, ...]) -> int:
        """`eval(Operand, R)`."""
        return R[self._slots[operand]] if isinstance(operand, str) else operand

    def written(self, R: tuple[int, ...], r: str, v: int) -> tuple[int, ...]:
        """`R[r ↦ v]`."""
        slot = self._slots[r]
        return (*R[:slot], v, *R[slot + 1 :])

    def cell(self, a: Address, R: tuple[int, ...]) -> int:
        """The place of an address in M."""
        return self._offsets[a.array] + self.eval(a.index, R) % self.shader.arrays[a.array]

    def array(self, S: State, name: str) -> tuple[int, ...]:
        """What an array holds."""
        return S.M[self._offsets[name] :][: self.shader.arrays[name]]

    def block(self, db: DynamicBlock) -> Block:
        """The instructions of `db.b`."""
        return self.shader.blocks[db.b]

    def instruction(self, S: State, t: int) -> Instruction | None:
        """`I[σ.pc]`, or None once the thread has ended."""
        σ = S.Σ[t]
        return None if σ.pc is None else self.shader.blocks[block(S.D, σ.db).b][σ.pc]


def block(D: Blocks, id: int) -> DynamicBlock:
    """The dynamic block of a number."""
    return next(db for db in D if db.id == id)


def with_block(D: Blocks, db: DynamicBlock) -> Blocks:
    """D with `db` in place of the block of its number, or with one block more."""
    return tuple(sorted((*(x for x in D if x.id != db.id), db), key=lambda x: x.id))


def with_thread(S: State, t: int, σ: Thread) -> State:
    """S, with another state of thread t."""
    return State(S.M, (*S.Σ[:t], σ, *S.Σ[t + 1 :]), S.D)


def align(S: State, db: DynamicBlock) -> bool:
    """`Align(db, Σ)`: all threads of the block are known (section 4.3) and at the same instruction of it."""
    if db.U or not db.T:
        return False
    first = S.Σ[min(db.T)]
    return first.pc is not None and all(S.Σ[t].db == db.id and S.Σ[t].pc == first.pc for t in db.T)
