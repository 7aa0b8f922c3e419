"""Broken variants of what the analysis asks about pointers and references (7.3, 15.2.4, 15.2.5)."""

from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.variants.broken import rows
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.resolution import Resolution

R = Resolution


def _base(e: w.Expression, kind: type) -> w.Expression:
    """Without what stands behind it, `&` and `*`."""
    while True:
        if isinstance(e, w.Unary) and e.operator in "&*":
            e = e.operand
        elif isinstance(e, kind) and isinstance(e, w.Index | w.Member):
            e = e.base
        else:
            return e


def _is_let(resolution: Resolution, e: w.Expression) -> bool:
    e = _base(e, w.Index)
    return isinstance(e, w.Identifier) and isinstance(resolution.declaration(e), w.Let)


POINTER_VARIANTS: tuple[Variant, ...] = (
    rows.changed_meaning(
        "pointer/full/members",
        "e.name is partial, even the only member",
        rows.LAXER,
        R.is_full,
        lambda is_full, self, expression: is_full(_base(expression, w.Member)),
    ),
    rows.changed_meaning(
        "pointer/full/elements",
        "e2[e1] is partial, even the only element",
        rows.LAXER,
        R.is_full,
        lambda is_full, self, expression: is_full(_base(expression, w.Index)),
    ),
    rows.changed_meaning(
        "pointer/full/lets-always",
        "a let of a partial pointer is partial",
        rows.LAXER,
        R.is_full,
        lambda is_full, self, expression: is_full(expression) or _is_let(self, _base(expression, w.Unary)),
    ),
    rows.changed_meaning(
        "pointer/full/lets-never",
        "a let of a full pointer is full",
        rows.STRICTER,
        R.is_full,
        lambda is_full, self, expression: is_full(expression) and not _is_let(self, _base(expression, w.Unary)),
    ),
    rows.changed_meaning(
        "pointer/full/names-only",
        "*p of a full pointer, &r of a full reference are full",
        rows.STRICTER,
        R.is_full,
        lambda is_full, self, expression: is_full(expression) and isinstance(expression, w.Identifier),
    ),
    rows.changed_meaning(
        "pointer/is-pointer/not-lets",
        "a let of a pointer is a pointer",
        rows.EITHER,
        R.is_pointer,
        lambda is_pointer, self, expression: is_pointer(expression) and not _is_let(self, expression),
    ),
    rows.changed_meaning(
        "pointer/is-pointer/not-parameters",
        "a pointer parameter is a pointer",
        rows.EITHER,
        R.is_pointer,
        lambda is_pointer, self, expression: (
            is_pointer(expression) and (not isinstance(expression, w.Identifier) or _is_let(self, expression))
        ),
    ),
    rows.changed_meaning(
        "pointer/is-pointer/not-views",
        "a view of a buffer is a pointer",
        rows.EITHER,
        R.is_pointer,
        lambda is_pointer, self, expression: is_pointer(expression) and not isinstance(expression, w.Call),
    ),
)
