"""The nodes of the paper's Fig. 4, typed (u32, i32, bool).

Beyond Fig. 4: types, unary operators and conversions (`Op` is abstract in the paper), and a `return` without a value,
which only `main` may have (docs/paper-notes.md, note 6). `continuing` statements exist only inside `Loop`.

Nodes are immutable for the type checker, yet slotted classes at run time: a frozen dataclass costs a third of drawing.
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import count
from typing import get_args

from wgsl_fuzz.tinywgsl.traversal import (
    EXPRESSIONS,
    AssignedLocal,
    CalledFunction,
    Holds,
    Id,
    Operator,
    Parts,
    ReadArray,
    ReadLocal,
    Traversal,
    Value,
    WrittenArray,
    gather_lists,
    gather_nodes,
    gather_parts,
)
from wgsl_fuzz.tinywgsl.traversal import node as node


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

    value: Value
    type: Type


@node
class Lid:
    """The thread's ID, `lid`, a u32; only `main` may read it."""


@node
class Local:
    """Read of a local variable or parameter (`LocIdent` without `lid`)."""

    name: ReadLocal
    type: Type


@node
class SharedRead:
    """`x[e]`: read of a shared array."""

    array: ReadArray
    index: "Expr"
    type: Type


@node
class Unary:
    """`!e`, `-e` or `~e`."""

    op: Operator
    operand: "Expr"


@node
class Binary:
    """`e1 op e2`. The amount of a shift is u32; all other operators take two operands of one type."""

    op: Operator
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

    name: AssignedLocal
    value: Expr


@node
class SharedAssign:
    """`x[e1] = e2` for a shared array `x`."""

    array: WrittenArray
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

    id: Id
    body: "Block"
    continuing: "Block"


@node
class Call:
    """`x = f^id(e1, ..., en)`."""

    id: Id
    name: AssignedLocal
    function: CalledFunction
    arguments: tuple[Expr, ...]


@node
class Barrier:
    """`barrier^id`."""

    id: Id


@node
class Continue:
    """`continue^id`."""

    id: Id


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

    def with_functions(self, functions: Sequence["Function"]) -> "Shader":
        """The shader with these instead of `all_functions`: `main` is the last one."""
        return Shader(self.arrays, tuple(functions[:-1]), functions[-1], self.workgroup_size)


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

NODES = Traversal(Block, Expr, Type)
"""What is derived from the fields of the classes above."""

BLOCKS, OPERANDS, IDS = NODES.parts(Holds.BLOCK), NODES.parts(*EXPRESSIONS), NODES.parts(Holds.ID)
READ, ASSIGNED = NODES.parts(Holds.READ), NODES.parts(Holds.ASSIGNED)
"""The names of locals that are read or assigned; below, also those of arrays and of functions."""
LOCALS = NODES.parts(Holds.READ, Holds.ASSIGNED)
ARRAYS = NODES.parts(Holds.ARRAY_READ, Holds.ARRAY_WRITTEN)
ARRAY_WRITTEN = NODES.parts(Holds.ARRAY_WRITTEN)
WRITTEN = NODES.parts(Holds.ASSIGNED, Holds.ARRAY_WRITTEN)
CALLED = NODES.parts(Holds.CALLED)

_EXPRESSIONS = get_args(Expr)


def blocks_of(s: Stmt) -> tuple[Block, ...]:
    """The blocks directly inside a statement, in source order."""
    get = BLOCKS.get[s.__class__]
    return () if get is None else get(s)


def expressions_of(s: Stmt) -> tuple[Expr, ...]:
    """The expressions directly in a statement, in source order."""
    get = OPERANDS.get[s.__class__]
    return () if get is None else get(s)


def operands_of(e: Expr) -> tuple[Expr, ...]:
    """The expressions directly inside an expression, left to right."""
    get = OPERANDS.get[e.__class__]
    return () if get is None else get(e)


def id_of(s: Stmt) -> int | None:
    """The ID of a statement, or None if it has none (restriction 4)."""
    get = IDS.get[s.__class__]
    return None if get is None else get(s)[0]


def walk(block: Block) -> Iterator[Stmt]:
    """All statements of a block, outer before inner, in source order."""
    found: list[Stmt] = []
    gather_lists(block, BLOCKS, found)
    return iter(found)


def walk_outside_loops(block: Block) -> Iterator[Stmt]:
    """As `walk`, without what is inside loops: where a `break` or a `continue` belongs to what is around `block`."""
    for s in block:
        yield s
        if not isinstance(s, Loop):
            for inner in blocks_of(s):
                yield from walk_outside_loops(inner)


def walk_expr(e: Expr) -> Iterator[Expr]:
    """An expression and all inside it, outer first."""
    found: list[Expr] = []
    gather_nodes(e, OPERANDS, found)
    return iter(found)


def expressions_in(block: Block) -> Iterator[Expr]:
    """Every expression in a block, however deep."""
    found: list[Expr] = []
    for s in walk(block):
        for e in expressions_of(s):
            gather_nodes(e, OPERANDS, found)
    return iter(found)


def names_in(node: Stmt | Expr, names: Parts) -> tuple[str, ...]:
    """The names, of `LOCALS` or the like, that a node itself holds."""
    get = names.get[node.__class__]
    return () if get is None else get(node)


def names_in_expr(e: Expr, names: Parts) -> list[str]:
    """The names, of `LOCALS` or the like, that stand in an expression, from left to right."""
    found: list[str] = []
    gather_parts(e, names, OPERANDS, found)
    return found


def names_in_block(block: Block, names: Parts) -> list[str]:
    """The names, of `LOCALS` or the like, that stand in a block; a statement's own come before its expressions'."""
    in_expressions = any([names.get[cls] is not None for cls in _EXPRESSIONS])
    found: list[str] = []
    for s in walk(block):
        if in_expressions:
            gather_parts(s, names, OPERANDS, found)
        elif (get := names.get[s.__class__]) is not None:
            found += get(s)
    return found


def count_statements(shader: Shader) -> int:
    """The number of statements in all functions: the size that reports and profiles speak of."""
    return sum([sum(1 for _ in walk(f.body)) for f in shader.all_functions])


def renumbered(shader: Shader) -> Shader:
    """The same shader with the IDs 1, 2, ... in source order: the canonical numbering (restriction 4)."""
    numbers = count(1)

    def statement(s: Stmt) -> Stmt:
        cls = s.__class__
        if IDS.get[cls] is not None:
            s = IDS.put[cls](s, (next(numbers),))
        get = BLOCKS.get[cls]
        return s if get is None else BLOCKS.put[cls](s, [block(ss) for ss in get(s)])

    def block(ss: Block) -> Block:
        return tuple([statement(s) for s in ss])

    functions = [Function(f.name, f.params, f.locals, block(f.body), f.result) for f in shader.all_functions]
    return shader.with_functions(functions)
