"""Text -> tree, for the grammar of all WGSL. Names, types and the placement of statements are not looked at."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from wgsl_fuzz.tinywgsl.ast import ARITHMETIC, BITWISE, SHIFTS
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.deep import deep
from wgsl_fuzz.wgsl.lexer import OPEN, tokens
from wgsl_fuzz.wgsl.parse_expressions import BEHIND_NAME, DEPTH, ExpressionParser, quoted
from wgsl_fuzz.wgsl.problems import MOST, SyntaxProblem, first_of

ONLY_OUTSIDE = frozenset({"fn", "struct", "alias", "override"})
"""The words that begin a declaration and nothing else: wherever they stand, reading may begin anew."""


class AbandonedDeclaration(Exception):
    """The rest of a declaration cannot be read: what is wrong with it is noted already."""


def next_declaration(texts: Sequence[str], at: int) -> int:
    """The first token from `at` on that begins a declaration wherever it stands; the last token if there is none."""
    end = len(texts) - 1
    return next((i for i in range(at, end) if texts[i] in ONLY_OUTSIDE), end)


def braces_match(texts: Sequence[str], first: int) -> bool:
    """Whether braces match in what begins at a token, up to the next declaration."""
    depth = 0
    for i in range(first, next_declaration(texts, first + 1)):
        if texts[i] == "{":
            depth += 1
        elif texts[i] == "}":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0


def behind_statement(texts: Sequence[str], first: int, at: int) -> int | None:
    """Where the next statement begins, or the block ends, if that which begins at `first` is wrong at `at`.

    None: a declaration begins before.
    """
    depth, semicolons = 0, "for" in texts[first : at + 1]
    for i in range(first, next_declaration(texts, at)):
        text = texts[i]
        if depth == 0 and i >= at:
            if text in ("}", "continuing"):
                return i
            if text == ";" and not semicolons:
                return i + 1
        depth += (text == "{") - (text == "}")
        if text == "}" and depth == 0 and i >= at and texts[i + 1] != "else":
            return i + 1
    return None


def behind_declaration(texts: Sequence[str], first: int, at: int, *, is_one: bool) -> int:
    """Where to look for the next declaration if that which begins at `first` is wrong at `at`.

    `is_one`: it begins with the keyword of a declaration or directive.
    """
    end = next_declaration(texts, max(at, first + 1))
    if is_one and braces_match(texts, first):
        depth = 0
        for i in range(first, end):
            depth += (texts[i] == "{") - (texts[i] == "}")
            if depth == 0 and i >= at and texts[i] in (";", "}"):
                return i + 1
    return end


SEVERITIES = ("error", "warning", "info", "off")

_ASSIGNMENTS = frozenset({"=", *(f"{operator}=" for operator in ARITHMETIC | BITWISE | SHIFTS)})

_ARITIES: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("compute", "fragment", "invariant", "must_use", "vertex"), (0, 0)),
    **dict.fromkeys(("align", "binding", "blend_src", "group", "id", "location", "size", "subgroup_size"), (1, 1)),
    **dict.fromkeys(("builtin", "interpolate"), (1, 2)),
    "workgroup_size": (1, 3),
}
"""By attribute, how many arguments it takes at least and at most (12 #attributes)."""
_TAKING_NAMES = frozenset({"builtin", "interpolate"})

Update = w.Assign | w.Phony | w.Increment | w.CallStatement
_ENDING_STATEMENTS = frozenset({"}", "continuing", ""})
_ENDING_SELECTORS = frozenset(":{@")
_STARTING_UPDATE = frozenset({"_", "*", "&", "("})


__all__ = ["parse"]


def parse(text: str) -> w.Module:
    """The tree of a text, every node with its place. Raises SyntaxProblem, and nothing else, for what is no WGSL.

    The first problem is raised; `more` of it has others.
    """
    found = tokens(text)
    return deep(lambda: _Parser(found).module())


class _Parser(ExpressionParser):
    """Reads a module: attributes, declarations, statements (9 #statements) and what is at module scope."""

    __slots__ = ("function_at",)

    function_at: int
    """The word `fn` of the function that is read."""

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
            if name not in _ARITIES:
                raise self.problem(f"there is no attribute {quoted(name)}", self.at - 1)
            if self.texts[self.at] == "(":
                if not _ARITIES[name][1]:
                    raise self.problem(f"'@{name}' takes no arguments")
                arguments = self.arguments()
                self.check_height(first, *arguments)
            self._check_arguments(name, arguments, first)
        return w.Attribute(name, arguments, start=self.starts[first], end=self.ends[self.at - 1])

    def _check_arguments(self, name: str, arguments: tuple[w.Expression, ...], first: int) -> None:
        least, most = _ARITIES[name]
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

    def variable(self, first: int, attributes: w.Attributes, semicolon: bool = True) -> w.Variable:
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

    def let(self, first: int, semicolon: bool = True) -> w.Let:
        """`let` and what follows."""
        self.at += 1
        name, type = self.name_and_type("the name of a value")
        value = self.initializer("behind the name and type of a value")
        return w.Let(name, type, value, start=self.starts[first], end=self.end(semicolon, "behind the value"))

    def const(self, first: int, semicolon: bool = True) -> w.Const:
        """`const` and what follows."""
        self.at += 1
        name, type = self.name_and_type("the name of a constant")
        value = self.initializer("behind the name and type of a constant")
        return w.Const(name, type, value, start=self.starts[first], end=self.end(semicolon, "behind the constant"))

    def const_assert(self, first: int) -> w.ConstAssert:
        """`const_assert` and its condition."""
        self.at += 1
        condition = self.expression()
        return w.ConstAssert(condition, start=self.starts[first], end=self.end(True, "behind the condition"))

    # ------------------------------------------------------------------------------------------------------- updates

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
        except AbandonedDeclaration:
            is_one = False
        self.depth = 0
        end = len(self.texts) - 1
        enough = len(self.problems) >= MOST
        self.at = self.resumed = end if enough else behind_declaration(self.texts, first, self.at, is_one=is_one)

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

    # ---------------------------------------------------------------------------------------------------- directives

    def _enable(self, first: int) -> w.Enable:
        names = self._names("an extension")
        return w.Enable(names, start=self.starts[first], end=self.end(True, "behind the extensions"))

    def _requires(self, first: int) -> w.Requires:
        names = self._names("a language feature")
        return w.Requires(names, start=self.starts[first], end=self.end(True, "behind the language features"))

    def _names(self, of: str) -> tuple[str, ...]:
        self.at += 1
        found = [self.name(of)]
        while self.texts[self.at] == ",":
            self.at += 1
            if self.texts[self.at] == ";":
                break
            found.append(self.name(of))
        return tuple(found)

    def _diagnostic(self, first: int) -> w.Diagnostic:
        self.at += 1
        severity, *rule = self.diagnostic_control()
        text = ".".join(part.name for part in rule)
        end = self.end(True, "behind the diagnostic directive")
        return w.Diagnostic(severity.name, text, start=self.starts[first], end=end)

    # -------------------------------------------------------------------------------------------------- declarations

    def _global_variable(self, first: int, attributes: w.Attributes) -> w.Variable:
        return self.variable(first, attributes)

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
        members = [self._member()]
        while self._another("}"):
            members.append(self._member())
        self.expect("}", "or ',' behind the member of a structure")
        return w.Struct(name, tuple(members), start=self.starts[first], end=self.ends[self.at - 1])

    def _another(self, close: str) -> bool:
        """Reads a comma; says whether something other than the closing bracket is behind it."""
        if self.texts[self.at] != ",":
            return False
        self.at += 1
        return self.texts[self.at] != close

    def _member(self) -> w.StructMember:
        first = self.at
        attributes = self.attributes()
        name = self.name("the name of a member")
        self.expect(":", "behind the name of a member")
        type = self.type()
        return w.StructMember(name, type, attributes, start=self.starts[first], end=self.ends[self.at - 1])

    def _function(self, first: int, attributes: w.Attributes) -> w.Function:
        self.function_at = self.at
        self.at += 1
        name = self.name("the name of a function")
        self.expect("(", "behind the name of a function")
        parameters: list[w.Parameter] = []
        if self.texts[self.at] != ")":
            parameters.append(self._parameter())
            while self._another(")"):
                parameters.append(self._parameter())
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
            name, tuple(parameters), body, result, attributes, result_attributes, start=self.starts[first], end=end
        )

    def _parameter(self) -> w.Parameter:
        first = self.at
        attributes = self.attributes()
        name = self.name("the name of a parameter")
        self.expect(":", "behind the name of a parameter")
        type = self.type()
        return w.Parameter(name, type, attributes, start=self.starts[first], end=self.ends[self.at - 1])


_PLAIN: Mapping[str, Callable[[_Parser, int], w.Statement]] = {
    ";": _Parser._empty,
    "var": _Parser._variable,
    "let": _Parser.let,
    "const": _Parser.const,
    "const_assert": _Parser.const_assert,
    "return": _Parser._return,
    "break": _Parser._break,
    "continue": _Parser._continue,
    "discard": _Parser._discard,
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
    "var": _Parser._global_variable,
    "override": _Parser._override,
    "fn": _Parser._function,
}
_PLAIN_OUTSIDE: Mapping[str, Callable[[_Parser, int], w.Const | w.Alias | w.Struct | w.ConstAssert]] = {
    "const": _Parser.const,
    "alias": _Parser._alias,
    "struct": _Parser._struct,
    "const_assert": _Parser.const_assert,
}
"""By the word that they begin with; those in the second table may have attributes."""
_BEGINNING = frozenset({"@", *_DIRECTIVES, *_DECLARATIONS, *_PLAIN_OUTSIDE})
