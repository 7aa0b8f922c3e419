"""How the messages of browsers are read: Chromium's are Tint's, Firefox's Naga's; other wordings are learnt.

A compiler whose wordings nobody has seen here is asked about texts whose only fault is a uniformity violation. What it
says of them, without names and numbers, are its wordings for that; all else it says is INVALID.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from wgsl_fuzz.oracle.targets.browsers.claims import COMPILERS
from wgsl_fuzz.oracle.targets.browsers.claims import NAGA as NAGA_WORDS
from wgsl_fuzz.oracle.targets.browsers.claims import TINT as TINT_WORDS
from wgsl_fuzz.oracle.targets.description import NAGA, TINT
from wgsl_fuzz.oracle.targets.engines import BROWSERS
from wgsl_fuzz.oracle.targets.messages import Dialect, Sign

_LINE = re.compile(r"^(?P<place>\d{1,9}:\d{1,9}) (?P<severity>error|note): (?P<text>[^\n]*)", re.M)
_BARE = re.compile(r"^(?P<severity>error): (?P<text>[^\n]*)", re.M)
_QUOTED = re.compile(r"'[^']{0,200}'|\"[^\"]{0,200}\"|`[^`]{0,200}`")
_NUMBER = re.compile(r"\d+")


def _sign(*patterns: str) -> Sign:
    return Sign(streams=(("output", tuple(map(re.compile, patterns))),))


_LACKED_BY_TINT = _sign(r"error: extension '\w+' is not allowed in the current environment")
_LACKED_BY_NAGA = _sign(
    r"the `\w+` (?:enable-)?extension is not supported in the current environment",
    r"the `\w+` (?:enable-)?extension is not yet supported",
    r"attribute\(s\) not yet implemented",
    r"error: unknown (?:enable-|language )extension `",
    r"= Capability Capabilities\([\w |]+\) is (?:not supported|required)",
)

KNOWN: Mapping[str, Dialect] = {
    TINT_WORDS: replace(TINT, unsupported=(_LACKED_BY_TINT,)),
    NAGA_WORDS: replace(NAGA, unsupported=(_LACKED_BY_NAGA,)),
}
"""By the compiler of a claim. A browser says so of an extension that its adapter or its compiler lacks."""


def dialect_of(browser: str) -> Dialect:
    """The dialect of `chromium` or `firefox`."""
    return KNOWN[COMPILERS[BROWSERS[browser]]]


def _normal(raw: str) -> str:
    found = [f"{place} {severity}: {text}" for place, severity, text in _LINE.findall(raw)]
    return "\n".join(found or [f"{severity}: {text}" for severity, text in _BARE.findall(raw)])


def _masked(text: str) -> str:
    """A wording without what differs between texts."""
    return _NUMBER.sub("0", _QUOTED.sub("''", text)).strip()


def _pattern(wording: str) -> str:
    """What finds a wording again, whatever names and numbers stand in it."""
    quoted = r"(?:'[^']{0,200}'|\"[^\"]{0,200}\"|`[^`]{0,200}`)"
    return re.escape(wording).replace("0", r"\d+").replace("''", quoted)


def learnt(said: Sequence[str]) -> Dialect:
    """The dialect of a compiler that says these (raw) about texts whose only fault is a violation of uniformity."""
    errors = (line.partition("error: ")[2] for raw in said for line in _normal(raw).splitlines() if "error: " in line)
    wordings = sorted({_masked(error) for error in errors} - {""})
    patterns = "|".join(map(_pattern, wordings)) or r"(?!)"
    return Dialect(
        rejects=(_sign(rf"error: (?:{patterns})[ \t]*$"),),
        crashed=(_sign("internal compiler error"),),
        errors=(re.compile("error: "),),
        headlines=(_LINE, _BARE),
    )


def learn(judge: Callable[[Sequence[str]], Sequence[str | None]], violations: Sequence[str]) -> Dialect:
    """The dialect of the compiler behind `judge`, from what it says of the violations."""
    return learnt([message for message in judge(violations) if message is not None])
