"""Metamorphic relations: what must hold between verdicts on two shaders, whatever the right verdicts are.

No reference is needed. Each relation follows from the rules of section 15.2 as they are meant; where the argument is
not plain, it stands beside the relation. The reference keeps all of them, so a target that breaks one disagrees with
itself. "Accepted" means: no error; warnings do not count.

Two facts help. A value is at least as non-uniform as the control flow that it is computed in: its node leads there, or
to MayBeNonUniform. And control flow behind a statement of behaviour {Next} is that in front of it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from wgsl_fuzz.strategies.choices.replay import Choices, ways
from wgsl_fuzz.strategies.choices.source import RecordingSource, Source
from wgsl_fuzz.strategies.edit import transforms_calls as calls
from wgsl_fuzz.strategies.edit import transforms_declarations as modules
from wgsl_fuzz.strategies.edit import transforms_sources as sources
from wgsl_fuzz.strategies.edit import transforms_statements as statements
from wgsl_fuzz.strategies.edit import transforms_values as values
from wgsl_fuzz.strategies.edit.subject import Subject, checked
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Module
from wgsl_fuzz.wgsl.walk import more_stack

_RELATION = 61  # span label


class Implication(Enum):
    """What a relation says of the transformed shader's verdict."""

    ACCEPTED = "it is accepted"
    NOT_ACCEPTED_IF_REJECTED = "if the original is rejected, so is it"
    NOT_REJECTED_IF_ACCEPTED = "if the original is accepted, so is it"
    SAME = "both are accepted or both are rejected"

    def holds(self, before: bool, after: bool) -> bool:
        """Whether two verdicts keep a relation that implies this: True is ACCEPTS, False is REJECTS."""
        match self:
            case Implication.ACCEPTED:
                return after
            case Implication.NOT_ACCEPTED_IF_REJECTED:
                return before or not after
            case Implication.NOT_REJECTED_IF_ACCEPTED:
                return after or not before
            case Implication.SAME:
                return before is after


@dataclass(frozen=True, slots=True)
class Relation:
    """One row: its name, a sentence for people, what it implies, and the transformation (None where inapplicable)."""

    name: str
    sentence: str
    implication: Implication
    transform: Callable[[Subject], Module | None]

    def holds(self, before: bool, after: bool) -> bool:
        """Whether two verdicts keep it: True is ACCEPTS, False is REJECTS; other answers say nothing."""
        return self.implication.holds(before, after)


@dataclass(frozen=True, slots=True)
class RelatedShader:
    """A transformed shader with its names resolved, and the relation that it stands in."""

    relation: Relation
    resolution: Resolution
    choices: Choices = ()
    """What the transformation drew: `every` finds this shader first if it begins with these."""

    @property
    def module(self) -> Module:
        """The tree."""
        return self.resolution.module


def related_shader(resolution: Resolution, source: Source) -> RelatedShader | None:
    """A drawn relation that applies to a valid shader, or None if none does.

    The relations are tried in a drawn order, each once. A pure function of the shader and the source's choices.
    """
    source.begin(_RELATION)
    untried = list(RELATIONS)
    found = None
    while untried:
        relation = untried.pop(source.integer(0, len(untried) - 1))
        recording = RecordingSource(source)
        new = applied(relation, resolution, recording)
        if new is not None:
            found = RelatedShader(relation, new, tuple(recording.choices))
            break
    source.end()
    return found


def applied(relation: Relation, resolution: Resolution, source: Source) -> Resolution | None:
    """The shader transformed and resolved; None if that is no other shader, or no valid one."""
    with more_stack():
        new = relation.transform(Subject(resolution, source))
        return None if new == resolution.module else checked(new)


def every(relation: Relation, resolution: Resolution, most: int, near: Choices = ()) -> Iterator[RelatedShader]:
    """The shaders that a relation's transformation can make of one, each once; of `most` ways to draw it at most.

    The shader that the choices `near` give comes first, then those of almost the same choices. After a small edit of
    the shader, the former twin is therefore found early.
    """
    known: set[str] = set()
    for way in islice(ways(lambda source: applied(relation, resolution, source), near), most):
        text = None if way.made is None else print_module(way.made.module)
        if way.made is not None and text is not None and text not in known:
            known.add(text)
            yield RelatedShader(relation, way.made, way.choices)


_SAME = Implication.SAME
_STRICTER = Implication.NOT_ACCEPTED_IF_REJECTED
_LAXER = Implication.NOT_REJECTED_IF_ACCEPTED

RELATIONS: tuple[Relation, ...] = (
    Relation(
        "no-source",
        "a shader without any source of non-uniformity is accepted",
        Implication.ACCEPTED,
        sources.without_sources,  # nothing leads to MayBeNonUniform
    ),
    Relation(
        "source-for-expression",
        "replacing a value by a source of non-uniformity never turns a rejected shader into an accepted one",
        _STRICTER,
        # Each way through the value's node now ends there, in MayBeNonUniform; the value required nothing.
        sources.source_for_expression,
    ),
    Relation(
        "literal-for-source",
        "replacing a source of non-uniformity by a literal never turns an accepted shader into a rejected one",
        _LAXER,
        # In a callee its parameters may come to affect the result; but it was non-uniform in every call before.
        sources.literal_for_source,
    ),
    Relation("renamed", "another name does not change the verdict", _SAME, modules.renamed),
    Relation("shuffled", "the order of declarations does not change the verdict", _SAME, modules.shuffled),
    Relation("alias", "an alias for a type does not change the verdict", _SAME, modules.type_as_alias),
    Relation(
        "unused-function", "a function that nobody calls does not change the verdict", _SAME, modules.unused_function
    ),
    Relation(
        "unused-parameter",
        "a parameter that its function does not use does not change the verdict",
        _SAME,
        modules.unused_parameter,
    ),
    Relation(
        "unread-variable", "a variable that nobody reads does not change the verdict", _SAME, modules.unread_variable
    ),
    Relation(
        "filter-around-nothing",
        "a diagnostic filter around what has no such requirement does not change the verdict",
        _SAME,
        modules.filter_around_nothing,  # filters look at the call of the built-in function, not through calls
    ),
    Relation(
        "filter-unknown",
        "a diagnostic filter for an unknown rule does not change the verdict",
        _SAME,
        modules.filter_unknown,
    ),
    Relation(
        "error-directive",
        "saying at the top that a diagnostic is an error does not change the verdict",
        _SAME,
        modules.error_directive,
    ),
    Relation(
        "filter-lower",
        "a diagnostic filter that lowers a severity never turns an accepted shader into a rejected one",
        _LAXER,
        modules.filter_off,  # unless a lower one was in force: then it is inside, and nearer to the call
    ),
    Relation("block", "a block around a statement does not change the verdict", _SAME, statements.in_block),
    Relation(
        "switch-around",
        "a switch around a statement, with one default clause, does not change the verdict",
        _SAME,
        statements.in_switch,
    ),
    Relation(
        "loop-around",
        "a loop around some statements, with a break behind them, does not change the verdict",
        _SAME,
        # Behaviours {Break}, {Break, Return} and {Return} have rows without a loop's head; no continuing is reached.
        statements.in_loop,
    ),
    Relation(
        "continuing-moved",
        "moving a continuing and its break if to the body's end does not change the verdict, if nothing else continues",
        _SAME,
        statements.continuing_moved,  # it starts with the variables and the control flow of the body's end
    ),
    Relation("empty-if", "an empty if does not change the verdict", _SAME, statements.empty_if),
    Relation("discard", "a discard does not change the verdict", _SAME, statements.discarded),
    Relation(
        "dead-code",
        "code behind a statement that never goes on does not change the verdict",
        _SAME,
        statements.dead_code,
    ),
    Relation(
        "commuted",
        "swapping neighbours that do not touch each other's variables does not change the verdict",
        _SAME,
        statements.commuted,
    ),
    Relation(
        "switch-for-if", "a switch in place of an if does not change the verdict", _SAME, statements.switch_for_if
    ),
    Relation(
        "if-for-switch",
        "a chain of ifs in place of a switch without break does not change the verdict",
        _SAME,
        statements.if_for_switch,  # each later condition adds nothing: it depends on the same value
    ),
    Relation(
        "loop-for-for",
        "a loop in place of a for or while, as the specification defines it, does not change the verdict",
        _SAME,
        statements.loop_for_for,
    ),
    Relation(
        "for-for-while",
        "a for without header parts in place of a while, or the other way, does not change the verdict",
        _SAME,
        statements.for_for_while,
    ),
    Relation(
        "compound",
        "`x = x op e` in place of `x op= e` does not change the verdict",
        _SAME,
        statements.compound_expanded,
    ),
    Relation(
        "negated",
        "negating a condition and swapping the branches does not change the verdict",
        _SAME,
        statements.negated,
    ),
    Relation("mirrored", "swapping the operands of an operator does not change the verdict", _SAME, values.mirrored),
    Relation(
        "conversion",
        "converting a value to the type that it has does not change the verdict",
        _SAME,
        values.conversion_around,
    ),
    Relation(
        "named",
        "computing part of a statement into a let in front of it does not change the verdict",
        _SAME,
        values.named,
    ),
    Relation(
        "short-circuit",
        "`&&` or `||` as a branch in front of its statement does not change the verdict",
        _SAME,
        values.short_circuit_as_if,  # the branch depends on the left value, as the right operand does
    ),
    Relation(
        "pointer-let",
        "a let that points to what a statement uses does not change the verdict",
        _SAME,
        values.pointer_let,
    ),
    Relation("let-in-struct", "a let of a structure does not change the verdict", _SAME, values.let_in_struct),
    Relation("let-in-array", "a let of an array does not change the verdict", _SAME, values.let_in_array),
    Relation(
        "module-variable-in-struct",
        "a structure around a private or workgroup variable does not change the verdict",
        _SAME,
        values.variable_of_module_in_struct,
    ),
    Relation(
        "constant-variable-in-struct",
        "a structure around a variable that nobody assigns does not change the verdict",
        _SAME,
        values.untouched_variable_in_struct,
    ),
    Relation(
        "variable-in-struct",
        "a structure around a variable never turns a rejected shader into an accepted one",
        _STRICTER,
        values.variable_in_struct,  # assignments become partial, and keep what was there
    ),
    Relation(
        "variable-in-array",
        "an array around a variable never turns a rejected shader into an accepted one",
        _STRICTER,
        values.variable_in_array,
    ),
    Relation(
        "unread",
        "writing one more value, to memory outside of functions, does not change the verdict",
        _SAME,
        sources.stored,  # whatever is stored there, a load of it is non-uniform
    ),
    Relation(
        "inlined",
        "a callee's body in place of its call does not change the verdict, if its only return is its last statement",
        _SAME,
        # The callee's graph with the control flow of the call for its start, and the arguments for its parameters, is
        # what its tags sum up. The callee stays: what it requires counts even if the call stands in dead code.
        calls.inlined,
    ),
    Relation(
        "inlined-pointers",
        "the body of a callee with pointers in place of its call never gets a shader rejected",
        _LAXER,
        calls.inlined_with_pointers,  # one way only, as `outlined`
    ),
    Relation(
        "outlined",
        "a function with pointers in place of some statements never turns a rejected shader into an accepted one",
        _STRICTER,
        calls.outlined,  # one way only: what a pointer leads to depends on the control flow of the call from then on
    ),
    Relation(
        "if-around",
        "putting a statement under a condition, even true, never turns a rejected shader into an accepted one",
        _STRICTER,
        statements.in_if,  # the branches join, and an assignment under it no longer hides what was before
    ),
    Relation(
        "rest-in-else",
        "moving what follows an if, whose branch never goes on, into its else never gets a shader rejected",
        _LAXER,
        statements.rest_in_else,
    ),
    Relation(
        "barrier-removed",
        "removing a barrier never turns an accepted shader into a rejected one",
        _LAXER,
        statements.barrier_removed,
    ),
    Relation(
        "barrier-added",
        "adding a barrier never turns a rejected shader into an accepted one",
        _STRICTER,
        statements.barrier_added,
    ),
)
"""All relations, in order of simplicity of what they do."""

RELATION = {relation.name: relation for relation in RELATIONS}
"""The relations by their names."""
