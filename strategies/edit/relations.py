"""Metamorphic relations: what must hold between a target's verdicts on two shaders, whatever the right verdicts are.

No reference is needed. Each relation follows from the rules of section 4.2 and Fig. 8; where the argument is not plain,
it stands beside the relation. The paper's analysis keeps every relation, so a target that breaks one disagrees with
itself.

Many of the arguments use one fact: any value is at least as non-uniform as the control flow `cf` that it is computed
in. The node of an expression has a path to `cf`, or leads to MayBeNonUnif alone (an expression of sources only). In the
second case a path from MustBeUnif through the node reaches MayBeNonUnif at once, and the shader is rejected anyway.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from wgsl_fuzz.strategies.choices.replay import Choices, ways
from wgsl_fuzz.strategies.choices.source import RecordingSource, Source
from wgsl_fuzz.strategies.edit import transforms
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.rewrite import checked

_RELATION = 51  # span label


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
    transform: Callable[[Shader, Source], Shader | None]


@dataclass(frozen=True, slots=True)
class RelatedShader:
    """A transformed shader, well-formed and in canonical numbers, and the relation that it stands in."""

    relation: Relation
    shader: Shader
    choices: Choices = ()
    """What the transformation drew: `every` finds this shader first if it begins with these."""


def broken(relation: Relation, before: bool, after: bool) -> bool:
    """Whether a target's verdicts break a relation: True is ACCEPTS, False is REJECTS; other answers say nothing."""
    return not relation.implication.holds(before, after)


def related(shader: Shader, source: Source) -> RelatedShader | None:
    """A drawn relation that applies to a well-formed shader (whose `main` may return), or None if none does.

    The relations are tried from a drawn one on, each once. A pure function of the shader and the source's choices.
    """
    source.begin(_RELATION)
    first = source.integer(0, len(RELATIONS) - 1)
    found = None
    for k in range(len(RELATIONS)):
        relation = RELATIONS[(first + k) % len(RELATIONS)]
        recording = RecordingSource(source)
        new = applied(relation, shader, recording)
        if new is not None:
            found = RelatedShader(relation, new, tuple(recording.choices))
            break
    source.end()
    return found


def applied(relation: Relation, shader: Shader, source: Source) -> Shader | None:
    """The shader transformed, checked and renumbered; None if that is not well-formed, or the shader itself."""
    transformed = relation.transform(shader, source)
    new = None if transformed is None else checked(shader, transformed)
    return None if new == shader else new


def every(relation: Relation, shader: Shader, most: int, near: Choices = ()) -> Iterator[RelatedShader]:
    """The shaders that a relation's transformation can make of one, each once; of `most` ways to draw it at most.

    The shader that the choices `near` give comes first, then those of almost the same choices. After a small edit of
    the shader, the former twin is therefore found early. All of them are given if there are fewer ways than `most`.
    """
    known: set[Shader] = set()
    for way in islice(ways(lambda source: applied(relation, shader, source), near), most):
        if way.made is not None and way.made not in known:
            known.add(way.made)
            yield RelatedShader(relation, way.made, way.choices)


RELATIONS: tuple[Relation, ...] = (
    Relation(
        "no-source",
        "a shader without any source of non-uniformity is accepted",
        Implication.ACCEPTED,
        transforms.without_sources,  # nothing leads to MayBeNonUnif
    ),
    Relation(
        "lid-for-expression",
        "replacing a literal, or any expression of main, by lid never turns a rejected shader into an accepted one",
        Implication.NOT_ACCEPTED_IF_REJECTED,
        transforms.lid_for_expression,  # expressions demand nothing, and lid's node is the most non-uniform of all
    ),
    Relation(
        "literal-for-source",
        "replacing a source of non-uniformity by a literal never turns an accepted shader into a rejected one",
        Implication.NOT_REJECTED_IF_ACCEPTED,
        # In a callee its parameters may come to affect the result; but it was non-uniform in every call before.
        transforms.literal_for_source,
    ),
    Relation(
        "barrier-removed",
        "removing a barrier never turns an accepted shader into a rejected one",
        Implication.NOT_REJECTED_IF_ACCEPTED,
        transforms.barrier_removed,  # a demand less; a barrier has behaviour {Next}, as nothing has
    ),
    Relation(
        "barrier-added",
        "adding a barrier never turns a rejected shader into an accepted one",
        Implication.NOT_ACCEPTED_IF_REJECTED,
        transforms.barrier_added,
    ),
    Relation(
        "dead-code",
        "code behind a statement that never goes on, such as `break`, does not change the verdict",
        Implication.SAME,
        transforms.dead_code,  # neither Fig. 8 nor UG_stmt looks at the tail of such a list
    ),
    Relation(
        "inlined",
        "a callee's body in place of its call does not change the verdict, if its only return is its last statement",
        Implication.SAME,
        # A callee's graph with `cf` for CfStart and the arguments for its parameters is what its summary sums up;
        # without other returns, control flow at its top level stays CfStart. The callee stays declared: its own
        # violation counts even if the call stands in dead code, where its inlined body is not analysed.
        transforms.call_inlined,
    ),
    Relation(
        "negated",
        "negating the condition of an if and swapping its branches does not change the verdict",
        Implication.SAME,
        transforms.negated,
    ),
    Relation(
        "wrapped-in-if",
        "putting a statement under a condition, even true, never turns a rejected shader into an accepted one",
        Implication.NOT_ACCEPTED_IF_REJECTED,
        # Not the same even for `true`: the branches join, and an assignment under it no longer hides what was before.
        # Control flow and variables keep the edges they had, and the behaviour Next only makes more code reachable.
        transforms.wrapped_in_if,
    ),
    Relation(
        "loop-once",
        "putting statements into a loop that runs once, for it breaks behind them, does not change the verdict",
        Implication.SAME,
        # No continue is reached: the head joins nothing (Figs. 10c, 10d), and control flow leaves as it ended. If not
        # even the break is reached, neither is a `break if` in the continuing (Fig. 10b).
        transforms.loop_once,
    ),
    Relation(
        "continuing-moved",
        "moving a continuing and its break if to the body's end does not change the verdict, if nothing else continues",
        Implication.SAME,
        # The continuing starts with the variables and the control flow of that one continue, which is what the body's
        # end has. If no continue is reached, the body's behaviour is {Return} (Fig. 10b) or has a Break in it.
        transforms.continuing_moved,
    ),
    Relation(
        "named",
        "computing part of an expression into a new variable in front of its statement does not change the verdict",
        Implication.SAME,
        transforms.named,  # what the variable's node adds is an edge to `cf`: see above
    ),
    Relation(
        "rest-in-else",
        "moving what follows an if, whose then-branch never goes on, into its else never gets a shader rejected",
        Implication.NOT_REJECTED_IF_ACCEPTED,
        # One way only: behind the `if`, control flow depends on how the then-branch left; in the else, only on `e`.
        transforms.rest_in_else,
    ),
    Relation(
        "commuted",
        "swapping neighbours that do not touch each other's variables does not change the verdict",
        Implication.SAME,
        transforms.commuted,  # assignments leave control flow alone, and barriers leave variables alone
    ),
    Relation(
        "unread",
        "writing one more value, to shared memory or to a new variable, does not change the verdict",
        Implication.SAME,
        transforms.unread,
    ),
    Relation(
        "mirrored",
        "swapping the operands of an operator, such as `a < b` to `b > a`, does not change the verdict",
        Implication.SAME,
        transforms.mirrored,
    ),
)
"""All relations, in order of simplicity of what they do."""

RELATION = {relation.name: relation for relation in RELATIONS}
"""The relations by their names."""
