"""Where WGSL wants a const-expression, nothing may be named that has its value later (WGSL 8.1.1)."""

from collections.abc import Iterable, Iterator

from wgsl_fuzz.wgsl.problems import ResolveProblem, in_each
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import (
    Call,
    Const,
    ConstAssert,
    DefaultSelector,
    Expression,
    Function,
    Identifier,
    Let,
    Override,
    Parameter,
    Switch,
    Variable,
)
from wgsl_fuzz.wgsl.walk import descendants

_LATER = (Let, Override, Parameter, Variable, Function)


def check_constants(resolution: Resolution, places: Iterable[Const | ConstAssert | Switch]) -> None:
    """Raises ResolveProblem if an expression at one of these places is no const-expression."""
    in_each((e for place in places for e in _expressions(place)), lambda expression: _check(resolution, expression))


def _check(resolution: Resolution, expression: Expression) -> None:
    for node in descendants(expression):
        if isinstance(node, Identifier) and isinstance(resolution.declaration(node), _LATER):
            raise ResolveProblem(f"'{node.name}' is no const-expression", node.start)
        if isinstance(node, Call):
            builtin = resolution.builtin(node)
            if builtin is not None and not builtin.constant:
                raise ResolveProblem(f"a call of '{builtin.name}' is no const-expression", node.start)


def _expressions(place: Const | ConstAssert | Switch) -> Iterator[Expression]:
    if isinstance(place, Const):
        yield place.value
    elif isinstance(place, ConstAssert):
        yield place.condition
    else:
        for clause in place.clauses:
            yield from (selector for selector in clause.selectors if not isinstance(selector, DefaultSelector))
