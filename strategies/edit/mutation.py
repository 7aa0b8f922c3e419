"""Mutation: a shader near another one. One row a mutation.

An edit only puts a value where one of the same type was, and touches nothing whose type is not known. What else may go
wrong (a name that is gone, a loop that nothing leaves, aliases) is found by `edited`; then the next row is tried.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
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

Edit = Callable[[Subject, Subject], Module]


@dataclass(frozen=True, slots=True)
class Mutation:
    """One mutation: how likely it is, what it does to a parent (with a donor beside), whether the shader grows."""

    weight: int
    edit: Edit
    grows: bool = False


def _alone(edit: Callable[[Subject], Module]) -> Edit:
    return lambda parent, _: edit(parent)


MUTATIONS: dict[str, Mutation] = {
    "delete": Mutation(8, _alone(edits.deleted)),
    "unwrap": Mutation(5, _alone(edits.unwrapped)),
    "tame": Mutation(5, _alone(sources.literal_for_source)),
    "negate": Mutation(2, _alone(forms.negated)),
    "exchange branches": Mutation(3, _alone(edits.branches_exchanged)),
    "exchange clauses": Mutation(3, _alone(edits.clauses_exchanged)),
    "taint": Mutation(8, _alone(partial(edits.replaced_by_atom, sources_only=True))),
    "replace": Mutation(8, _alone(edits.replaced_by_atom)),
    "swap operands": Mutation(3, _alone(edits.operands_swapped)),
    "operator": Mutation(2, _alone(edits.operator_changed)),
    "short circuit": Mutation(4, _alone(edits.short_circuited)),
    "partial": Mutation(5, _alone(edits.made_partial)),
    "compound": Mutation(3, _alone(edits.made_compound)),
    "ignore": Mutation(2, _alone(edits.value_ignored)),
    "retarget": Mutation(4, _alone(edits.retargeted)),
    "assign": Mutation(6, _alone(edits.assignment_inserted)),
    "assign again": Mutation(2, _alone(edits.in_two_steps)),
    "jump": Mutation(7, _alone(edits.jump_inserted)),
    "change jump": Mutation(5, _alone(edits.jump_changed)),
    "break if": Mutation(4, _alone(edits.break_if_changed)),
    "continuing": Mutation(4, _alone(edits.continuing_changed)),
    "loop form": Mutation(4, _alone(forms.loop_for_for)),
    "while form": Mutation(2, _alone(forms.for_for_while)),
    "if form": Mutation(2, _alone(forms.if_for_switch)),
    "switch form": Mutation(2, _alone(forms.switch_for_if)),
    "move": Mutation(8, _alone(edits.moved)),
    "move requirement": Mutation(6, _alone(edits.requirement_moved)),
    "swap": Mutation(5, _alone(edits.swapped)),
    "requirement": Mutation(8, _alone(edits.trigger_inserted)),
    "name": Mutation(2, _alone(values.named), grows=True),
    "branch for operator": Mutation(2, _alone(values.short_circuit_as_if), grows=True),
    "pointer": Mutation(4, _alone(values.pointer_let), grows=True),
    "structure": Mutation(2, _alone(partial(values.in_struct, values.variables)), grows=True),
    "array": Mutation(2, _alone(partial(values.in_array, values.variables)), grows=True),
    "outline": Mutation(4, _alone(outlined), grows=True),
    "copy": Mutation(6, _alone(edits.copied_elsewhere), grows=True),
    "wrap in if": Mutation(6, _alone(edits.wrapped_in_if), grows=True),
    "wrap in loop": Mutation(6, _alone(edits.wrapped_in_loop), grows=True),
    "wrap in switch": Mutation(4, _alone(edits.wrapped_in_switch), grows=True),
    "graft": Mutation(12, grafted, grows=True),
}

_TABLE = Odds([(name, row.weight) for name, row in MUTATIONS.items()])


def randomly_mutated(parent: Resolution, source: ChoiceSource, donor: Resolution | None = None) -> Resolution:
    """A shader one to three mutations from the parent, resolved; valid if the parent is.

    Statements are grafted from the donor, or from the parent itself. It is another shader: only if nothing
    applies is it the parent. A pure function of its arguments and the source's choices.
    """
    source.begin(_MUTATION)
    edited = parent
    with more_stack():
        for _ in range(source.weighted(_STEPS)):
            edited = next((new for _, new in _edits(edited, source, donor)), edited)
    source.end()
    return edited


def mutated(name: str, parent: Resolution, source: ChoiceSource, donor: Resolution | None = None) -> Resolution | None:
    """The parent after one named mutation, resolved; None if it does not apply where it was drawn."""
    subject = Subject(parent, source)
    row = MUTATIONS[name]
    if row.grows and sum(isinstance(n, Statement) for n in descendants(parent.module)) > MOST_STATEMENTS:
        return None
    other = subject if donor is None or source.percent(30) else Subject(donor, source)
    resolution = edited(parent, lambda: row.edit(subject, other))
    return resolution if resolution is not None and _same_meaning(subject, resolution) else None


def _edits(parent: Resolution, source: ChoiceSource, donor: Resolution | None) -> Iterator[tuple[str, Resolution]]:
    """What drawn rows make of a module, with their names."""
    for _ in range(_TRIES):
        name = source.weighted(_TABLE)
        new = mutated(name, parent, source, donor)
        if new is not None:
            yield name, new


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
