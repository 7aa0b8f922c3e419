"""The meaning of the names in a module: `resolve` binds them, or says what is wrong with them.

It is no type checker. What it refuses: names that are unknown, declared twice or of the wrong kind; circles of
declarations; jumps where none may stand; calls with a wrong number of arguments; misplaced attributes and stages;
assignments to memory that is only read; pointers into another address space, or with another access mode; calls with
pointers that alias.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.aliasing import check_aliases
from wgsl_fuzz.wgsl.builtins import EXTENSIONS, IMPLIED_EXTENSIONS, LANGUAGE_FEATURES
from wgsl_fuzz.wgsl.deep import deep
from wgsl_fuzz.wgsl.diagnostics import of_directives
from wgsl_fuzz.wgsl.entry_points import Used, check_stages
from wgsl_fuzz.wgsl.function_names import FunctionBinder
from wgsl_fuzz.wgsl.module_scope import check_module_scope
from wgsl_fuzz.wgsl.names import NameBinder
from wgsl_fuzz.wgsl.problems import ResolveProblem, Unsupported, WgslError, first_of, in_each
from wgsl_fuzz.wgsl.resolution import Names, Places, Resolution
from wgsl_fuzz.wgsl.types import Declared
from wgsl_fuzz.wgsl.views import check_calls, check_indirections, check_locals, check_members, check_targets
from wgsl_fuzz.wgsl.walk import descendants

_LATER = (w.Let, w.Override, w.Parameter, w.Variable, w.Function)


def check_constants(resolution: Resolution, places: Iterable[w.Const | w.ConstAssert | w.Switch]) -> None:
    """Raises ResolveProblem if an expression at one of these places is no const-expression."""
    in_each((e for place in places for e in _expressions(place)), lambda expression: _check(resolution, expression))


def _check(resolution: Resolution, expression: w.Expression) -> None:
    for node in descendants(expression):
        if isinstance(node, w.Identifier) and isinstance(resolution.declaration(node), _LATER):
            raise ResolveProblem(f"'{node.name}' is no const-expression", node.start)
        if isinstance(node, w.Call):
            builtin = resolution.builtin(node)
            if builtin is not None and not builtin.constant:
                raise ResolveProblem(f"a call of '{builtin.name}' is no const-expression", node.start)


def _expressions(place: w.Const | w.ConstAssert | w.Switch) -> Iterator[w.Expression]:
    if isinstance(place, w.Const):
        yield place.value
    elif isinstance(place, w.ConstAssert):
        yield place.condition
    else:
        for clause in place.clauses:
            yield from (selector for selector in clause.selectors if not isinstance(selector, w.DefaultSelector))


_T = TypeVar("_T")


def resolve(module: w.Module) -> Resolution:
    """The meaning of the names in a module; raises ResolveProblem, or Unsupported for extensions we do not know.

    The first problem is raised; `more` of it has others of the same step.
    """
    return deep(lambda: _Resolver(module).resolution())


def enabled(module: w.Module) -> frozenset[str]:
    """The extensions that a module enables, implied ones included; Unsupported for what we do not know."""
    named = [(d, name) for d in module.directives if isinstance(d, w.Enable | w.Requires) for name in d.names]
    in_each(named, lambda pair: _check_known(*pair))
    enabled = [name for directive, name in named if isinstance(directive, w.Enable)]
    return frozenset(enabled).union(*(IMPLIED_EXTENSIONS.get(name, frozenset()) for name in enabled))


def _check_known(directive: w.Enable | w.Requires, name: str) -> None:
    known = EXTENSIONS if isinstance(directive, w.Enable) else LANGUAGE_FEATURES
    if name not in known:
        what = "extension" if isinstance(directive, w.Enable) else "language feature"
        raise Unsupported(f"the reference does not know the {what} '{name}'", directive.start)


class _Resolver:
    """The way from a module to its resolution, declaration by declaration."""

    def __init__(self, module: w.Module) -> None:
        self._module = module
        self._names = NameBinder(enabled(module))
        self._functions = FunctionBinder(self._names)
        self._used: dict[int, Used] = {}
        """By the identity of a declaration at module scope."""

    def resolution(self) -> Resolution:
        declared: list[Declared] = [d for d in self._module.declarations if not isinstance(d, w.ConstAssert)]
        self._bind_all(declared)
        ordered = list(self._in_order(declared))
        functions = tuple(d for d in ordered if isinstance(d, w.Function))
        resolution = Resolution(
            self._module,
            Names(
                self._names.uses,
                functions,
                {id(f): self._callees(f) for f in functions},
                (*(d for d in ordered if not isinstance(d, w.Function)), *self._functions.locals),
                self._names.extensions,
                self._places(),
            ),
        )
        check_module_scope(resolution)
        check_stages(resolution, self._used)
        check_constants(resolution, self._functions.constants)
        check_targets(resolution, self._functions.targets)
        check_indirections(resolution, self._names.indirections)
        check_calls(resolution, self._names.calls)
        check_members(resolution, self._names.members)
        check_locals(resolution, self._functions.locals)
        check_aliases(resolution)
        return resolution

    def _places(self) -> Places:
        found = self._functions
        return Places(self._names.calls, found.targets, found.assigned, self._names.short_circuits, found.extents)

    def _bind_all(self, declared: list[Declared]) -> None:
        """Declares and binds what is at module scope. Raises the first of the problems on the way."""
        self._noting(of_directives, self._module.directives)
        self._names.scopes.enter()
        for declaration in declared:
            self._noting(self._names.scopes.declare, declaration)
        for item in self._module.declarations:
            self._noting(self._bind, item)
        if self._names.problems:
            raise first_of(self._names.problems)

    def _noting(self, step: Callable[[_T], object], given: _T) -> None:
        try:
            step(given)
        except WgslError as problem:
            self._names.problems.append(problem)

    def _bind(self, declaration: w.Declaration) -> None:
        names = self._names
        names.references, names.builtins, self._functions.discards = [], [], []
        if isinstance(declaration, w.Function):
            self._functions.function(declaration)
        else:
            with names.before_runtime():
                self._bind_plain(declaration)
        self._used[id(declaration)] = Used(
            tuple(names.references), tuple(names.builtins), tuple(self._functions.discards)
        )

    def _bind_plain(self, declaration: w.Declaration) -> None:
        """Binds the names in a declaration at module scope that is no function."""
        names = self._names
        if isinstance(declaration, w.Struct):
            for member in declaration.members:
                names.attributes(member.attributes)
                names.type(member.type)
            return
        if isinstance(declaration, w.ConstAssert):
            names.value(declaration.condition)
            self._functions.constants.append(declaration)
            return
        assert not isinstance(declaration, w.Function), "functions are bound elsewhere"
        names.type(declaration.type)
        if isinstance(declaration, w.Const):
            self._functions.constants.append(declaration)
            names.value(declaration.value)
        elif not isinstance(declaration, w.Alias):
            if isinstance(declaration, w.Variable):
                names.space(declaration.template)
            names.attributes(declaration.attributes)
            names.value(declaration.value)

    # ---------------------------------------------------------------------------------------------------------- order

    def _in_order(self, declared: list[Declared]) -> Iterator[Declared]:
        """Each declaration at module scope behind those that it refers to, otherwise in the order of the text."""
        state: dict[int, bool] = {}
        """False while the declarations that one refers to are looked at, True when it is done."""
        for start in declared:
            path = [] if id(start) in state else [(start, iter(self._referred(start)))]
            state.setdefault(id(start), False)
            while path:
                current, rest = path[-1]
                following = next(rest, None)
                if following is None:
                    state[id(current)] = True
                    yield current
                    path.pop()
                elif id(following) not in state:
                    state[id(following)] = False
                    path.append((following, iter(self._referred(following))))
                elif not state[id(following)]:
                    self._circle([d for d, _ in path], following)

    def _circle(self, path: list[Declared], end: Declared) -> None:
        names = [d.name for d in path[next(i for i, d in enumerate(path) if d is end) :]]
        raise ResolveProblem(f"circle of declarations: {' -> '.join([*names, end.name])}", end.start)

    def _referred(self, declared: Declared) -> list[Declared]:
        """What a declaration refers to at module scope, each once."""
        return list({id(d): d for d, _ in self._used[id(declared)].references if id(d) in self._used}.values())

    def _callees(self, function: w.Function) -> tuple[w.Function, ...]:
        return tuple(d for d in self._referred(function) if isinstance(d, w.Function))
