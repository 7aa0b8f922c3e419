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
from functools import partial
from itertools import islice

from wgsl_fuzz.strategies.choices.replay import Choices, ways
from wgsl_fuzz.strategies.choices.source import ChoiceSource, RecordingSource
from wgsl_fuzz.strategies.edit import transforms_calls as calls
from wgsl_fuzz.strategies.edit import transforms_declarations as modules
from wgsl_fuzz.strategies.edit import transforms_sources as sources
from wgsl_fuzz.strategies.edit import transforms_statements as statements
from wgsl_fuzz.strategies.edit import transforms_values as values
from wgsl_fuzz.strategies.edit.subject import Subject, edited
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


Transform = Callable[[Subject], Module]
"""Makes the other shader, or raises Misfit."""


@dataclass(frozen=True, slots=True)
class Relation:
    """One row: its name, a sentence for people, what it implies, and the transformation."""

    name: str
    sentence: str
    implication: Implication
    transform: Transform
    what: str = ""
    """What the transformed shader has: the subject of the sentence."""


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


def related_shader(resolution: Resolution, source: ChoiceSource) -> RelatedShader | None:
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


def applied(relation: Relation, resolution: Resolution, source: ChoiceSource) -> Resolution | None:
    """The shader transformed and resolved; None if that is no other shader, or no valid one."""
    with more_stack():
        return edited(resolution, lambda: relation.transform(Subject(resolution, source)))


def every(relation: Relation, resolution: Resolution, most: int, near: Choices = ()) -> Iterator[RelatedShader]:
    """The shaders that a relation's transformation can make of one, each once; of `most` ways to draw it at most.

    The shader that the choices `near` give comes first, then those of almost the same choices. After a small edit of
    the shader, the former twin is therefore found early.
    """
    known: set[str] = set()
    for made, choices in islice(ways(lambda source: applied(relation, resolution, source), near), most):
        text = "" if made is None else print_module(made.module)
        if made is not None and text not in known:
            known.add(text)
            yield RelatedShader(relation, made, choices)


def _same(name: str, what: str, transform: Transform) -> Relation:
    return Relation(name, f"{what} does not change the verdict", Implication.SAME, transform, what.rstrip(","))


def _stricter(name: str, what: str, transform: Transform) -> Relation:
    sentence = f"{what} never turns a rejected shader into an accepted one"
    return Relation(name, sentence, Implication.NOT_ACCEPTED_IF_REJECTED, transform, what.rstrip(","))


def _laxer(name: str, what: str, transform: Transform) -> Relation:
    sentence = f"{what} never turns an accepted shader into a rejected one"
    return Relation(name, sentence, Implication.NOT_REJECTED_IF_ACCEPTED, transform, what.rstrip(","))


RELATIONS: tuple[Relation, ...] = (
    # Nothing leads to MayBeNonUniform.
    Relation(
        "no-source",
        "a shader without any source of non-uniformity is accepted",
        Implication.ACCEPTED,
        sources.without_sources,
    ),
    # Each way through the value's node now ends there, in MayBeNonUniform; the value required nothing.
    _stricter(
        "source-for-expression", "replacing a value by a source of non-uniformity", sources.source_for_expression
    ),
    # In a callee its parameters may come to affect the result; but it was non-uniform in every call before.
    _laxer("literal-for-source", "replacing a source of non-uniformity by a literal", sources.literal_for_source),
    _same("renamed", "another name", modules.renamed),
    _same("shuffled", "the order of declarations", modules.shuffled),
    _same("alias", "an alias for a type", modules.type_as_alias),
    _same("unused-function", "a function that nobody calls", modules.unused_function),
    _same("unused-parameter", "a parameter that its function does not use", modules.unused_parameter),
    _same("unread-variable", "a variable that nobody reads", modules.unread_variable),
    # Filters look at the call of the built-in function, not through calls.
    _same(
        "filter-around-nothing",
        "a diagnostic filter around what has no such requirement",
        partial(modules.filtered, "off", without_trigger=True),
    ),
    _same(
        "filter-unknown",
        "a diagnostic filter for an unknown rule",
        partial(modules.filtered, "error", rules=("vendor.rule",)),
    ),
    _same("error-directive", "saying at the top that a diagnostic is an error", modules.error_directive),
    # Unless a lower one was in force: then it is inside, and nearer to the call.
    _laxer("filter-lower", "a diagnostic filter that lowers a severity", partial(modules.filtered, None)),
    _same("block", "a block around a statement", statements.in_block),
    _same("switch-around", "a switch around a statement, with one default clause,", statements.in_switch),
    # Behaviours {Break}, {Break, Return} and {Return} have rows without a loop's head; no continuing is reached.
    _same("loop-around", "a loop around some statements, with a break behind them,", statements.in_loop),
    # It starts with the variables and the control flow of the body's end.
    Relation(
        "continuing-moved",
        "moving a continuing and its break if to the body's end does not change the verdict, if nothing else continues",
        Implication.SAME,
        statements.continuing_moved,
        "a continuing and its break if moved to the body's end",
    ),
    _same("empty-if", "an empty if", statements.empty_if),
    _same("discard", "a discard", statements.discarded),
    _same("dead-code", "code behind a statement that never goes on", statements.dead_code),
    _same("commuted", "swapping neighbours that do not touch each other's variables", statements.commuted),
    _same("switch-for-if", "a switch in place of an if", statements.switch_for_if),
    # Each later condition adds nothing: it depends on the same value.
    _same("if-for-switch", "a chain of ifs in place of a switch without break", statements.if_for_switch),
    _same(
        "loop-for-for", "a loop in place of a for or while, as the specification defines it,", statements.loop_for_for
    ),
    _same(
        "for-for-while", "a for without header parts in place of a while, or the other way,", statements.for_for_while
    ),
    _same("compound", "`x = x op e` in place of `x op= e`", statements.compound_expanded),
    _same("negated", "negating a condition and swapping the branches", statements.negated),
    _same("mirrored", "swapping the operands of an operator", values.mirrored),
    _same("conversion", "converting a value to the type that it has", values.conversion_around),
    _same("named", "computing part of a statement into a let in front of it", values.named),
    # The branch depends on the left value, as the right operand does.
    _same("short-circuit", "`&&` or `||` as a branch in front of its statement", values.short_circuit_as_if),
    _same("pointer-let", "a let that points to what a statement uses", values.pointer_let),
    _same("let-in-struct", "a let of a structure", partial(values.in_struct, values.lets)),
    _same("let-in-array", "a let of an array", partial(values.in_array, values.lets)),
    _same(
        "module-variable-in-struct",
        "a structure around a private or workgroup variable",
        partial(values.in_struct, values.variables_of_module),
    ),
    _same(
        "constant-variable-in-struct",
        "a structure around a variable that nobody assigns",
        partial(values.in_struct, values.untouched_variables),
    ),
    # Assignments become partial, and keep what was there.
    _stricter("variable-in-struct", "a structure around a variable", partial(values.in_struct, values.variables)),
    _stricter("variable-in-array", "an array around a variable", partial(values.in_array, values.variables)),
    # Whatever is stored there, a load of it is non-uniform.
    _same("unread", "writing one more value, to memory outside of functions,", sources.stored),
    # The callee's graph with the control flow of the call for its start, and the arguments for its parameters, is
    # what its tags sum up. The callee stays: what it requires counts even if the call stands in dead code.
    Relation(
        "inlined",
        "a callee's body in place of its call does not change the verdict, if its only return is its last statement",
        Implication.SAME,
        calls.inlined,
        "a callee's body in place of its call",
    ),
    # One way only, as `outlined`.
    _laxer(
        "inlined-pointers",
        "the body of a callee with pointers in place of its call",
        partial(calls.inlined, with_pointers=True),
    ),
    # One way only: what a pointer leads to depends on the control flow of the call from then on.
    _stricter("outlined", "a function with pointers in place of some statements", calls.outlined),
    # The branches join, and an assignment under it no longer hides what was before.
    _stricter("if-around", "putting a statement under a condition, even true,", statements.in_if),
    _laxer(
        "rest-in-else", "moving what follows an if, whose branch never goes on, into its else", statements.rest_in_else
    ),
    _laxer("barrier-removed", "removing a barrier", statements.barrier_removed),
    _stricter("barrier-added", "adding a barrier", statements.barrier_added),
)
"""All relations, in order of simplicity of what they do."""

RELATION = {relation.name: relation for relation in RELATIONS}
"""The relations by their names."""
