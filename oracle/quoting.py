"""How statements, conditions and names are quoted: as the user wrote them, if the text is at hand.

The AST is not what the user wrote: names are made unique, a `for` is an `if` in a loop, a call inside an expression
is a statement before it. Every quotation falls back on the printer, which is exact for the shaders that it printed.
"""

import re
from collections.abc import Iterable, Mapping
from enum import Enum

from tinywgsl.ast import (
    Assign,
    Block,
    Break,
    Call,
    Continue,
    Expr,
    Function,
    If,
    Lid,
    Loop,
    Return,
    Stmt,
    Unary,
    blocks_of,
    is_break_if,
    walk,
)
from tinywgsl.ast import SharedRead as Shared
from tinywgsl.printer import Position, print_expr, print_head

Positions = Mapping[int, Position]
"""Where each statement stands, by `id(statement)`: of the printer, or of the parser."""

LONGEST = 60
"""Characters of the longest quotation: more is harder to read than the line itself."""

_WORD = re.compile(r"[^\W\d]\w*")
_RENAMED = re.compile(r"(\w+?)_\d+")
_INDEX = re.compile(r"@builtin\(\s*local_invocation_(index|id)\s*,?\s*\)\s*(\w+)")
_CONDITION = re.compile(r"(?:if|while|break\s+if)\b(.*)")
_FOR = re.compile(r"for\s*\((.*)\)")


class Shape(Enum):
    """What an `If` of the AST is in the text."""

    IF = "if"
    HEADER = "the condition of a `for` or a `while`"
    BREAK_IF = "break if"
    OPERATOR = "a && or || with a call on its right"


class Quoting:
    """Quotes the statements of some functions that stand at `positions` in `text`, which may be unknown: empty."""

    def __init__(self, functions: Iterable[Function], positions: Positions, text: str = "") -> None:
        self.positions = positions
        self.text = text
        self.words = frozenset(_WORD.findall(text))
        self.shapes: dict[int, Shape] = {}
        self.results: dict[str, str] = {}
        """For each variable that some call assigns, the function called: for those that the parser made up."""
        index = _INDEX.search(text)
        self.lid = "lid" if index is None else index[2] + (".x" if index[1] == "id" else "")
        for f in functions:
            self._read(f.body)

    def _read(self, block: Block) -> None:
        for s in walk(block):
            if isinstance(s, Loop):
                here = self.positions.get(id(s))
                for inner in s.body:
                    if isinstance(inner, If) and here is not None and self.positions.get(id(inner)) == here:
                        self.shapes[id(inner)] = Shape.HEADER
                if s.continuing and is_break_if(s.continuing[-1]):
                    self.shapes[id(s.continuing[-1])] = Shape.BREAK_IF
            elif isinstance(s, Call):
                self.results.setdefault(s.name, s.function)
            elif isinstance(s, If) and self.snippet(s) and not _CONDITION.match(self.snippet(s)):
                self.shapes.setdefault(id(s), Shape.OPERATOR)

    def shape(self, s: If) -> Shape:
        """What `s` is in the text."""
        return self.shapes.get(id(s), Shape.IF)

    def where(self, s: Stmt | None) -> str:
        """` on line 9`, or nothing if the statement stands nowhere."""
        position = None if s is None else self.positions.get(id(s))
        return "" if position is None else f" on line {position[0]}"

    def name(self, x: str) -> str:
        """A variable in backticks, by the user's name; in words if the user gave it none."""
        plain = self._plain(x)
        if plain:
            return f"`{plain}`"
        callee = self.results.get(x)
        return f"the result of {callee}" if callee else "a value in between"

    def _plain(self, x: str) -> str:
        if not self.text or x in self.words:
            return x
        renamed = _RENAMED.fullmatch(x)
        return renamed[1] if renamed is not None and renamed[1] in self.words else ""

    def expr(self, e: Expr) -> str:
        """An expression as the printer has it, with the user's names; empty if it is too long to quote."""
        return self._fitting(print_expr(e))

    def _fitting(self, printed: str) -> str:
        if self.text:
            names = {w: self.lid if w == "lid" else self._plain(w) for w in _WORD.findall(printed)}
            if not all(names[w] or w in self.words for w in names):
                return ""
            printed = _WORD.sub(lambda m: names[m[0]], printed)
        return printed if len(printed) <= LONGEST else ""

    def source(self, e: Expr) -> str:
        """`lid` or a shared read, in backticks."""
        if isinstance(e, Lid):
            return f"`{self.lid}`"
        assert isinstance(e, Shared), "nothing else is a source of non-uniformity"
        return f"`{e.array if self.text else self.expr(e) or e.array}`"

    def condition(self, s: If) -> str:
        """The condition as the user wrote it; empty if it is too long to quote."""
        snippet = self.snippet(s)
        header = _FOR.fullmatch(snippet)
        if header is not None:
            parts = header[1].split(";")
            return parts[1].strip() if len(parts) == 3 and len(parts[1]) <= LONGEST else ""
        plain = _CONDITION.match(snippet)
        if plain is not None:
            written = _without_parentheses(plain[1].strip())
            return written if len(written) <= LONGEST else ""
        negated = self.shape(s) is Shape.HEADER and isinstance(s.condition, Unary) and s.condition.op == "!"
        return self.expr(s.condition.operand if negated and isinstance(s.condition, Unary) else s.condition)

    def statement(self, s: Assign | Call | Return) -> str:
        """An assignment, a call or a return as the user wrote it; empty if it is too long to quote."""
        snippet = self.snippet(s)
        if re.match(r"(for|while|if|loop|break)\b", snippet):  # it is only a part of what stands there
            snippet = ""
        return snippet if snippet and len(snippet) <= LONGEST else self._fitting(print_head(s))

    def snippet(self, s: Stmt) -> str:
        """The text of `s` up to its semicolon or block, on one line; empty if it is unknown or holds a comment."""
        position = self.positions.get(id(s))
        if not self.text or position is None:
            return ""
        lines = self.text.splitlines()[position[0] - 1 :]
        if not lines:
            return ""
        text = "\n".join([lines[0][position[1] - 1 :], *lines[1:12]])
        depth = 0
        for i, c in enumerate(text):
            depth += (c in "([") - (c in ")]")
            if depth < 0 or (depth == 0 and c in ";{"):
                text = text[:i]
                break
        return "" if "//" in text or "/*" in text else " ".join(text.split())


def _without_parentheses(text: str) -> str:
    """`text` without the pair of parentheses around it, if there is one."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return text[1:-1].strip() if i == len(text) - 1 else text
    return text


def ways_out(s: If) -> str:
    """How threads may leave `s` for elsewhere: `a continue`, `a break or a return`."""
    found: set[str] = set()

    def look(block: Block, in_loop: bool) -> None:
        for inner in block:
            match inner:
                case Return():
                    found.add("a return")
                case Break() if not in_loop:
                    found.add("a break")
                case Continue() if not in_loop:
                    found.add("a continue")
            for nested in blocks_of(inner):
                look(nested, in_loop or isinstance(inner, Loop))

    for block in blocks_of(s):
        look(block, in_loop=False)
    return " or ".join(sorted(found))
