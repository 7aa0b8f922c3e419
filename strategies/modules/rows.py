"""Rows: one for each construct that is drawn. Whoever adds a construct writes a row and puts it into a table.

A row of an expression draws one of a wanted type; a row of a statement draws one or several statements. `Rows` holds
the rows of a generator, `modules.ROWS` all of them. Motifs are rows of
statements that stand once in a function, for what rates seldom give.
All draw with a `Drawer` and may give up: the drawer then takes something simpler. A profile's `rows` scales the weight
of any row by its name, and so do swarms: a new row needs no other mention.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from wgsl_fuzz.wgsl.builtins import ALL_STAGES, Stage
from wgsl_fuzz.wgsl.syntax import Expression, Statement
from wgsl_fuzz.wgsl.types import Type


class Place(NamedTuple):
    """Where a statement is about to stand."""

    nesting: int
    """How many more blocks may open here."""
    may_return: bool = False
    """Not in a `continuing`; in entry points only if the module was drawn so."""
    may_break: bool = False
    may_continue: bool = False
    in_continuing: bool = False

    def inside(self) -> "Place":
        """The place in a block or branch that stands here."""
        return self._replace(nesting=self.nesting - 1)


D = TypeVar("D")
"""What rows draw with: `drawer.Drawer`, which this file is below of."""


@dataclass(frozen=True, slots=True)
class ExpressionRow(Generic[D]):
    """A construct that has a value."""

    name: str
    weight: int
    fits: Callable[[Type], bool]
    """Whether it can be of a type."""
    draw: Callable[[D, Type, int], Expression | None]
    """Draws it of the type, with at most so many operators on a path; None: not here."""


@dataclass(frozen=True, slots=True)
class StatementRow(Generic[D]):
    """A construct that is a statement."""

    name: str
    weight: int
    draw: Callable[[D, Place], Sequence[Statement]]
    """Draws it, perhaps with declarations before; nothing: not here."""
    least: int = 1
    """The fewest statements that it takes."""
    allowed: Callable[[Place], bool] = lambda _: True
    stages: frozenset[Stage] = ALL_STAGES
    """From where a function that holds it may be reached."""


@dataclass(frozen=True, slots=True)
class Rows(Generic[D]):
    """The rows of a generator."""

    expressions: tuple[ExpressionRow[D], ...]
    statements: tuple[StatementRow[D], ...]
    triggers: tuple[StatementRow[D], ...]
    """Statements that need uniform control flow; a profile says how likely each is where a trigger is owed."""
    motifs: tuple[StatementRow[D], ...] = ()
    """Arrangements of statements of which an entry point has at most one, outside loops."""
    callee_motifs: tuple[StatementRow[D], ...] = ()
    """The same of the end of other functions."""
