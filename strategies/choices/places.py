"""Insertion points of statements, and what may stand there."""

from typing import NamedTuple


class Slot(NamedTuple):
    """Where a statement is about to stand."""

    in_loop: bool
    """`break` is legal."""
    may_return: bool
    """`return` is legal: not in a `continuing`, and in `main` only if the shader was drawn so."""
    nesting: int
    """How many more blocks may open here."""
    may_continue: bool = False
    """`continue` is legal, and the loop around is not one that its body leaves."""

    def inside(self) -> "Slot":
        """The place in a branch of an `if` that stands here."""
        return Slot(self.in_loop, self.may_return, self.nesting - 1, self.may_continue)
