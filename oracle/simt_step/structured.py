"""Structured control flow, and the basic blocks with merge instructions that it stands for (section 2.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wgsl_fuzz.oracle.simt_step.shader import (
    Block,
    Branch,
    BranchCond,
    Instruction,
    Label,
    Local,
    LoopMerge,
    Memory,
    Operand,
    Return,
    SelectionMerge,
    SGOp,
    Shader,
    ShaderError,
    Term,
    shader,
)


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


@dataclass(frozen=True, slots=True)
class Inlined:
    """The body of a function in place of a call of it: a `Return` inside leaves the body, not the shader."""

    body: "Body"


Stmt = Local | Memory | SGOp | If | Loop | Inlined | Break | Continue | Return
Body = tuple[Stmt, ...]


def lower(body: Body, arrays: Mapping[str, int]) -> Shader:
    """The shader whose blocks do what the statements do. Raises ShaderError for a `break` outside of loops."""
    lowering = _Lowering()
    lowering.emit("entry", body, Return(), None)
    return shader(lowering.blocks, arrays)


class _Lowering:
    """The blocks so far; each construct has a number, which its labels end with. `_end_of_function` is a `Return`."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._constructs = 0
        self._end_of_function: Term = Return()

    def emit(self, label: str, body: Sequence[Stmt], after: Term, loop: LoopMerge | None) -> None:
        """Adds the blocks of a body, from label ℓ on; `after` ends them, and `loop` is the innermost loop."""
        instructions: list[Instruction] = [Label(label)]
        for place, s in enumerate(body):
            rest = body[place + 1 :]
            match s:
                case If():
                    return self._selection(instructions, s, rest, after, loop)
                case Loop():
                    return self._loop(instructions, s, rest, after, loop)
                case Inlined():
                    return self._inlined(instructions, s, rest, after, loop)
                case Break() | Continue():
                    if loop is None:
                        raise ShaderError("break or continue outside a loop")
                    return self._end(instructions, Branch(loop.label if isinstance(s, Break) else loop.continue_target))
                case Return():
                    return self._end(instructions, self._end_of_function)
                case _:
                    instructions.append(s)
        return self._end(instructions, after)

    def _end(self, instructions: list[Instruction], *last: Instruction) -> None:
        self.blocks.append((*instructions, *last))

    def _selection(
        self, instructions: list[Instruction], s: If, rest: Sequence[Stmt], after: Term, loop: LoopMerge | None
    ) -> None:
        self._constructs += 1
        n = self._constructs
        then, orelse, merge = f"then{n}", f"else{n}", f"merge{n}"
        self._end(instructions, SelectionMerge(merge), BranchCond(s.c, then, orelse if s.orelse else merge))
        self.emit(then, s.then, Branch(merge), loop)
        if s.orelse:
            self.emit(orelse, s.orelse, Branch(merge), loop)
        self.emit(merge, rest, after, loop)

    def _loop(
        self, instructions: list[Instruction], s: Loop, rest: Sequence[Stmt], after: Term, loop: LoopMerge | None
    ) -> None:
        self._constructs += 1
        n = self._constructs
        header, inside, again, merge = f"header{n}", f"body{n}", f"continue{n}", f"merge{n}"
        here = LoopMerge(merge, again)
        self._end(instructions, Branch(header))
        self._end([Label(header)], here, Branch(inside))
        self.emit(inside, s.body, Branch(again), here)
        back = Branch(header) if s.break_if is None else BranchCond(s.break_if, merge, header)
        self.emit(again, s.continuing, back, None)
        self.emit(merge, rest, after, loop)

    def _inlined(
        self, instructions: list[Instruction], s: Inlined, rest: Sequence[Stmt], after: Term, loop: LoopMerge | None
    ) -> None:
        """As SPIR-V is inlined: the body is the only case of a selection, at whose merge block threads meet again.

        A `Return` inside a loop of the body branches past the merge block of that loop, as `OpReturn` would.
        """
        self._constructs += 1
        inside, merge = f"call{self._constructs}", f"merge{self._constructs}"
        self._end(instructions, SelectionMerge(merge), Branch(inside))
        outside, self._end_of_function = self._end_of_function, Branch(merge)
        self.emit(inside, s.body, Branch(merge), None)
        self._end_of_function = outside
        self.emit(merge, rest, after, loop)
