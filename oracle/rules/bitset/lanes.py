"""Lanes: many variants of the rules in one integer, and the masks that tell them apart.

Each variant of `LANES` has a lane: a place from 0 on. A set of variants is an integer of one bit a lane. A set of
sources under every variant is one integer, too: source after source, the set of variants under which it is in.
"""

from functools import lru_cache

from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.variants import KILLABLE

VariantSet = int
Lanes = int
"""A set of sources under every variant."""

KNOWN = frozenset(
    """
    10a 10b 10c 10d B/assign/is-nothing B/barrier/is-nothing B/break/is-next B/call/is-nothing B/continue/is-next
    B/if/both-branches-must B/if/else-lost B/if/then-lost B/list/dead-tail-counts B/list/empty-is-nothing
    B/list/head-lost B/list/next-of-head-stays B/list/tail-lost B/loop/body-lost B/loop/case-1-if-it-may-return
    B/loop/case-2-always B/loop/case-2-by-the-body-only B/loop/case-2-by-the-continuing-only
    B/loop/case-2-continue-stays B/loop/case-2-never B/loop/case-2-next-stays B/loop/case-3-break-stays
    B/loop/case-3-continue-stays B/loop/continuing-lost B/return/is-next B/shared-assign/is-nothing
    assign/map/not-updated assign/map/old-value-stays assign/value/under-CfStart barrier/edge/dropped
    barrier/edge/to-CfStart break/edges/dropped break/edges/to-the-continuing call/line-4/call-site-at-CfStart
    call/line-4/demand-on-affecting-arguments call/line-4/demand-on-every-argument call/line-4/demand-on-every-call-site
    call/line-4/demand-on-wrong-argument call/line-4/no-demand-on-arguments call/line-4/no-demand-on-call-site
    call/line-5/always-to-MayBeNonUnif call/line-5/edge-to-wrong-argument call/line-5/edges-to-every-argument
    call/line-5/no-edge-to-MayBeNonUnif call/line-5/no-edges-to-arguments call/line-6/no-edge-to-cf
    call/line-7/control-flow-is-result call/line-7/map-not-updated continue/edges/dropped continue/edges/to-the-exit
    expr/binary/no-edge-to-left expr/binary/no-edge-to-right expr/convert/no-edge-to-operand expr/lid/is-uniform
    expr/literal/is-non-uniform expr/literal/no-edge-to-cf expr/local/no-edge-to-cf expr/local/no-edge-to-variable
    expr/shared-read/is-uniform expr/unary/no-edge-to-operand func/line-11/never func/line-11/of-value-returned
    func/line-3/locals-non-uniform func/line-3/parameters-non-uniform func/line-5/body-under-fresh-control-flow
    func/line-6/always func/line-6/never func/line-6/of-value-returned func/line-7/all func/line-7/none
    func/line-7/of-value-returned func/line-8/all func/line-8/none func/line-8/of-demands func/line-9/always
    func/line-9/never if/line-1/condition-under-CfStart if/line-2/then-under-cf if/line-3/else-after-then
    if/line-3/else-under-cf if/line-6/always if/line-6/edges-dropped if/line-7/always if/line-7/edges-dropped
    if/line-7/variables-of-entry if/line-8/always if/line-8/if-it-may-end if/line-8/map-of-entry if/line-8/never
    if/line-8/not-if-it-breaks if/line-8/not-if-it-continues if/line-8/not-if-it-returns if/line-8/result-is-condition
    if/line-9/map-of-entry if/line-9/no-edge-to-else if/line-9/no-edge-to-then if/line-9/only-the-condition
    list/head/control-flow-not-threaded list/head/variables-not-threaded list/tail/dead-analysed
    list/tail/live-not-analysed loop/line-10/if-it-may-break loop/line-10/map-of-head loop/line-10/never
    loop/line-10/without-continue loop/line-11/for-return-only loop/line-11/map-of-head loop/line-11/never
    loop/line-11/not-for-return loop/line-12/always loop/line-12/for-break-too loop/line-12/map-of-head
    loop/line-12/never loop/line-12/only-with-break loop/line-12/only-without-break loop/line-13/control-flow-of-head
    loop/line-13/map-of-entry loop/line-13/map-of-head loop/line-5/edges-dropped loop/line-6/never-fresh
    loop/line-7/body-under-cf loop/line-7/breaks-lost loop/line-7/continues-lost loop/line-7/maps-swapped
    loop/line-7/variables-of-entry loop/line-8/break-if-has-no-edges loop/line-8/never-analysed loop/line-8/under-cf
    loop/line-8/under-head loop/line-8/variables-of-body-end loop/line-8/variables-of-head loop/line-9/edge-to-body-end
    loop/line-9/edges-to-its-start loop/line-9/no-edge-to-cf loop/line-9/no-edge-to-end
    loop/line-9/no-edges-to-continuing return/edge/dropped return/edge/from-MustBeUnif return/value/under-CfStart
    shader/functions/errors-of-main-only shader/functions/main-not-analysed shader/order/callers-first
    shader/order/last-summary-only shared-assign/graph/control-flow-demanded shared-assign/graph/value-demanded
    """.split()  # noqa: SIM905 - a list of strings is three times as long
)
"""The names of the variants that the rules on lanes have (`lane_behaviours`, `lane_analysis`, `lane_loops`)."""

LANES: tuple[Variant, ...] = tuple(v for v in KILLABLE if v.name in KNOWN)
"""Each variant in its lane."""

WIDTH = len(LANES)
EVERY: VariantSet = (1 << WIDTH) - 1
ONLY: dict[str, VariantSet] = {v.name: 1 << lane for lane, v in enumerate(LANES)}
"""By its name, the set of one variant."""
BUT: dict[str, VariantSet] = {name: EVERY ^ only for name, only in ONLY.items()}
"""By its name, all variants but one."""

MOST_SOURCES = 1024
"""More are not put into lanes: the masks alone would take tens of megabytes."""


def source(place: int, under: VariantSet = EVERY) -> Lanes:
    """One source, by its place in `sources`, under the variants `under`."""
    return under << place * WIDTH


def variants_with(place: int, lanes: Lanes) -> VariantSet:
    """The variants under which a source is in the set `lanes`."""
    return lanes >> place * WIDTH & EVERY


class Masks:
    """The masks for sets of up to so many sources."""

    __slots__ = ("_kept", "_spread", "_units", "all", "but", "on")

    def __init__(self, sources: int) -> None:
        self._kept = 65_536 // sources  # about a megabyte, whatever the size
        self._units = sum(1 << place * WIDTH for place in range(sources))
        self._spread: dict[VariantSet, Lanes] = {}
        self.all = self.spread(EVERY)
        self.on = {name: self.spread(only) for name, only in ONLY.items()}
        """By its name, the lane of one variant."""
        self.but = {name: self.all ^ lane for name, lane in self.on.items()}
        """By its name, every lane but that."""

    def spread(self, variants: VariantSet) -> Lanes:
        """The lanes of a set of variants: all sources under each of them."""
        lanes = self._spread.get(variants)
        if lanes is None:
            if len(self._spread) >= self._kept:
                self._spread.clear()
            lanes = self._spread[variants] = variants * self._units
        return lanes


@lru_cache(maxsize=7)
def _masks(sources: int) -> Masks:
    return Masks(sources)


def masks_for(sources: int) -> Masks:
    """The masks for at least so many sources."""
    return _masks(max(16, 1 << (sources - 1).bit_length()))
