"""Departures from the rules in words for people: one name and one sentence for each, wherever it is shown.

They are departures from the paper's rules for TinyWGSL, or from section 15.2 of the specification for the whole
language; no name is in both tables.

A line of a rule is always said with its rule, as `the paper's rule for loops, line 8`: beside a shader, a bare line 8
is the shader's.
"""

from collections.abc import Iterable

from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.coverage import arms
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES as WHOLE_DEPARTURES
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants
from wgsl_fuzz.oracle.rules.variants import DEPARTURES as PAPER_DEPARTURES
from wgsl_fuzz.oracle.rules.variants import KILLABLE, VARIANTS

DEPARTURES = {**PAPER_DEPARTURES, **WHOLE_DEPARTURES}
"""What compilers and older texts really do otherwise, by name: from the paper's rules and from the specification's."""

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


_WHOLE_SUBJECTS = {
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
    "B": "behaviours",
    **{name: f"`{name}`" for name in ("let", "const", "discard", "switch", "while", "for")},
    **{name: _SUBJECTS[name] for name in ("list", "assign", "return", "break", "continue", "if", "call", "loop")},
    "variable": "declarations of variables",
    "block": "blocks",
    "function": "functions",
    "module": "modules",
    "empty": "empty statements",
}
"""What the arms of section 15.2, of the behaviours of 9.7 and of the tables of built-ins are about."""


def variant_named(name: str) -> Variant | None:
    """The variant of either language that has this name; a broken one, too."""
    return VARIANTS.get(name) or all_variants().get(name)


def is_of_paper(name: str) -> bool:
    """Whether a name is that of a variant of the paper's rules; if of none, it is taken for one."""
    return name in VARIANTS or name in PAPER_DEPARTURES or name not in all_variants()


def whole_place_in_words(place: str) -> str:
    """`the specification's rule for `switch`: selector`, of `switch/selector`."""
    rule, _, part = place.partition("/")
    told = f": {part.replace('-', ' ') if rule not in ('table', 'input') else part}" if part else ""
    return f"the specification's rule for {_WHOLE_SUBJECTS.get(rule, rule)}{told}"


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
    if place and not is_of_paper(name):
        return f"{whole_place_in_words(place)}: {what.replace('-', ' ')}"
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
    rules = "the paper's rules" if is_of_paper(name) else "the specification's rules"
    if name in DEPARTURES:
        return f"one departure from {rules}: it {predicate(name)}"
    return f"one change of {rules}: {branch_in_words(name)}"


def others_in_words(count: int) -> str:
    """That other single changes fit as well as the likeliest one: `; 2 others fit as well`; empty if none does."""
    return f"; {count} {'others fit' if count > 1 else 'other fits'} as well" if count > 0 else ""


def coincidence_in_words(name: str, fitting: int) -> str:
    """That a change fits findings, and nothing says that it is their cause; `fitting` changes do.

    `cause unknown; of 149 single changes of the paper's rules only this one fits: ...`
    """
    tried, whose = (KILLABLE, "paper") if is_of_paper(name) else (arms(), "specification")
    fits = {0: "none fits all findings; this one fits some", 1: "only this one fits"}.get(
        fitting, f"{fitting} fit, such as this one"
    )
    return f"cause unknown; of {len(tried)} single changes of the {whose}'s rules {fits}: {branch_in_words(name)}"


def rule_in_words(name: str) -> str:
    """Where the paper has the branch that a departure changes, and its words: `the paper's rule for loops, line 5:
    (M_head(x), M(x))`.
    """
    place, _ = _parts(name)
    variant = variant_named(name)
    words = f": {variant.branch}" if variant is not None else ""
    told = place_in_words(place) if is_of_paper(name) else whole_place_in_words(place)
    return f"{told}{words}" if place else name


def _parts(name: str) -> tuple[str, str]:
    """The place and what is done there; of a name without a place two empty texts."""
    variant = variant_named(name)
    if variant is not None:
        return variant.place, variant.what
    place, _, what = name.rpartition("/")  # another version's, unless it is a path
    rule = place.partition("/")[0]
    return (place, what) if "/" in place and rule in {*_SUBJECTS, "B", "expr"} else ("", "")
