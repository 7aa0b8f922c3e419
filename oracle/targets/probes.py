"""Texts with known answers: a compiler that gets one wrong is not what it is taken for."""

_HEAD = "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) lid: u32) "

VALID = _HEAD + "{ var x = lid; x = x + 1u; }\n"
"""Accepted by every WGSL compiler."""

BROKEN = _HEAD + "{ var x = ; }\n"
"""A syntax error."""

NON_UNIFORM = _HEAD + "{ if (lid == 0u) { workgroupBarrier(); } }\n"
"""The plainest uniformity violation."""
