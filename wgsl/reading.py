"""WGSL text -> TinyWGSL: the parser, `resolve` and `lower`, one behind the other."""

from dataclasses import dataclass

from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.lower.module import Lowered, lower
from wgsl_fuzz.wgsl.parser import parse as parse_wgsl
from wgsl_fuzz.wgsl.problems import Source, WgslError
from wgsl_fuzz.wgsl.resolve import resolve

__all__ = ["ParseError", "ParsedShader", "parse", "parse_with_positions"]


class ParseError(Exception):
    """Why a text is no TinyWGSL shader, and where: `line` and `column` count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {message}")
        self.message = message
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class ParsedShader:
    """A shader, and where each statement stands: `positions[id(statement)]` is its line and column, both from 1.

    What desugaring adds stands where the statement stands that it was added for.
    """

    shader: Shader
    positions: dict[int, tuple[int, int]]


def parse(text: str) -> Shader:
    """The shader that `text` spells, with the canonical IDs. Raises ParseError for everything else."""
    return _lowered(text).shader


def parse_with_positions(text: str) -> ParsedShader:
    """As `parse`, with the position of each statement."""
    lowered = _lowered(text)
    source = Source(text)
    return ParsedShader(lowered.shader, {key: source.position(start) for key, start in lowered.starts.items()})


def _lowered(text: str) -> Lowered:
    try:
        return lower(resolve(parse_wgsl(text)))
    except WgslError as problem:
        raise ParseError(problem.message, *Source(text).position(problem.start)) from None
