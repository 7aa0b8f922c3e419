"""Mutation: a shader near another one. One row a mutation.

An edit only puts a value where one of the same type was, and touches nothing whose type is not known. What else may go
wrong (a name that is gone, a loop that nothing leaves, aliases) is found by `edited`; then the next row is tried.
"""

from collections.abc import Callable
from functools import partial

from wgsl_fuzz.strategies.choices.source import ChoiceSource, Odds
from wgsl_fuzz.strategies.edit import mutation_edits as edits
from wgsl_fuzz.strategies.edit import transforms_sources as sources
from wgsl_fuzz.strategies.edit import transforms_statements as forms
from wgsl_fuzz.strategies.edit import transforms_values as values
from wgsl_fuzz.strategies.edit.grafting import grafted
from wgsl_fuzz.strategies.edit.subject import Subject, edited
from wgsl_fuzz.strategies.edit.transforms_calls import outlined
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Identifier, Module, Statement
from wgsl_fuzz.wgsl.types import ValueTypes
from wgsl_fuzz.wgsl.walk import descendants, more_stack

MOST_STATEMENTS = 400
"""Larger shaders do not grow: parents that are their own children would."""

_MUTATION = 62  # span label
_STEPS = Odds([(1, 5), (2, 3), (3, 2)])
_TRIES = 12
"""So many rows are tried for one step."""

Edit = Callable[[Subject], Module]

_GROWING: dict[str, tuple[int, Edit]] = {
    "name": (2, values.named),
    "branch for operator": (2, values.short_circuit_as_if),
    "pointer": (4, values.pointer_let),
    "structure": (2, partial(values.in_struct, values.variables)),
    "array": (2, partial(values.in_array, values.variables)),
    "outline": (4, outlined),
    "copy": (6, edits.copied_elsewhere),
    "wrap in if": (6, edits.wrapped_in_if),
    "wrap in loop": (6, edits.wrapped_in_loop),
    "wrap in switch": (4, edits.wrapped_in_switch),
    "graft": (12, grafted),
}
"""With these the shader grows."""
MUTATIONS: dict[str, tuple[int, Edit]] = {
    "delete": (8, edits.deleted),
    "unwrap": (5, edits.unwrapped),
    "tame": (5, sources.literal_for_source),
    "negate": (2, forms.negated),
    "exchange branches": (3, edits.branches_exchanged),
    "exchange clauses": (3, edits.clauses_exchanged),
    "taint": (8, partial(edits.replaced_by_atom, sources_only=True)),
    "replace": (8, edits.replaced_by_atom),
    "swap operands": (3, edits.operands_swapped),
    "operator": (2, edits.operator_changed),
    "short circuit": (4, edits.short_circuited),
    "partial": (5, edits.made_partial),
    "compound": (3, edits.made_compound),
    "ignore": (2, edits.value_ignored),
    "retarget": (4, edits.retargeted),
    "assign": (6, edits.assignment_inserted),
    "assign again": (2, edits.in_two_steps),
    "jump": (7, edits.jump_inserted),
    "change jump": (5, edits.jump_changed),
    "break if": (4, edits.break_if_changed),
    "continuing": (4, edits.continuing_changed),
    "loop form": (4, forms.loop_for_for),
    "while form": (2, forms.for_for_while),
    "if form": (2, forms.if_for_switch),
    "switch form": (2, forms.switch_for_if),
    "move": (8, edits.moved),
    "move requirement": (6, edits.requirement_moved),
    "swap": (5, edits.swapped),
    "requirement": (8, edits.trigger_inserted),
    **_GROWING,
}
"""By name: how likely it is, and what it does."""
_TABLE = Odds([(name, weight) for name, (weight, _) in MUTATIONS.items()])


def randomly_mutated(parent: Resolution, source: ChoiceSource, donor: Resolution | None = None) -> Resolution:
    """A shader one to three mutations from the parent, resolved; valid if the parent is.

    Statements are grafted from the donor, or from the parent itself. It is another shader: only if nothing
    applies is it the parent. A pure function of its arguments and the source's choices.
    """
    source.begin(_MUTATION)
    shader = parent
    with more_stack():
        for _ in range(source.weighted(_STEPS)):
            tries = (mutated(source.weighted(_TABLE), shader, source, donor) for _ in range(_TRIES))
            shader = next(filter(None, tries), shader)
    source.end()
    return shader


def mutated(name: str, parent: Resolution, source: ChoiceSource, donor: Resolution | None = None) -> Resolution | None:
    """The parent after one named mutation, resolved; None if it does not apply where it was drawn."""
    if name in _GROWING and sum(isinstance(n, Statement) for n in descendants(parent.module)) > MOST_STATEMENTS:
        return None
    subject = Subject(parent, source)
    if donor is not None and not source.percent(30):
        subject.donor = Subject(donor, source)
    resolution = edited(parent, lambda: MUTATIONS[name][1](subject))
    return resolution if resolution is not None and _same_meaning(subject, resolution) else None


def _same_meaning(parent: Subject, after: Resolution) -> bool:
    """Whether the names that stay stand for something of the same kind and type: nothing was hidden or laid bare."""
    before, old, new = parent.resolution, parent.types, ValueTypes(after)
    for node in descendants(after.module):
        if not isinstance(node, Identifier):
            continue
        was, now = before.declaration(node), after.declaration(node)
        if was is None or was is now:
            continue
        if now is None or type(was) is not type(now) or old.declared(was) != new.declared(now):
            return False
    return True
