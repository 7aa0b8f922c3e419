"""Section 4.2's rule for `loop {ss1 continuing {ss2}}` under every variant at once, line by line.

`oracle.rules.variants.loops` has the variants one by one, and says of each which line it changes.
"""

from dataclasses import dataclass
from typing import NamedTuple

from wgsl_fuzz.oracle.rules.bitset.lane_behaviours import BehaviourSets
from wgsl_fuzz.oracle.rules.bitset.lane_statements import Jumps, LaneStatements, VariableMap, flow, write
from wgsl_fuzz.oracle.rules.bitset.lanes import BUT, EVERY, ONLY, Lanes, VariantSet, source
from wgsl_fuzz.tinywgsl.ast import Loop, is_break_if


class Lines(NamedTuple):
    """Which of lines 10 to 13 is the case, each under which variants."""

    line_10: VariantSet
    line_11: VariantSet
    line_12: VariantSet
    line_13: VariantSet


def lines(b1: BehaviourSets) -> Lines:
    """The line of the rule, by B(ss1)."""
    ends = EVERY & ~(b1.next | b1.continue_)
    line_10 = ends & b1.break_ & ~b1.return_
    line_11 = ends & ~line_10
    line_12 = ~ends & b1.return_
    return Lines(line_10, line_11, line_12, EVERY & ~(line_10 | line_11 | line_12))


def lines_taken(b1: BehaviourSets, own: Lines) -> Lines:
    """The line that gives the map and the control flow, under the variants that take another one than `own`."""
    may_break, may_return = b1.break_, b1.return_
    to_10 = (ONLY["loop/line-10/if-it-may-break"] & may_break) | (ONLY["loop/line-10/without-continue"] & ~b1.continue_)
    from_10 = ONLY["loop/line-10/never"]
    from_11 = own.line_11 & (
        ONLY["loop/line-11/never"]
        | (ONLY["loop/line-11/not-for-return"] & ~(may_break & may_return))
        | (ONLY["loop/line-11/for-return-only"] & (may_break | ~may_return))
    )
    from_12 = own.line_12 & (
        ONLY["loop/line-12/never"]
        | (ONLY["loop/line-12/only-with-break"] & ~may_break)
        | (ONLY["loop/line-12/only-without-break"] & may_break)
    )
    from_13 = own.line_13 & (ONLY["loop/line-12/always"] | (ONLY["loop/line-12/for-break-too"] & may_break))
    line_10 = (own.line_10 & ~from_10) | to_10
    line_11 = ((own.line_11 & ~from_11) | (own.line_10 & from_10)) & ~to_10
    line_12 = ((own.line_12 & ~from_12) | (from_11 & may_return) | from_13) & ~to_10
    return Lines(line_10, line_11, line_12, EVERY & ~(line_10 | line_11 | line_12))


def maps_of_head(own: Lines) -> VariantSet:
    """The variants under which variables behind a loop are those at its head."""
    return (
        (own.line_10 & ONLY["loop/line-10/map-of-head"])
        | (own.line_11 & ONLY["loop/line-11/map-of-head"])
        | (own.line_12 & ONLY["loop/line-12/map-of-head"])
        | (own.line_13 & ONLY["loop/line-13/map-of-head"])
    )


@dataclass(slots=True)
class LaneLoop:
    """What lines 1 to 7 of the rule make for the lines after them."""

    loop: Loop
    M: VariableMap
    """Before the loop."""
    cf: Lanes
    M_head: VariableMap
    cf_head: Lanes
    jumps: Jumps
    """M_exit and M_cont."""
    has_back_edge: VariantSet
    """Where cf_head is a node of its own."""
    M_body: VariableMap
    """M_afterBody, after line 7."""
    cf_body: Lanes


class LaneLoops(LaneStatements):
    """UG_stmt of loops as well."""

    __slots__ = ("heads",)

    heads: list[Lanes]
    """What each node of a loop's head leads to, by its place among the sources."""

    def loop(self, M: VariableMap, cf: Lanes, live: Lanes, written: Lanes, s: Loop) -> Lanes:
        """UG_stmt of `loop {ss1 continuing {ss2}}`: cf'."""
        b1 = self.behaviours[id(s.body)]
        head = len(self.heads)
        loop = self.head(M, cf, s, b1)  # lines 1-6
        self.loop_body(loop, live)  # line 7
        reached = self.masks.spread(b1.continue_ | ONLY["10d"])
        cf_end = loop.cf_body
        if reached & live:
            M_cont, cf_cont = self.continuing(loop, reached & live)  # line 8
            cf_end = cf_cont & reached | cf_end & ~reached
            self.flow_back(head, loop, M_cont, reached)  # line 9
        to_cf, to_end = self.masks.but["loop/line-9/no-edge-to-cf"], self.masks.but["loop/line-9/no-edge-to-end"]
        self.heads[head + len(M)] = cf & to_cf | cf_end & to_end
        return self.after_loop(M, loop, written, b1)  # lines 10-13

    def head(self, M: VariableMap, cf: Lanes, s: Loop, b1: BehaviourSets) -> LaneLoop:
        """M_head, M_exit, M_cont and cf_head (lines 1-6); each loop has a node for cf_head, needed or not."""
        head = len(self.heads)
        self.heads += [v & self.masks.but["loop/line-5/edges-dropped"] for v in M.values()]  # line 5
        self.heads.append(0)
        has_back_edge = b1.continue_ & BUT["loop/line-6/never-fresh"] | ONLY["10c"]
        own = self.masks.spread(has_back_edge)
        cf_head = source(head + len(M)) & own | cf & ~own  # line 6
        M_head = {x: source(place) for place, x in enumerate(M, head)}
        jumps = Jumps(dict.fromkeys(M, 0), dict.fromkeys(M, 0))
        return LaneLoop(s, M.copy(), cf, M_head, cf_head, jumps, has_back_edge, {}, 0)

    def loop_body(self, loop: LaneLoop, live: Lanes) -> None:
        """Line 7."""
        but, on, jumps = self.masks.but, self.masks.on, loop.jumps
        own, of_entry = but["loop/line-7/variables-of-entry"], on["loop/line-7/variables-of-entry"]
        loop.M_body = {x: loop.M_head[x] & own | v & of_entry for x, v in loop.M.items()}
        cf = loop.cf_head & but["loop/line-7/body-under-cf"] | loop.cf & on["loop/line-7/body-under-cf"]
        straight, swapped = but["loop/line-7/maps-swapped"], on["loop/line-7/maps-swapped"]
        jumps.break_to_exit = straight & but["loop/line-7/breaks-lost"]
        jumps.continue_to_cont = straight & but["loop/line-7/continues-lost"]
        jumps.break_to_cont = jumps.continue_to_exit = swapped
        loop.cf_body, _ = self.stmts(loop.M_body, jumps, cf, live, loop.loop.body)

    def continuing(self, loop: LaneLoop, live: Lanes) -> tuple[VariableMap, Lanes]:
        """Line 8: M_afterCont and cf_afterCont."""
        but, on, ss2 = self.masks.but, self.masks.on, loop.loop.continuing
        of_head, of_body = "loop/line-8/variables-of-head", "loop/line-8/variables-of-body-end"
        own, head, body = but[of_head] & but[of_body], on[of_head], on[of_body]
        M = {x: v & own | loop.M_head[x] & head | loop.M_body[x] & body for x, v in loop.jumps.M_cont.items()}
        under_head, under_cf = "loop/line-8/under-head", "loop/line-8/under-cf"
        cf = loop.cf_body & but[under_head] & but[under_cf] | loop.cf_head & on[under_head] | loop.cf & on[under_cf]
        jumps = Jumps(loop.jumps.M_exit, loop.jumps.M_cont)
        jumps.break_to_exit = but["loop/line-8/break-if-has-no-edges"]
        live &= but["loop/line-8/never-analysed"]
        if ss2 and is_break_if(ss2[-1]):
            cf, at_last = self.stmts(M, jumps, cf, live, ss2[:-1])
            cf, _ = self.stmts(M, jumps, cf, at_last & but["10a"], ss2[-1:])
            flow(loop.jumps.M_exit, M, live & on["10a"])
        else:
            cf, _ = self.stmts(M, jumps, cf, live, ss2)
        to_body = "loop/line-9/edge-to-body-end"
        return M, cf & but[to_body] | loop.cf_body & on[to_body]

    def flow_back(self, head: int, loop: LaneLoop, M_cont: VariableMap, reached: Lanes) -> None:
        """Line 9, the edges of variables."""
        but, on = self.masks.but, self.masks.on
        own = reached & but["loop/line-9/no-edges-to-continuing"] & but["loop/line-9/edges-to-its-start"]
        start = reached & on["loop/line-9/edges-to-its-start"]
        for place, (x, v) in enumerate(M_cont.items(), head):
            self.heads[place] |= v & own | loop.jumps.M_cont[x] & start

    def after_loop(self, M: VariableMap, loop: LaneLoop, written: Lanes, b1: BehaviourSets) -> Lanes:
        """Lines 10-13: M' and cf'."""
        spread, own = self.masks.spread, lines(b1)
        taken = lines_taken(b1, own)
        of_head = spread(maps_of_head(own))
        written &= ~spread(own.line_13 & ONLY["loop/line-13/map-of-entry"])
        for x, v in loop.jumps.M_exit.items():
            write(M, x, v & ~of_head | loop.M_head[x] & of_head, written)
        at_head = (
            taken.line_12 | taken.line_11 & loop.has_back_edge | own.line_13 & ONLY["loop/line-13/control-flow-of-head"]
        )
        at_end = taken.line_11 & ~loop.has_back_edge
        return (
            loop.cf_head & spread(at_head)
            | loop.cf_body & spread(at_end)
            | loop.cf & spread(EVERY ^ (at_head | at_end))
        )
