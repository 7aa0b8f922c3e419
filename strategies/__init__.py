"""How shaders are drawn. Uses `tinywgsl` only: a generator never asks an oracle what to draw."""

from wgsl_fuzz.strategies.choices.profile import DEFAULT, GENERATOR_VERSION, PLAIN, PROFILES, RACE_FREE, SMALL, Profile
from wgsl_fuzz.strategies.generate.shaders import draw_shader, shaders

__all__ = [
    "DEFAULT",
    "GENERATOR_VERSION",
    "PLAIN",
    "PROFILES",
    "RACE_FREE",
    "SMALL",
    "Profile",
    "draw_shader",
    "shaders",
]
