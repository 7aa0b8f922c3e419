"""Variants of the rules in words for people: one name and one sentence for each, wherever it is shown."""

from collections.abc import Iterable

from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.places import arm_of, context_of
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, named_variants

_SUBJECTS = {
    "expr": "expressions",
    "values": "joined variables",
    "name": "identifiers",
    "pointer": "pointers",
    "compound": "compound assignments",
    "increment": "`++` and `--`",
    "phony": "`_ =`",
    "callstatement": "call statements",
    "breakif": "`break if`",
    "constassert": "`const_assert`",
    "builtin": "built-in functions",
    "tag": "tags",
    "filter": "diagnostic filters",
    "input": "built-in inputs",
    "table": "built-in functions",
    "proposal": "what a proposal adds",
    "B": "behaviours",
    **{
        name: f"`{name}`"
        for name in ("let", "const", "discard", "switch", "while", "for", "return", "break", "continue", "if")
    },
    "list": "lists of statements",
    "assign": "assignments",
    "call": "calls",
    "loop": "loops",
    "variable": "declarations of variables",
    "block": "blocks",
    "function": "functions",
    "module": "modules",
    "empty": "empty statements",
}
"""What the arms of section 15.2, of the behaviours of 9.7 and of the tables of built-ins are about."""


def variant_named(name: str) -> Variant | None:
    """The variant that has this name; a broken one, too, and one in a context."""
    return named_variants().get(arm_of(name))


def place_in_words(place: str) -> str:
    """`the specification's rule for `switch`: selector`, of `switch/selector`."""
    rule, _, part = place.partition("/")
    told = f": {part.replace('-', ' ') if rule not in ('table', 'input') else part}" if part else ""
    return f"the specification's rule for {_SUBJECTS.get(rule, rule)}{told}"


def branch_in_words(name: str) -> str:
    """What is done to a branch of the rules: `the specification's rule for loops: cf head: under cf`.

    Of a departure that real analyses have, what they do: ``ignores the condition of a `break if``` and its name. What
    is no name of a variant (a user's file, say) stays as it is.
    """
    variant = variant_named(name)
    if variant is not None and variant.does:
        return f"{variant.does} ({name})"
    if variant is None:
        return name
    only = context_of(name)
    told = f"{place_in_words(variant.place)}: {variant.what.replace('-', ' ')}"
    return f"{told}, {context_in_words(only)}" if only else told


_CONTEXTS = {
    "block": "in this block: {}",
    "nest": "below these loops and `switch`es: {}",
    "holds": "around a `{}`",
    "variable": "for this kind of variable: {}",
    "place": "at this place: {}",
    "form": "for a variable named in this form: {}",
    "argument": "for this argument: {}",
    "function": "in this kind of function: {}",
}


def context_in_words(context: str) -> str:
    """Where alone a variant acts: `only in this block: loop in function`, of `block:loop in function`."""
    group, _, which = context.partition(":")
    return f"only {_CONTEXTS[group].format(which)}"


def predicate(name: str) -> str:
    """What an analysis with a departure does: ``ignores the condition of a `break if``` and its name.

    Of a branch that only mutants break: `differs in the specification's rule for ...`.
    """
    said, variant = branch_in_words(name), variant_named(name)
    return said if variant is None or variant.does else f"differs in {said}"


def description(variant: Variant) -> str:
    """What an analysis with a variant does, with what stands in the rules instead."""
    if not variant.place:
        return variant.does
    said = predicate(variant.name)
    return said if variant.does else f"{said}, in place of {variant.branch}"


def predicates(names: Iterable[str]) -> str:
    """What an analysis with all of these departures does."""
    return " and ".join(map(predicate, names))


def change_in_words(name: str) -> str:
    """That one departure, or one change of the rules that no real analysis is known to have, explains findings."""
    if name in DEPARTURES:
        return f"one departure from the specification's rules: it {predicate(name)}"
    return f"one change of the specification's rules: {branch_in_words(name)}"


def coincidence_in_words(name: str) -> str:
    """That a change fits findings, and nothing says that it is their cause."""
    return f"cause unknown; on these shaders it behaves as if it {predicate(name)}"


def rule_in_words(name: str) -> str:
    """The rule that a variant changes, and the branch in its words; a name that is none stays as it is."""
    variant = variant_named(name)
    if variant is None:
        return name
    return f"{place_in_words(variant.place)}: {variant.branch}" if variant.branch else place_in_words(variant.place)
