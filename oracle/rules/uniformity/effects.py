"""Which variables each statement of a function may change where paths meet: only the values of these meet there."""

from collections.abc import Collection

from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Attribute,
    Binary,
    Call,
    For,
    Function,
    Identifier,
    If,
    Increment,
    Literal,
    Loop,
    Node,
    Switch,
    While,
)
from wgsl_fuzz.wgsl.walk import children

Changes = dict[int, Collection[int]]
"""From `id` of a loop, `if`, `switch`, `&&` or `||` to the `id`s of declarations: variables and pointer parameters.

They are in the order in which the walk meets them, which is the same in every run.
"""

_MEETINGS = frozenset({If, Loop, While, For, Switch})
_CHANGING = frozenset({Assign, Increment, Call})
_LEAVES = frozenset({Identifier, Literal, Attribute})
"""What has nothing below it that changes a variable."""


def changes_in(function: Function, resolution: Resolution) -> Changes:
    """The variables that each of these may change, itself or through a pointer given to a call."""
    found: dict[int, dict[int, None]] = {}
    # Parents come first: each node knows what is around it when it is reached, however deep it is.
    stack: list[tuple[Node, tuple[dict[int, None], ...]]] = [(function.body, ())]
    while stack:
        current, around = stack.pop()
        kind = type(current)
        if kind in _MEETINGS or (kind is Binary and _is_short_circuit(current)):
            around = (*around, found.setdefault(id(current), {}))
        if around and kind in _CHANGING:
            for x in _changed_by(current, resolution):
                for changed in around:
                    changed[x] = None
        stack += [(child, around) for child in children(current) if type(child) not in _LEAVES]
    return {meeting: tuple(changed) for meeting, changed in found.items()}


def _is_short_circuit(node: Node) -> bool:
    return isinstance(node, Binary) and node.operator in ("&&", "||")


def _changed_by(node: Node, resolution: Resolution) -> tuple[int, ...]:
    if isinstance(node, Assign | Increment):
        return (id(resolution.root(node.left)),)
    if isinstance(node, Call):
        return tuple(id(resolution.root(a)) for a in node.arguments if resolution.is_pointer(a))
    return ()
