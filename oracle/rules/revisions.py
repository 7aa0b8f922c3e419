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

from collections.abc import Iterable
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


@dataclass(frozen=True, slots=True)
class Departure:
    """One way of not being the paper's rules that raw causes name: a field of `Rules` with the other value."""

    field: str
    does: str
    """What an analysis with it does, as a predicate: `joins variables at a loop's continuing`."""
    about: str
    """What the rule is and where it comes from, in sentences."""
    by_the_letter: bool = False
    """Whether the specification, read to its letter, says so as well."""


LETTER = "WGSL, Function-scope Variable Value Analysis (13.2.5 in the draft of 2023, which we read; 15.2.5 today)"
"""The section of the specification that says which values of variables meet where: `#func-var-value-analysis`."""

DEPARTURES: dict[str, Departure] = {
    "10a": Departure(
        SWITCHES["10a"],
        "ignores the condition of a `break if`",
        "Control flow after a `break if` does not depend on its condition, as before gpuweb issue 5277 (Fig. 10a).",
    ),
    "10b": Departure(
        SWITCHES["10b"],
        "analyses code behind a loop that only returns",
        "The behaviour of a loop whose body only returns takes in that of its `continuing`: with a `break if` there, "
        "which nothing reaches, Next. As before gpuweb issue 5100 (Fig. 10b).",
    ),
    "10c": Departure(
        SWITCHES["10c"],
        "takes a loop that cannot iterate to iterate",
        "The head of a loop depends on the loop's end even if that is never reached, as before gpuweb issue 5364 "
        "(Fig. 10c).",
    ),
    "10d": Departure(
        SWITCHES["10d"],
        "analyses a continuing that cannot be reached",
        "A `continuing` that cannot be reached is analysed, as before gpuweb issue 5364 (Fig. 10d).",
    ),
    "joins-at-continuing": Departure(
        "joins_at_continuing",
        "joins variables at a loop's continuing",
        "Variables at the end of a loop's body flow to its `continuing`, even if a `return` or `break` stands before "
        f"that end; in the paper only what jumps there does. The letter of {LETTER} joins them as well.",
        by_the_letter=True,
    ),
    "joins-at-exit": Departure(
        "joins_at_exit",
        "joins variables at a loop's exit",
        "Variables at the end of a `continuing` flow behind the loop, even if no thread leaves the loop there; in the "
        "paper only what jumps there does. The draft of WGSL of 2023 joins them (13.2.5).",
    ),
    "unbroken-loop-keeps-variables": Departure(
        "unbroken_loop_keeps_variables",
        "keeps variables behind a loop that no break leaves",
        "Behind a loop without a reachable `break` variables are what they were before it. Tint does so; the paper and "
        f"{LETTER} give them no value there.",
    ),
}
"""By their names in raw causes: the four changes taken back, and what else real analyses do."""


def departing(names: Iterable[str]) -> Rules:
    """The paper's rules with the departures of the given names: keys of `DEPARTURES`, or KeyError."""
    return replace(PAPER, **{(field := DEPARTURES[name].field): not getattr(PAPER, field) for name in names})


def departures(rules: Rules) -> tuple[str, ...]:
    """The names of those departures from the paper that a rule set has."""
    return tuple(name for name, it in DEPARTURES.items() if getattr(rules, it.field) != getattr(PAPER, it.field))


REVERSIONS: dict[str, Rules] = {figure: departing((figure,)) for figure in SWITCHES}
"""Each of the four changes alone taken back, by the paper's figure."""

WGSL_2023 = departing((*SWITCHES, "joins-at-continuing", "joins-at-exit"))

TINT_0_6_2 = departing(("joins-at-continuing", "unbroken-loop-keeps-variables"))
"""Closest to Tint 0.6.2 by measurement: no shader is known on which they differ, of all single loops up to 4 statements
(`enumerate`) and of random ones."""

TINT_0_3_8 = departing(("10b", "10c", "joins-at-continuing", "unbroken-loop-keeps-variables"))
"""Closest to Tint 0.3.8, likewise (`benchmarks/closest.py`)."""

RULE_SETS: dict[str, Rules] = {
    "paper": PAPER,
    "tint-0.6.2": TINT_0_6_2,
    "tint-0.3.8": TINT_0_3_8,
    "wgsl-2023": WGSL_2023,
    **{f"without-{figure}": rules for figure, rules in REVERSIONS.items()},
}
"""The named rule sets of section 4.2's analysis. (`whlsl-2019` is an analysis of its own: `oracle.rules.whlsl`.)"""


def differences(one: Rules, other: Rules) -> list[str]:
    """The fields in which two rule sets differ."""
    return [f.name for f in fields(Rules) if getattr(one, f.name) != getattr(other, f.name)]
