"""Departures from the paper's rules in words for people: one name and one sentence for each, wherever it is shown.

A line of a rule is always said with its rule, as `the paper's rule for loops, line 8`: beside a shader, a bare line 8
is the shader's.
"""

from collections.abc import Iterable

from wgsl_fuzz.oracle.rules.variants import DEPARTURES, VARIANTS

_SUBJECTS = {
    "list": "lists of statements",
    "assign": "assignments",
    "shared-assign": "assignments to shared memory",
    "barrier": "barriers",
    "return": "`return`",
    "break": "`break`",
    "continue": "`continue`",
    "if": "`if`",
    "call": "calls",
    "loop": "loops",
    "func": "functions",
    "shader": "whole shaders",
}
"""What the rules of section 4.2 and the cases of Fig. 8 are about."""
_EXPRESSIONS = {
    "lid": "`lid`",
    "shared-read": "reads of shared memory",
    "literal": "literals",
    "local": "reads of variables",
    "binary": "operations of two operands",
    "unary": "operations of one operand",
    "convert": "conversions",
}
"""What the cases of Fig. 9 are about."""
_LINE = "line-"


def place_in_words(place: str) -> str:
    """`the paper's rule for loops, line 8`, of `loop/line-8`."""
    rule, _, part = place.partition("/")
    if rule == "B":
        return f"the paper's behaviour of {_SUBJECTS.get(part, part)} (Fig. 8)"
    if rule == "expr":
        return f"the paper's rule for {_EXPRESSIONS.get(part, part)} (Fig. 9)"
    line = f", line {part.removeprefix(_LINE)}" if part.startswith(_LINE) else ""
    return f"the paper's rule for {_SUBJECTS.get(rule, rule)}{line}"


def branch_in_words(name: str) -> str:
    """What is done to a branch of the rules: `the paper's rule for loops, line 8: under cf`.

    Of a departure that real analyses have, what they do: ``ignores the condition of a `break if` (10a)``. What is no
    name of a departure (a user's file, say) stays as it is.
    """
    if name in DEPARTURES:
        return f"{DEPARTURES[name].does} ({name})"
    place, what = _parts(name)
    return f"{place_in_words(place)}: {what.replace('-', ' ')}" if place else name


def predicate(name: str) -> str:
    """What an analysis with a departure does: ``ignores the condition of a `break if` (10a)``.

    Of a branch that only mutants break: `differs in the paper's rule for loops, line 8: under cf`.
    """
    said = branch_in_words(name)
    return f"differs in {said}" if name not in DEPARTURES and _parts(name)[0] else said


def predicates(names: Iterable[str]) -> str:
    """What an analysis with all of these departures does."""
    return " and ".join(map(predicate, names))


def change_in_words(name: str) -> str:
    """That one departure, or one change of the rules that no real analysis is known to have, explains findings."""
    if name in DEPARTURES:
        return f"one departure from the paper's rules: it {predicate(name)}"
    return f"one change of the paper's rules: {branch_in_words(name)}"


def rule_in_words(name: str) -> str:
    """Where the paper has the branch that a departure changes, and its words: `the paper's rule for loops, line 5:
    (M_head(x), M(x))`.
    """
    place, _ = _parts(name)
    words = f": {VARIANTS[name].branch}" if name in VARIANTS else ""
    return f"{place_in_words(place)}{words}" if place else name


def _parts(name: str) -> tuple[str, str]:
    """The place and what is done there; of a name without a place two empty texts."""
    variant = VARIANTS.get(name)
    if variant is not None:
        return variant.place, variant.what
    place, _, what = name.rpartition("/")  # another version's, unless it is a path
    rule = place.partition("/")[0]
    return (place, what) if "/" in place and rule in {*_SUBJECTS, "B", "expr"} else ("", "")
