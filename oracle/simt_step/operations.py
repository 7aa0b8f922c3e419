"""What the operations of instructions compute: local ones, atomic updates, and those of a subgroup."""

from collections.abc import Callable, Mapping
from functools import partial

from wgsl_fuzz.tinywgsl import functions
from wgsl_fuzz.tinywgsl.ast import Type
from wgsl_fuzz.tinywgsl.values import binary, convert, unary


def _typed(op: str, type: Type, a: int, b: int | None = None) -> int:
    return int(unary(op, a, type) if b is None else binary(op, a, b, type))


_OPERATORS = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")
_RELATIONS = ("==", "!=", "<", "<=", ">", ">=", "&&", "||", "!", "~")

LOCAL: Mapping[str, Callable[..., int]] = {
    "copy": lambda a: a,
    "not": lambda a: int(not a),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "%": lambda a, b: a % b if b else 0,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "and": lambda a, b: int(bool(a) and bool(b)),
    "or": lambda a, b: int(bool(a) or bool(b)),
    **{f"{t.value} {op}": partial(_typed, op, t) for t in Type for op in (*_OPERATORS, *_RELATIONS, *functions.BINARY)},
    **{f"{t.value} {op}": partial(_typed, op, t) for t in Type for op in functions.UNARY},
    **{f"to {t.value}": partial(lambda t, a: int(convert(a, t)), t) for t in Type},
}
"""`Exec` of section 4.1: the register's new value from the operands. `u32 +` is the operator of WGSL for that type."""

ATOMIC: Mapping[str, Callable[[int, int], int]] = {
    "add": lambda old, v: old + v,
    "max": max,
    "exchange": lambda _, v: v,
}
"""What an atomic update leaves in the cell."""

SUBGROUP: Mapping[str, Callable[[Mapping[int, int], int], Mapping[int, int]]] = {
    "add": lambda values, _: dict.fromkeys(values, sum(values.values())),
    "all": lambda values, _: dict.fromkeys(values, int(all(values.values()))),
    "any": lambda values, _: dict.fromkeys(values, int(any(values.values()))),
    "all_equal": lambda values, _: dict.fromkeys(values, int(len(set(values.values())) == 1)),
    "ballot": lambda values, _: dict.fromkeys(values, sum(1 << lane for lane, v in values.items() if v)),
    "broadcast": lambda values, lane: dict.fromkeys(values, values.get(lane, 0)),
    "elect": lambda values, _: {lane: int(lane == min(values)) for lane in values},
    "barrier": lambda values, _: dict.fromkeys(values, 0),
}
"""`ExecSG` of section 4.1: from the values of the active lanes to their results.

The number is the lane of a broadcast. The paper does not say what the value of a lane that is not active is: it is 0.
"""
