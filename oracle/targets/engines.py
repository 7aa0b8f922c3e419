"""The compiler inside a target, by the target's name: a browser has its engine's compiler on every machine.

What is known of a compiler, its rules or its records, is known of the browsers that it is in.
"""

import re
from collections.abc import Mapping

TINT, NAGA, WEBKIT = "tint", "naga", "webkit"

IOS = "-ios"
"""Ends the name of a browser on an Apple telephone, where every one is WebKit, whatever it is called."""

_DESKTOP = {"chromium": TINT, "chrome": TINT, "edge": TINT, "opera": TINT, "firefox": NAGA, "safari": WEBKIT}
BROWSERS: Mapping[str, str] = {**_DESKTOP, **{f"{browser}{IOS}": WEBKIT for browser in _DESKTOP}}
"""By the name of a browser: its compiler. Browsers of other engines are missing."""

_SERVED = re.compile(rf"browser@([a-z]+(?:{IOS})?)-(\d[\w.]*)")
_FAMILY = re.compile(rf"([a-z]+(?:{IOS})?)[@:].", re.DOTALL)


def as_local(target: str) -> str:
    """The name that a browser would have if it were of this machine: `chromium@156.0` for `browser@chromium-156.0`.

    Other names stay as they are.
    """
    found = _SERVED.fullmatch(target)
    return f"{found[1]}@{found[2]}" if found and found[1] in BROWSERS else target


def engine_of(target: str) -> str | None:
    """The engine of `tint@0.6.2`, `tint:out/tint`, `chromium@156.0`, `browser@firefox-153.0`; None for others."""
    found = _FAMILY.match(as_local(target))
    family = found[1] if found else ""
    return family if family in (TINT, NAGA, WEBKIT) else BROWSERS.get(family)
