"""What lowering a function has put out so far: statements, locals, IDs."""

from wgsl_fuzz.tinywgsl.ast import Assign, Call, Expr, Local, SharedRead, Stmt, Type, Variable, operands_of
from wgsl_fuzz.wgsl.lower_names import NameTable, Value
from wgsl_fuzz.wgsl.lower_operators import check_depth
from wgsl_fuzz.wgsl.syntax import Node


class Output:
    """The statements of the innermost block: expressions put their calls here. IDs count through the whole shader."""

    def __init__(self, names: NameTable) -> None:
        self.statements: list[Stmt] = []
        self.locals: list[Variable] = []
        self._names = names
        self._ids = 0
        self._temporaries = 0
        self._called: Local | None = None
        """The local that took the result of the last call."""

    def new_id(self) -> int:
        """The next ID (restriction 4)."""
        self._ids += 1
        return self._ids

    def open(self) -> list[Stmt]:
        """Begins a block; returns the one around it, which `close` needs."""
        outer, self.statements = self.statements, []
        return outer

    def close(self, outer: list[Stmt]) -> tuple[Stmt, ...]:
        """Ends a block; returns its statements."""
        inner, self.statements = self.statements, outer
        return tuple(inner)

    def temporary(self, type: Type) -> Local:
        """A fresh local, `t1`, `t2`, ... ."""
        name, self._temporaries = self._names.invent("t", self._temporaries + 1, "")
        self.locals.append(Variable(name, type))
        return Local(name, type)

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
        self._names.taken.discard(call.name)
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
