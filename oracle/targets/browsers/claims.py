"""What a page says of its browser. Nobody can check it, so it is bounded, cleaned and marked as a claim."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wgsl_fuzz.oracle.targets import protocol as engines
from wgsl_fuzz.oracle.targets.description import NAGA, TINT, Dialect, Sign
from wgsl_fuzz.oracle.targets.protocol import BROWSERS

_WORDS = 160
_UNSEEMLY = re.compile(r"[^\w .,:;()/+@-]", re.ASCII)
_VERSION = re.compile(r"\d{1,8}(?:\.\d{1,8}){0,4}")
_BRANDS = ("Google Chrome", "Microsoft Edge", "Opera", "Chromium")
_IN_USER_AGENT = (
    ("edge", re.compile(r"\bEdg(?:A|iOS)?/([\d.]{1,40})")),
    ("firefox", re.compile(r"\b(?:Firefox|FxiOS)/([\d.]{1,40})")),
    ("chrome", re.compile(r"\b(?:HeadlessChrome|Chrome|CriOS)/([\d.]{1,40})")),
    ("safari", re.compile(r"\bVersion/([\d.]{1,40}).{0,80}\bSafari/")),
)
_APPLE = re.compile(r"\b(?:iPhone|iPad|iPod)\b")
OTHER = "another compiler"
COMPILERS = {engines.TINT: "Tint", engines.NAGA: "Naga", engines.WEBKIT: "WebKit"}


@dataclass(frozen=True, slots=True)
class BrowserClaim:
    """A browser by its own account. All parts are short, and of harmless characters."""

    browser: str
    """`chromium`, `firefox`, `safari`, `chrome-ios`, ..., else `unknown`."""
    version: str
    compiler: str
    """Whose messages it gives: one of COMPILERS, or OTHER."""
    adapter: str
    """What WebGPU runs on: `google swiftshader`."""
    user_agent: str
    fault: str = ""
    """Why it cannot judge anything, if it cannot."""

    @property
    def name(self) -> str:
        """For the names of targets: `safari-26.1`."""
        return f"{self.browser}-{self.version}" if self.version else self.browser

    @property
    def words(self) -> str:
        """For people: `safari 26.1, Tint, google swiftshader`."""
        parts = (f"{self.browser} {self.version}".strip(), self.compiler, self.adapter)
        return ", ".join(part for part in parts if part)


def claim_of(value: object) -> BrowserClaim:
    """The claim in a page's greeting; raises ValueError for another shape."""
    if not isinstance(value, dict) or not isinstance(agent := value.get("userAgent"), str):
        raise ValueError("a page says at least its userAgent")
    browser, version = _from_brands(value.get("brands")) or _from_user_agent(agent)
    if browser in engines.BROWSERS and _APPLE.search(agent[:1000]):
        browser += engines.IOS
    adapter = value.get("adapter")
    parts = [_part(adapter, key) for key in ("vendor", "architecture", "device", "description")]
    if not any(parts) and isinstance(adapter, dict) and adapter.get("fallback") is True:
        parts = ["software"]
    return BrowserClaim(
        browser,
        version,
        COMPILERS.get(engines.BROWSERS.get(browser, ""), OTHER),
        " ".join(part for part in parts if part),
        harmless(agent),
        harmless(str(value.get("fault") or "")),
    )


def harmless(text: str) -> str:
    """The beginning of a text, without the characters that mean something to terminals, pages and files."""
    return " ".join(_UNSEEMLY.sub(" ", text[: 4 * _WORDS]).split())[:_WORDS]


def _part(adapter: object, key: str) -> str:
    value = adapter.get(key) if isinstance(adapter, dict) else None
    return harmless(value)[:40] if isinstance(value, str) else ""


def _from_brands(brands: object) -> tuple[str, str] | None:
    """From the `fullVersionList` of browsers made of Chromium."""
    found = dict(_brand(entry) for entry in brands[:8]) if isinstance(brands, list) else {}
    for brand in _BRANDS:
        if version := found.get(brand):
            return brand.lower().split()[-1], version
    return None


def _brand(entry: object) -> tuple[str, str]:
    pair = entry if isinstance(entry, dict) else {}
    version = _VERSION.match(str(pair.get("version"))[:80])
    return str(pair.get("brand"))[:80], version[0] if version else ""


def _from_user_agent(agent: str) -> tuple[str, str]:
    for browser, pattern in _IN_USER_AGENT:
        if found := pattern.search(agent[:1000]):
            version = _VERSION.match(found[1])
            return browser, version[0] if version else ""
    return "unknown", ""


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
    COMPILERS[engines.TINT]: replace(TINT, unsupported=(_LACKED_BY_TINT,)),
    COMPILERS[engines.NAGA]: replace(NAGA, unsupported=(_LACKED_BY_NAGA,)),
}
"""By the compiler of a claim. A browser says so of an extension that its adapter or its compiler lacks."""


def dialect_of(browser: str) -> Dialect:
    """The dialect of `chromium` or `firefox`."""
    return KNOWN[COMPILERS[BROWSERS[browser]]]


def _normal(raw: str) -> str:
    found = [f"{place} {severity}: {text}" for place, severity, text in _LINE.findall(raw)]
    return "\n".join(found or [f"{severity}: {text}" for severity, text in _BARE.findall(raw)])


def _pattern(wording: str) -> str:
    """What finds a wording again, whatever names and numbers stand in it."""
    quoted = r"(?:'[^']{0,200}'|\"[^\"]{0,200}\"|`[^`]{0,200}`)"
    return re.escape(wording).replace("0", r"\d+").replace("''", quoted)


def learnt(said: Sequence[str]) -> Dialect:
    """The dialect of a compiler that says these (raw) about texts whose only fault is a violation of uniformity."""
    errors = (line.partition("error: ")[2] for raw in said for line in _normal(raw).splitlines() if "error: " in line)
    wordings = sorted({_NUMBER.sub("0", _QUOTED.sub("''", error)).strip() for error in errors} - {""})
    patterns = "|".join(map(_pattern, wordings)) or r"(?!)"
    return Dialect(
        rejects=(_sign(rf"error: (?:{patterns})[ \t]*$"),),
        crashed=(_sign("internal compiler error"),),
        errors=(re.compile("error: "),),
        headlines=(_LINE, _BARE),
    )
