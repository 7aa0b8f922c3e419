"""Texts with known answers: a compiler that gets one wrong is not what it is taken for."""

from collections.abc import Callable, Sequence

from wgsl_fuzz.oracle.targets.protocol import TargetError
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


PROBES = ((VALID, Verdict.ACCEPTS), (BROKEN, Verdict.INVALID))
"""What each new child of a compiler that we know has to get right."""

MOST_HANGS = 3
"""So many texts that a target does not answer in time show that there is no use in asking it."""

Ask = Callable[[Sequence[str]], Sequence[Answer]]


def has_analysis(ask: Ask, name: str = "") -> bool:
    """Whether the compiler of this name rejects any violation: what it does counts, not what it is called. Raises
    TargetError if it answers too few of them in time to tell.
    """
    hangs = 0
    for text in VIOLATIONS:
        (answer,) = ask([text])
        if answer.verdict is Verdict.REJECTS:
            return True
        hangs += answer.verdict is Verdict.TIMED_OUT
        if hangs == MOST_HANGS:
            why = " ".join(answer.message.split())
            raise TargetError(f"{name} hangs on {hangs} plain shaders, the last is {text.strip()!r}: {why}")
    return False
