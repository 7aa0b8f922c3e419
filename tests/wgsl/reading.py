"""WGSL read and printed: to TinyWGSL by the parser, `resolve` and `lower`; to a resolution; a statement to its text."""

from functools import cache
from textwrap import dedent

from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.lower.module import lower
from wgsl_fuzz.wgsl.parser import parse as parse_wgsl
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import Source, WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import read


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
        return lower(read(text)).shader
    except WgslError as problem:
        raise ParseError(problem.message, *Source(text).position(problem.start)) from None


def expression(text: str) -> w.Expression:
    """The tree of an expression."""
    (declaration,) = parse_wgsl(f"const x = {text};").declarations
    assert isinstance(declaration, w.Const)
    return declaration.value


def body(text: str) -> w.Function:
    """A function with these statements."""
    (function,) = parse_wgsl(f"fn f() {{ {text} }}").declarations
    assert isinstance(function, w.Function)
    return function


@cache
def resolved(text: str) -> Resolution | None:
    """The text with its names resolved, once for all tests that ask about it; None if it is refused before."""
    try:
        return read(text)
    except WgslError:
        return None


def print_statement(statement: w.Statement) -> str:
    """The text of a statement, as it stands in a function."""
    text = print_module(w.Module((), (w.Function("f", (), w.Block((statement,))),)))
    return dedent(text.partition("{\n")[2].rpartition("}")[0]).strip()
