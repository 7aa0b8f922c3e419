"""Shaders as users of the library hand them over and get them: WGSL, or a tree of TinyWGSL."""

from collections.abc import Mapping
from dataclasses import dataclass

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.judging.answers import examine
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.printer import Position, print_shader, print_with_positions


class WGSL(str):
    """The text of a shader, as a `str` whose `repr` is the text itself.

    So a counterexample of Hypothesis and a failing assertion show WGSL as it is written.
    """

    _shader: Shader | None = None

    @classmethod
    def of(cls, shader: Shader) -> "WGSL":
        """The plain text of a tree."""
        return cls.spelling(shader, print_shader(shader))

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


@dataclass(frozen=True, slots=True)
class ReadShader:
    """A shader with its text, and where in the text its statements stand."""

    case: Case
    text: str
    positions: Mapping[int, Position]


def read(given: str | Shader) -> ReadShader:
    """What was handed over; the text of a tree is the plain one. Raises ValueError if a text is not TinyWGSL."""
    if isinstance(given, Shader):
        printed = print_with_positions(given)
        return ReadShader(Case(given, thorough=True), printed.text, printed.positions)
    one = examine(given)
    if one.case is None:
        raise ValueError(one.message)
    return ReadShader(one.case, one.text, one.positions)


def is_tiny(text: str) -> bool:
    """Whether a text is TinyWGSL."""
    return (isinstance(text, WGSL) and text._shader is not None) or examine(text).case is not None


def parse(text: str) -> Shader:
    """The tree of a text. Raises ValueError, with line and column, if the text is not TinyWGSL."""
    return read(text).case.shader


def tree(given: str | Shader) -> Shader:
    """The tree of what was handed over. Raises ValueError."""
    if isinstance(given, WGSL):
        return given.shader
    return given if isinstance(given, Shader) else parse(given)
