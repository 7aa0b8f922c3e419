"""The shape of a shader: what is left without its names and the values of its literals."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, get_args

from wgsl_fuzz.tinywgsl import ast
from wgsl_fuzz.tinywgsl.traversal import NAMES, ByClass, Holds

_TYPES = {id(t): i for i, t in enumerate(ast.Type)}  # by identity: an enumeration's own hash is slow
_OPERATORS = {
    op: i
    for i, op in enumerate(
        sorted(ast.COMPARISONS | ast.LOGICAL | ast.ARITHMETIC | ast.BITWISE | ast.SHIFTS | {"!", "~"}), start=10
    )
}  # the hash of a string differs between processes
_NUMBERS = {cls: i for i, cls in enumerate((*get_args(ast.Stmt), *get_args(ast.Expr)), start=1)}
_END = 0
"""Behind the last of some nodes, and where there could be one."""


def shape(shader: ast.Shader) -> int:
    """A 64-bit hash that two shaders share if they differ in names, IDs and literals only, and hardly otherwise.

    It is the same in every process of one Python version. Arrays and the workgroup size count.
    """
    names = _Names()
    arrays = tuple([(names[a.name], _TYPES[id(a.type)], a.size) for a in shader.arrays])
    return hash((shader.workgroup_size, arrays, *[_function(f, names) for f in shader.all_functions]))


class _Names(dict[str, int]):
    """Numbers names in the order in which they are first asked for."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number


def _function(f: ast.Function, names: _Names) -> int:
    variables = tuple([(names[v.name], _TYPES[id(v.type)]) for v in (*f.params, *f.locals)])
    flat: list[Any] = [names[f.name], len(f.params), variables, 0 if f.result is None else 1 + _TYPES[id(f.result)]]
    _block(f.body, names, flat)
    return hash(tuple(flat))


def _block(ss: tuple[Any, ...], names: _Names, flat: list[Any]) -> None:
    for node in ss:
        _node(node, names, flat)
    flat.append(_END)


def _node(node: Any, names: _Names, flat: list[Any]) -> None:
    """Puts the number of its class, and what its fields hold but IDs and the values of literals."""
    number, get, kinds = _LAYOUTS[node.__class__]
    flat.append(number)
    for kind, value in zip(kinds, get(node)):
        if kind == _NAME:
            flat.append(names[value])
        elif kind == _TYPE:
            flat.append(_TYPES[id(value)])
        elif kind == _OPERATOR:
            flat.append(_OPERATORS[value])
        elif kind == _LIST:
            _block(value, names, flat)
        elif value is None:
            flat.append(_END)
        else:
            _node(value, names, flat)


_NAME, _TYPE, _OPERATOR, _LIST, _ONE = range(5)
_KINDS = {
    **dict.fromkeys(NAMES, _NAME),
    Holds.TYPE: _TYPE,
    Holds.OPERATOR: _OPERATOR,
    Holds.BLOCK: _LIST,
    Holds.EXPRESSIONS: _LIST,
    Holds.EXPRESSION: _ONE,
    Holds.OPTIONAL: _ONE,
}
"""Plain numbers: comparing members of an enumeration costs more."""


def _layout(cls: type) -> tuple[int, Callable[[Any], tuple[Any, ...]], list[int]]:
    kinds = {name: _KINDS[holds] for name, holds in ast.NODES.fields[cls].items() if holds in _KINDS}
    get: Any = attrgetter(*kinds) if kinds else lambda _: ()
    return _NUMBERS[cls], (lambda node: (get(node),)) if len(kinds) == 1 else get, list(kinds.values())


_LAYOUTS = ByClass(_layout)
