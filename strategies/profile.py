"""What to draw: sizes, features and weights, as data."""

from dataclasses import dataclass
from types import MappingProxyType

GENERATOR_VERSION = 1
"""Raised whenever a seed gives another shader than before; part of every record (DESIGN, section 5)."""

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


@dataclass(frozen=True, slots=True)
class Profile:
    """The options of the generator; two equal profiles and one seed give one shader."""

    statements: tuple[int, int] = (20, 40)
    """The fewest and the most statements aimed at, in the whole shader."""
    functions: tuple[int, int] = (0, 3)
    """How many functions beside `main`."""
    arrays: tuple[int, int] = (1, 3)
    """How many shared arrays are declared; those never used are dropped."""
    threads: tuple[int, int] = (2, 4)
    """The workgroup size."""
    racy: bool = True
    """False: no data races, by construction. A thread writes and reads its own cells of arrays that only `main` uses;
    all other arrays are only read."""
    main_returns: int = 40
    """The share of shaders, in percent, whose `main` may return and need not end in a barrier (PAPER-NOTES 6)."""
    nesting: int = 5
    """How deeply blocks may stand within blocks."""
    doses: tuple[int, ...] = (0, 5, 10, 15, 20, 30, 40, 60, 100)
    """One is drawn for each shader: the percentage of their weight that `lid` and shared reads keep."""
    weights: Weights = STATEMENTS
    leaves: Weights = LEAVES


DEFAULT = Profile()

SMALL = Profile(statements=(1, 8), functions=(0, 1), arrays=(1, 1))
"""Shaders that a person can read: for property tests."""

RACE_FREE = Profile(racy=False)

PROFILES = MappingProxyType({"default": DEFAULT, "plain": DEFAULT, "small": SMALL, "race-free": RACE_FREE})
"""By the name on the command line; `plain` stays what the first generator drew."""
