"""Texts of TinyWGSL in any surface form and layout."""

from wgsl_fuzz.strategies import TINY, ModuleProfile
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.generate.layout import draw_layout
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module


def spelled(seed: int, profile: ModuleProfile = TINY) -> str:
    """A text whose core is `draw_shader(seed, profile)`."""
    return draw_layout(RandomSource(seed), draw_module(seed, profile))
