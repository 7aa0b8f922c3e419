"""The generator of modules: one function of a source of choices, offered for campaigns and for Hypothesis."""

from wgsl_fuzz.strategies.choices.source import ChoiceSource, RandomSource
from wgsl_fuzz.strategies.generate.motifs.modules import draw
from wgsl_fuzz.strategies.generate.profile import COMPUTE, TINY, ModuleProfile
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.lower.module import lower
from wgsl_fuzz.wgsl.resolve import resolve


def draw_module(seed: int, profile: ModuleProfile = COMPUTE) -> w.Module:
    """The module of a seed: a pure function of (GENERATOR_VERSION, profile, seed)."""
    return draw(RandomSource(seed), profile)


def draw_shader(seed: int, profile: ModuleProfile = TINY) -> Shader:
    """The core of the module of a seed; the profile is one of modules that have a core."""
    return core_from(RandomSource(seed), profile)


def core_from(source: ChoiceSource, profile: ModuleProfile) -> Shader:
    """The core of a module that is drawn."""
    return lower(resolve(draw(source, profile))).shader
