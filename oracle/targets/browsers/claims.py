"""What a page says of its browser. Nobody can check it, so it is bounded, cleaned and marked as a claim."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wgsl_fuzz.oracle.targets import engines

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
TINT, NAGA, WEBKIT, OTHER = "Tint", "Naga", "WebKit", "another compiler"
COMPILERS = {engines.TINT: TINT, engines.NAGA: NAGA, engines.WEBKIT: WEBKIT}


class BadClaim(ValueError):
    """The page says nothing of the expected shape."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A browser by its own account. All parts are short, and of harmless characters."""

    browser: str
    """`chromium`, `firefox`, `safari`, `chrome-ios`, ..., else `unknown`."""
    version: str
    compiler: str
    """Whose messages it gives: TINT, NAGA, WEBKIT or OTHER."""
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


def claim_of(value: object) -> Claim:
    """The claim in a page's greeting; raises BadClaim."""
    if not isinstance(value, dict) or not isinstance(agent := value.get("userAgent"), str):
        raise BadClaim("a page says at least its userAgent")
    browser, version = _from_brands(value.get("brands")) or _from_user_agent(agent)
    if browser in engines.BROWSERS and _APPLE.search(agent[:1000]):
        browser += engines.IOS
    adapter = value.get("adapter")
    parts = [_part(adapter, key) for key in ("vendor", "architecture", "device", "description")]
    if not any(parts) and isinstance(adapter, dict) and adapter.get("fallback") is True:
        parts = ["software"]
    return Claim(
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


def as_record(claim: Claim) -> Mapping[str, Any]:
    """The claim as JSON, for those who ask a hub."""
    return {name: getattr(claim, name) for name in Claim.__slots__}
