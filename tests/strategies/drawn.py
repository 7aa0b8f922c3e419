"""Drawn modules, and shaders of TinyWGSL, as strategies of Hypothesis."""

from hypothesis.strategies import SearchStrategy

from wgsl_fuzz.strategies.generate.motifs.modules import core_from, draw
from wgsl_fuzz.strategies.generate.profile import COMPUTE, TINY, ModuleProfile
from wgsl_fuzz.strategies.under_hypothesis import DrawnBy
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.syntax import Module


def modules(profile: ModuleProfile = COMPUTE) -> SearchStrategy[Module]:
    """Valid modules."""
    return DrawnBy(lambda source: draw(source, profile))


def shaders(profile: ModuleProfile = TINY) -> SearchStrategy[Shader]:
    """Well-formed shaders of TinyWGSL; the profile is one of modules that have a core."""
    return DrawnBy(lambda source: core_from(source, profile))
