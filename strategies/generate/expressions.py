"""How expressions are drawn: well typed, and never refused by a compiler that evaluates their constants."""

from functools import lru_cache

from wgsl_fuzz.strategies.choices.profile import Profile
from wgsl_fuzz.strategies.choices.source import Source, Table
from wgsl_fuzz.tinywgsl.ast import (
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
from wgsl_fuzz.tinywgsl.constants import refusal

_EXPRESSION = 11  # span label

_U32, _I32, _BOOL = Type.U32, Type.I32, Type.BOOL  # members are slow to look up, and slower to hash
_OTHERS = {t.value: [other for other in Type if other is not t] for t in Type}
_OTHER_THAN_U32, _OTHER_THAN_I32 = _OTHERS["u32"], _OTHERS["i32"]

_U32_LITERALS = Table(
    [(0, 8), (1, 8), (2, 5), (3, 3), (4, 2), (5, 1), (7, 1), (8, 1), (2**31, 1), (2**32 - 1, 1)],
)
_I32_LITERALS = Table([(0, 8), (1, 8), (2, 4), (-1, 4), (3, 2), (-2, 1), (7, 1), (2**31 - 1, 1), (-(2**31), 1)])
_BOOL_LITERALS: Table[int] = Table([(False, 1), (True, 1)])
_U32_OPERATORS = Table(
    [("+", 8), ("-", 4), ("*", 2), ("&", 2), ("|", 1), ("^", 1), ("%", 2), ("/", 1), (">>", 1), ("<<", 1)]
)
_I32_OPERATORS = Table(
    [("+", 8), ("-", 4), ("*", 2), ("&", 1), ("|", 1), ("^", 1), ("%", 1), ("/", 1), (">>", 1), ("<<", 1)]
)
ORDER = Table([("==", 4), ("<", 4), ("!=", 2), (">=", 3), (">", 1), ("<=", 1)])
_CONNECTIVES = Table([("&&", 3), ("||", 3), ("==", 1), ("!=", 1), ("&", 1), ("|", 1)])


@lru_cache(maxsize=4096)
def _leaf_table(literal: int, local: int, shared: int, lid: int) -> Table[str]:
    return Table([("literal", literal), ("local", local), ("shared", shared), ("lid", lid)])


class _OfType:
    """What can be read of one type where the drawer stands, and the tables of its leaves."""

    __slots__ = ("arrays", "in_condition", "literals", "table", "variables")

    def __init__(self, literals: Table[int]) -> None:
        self.literals = literals
        self.variables: list[Variable] = []
        self.arrays: list[SharedArray] = []
        self.table = self.in_condition = _leaf_table(1, 0, 0, 0)


class ExpressionDrawer:
    """Draws expressions over the variables and arrays in scope; `dose` scales the sources of non-uniformity (0-100)."""

    def __init__(self, source: Source, arrays: tuple[SharedArray, ...], profile: Profile, dose: int) -> None:
        self.source = source
        racy = profile.racy
        self.writable = arrays if racy else arrays[:1]
        """The arrays that may be written where the scope has them."""
        self._own = frozenset() if racy else frozenset(a.name for a in self.writable)
        self.variables: list[Variable] = []
        self.lid = False
        self.used: set[str] = set()
        """The names of all variables, arrays and called functions that occur so far."""
        self._u32, self._i32, self._bool = _OfType(_U32_LITERALS), _OfType(_I32_LITERALS), _OfType(_BOOL_LITERALS)
        self._of_types = self._u32, self._i32, self._bool
        shared = [a for a in arrays if a.name not in self._own]
        self._arrays = [[[a for a in visible if a.type is type] for type in Type] for visible in (shared, arrays)]
        """What can be read of each type without `lid`, and with it."""
        self._leaf_tables: dict[tuple[bool, bool, bool], tuple[Table[str], Table[str]]] = {}
        self._operators, self._masks = profile.operators, profile.masks
        weight = dict(profile.leaves)
        self._literal, self._local = weight["literal"], weight["local"]
        self._doses = dose, dose * profile.condition_dose // 100
        self._shared, self._lid = weight["shared"], weight["lid"]
        self._in_condition = False

    def scope(self, variables: list[Variable], *, lid: bool) -> None:
        """Says which variables can be read from now on, and whether `lid` can."""
        self.variables = variables
        self.lid = lid
        for of, of_lid in zip(self._of_types, self._arrays[lid]):
            of.variables = []
            of.arrays = of_lid
        for v in variables:
            self.of_type(v.type).variables.append(v)
        for of in self._of_types:
            key = (of is not self._bool and lid, bool(of.variables), bool(of.arrays))
            tables = self._leaf_tables.get(key)
            if tables is None:
                tables = self._leaf_tables[key] = self._tables(*key)
            of.table, of.in_condition = tables

    def declare(self, variable: Variable) -> None:
        """Brings another variable into the scope."""
        self.scope([*self.variables, variable], lid=self.lid)

    def _tables(self, lid: bool, variables: bool, arrays: bool) -> tuple[Table[str], Table[str]]:
        """The leaves of a type anywhere and in a condition, by what of it there is."""
        anywhere, in_condition = [
            _leaf_table(
                self._literal,
                self._local if variables else 0,
                -(-self._shared * dose // 100) if arrays else 0,
                -(-self._lid * dose // 100) if lid else 0,
            )
            for dose in self._doses
        ]
        return anywhere, in_condition

    def of_type(self, type: Type) -> _OfType:
        """What can be read of `type`."""
        return self._u32 if type is _U32 else self._i32 if type is _I32 else self._bool

    def expr(self, type: Type, depth: int) -> Expr:
        """An expression of `type` with at most `depth` operators on a path."""
        source = self.source
        source.begin(_EXPRESSION)
        if depth <= 0 or not source.percent(self._operators):
            e = self.leaf(type)
        elif type is _BOOL:
            e = self.comparison(depth)
        else:
            e = self.arithmetic(type, depth)
        source.end()
        return e

    def condition(self, depth: int) -> Expr:
        """What an `if` asks: a bool, with less of the sources of non-uniformity if the profile says so."""
        self._in_condition = True
        e = self.expr(_BOOL, depth)
        self._in_condition = False
        return e

    def guard(self, v: Variable) -> Expr:
        """A condition that depends on nothing but `v`."""
        self.used.add(v.name)
        read = Local(v.name, v.type)
        if v.type is _BOOL:
            return read
        op = self.source.weighted(ORDER)
        return Binary(op, read, Literal(self.source.weighted(self.of_type(v.type).literals), v.type))

    def carried(self, type: Type) -> Expr | None:
        """A source of non-uniformity of `type`, if there is one in scope."""
        arrays = self.of_type(type).arrays
        if self.lid and type is not _BOOL and not (arrays and self.source.percent(30)):
            return Lid() if type is _U32 else Convert(type, Lid())
        return self.shared_read(arrays, type) if arrays else None

    def varying(self) -> Expr | None:
        """A condition on a source of non-uniformity as it is, if there is one in scope."""
        e: Expr | None = None
        types = [_U32] if self.lid else [t for t in Type if self.of_type(t).arrays]
        if not types or (e := self.carried(type := self.source.pick(types))) is None or type is _BOOL:
            return e
        literal = Literal(self.source.weighted(self.of_type(type).literals), type)
        return Binary(self.source.weighted(ORDER), e, literal)

    def leaf(self, type: Type) -> Expr:
        """A literal, a variable, a shared read or `lid`."""
        of = self._u32 if type is _U32 else self._i32 if type is _I32 else self._bool
        kind = self.source.weighted(of.in_condition if self._in_condition else of.table)
        if kind == "local":
            name = self.source.pick(of.variables).name
            self.used.add(name)
            return Local(name, type)
        if kind == "literal":
            return Literal(self.source.weighted(of.literals), type)
        if kind == "lid":
            return Lid() if type is _U32 else Convert(type, Lid())
        return self.shared_read(of.arrays, type)

    def shared_read(self, arrays: list[SharedArray], type: Type) -> Expr:
        """`A[e]` for one of `arrays`, all of `type`."""
        array = self.source.pick(arrays)
        self.used.add(array.name)
        return SharedRead(array.name, self.index(array), type)

    def index(self, array: SharedArray) -> Expr:
        """An index in bounds: a literal, or anything masked; sizes are powers of two. Own cells are those at `lid`."""
        if array.name in self._own:
            return Lid()
        if not self.source.percent(self._masks):
            return Literal(self.source.integer(0, array.size - 1), _U32)
        return Binary("&", self.expr(_U32, 1), Literal(array.size - 1, _U32))

    def arithmetic(self, type: Type, depth: int) -> Expr:
        """An operation whose result is a u32 or an i32."""
        shape = self.source.integer(0, 9)
        if shape == 8:
            operand = self.source.pick(_OTHER_THAN_U32 if type is _U32 else _OTHER_THAN_I32)
            return Convert(type, self.expr(operand, depth - 1))
        if shape == 9:
            op = "-" if type is _I32 and self.source.percent(50) else "~"
            return Unary(op, self.expr(type, depth - 1))
        op = self.source.weighted(_U32_OPERATORS if type is _U32 else _I32_OPERATORS)
        left = self.expr(type, depth - 1)
        if op in ("+", "-", "*", "&", "|", "^"):
            return Binary(op, left, self.expr(type, depth - 1))
        return mended(Binary(op, left, self.expr(type if op in ("/", "%") else _U32, depth - 1)))

    def comparison(self, depth: int) -> Expr:
        """An operation whose result is a bool: mostly a comparison, as programs have it."""
        shape = self.source.integer(0, 9) if depth > 1 else self.source.integer(0, 6)
        if shape <= 6:
            type = _I32 if shape == 6 else _U32
            op = self.source.weighted(ORDER)
            return Binary(op, self.expr(type, depth - 1), self.expr(type, depth - 1))
        if shape == 7:
            return Unary("!", self.expr(_BOOL, depth - 1))
        op = self.source.weighted(_CONNECTIVES)
        return Binary(op, self.expr(_BOOL, depth - 1), self.expr(_BOOL, depth - 1))


def mended(e: Binary) -> Binary:
    """`e`, or its next of kin that a compiler does not refuse: repaired, not filtered away."""
    if refusal(e) is None:
        return e
    if e.op in ("/", "%"):
        return Binary("+", e.left, e.right)
    return Binary(">>", e.left, Binary("&", e.right, Literal(31, _U32)))
