"""How a departure of WebKit's analysis becomes a variant, which has the name of its class (docs/webkit-analysis.md)."""

import re

from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant

LAXER, STRICTER, EITHER = Effect.LAXER, Effect.STRICTER, Effect.EITHER


def departure(section: str, effect: Effect, replacement: type, does: str, *only_with: str, name: str = "") -> Variant:
    """The variant of a class; `section` is of the page, `only_with` are others without which no verdict shows it."""
    name = name or re.sub(r"(?<!^)(?=[A-Z])", "-", replacement.__name__).lower()
    about = f"Predicted from how the analysis works: docs/webkit-analysis.md, {section}."
    companions = " and ".join(f"webkit/{other}" for other in only_with)
    equivalent = f"Alone no verdict shows it; it matters with {companions}." if only_with else ""
    return Variant(f"webkit/{name}", "webkit", "", effect, (replacement,), equivalent, does, about)
