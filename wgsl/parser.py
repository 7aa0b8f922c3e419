"""Text -> tree, for the grammar of the whole of WGSL. Names, types and the placement of statements are not looked at.

A class for each file, each built on the one before: `parse_expressions`, `parse_parts`, `parse_statements`, and this.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.deep import deep
from wgsl_fuzz.wgsl.lexer import tokens
from wgsl_fuzz.wgsl.parse_expressions import quoted
from wgsl_fuzz.wgsl.parse_recovery import AbandonedDeclaration, behind_declaration
from wgsl_fuzz.wgsl.parse_statements import StatementParser
from wgsl_fuzz.wgsl.problems import MOST, SyntaxProblem, first_of

__all__ = ["parse"]


def parse(text: str) -> w.Module:
    """The tree of a text, every node with its place. Raises SyntaxProblem, and nothing else, for what is no WGSL.

    The first problem is raised; `more` of it has others.
    """
    found = tokens(text)
    return deep(lambda: _ModuleParser(found).module())


class _ModuleParser(StatementParser):
    """Reads the module scope."""

    __slots__ = ()

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
        if read_plain := _PLAIN.get(text):
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


_DIRECTIVES: Mapping[str, Callable[[_ModuleParser, int], w.Directive]] = {
    "enable": _ModuleParser._enable,
    "requires": _ModuleParser._requires,
    "diagnostic": _ModuleParser._diagnostic,
}
_DECLARATIONS: Mapping[str, Callable[[_ModuleParser, int, w.Attributes], w.Variable | w.Override | w.Function]] = {
    "var": _ModuleParser._global_variable,
    "override": _ModuleParser._override,
    "fn": _ModuleParser._function,
}
_PLAIN: Mapping[str, Callable[[_ModuleParser, int], w.Const | w.Alias | w.Struct | w.ConstAssert]] = {
    "const": _ModuleParser.const,
    "alias": _ModuleParser._alias,
    "struct": _ModuleParser._struct,
    "const_assert": _ModuleParser.const_assert,
}
"""By the word that they begin with; those in the second table may have attributes."""
_BEGINNING = frozenset({"@", *_DIRECTIVES, *_DECLARATIONS, *_PLAIN})
