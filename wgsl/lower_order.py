"""What stands in declarations by name: which functions call which, and how often a name stands in one."""

import heapq
from collections.abc import Sequence

from wgsl_fuzz.wgsl.problems import LoweringProblem
from wgsl_fuzz.wgsl.syntax import (
    Assign,
    Binary,
    Call,
    Const,
    Function,
    Identifier,
    Let,
    Literal,
    Member,
    Node,
    Parameter,
    Variable,
)
from wgsl_fuzz.wgsl.walk import children, descendants


class CalledEarly(Exception):
    """A function is called that stands behind its caller, or calls itself: the functions must be sorted."""


def mentions(root: Node) -> list[str]:
    """The names that stand in a tree, in no order, each as often as it stands there."""
    found: list[str] = []
    todo = [root]
    while todo:
        node = todo.pop()
        match node:  # the most frequent first: this is asked of whole texts
            case Identifier():
                found.append(node.name)
                todo += node.template
            case Literal():
                pass
            case Binary():
                todo += (node.left, node.right)
            case Call():
                todo.append(node.callee)
                todo += node.arguments
            case Assign():
                todo += (node.left, node.right)
            case Const() | Function() | Let() | Member() | Parameter() | Variable():
                found.append(node.name)
                todo += children(node)
            case _:
                todo += children(node)
    return found


def called_first(functions: Sequence[Function]) -> list[int]:
    """Restriction (6): the places of the functions, so that each stands before its callers, else as in the text.

    Raises LoweringProblem at a call that is recursive.
    """
    places = {f.name: i for i, f in enumerate(functions)}
    calls = [_calls(f, places) for f in functions]
    callers: list[list[int]] = [[] for _ in functions]
    for caller, called in enumerate(calls):
        for callee in called:
            callers[callee].append(caller)
    missing = [len(called) for called in calls]
    ready = [i for i, count in enumerate(missing) if count == 0]
    done: list[int] = []
    while ready:
        done.append(heapq.heappop(ready))
        for caller in callers[done[-1]]:
            missing[caller] -= 1
            if missing[caller] == 0:
                heapq.heappush(ready, caller)
    if len(done) < len(functions):
        raise _recursion(functions, calls, set(range(len(functions))) - set(done))
    return done


def _calls(f: Function, places: dict[str, int]) -> dict[int, Call]:
    """The functions called in a body, each with its last call."""
    return {
        places[node.callee.name]: node
        for node in descendants(f.body)
        if isinstance(node, Call) and node.callee.name in places
    }


def _recursion(functions: Sequence[Function], calls: list[dict[int, Call]], stuck: set[int]) -> LoweringProblem:
    """The error at a call in a circle: every function that is stuck calls another."""
    path = [min(stuck)]
    while path[-1] not in path[:-1]:
        path.append(min(stuck & calls[path[-1]].keys()))
    return LoweringProblem(f"{functions[path[-1]].name} is recursive", calls[path[-2]][path[-1]].start)
