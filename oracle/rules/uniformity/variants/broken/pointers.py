"""Broken variants of what the analysis asks about pointers and references (7.3, 15.2.4, 15.2.5)."""

from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.variants.broken.rows import (
    EITHER,
    LAXER,
    STRICTER,
    changed_meaning,
)
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import (
    Call,
    Expression,
    Identifier,
    Index,
    Let,
    Member,
    Unary,
)

R = Resolution


def _base(e: Expression, kind: type) -> Expression:
    """Without what stands behind it, `&` and `*`."""
    while True:
        if isinstance(e, Unary) and e.operator in "&*":
            e = e.operand
        elif isinstance(e, kind) and isinstance(e, Index | Member):
            e = e.base
        else:
            return e


def _is_let(resolution: Resolution, e: Expression) -> bool:
    e = _base(e, Index)
    return isinstance(e, Identifier) and isinstance(resolution.declaration(e), Let)


POINTER_VARIANTS: tuple[Variant, ...] = (
    changed_meaning(
        "pointer/full/members",
        "e.name is partial, even the only member",
        LAXER,
        R.is_full,
        lambda is_full, self, expression: is_full(_base(expression, Member)),
    ),
    changed_meaning(
        "pointer/full/elements",
        "e2[e1] is partial, even the only element",
        LAXER,
        R.is_full,
        lambda is_full, self, expression: is_full(_base(expression, Index)),
    ),
    changed_meaning(
        "pointer/full/lets-always",
        "a let of a partial pointer is partial",
        LAXER,
        R.is_full,
        lambda is_full, self, expression: is_full(expression) or _is_let(self, _base(expression, Unary)),
    ),
    changed_meaning(
        "pointer/full/lets-never",
        "a let of a full pointer is full",
        STRICTER,
        R.is_full,
        lambda is_full, self, expression: is_full(expression) and not _is_let(self, _base(expression, Unary)),
    ),
    changed_meaning(
        "pointer/full/names-only",
        "*p of a full pointer, &r of a full reference are full",
        STRICTER,
        R.is_full,
        lambda is_full, self, expression: is_full(expression) and isinstance(expression, Identifier),
    ),
    changed_meaning(
        "pointer/is-pointer/not-lets",
        "a let of a pointer is a pointer",
        EITHER,
        R.is_pointer,
        lambda is_pointer, self, expression: is_pointer(expression) and not _is_let(self, expression),
    ),
    changed_meaning(
        "pointer/is-pointer/not-parameters",
        "a pointer parameter is a pointer",
        EITHER,
        R.is_pointer,
        lambda is_pointer, self, expression: (
            is_pointer(expression) and (not isinstance(expression, Identifier) or _is_let(self, expression))
        ),
    ),
    changed_meaning(
        "pointer/is-pointer/not-views",
        "a view of a buffer is a pointer",
        EITHER,
        R.is_pointer,
        lambda is_pointer, self, expression: is_pointer(expression) and not isinstance(expression, Call),
    ),
)
