"""Which variables each statement of a function may change where paths meet: only the values of these meet there."""

from collections.abc import Collection, Sequence

from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Binary, Call, Function
from wgsl_fuzz.wgsl.walk import descendants

Changes = dict[int, Collection[int]]
"""From `id` of a loop, `if`, `switch`, `&&` or `||` to the `id`s of declarations: variables and pointer parameters.

They are in the order of the text, assigned ones first, which is the same in every run.
"""

_Roots = tuple[int, ...]


def changes_in(function: Function, resolution: Resolution) -> Changes:
    """The variables that each of these may change, itself or through a pointer given to a call."""
    places = resolution.places
    (_, start, end), *extents = places.extents[id(function)]
    short_circuits = places.short_circuits[start.short_circuits : end.short_circuits]
    if not extents and not short_circuits:
        return {}
    assigned = [(id(resolution.root(left)),) for left in places.targets[start.targets : end.targets]]
    calls = places.calls[start.calls : end.calls]
    given = [_given(call, resolution) for call in calls]
    found: Changes = {
        node: _union(
            assigned[first.targets - start.targets : last.targets - start.targets],
            given[first.calls - start.calls : last.calls - start.calls],
        )
        for node, first, last in extents
    }
    by_call = {id(call): roots for call, roots in zip(calls, given, strict=True) if roots}
    found.update((id(e), _given_in(e, by_call)) for e in short_circuits)
    return found


def _union(assigned: Sequence[_Roots], given: Sequence[_Roots]) -> _Roots:
    return tuple({x: None for roots in (*assigned, *given) for x in roots})


def _given(call: Call, resolution: Resolution) -> _Roots:
    """What the pointers point to that a call is given."""
    return tuple([id(resolution.root(a)) for a in call.arguments if resolution.is_pointer(a)])


def _given_in(e: Binary, by_call: dict[int, _Roots]) -> _Roots:
    """What the pointers point to that the calls in an expression are given."""
    return tuple({x: None for node in descendants(e) for x in by_call.get(id(node), ())}) if by_call else ()
