"""The edits of the reducer for the whole of WGSL: every way to make a module a little simpler, the boldest first.

Most neighbours are not valid or not interesting, and some are no smaller in `size`: the search finds out.
"""

from collections.abc import Callable, Iterator, Mapping

from wgsl_fuzz.fuzz.reduction import (
    module_expressions,
    module_families,
    module_forget,
    module_functions,
    module_parts,
    module_shapes,
    module_slices,
    module_statements,
)
from wgsl_fuzz.fuzz.reduction.module_context import Context
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Module

Sort = Callable[[Context], Iterator[Module]]
"""A sort of edits: the modules that are one such edit away."""

SORTS: Mapping[str, Sort] = {
    "slices": module_slices.slices,
    "unused": module_forget.unused,
    "entry points": module_functions.one_entry_point,
    "declarations": module_parts.declarations,
    "empty bodies": module_statements.emptied,
    "functions": module_forget.without_function,
    "statements": module_statements.removals,
    "replaced statements": module_statements.replacements,
    "else if": module_statements.headed,
    "names": module_forget.forgotten,
    "calls": module_functions.inlined_calls,
    "named values": module_forget.inlined_values,
    "assigned values": module_forget.propagated,
    "parts": module_parts.without_parts,
    "results": module_functions.without_results,
    "pointers": module_functions.values_for_pointers,
    "members": module_shapes.without_members,
    "structures": module_shapes.single_members,
    "inputs": module_shapes.flattened_inputs,
    "plain inputs": module_shapes.plain_inputs,
    "elements": module_shapes.elements,
    "aliases": module_parts.aliases,
    "same types": module_forget.of_same_type,
    "constants": module_expressions.constants,
    "expressions": module_expressions.simpler,
    "families": module_families.plainer,
    "left sides": module_statements.lefts,
    "stage": module_functions.compute_stage,
    "declared plainly": module_parts.plainer_declarations,
    "numbers": module_shapes.unsigned,
}
"""By name, in the order in which they are tried."""


def neighbours(resolution: Resolution) -> Iterator[tuple[str, Iterator[Module]]]:
    """The modules one edit away, with a name for each sort of edit."""
    ctx = Context(resolution)
    for name, sort in SORTS.items():
        yield name, sort(ctx)
