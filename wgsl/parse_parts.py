"""The parser's middle: what stands in functions and outside, and what `for` has in its head."""

from collections.abc import Mapping

from wgsl_fuzz.tinywgsl.ast import ARITHMETIC, BITWISE, SHIFTS
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.parse_expressions import BEHIND_NAME, DEPTH, ExpressionParser, quoted
from wgsl_fuzz.wgsl.template_lists import OPEN

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


class PartParser(ExpressionParser):
    """Reads attributes, declarations of names, assignments and calls."""

    __slots__ = ()

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
