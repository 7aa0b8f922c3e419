"""The nodes of the paper's Fig. 4, typed (u32, i32, bool).

Beyond Fig. 4: types, unary operators and conversions (`Op` is abstract in the paper), and a `return` without a value,
which only `main` may have (docs/paper-notes.md, note 6). `continuing` statements exist only inside `Loop`.

Nodes are immutable for the type checker, yet slotted classes at run time: a frozen dataclass costs a third of drawing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True)
def node(cls: type[_T]) -> type[_T]:
    """Class decorator: a slotted dataclass with value equality and hash; mypy treats its fields as frozen."""
    return dataclass(slots=True, unsafe_hash=True)(cls)


class Type(Enum):
    """The scalar types of TinyWGSL; the value is WGSL's name."""

    U32 = "u32"
    I32 = "i32"
    BOOL = "bool"

    __hash__ = object.__hash__  # trees are hashed often, and that of `Enum` is a function of Python's


class Space(Enum):
    """Where a shared array lives. Both are shared variables of the paper; the value is WGSL's address space."""

    WORKGROUP = "workgroup"
    STORAGE = "storage"


# ---------------------------------------------------------------------------------------------------- expressions


@node
class Literal:
    """A value of `Val`: 0 <= value < 2^32 for u32, -2^31 <= value < 2^31 for i32, False or True for bool."""

    value: int
    type: Type


@node
class Lid:
    """The thread's ID, `lid`, a u32; only `main` may read it."""


@node
class Local:
    """Read of a local variable or parameter (`LocIdent` without `lid`)."""

    name: str
    type: Type


@node
class SharedRead:
    """`x[e]`: read of a shared array."""

    array: str
    index: "Expr"
    type: Type


@node
class Unary:
    """`!e`, `-e` or `~e`."""

    op: str
    operand: "Expr"


@node
class Binary:
    """`e1 op e2`. The amount of a shift is u32; all other operators take two operands of one type."""

    op: str
    left: "Expr"
    right: "Expr"


@node
class Convert:
    """`u32(e)`, `i32(e)` or `bool(e)`."""

    type: Type
    operand: "Expr"


Expr = Literal | Lid | Local | SharedRead | Unary | Binary | Convert

COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
LOGICAL = frozenset({"&&", "||"})
ARITHMETIC = frozenset({"+", "-", "*", "/", "%"})
BITWISE = frozenset({"&", "|", "^"})
SHIFTS = frozenset({"<<", ">>"})


# ----------------------------------------------------------------------------------------------------- statements


@node
class Assign:
    """`x = e` for a local `x`."""

    name: str
    value: Expr


@node
class SharedAssign:
    """`x[e1] = e2` for a shared array `x`."""

    array: str
    index: Expr
    value: Expr


@node
class If:
    """`if (e) {ss1} else {ss2}`. As the last statement of a `continuing`, `if (e) {break} else {}` is `break if e`."""

    condition: Expr
    then: "Block"
    orelse: "Block"


@node
class Loop:
    """`loop^id { body continuing^id { continuing } }`; `body` ends with a `continue` (restriction 3)."""

    id: int
    body: "Block"
    continuing: "Block"


@node
class Call:
    """`x = f^id(e1, ..., en)`."""

    id: int
    name: str
    function: str
    arguments: tuple[Expr, ...]


@node
class Barrier:
    """`barrier^id`."""

    id: int


@node
class Continue:
    """`continue^id`."""

    id: int


@node
class Break:
    """`break`."""


@node
class Return:
    """`return e`; without a value only in `main`."""

    value: Expr | None


Simple = Assign | SharedAssign | Call | Barrier
"""Statements without blocks that go on."""
Compound = If | Loop
"""Statements with blocks."""
Jump = Continue | Break | Return
"""Statements that never go on."""
Stmt = Simple | Compound | Jump
Block = tuple[Stmt, ...]


# --------------------------------------------------------------------------------------------------------- shaders


@node
class Variable:
    """A declared name and its type: a parameter or a local. Locals start as zero or false."""

    name: str
    type: Type


@node
class SharedArray:
    """A shared variable: an array of `size` values of `type`."""

    name: str
    type: Type
    size: int
    space: Space


@node
class Function:
    """`fn name(params) { locals; body }`; `result` is None for `main` only, whose parameter `lid` is implicit."""

    name: str
    params: tuple[Variable, ...]
    locals: tuple[Variable, ...]
    body: Block
    result: Type | None


@node
class Shader:
    """Shared arrays (size 0: sized at run time), functions in order of declaration, and `main`, run by N threads."""

    arrays: tuple[SharedArray, ...]
    functions: tuple[Function, ...]
    main: Function
    workgroup_size: int

    @property
    def all_functions(self) -> tuple[Function, ...]:
        """The functions in the order in which they are analysed: `main` comes last."""
        return (*self.functions, self.main)


# ------------------------------------------------------------------------------------------------------- questions


def type_of(e: Expr) -> Type:
    """The type of a well-typed expression; needs no environment, because every read carries its type."""
    while True:  # not `match`, which takes three times as long
        if isinstance(e, Binary):
            if e.op in COMPARISONS or e.op in LOGICAL:
                return Type.BOOL
            e = e.left
        elif isinstance(e, Unary):
            e = e.operand
        elif isinstance(e, Lid):
            return Type.U32
        else:
            return e.type


def is_break_if(s: Stmt) -> bool:
    """Whether `s` has the shape of restriction (7): `if (e) {break} else {}`. Its place decides what it is."""
    return isinstance(s, If) and len(s.then) == 1 and isinstance(s.then[0], Break) and not s.orelse


# ------------------------------------------------------------------------------------------------------- traversal


def blocks_of(s: Stmt) -> tuple[Block, ...]:
    """The blocks directly inside a statement, in source order."""
    if isinstance(s, If):
        return s.then, s.orelse
    return (s.body, s.continuing) if isinstance(s, Loop) else ()


def expressions_of(s: Stmt) -> tuple[Expr, ...]:
    """The expressions directly in a statement, in source order."""
    match s:
        case Assign():
            return (s.value,)
        case SharedAssign():
            return s.index, s.value
        case If():
            return (s.condition,)
        case Call():
            return s.arguments
        case Return():
            return () if s.value is None else (s.value,)
        case _:
            return ()


def operands_of(e: Expr) -> tuple[Expr, ...]:
    """The expressions directly inside an expression, left to right."""
    if isinstance(e, Binary):
        return e.left, e.right
    if isinstance(e, SharedRead):
        return (e.index,)
    return (e.operand,) if isinstance(e, (Unary, Convert)) else ()


def id_of(s: Stmt) -> int | None:
    """The ID of a statement, or None if it has none (restriction 4)."""
    return s.id if isinstance(s, (Loop, Call, Barrier, Continue)) else None


def written_by(s: Stmt) -> str | None:
    """The local or array that a statement itself assigns; None if it assigns none."""
    if isinstance(s, (Assign, Call)):
        return s.name
    return s.array if isinstance(s, SharedAssign) else None


def walk(block: Block) -> Iterator[Stmt]:
    """All statements of a block, outer before inner, in source order."""
    found: list[Stmt] = []
    _gather(block, found)
    return iter(found)


def _gather(block: Block, found: list[Stmt]) -> None:
    # Nested generators, and calls of `blocks_of` and, below, of `operands_of`, would take twice the time.
    for s in block:
        found.append(s)
        if s.__class__ is If:
            _gather(s.then, found)
            _gather(s.orelse, found)
        elif s.__class__ is Loop:
            _gather(s.body, found)
            _gather(s.continuing, found)


def walk_expr(e: Expr) -> Iterator[Expr]:
    """An expression and all inside it, outer first, left to right."""
    found, stack = [], [e]
    while stack:
        e = stack.pop()
        found.append(e)
        if e.__class__ is Binary:
            stack += (e.right, e.left)
        elif e.__class__ is SharedRead:
            stack.append(e.index)
        elif e.__class__ is Unary or e.__class__ is Convert:
            stack.append(e.operand)
    return iter(found)


def expressions_in(block: Block) -> Iterator[Expr]:
    """Every expression in a block, however deep."""
    for s in walk(block):
        for e in expressions_of(s):
            yield from walk_expr(e)


def read_in(e: Expr) -> Iterator[str]:
    """The locals and arrays that an expression reads, from left to right."""
    for part in walk_expr(e):
        if isinstance(part, Local):
            yield part.name
        elif isinstance(part, SharedRead):
            yield part.array


def locals_in(block: Block) -> list[str]:
    """The locals that a block uses, as often as it does; what a statement assigns comes before what it reads."""
    return [name for s in walk(block) for name in locals_of(s)]


def locals_of(s: Stmt) -> list[str]:
    """The locals that a statement itself uses, without its blocks."""
    found: list[str] = []
    if s.__class__ is Assign or s.__class__ is Call:
        found.append(s.name)
    return found + [part.name for e in expressions_of(s) for part in walk_expr(e) if isinstance(part, Local)]


def count_statements(shader: Shader) -> int:
    """The number of statements in all functions: the size that reports and profiles speak of."""
    return sum([sum(1 for _ in walk(f.body)) for f in shader.all_functions])
