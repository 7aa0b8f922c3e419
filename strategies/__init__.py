"""How shaders are drawn. Uses `wgsl` and `tinywgsl` only: a generator never asks an oracle what to draw."""

from wgsl_fuzz.strategies.generate.motifs.modules import draw_shader
from wgsl_fuzz.strategies.generate.profile import GENERATOR_VERSION, RACE_FREE, SMALL_TINY, TINY, ModuleProfile

__all__ = [
    "GENERATOR_VERSION",
    "RACE_FREE",
    "SMALL_TINY",
    "TINY",
    "ModuleProfile",
    "draw_shader",
]
