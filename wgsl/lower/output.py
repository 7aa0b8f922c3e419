"""What lowering has put out so far: statements, locals, names and IDs of TinyWGSL.

Names differ from those of the text only where restriction (2) or WGSL's own names demand it: then a suffix `_1`, `_2`,
... is added.
"""

from wgsl_fuzz.tinywgsl.ast import Assign, Call, Expr, Local, SharedRead, Stmt, Type, Variable, operands_of
from wgsl_fuzz.wgsl.builtins import TYPES
from wgsl_fuzz.wgsl.lower.operators import Value, check_depth
from wgsl_fuzz.wgsl.syntax import Node

HIDING = TYPES | {"workgroupBarrier"}
"""Names that a text may declare, but not the core: the printer means WGSL's own by them."""
HIDING_IN_MODULE = HIDING | {"storage", "workgroup", "read_write"}
"""Names that the core may not declare at module scope: there they would hide address spaces, too."""


class Output:
    """The statements of the innermost block: expressions put their calls here. IDs count through the whole shader."""

    def __init__(self, words: set[str]) -> None:
        """`words` are the names that the text declares."""
        self.statements: list[Stmt] = []
        self.locals: list[Variable] = []
        self.texts: dict[str, str] = {}
        """What the text calls a local, an array, or the element `A[0]` that a scalar has become."""
        self._ids = 0
        self._temporaries = 0
        self._called: Local | None = None
        """The local that took the result of the last call."""
        self._taken = {"lid", "main"}
        """The names that TinyWGSL has already."""
        self._words = words

    # --------------------------------------------------------------------------------------------------- names and IDs

    def new_id(self) -> int:
        """The next ID (restriction 4)."""
        self._ids += 1
        return self._ids

    def name(self, name: str, hiding: frozenset[str] = HIDING) -> str:
        """TinyWGSL's name for a name of the text: the same unless it is taken or hides a name of WGSL."""
        if name not in self._taken and name not in hiding:
            self._taken.add(name)
            return name
        return self._invent(name, 1)[0]

    def forget(self, name: str) -> None:
        """Frees the name of a local that is not declared after all."""
        self._taken.discard(name)
        del self.texts[name]

    def local(self, name: str, type: Type) -> Local:
        """TinyWGSL's local for one of the text; it is not declared yet."""
        node = Local(self.name(name), type)
        self.texts[node.name] = name
        return node

    def _invent(self, stem: str, count: int, separator: str = "_") -> tuple[str, int]:
        """The first of `stem_1`, `stem_2`, ... that no text declares, from this count on, and its count."""
        while (name := f"{stem}{separator}{count}") in self._taken or name in self._words or name in HIDING:
            count += 1
        self._taken.add(name)
        return name, count

    def temporary(self, type: Type) -> Local:
        """A fresh local, `t1`, `t2`, ... ."""
        name, self._temporaries = self._invent("t", self._temporaries + 1, "")
        self.locals.append(Variable(name, type))
        return Local(name, type)

    # ------------------------------------------------------------------------------------------------------ statements

    def open(self) -> list[Stmt]:
        """Begins a block; returns the one around it, which `close` needs."""
        outer, self.statements = self.statements, []
        return outer

    def close(self, outer: list[Stmt]) -> tuple[Stmt, ...]:
        """Ends a block; returns its statements."""
        inner, self.statements = self.statements, outer
        return tuple(inner)

    def call(self, function: str, result: Type, arguments: tuple[Expr, ...]) -> Local:
        """Puts a call; returns the local that takes its result."""
        taker = self.temporary(result)
        self.statements.append(Call(self.new_id(), taker.name, function, arguments))
        self._called = taker
        return taker

    def take_call(self, value: Value) -> Call | None:
        """If `value` is exactly the result of the last call, takes that call back: it can assign elsewhere."""
        if value is not self._called or self._called is None:
            return None
        call = self.statements.pop()
        assert isinstance(call, Call)
        self.locals.pop()
        self._taken.discard(call.name)
        self._temporaries = int(call.name[1:]) - 1
        return call

    def put(self, name: str, value: Expr, call: Call | None) -> None:
        """`name = value`, where `call` is what `take_call` gave for the value."""
        self.statements.append(
            Assign(name, value) if call is None else Call(call.id, name, call.function, call.arguments)
        )

    def keep(self, value: Expr, type: Type, index: int, at: Node) -> Expr:
        """`value` for use after a call that was put at `index` or later: what reads shared memory is read before it.

        Raises LoweringProblem at `at` for a value that is too deep.
        """
        if not _reads_shared(value):
            return value
        check_depth(value, at)
        kept = self.temporary(type)
        self.statements.insert(index, Assign(kept.name, value))
        return kept


def _reads_shared(e: Expr) -> bool:
    """Whether shared memory is read in `e`. Not recursive: `e` may not have been measured yet."""
    todo = [e]
    while todo:
        e = todo.pop()
        if isinstance(e, SharedRead):
            return True
        todo += operands_of(e)
    return False
