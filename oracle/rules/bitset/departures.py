"""Which departures from the paper's rules the analysis on bit sets knows: the historic ones, in any combination."""

from dataclasses import dataclass
from functools import lru_cache

from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.variants import DEPARTURES


@dataclass(frozen=True, slots=True)
class Departures:
    """Of each departure, whether the rules have it: `oracle.rules.variants` says what it does."""

    break_if_ignored: bool
    """`10a`, line 8 of the rule for loops."""
    union_behaviours: bool
    """`10b`, Fig. 8."""
    always_back_edge: bool
    """`10c`, line 6."""
    continuing_always: bool
    """`10d`, lines 8, 10 and 11."""
    joins_at_continuing: bool
    joins_at_empty_continuing: bool
    joins_at_exit: bool
    jumping_statements_keep: bool
    """`jumping-statements-keep-variables`, lines 4 to 7 of the rule for `if`."""
    unbroken_loop_keeps: bool
    """`unbroken-loop-keeps-variables`, lines 10 to 13."""


_NAMES = (
    "10a",
    "10b",
    "10c",
    "10d",
    "joins-at-continuing",
    "joins-at-empty-continuing",
    "joins-at-exit",
    "jumping-statements-keep-variables",
    "unbroken-loop-keeps-variables",
)
"""In the order of the fields."""


@lru_cache(maxsize=1024)
def departures_of(rules: Rules) -> Departures | None:
    """The departures that a rule set is made of; None if it has any other variant, or a new departure."""
    known = [DEPARTURES[name] for name in _NAMES]
    return Departures(*(variant in rules for variant in known)) if rules <= {*known} else None
