"""Texts with known answers: a compiler that gets one wrong is not what it is taken for."""

from collections.abc import Callable, Sequence

from wgsl_fuzz.oracle.verdict import Answer, Verdict

_HEAD = "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) lid: u32) "

VALID = _HEAD + "{ var x = lid; x = x + 1u; }\n"
"""Accepted by every WGSL compiler."""

BROKEN = _HEAD + "{ var x = ; }\n"
"""A syntax error."""

NON_UNIFORM = _HEAD + "{ if (lid == 0u) { workgroupBarrier(); } }\n"
"""The plainest uniformity violation."""

VIOLATIONS = (
    NON_UNIFORM,
    _HEAD + "{ loop { if (lid == 1u) { break; } workgroupBarrier(); } }\n",
    _HEAD + "{ if (lid == 0u) { return; } workgroupBarrier(); }\n",
    "fn f(p: u32) { if (p == 0u) { workgroupBarrier(); } }\n" + _HEAD + "{ f(lid); }\n",
    "var<workgroup> a: array<u32, 4>;\n" + _HEAD + "{ a[lid] = lid; if (a[0] == 0u) { workgroupBarrier(); } }\n",
)
"""Plain violations of different rules: a half-written analysis knows at least one of them."""


def has_analysis(ask: Callable[[Sequence[str]], Sequence[Answer]]) -> bool:
    """Whether a compiler rejects any violation: what it does counts, not what it is called."""
    return any(answer.verdict is Verdict.REJECTS for text in VIOLATIONS for answer in ask([text]))
