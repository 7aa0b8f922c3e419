"""Text -> tree, for the grammar of all WGSL. Names, types and the placement of statements are not looked at."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from wgsl_fuzz.tinywgsl.ast import ARITHMETIC, BITWISE, SHIFTS
from wgsl_fuzz.wgsl import lexer
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.lexer import CLOSE, KEYWORDS, OPEN
from wgsl_fuzz.wgsl.problems import MOST, SyntaxProblem, first_of
from wgsl_fuzz.wgsl.walk import children, with_more_stack

_T = TypeVar("_T")

DEPTH = 512
"""How deep a tree may be. Tint's bounds are 512 for an expression and less for statements and parentheses."""

BEHIND_NAME = frozenset({"(", "[", ".", OPEN})
SEVERITIES = ("error", "warning", "info", "off")
_ASSIGNMENTS = frozenset({"=", *(f"{operator}=" for operator in ARITHMETIC | BITWISE | SHIFTS)})
_TAKING_NAMES = frozenset({"builtin", "interpolate"})

Update = w.Assign | w.Phony | w.Increment | w.CallStatement
Bare = w.Break | w.Continue | w.Discard
_ENDING_STATEMENTS = frozenset({"}", "continuing", ""})
_ENDING_SELECTORS = frozenset(":{@")
_STARTING_UPDATE = frozenset({"_", "*", "&", "("})


def parse(text: str) -> w.Module:
    """The tree of a text, every node with its place. Raises SyntaxProblem, and nothing else, for what is no WGSL.

    The first problem is raised; `more` of it has others.
    """
    found = lexer.tokens(text)
    return with_more_stack(lambda: _Parser(found).module())


def quoted(token: str) -> str:
    """A token as messages show it, or its first 40 characters."""
    if token in (OPEN, CLOSE):
        token = token[-1]
    if len(token) > 40:
        token = f"{token[:40]}..."
    return f"'{token}'" if token else "the end of the text"


class _AbandonedDeclaration(Exception):
    """The rest of a declaration cannot be read: what is wrong with it is noted already."""


class _Parser:
    """Goes through the tokens of a text. Each method reads one construct from `at` on and leaves `at` behind it."""

    __slots__ = (
        *("texts", "starts", "ends", "names", "literals"),
        *("at", "depth", "problems", "resumed", "stopped", "function_at"),
    )

    def __init__(self, tokens: lexer.Tokens) -> None:
        self.texts = tokens.texts
        self.starts = tokens.starts
        self.ends = tokens.ends
        self.names = tokens.names
        self.literals = tokens.literals
        self.at = 0
        self.depth = 0
        self.problems: list[SyntaxProblem] = []
        """The problems after which reading was resumed."""
        self.resumed = -1
        """The token at which reading was last resumed."""
        self.stopped = -1
        """The token at which reading was when it last met a problem."""
        self.function_at = 0
        """The word `fn` of the function that is read."""

    # -------------------------------------------------------------------------------------------------------- tokens

    def problem(self, message: str, at: int | None = None) -> SyntaxProblem:
        """What to raise at a token, by default at the next one."""
        return SyntaxProblem(message, self.starts[self.at if at is None else at])

    def note(self, problem: SyntaxProblem, first: int) -> bool:
        """Records a problem, unless an earlier one caused it. Returns False once MOST are recorded.

        An earlier one did if reading was resumed at the token `first`, with which this begins, and got nowhere: what
        stands there begins nothing, or is a word out of place.
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

    def expression(self) -> w.Expression:
        """An expression inside nothing but a statement or declaration."""
        first = self.at
        result = self.operand()
        if self.texts[self.at] in w.LEVELS:
            result = self._operators(first, result, 1)
        if self.at - first > DEPTH:
            self.check_height(first, result)
        return result

    def check_height(self, first: int, *found: w.Expression) -> None:
        """A chain of operators makes a deep tree, too. `found` was read from `first` on."""
        level: list[w.Node] = list(found) if self.at - first > DEPTH else []
        height = 0
        while level:
            height += 1
            if height > DEPTH:
                raise self.problem(f"more than {DEPTH} constructs inside each other", first)
            level = [child for parent in level for child in children(parent)]

    def operation(self) -> w.Expression:
        """An expression: operands with operators between them, or one operand alone."""
        first = self.at
        left = self.operand()
        return left if self.texts[self.at] not in w.LEVELS else self._operators(first, left, 1)

    def _operators(self, first: int, left: w.Expression, least: int) -> w.Expression:
        """Goes on behind an operand, with operators that bind as strongly as `least` or more."""
        while True:
            operator = self.texts[self.at]
            self.at += 1
            right_first = self.at
            right = self.operand()
            following = self._following(operator)
            if following > w.LEVELS[operator]:
                right = self._operators(right_first, right, w.LEVELS[operator] + 1)
                following = self._following(operator)
            left = w.Binary(operator, left, right, start=self.starts[first], end=self.ends[self.at - 1])
            if following < least:
                return left

    def _following(self, operator: str) -> int:
        """How strongly the next operator binds; 0 if there is none."""
        text = self.texts[self.at]
        if text not in w.LEVELS:
            return 0
        if text not in w.MAY_FOLLOW[operator]:
            raise self.problem(f"{quoted(text)} behind {quoted(operator)} needs parentheses around one of the two")
        return w.LEVELS[text]

    # ------------------------------------------------------------------------------------------------------ operands

    def operand(self) -> w.Expression:
        """A name, literal, call or expression in parentheses, with what is behind and the unary operators before it."""
        first = self.at
        text = self.texts[first]
        self.at = first + 1
        if text in self.names:
            if self.texts[first + 1] not in BEHIND_NAME:
                return w.Identifier(text, start=self.starts[first], end=self.ends[first])
            return self.behind(first, self.called(first, text))
        if text in self.literals:
            literal = w.Literal(text, start=self.starts[first], end=self.ends[first])
            return literal if self.texts[first + 1] not in BEHIND_NAME else self.behind(first, literal)
        result: w.Expression
        if text == "(":
            self.deeper()
            result = self.operation()
            self.expect(")", "behind the expression in parentheses")
            self.depth -= 1
            return self.behind(first, result)
        if text in w.UNARY:
            self.deeper()
            operand = self.operand()
            self.depth -= 1
            return w.Unary(text, operand, start=self.starts[first], end=self.ends[self.at - 1])
        self.at = first
        raise self.unexpected("an expression")

    def called(self, first: int, name: str) -> w.Identifier | w.Call:
        """An identifier that may have a template list, and may be called."""
        template = self.template_list() if self.texts[self.at] == OPEN else ()
        callee = w.Identifier(name, template, start=self.starts[first], end=self.ends[self.at - 1])
        if self.texts[self.at] != "(":
            return callee
        arguments = self.arguments()
        return w.Call(callee, arguments, start=self.starts[first], end=self.ends[self.at - 1])

    def behind(self, first: int, base: w.Expression) -> w.Expression:
        """A primary expression and the members and elements behind it."""
        while True:
            text = self.texts[self.at]
            if text == ".":
                self.at += 1
                name = self.name("a member or a swizzle")
                base = w.Member(base, name, start=self.starts[first], end=self.ends[self.at - 1])
            elif text == "[":
                self.at += 1
                self.deeper()
                index = self.operation()
                self.expect("]", "behind the index")
                self.depth -= 1
                base = w.Index(base, index, start=self.starts[first], end=self.ends[self.at - 1])
            else:
                return base

    def template_list(self) -> tuple[w.Expression, ...]:
        """`<` expressions `>`, at least one."""
        return self._list(CLOSE, "behind the template parameters", least=1)

    def arguments(self) -> tuple[w.Expression, ...]:
        """`(` expressions `)`."""
        return self._list(")", "behind the arguments", least=0)

    def _list(self, close: str, where: str, *, least: int) -> tuple[w.Expression, ...]:
        """Expressions between brackets."""
        self.at += 1
        self.deeper()
        found = self.listed((close,), self.operation, least=least)
        self.expect(close, where)
        self.depth -= 1
        return found

    def listed(self, close: Collection[str], read: Callable[[], _T], *, least: int = 1) -> tuple[_T, ...]:
        """What stands before one of some tokens, with commas between; one may be behind the last."""
        found: list[_T] = []
        while len(found) < least or self.texts[self.at] not in close:
            found.append(read())
            if self.texts[self.at] != ",":
                break
            self.at += 1
        return tuple(found)

    def type(self) -> w.Identifier:
        """A type: a name that may have a template list."""
        first = self.at
        name = self.name("a type")
        if self.texts[self.at] != OPEN:
            return w.Identifier(name, start=self.starts[first], end=self.ends[first])
        template = self.template_list()
        found = w.Identifier(name, template, start=self.starts[first], end=self.ends[self.at - 1])
        if self.at - first > DEPTH:
            self.check_height(first, found)
        return found

    # ---------------------------------------------------------------------------------------------------- attributes

    def attributes(self) -> w.Attributes:
        """The attributes before something, if there are any."""
        if self.texts[self.at] != "@":
            return ()
        found: list[w.Attribute] = []
        while self.texts[self.at] == "@":
            found.append(self._attribute())
        return tuple(found)

    def no_attributes(self, attributes: w.Attributes, before: str) -> None:
        """Fails if there are attributes where the grammar has none."""
        if attributes:
            raise self.problem(f"attributes are not allowed before {before}", self.starts.index(attributes[0].start))

    def _attribute(self) -> w.Attribute:
        first = self.at
        self.at += 1
        arguments: tuple[w.Expression, ...] = ()
        if self.texts[self.at] == "diagnostic":
            name = "diagnostic"
            self.at += 1
            arguments = self._diagnostic_arguments()
        else:
            name = self.name("an attribute")
            if name not in w.ATTRIBUTES:
                raise self.problem(f"there is no attribute {quoted(name)}", self.at - 1)
            if self.texts[self.at] == "(":
                if not w.ATTRIBUTES[name][1]:
                    raise self.problem(f"'@{name}' takes no arguments")
                arguments = self.arguments()
                self.check_height(first, *arguments)
            self._check_arguments(name, arguments, first)
        return w.Attribute(name, arguments, start=self.starts[first], end=self.ends[self.at - 1])

    def _check_arguments(self, name: str, arguments: tuple[w.Expression, ...], first: int) -> None:
        least, most = w.ATTRIBUTES[name]
        if not least <= len(arguments) <= most:
            counts = "one argument" if most == 1 else f"{least} to {most} arguments"
            raise self.problem(f"'@{name}' takes {counts}, found {len(arguments)}", first)
        if name in _TAKING_NAMES and not all(isinstance(a, w.Identifier) and not a.template for a in arguments):
            raise self.problem(f"the arguments of '@{name}' are names", first)

    def diagnostic_control(self) -> list[w.Identifier]:
        """`(severity, rule)`, with a comma behind it or not: the severity and the one or two names of the rule."""
        self.expect("(", "behind 'diagnostic'")
        if self.texts[self.at] not in SEVERITIES:
            raise self.unexpected("one of the severities " + ", ".join(SEVERITIES))
        found = [self._identifier("a severity")]
        self.expect(",", "behind the severity")
        found.append(self._identifier("a diagnostic rule"))
        if self.texts[self.at] == ".":
            self.at += 1
            found.append(self._identifier("the second name of a diagnostic rule"))
        if self.texts[self.at] == ",":
            self.at += 1
        self.expect(")", "behind the diagnostic rule")
        return found

    def _diagnostic_arguments(self) -> tuple[w.Expression, ...]:
        severity, rule, *more = self.diagnostic_control()
        if not more:
            return severity, rule
        return severity, w.Member(rule, more[0].name, start=rule.start, end=more[0].end)

    def _identifier(self, of: str) -> w.Identifier:
        name = self.name(of)
        return w.Identifier(name, start=self.starts[self.at - 1], end=self.ends[self.at - 1])

    # -------------------------------------------------------------------------------------------------- declarations

    def name_and_type(self, of: str) -> tuple[str, w.Identifier | None]:
        """`name` or `name: type`."""
        name = self.name(of)
        if self.texts[self.at] != ":":
            return name, None
        self.at += 1
        return name, self.type()

    def initializer(self, where: str) -> w.Expression:
        """`= expression`, which must stand here."""
        self.expect("=", where)
        return self.expression()

    def end(self, semicolon: bool, behind: str) -> int:
        """Where a construct ends, with its `;` if it has one."""
        if semicolon:
            if self.texts[self.at] != ";":
                raise self.unexpected(f"';' {behind}")
            self.at += 1
        return self.ends[self.at - 1]

    def variable(self, first: int, attributes: w.Attributes = (), semicolon: bool = True) -> w.Variable:
        """`var` and what follows. At `first` is the first token, with the attributes."""
        self.at += 1
        template = self.template_list() if self.texts[self.at] == OPEN else ()
        if len(template) > 2:
            raise self.problem("'var' takes an address space and an access mode", first)
        self.check_height(first, *template)
        name, type = self.name_and_type("the name of a variable")
        value = None
        if self.texts[self.at] == "=":
            self.at += 1
            value = self.expression()
        end = self.end(semicolon, "behind the variable")
        return w.Variable(name, type, value, template, attributes, start=self.starts[first], end=end)

    def valued(self, first: int, semicolon: bool = True) -> w.Let | w.Const:
        """`let` or `const` and what follows."""
        cls, of = _VALUED[self.texts[first]]
        self.at += 1
        name, type = self.name_and_type(f"the name of a {of}")
        value = self.initializer(f"behind the name and type of a {of}")
        return cls(name, type, value, start=self.starts[first], end=self.end(semicolon, f"behind the {of}"))

    def const_assert(self, first: int) -> w.ConstAssert:
        """`const_assert` and its condition."""
        self.at += 1
        condition = self.expression()
        return w.ConstAssert(condition, start=self.starts[first], end=self.end(True, "behind the condition"))

    def update(self, first: int, semicolon: bool) -> Update:
        """An assignment, an increment or a call, with its `;` or as a part of `for`."""
        if self.texts[first] == "_":
            self.at += 1
            value = self.initializer("behind '_'")
            return w.Phony(value, start=self.starts[first], end=self.end(semicolon, "behind the assignment"))
        left = self._left()
        operator = self.texts[self.at]
        if operator in _ASSIGNMENTS:
            self.at += 1
            right = self.expression()
            end = self.end(semicolon, "behind the assignment")
            return w.Assign(operator, left, right, start=self.starts[first], end=end)
        if operator == "++" or operator == "--":
            self.at += 1
            end = self.end(semicolon, "behind the statement")
            return w.Increment(operator, left, start=self.starts[first], end=end)
        if isinstance(left, w.Call) and self.texts[first] != "(":
            return w.CallStatement(left, start=self.starts[first], end=self.end(semicolon, "behind the call"))
        raise self.unexpected("an assignment, an increment or a call")

    def _left(self) -> w.Expression:
        """The left side of an assignment, or a call: `*` and `&` before a name or call, members and elements behind."""
        first = self.at
        text = self.texts[first]
        self.at = first + 1
        left: w.Expression
        if text in self.names:
            if self.texts[first + 1] not in BEHIND_NAME:
                return w.Identifier(text, start=self.starts[first], end=self.ends[first])
            left = self.called(first, text)
            if isinstance(left, w.Identifier) and left.template:
                raise self.unexpected("'(' behind a template list in a statement")
        elif text == "*" or text == "&":
            self.deeper()
            left = self._left()
            self.depth -= 1
            return w.Unary(text, left, start=self.starts[first], end=self.ends[self.at - 1])
        elif text == "(":
            self.deeper()
            left = self._left()
            self.expect(")", "behind the left side in parentheses")
            self.depth -= 1
        else:
            self.at = first
            raise self.unexpected("a variable, '*', '&' or '('")
        left = self.behind(first, left)
        if self.at - first > DEPTH:
            self.check_height(first, left)
        return left

    # ------------------------------------------------------------------------------------------------------ statements

    def block(self, of: str) -> w.Block:
        """`{ statements }`, with the attributes before it; `of` says whose block must stand here."""
        first = self.at
        attributes = self.attributes() if self.texts[first] == "@" else ()
        if self.texts[self.at] != "{":
            raise self.unexpected(f"'{{' before {of}")
        return self._block(first, attributes)

    def statements(self) -> tuple[w.Statement, ...]:
        """All statements up to what begins none."""
        self.deeper()
        found: list[w.Statement] = []
        texts = self.texts
        while (text := texts[self.at]) not in _ENDING_STATEMENTS:
            first, depth = self.at, self.depth
            try:
                if text in self.names or text in _STARTING_UPDATE:
                    found.append(self.update(first, semicolon=True))
                elif text == "break" and texts[first + 1] == "if":
                    break
                elif read := _PLAIN.get(text):
                    found.append(read(self, first))
                else:
                    found.append(self._compound(first))
            except SyntaxProblem as problem:
                self._go_on(problem, first)
                self.depth = depth
        self.depth -= 1
        return tuple(found)

    def _go_on(self, problem: SyntaxProblem, first: int) -> None:
        """Notes a problem with the statement that begins at `first`, and goes behind that."""
        going_on = self.note(problem, first) and lexer.braces_match(self.texts, self.function_at)
        behind = lexer.behind_statement(self.texts, first, self.at) if going_on else None
        if behind is None:
            raise _AbandonedDeclaration
        self.at = self.resumed = behind

    def close(self) -> None:
        """Reads the `}` behind statements."""
        text = self.texts[self.at]
        if text == "break" and self.texts[self.at + 1] == "if":
            raise self.problem("'break if' may only end a continuing block")
        if text == "continuing":
            raise self.problem("'continuing' may only end the body of a loop")
        if text != "}":
            raise self.unexpected("a statement or '}'")
        self.at += 1

    def _compound(self, first: int) -> w.Statement:
        """A statement that may have attributes, or no statement."""
        attributes = self.attributes()
        text = self.texts[self.at]
        if read := _COMPOUND.get(text):
            return read(self, first, attributes)
        self.no_attributes(attributes, quoted(text))
        raise self.unexpected("a statement")

    def _empty(self, first: int) -> w.Empty:
        self.at += 1
        return w.Empty(start=self.starts[first], end=self.ends[first])

    def _return(self, first: int) -> w.Return:
        self.at += 1
        value = None if self.texts[self.at] == ";" else self.expression()
        return w.Return(value, start=self.starts[first], end=self.end(True, "behind the return statement"))

    def _bare(self, first: int) -> Bare:
        self.at += 1
        word = self.texts[first]
        return _BARE[word](start=self.starts[first], end=self.end(True, f"behind '{word}'"))

    # -------------------------------------------------------------------------------------------- compound statements

    def _block(self, first: int, attributes: w.Attributes) -> w.Block:
        self.at += 1
        statements = self.statements()
        self.close()
        return w.Block(statements, attributes, start=self.starts[first], end=self.ends[self.at - 1])

    def _if(self, first: int, attributes: w.Attributes) -> w.If:
        self.at += 1
        condition = self.expression()
        then = self.block("the body of 'if'")
        orelse: w.Block | w.If | None = None
        if self.texts[self.at] == "else":
            self.at += 1
            if self.texts[self.at] == "if":
                self.deeper()
                orelse = self._if(self.at, ())
                self.depth -= 1
            else:
                orelse = self.block("the body of 'else'")
        end = self.ends[self.at - 1]
        return w.If(condition, then, orelse, attributes, start=self.starts[first], end=end)

    def _while(self, first: int, attributes: w.Attributes) -> w.While:
        self.at += 1
        condition = self.expression()
        body = self.block("the body of 'while'")
        return w.While(condition, body, attributes, start=self.starts[first], end=self.ends[self.at - 1])

    def _for(self, first: int, attributes: w.Attributes) -> w.For:
        self.at += 1
        self.expect("(", "behind 'for'")
        initial = None if self.texts[self.at] == ";" else self._initial()
        self.expect(";", "behind the initializer of 'for'")
        condition = None if self.texts[self.at] == ";" else self.expression()
        self.expect(";", "behind the condition of 'for'")
        update = None if self.texts[self.at] == ")" else self.update(self.at, semicolon=False)
        self.expect(")", "behind the head of 'for'")
        body = self.block("the body of 'for'")
        end = self.ends[self.at - 1]
        return w.For(initial, condition, update, body, attributes, start=self.starts[first], end=end)

    def _initial(self) -> w.Variable | w.Let | w.Const | Update:
        first = self.at
        text = self.texts[first]
        if text == "var":
            return self.variable(first, semicolon=False)
        if text in _VALUED:
            return self.valued(first, semicolon=False)
        return self.update(first, semicolon=False)

    def _loop(self, first: int, attributes: w.Attributes) -> w.Loop:
        """The body's position is its braces: the continuing is inside it."""
        self.at += 1
        body_first = self.at
        body_attributes = self.attributes()
        self.expect("{", "before the body of 'loop'")
        statements = self.statements()
        continuing = self._continuing() if self.texts[self.at] == "continuing" else None
        self.close()
        end = self.ends[self.at - 1]
        body = w.Block(statements, body_attributes, start=self.starts[body_first], end=end)
        return w.Loop(body, continuing, attributes, start=self.starts[first], end=end)

    def _continuing(self) -> w.Block:
        """`continuing`, and a block that may end in `break if`. The place of the block begins at `continuing`."""
        first = self.at
        self.at += 1
        attributes = self.attributes()
        self.expect("{", "behind 'continuing'")
        statements = self.statements()
        if self.texts[self.at] == "break":
            start = self.at
            self.at += 2
            condition = self.expression()
            end = self.end(True, "behind the condition of 'break if'")
            statements += (w.BreakIf(condition, start=self.starts[start], end=end),)
            while self.texts[self.at] == ";":  # not in the grammar, but Tint lets it pass
                self.at += 1
        self.close()
        return w.Block(statements, attributes, start=self.starts[first], end=self.ends[self.at - 1])

    def _switch(self, first: int, attributes: w.Attributes) -> w.Switch:
        self.at += 1
        selector = self.expression()
        body_attributes = self.attributes()
        self.expect("{", "before the clauses of 'switch'")
        clauses = [self._clause()]
        while self.texts[self.at] != "}":
            clauses.append(self._clause())
        self.at += 1
        end = self.ends[self.at - 1]
        return w.Switch(selector, tuple(clauses), attributes, body_attributes, start=self.starts[first], end=end)

    def _clause(self) -> w.Clause:
        first = self.at
        selectors: tuple[w.Expression | w.DefaultSelector, ...] = ()
        if self.texts[first] == "case":
            self.at += 1
            selectors = self.listed(_ENDING_SELECTORS, self._selector)
        elif self.texts[first] == "default":
            self.at += 1
        else:
            raise self.unexpected("'case' or 'default'")
        if self.texts[self.at] == ":":
            self.at += 1
        body = self.block("the body of a clause")
        return w.Clause(selectors, body, start=self.starts[first], end=self.ends[self.at - 1])

    def _selector(self) -> w.Expression | w.DefaultSelector:
        if self.texts[self.at] != "default":
            return self.expression()
        self.at += 1
        return w.DefaultSelector(start=self.starts[self.at - 1], end=self.ends[self.at - 1])

    # ---------------------------------------------------------------------------------------------------- module scope

    def module(self) -> w.Module:
        directives: list[w.Directive] = []
        declarations: list[w.Declaration] = []
        while read := _DIRECTIVES.get(self.texts[self.at]):
            with self._going_on():
                directives.append(read(self, self.at))
        while text := self.texts[self.at]:
            if text == ";":
                self.at += 1
                continue
            with self._going_on():
                declarations.append(self._declaration(self.at))
        if self.problems:
            raise first_of(self.problems)
        return w.Module(tuple(directives), tuple(declarations), start=0, end=self.starts[-1])

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        """Notes what is wrong with a declaration or directive, and goes behind that."""
        first = self.at
        try:
            yield
            return
        except SyntaxProblem as problem:
            self.note(problem, first)
            is_one = self.texts[first] in _BEGINNING
        except _AbandonedDeclaration:
            is_one = False
        self.depth = 0
        end = len(self.texts) - 1
        enough = len(self.problems) >= MOST
        self.at = self.resumed = end if enough else lexer.behind_declaration(self.texts, first, self.at, is_one=is_one)

    def _declaration(self, first: int) -> w.Declaration:
        attributes = self.attributes()
        text = self.texts[self.at]
        if read := _DECLARATIONS.get(text):
            return read(self, first, attributes)
        self.no_attributes(attributes, quoted(text))
        if read_plain := _PLAIN_OUTSIDE.get(text):
            return read_plain(self, first)
        if text in _DIRECTIVES:
            raise self.problem("directives must stand before all declarations")
        raise self.unexpected("a declaration")

    def _enable(self, first: int) -> w.Enable:
        names = self._names("an extension")
        return w.Enable(names, start=self.starts[first], end=self.end(True, "behind the extensions"))

    def _requires(self, first: int) -> w.Requires:
        names = self._names("a language feature")
        return w.Requires(names, start=self.starts[first], end=self.end(True, "behind the language features"))

    def _names(self, of: str) -> tuple[str, ...]:
        self.at += 1
        return self.listed((";",), lambda: self.name(of))

    def _diagnostic(self, first: int) -> w.Diagnostic:
        self.at += 1
        severity, *rule = self.diagnostic_control()
        text = ".".join(part.name for part in rule)
        end = self.end(True, "behind the diagnostic directive")
        return w.Diagnostic(severity.name, text, start=self.starts[first], end=end)

    def _override(self, first: int, attributes: w.Attributes) -> w.Override:
        self.at += 1
        name, type = self.name_and_type("the name of an override")
        value = None
        if self.texts[self.at] == "=":
            self.at += 1
            value = self.expression()
        end = self.end(True, "behind the override")
        return w.Override(name, type, value, attributes, start=self.starts[first], end=end)

    def _alias(self, first: int) -> w.Alias:
        self.at += 1
        name = self.name("the name of an alias")
        self.expect("=", "behind the name of an alias")
        type = self.type()
        return w.Alias(name, type, start=self.starts[first], end=self.end(True, "behind the alias"))

    def _struct(self, first: int) -> w.Struct:
        self.at += 1
        name = self.name("the name of a structure")
        self.expect("{", "behind the name of a structure")
        members = self.listed(("}",), lambda: self._typed(w.StructMember, "the name of a member"))
        self.expect("}", "or ',' behind the member of a structure")
        return w.Struct(name, members, start=self.starts[first], end=self.ends[self.at - 1])

    def _typed(self, cls: Callable[..., _T], of: str) -> _T:
        """`@attributes name: type`."""
        first = self.at
        attributes = self.attributes()
        name = self.name(of)
        self.expect(":", f"behind {of}")
        type = self.type()
        return cls(name, type, attributes, start=self.starts[first], end=self.ends[self.at - 1])

    def _function(self, first: int, attributes: w.Attributes) -> w.Function:
        self.function_at = self.at
        self.at += 1
        name = self.name("the name of a function")
        self.expect("(", "behind the name of a function")
        parameters = self.listed((")",), lambda: self._typed(w.Parameter, "the name of a parameter"), least=0)
        self.expect(")", "or ',' behind the parameters")
        result: w.Identifier | None = None
        result_attributes: w.Attributes = ()
        if self.texts[self.at] == "->":
            self.at += 1
            result_attributes = self.attributes()
            result = self.type()
        body: w.Block = self.block("the body of the function")
        end = self.ends[self.at - 1]
        return w.Function(
            name, parameters, body, result, attributes, result_attributes, start=self.starts[first], end=end
        )


_VALUED: Mapping[str, tuple[type[w.Let | w.Const], str]] = {"let": (w.Let, "value"), "const": (w.Const, "constant")}
_BARE: Mapping[str, type[Bare]] = {"break": w.Break, "continue": w.Continue, "discard": w.Discard}
_PLAIN: Mapping[str, Callable[[_Parser, int], w.Statement]] = {
    ";": _Parser._empty,
    "var": _Parser.variable,
    **dict.fromkeys(_VALUED, _Parser.valued),
    "const_assert": _Parser.const_assert,
    "return": _Parser._return,
    **dict.fromkeys(_BARE, _Parser._bare),
}
_COMPOUND: Mapping[str, Callable[[_Parser, int, w.Attributes], w.Statement]] = {
    "{": _Parser._block,
    "if": _Parser._if,
    "switch": _Parser._switch,
    "loop": _Parser._loop,
    "while": _Parser._while,
    "for": _Parser._for,
}
"""By the word that they begin with."""
_DIRECTIVES: Mapping[str, Callable[[_Parser, int], w.Directive]] = {
    "enable": _Parser._enable,
    "requires": _Parser._requires,
    "diagnostic": _Parser._diagnostic,
}
_DECLARATIONS: Mapping[str, Callable[[_Parser, int, w.Attributes], w.Variable | w.Override | w.Function]] = {
    "var": _Parser.variable,
    "override": _Parser._override,
    "fn": _Parser._function,
}
_PLAIN_OUTSIDE: Mapping[str, Callable[[_Parser, int], w.Const | w.Alias | w.Struct | w.ConstAssert]] = {
    "const": _Parser.valued,  # type: ignore[dict-item]  # by its word it is no let
    "alias": _Parser._alias,
    "struct": _Parser._struct,
    "const_assert": _Parser.const_assert,
}
"""By the word that they begin with; those in the second table may have attributes."""
_BEGINNING = frozenset({"@", *_DIRECTIVES, *_DECLARATIONS, *_PLAIN_OUTSIDE})
