"""Which variables each loop of a function may change: only these have values that meet at the loop's head."""

from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Assign, Call, For, Function, Increment, Loop, Node, While
from wgsl_fuzz.wgsl.walk import children

Changes = dict[int, frozenset[int]]
"""From `id` of a loop to the `id`s of declarations: variables and pointer parameters."""


def changes_in(function: Function, resolution: Resolution) -> Changes:
    """The variables that each loop of the function may change, itself or through a pointer given to a call."""
    found: dict[int, set[int]] = {}
    # Parents come first: each node knows the loops around it when it is reached, however deep it is.
    stack: list[tuple[Node, tuple[set[int], ...]]] = [(function.body, ())]
    while stack:
        current, loops = stack.pop()
        if isinstance(current, Loop | While | For):
            loops = (*loops, found.setdefault(id(current), set()))
        for x in _changed_by(current, resolution) if loops else ():
            for changed in loops:
                changed.add(x)
        stack += ((child, loops) for child in children(current))
    return {loop: frozenset(changed) for loop, changed in found.items()}


def _changed_by(node: Node, resolution: Resolution) -> set[int]:
    match node:
        case Assign() | Increment():
            return {id(resolution.root(node.left))}
        case Call():
            return {id(resolution.root(a)) for a in node.arguments if resolution.is_pointer(a)}
        case _:
            return set()
