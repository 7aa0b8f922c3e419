"""Literals of WGSL (3.5 #literals)."""

import re
from functools import lru_cache

from wgsl_fuzz.oracle.dynamics.modules.operations import FALSE, TRUE, u32
from wgsl_fuzz.oracle.dynamics.modules.places import Value
from wgsl_fuzz.oracle.dynamics.modules.types import BOOL, F32, FLOAT, I32, INT, U32, Scalar
from wgsl_fuzz.tinywgsl.ast import Literal, Type
from wgsl_fuzz.tinywgsl.functions import bits_of

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)([iu]?)")


@lru_cache(maxsize=4096)
def literal(text: str) -> Value:
    """The value of a literal as it is written."""
    if text in ("true", "false"):
        return Value(BOOL, (TRUE if text == "true" else FALSE,))
    found = _INTEGER.fullmatch(text)
    if found is not None:
        number = int(found[1], 0) if found[1][:2] in ("0x", "0X") else int(found[1])
        type = {"u": U32, "i": I32, "": INT}[found[2]]
        return Value(type, (Literal(number, type.core),))
    suffix = text[-1] if text[-1] in "fh" and not _is_hex_digit(text) else ""
    real = _real(text[: len(text) - len(suffix)])
    if not suffix:
        return Value(FLOAT, (Literal(real, Type.I32),))  # type: ignore[arg-type]
    scalar = F32 if suffix == "f" else Scalar("f16")
    return Value(scalar, (u32(bits_of(real, scalar.name)),))


def _is_hex_digit(text: str) -> bool:
    """Whether the last letter belongs to a hexadecimal number: `0x1.f`, but not `0x1p3f`."""
    return text[:2].lower() == "0x" and "p" not in text.lower()


def _real(text: str) -> float:
    if text[:2].lower() == "0x":
        return float.fromhex(text)
    return float(text)
