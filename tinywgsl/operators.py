"""The operators of WGSL: precedence, types, and arithmetic on integers without a suffix.

Calls are statements in TinyWGSL: reading an expression puts its calls into `out`, in the order of evaluation, together
with what must be evaluated before them. See the table in `parser`.
"""

from typing import NoReturn

from wgsl_fuzz.tinywgsl.ast import Assign, Binary, Expr, If, Literal, Stmt, Type, Unary
from wgsl_fuzz.tinywgsl.constants import const_value, refusals
from wgsl_fuzz.tinywgsl.lexer import I64_MAX
from wgsl_fuzz.tinywgsl.surface import MAX_OPERATORS, Surface, Value, depth
from wgsl_fuzz.tinywgsl.values import I32_MAX, I32_MIN, U32_MAX, binary

U32, I32, BOOL = Type.U32, Type.I32, Type.BOOL

AND, OR, COMPARE, SHIFT, ADD, MULTIPLY, BIT_AND, BIT_OR, BIT_XOR = range(9)
KINDS: dict[str, int] = {
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), COMPARE),
    **dict.fromkeys(("<<", ">>"), SHIFT),
    **dict.fromkeys("+-", ADD),
    **dict.fromkeys("*/%", MULTIPLY),
    **{"&&": AND, "||": OR, "&": BIT_AND, "|": BIT_OR, "^": BIT_XOR},
}
ORDERED = frozenset({"<", "<=", ">", ">="})

PUSH, REDUCE = range(2)
_WHAT_FOLLOWS: dict[int, dict[int, int]] = {
    AND: dict.fromkeys((COMPARE, SHIFT, ADD, MULTIPLY), PUSH) | {AND: REDUCE},
    OR: dict.fromkeys((COMPARE, SHIFT, ADD, MULTIPLY), PUSH) | {OR: REDUCE},
    COMPARE: dict.fromkeys((SHIFT, ADD, MULTIPLY), PUSH) | dict.fromkeys((AND, OR), REDUCE),
    SHIFT: dict.fromkeys((AND, OR, COMPARE), REDUCE),
    ADD: dict.fromkeys((AND, OR, COMPARE, ADD), REDUCE) | {MULTIPLY: PUSH},
    MULTIPLY: dict.fromkeys((AND, OR, COMPARE, ADD, MULTIPLY), REDUCE),
    BIT_AND: {BIT_AND: REDUCE},
    BIT_OR: {BIT_OR: REDUCE},
    BIT_XOR: {BIT_XOR: REDUCE},
}
"""What op2 does after `a op1 b`: takes b (PUSH), takes `a op1 b` (REDUCE), or needs parentheses (missing)."""

Pending = tuple[str, int, Value, Type | None, int, int]
"""An operator that waits for its right side: the operator, its kind, left side and type, `len(out)`, its token."""


class OperatorParser(Surface):
    """Reads whole expressions. Each method reads from the cursor and leaves the type in `self.type`."""

    def whole(self) -> Value:
        """An expression that stands in no other."""
        start = self.pos
        value = self.expression()
        if self.pos - start > MAX_OPERATORS and not isinstance(value, int):
            self.measure(value, start)
        return value

    def typed(self, type: Type) -> Expr:
        """A whole expression of the given type."""
        start = self.pos
        value = self.whole()
        return self.as_type(value, type, start) if self.type is not type else value  # type: ignore[return-value]

    def as_type(self, value: Value, type: Type, index: int) -> Expr:
        """`value`, read last at token `index`, if it has the type or is a number that converts to it."""
        if isinstance(value, int):
            value = self.concrete(value, type, index)
        elif self.type is not type:
            found = "an integer" if self.type is None else self.type.value
            self.fail(f"expected {type.value}, found {found}", index)
        self.type = type
        return value

    def concrete(self, value: int, type: Type, index: int) -> Literal:
        """An AbstractInt as a literal of a type."""
        if type is BOOL:
            self.fail("expected bool, found an integer", index)
        low, high = (0, U32_MAX) if type is U32 else (I32_MIN, I32_MAX)
        if not low <= value <= high:
            self.fail(f"{value} does not fit {type.value}", index)
        self.type = type
        return Literal(value, type)

    def constant(self) -> Literal | int:
        """A whole const-expression, evaluated."""
        start, before = self.pos, len(self.out)
        value = self.whole()
        if isinstance(value, (int, Literal)):
            return value
        result = const_value(value) if len(self.out) == before else None
        if result is None or self.type is None:
            self.fail("not a const-expression", start)
        if why := refusals(value, {}):
            self.fail(why[0], start)
        return Literal(result, self.type)

    # -------------------------------------------------------------------------------------- operators, precedence

    def expression(self) -> Value:
        self.operators_open += 1
        if self.operators_open > MAX_OPERATORS:
            self.too_deep()
        value = self.unary()
        if self.tokens[self.pos] in KINDS:
            value = self.binary(value)
        self.operators_open -= 1
        return value

    def too_deep(self) -> NoReturn:
        self.fail(f"more than {MAX_OPERATORS} nested operators")

    def binary(self, left: Value) -> Value:
        """The rest of an expression whose first operand has been read."""
        tokens = self.tokens
        waiting: list[Pending] = []
        outer: list[list[Stmt]] = []
        while (kind := KINDS.get(op := tokens[self.pos])) is not None:
            while waiting:
                action = _WHAT_FOLLOWS[waiting[-1][1]].get(kind)
                if action is None:
                    self.needs_parentheses(waiting[-1], op)
                if action == PUSH:
                    break
                left = self.reduce(waiting.pop(), left, outer)
            waiting.append((op, kind, left, self.type, len(self.out), self.pos))
            if kind <= OR:  # the calls of the right side happen only if the right side is evaluated
                outer.append(self.out)
                self.out = []
            self.pos += 1
            left = self.unary()
        while waiting:
            left = self.reduce(waiting.pop(), left, outer)
        return left

    def needs_parentheses(self, before: Pending, op: str) -> NoReturn:
        if KINDS[op] == before[1] == COMPARE:
            self.fail("comparisons cannot be chained")
        self.fail(f"mixing {before[0]} and {op} needs parentheses")

    def reduce(self, pending: Pending, right: Value, outer: list[list[Stmt]]) -> Value:
        """`left op right`, after both have been read."""
        op, kind, left, left_type, before, index = pending
        if kind <= OR:
            if isinstance(left, int) or isinstance(right, int) or left_type is not BOOL or self.type is not BOOL:
                self.mismatch(op, left_type, self.type, index)
            return self.short_circuit(op, left, right, outer.pop())
        right_type = self.type
        if len(self.out) != before and left_type is not None and not isinstance(left, int):
            left = self.keep(left, left_type, before)
        if left_type is right_type is not None and kind != SHIFT:
            return self.combine(op, kind, left, right, index)
        return self.unlike(op, kind, left, left_type, right, right_type, index)

    def combine(self, op: str, kind: int, left: Value, right: Value, index: int) -> Expr:
        """`left op right` for two operands of the type in `self.type`."""
        if self.type is BOOL:
            if not (kind in (BIT_AND, BIT_OR) or (kind == COMPARE and op not in ORDERED)):
                self.mismatch(op, BOOL, BOOL, index)
        elif kind == COMPARE:
            self.type = BOOL
        return Binary(op, left, right)  # type: ignore[arg-type]

    def unlike(
        self, op: str, kind: int, left: Value, left_type: Type | None, right: Value, right_type: Type | None, index: int
    ) -> Value:
        """`left op right` where a number must take the other's type, where both are numbers, and for shifts."""
        if kind == SHIFT:
            if isinstance(left, int) and not isinstance(right, int) and right_type is U32:
                amount = const_value(right) if depth(right) <= MAX_OPERATORS else None
                right = right if amount is None else amount
            if isinstance(left, int) and not isinstance(right, int):
                left, left_type = self.concrete(left, I32, index), I32
            if not isinstance(left, int):
                right = self.concrete(right, U32, index) if isinstance(right, int) else right
                if left_type is BOOL or (right_type or U32) is not U32:
                    self.mismatch(op, left_type, right_type, index)
                self.type = left_type
                return Binary(op, left, right)
        if isinstance(left, int) and isinstance(right, int):
            return self.fold(op, kind, left, right, index)
        if isinstance(left, int) and right_type is not None and right_type is not BOOL:
            left = self.concrete(left, right_type, index)
        elif isinstance(right, int) and left_type is not None and left_type is not BOOL:
            right = self.concrete(right, left_type, index)
        else:
            self.mismatch(op, left_type, right_type, index)
        return self.combine(op, kind, left, right, index)

    def mismatch(self, op: str, left: Type | None, right: Type | None, index: int) -> NoReturn:
        names = [t.value if t else "an integer" for t in (left, right)]
        self.fail(f"{op} does not take {names[0]} and {names[1]}", index)

    def fold(self, op: str, kind: int, a: int, b: int, index: int) -> Value:
        """`a op b` on AbstractInts: exact, in 64 bits."""
        self.type = None
        if kind == COMPARE:
            self.type = BOOL
            return Literal(binary(op, a, b, I32), BOOL)
        if op in "/%" and b == 0:
            self.fail("constant divisor of zero", index)
        if kind == SHIFT and not 0 <= b < 64:
            self.fail("constant shift by 64 or more", index)
        return self.in_64_bits(_exact(op, a, b), index)

    def in_64_bits(self, value: int, index: int) -> int:
        if not -I64_MAX - 1 <= value <= I64_MAX:
            self.fail(f"{value} does not fit a 64-bit integer", index)
        return value

    def short_circuit(self, op: str, left: Expr, right: Expr, outer: list[Stmt]) -> Expr:
        """`left && right`; if the right side calls: `t = left; if (t) { t = right; }`, and `t` is the value."""
        if not self.out:
            self.out = outer
            return Binary(op, left, right)
        call = self.take_call(right)
        self.measure(left, self.pos)
        result = self.temporary(BOOL)
        self.put(result.name, right, call)
        outer.append(Assign(result.name, left))
        outer.append(If(result if op == "&&" else Unary("!", result), tuple(self.out), ()))
        self.out = outer
        return result

    def unary(self) -> Value:
        """An operand with its prefix operators."""
        raise NotImplementedError


def _exact(op: str, a: int, b: int) -> int:
    match op:
        case "/" | "%":
            quotient = abs(a) // abs(b)
            quotient = quotient if (a < 0) == (b < 0) else -quotient
            return quotient if op == "/" else a - b * quotient
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "<<":
            return a << b
        case ">>":
            return a >> b
        case "&":
            return a & b
        case "|":
            return a | b
        case _:
            return a ^ b
