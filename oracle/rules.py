"""Which revision of the rules: a rule set is a value, and each change of section 5 is one field of it.

`wgsl-2023` is the W3C working draft of 2023-01-28 on this fragment. Held against the paper it differs in the
four changes and in its joins; these are the places:

- break_if_edge: 13.2.6, `break if e` results in the control flow of evaluating `e`, which is the one before it.
- return_only_loop: 8.8.1, a loop's behaviour always comes from B1 ∪ B2.
- back_edge_if_iterates: 13.2.6, a loop always has CF' -> {CF2, CF}, and results in CF' unless its behaviour is {Next}.
- skip_unreachable_continuing: 13.2.6, `s2` is always analysed.
- joins_at_continuing: 13.2.5, Vin(s2) joins Vout(s1), reached or not; here only jumps join.
- joins_at_exit: 13.2.5, Vin(next) joins Vout(s2), reached or not; here only jumps join.

What else the draft spells differently changes no path from RequiredToBeUniform to MayBeNonUniform: `&&` and `||` use
the left value as control flow for the right operand, whose value then depends on both (13.2.8); an assignment to a
shared array adds edges that leave MayBeNonUniform; a parameter that must be uniform gets no second tag (13.2.3).
"""

from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, slots=True)
class Rules:
    """A revision of the uniformity analysis. The defaults are the paper: all four changes of its section 5 are in."""

    break_if_edge: bool = True
    """Fig. 10a, gpuweb issue 5277: control flow after a `break if` depends on its condition. Unsound without it."""
    return_only_loop: bool = True
    """Fig. 10b, gpuweb issue 5100: a loop whose body's behaviour is {Return} has behaviour {Return}."""
    back_edge_if_iterates: bool = True
    """Fig. 10c, gpuweb issue 5364: the loop head depends on the loop's end only if the body can continue."""
    skip_unreachable_continuing: bool = True
    """Fig. 10d, gpuweb issue 5364: a `continuing` that cannot be reached is not analysed. (Without this change alone,
    variables flow back to the head from there, and control flow does not: that is Fig. 10c's matter.)"""
    joins_at_continuing: bool = False
    """WGSL 2023, 13.2.5, and Tint up to 0.6.2: variables at the end of a loop's body flow to its `continuing`, whether
    that end is reached or not. (Where the draft defines no Vout, behind an `if` without Next, nothing flows on.)"""
    joins_at_exit: bool = False
    """WGSL 2023, 13.2.5: variables at the end of a `continuing` flow behind the loop, reached or not."""
    unbroken_loop_keeps_variables: bool = False
    """Tint up to 0.6.2: a loop without a reachable break leaves variables as they were. It matters only where code
    behind such a loop does: without 10b, or with the joins."""
    fig8_to_the_letter: bool = False
    """Fig. 8 as printed ("Break ∉ B1"), which leaves code after a loop that only a `break if` leaves unanalysed."""


PAPER = Rules()

SWITCHES: dict[str, str] = {
    "10a": "break_if_edge",
    "10b": "return_only_loop",
    "10c": "back_edge_if_iterates",
    "10d": "skip_unreachable_continuing",
}
"""The field of each of the four changes, by the paper's figure."""


def without(figures: tuple[str, ...]) -> Rules:
    """The paper's rules with the changes of the given figures taken back: keys of `SWITCHES`, or KeyError."""
    return replace(PAPER, **{SWITCHES[figure]: False for figure in figures})


REVERSIONS: dict[str, Rules] = {figure: without((figure,)) for figure in SWITCHES}
"""Each of the four changes alone taken back, by the paper's figure."""

WGSL_2023 = replace(without(tuple(SWITCHES)), joins_at_continuing=True, joins_at_exit=True)

TINT_0_6_2 = replace(PAPER, joins_at_continuing=True, unbroken_loop_keeps_variables=True)
"""Closest to Tint 0.6.2 by measurement: no shader is known on which they differ, of all single loops up to 4 statements
(`enumerate`) and of random ones."""

TINT_0_3_8 = replace(without(("10b", "10c")), joins_at_continuing=True, unbroken_loop_keeps_variables=True)
"""Closest to Tint 0.3.8, likewise (`benchmarks/closest.py`)."""

RULE_SETS: dict[str, Rules] = {
    "paper": PAPER,
    "tint-0.6.2": TINT_0_6_2,
    "tint-0.3.8": TINT_0_3_8,
    "wgsl-2023": WGSL_2023,
    **{f"without-{figure}": rules for figure, rules in REVERSIONS.items()},
}
"""The named rule sets of section 4.2's analysis. (`whlsl-2019` is an analysis of its own: `oracle.whlsl`.)"""


def differences(one: Rules, other: Rules) -> list[str]:
    """The fields in which two rule sets differ."""
    return [f.name for f in fields(Rules) if getattr(one, f.name) != getattr(other, f.name)]
