"""The parser's upper half: statements (9 #statements)."""

from collections.abc import Callable, Mapping

from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.parse_expressions import quoted
from wgsl_fuzz.wgsl.parse_parts import PartParser, Update
from wgsl_fuzz.wgsl.parse_recovery import AbandonedDeclaration, behind_statement, braces_match
from wgsl_fuzz.wgsl.problems import SyntaxProblem

_ENDING_STATEMENTS = frozenset({"}", "continuing", ""})
_ENDING_SELECTORS = frozenset(":{@")
_STARTING_UPDATE = frozenset({"_", "*", "&", "("})


class StatementParser(PartParser):
    """Reads what stands in a function."""

    __slots__ = ("function_at",)

    function_at: int
    """The word `fn` of the function that is read."""

    def block(self, of: str) -> w.Block:
        """`{ statements }`, with the attributes before it; `of` says whose block must stand here."""
        first = self.at
        attributes = self.attributes() if self.texts[first] == "@" else ()
        if self.texts[self.at] != "{":
            raise self.unexpected(f"'{{' before {of}")
        self.at += 1
        statements = self.statements()
        self.close()
        return w.Block(statements, attributes, start=self.starts[first], end=self.ends[self.at - 1])

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
        going_on = self.note(problem, first) and braces_match(self.texts, self.function_at)
        behind = behind_statement(self.texts, first, self.at) if going_on else None
        if behind is None:
            raise AbandonedDeclaration
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

    # ---------------------------------------------------------------------------------------------- plain statements

    def _empty(self, first: int) -> w.Empty:
        self.at += 1
        return w.Empty(start=self.starts[first], end=self.ends[first])

    def _return(self, first: int) -> w.Return:
        self.at += 1
        value = None if self.texts[self.at] == ";" else self.expression()
        return w.Return(value, start=self.starts[first], end=self.end(True, "behind the return statement"))

    def _break(self, first: int) -> w.Break:
        self.at += 1
        return w.Break(start=self.starts[first], end=self.end(True, "behind 'break'"))

    def _continue(self, first: int) -> w.Continue:
        self.at += 1
        return w.Continue(start=self.starts[first], end=self.end(True, "behind 'continue'"))

    def _discard(self, first: int) -> w.Discard:
        self.at += 1
        return w.Discard(start=self.starts[first], end=self.end(True, "behind 'discard'"))

    def _variable(self, first: int) -> w.Variable:
        return self.variable(first, ())

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
            return self.variable(first, (), semicolon=False)
        if text == "let":
            return self.let(first, semicolon=False)
        if text == "const":
            return self.const(first, semicolon=False)
        return self.update(first, semicolon=False)

    def _loop(self, first: int, attributes: w.Attributes) -> w.Loop:
        """The place of the body is that of its braces: the continuing is inside it."""
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
        selectors: list[w.Expression | w.DefaultSelector] = []
        if self.texts[first] == "case":
            self.at += 1
            selectors = self._selectors()
        elif self.texts[first] == "default":
            self.at += 1
        else:
            raise self.unexpected("'case' or 'default'")
        if self.texts[self.at] == ":":
            self.at += 1
        body = self.block("the body of a clause")
        return w.Clause(tuple(selectors), body, start=self.starts[first], end=self.ends[self.at - 1])

    def _selectors(self) -> list[w.Expression | w.DefaultSelector]:
        """The selectors of a `case`, at least one; a comma may be behind the last."""
        found: list[w.Expression | w.DefaultSelector] = []
        while not found or self.texts[self.at] not in _ENDING_SELECTORS:
            if self.texts[self.at] == "default":
                found.append(w.DefaultSelector(start=self.starts[self.at], end=self.ends[self.at]))
                self.at += 1
            else:
                found.append(self.expression())
            if self.texts[self.at] != ",":
                break
            self.at += 1
        return found


_PLAIN: Mapping[str, Callable[[StatementParser, int], w.Statement]] = {
    ";": StatementParser._empty,
    "var": StatementParser._variable,
    "let": StatementParser.let,
    "const": StatementParser.const,
    "const_assert": StatementParser.const_assert,
    "return": StatementParser._return,
    "break": StatementParser._break,
    "continue": StatementParser._continue,
    "discard": StatementParser._discard,
}
_COMPOUND: Mapping[str, Callable[[StatementParser, int, w.Attributes], w.Statement]] = {
    "{": StatementParser._block,
    "if": StatementParser._if,
    "switch": StatementParser._switch,
    "loop": StatementParser._loop,
    "while": StatementParser._while,
    "for": StatementParser._for,
}
"""By the word that they begin with."""
