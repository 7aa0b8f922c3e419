"""Aliases that WGSL forbids (11.4.1 #alias-analysis): two ways to one memory in a call, one of which writes.

Every function is summed up by what it reads and writes through its pointer parameters and of module-scope variables.
"""

from dataclasses import dataclass, field

from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Call,
    Expression,
    Function,
    Identifier,
    Increment,
)
from wgsl_fuzz.wgsl.walk import descendants


@dataclass(slots=True)
class _Uses:
    """By identity: the roots that a function reads or writes, those of its callees included."""

    read: set[int] = field(default_factory=set)
    written: set[int] = field(default_factory=set)


def has_forbidden_aliases(resolution: Resolution) -> bool:
    """Whether some call may be refused for aliases; more calls than a compiler refuses, as unused pointers count."""
    known: dict[int, _Uses] = {}
    for function in resolution.functions:  # callees first
        uses = _Uses()
        for node in descendants(function.body):
            if isinstance(node, Assign | Increment):
                _note(resolution, node.left, uses.written)
            elif isinstance(node, Identifier):
                _note(resolution, node, uses.read)
            elif isinstance(node, Call) and not _call(resolution, node, uses, known):
                return True
        known[id(function)] = uses
    return False


def _note(resolution: Resolution, e: Expression, into: set[int]) -> None:
    root = resolution.root(e)
    if root is not None:
        into.add(id(root))


def _call(resolution: Resolution, call: Call, uses: _Uses, known: dict[int, _Uses]) -> bool:
    """Adds what a call does; False if it has forbidden aliases."""
    callee = resolution.function(call)
    if callee is None:
        builtin = resolution.builtin(call)
        if builtin is not None and builtin.name.startswith("atomic"):
            _note(resolution, call.arguments[0], uses.written)
        return True
    inner = known[id(callee)]
    parameters = {id(p) for p in callee.parameters}
    uses.read |= inner.read - parameters
    uses.written |= inner.written - parameters
    return _arguments(resolution, callee, call, inner, uses)


def _arguments(resolution: Resolution, callee: Function, call: Call, inner: _Uses, uses: _Uses) -> bool:
    roots: dict[int, tuple[bool, bool]] = {}
    for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
        root = resolution.root(argument) if resolution.pointer(parameter) is not None else None
        if root is None:
            continue
        key, written = id(root), id(parameter) in inner.written
        touched = written or id(parameter) in inner.read
        if written:
            uses.written.add(key)
        also_written, also_touched = roots.get(key, (key in inner.written, key in inner.read | inner.written))
        if (written and also_touched) or (touched and also_written):
            return False
        roots[key] = also_written or written, also_touched or touched
    return True
