"""How statements, conditions and names are quoted: as the user wrote them, if the text is at hand.

The AST is not what the user wrote: names are made unique, a `for` is an `if` in a loop, a call inside an expression
is a statement before it. Every quotation falls back on the printer, which is exact for the shaders that it printed.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from wgsl_fuzz.tinywgsl.ast import (
    ASSIGNED,
    Assign,
    Block,
    Break,
    Call,
    Continue,
    Expr,
    Function,
    If,
    Lid,
    Local,
    Loop,
    Return,
    Stmt,
    Unary,
    blocks_of,
    is_break_if,
    names_in,
    walk,
    walk_outside_loops,
)
from wgsl_fuzz.tinywgsl.ast import SharedRead as Shared
from wgsl_fuzz.tinywgsl.printer import Position, print_expr, print_head

Positions = Mapping[int, Position]
"""Where each statement stands, by `id(statement)`: of the printer, or of the parser."""

LONGEST = 60
"""Characters of the longest quotation: more is harder to read than the line itself."""

_WORD = re.compile(r"[^\W\d]\w*")
_RENAMED = re.compile(r"(\w+?)_\d+")
_INDEX = re.compile(r"@builtin\(\s*local_invocation_(index|id)\s*,?\s*\)\s*(\w+)")
_CONDITION = re.compile(r"(?:if|while|break\s+if)\b(.*)")
_FOR = re.compile(r"for\s*\((.*)\)")
_CALLED = re.compile(r"\w\([^()]*\)")
_LOGICAL = re.compile(r" (&&|\|\||&|\|) ")


class Shape(Enum):
    """What an `If` of the AST is in the text."""

    IF = "if"
    HEADER = "the condition of a `for` or a `while`"
    BREAK_IF = "break if"
    OPERATOR = "a && or || with a call on its right"


@dataclass(frozen=True)
class Operator:
    """A `&&` or `||` with a call on its right, for which the parser wrote `t = left; if (t) { ...; t = right; }`."""

    sign: str
    result: str
    """`t`."""
    left: Assign
    right: Assign | Call


class Quoting:
    """Quotes the statements of some functions that stand at `positions` in `text`, which may be unknown: empty."""

    def __init__(self, functions: Iterable[Function], positions: Positions, text: str = "") -> None:
        self.positions = positions
        self.text = text
        self.words = frozenset(_WORD.findall(text))
        self.shapes: dict[int, Shape] = {}
        self.operators: dict[int, Operator] = {}
        """By `id` of the `If`, of the assignment of the left operand and of that of the right one."""
        self.signs: dict[str, str] = {}
        """For each variable that takes the value of such an operator, its sign."""
        self.spelled: dict[str, str] = {}
        """For each variable that the parser made up, the expression that it stands for; empty if it is too long."""
        self.results: dict[str, str] = {}
        """For each variable that some call assigns, the function called: for those that the parser made up."""
        index = _INDEX.search(text)
        self.lid = "lid" if index is None else index[2] + (".x" if index[1] == "id" else "")
        for f in functions:
            self._read_operators(f.body)
            self._read(f.body)

    def _read_operators(self, block: Block) -> None:
        """Finds the operators of a block and what is in it, and what made-up variables stand for, in order."""
        for before, s in pairwise((None, *block)):
            found = self._operator(before, s) if isinstance(before, Assign) and isinstance(s, If) else None
            if found is not None:
                for part in (s, found.left, found.right):
                    self.operators[id(part)] = found
                self.shapes[id(s)] = Shape.OPERATOR
                self.signs[found.result] = found.sign
            for inner in () if s is None else blocks_of(s):
                self._read_operators(inner)
            if found is not None:
                left, right = self.operand(found.left), self.operand(found.right)
                whole = f"{_closed(left, found.sign)} {found.sign} {_closed(right)}"
                self.spelled[found.result] = whole if left and right and len(whole) <= LONGEST else ""
            elif isinstance(s, Assign | Call) and not self._plain(s.name):
                self.spelled[s.name] = self.operand(s)

    def _operator(self, before: Assign, s: If) -> Operator | None:
        """The operator that `before` and `s` were made for, which both stand where its statement does."""
        negated = isinstance(s.condition, Unary) and s.condition.op == "!"
        read = s.condition.operand if isinstance(s.condition, Unary) else s.condition
        here = self.positions.get(id(before))
        if here is None or here != self.positions.get(id(s)) or not isinstance(read, Local) or not s.then:
            return None
        right = s.then[-1]
        if s.orelse or not isinstance(right, Assign | Call) or not read.name == before.name == right.name:
            return None
        return Operator("||" if negated else "&&", before.name, before, right)

    def _read(self, block: Block) -> None:
        for s in walk(block):
            if isinstance(s, Loop):
                here = self.positions.get(id(s))
                for inner in s.body:
                    if isinstance(inner, If) and here is not None and self.positions.get(id(inner)) == here:
                        self.shapes.setdefault(id(inner), Shape.HEADER)
                if s.continuing and is_break_if(s.continuing[-1]):
                    self.shapes[id(s.continuing[-1])] = Shape.BREAK_IF
            elif isinstance(s, Call):
                self.results.setdefault(s.name, s.function)

    def shape(self, s: If) -> Shape:
        """What `s` is in the text."""
        return self.shapes.get(id(s), Shape.IF)

    def takes(self, s: If, x: str) -> bool:
        """Whether `s` stands for an operator whose value `x` takes."""
        return id(s) in self.operators and self.operators[id(s)].result == x

    def operand(self, s: Assign | Call) -> str:
        """The value that `s` assigns as an expression; empty if it is too long to quote."""
        return self.expr(s.value) if isinstance(s, Assign) else self._fitting(print_head(s).partition(" = ")[2])

    def where(self, s: Stmt | None) -> str:
        """` on line 9`, or nothing if the statement stands nowhere."""
        position = None if s is None else self.positions.get(id(s))
        return "" if position is None else f" on line {position[0]}"

    def name(self, x: str) -> str:
        """A variable in backticks, by the user's name; in words if the user gave it none."""
        if x in self.signs:
            return f"the value of `{self.signs[x]}`"
        plain = self._plain(x)
        if plain:
            return f"`{plain}`"
        callee = self.results.get(x)
        return f"the result of {callee}" if callee else "a value in between"

    def made_up(self, x: str) -> bool:
        """Whether the parser made the variable up."""
        return x in self.signs or not self._plain(x)

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
            if printed in self.spelled and not names[printed]:
                return self.spelled[printed]
            names = {w: name or _bracketed(self.spelled.get(w, "")) for w, name in names.items()}
            if not all(names.values()):
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

    def statement(self, s: Stmt) -> str:
        """An assignment, a call or a return as the user wrote it; empty if it is too long to quote."""
        if any(map(self.made_up, names_in(s, ASSIGNED))):
            return ""
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


def _closed(operand: str, sign: str = "") -> str:
    """An operand of `&&` or `||` with the parentheses that it needs; on the left of the same sign it needs none."""
    return f"({operand})" if set(_LOGICAL.findall(operand)) - {sign} else operand


def _bracketed(expression: str) -> str:
    """An expression that is to stand in another."""
    return f"({expression})" if " " in _CALLED.sub("", expression) else expression


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
    found = {"a return" for block in blocks_of(s) for inner in walk(block) if isinstance(inner, Return)}
    for block in blocks_of(s):
        for inner in walk_outside_loops(block):
            if isinstance(inner, Break | Continue):
                found.add(f"a {type(inner).__name__.lower()}")
    return " or ".join(sorted(found))
