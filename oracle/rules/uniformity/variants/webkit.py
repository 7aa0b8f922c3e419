"""Where WebKit's analysis departs from the rules, as predicted: each as a variant (docs/webkit-analysis.md).

None of it was seen in a Safari. Two texts of it are known: that of revision 92829e9, and a newer one.
"""

from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.variants import webkit_calls, webkit_joins, webkit_names, webkit_pointers
from wgsl_fuzz.oracle.rules.uniformity.variants.history import (
    BaseBeforeIndex,
    BehavioursOfContinuing,
    LoopsAlwaysIterate,
)
from wgsl_fuzz.oracle.rules.uniformity.variants.letter import NoJoinAfterShortCircuit
from wgsl_fuzz.oracle.rules.uniformity.variants.tint import ContentsAtArgument
from wgsl_fuzz.oracle.rules.uniformity.variants.webkit_front_end import FrontEnd, FrontEnd92829e9
from wgsl_fuzz.oracle.rules.uniformity.variants.webkit_rows import EITHER, STRICTER, departure

_SHARED = (
    departure("1.5", STRICTER, LoopsAlwaysIterate, "gives every loop a back edge of control flow"),
    departure(
        "1.6",
        EITHER,
        BehavioursOfContinuing,
        "takes the behaviours of a continuing that is not reached",
        name="loops-that-only-return",
    ),
    departure("2.10", EITHER, NoJoinAfterShortCircuit, "takes the right operand of && and || as always evaluated"),
    departure("2.11", EITHER, BaseBeforeIndex, "evaluates a base before its index"),
    departure(
        "4.1",
        EITHER,
        ContentsAtArgument,
        "takes what a pointer argument points to before the later arguments are evaluated",
    ),
)
"""What an old text of the specification or another compiler does, too."""

WEBKIT_VARIANTS: tuple[Variant, ...] = (
    *webkit_names.ROWS,
    *_SHARED,
    *webkit_joins.ROWS,
    *webkit_pointers.ROWS,
    *webkit_calls.ROWS,
)


def _front_end(name: str, replacement: type) -> Variant:
    return Variant(f"webkit/{name}", "webkit", "", EITHER, (replacement,), does="refuses what it does not read")


OF_92829E9: frozenset[Variant] = frozenset(
    {v for v in WEBKIT_VARIANTS if v.name != "webkit/subgroups-only-if-clean"}
    | {_front_end("front-end-92829e9", FrontEnd92829e9)}
)
"""The variants of revision 92829e9."""
OF_THE_NEWER: frozenset[Variant] = frozenset(
    {v for v in WEBKIT_VARIANTS if v.name != "webkit/if-without-flow"} | {_front_end("front-end", FrontEnd)}
)
"""Those of the newer text, which knows subgroups."""
