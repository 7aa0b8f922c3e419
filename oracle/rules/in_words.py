"""Variants of the rules in words for people: one name and one sentence for each, wherever it is shown."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.places import arm_of, context_of
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, named_variants
from wgsl_fuzz.wgsl.lexer import KEYWORDS


@cache
def _words() -> dict[str, dict[str, str]]:
    """The tables of the data file beside this one, which says what is in them."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def variant_named(name: str) -> Variant | None:
    """The variant that has this name; a broken one, too, and one in a context."""
    return named_variants().get(arm_of(name))


def _subject(rule: str, statement: str) -> str:
    """What a rule is about, of which there are several, or a `statement` with its keyword."""
    return _words()["subjects"].get(rule) or (statement.format(f"`{rule}`") if rule in KEYWORDS else f"{rule}s")


def place_in_words(place: str) -> str:
    """`the specification's rule for `switch`: selector`, of `switch/selector`."""
    rule, _, part = place.partition("/")
    told = f": {part.replace('-', ' ') if rule not in ('table', 'input') else part}" if part else ""
    return f"the specification's rule for {_subject(rule, '{}')}{told}"


def broken_in_words(name: str) -> str:
    """What an analysis with a broken branch of the rules does, by the name: `ignores the condition of an `if``."""
    pairs = ((re.fullmatch(pattern, name), sentence) for pattern, sentence in _words()["sentences"].items())
    found, sentence = next((found, sentence) for found, sentence in pairs if found is not None)
    parts = [_words()["parts"].get(part, part.replace("-", " ")) for part in found.groups()]
    of = name.removeprefix("B/").partition("/")[0]
    return sentence.format(*parts, a=_subject(of, "an {}" if of == "if" else "a {}"))


def predicate(name: str) -> str:
    """What an analysis with a change of the rules does: `ignores the condition of an `if`, only in the block `loop``.

    A departure that real analyses have is told with its name. What is no name of a variant, a user's file, say, stays.
    """
    variant = variant_named(name)
    if variant is None:
        return name
    said = f"{variant.does} ({arm_of(name)})" if variant.does else broken_in_words(variant.name)
    if not (context := context_of(name)):
        return said
    group, _, which = context.partition(":")
    places = _words()["contexts"]
    return f"{said}, only {places.get(context) or places[group].format(which)}"


def description(name: str) -> str:
    """What an analysis with a change of the rules does, with what stands in the rules instead."""
    variant = variant_named(name)
    told = predicate(name)
    if variant is None or not variant.branch:
        return told
    return f"{told}; {place_in_words(variant.place)} has “{variant.branch}”"


def predicates(names: Iterable[str]) -> str:
    """What an analysis with all of these departures does."""
    return " and ".join(map(predicate, names))


def change_in_words(name: str) -> str:
    """That one departure, or one change of the rules that no real analysis is known to have, explains findings."""
    what = "departure from" if name in DEPARTURES else "change of"
    return f"one {what} the specification's rules: it {description(name)}"


def coincidence_in_words(name: str) -> str:
    """That a change fits findings, and nothing says that it is their cause."""
    return f"cause unknown; on these shaders it behaves as if it {description(name)}"
