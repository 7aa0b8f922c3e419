"""WGSL text -> TinyWGSL: the parser, `resolve` and `lower`, one behind the other."""

from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.lower.module import lower
from wgsl_fuzz.wgsl.parser import parse as parse_wgsl
from wgsl_fuzz.wgsl.problems import Source, WgslError
from wgsl_fuzz.wgsl.resolve import resolve

__all__ = ["ParseError", "parse"]


class ParseError(Exception):
    """Why a text is no TinyWGSL shader, and where: `line` and `column` count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {message}")
        self.message = message
        self.line = line
        self.column = column


def parse(text: str) -> Shader:
    """The shader that `text` spells, with the canonical IDs. Raises ParseError for everything else."""
    try:
        return lower(resolve(parse_wgsl(text))).shader
    except WgslError as problem:
        raise ParseError(problem.message, *Source(text).position(problem.start)) from None
