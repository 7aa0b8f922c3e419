"""Texts with their names resolved, once for all tests that ask about the same ones."""

from functools import cache

from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve


@cache
def resolved(text: str) -> Resolution | None:
    """None if the text is refused before."""
    try:
        return resolve(parse(text))
    except WgslError:
        return None
