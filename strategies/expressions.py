"""How expressions are drawn: well typed, and never refused by a compiler that evaluates their constants."""

from functools import lru_cache

from strategies.profile import Weights
from strategies.source import Source, Table
from tinywgsl.ast import (
    Binary,
    Convert,
    Expr,
    Lid,
    Literal,
    Local,
    SharedArray,
    SharedRead,
    Type,
    Unary,
    Variable,
)
from tinywgsl.constants import refusal

_EXPRESSION = 11  # span label

_LITERALS: dict[Type, Table[int]] = {
    Type.U32: Table([(0, 8), (1, 8), (2, 5), (3, 3), (4, 2), (5, 1), (7, 1), (8, 1), (2**31, 1), (2**32 - 1, 1)]),
    Type.I32: Table([(0, 8), (1, 8), (2, 4), (-1, 4), (3, 2), (-2, 1), (7, 1), (2**31 - 1, 1), (-(2**31), 1)]),
    Type.BOOL: Table([(False, 1), (True, 1)]),
}
_OPERATORS = {
    Type.U32: Table(
        [("+", 8), ("-", 4), ("*", 2), ("&", 2), ("|", 1), ("^", 1), ("%", 2), ("/", 1), (">>", 1), ("<<", 1)]
    ),
    Type.I32: Table(
        [("+", 8), ("-", 4), ("*", 2), ("&", 1), ("|", 1), ("^", 1), ("%", 1), ("/", 1), (">>", 1), ("<<", 1)]
    ),
}
_ORDER = Table([("==", 4), ("<", 4), ("!=", 2), (">=", 3), (">", 1), ("<=", 1)])
_CONNECTIVES = Table([("&&", 3), ("||", 3), ("==", 1), ("!=", 1), ("&", 1), ("|", 1)])


@lru_cache(maxsize=1024)
def _leaf_table(literal: int, local: int, shared: int, lid: int) -> Table[str]:
    return Table([("literal", literal), ("local", local), ("shared", shared), ("lid", lid)])


class ExpressionDrawer:
    """Draws expressions over the variables and arrays in scope; `dose` scales the sources of non-uniformity (0-100)."""

    def __init__(
        self, source: Source, arrays: tuple[SharedArray, ...], leaves: Weights, dose: int, *, racy: bool = True
    ) -> None:
        self.source = source
        self.writable = arrays if racy else arrays[:1]
        """The arrays that may be written where the scope has them."""
        self._own = frozenset() if racy else frozenset(a.name for a in self.writable)
        self._all = arrays
        self.variables: dict[Type, list[Variable]] = {}
        self.lid = False
        self.used: set[str] = set()
        """The names of all variables and arrays that occur so far."""
        self._arrays: dict[Type, list[SharedArray]] = {}
        weight = dict(leaves)
        self._literal, self._local = weight["literal"], weight["local"]
        self._shared, self._lid = (-(-weight[name] * dose // 100) for name in ("shared", "lid"))

    def scope(self, variables: list[Variable], *, lid: bool) -> None:
        """Says which variables can be read from now on, and whether `lid` can."""
        self.variables = {t: [v for v in variables if v.type is t] for t in Type}
        self.lid = lid
        visible = [a for a in self._all if lid or a.name not in self._own]
        self._arrays = {t: [a for a in visible if a.type is t] for t in Type}

    def expr(self, type: Type, depth: int) -> Expr:
        """An expression of `type` with at most `depth` operators on a path."""
        source = self.source
        source.begin(_EXPRESSION)
        if depth <= 0 or not source.percent(45):
            e = self.leaf(type)
        elif type is Type.BOOL:
            e = self.condition(depth)
        else:
            e = self.arithmetic(type, depth)
        source.end()
        return e

    def leaf(self, type: Type) -> Expr:
        """A literal, a variable, a shared read or `lid`."""
        variables, arrays = self.variables[type], self._arrays[type]
        table = _leaf_table(
            self._literal,
            self._local if variables else 0,
            self._shared if arrays else 0,
            self._lid if self.lid and type is not Type.BOOL else 0,
        )
        match self.source.weighted(table):
            case "local":
                name = self.source.pick(variables).name
                self.used.add(name)
                return Local(name, type)
            case "shared":
                array = self.source.pick(arrays)
                self.used.add(array.name)
                return SharedRead(array.name, self.index(array), type)
            case "lid":
                return Lid() if type is Type.U32 else Convert(type, Lid())
            case _:
                return Literal(self.source.weighted(_LITERALS[type]), type)

    def index(self, array: SharedArray) -> Expr:
        """An index in bounds: a literal, or anything masked; sizes are powers of two. Own cells are those at `lid`."""
        if array.name in self._own:
            return Lid()
        if not self.source.percent(50):
            return Literal(self.source.integer(0, array.size - 1), Type.U32)
        return Binary("&", self.expr(Type.U32, 1), Literal(array.size - 1, Type.U32))

    def arithmetic(self, type: Type, depth: int) -> Expr:
        """An operation whose result is a u32 or an i32."""
        shape = self.source.integer(0, 9)
        if shape == 8:
            operand = self.source.pick([t for t in Type if t is not type])
            return Convert(type, self.expr(operand, depth - 1))
        if shape == 9:
            op = "-" if type is Type.I32 and self.source.percent(50) else "~"
            return Unary(op, self.expr(type, depth - 1))
        op = self.source.weighted(_OPERATORS[type])
        left = self.expr(type, depth - 1)
        right = self.expr(Type.U32 if op in ("<<", ">>") else type, depth - 1)
        return mended(Binary(op, left, right))

    def condition(self, depth: int) -> Expr:
        """A bool: mostly a comparison, as programs have it."""
        shape = self.source.integer(0, 9) if depth > 1 else self.source.integer(0, 6)
        if shape <= 6:
            type = Type.I32 if shape == 6 else Type.U32
            op = self.source.weighted(_ORDER)
            return Binary(op, self.expr(type, depth - 1), self.expr(type, depth - 1))
        if shape == 7:
            return Unary("!", self.expr(Type.BOOL, depth - 1))
        op = self.source.weighted(_CONNECTIVES)
        return Binary(op, self.expr(Type.BOOL, depth - 1), self.expr(Type.BOOL, depth - 1))


def mended(e: Binary) -> Binary:
    """`e`, or its next of kin that a compiler does not refuse: repaired, not filtered away."""
    if refusal(e) is None:
        return e
    if e.op in ("/", "%"):
        return Binary("+", e.left, e.right)
    return Binary(">>", e.left, Binary("&", e.right, Literal(31, Type.U32)))
