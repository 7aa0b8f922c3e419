"""Which revision of the rules: the named rule sets, and what they differ in.

`wgsl-2023` is the W3C working draft of 2023-01-28 on this fragment. Held against the paper it differs in the
four changes and in its joins; these are the places:

- 10a: 13.2.6, `break if e` results in the control flow of evaluating `e`, which is the one before it.
- 10b: 8.8.1, a loop's behaviour always comes from B1 ∪ B2.
- 10c: 13.2.6, a loop always has CF' -> {CF2, CF}, and results in CF' unless its behaviour is {Next}.
- 10d: 13.2.6, `s2` is always analysed.
- joins-at-continuing: 13.2.5, Vin(s2) joins Vout(s1), reached or not; in the paper only jumps join.
- joins-at-exit: 13.2.5, Vin(next) joins Vout(s2), reached or not; in the paper only jumps join.

What else the draft spells differently changes no path from RequiredToBeUniform to MayBeNonUniform: `&&` and `||` use
the left value as control flow for the right operand, whose value then depends on both (13.2.8); an assignment to a
shared array adds edges that leave MayBeNonUniform; a parameter that must be uniform gets no second tag (13.2.3).
"""

from collections.abc import Iterable

from wgsl_fuzz.oracle.rules.rule_set import PAPER, Rules
from wgsl_fuzz.oracle.rules.variants import CHANGES, DEPARTURES, VARIANTS


def departing(names: Iterable[str]) -> Rules:
    """The paper's rules with the variants of the given names: keys of `VARIANTS`, or KeyError."""
    return Rules(VARIANTS[name] for name in names)


def departures(rules: Rules) -> tuple[str, ...]:
    """The names of those departures from the paper that a rule set has."""
    return tuple(name for name, variant in DEPARTURES.items() if variant in rules)


def differences(one: Rules, other: Rules) -> list[str]:
    """The names of the variants that only one of two rule sets has."""
    return Rules(one ^ other).names


REVERSIONS: dict[str, Rules] = {figure: departing((figure,)) for figure in CHANGES}
"""Each of the four changes alone taken back, by the paper's figure."""

_OF_TINT = ("joins-at-empty-continuing", "jumping-statements-keep-variables", "unbroken-loop-keeps-variables")

RULE_SETS: dict[str, Rules] = {
    "paper": PAPER,
    # closest to Tint 0.6.2 by measurement: no shader is known on which they differ, of all single loops up to 4
    # statements (`enumerate`) and of random ones
    "tint-0.6.2": departing(_OF_TINT),
    # closest to Tint 0.3.8, likewise (`benchmarks/closest.py`)
    "tint-0.3.8": departing(("10b", "10c", *_OF_TINT)),
    "wgsl-2023": departing((*CHANGES, "joins-at-continuing", "joins-at-exit")),
    **{f"without-{figure}": rules for figure, rules in REVERSIONS.items()},
}
"""The named rule sets of section 4.2's analysis. (`whlsl-2019` is an analysis of its own: `oracle.rules.whlsl`.)"""
