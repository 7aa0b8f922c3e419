"""Swarm testing: what a batch of shaders is drawn from is drawn itself (Groce et al., ISSTA 2012).

A shader that has a little of every construct hides most of what it could show. One `if (lid == 0)` around a barrier
decides its verdict, whatever else is there. A batch drawn without `continue`, or with few sources of non-uniformity,
reaches branches of the rules that no average shader decides.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from wgsl_fuzz.strategies.choices.profile import DEFAULT, PLAIN, Profile, Weights
from wgsl_fuzz.strategies.choices.source import Source, Table
from wgsl_fuzz.wgsl.spelling import FEATURES, NONE, Features


@dataclass(frozen=True, slots=True)
class Swarm:
    """What the shaders of one batch have in common: how they are drawn, and in which surface forms they are written."""

    profile: Profile
    """It does not swarm any more."""
    features: Features


_ALWAYS = frozenset({"assign", "if"})
_FACTORS = Table([(4, 3), (2, 3), (1, 3), (8, 3), (16, 1)])
"""By how many quarters a construct that is on is more or less likely than in the base."""
_DUE = Table([((0, 66), 4), ((0, 0), 1), ((100, 100), 1)])
_DOSES = Table([(1, 4), (2, 2), (3, 1)])
_SIZES = Table([((30, 60), 4), ((10, 35), 2), ((0, 100), 1), ((40, 70), 3), ((70, 100), 1)])
"""Which part of the base's range of statements is aimed at, in percent."""

_RATES: dict[str, Table[int]] = {
    "operators": Table([(30, 1), (20, 1), (45, 2)]),
    "depth": Table([(2, 1), (1, 1), (3, 1)]),
    "condition_dose": Table([(100, 5), (10, 1), (0, 1), (40, 1), (300, 2)]),
    "elses": Table([(35, 1), (10, 1), (70, 1)]),
    "branch_jumps": Table([(40, 1), (20, 1), (70, 1)]),
    "jumps_outside": Table([(100, 2), (30, 1), (5, 1)]),
    "both_jump": Table([(0, 1), (10, 1), (30, 1)]),
    "dead_code": Table([(5, 1), (0, 1), (30, 1)]),
    "leaving_loops": Table([(0, 2), (20, 1), (50, 1), (90, 1)]),
    "counters": Table([(60, 1), (20, 1), (0, 1)]),
    "counters_in_body": Table([(60, 1), (20, 1)]),
    "counter_bounds": Table([(20, 1), (5, 1)]),
    "continuings": Table([(50, 1), (25, 1), (75, 1)]),
    "break_ifs": Table([(20, 1), (0, 1), (50, 1)]),
    "guards": Table([(0, 1), (25, 1), (50, 1), (80, 1)]),
    "followed": Table([(0, 6), (25, 1), (60, 1)]),
    "followed_ifs": Table([(0, 5), (20, 1), (50, 1)]),
    "carriers": Table([(20, 1), (5, 1), (30, 1), (50, 1)]),
    "payloads": Table([(0, 1), (20, 1), (50, 1), (80, 1)]),
    "callee_barriers": Table([(0, 2), (30, 1), (60, 1)]),
    "return_exits": Table([(0, 1), (50, 1), (100, 2)]),
    "last_barrier": Table([(50, 1), (90, 1)]),
    "headed_loops": Table([(0, 3), (20, 2), (40, 1)]),
    "else_ifs": Table([(0, 2), (40, 1)]),
    "updates": Table([(0, 2), (10, 2), (30, 1)]),
    "masks": Table([(50, 3), (20, 1)]),
    "scratches": Table([(0, 3), (10, 1)]),
    "nested_calls": Table([(0, 2), (30, 1)]),
    "without_result": Table([(0, 2), (40, 1)]),
}
"""The rates that a swarm sets, whatever the base has."""

_SHOWN: tuple[tuple[str, tuple[str, ...], Table[int]], ...] = (
    ("headed_loops", ("loops",), Table([(50, 1), (20, 1)])),
    ("headed_loops", ("loops", "declarations"), Table([(80, 1), (100, 1)])),
    ("else_ifs", ("branches",), Table([(60, 1), (30, 1)])),
    ("updates", ("updates",), Table([(30, 2), (50, 1)])),
    ("scratches", ("declarations",), Table([(20, 1), (50, 1)])),
    ("masks", ("scalars",), Table([(20, 1), (5, 1)])),
    ("nested_calls", ("calls",), Table([(40, 1), (10, 1)])),
    ("without_result", ("discards",), Table([(40, 1), (0, 1)])),
    ("without_result", ("discards", "jumps"), Table([(60, 1), (40, 1)])),
)
"""Rates of idioms in swarms with the features (`wgsl.spelling`) that show them: other swarms have less of them."""


@dataclass(frozen=True, slots=True)
class _Style:
    """Options that only together lead to rare branches of the rules."""

    rates: dict[str, Any] = field(default_factory=dict)
    factors: dict[str, int] = field(default_factory=dict)
    """By how many quarters constructs are more or less likely, as statements and at the end of branches."""
    main_returns: bool = False
    """`main` may return in all shaders, if it may in some."""
    calls: bool = False
    """There are functions, if there may be."""
    few_params: bool = False
    """Most functions have no parameters, if they may have none."""
    dose: Callable[[list[int]], int] | None = None
    """Which of the base's doses (but 0) is the only one; None: those drawn."""
    uniform: bool = False
    """The least of the base's doses is the only one: what is not uniform is the motif's."""
    plain: bool = False
    """Weights and doses are those of the base."""

    def of(self, drawn: dict[str, Any], base: Profile) -> Profile:
        """The base with the fields that are drawn, in this style."""
        fields = drawn | {name: self._weighed(drawn[name]) for name in ("weights", "jumps")}
        if self.main_returns and drawn["main_returns"] > 0:
            fields["main_returns"] = 100
        if self.few_params:
            least = base.params[0]
            fields["params"] = (least, min(least + 1, base.params[1]))
        if self.calls:
            fields["functions"] = (max(base.functions[0], min(1, base.functions[1])), base.functions[1])
        some = [dose for dose in base.doses if dose]
        if self.dose and some:
            fields["doses"] = (self.dose(some),)
        if self.uniform:
            fields["doses"] = (min(base.doses),)
        if self.plain:
            fields |= {name: getattr(base, name) for name in ("doses", "leaves", "types", "weights", "jumps")}
        return replace(base, **fields | self.rates)

    def _weighed(self, rows: Weights) -> Weights:
        return tuple([(name, -(-weight * self.factors.get(name, 4) // 4)) for name, weight in rows])


_PLAIN_ONES: dict[str, Any] = {
    "followed_ifs": 0,
    "callee_barriers": 0,
    "followed": 0,
    "guards": 0,
    "barrier_due": (100, 100),
    "last_barrier": 100,
}
_ONLY_IN_LOOPS = _PLAIN_ONES | {"condition_dose": 100, "jumps_outside": 5}
_NEVER_BREAK = _ONLY_IN_LOOPS | {"counters": 0, "return_exits": 100, "headed_loops": 0}
_HANDED_ON = {
    "condition_dose": 0,
    "carriers": 5,
    "payloads": 80,
    "branch_jumps": 70,
    "followed": 80,
    "headed_loops": 0,
}
_FIRST_BARRIER: dict[str, Any] = {"guards": 0, "barrier_due": (100, 100), "callee_barriers": 0}
_BY_CONDITION = {"condition_dose": 800, "carriers": 0, "payloads": 0, "followed": 0, "followed_ifs": 70}
_NO_LOOPS = _BY_CONDITION | {"leaving_loops": 90, "followed_ifs": 0, "guards": 0, "jumps_outside": 5, "headed_loops": 0}
_CONTINUES = _FIRST_BARRIER | _BY_CONDITION | {"counters_in_body": 0, "leaving_loops": 0, "branch_jumps": 50}
_IN_CALLEES = {
    "guards": 90,
    "callee_barriers": 0,
    "payloads": 0,
    "followed": 80,
    "branch_jumps": 70,
    "without_result": 0,
}
_DEMANDING = _BY_CONDITION | {"condition_dose": 300, "followed_ifs": 0, "guards": 0, "callee_barriers": 80}
_OF_CALLS = _FIRST_BARRIER | _BY_CONDITION | {"branch_jumps": 10, "without_result": 0}
_FIRST_GENERATOR = {name: getattr(PLAIN, name) for name in (*_RATES, "barrier_due")}
_AROUND_MOTIFS = _PLAIN_ONES | {"barrier_due": (0, 0), "jumps_outside": 5, "depth": 2, "dead_code": 5}
_OF_RESULTS = _AROUND_MOTIFS | {"without_result": 0}
_FEW_BARRIERS = {"barrier": 0, "return": 1}
_MAIN_MOTIFS = (
    *("handed-on", "left-unevenly", "uneven-jump", "jump-in-branch", "assigned-under") * 2,
    *("lost-assignment", "unreached") * 3,
    *("carried-round", "loop-in-branch"),
)
_STYLES = Table(
    [
        (_Style(), 36),
        (_Style(_FIRST_GENERATOR, plain=True), 17),
        # loops that nothing but a `return` leaves: Fig. 8, the first two cases for loops; lines 11 and 12 of the rule
        (_Style(_NEVER_BREAK | {"leaving_loops": 60, "break_ifs": 50}, {"break": 0, "barrier": 1, "loop": 8}, True), 5),
        (_Style(_NEVER_BREAK | {"break_ifs": 0}, {"break": 0, "barrier": 1, "loop": 8}, True), 3),
        # loops that a `return` leaves too: line 12
        (
            _Style(
                _ONLY_IN_LOOPS | {"leaving_loops": 0, "counters_in_body": 50},
                {"return": 8, "break": 8, "barrier": 0, "loop": 12},
                True,
            ),
            5,
        ),
        # a variable is what a loop hands on: M_exit in lines 10 to 13, and what the branches of an `if` hand on
        (_Style(_HANDED_ON | {"leaving_loops": 60}, {"barrier": 1, "loop": 8}, dose=min), 5),
        (
            _Style(
                _HANDED_ON
                | {
                    "leaving_loops": 0,
                    "jumps_outside": 5,
                    "carriers": 0,
                    "barrier_due": (100, 100),
                    "guards": 0,
                    "callee_barriers": 0,
                    "followed_ifs": 0,
                    "continuings": 15,
                },
                {"barrier": 0, "loop": 12, "break": 8, "return": 8, "continue": 0},
                True,
                dose=min,
            ),
            6,
        ),
        # loops that are no loops: lines 6 and 10
        (_Style(_NO_LOOPS, {"return": 1, "loop": 12, "barrier": 6}, dose=min), 5),
        # a `continue` is all that makes control flow in a loop's body non-uniform
        (_Style(_CONTINUES, {"continue": 16, "break": 1, "return": 1, "loop": 12, "barrier": 0}, dose=min), 6),
        # control flow in a callee is all that makes a result non-uniform
        (_Style(_IN_CALLEES, {"barrier": 0, "call": 12, "return": 8, "shared": 0}, dose=max, calls=True), 5),
        # a callee demands something of the control flow of its calls
        (_Style(_DEMANDING, {"barrier": 1, "call": 12}, calls=True, few_params=True), 7),
        # the control flow of a call is what makes a result non-uniform
        (
            _Style(
                _OF_CALLS,
                {"barrier": 0, "call": 12, "assign": 2, "shared": 0, "if": 8},
                dose=min,
                calls=True,
                few_params=True,
            ),
            7,
        ),
        # one motif decides, and all around it is uniform
        (_Style(_AROUND_MOTIFS | {"motifs": _MAIN_MOTIFS}, _FEW_BARRIERS, True, uniform=True), 12),
        (
            _Style(
                _OF_RESULTS | {"motifs": ("called-with", "assigned-under"), "callee_motifs": ("returned-under",)},
                _FEW_BARRIERS,
                calls=True,
                few_params=True,
                uniform=True,
            ),
            3,
        ),
        (
            _Style(
                _AROUND_MOTIFS | {"motifs": ("called-with", "called-under"), "callee_barriers": 100, "guards": 50},
                _FEW_BARRIERS,
                calls=True,
                few_params=True,
                uniform=True,
            ),
            4,
        ),
    ]
)


def draw_swarm(source: Source, base: Profile = DEFAULT) -> Swarm:
    """A swarm within `base`: it switches nothing on that the base has not, and stays within the base's ranges."""
    least, most = base.statements
    low, high = source.weighted(_SIZES)
    calls = source.percent(85)
    drawn: dict[str, Any] = {
        "swarm": False,
        "statements": (least + (most - least) * low // 100, least + (most - least) * high // 100),
        "functions": _part(source, base.functions) if calls else (base.functions[0], base.functions[0]),
        "arrays": _part(source, base.arrays),
        "locals": _part(source, base.locals),
        "params": _part(source, base.params),
        "main_returns": _share(source, base.main_returns),
        "nesting": max(1, base.nesting - source.integer(0, 3)),
        "doses": tuple([source.pick(base.doses) for _ in range(source.weighted(_DOSES))]),
        "weights": _weights(source, base.weights),
        "leaves": _leaves(source, base.leaves),
        "jumps": _weights(source, base.jumps),
        "barrier_due": source.weighted(_DUE),
        "types": _types(source, base.types),
    }
    features = draw_features(source)
    drawn |= {name: source.weighted(table) for name, table in _RATES.items()}
    for name, shown_by, table in _SHOWN:
        if all([getattr(features, feature) for feature in shown_by]):
            drawn[name] = source.weighted(table)
    return Swarm(source.weighted(_STYLES).of(drawn, base), features)


def draw_features(source: Source) -> Features:
    """None in half of all cases, otherwise any of them; where they are few, two that some form needs are among them."""
    if not source.percent(50):
        return NONE
    share = source.pick((25, 50, 75))
    together = source.weighted(_TOGETHER) if share == 25 else ()
    shares = dict.fromkeys(FEATURES, share) | _AWAITED
    return Features(**{name: name in together or source.percent(shares[name]) for name in FEATURES})


_AWAITED = {"loops": 95, "calls": 95}
"""The shares of features that need what few statements have."""


_TOGETHER = Table([(("loops", "declarations"), 2), (("discards", "jumps"), 1)])
"""Features that only together have a `var` in a `for`, and no `return` at the end of a function without a result."""


def _part(source: Source, whole: tuple[int, int]) -> tuple[int, int]:
    """A range within a range."""
    least, most = whole
    low = source.integer(least, most)
    return low, source.integer(low, most)


def _share(source: Source, share: int) -> int:
    """The base's share or one nearer to none or to all; none and all stay."""
    return source.pick((share, (share + 100) // 2, share // 4)) if 0 < share < 100 else share


def _weights(source: Source, base: Weights) -> Weights:
    """Some constructs are off, and the others more or less likely."""
    drawn = []
    for name, weight in base:
        on = name in _ALWAYS or not source.percent(15)
        drawn.append((name, weight * source.weighted(_FACTORS) if on else 0))
    return tuple(drawn)


def _leaves(source: Source, base: Weights) -> Weights:
    """Without one of the two sources of non-uniformity in some swarms."""
    off = source.weighted(_LEAF_OFF)
    return tuple([(name, 0 if name == off else weight) for name, weight in base])


_LEAF_OFF = Table([("", 6), ("shared", 2), ("lid", 1)])


def _types(source: Source, base: Weights) -> Weights:
    """Only u32, the first, in some swarms: then most variables can meet."""
    return base[:1] if source.percent(40) else base
