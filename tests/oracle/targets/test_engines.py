"""The compiler inside a target, by its name."""

import pytest

from wgsl_fuzz.oracle.targets.browsers.claims import COMPILERS, claim_of
from wgsl_fuzz.oracle.targets.engines import BROWSERS, WEBKIT, as_local, engine_of


@pytest.mark.parametrize(
    ("target", "engine"),
    [
        ("tint@0.6.2", "tint"),
        ("tint@main", "tint"),
        ("tint:out/tint", "tint"),
        ("naga@29.0.1.1", "naga"),
        ("chromium@156.0.8078.79", "tint"),
        ("chromium:out/chrome", "tint"),
        ("firefox@153.7.0esr", "naga"),
        ("browser@edge-156.0.1", "tint"),
        ("browser@firefox-153.0", "naga"),
        ("webkit:out/wgslc", "webkit"),
        ("browser@safari-26.1", "webkit"),
        ("browser@chrome-ios-140.0", "webkit"),
        ("browser@ladybird-1.0", None),
        ("browser@unknown", None),
        ("rules:wgsl-tint-0.6.2", None),
        ("tinted:out/tint", None),
        ("tint", None),
        ("", None),
    ],
)
def test_the_compiler_in_a_target(target: str, engine: str | None) -> None:
    assert engine_of(target) == engine


@pytest.mark.parametrize("browser", BROWSERS)
def test_a_page_is_named_as_the_browser_that_it_is_in(browser: str) -> None:
    assert as_local(f"browser@{browser}-156.0.1") == f"{browser}@156.0.1"
    assert as_local(f"{browser}@156.0.1") == f"{browser}@156.0.1"


@pytest.mark.parametrize("word", ["CriOS/140.0", "EdgiOS/140.0", "FxiOS/140.0", "Version/26.1 Safari/1"])
def test_every_browser_of_an_apple_telephone_is_webkit(word: str) -> None:
    claim = claim_of({"userAgent": f"Mozilla/5.0 (iPhone) AppleWebKit/605 {word}"})
    assert claim.compiler == COMPILERS[WEBKIT]
    assert engine_of(f"browser@{claim.name}") == "webkit"
