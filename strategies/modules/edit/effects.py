"""What simple statements read and write, as far as an analysis of uniformity sees it."""

from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Call,
    CallStatement,
    Identifier,
    Increment,
    Let,
    Phony,
    Statement,
    Variable,
)
from wgsl_fuzz.wgsl.walk import descendants

_SIMPLE = (Assign, Increment, Phony, CallStatement, Let, Variable)


def independent(resolution: Resolution, one: Statement, other: Statement) -> bool:
    """Whether two neighbours without blocks may change places.

    Neither may read or write a local variable that the other writes, nor declare what the other names. Memory outside
    of functions has no values in an analysis.
    """
    if not isinstance(one, _SIMPLE) or not isinstance(other, _SIMPLE):
        return False
    if _declared(one) & (_named(other) | _declared(other)) or _declared(other) & _named(one):
        return False
    written, also = _written(resolution, one), _written(resolution, other)
    return written.isdisjoint(also | _read(resolution, other)) and also.isdisjoint(_read(resolution, one))


def _declared(s: Statement) -> set[str]:
    return {s.name} if isinstance(s, Let | Variable) else set()


def _named(s: Statement) -> set[str]:
    return {node.name for node in descendants(s) if isinstance(node, Identifier)}


def _read(resolution: Resolution, s: Statement) -> set[int]:
    roots = (resolution.root(node) for node in descendants(s) if isinstance(node, Identifier))
    return {id(root) for root in roots if root is not None}


def _written(resolution: Resolution, s: Statement) -> set[int]:
    targets = [s.left] if isinstance(s, Assign | Increment) else []
    for node in descendants(s):
        if isinstance(node, Call):
            targets += [e for e in node.arguments if resolution.is_pointer(e)]
    roots = (resolution.root(target) for target in targets)
    return {id(root) for root in roots if root is not None}
