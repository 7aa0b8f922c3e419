"""What each name in an expression, a type or a template list refers to (WGSL 3.8 and 7.1; 3.9 for template lists)."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.attributes import CONTEXT_NAMES
from wgsl_fuzz.wgsl.builtins import (
    ACCESS_MODES,
    ADDRESS_SPACES,
    CONSTRUCTIBLE,
    EXTENSIONS,
    F16_TYPES,
    FUNCTIONS,
    GENERATORS,
    PREDECLARED,
    TEXEL_FORMATS,
    TYPES,
    BuiltinFunction,
)
from wgsl_fuzz.wgsl.problems import NameProblem, ResolveProblem, WgslError
from wgsl_fuzz.wgsl.types import Declared

_VALUES = (w.Variable, w.Let, w.Const, w.Override, w.Parameter)
_KINDS = {
    w.Variable: "variable",
    w.Let: "let",
    w.Const: "const",
    w.Override: "override",
    w.Parameter: "parameter",
    w.Function: "function",
    w.Struct: "structure",
    w.Alias: "alias",
}
_ENUMERANTS = {"s": ADDRESS_SPACES, "a": ACCESS_MODES, "f": TEXEL_FORMATS}
_ENUMERANT_NAMES = {"s": "an address space", "a": "an access mode", "f": "a texel format"}
_TYPE_TEMPLATES = frozenset({"bitcast", "bufferView", "bufferArrayView"})
"""The built-in functions that take a type in a template list."""


_WHOLE_TYPES = TYPES - GENERATORS.keys() - F16_TYPES
"""Those that are types without a template, whatever is enabled."""


class Scopes:
    """The declarations that are visible at a point of the text, innermost first."""

    def __init__(self) -> None:
        self.visible: dict[str, Declared] = {}
        self._hidden: list[dict[str, Declared | None]] = []
        """For each open scope: what its names meant outside of it."""

    def enter(self) -> None:
        """Opens a scope."""
        self._hidden.append({})

    def leave(self) -> None:
        """Ends the innermost scope."""
        for name, outer in self._hidden.pop().items():
            if outer is None:
                del self.visible[name]
            else:
                self.visible[name] = outer

    def declare(self, declared: Declared) -> None:
        """Makes a declaration visible until the innermost scope ends."""
        name, here = declared.name, self._hidden[-1]
        if name in here:
            raise ResolveProblem(f"'{name}' is declared twice in this scope", declared.start)
        here[name] = self.visible.get(name)
        self.visible[name] = declared

    @property
    def depth(self) -> int:
        """The number of open scopes."""
        return len(self._hidden)

    def declared_at(self, depth: int) -> tuple[str, ...]:
        """The names that the open scope of this depth has declared, in the order of the text; the outermost is 1."""
        return tuple(self._hidden[depth - 1])


class NameBinder:
    """Binds the names of expressions and types to declarations, and notes which functions are called."""

    def __init__(self, extensions: frozenset[str]) -> None:
        self.scopes = Scopes()
        self.uses: dict[int, Declared] = {}
        self.extensions = extensions
        self.references: list[tuple[Declared, w.Identifier]] = []
        """What the current declaration at module scope refers to, whatever its scope, in the order of the text."""
        self.builtins: list[tuple[BuiltinFunction, w.Identifier]] = []
        """The built-in functions that it calls."""
        self.indirections: list[w.Unary] = []
        """All `*e` and `&e`."""
        self.members: list[w.Member] = []
        self.calls: list[w.Call] = []
        self.short_circuits: list[w.Binary] = []
        """All `e1 && e2` and `e1 || e2`."""
        self._fixed = False
        """Whether names of values that exist at run time only are refused."""
        self.bypassed: dict[int, str] = {}
        """By identity: declarations that a `continue` has jumped over, while their `continuing` is bound."""
        self.problems: list[WgslError] = []
        """What is wrong with names that were bound all the same, as far as that was possible."""

    @contextmanager
    def before_runtime(self) -> Iterator[None]:
        """While this is open, expressions have their value before the shader runs."""
        outer, self._fixed = self._fixed, True
        try:
            yield
        finally:
            self._fixed = outer

    # ----------------------------------------------------------------------------------------------------- expressions

    def attributes(self, attributes: w.Attributes) -> None:
        """Binds the names in the arguments of attributes."""
        for attribute in attributes:
            if attribute.name not in CONTEXT_NAMES:
                self.values(attribute.arguments)

    def value(self, expression: w.Expression | None) -> None:
        """Binds the names in an expression that must be a value. Notes what is wrong with them, and raises nothing."""
        stack = [] if expression is None else [expression]
        while stack:
            current = stack.pop()
            try:
                if isinstance(current, w.Identifier):
                    self._value_name(current)
                elif isinstance(current, w.Literal):
                    if current.text[-1] == "h":
                        self._need("f16", f"literal '{current.text}'", current.start)
                elif isinstance(current, w.Binary):
                    stack += (current.right, current.left)
                    if current.operator == "&&" or current.operator == "||":
                        self.short_circuits.append(current)
                elif isinstance(current, w.Call):
                    stack += reversed(current.arguments)
                    if self.call(current) is None:
                        raise ResolveProblem(f"'{current.callee.name}' has no result to use as a value", current.start)
                elif isinstance(current, w.Member):
                    stack.append(current.base)
                    self.members.append(current)
                elif isinstance(current, w.Index):
                    stack += (current.index, current.base)
                else:
                    stack.append(current.operand)
                    if current.operator in "*&":
                        self.indirections.append(current)
            except WgslError as problem:
                self.problems.append(problem)

    def values(self, expressions: Iterable[w.Expression]) -> None:
        """Binds the names in some expressions."""
        for expression in expressions:
            self.value(expression)

    def _value_name(self, name: w.Identifier) -> None:
        declared = self.scopes.visible.get(name.name)
        if declared is None:
            if name.name in PREDECLARED:
                raise NameProblem(f"'{name.name}' cannot be used as a value", name.start)
            raise NameProblem(f"unresolved value '{name.name}'", name.start)
        if not isinstance(declared, _VALUES):
            raise NameProblem(f"{_KINDS[type(declared)]} '{name.name}' cannot be used as a value", name.start)
        if name.template:
            raise ResolveProblem(f"'{name.name}' takes no template arguments", name.start)
        if self._fixed and not isinstance(declared, w.Const | w.Override):
            raise ResolveProblem(f"{_KINDS[type(declared)]} '{name.name}' has no value here", name.start)
        if id(declared) in self.bypassed:
            raise ResolveProblem(f"a 'continue' jumps over the declaration of '{name.name}'", name.start)
        self._bind(name, declared)

    def _bind(self, name: w.Identifier, declared: Declared) -> None:
        self.uses[id(name)] = declared
        self.references.append((declared, name))

    def call(self, call: w.Call) -> bool | None:
        """Binds the callee, not the arguments. True: the result must be used; None: there is no result."""
        callee = call.callee
        name, declared = callee.name, self.scopes.visible.get(callee.name)
        self.calls.append(call)
        if declared is None:
            return self._builtin_call(call)
        if isinstance(declared, w.Struct | w.Alias):
            self.type(callee)
            return True
        if not isinstance(declared, w.Function):
            raise NameProblem(f"{_KINDS[type(declared)]} '{name}' cannot be called", call.start)
        if callee.template:
            raise ResolveProblem(f"function '{name}' takes no template arguments", callee.start)
        wanted, given = len(declared.parameters), len(call.arguments)
        if wanted != given:
            few = "few" if given < wanted else "many"
            raise ResolveProblem(f"too {few} arguments in call to '{name}', expected {wanted}, got {given}", call.start)
        if self._fixed:
            raise ResolveProblem(f"function '{name}' cannot be called here", call.start)
        self._bind(callee, declared)
        if declared.result is None:
            return None
        return any(a.name == "must_use" for a in declared.attributes)

    def _builtin_call(self, call: w.Call) -> bool | None:
        callee = call.callee
        name = callee.name
        function = FUNCTIONS.get(name)
        if function is not None:
            if self._fixed and not function.constant:
                raise ResolveProblem(f"built-in function '{name}' cannot be called here", call.start)
            self._need(function.extension, f"built-in function '{name}'", callee.start)
            self._function_template(callee)
            self.builtins.append((function, callee))
            return function.must_use if function.result else None
        if name in CONSTRUCTIBLE:
            self._predeclared_type(callee, as_constructor=True)
            return True
        if name in PREDECLARED:
            raise NameProblem(f"'{name}' cannot be called", call.start)
        raise NameProblem(f"unresolved call target '{name}'", call.start)

    def _function_template(self, callee: w.Identifier) -> None:
        name = callee.name
        if name in _TYPE_TEMPLATES:
            if len(callee.template) != 1:
                raise ResolveProblem(f"built-in function '{name}' takes one type as template argument", callee.start)
            self._type_argument(callee.template[0])
        elif callee.template:
            raise ResolveProblem(f"built-in function '{name}' takes no template arguments", callee.start)

    def _need(self, extension: str | None, what: str, start: int) -> None:
        if extension in EXTENSIONS and extension not in self.extensions:
            raise ResolveProblem(f"{what} needs 'enable {extension};'", start)

    # ----------------------------------------------------------------------------------------------------------- types

    def type(self, name: w.Identifier | None) -> None:
        """Binds the names in a type, where there is one. Notes what is wrong with them, and raises nothing."""
        try:
            if name is not None:
                self._type(name)
        except WgslError as problem:
            self.problems.append(problem)

    def _type(self, name: w.Identifier) -> None:
        declared = self.scopes.visible.get(name.name)
        if declared is None:
            if name.template or name.name not in _WHOLE_TYPES:
                self._predeclared_type(name)
            return
        if not isinstance(declared, w.Struct | w.Alias):
            raise NameProblem(f"{_KINDS[type(declared)]} '{name.name}' cannot be used as a type", name.start)
        if name.template:
            raise ResolveProblem(f"type '{name.name}' takes no template arguments", name.start)
        self._bind(name, declared)

    def _predeclared_type(self, name: w.Identifier, as_constructor: bool = False) -> None:
        if name.name not in TYPES:
            if name.name not in PREDECLARED:
                raise NameProblem(f"unresolved type '{name.name}'", name.start)
            raise NameProblem(f"'{name.name}' cannot be used as a type", name.start)
        if name.name in F16_TYPES:
            self._need("f16", f"type '{name.name}'", name.start)
        generator = GENERATORS.get(name.name)
        kinds = generator.parameters if generator is not None else ""
        least = generator.required if generator is not None and not as_constructor else 0
        if not least <= len(name.template) <= len(kinds):
            wanted = str(least) if least == len(kinds) else f"{least} to {len(kinds)}"
            problem = f"'{name.name}' takes {wanted} template arguments, got {len(name.template)}"
            raise ResolveProblem(problem, name.start)
        for kind, argument in zip(kinds, name.template, strict=False):
            self._argument(kind, argument)
        if name.name == "ptr":
            self._access(name.template[0], name.template[2:])

    def _argument(self, kind: str, argument: w.Expression) -> None:
        if kind == "t":
            self._type_argument(argument)
        elif kind == "v":
            with self.before_runtime():
                self.value(argument)
        else:
            self.enumerant(kind, argument)

    def _type_argument(self, argument: w.Expression) -> None:
        if not isinstance(argument, w.Identifier):
            raise ResolveProblem("a type is expected here", argument.start)
        self.type(argument)

    def space(self, template: tuple[w.Expression, ...]) -> None:
        """Checks the address space and the access mode of a variable, where they are written."""
        if len(template) > 2:
            raise ResolveProblem("a variable takes an address space and an access mode", template[2].start)
        for kind, argument in zip("sa", template, strict=False):
            self.enumerant(kind, argument)

    def _access(self, space: w.Expression, access: tuple[w.Expression, ...]) -> None:
        """An access mode in a pointer type: for storage, to read or to read and write."""
        for mode in access:
            if not isinstance(space, w.Identifier) or space.name != "storage":
                raise ResolveProblem("only pointers into 'storage' have an access mode", mode.start)
            if isinstance(mode, w.Identifier) and mode.name == "write":
                raise ResolveProblem("what is in 'storage' cannot be only written", mode.start)

    def enumerant(self, kind: str, argument: w.Expression) -> None:
        """Checks an address space (`s`), an access mode (`a`) or a texel format (`f`) in a template list."""
        if not isinstance(argument, w.Identifier) or argument.template:
            raise ResolveProblem(f"{_ENUMERANT_NAMES[kind]} is expected here", argument.start)
        declared = self.scopes.visible.get(argument.name)
        if declared is not None or argument.name not in _ENUMERANTS[kind]:
            raise NameProblem(f"'{argument.name}' is not {_ENUMERANT_NAMES[kind]}", argument.start)
