"""One core construct, all its surface forms: AST -> any tree of WGSL that `wgsl.lower` maps back to it.

`as_module` draws the tree, and `draw_spelling` its text too, in a drawn layout. With the smallest choice everywhere the
text is that of `print_shader`. What comes back differs in names, the order of declarations, the type of literal
indices, temporaries and double negations at most, but for the two forms in `INEXACT`. The tables of `wgsl.lower` and of
`choices.FORMS` say which forms there are.
"""

from dataclasses import dataclass

from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.printer import module_text
from wgsl_fuzz.wgsl.spelling.choices import ALL, FEATURES, FORMS, INEXACT, NONE, Choices, Dice, Features
from wgsl_fuzz.wgsl.spelling.declarations import ModuleBuilder
from wgsl_fuzz.wgsl.spelling.layout import drawn_layout, laid_out
from wgsl_fuzz.wgsl.syntax import Module

__all__ = [
    "ALL",
    "FEATURES",
    "FORMS",
    "INEXACT",
    "NONE",
    "Choices",
    "Features",
    "Spelling",
    "as_module",
    "draw_spelling",
    "spell",
]


@dataclass(frozen=True, slots=True)
class Spelling:
    """WGSL text, and how often it uses each of the `FORMS` that the canonical print does not."""

    text: str
    forms: dict[str, int]


def spell(shader: Shader, choices: Choices, features: Features = ALL) -> str:
    """A WGSL text of a well-formed shader, drawn from the allowed features."""
    return draw_spelling(shader, choices, features).text


def draw_spelling(shader: Shader, choices: Choices, features: Features = ALL) -> Spelling:
    """As `spell`, with the forms that were used."""
    dice = Dice(choices, features)
    module = ModuleBuilder(dice, shader).module()
    return Spelling(laid_out(dice, module_text(module, drawn_layout(dice))), dice.forms)


def as_module(shader: Shader, choices: Choices, features: Features = ALL) -> Module:
    """The tree whose text `spell` draws from the same choices; no node stands in it twice."""
    return ModuleBuilder(Dice(choices, features), shader).module()
