"""What to draw: sizes, features, weights and rates, as data."""

from dataclasses import dataclass, replace
from types import MappingProxyType

GENERATOR_VERSION = 10
"""Raised whenever a seed gives another shader than before; part of every record (docs/design.md, "Determinism")."""

Weights = tuple[tuple[str, int], ...]

STATEMENTS: Weights = (
    ("assign", 30),
    ("barrier", 8),
    ("shared", 8),
    ("call", 12),
    ("if", 26),
    ("loop", 14),
    ("break", 2),
    ("continue", 2),
    ("return", 1),
)
"""Weights of the statements, in order of simplicity."""

LEAVES: Weights = (("literal", 30), ("local", 45), ("shared", 10), ("lid", 15))
"""Weights of the expressions without operands; `shared` and `lid` are scaled by each shader's dose."""

JUMPS: Weights = (("break", 4), ("continue", 3), ("return", 2))
"""Weights of the jumps at the end of a branch."""

TYPES: Weights = (("u32", 6), ("i32", 2), ("bool", 2))
"""Weights of the types of variables and results."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The options of the generator; two equal profiles and one seed give one shader.

    Ranges are the fewest and the most; rates are percentages. The defaults are those of the first generator.
    """

    statements: tuple[int, int] = (20, 40)
    """How many statements are aimed at, in the whole shader."""
    functions: tuple[int, int] = (0, 3)
    """How many functions beside `main`."""
    arrays: tuple[int, int] = (1, 3)
    """How many shared arrays are declared; those never used are dropped."""
    threads: tuple[int, int] = (2, 4)
    """The workgroup size."""
    locals: tuple[int, int] = (1, 3)
    """How many locals a function has beside a first u32; those never used are dropped."""
    params: tuple[int, int] = (0, 3)
    """How many parameters a function has."""
    racy: bool = True
    """False: no data races, by construction. A thread writes and reads its own cells of arrays that only `main` uses;
    all other arrays are only read."""
    main_returns: int = 40
    """The share of shaders whose `main` may return and need not end in a barrier (docs/paper-notes.md, note 6)."""
    nesting: int = 5
    """How deeply blocks may stand within blocks."""
    doses: tuple[int, ...] = (0, 5, 10, 15, 20, 30, 40, 60, 100)
    """One is drawn for each shader: the percentage of their weight that `lid` and shared reads keep."""
    condition_dose: int = 100
    """What conditions have of the dose: with little, only variables make them non-uniform; more than 100 is much."""
    weights: Weights = STATEMENTS
    leaves: Weights = LEAVES
    jumps: Weights = JUMPS
    types: Weights = TYPES
    operators: int = 45
    """The rate of operations among expressions that may be one."""
    depth: int = 3
    """The most operators on a path of what is assigned and of conditions."""
    masks: int = 50
    """The rate of indices that are masked expressions, not literals."""
    elses: int = 35
    """The rate of `if`s with an `else`."""
    branch_jumps: int = 40
    """The rate of branches that end with a jump, where one may stand."""
    jumps_outside: int = 100
    """What branches outside loops keep of that rate; they can only return."""
    both_jump: int = 0
    """The rate of `if`s in loops whose branches both end with a jump."""
    dead_code: int = 100
    """The rate of blocks that go on behind a jump."""
    leaving_loops: int = 0
    """The rate of loops whose body never gets to its end, nor continues: B within {Break, Return} (Fig. 8)."""
    counters: int = 60
    """The rate of loops that count a local up to a bound, so that their execution may end."""
    counters_in_body: int = 60
    """The rate of counters that are asked in the body and not by `break if`."""
    counter_bounds: int = 20
    """The rate of bounds of counters that are no literals."""
    continuings: int = 50
    """The rate of loops with drawn statements in their `continuing`."""
    break_ifs: int = 20
    """The rate of `break if`s of any condition, in loops that do not need one."""
    guards: int = 0
    """The rate of barriers under an `if` of their own, which compares a variable."""
    followed: int = 0
    """The rate of loops and calls that such a guarded barrier follows at once."""
    followed_ifs: int = 0
    """The same of `if`s."""
    carriers: int = 0
    """The rate of assignments of a source of non-uniformity as it is, for variables to carry it on."""
    payloads: int = 0
    """The rate of branches that end with a jump and hold nothing else but such an assignment."""
    return_exits: int = 0
    """The rate of `return`s instead of `break if`s that are added to loops which nothing leaves."""
    last_barrier: int = 50
    """The rate of final barriers in `main`s that may return."""
    headed_loops: int = 0
    """The rate of loops that are left at their head, as `while` and `for` are."""
    else_ifs: int = 0
    """The rate of `else` branches that are one `if`."""
    updates: int = 0
    """The rate of assignments of the form `x = x op e`."""
    scratches: int = 0
    """The rate of assignments in loops of what a local computed that each round starts with anew."""
    nested_calls: int = 0
    """The rate of calls whose result only the next statement reads."""
    without_result: int = 0
    """The rate of functions of u32 that return nothing but 0u, which no call reads."""
    motifs: tuple[str, ...] = ()
    """Of these (`strategies.generate.motifs`) one stands in `main`."""
    callee_motifs: tuple[str, ...] = ()
    """Of these one stands in each function."""
    owes_barrier: bool = False
    """Whether a shader gets a barrier beside the one at the end of `main`."""
    barrier_due: tuple[int, int] = (0, 66)
    """How much of `main` is left when that barrier is due, in percent; 0: it comes last of all."""
    callee_barriers: int = 0
    """The rate of functions that get a barrier if there is none yet."""
    swarm: bool = False
    """Whether what is drawn is drawn as well, within these options (`strategies.choices.swarm`)."""


PLAIN = Profile()
"""The first generator."""

DEFAULT = replace(
    PLAIN,
    statements=(8, 44),
    weights=(
        ("assign", 28),
        ("barrier", 8),
        ("shared", 5),
        ("call", 12),
        ("if", 26),
        ("loop", 20),
        ("break", 2),
        ("continue", 2),
        ("return", 1),
    ),
    leaves=(("literal", 25), ("local", 50), ("shared", 10), ("lid", 15)),
    jumps=(("break", 3), ("continue", 3), ("return", 3)),
    main_returns=50,
    doses=(0, 10, 20, 30, 40, 60, 80, 100),
    swarm=True,
    owes_barrier=True,
)
"""Each shader, or each batch of a campaign, is drawn from a swarm of its own within these options."""

SMALL = Profile(statements=(1, 8), functions=(0, 1), arrays=(1, 1))
"""Shaders that a person can read: for property tests."""

RACE_FREE = replace(DEFAULT, racy=False)

PROFILES = MappingProxyType({"default": DEFAULT, "plain": PLAIN, "small": SMALL, "race-free": RACE_FREE})
"""By the name on the command line; `plain` stays what the first generator drew."""
