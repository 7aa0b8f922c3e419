"""What the grammar leaves to whoever writes a text, and what leaves no trace in the tree."""

from collections.abc import Callable
from dataclasses import dataclass

Choice = Callable[[], bool] | None
"""Asked at each place whether to do something there; None never does it."""


def always() -> bool:
    """Does it everywhere."""
    return True


@dataclass(frozen=True, slots=True)
class Layout:
    """Indentation, and the parentheses, commas and semicolons that may be there or not."""

    indent: str = "    "
    bare_operand: Choice = always
    """No parentheses around the operand of a binary operator, where the precedences of both allow that."""
    bare_argument: Choice = always
    """No parentheses around a binary operation in a list."""
    bare_in_unary: Choice = always
    """No parentheses around a literal or a unary operation behind a unary operator."""
    bare_condition: Choice = None
    """No parentheses around a condition."""
    more_parentheses: Choice = None
    """Parentheses around any value."""
    last_comma: Choice = None
    """A comma behind the last of a list."""
    empty_declaration: Choice = None
    """A `;` behind a declaration."""


USUAL = Layout()
"""For people."""
CORE = Layout(indent="  ", bare_operand=None, bare_argument=None, bare_in_unary=None)
"""As `tinywgsl.printer` writes: no precedence rule matters."""
