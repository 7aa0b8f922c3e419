"""Shaders as users of the library hand them over and get them: WGSL, or a tree of TinyWGSL."""

from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.fuzz.cases.places import placed, problems_of
from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import INTENT
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.problems import WgslError


class WGSL(str):
    """The text of a shader, as a `str` whose `repr` is the text itself.

    So a counterexample of Hypothesis and a failing assertion show WGSL as it is written.
    """

    _shader: Shader | None = None

    @classmethod
    def of(cls, given: "str | Shader") -> "WGSL":
        """What was handed over: a text, or the plain text of a tree."""
        return cls.spelling(given, print_shader(given)) if isinstance(given, Shader) else cls(given)

    @classmethod
    def spelling(cls, shader: Shader, text: str) -> "WGSL":
        """A text that is known to spell this tree."""
        made = cls(text)
        made._shader = shader
        return made

    @property
    def shader(self) -> Shader:
        """The tree of the text. Raises ValueError if the text is not TinyWGSL."""
        if self._shader is None:
            self._shader = parse(self)
        return self._shader

    def __repr__(self) -> str:
        return f"\n{self}"


def case_of(given: str | Shader, rules: Rules = INTENT) -> Case:
    """What was handed over, for the oracles; the text of a tree is the plain one.

    Raises ValueError for a text that is no WGSL, or has what the reference does not know.
    """
    text = str.__str__(WGSL.of(given))
    try:
        return read_module(text, rules)
    except WgslError as error:
        raise ValueError(problems_of(text, error)[0].sentence) from error


def parse(text: str) -> Shader:
    """The tree of a text. Raises ValueError, with line and column, if the text is not TinyWGSL."""
    case = case_of(text)
    if case.core is None:
        lowered = core_of(case.resolution)
        raise ValueError(placed(text, lowered.why, max(lowered.at, 0)).sentence)
    return case.core


def tree(given: str | Shader) -> Shader:
    """The tree of what was handed over. Raises ValueError."""
    if isinstance(given, WGSL):
        return given.shader
    return given if isinstance(given, Shader) else parse(given)
