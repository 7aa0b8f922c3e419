"""The names of a module, scope by scope (WGSL 7.1), and the places where jumps and attributes may stand (9.4, 12)."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from wgsl_fuzz.wgsl import builtins
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.diagnostics import check_statement_attributes, of_attributes
from wgsl_fuzz.wgsl.problems import NameProblem, ResolveProblem, WgslError
from wgsl_fuzz.wgsl.resolution import Declared, Extent, MayWrite
from wgsl_fuzz.wgsl.walk import descendants

_T = TypeVar("_T")

STAGE_NAMES = builtins.words("vertex fragment compute")
VARIABLE = builtins.words("group binding")
OVERRIDE = builtins.words("id")
FUNCTION = builtins.words("must_use workgroup_size subgroup_size diagnostic") | STAGE_NAMES
PARAMETER = builtins.words("builtin location interpolate invariant blend_src")
MEMBER = PARAMETER | builtins.words("align size")

CONTEXT_NAMES = builtins.words("builtin interpolate diagnostic")
"""The attributes whose arguments have a meaning of their own, and so no scope."""


def check_attributes(attributes: w.Attributes, allowed: frozenset[str], place: str) -> None:
    """Raises ResolveProblem unless these attributes may stand together at a place of this kind."""
    seen: set[str] = set()
    for attribute in attributes:
        name = attribute.name
        if name not in allowed:
            raise ResolveProblem(f"'@{name}' is not for {place}", attribute.start)
        if name in seen and name != "diagnostic":
            raise ResolveProblem(f"'@{name}' stands here twice", attribute.start)
        seen.add(name)
        _check_arguments(attribute)


def _check_arguments(attribute: w.Attribute) -> None:
    name, arguments = attribute.name, attribute.arguments
    least, most = w.ATTRIBUTES.get(name, (2, 2))  # `@diagnostic` takes a severity and a rule
    if not least <= len(arguments) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        raise ResolveProblem(f"'@{name}' takes {wanted} arguments, got {len(arguments)}", attribute.start)
    if name == "builtin":
        modes = _DEPTH_MODES if len(arguments) > 1 and _is(arguments[0], _FRAG_DEPTH) else _NO_WORDS
        _check_words(name, arguments, (builtins.BUILTIN_VALUES, modes))
    elif name == "interpolate":
        flat = _is(arguments[0], _FLAT_WORD)
        samplings = builtins.INTERPOLATION_SAMPLINGS & _FLAT if flat else builtins.INTERPOLATION_SAMPLINGS - _FLAT
        _check_words(name, arguments, (builtins.INTERPOLATION_TYPES, samplings))


_FRAG_DEPTH, _FLAT_WORD, _NO_WORDS = builtins.words("frag_depth"), builtins.words("flat"), builtins.words("")
_DEPTH_MODES = builtins.words("less greater")
_FLAT = builtins.words("first either")
"""The samplings that flat interpolation may have, and no other."""


def _check_words(name: str, arguments: tuple[w.Expression, ...], known: tuple[frozenset[str], ...]) -> None:
    for argument, names in zip(arguments, known, strict=False):
        if not _is(argument, names):
            word = argument.name if isinstance(argument, w.Identifier) else "this"
            raise ResolveProblem(f"'{word}' is not known in '@{name}'", argument.start)


def _is(argument: w.Expression, names: frozenset[str]) -> bool:
    return isinstance(argument, w.Identifier) and not argument.template and argument.name in names


# -------------------------------------------------------------------------------------------------------------- names


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
_ENUMERANTS = {
    "s": builtins.ADDRESS_SPACES,
    "a": builtins.ACCESS_MODES,
    "f": builtins.TEXEL_FORMATS,
    "j": builtins.MAJORNESS,
}
_ENUMERANT_NAMES = {"s": "an address space", "a": "an access mode", "f": "a texel format", "j": "a majorness"}
_ALL_EXTENSIONS = builtins.EXTENSIONS | builtins.PROPOSED_EXTENSIONS


_WHOLE_TYPES = builtins.TYPES - builtins.GENERATORS.keys() - builtins.TYPE_EXTENSIONS.keys()
"""The predeclared types without a template that need no extension."""


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
        self.indirections: list[w.Unary] = []
        """All `*e` and `&e`."""
        self.members: list[w.Member] = []
        self.effects: list[MayWrite] = []
        self.counts: list[w.Expression] = []
        """Of the elements of arrays."""
        self.proposals: set[str] = set()
        """The language features of proposals that are used."""
        self._fixed = False
        """Whether names of values that exist at run time only are refused."""
        self.bypassed: dict[int, str] = {}
        """By identity: declarations that a `continue` has jumped over, while their `continuing` is bound."""
        self.problems: list[WgslError] = []
        """What is wrong with names that were bound all the same, as far as that was possible."""
        self.start_declaration()

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Records the problem that ends its block, and continues after the block."""
        try:
            yield
        except WgslError as problem:
            self.problems.append(problem)

    def start_declaration(self) -> None:
        """Goes on to the next declaration at module scope."""
        self.references: list[tuple[Declared, w.Identifier]] = []
        """What the current declaration refers to, whatever its scope, in the order of the text."""
        self.builtins: list[tuple[builtins.BuiltinFunction, w.Identifier]] = []
        """The built-in functions that it calls."""
        self.discards: list[w.Discard] = []

    def before_runtime(self, bind: Callable[[_T], None], node: _T) -> None:
        """Binds names whose expressions have their value before the shader runs."""
        outer, self._fixed = self._fixed, True
        try:
            bind(node)
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
                        self.effects.append(current)
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
            if name.name in builtins.PREDECLARED:
                raise NameProblem(f"'{name.name}' cannot be used as a value", name.start)
            raise NameProblem(f"unresolved value '{name.name}'", name.start)
        if not isinstance(declared, _VALUES):
            raise NameProblem(f"{_KINDS[type(declared)]} '{name.name}' cannot be used as a value", name.start)
        if name.template:
            raise ResolveProblem(f"'{name.name}' takes no template arguments", name.start)
        if self._fixed and not isinstance(declared, (w.Const, w.Override)):
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
        self.effects.append(call)
        if declared is None:
            return self._builtin_call(call)
        if isinstance(declared, (w.Struct, w.Alias)):
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
        function = builtins.FUNCTIONS.get(name)
        if function is not None:
            if self._fixed and not function.constant:
                raise ResolveProblem(f"built-in function '{name}' cannot be called here", call.start)
            self._need(function.extension, f"built-in function '{name}'", callee.start)
            self._function_template(callee, function)
            self.builtins.append((function, callee))
            return function.must_use if function.result else None
        if name in builtins.CONSTRUCTIBLE:
            self._predeclared_type(callee, as_constructor=True)
            return True
        if name in builtins.PREDECLARED:
            raise NameProblem(f"'{name}' cannot be called", call.start)
        raise NameProblem(f"unresolved call target '{name}'", call.start)

    def _function_template(self, callee: w.Identifier, row: builtins.BuiltinFunction) -> None:
        if not row.template_required <= len(callee.template) <= len(row.template):
            wanted = {"": "no template arguments", "t": "one type as template argument"}
            wanted_here = wanted.get(row.template, "other template arguments")
            raise ResolveProblem(f"built-in function '{row.name}' takes {wanted_here}", callee.start)
        for kind, argument in zip(row.template, callee.template, strict=False):
            self._argument(kind, argument)

    def _need(self, extension: str | None, what: str, start: int) -> None:
        if extension in builtins.PROPOSED_FEATURES:
            self.proposals.add(extension)
        elif extension in _ALL_EXTENSIONS and extension not in self.extensions:
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
        if not isinstance(declared, (w.Struct, w.Alias)):
            raise NameProblem(f"{_KINDS[type(declared)]} '{name.name}' cannot be used as a type", name.start)
        if name.template:
            raise ResolveProblem(f"type '{name.name}' takes no template arguments", name.start)
        self._bind(name, declared)

    def _predeclared_type(self, name: w.Identifier, as_constructor: bool = False) -> None:
        if name.name not in builtins.TYPES:
            if name.name not in builtins.PREDECLARED:
                raise NameProblem(f"unresolved type '{name.name}'", name.start)
            raise NameProblem(f"'{name.name}' cannot be used as a type", name.start)
        self._need(builtins.TYPE_EXTENSIONS.get(name.name), f"type '{name.name}'", name.start)
        if name.name in builtins.MATRIX_TYPES:
            self.builtins.append((builtins.MATRIX_CONSTRUCTOR, name))
        generator = builtins.GENERATORS.get(name.name)
        kinds = generator.parameters if generator is not None else ""
        least = generator.required if generator is not None and not (as_constructor and generator.infers) else 0
        if not least <= len(name.template) <= len(kinds):
            wanted = str(least) if least == len(kinds) else f"{least} to {len(kinds)}"
            problem = f"'{name.name}' takes {wanted} template arguments, got {len(name.template)}"
            raise ResolveProblem(problem, name.start)
        for kind, argument in zip(kinds, name.template, strict=False):
            self._argument(kind, argument)
        if name.name == "array":
            self.counts += name.template[1:]
        elif name.name == "ptr":
            self._access(name.template[0], name.template[2:])

    def _argument(self, kind: str, argument: w.Expression) -> None:
        if kind == "t":
            if not isinstance(argument, w.Identifier):
                raise ResolveProblem("a type is expected here", argument.start)
            self.type(argument)
        elif kind == "v" or kind == "c":
            self.before_runtime(self.value, argument)
            if kind == "c" and any(isinstance(self.uses.get(id(n)), w.Override) for n in descendants(argument)):
                raise ResolveProblem("a const-expression is expected here", argument.start)
        else:
            self.enumerant(kind, argument)

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


# ----------------------------------------------------------------------------------------------------- function names


@dataclass(slots=True)
class _Around:
    """What a jump can leave: a loop, a switch, or a `continuing` block, which no jump may leave."""

    kind: type
    first_continue: tuple[str, ...] | None = field(default=None)
    """What the body of a loop had declared at the first `continue`, if there was any."""
    depth: int = 0
    """The number of scopes that are open in the body of a loop."""


class FunctionBinder:
    """Binds the names in functions and checks where their jumps stand."""

    def __init__(self, names: NameBinder) -> None:
        self._names = names
        self._scopes = names.scopes
        self._effects = names.effects
        self.locals: list[Declared] = []
        """All declarations in functions, in the order of the text; parameters are not among them."""
        self.constants: list[w.Expression] = []
        """What must be const-expressions."""
        self.extents: dict[int, list[Extent]] = {}
        """By the identity of a function: where its body, each `if`, each `switch` and each loop begins and ends."""
        self._extents: list[Extent] = []
        """The extents in the current function."""
        self._around: list[_Around] = []
        self._result = False

    def function(self, function: w.Function) -> None:
        """Binds the names in a function. What is declared at module scope is visible already."""
        with self._names.noting():
            self._names.before_runtime(self._signature, function)
        self._result = function.result is not None
        self._scopes.enter()
        for parameter in function.parameters:
            with self._names.noting():
                self._scopes.declare(parameter)
        start, self._extents = len(self._effects), []
        self._statements(function.body)
        self._scopes.leave()
        self.extents[id(function)] = [(id(function.body), start, len(self._effects)), *self._extents]

    def _signature(self, function: w.Function) -> None:
        names = self._names
        of_attributes(function.attributes)
        names.attributes(function.attributes)
        for parameter in function.parameters:
            names.attributes(parameter.attributes)
            names.type(parameter.type)
        names.attributes(function.result_attributes)
        names.type(function.result)

    def _filters(self, *nodes: w.Attributes) -> None:
        for attributes in nodes:
            if attributes:
                with self._names.noting():
                    check_statement_attributes(attributes)

    # ------------------------------------------------------------------------------------------------------ statements

    def _statements(self, block: w.Block) -> None:
        self._filters(block.attributes)
        for statement in block.statements:
            self._statement(statement)

    def _block(self, block: w.Block) -> None:
        self._scopes.enter()
        self._statements(block)
        self._scopes.leave()

    def _statement(self, statement: w.Statement) -> None:
        kind, start = statement.__class__, len(self._effects)
        try:
            _RULES[kind](self, statement)
            if kind in _EXTENDED:
                self._extents.append((id(statement), start, len(self._effects)))
        except WgslError as problem:
            self._names.problems.append(problem)

    def _declaration(self, s: w.Variable | w.Let | w.Const) -> None:
        if isinstance(s, w.Variable):
            if s.template or s.attributes or s.type is s.value is None:
                with self._names.noting():
                    self._variable(s)
        elif isinstance(s, w.Const):
            self.constants.append(s.value)
        self._names.type(s.type)
        self._names.value(s.value)
        self._scopes.declare(s)
        self.locals.append(s)

    def _variable(self, s: w.Variable) -> None:
        if s.attributes:
            raise ResolveProblem("a variable in a function takes no attributes", s.attributes[0].start)
        self._names.space(s.template)
        if s.template and getattr(s.template[0], "name", None) != "function":
            raise ResolveProblem("a variable in a function has address space 'function'", s.start)
        if len(s.template) > 1:
            raise ResolveProblem("only variables in 'storage' have an access mode", s.start)
        if s.type is None and s.value is None:
            raise ResolveProblem(f"variable '{s.name}' needs a type or an initialiser", s.start)

    def _assign(self, s: w.Assign) -> None:
        self._names.value(s.left)
        self._names.value(s.right)
        self._effects.append(s)

    def _increment(self, s: w.Increment) -> None:
        self._names.value(s.left)
        self._effects.append(s)

    def _call(self, s: w.CallStatement) -> None:
        with self._names.noting():
            if self._names.call(s.call):
                raise ResolveProblem(f"the result of '{s.call.callee.name}' must be used", s.start)
        self._names.values(s.call.arguments)

    def _const_assert(self, s: w.ConstAssert) -> None:
        self._names.value(s.condition)
        self.constants.append(s.condition)

    def _if(self, s: w.If) -> None:
        branch: w.If | w.Block | None = s
        starts: list[tuple[int, int]] = []
        while isinstance(branch, w.If):
            starts.append((id(branch), len(self._effects)))
            self._filters(branch.attributes)
            self._names.value(branch.condition)
            self._block(branch.then)
            branch = branch.orelse
        if branch is not None:
            self._block(branch)
        end = len(self._effects)
        self._extents += [(link, start, end) for link, start in starts]

    def _switch(self, s: w.Switch) -> None:
        self._filters(s.attributes, s.body_attributes)
        self._names.value(s.selector)
        self.constants += [e for c in s.clauses for e in c.selectors if not isinstance(e, w.DefaultSelector)]
        defaults = 0
        for clause in s.clauses:
            defaults += sum(isinstance(e, w.DefaultSelector) for e in clause.selectors) if clause.selectors else 1
            self._names.values(e for e in clause.selectors if not isinstance(e, w.DefaultSelector))
            self._enclosed(w.Switch, clause.body)
        if defaults != 1:
            raise ResolveProblem(f"a switch has exactly one default clause, this one has {defaults}", s.start)

    def _enclosed(self, kind: type, body: w.Block) -> None:
        self._around.append(_Around(kind))
        self._block(body)
        self._around.pop()

    def _loop(self, s: w.Loop) -> None:
        self._filters(s.attributes)
        around = _Around(w.Loop, depth=self._scopes.depth + 1)
        self._around.append(around)
        self._scopes.enter()
        self._statements(s.body)
        self._around.pop()
        if s.continuing is not None:
            self._continuing(s.continuing, around.first_continue)
        self._scopes.leave()

    def _continuing(self, continuing: w.Block, declared_before: tuple[str, ...] | None) -> None:
        self._filters(continuing.attributes)
        names, outer = self._names, self._names.bypassed
        if declared_before is not None:
            later = self._scopes.declared_at(self._scopes.depth)[len(declared_before) :]
            names.bypassed = outer | {id(self._scopes.visible[name]): name for name in later}
        self._around.append(_Around(w.Block))
        self._scopes.enter()
        for statement in continuing.statements[:-1]:
            self._statement(statement)
        for statement in continuing.statements[-1:]:
            if isinstance(statement, w.BreakIf):
                names.value(statement.condition)
            else:
                self._statement(statement)
        self._scopes.leave()
        self._around.pop()
        names.bypassed = outer

    def _while(self, s: w.While) -> None:
        self._filters(s.attributes)
        self._names.value(s.condition)
        self._enclosed(w.While, s.body)

    def _for(self, s: w.For) -> None:
        self._filters(s.attributes)
        self._scopes.enter()
        if s.initial is not None:
            self._statement(s.initial)
        self._names.value(s.condition)
        if s.update is not None:
            self._statement(s.update)
        self._enclosed(w.For, s.body)
        self._scopes.leave()

    # ----------------------------------------------------------------------------------------------------------- jumps

    def _break_if(self, s: w.BreakIf) -> None:
        raise ResolveProblem("'break if' is the last statement of a 'continuing' block", s.start)

    def _break(self, s: w.Break) -> None:
        around = self._around[-1].kind if self._around else None
        if around is w.Block:
            raise ResolveProblem("'break' must not leave a 'continuing' block", s.start)
        if around is None:
            raise ResolveProblem("'break' is for loops and switch statements", s.start)

    def _continue(self, s: w.Continue) -> None:
        loop = next((a for a in reversed(self._around) if a.kind is not w.Switch), None)
        if loop is None:
            raise ResolveProblem("'continue' is for loops", s.start)
        if loop.kind is w.Block:
            raise ResolveProblem("'continue' must not leave a 'continuing' block", s.start)
        if loop.kind is w.Loop and loop.first_continue is None:
            loop.first_continue = self._scopes.declared_at(loop.depth)

    def _return(self, s: w.Return) -> None:
        if any(around.kind is w.Block for around in self._around):
            raise ResolveProblem("'return' must not leave a 'continuing' block", s.start)
        if (s.value is not None) != self._result:
            what = "a value" if self._result else "no value"
            raise ResolveProblem(f"'return' must have {what} in this function", s.start)
        self._names.value(s.value)


_EXTENDED = frozenset({w.Switch, w.Loop, w.While, w.For})
"""What has an extent, but for `if`, which has one for each link of its chain."""


_RULES: dict[type, Callable[[FunctionBinder, Any], None]] = {
    w.Empty: lambda *_: None,
    w.Discard: lambda self, s: self._names.discards.append(s),
    w.Block: FunctionBinder._block,
    w.Variable: FunctionBinder._declaration,
    w.Let: FunctionBinder._declaration,
    w.Const: FunctionBinder._declaration,
    w.Assign: FunctionBinder._assign,
    w.Phony: lambda self, s: self._names.value(s.value),
    w.Increment: FunctionBinder._increment,
    w.CallStatement: FunctionBinder._call,
    w.ConstAssert: FunctionBinder._const_assert,
    w.If: FunctionBinder._if,
    w.Switch: FunctionBinder._switch,
    w.Loop: FunctionBinder._loop,
    w.While: FunctionBinder._while,
    w.For: FunctionBinder._for,
    w.BreakIf: FunctionBinder._break_if,
    w.Break: FunctionBinder._break,
    w.Continue: FunctionBinder._continue,
    w.Return: FunctionBinder._return,
}
