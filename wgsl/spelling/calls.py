"""Which calls can move into the expression that reads their result, and which results nobody reads.

The parser hoists a call out of an expression, and reads the shared memory to the left of it before. A call may only go
where hoisting gives back what there was: so that nothing to its left is a shared read or a later call.
"""

from collections import Counter
from collections.abc import Sequence

from wgsl_fuzz.tinywgsl.ast import (
    ASSIGNED,
    LOGICAL,
    READ,
    Assign,
    Binary,
    Block,
    Break,
    Call,
    Continue,
    Expr,
    Function,
    If,
    Local,
    Loop,
    Return,
    SharedRead,
    Stmt,
    blocks_of,
    expressions_of,
    names_in,
    names_in_block,
    names_in_expr,
    operands_of,
    walk,
)
from wgsl_fuzz.tinywgsl.rewrite import with_mapped_expressions
from wgsl_fuzz.wgsl.spelling.tree import NestedCall

Rest = tuple[tuple[Block, int], ...] | None
"""What is run after a block: the rests of the blocks around it, innermost first. None: in a loop, who knows."""


class Results:
    """What becomes of the results of the calls in a function, by their IDs."""

    def __init__(self, f: Function) -> None:
        self.dead: set[int] = set()
        """Nobody reads the result."""
        self.single: set[int] = set()
        """One statement reads the result, only calls stand between, and then it is dead."""
        self.reused: set[int] = set()
        """The local that takes the result has other uses."""
        self.found: list[tuple[Call, Block, int, Rest]] = []
        """The calls, where they stand, and what is run after."""
        self._find(f.body, ())
        if not self.found:
            return
        self._reads = Counter(names_in_block(f.body, READ))
        self._writes = Counter(names_in_block(f.body, ASSIGNED))
        self._params = {v.name for v in f.params}
        self._read_in: dict[int, frozenset[str]] = {}
        """By the `id` of a statement of `f`: what is read in it, and inside."""
        for call, ss, i, rest in self.found:
            self._call(call, ss, i, rest)

    def _find(self, ss: Block, rest: Rest) -> None:
        for i, s in enumerate(ss):
            if isinstance(s, Call):
                self.found.append((s, ss, i, rest))
            else:
                for block in blocks_of(s):
                    self._find(block, None if rest is None or isinstance(s, Loop) else ((ss, i + 1), *rest))

    def _call(self, call: Call, ss: Block, i: int, rest: Rest) -> None:
        reads = self._reads[call.name]
        if reads == 0 or self._dead(call.name, ss, i + 1, rest):
            self.dead.add(call.id)
            if reads:
                self.reused.add(call.id)
        elif self._is_single(call.name, ss, i + 1, rest):
            self.single.add(call.id)
            if reads > 1 or self._writes[call.name] > 1 or call.name in self._params:
                self.reused.add(call.id)

    def _is_single(self, name: str, ss: Block, i: int, rest: Rest) -> bool:
        while i < len(ss) and isinstance(ss[i], Call) and not _reads_itself(ss[i], name):
            if _writes(ss[i], name):
                return False
            i += 1
        if i == len(ss) or not _reads_itself(ss[i], name) or isinstance(ss[i], Loop):
            return False
        s = ss[i]
        if self._reads[name] == 1 or _writes(s, name):
            return True
        if isinstance(s, If) and (_reads_inside(s, name) or (rest is None and _jumps(s))):
            return False
        return self._dead(name, ss, i + 1, rest)

    def _dead(self, name: str, ss: Block, i: int, rest: Rest) -> bool:
        """Whether a local that has a value before `ss[i]` is not read before it gets another."""
        for s in ss[i:]:
            read = self._read_in.get(id(s))
            if read is None:
                read = self._read_in[id(s)] = frozenset(names_in_block((s,), READ))
            if name in read:
                return False
            if _writes(s, name) or isinstance(s, Return):
                return True
            if rest is None and _jumps(s):
                return False
        if rest is None:
            return False
        return not rest or self._dead(name, *rest[0], rest[1:])


def _writes(s: Stmt, name: str) -> bool:
    return name in names_in(s, ASSIGNED)


def _reads_itself(s: Stmt, name: str) -> bool:
    return any(name in names_in_expr(e, READ) for e in expressions_of(s))


def _reads_inside(s: Stmt, name: str) -> bool:
    return any(name in names_in_block(block, READ) for block in blocks_of(s))


def _jumps(s: Stmt) -> bool:
    return any(isinstance(inner, (Break, Continue)) for inner in walk((s,)))


# ------------------------------------------------------------------------------------------------------- moving


def with_call(s: Stmt, call: Call) -> Stmt | None:
    """`s` with the call in place of the read of its result; None if hoisting would not give back the same."""
    if isinstance(s, Loop) or (isinstance(s, Assign) and isinstance(s.value, Local)):
        return None  # `x = f()` comes back as the call that assigns to x
    es = expressions_of(s)
    names = [name for e in es for name in names_in_expr(e, READ)]
    if names.count(call.name) != 1 or not _comes_first(es, call.name):
        return None
    nested = NestedCall(call.function, call.arguments)

    def moved(e: Expr) -> Expr | None:
        return nested if type(e) is Local and e.name == call.name else None

    return with_mapped_expressions(s, moved)


def _comes_first(es: Sequence[Expr], name: str) -> bool:
    return next((found for e in es if (found := _sought(e, name)) is not None), False)


def _sought(e: Expr, name: str) -> bool | None:
    """In order of evaluation: True if the local is read first; False if something that a call must not pass is."""
    if type(e) is Local:
        return True if e.name == name else None
    if isinstance(e, Binary) and e.op in LOGICAL:
        found = _sought(e.left, name)
        # A call on the right would happen only sometimes.
        return found if found is not None else (None if _sought(e.right, name) is None else False)
    for operand in operands_of(e):
        if (found := _sought(operand, name)) is not None:
            return found
    return False if isinstance(e, SharedRead | NestedCall) else None
