"""How the text of a shader is written: the printer's way, or in drawn surface forms."""

from dataclasses import dataclass, fields

from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.wgsl.spelling import NONE, Features, Spelling, draw_spelling


@dataclass(frozen=True, slots=True)
class Written:
    """How a text was drawn: the features allowed and the seed of the choices."""

    features: Features
    seed: int


PLAIN = Written(NONE, 0)


def spelling_of(shader: Shader, written: Written) -> Spelling:
    """The text and its forms; the plain print if no feature is allowed."""
    if written.features == NONE:
        return Spelling(print_shader(shader), {})
    return draw_spelling(shader, RandomSource(written.seed), written.features)


def text_of(shader: Shader, written: Written) -> str:
    """The text of a shader as `written` says: a pure function of both."""
    return spelling_of(shader, written).text


def names_of(features: Features) -> list[str]:
    """The names of the features that are allowed."""
    return [f.name for f in fields(features) if getattr(features, f.name)]
