"""What uniformity can depend on, as bits: the ends of paths in the uniformity graph of section 4.2.

The rules add nearly all edges of a node when they make it. A value is then the set of what it leads to, and needs no
node. Only the nodes of a loop's head get edges later, from the loop's end (line 9 of the rule); they are bits as well.
"""

CF_START, MAY_BE_NON_UNIF, FIRST_PARAMETER = 0, 1, 2
"""The places of the bits: CfStart, MayBeNonUnif, and from 2 on the parameters; behind them the heads of loops."""

_BITS = [1 << i for i in range(256)]


def bits(first: int, end: int) -> list[int]:
    """The sets {first}, {first + 1}, ... before {end}."""
    while len(_BITS) < end:
        _BITS.append(1 << len(_BITS))
    return _BITS[first:end]
