"""Drawn bodies for SIMT-Step: loops that end, branches on the thread and on memory, breaks, continues and returns."""

from hypothesis import strategies as st

from wgsl_fuzz.oracle.simt_step.shader import (
    Address,
    Atomic,
    Body,
    Break,
    Continue,
    If,
    Load,
    Local,
    Loop,
    Return,
    SGOp,
    Store,
)

ARRAYS = {"g": 2}
_ADDRESSES = st.sampled_from([Address("g", 0), Address("g", "tid")])
_NORMAL = st.one_of(
    st.builds(lambda a: (Store(a, "tid"),), _ADDRESSES),
    st.builds(lambda a: (Load("r", a),), _ADDRESSES),
    st.builds(lambda a: (Atomic("r", "add", a, 1),), _ADDRESSES),
    st.builds(lambda op: (SGOp("s", op, "r"),), st.sampled_from(["add", "any", "ballot"])),
    st.just((Local("r", "+", ("r", 1)),)),
)
_CONDITIONS = st.sampled_from(["tid", "lane", "r", "s", 1])


def bodies(depth: int = 2, in_loop: bool = False) -> st.SearchStrategy[Body]:
    """Bodies whose loops run at most twice."""
    parts: list[st.SearchStrategy[Body]] = [_NORMAL]
    jumps = [Return(), Break(), Continue()] if in_loop else [Return()]
    if depth:
        inner = bodies(depth - 1, in_loop)
        parts.append(st.builds(lambda c, a, b: (If(c, a, b),), _CONDITIONS, inner, inner))
        parts.append(st.builds(lambda c, j: (If(c, (j,)),), _CONDITIONS, st.sampled_from(jumps)))
        parts.append(bodies(depth - 1, True).map(lambda body: _loop(body, f"i{depth}")))
    return st.lists(st.one_of(parts), max_size=3).map(lambda found: tuple(s for part in found for s in part))


def _loop(body: Body, i: str) -> Body:
    step = (Local(i, "+", (i, 1)), Local("done", "==", (i, 2)))
    return Local(i, "copy", (0,)), Loop(body, step, "done")
