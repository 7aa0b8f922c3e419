"""The parser's lower half: the tokens, and the grammar of expressions (8.18 #expression-grammar)."""

from collections.abc import Mapping

from wgsl_fuzz.tinywgsl.ast import ARITHMETIC, BITWISE, COMPARISONS, LOGICAL, SHIFTS
from wgsl_fuzz.tinywgsl.words import KEYWORDS
from wgsl_fuzz.wgsl.lexer import CLOSE, OPEN, Tokens
from wgsl_fuzz.wgsl.problems import MOST, SyntaxProblem
from wgsl_fuzz.wgsl.syntax import Binary, Call, Expression, Identifier, Index, Literal, Member, Node, Unary
from wgsl_fuzz.wgsl.walk import children

DEPTH = 512
"""How deep a tree may be. Tint's bounds are 512 for an expression and less for statements and parentheses."""

_SHOWN = 40
"""How many characters of a token messages show."""

_UNARY = frozenset("-!~*&")
_LEVELS: Mapping[str, int] = {
    **dict.fromkeys(("*", "/", "%"), 5),
    **dict.fromkeys(("+", "-"), 4),
    **dict.fromkeys(SHIFTS, 3),
    **dict.fromkeys(COMPARISONS, 2),
    **dict.fromkeys(LOGICAL | BITWISE, 1),
}
"""How strongly an operator binds."""
_MAY_FOLLOW: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(ARITHMETIC, ARITHMETIC | COMPARISONS | LOGICAL),
    **dict.fromkeys(SHIFTS, COMPARISONS | LOGICAL),
    **dict.fromkeys(COMPARISONS, ARITHMETIC | SHIFTS | LOGICAL),
    **{operator: ARITHMETIC | SHIFTS | COMPARISONS | {operator} for operator in LOGICAL},
    **{operator: frozenset({operator}) for operator in BITWISE},
}
"""By operator: those that may be the next one, without parentheses around one of the two."""
BEHIND_NAME = frozenset({"(", "[", ".", OPEN})


def quoted(token: str) -> str:
    """A token as messages show it."""
    if token in (OPEN, CLOSE):
        token = token[-1]
    if len(token) > _SHOWN:
        token = f"{token[:_SHOWN]}..."
    return f"'{token}'" if token else "the end of the text"


class ExpressionParser:
    """Goes through the tokens of a text. Each method reads one construct from `at` on and leaves `at` behind it."""

    __slots__ = ("at", "depth", "ends", "literals", "names", "problems", "resumed", "starts", "stopped", "texts")

    def __init__(self, tokens: Tokens) -> None:
        self.texts = tokens.texts
        self.starts = tokens.starts
        self.ends = tokens.ends
        self.names = tokens.names
        self.literals = tokens.literals
        self.at = 0
        self.depth = 0
        self.problems: list[SyntaxProblem] = []
        """Those behind which reading went on."""
        self.resumed = -1
        """Where it went on last."""
        self.stopped = -1
        """Where it was when the last of them was met."""

    # -------------------------------------------------------------------------------------------------------- tokens

    def problem(self, message: str, at: int | None = None) -> SyntaxProblem:
        """What to raise at a token, by default at the next one."""
        return SyntaxProblem(message, self.starts[self.at if at is None else at])

    def note(self, problem: SyntaxProblem, first: int) -> bool:
        """Notes a problem with what begins at a token; says whether that may not be the last one.

        Where reading went on at what begins nothing, or at a word out of place, the problem before is to blame.
        """
        blamed = first == self.resumed and (self.at == first or (self.at == first + 1 and first == self.stopped))
        if not blamed:
            self.problems.append(problem)
        self.stopped = self.at
        return len(self.problems) < MOST

    def unexpected(self, wanted: str) -> SyntaxProblem:
        """What to raise where the next token is not what must stand here."""
        return self.problem(f"expected {wanted}, found {quoted(self.texts[self.at])}")

    def expect(self, token: str, where: str) -> None:
        """Reads a token that must stand here; `where` says behind or before what."""
        if self.texts[self.at] != token:
            raise self.unexpected(f"{quoted(token)} {where}")
        self.at += 1

    def name(self, of: str) -> str:
        """Reads an identifier; `of` says what it is the name of."""
        text = self.texts[self.at]
        if text not in self.names:
            found = f"the keyword {quoted(text)}" if text in KEYWORDS else quoted(text)
            raise self.problem(f"expected {of}, found {found}")
        self.at += 1
        return text

    def deeper(self) -> None:
        """Called where a construct contains one of its own kind; `depth` is counted down where that ends."""
        self.depth += 1
        if self.depth > DEPTH:
            raise self.problem(f"more than {DEPTH} constructs inside each other")

    # --------------------------------------------------------------------------------------------------- expressions

    def expression(self) -> Expression:
        """An expression inside nothing but a statement or declaration."""
        first = self.at
        result = self.operand()
        if self.texts[self.at] in _LEVELS:
            result = self._operators(first, result, 1)
        if self.at - first > DEPTH:
            self.check_height(first, result)
        return result

    def check_height(self, first: int, *found: Expression) -> None:
        """A chain of operators makes a deep tree, too. `found` was read from `first` on."""
        level: list[Node] = list(found) if self.at - first > DEPTH else []
        height = 0
        while level:
            height += 1
            if height > DEPTH:
                raise self.problem(f"more than {DEPTH} constructs inside each other", first)
            level = [child for parent in level for child in children(parent)]

    def operation(self) -> Expression:
        """An expression: operands with operators between them, or one operand alone."""
        first = self.at
        left = self.operand()
        return left if self.texts[self.at] not in _LEVELS else self._operators(first, left, 1)

    def _operators(self, first: int, left: Expression, least: int) -> Expression:
        """Goes on behind an operand, with operators that bind as strongly as `least` or more."""
        while True:
            operator = self.texts[self.at]
            self.at += 1
            right_first = self.at
            right = self.operand()
            following = self._following(operator)
            if following > _LEVELS[operator]:
                right = self._operators(right_first, right, _LEVELS[operator] + 1)
                following = self._following(operator)
            left = Binary(operator, left, right, start=self.starts[first], end=self.ends[self.at - 1])
            if following < least:
                return left

    def _following(self, operator: str) -> int:
        """How strongly the next operator binds; 0 if there is none."""
        text = self.texts[self.at]
        if text not in _LEVELS:
            return 0
        if text not in _MAY_FOLLOW[operator]:
            raise self.problem(f"{quoted(text)} behind {quoted(operator)} needs parentheses around one of the two")
        return _LEVELS[text]

    # ------------------------------------------------------------------------------------------------------ operands

    def operand(self) -> Expression:
        """A name, literal, call or expression in parentheses, with what is behind and the unary operators before it."""
        first = self.at
        text = self.texts[first]
        self.at = first + 1
        if text in self.names:
            if self.texts[first + 1] not in BEHIND_NAME:
                return Identifier(text, start=self.starts[first], end=self.ends[first])
            return self.behind(first, self.called(first, text))
        if text in self.literals:
            literal = Literal(text, start=self.starts[first], end=self.ends[first])
            return literal if self.texts[first + 1] not in BEHIND_NAME else self.behind(first, literal)
        result: Expression
        if text == "(":
            self.deeper()
            result = self.operation()
            self.expect(")", "behind the expression in parentheses")
            self.depth -= 1
            return self.behind(first, result)
        if text in _UNARY:
            self.deeper()
            operand = self.operand()
            self.depth -= 1
            return Unary(text, operand, start=self.starts[first], end=self.ends[self.at - 1])
        self.at = first
        raise self.unexpected("an expression")

    def called(self, first: int, name: str) -> Identifier | Call:
        """An identifier that may have a template list, and may be called."""
        template = self.template_list() if self.texts[self.at] == OPEN else ()
        callee = Identifier(name, template, start=self.starts[first], end=self.ends[self.at - 1])
        if self.texts[self.at] != "(":
            return callee
        arguments = self.arguments()
        return Call(callee, arguments, start=self.starts[first], end=self.ends[self.at - 1])

    def behind(self, first: int, base: Expression) -> Expression:
        """A primary expression and the members and elements behind it."""
        while True:
            text = self.texts[self.at]
            if text == ".":
                self.at += 1
                name = self.name("a member or a swizzle")
                base = Member(base, name, start=self.starts[first], end=self.ends[self.at - 1])
            elif text == "[":
                self.at += 1
                self.deeper()
                index = self.operation()
                self.expect("]", "behind the index")
                self.depth -= 1
                base = Index(base, index, start=self.starts[first], end=self.ends[self.at - 1])
            else:
                return base

    def template_list(self) -> tuple[Expression, ...]:
        """`<` expressions `>`, at least one."""
        return self._list(CLOSE, "behind the template parameters", least=1)

    def arguments(self) -> tuple[Expression, ...]:
        """`(` expressions `)`."""
        return self._list(")", "behind the arguments", least=0)

    def _list(self, close: str, where: str, *, least: int) -> tuple[Expression, ...]:
        """What a bracket encloses; a comma may be behind the last."""
        self.at += 1
        self.deeper()
        found: list[Expression] = []
        while self.texts[self.at] != close or len(found) < least:
            found.append(self.operation())
            if self.texts[self.at] != ",":
                break
            self.at += 1
        self.expect(close, where)
        self.depth -= 1
        return tuple(found)

    def type(self) -> Identifier:
        """A type: a name that may have a template list."""
        first = self.at
        name = self.name("a type")
        if self.texts[self.at] != OPEN:
            return Identifier(name, start=self.starts[first], end=self.ends[first])
        template = self.template_list()
        found = Identifier(name, template, start=self.starts[first], end=self.ends[self.at - 1])
        if self.at - first > DEPTH:
            self.check_height(first, found)
        return found
