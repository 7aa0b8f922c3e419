"""Renaming of modules: names that are unique while it is reduced, and at the end those that a person would give."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from wgsl_fuzz.fuzz.reduction.module_tree import rewritten_below, with_fields
from wgsl_fuzz.tinywgsl.words import KEYWORDS, RESERVED
from wgsl_fuzz.wgsl.builtins import PREDECLARED
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import (
    Alias,
    Attribute,
    Const,
    Function,
    Identifier,
    Index,
    Let,
    Literal,
    Member,
    Module,
    Node,
    Override,
    Parameter,
    Struct,
    StructMember,
    Variable,
)
from wgsl_fuzz.wgsl.types import Declared
from wgsl_fuzz.wgsl.walk import descendants

_LETTERS: Mapping[type, str] = {
    Struct: "STUV",
    Alias: "TUV",
    Override: "OPQ",
    Function: "fghk",
    Parameter: "pqrs",
    Variable: "xyzuvwabcdijn",
    Let: "xyzuvwabcdijn",
    Const: "CDEK",
    StructMember: "mnopq",
}
_MODULE_VARIABLES = "ABCDEFGH"
_DECLARED = (Variable, Let, Const, Override, Parameter, Function, Struct, Alias)


def with_unique_names(resolution: Resolution) -> Module:
    """The module in which no name is declared twice: those that are get a number."""
    taken = {n.name for n in descendants(resolution.module) if isinstance(n, _DECLARED)} | PREDECLARED
    seen: set[str] = set()
    names: dict[int, str] = {}
    for n in descendants(resolution.module):
        if isinstance(n, _DECLARED):
            if n.name in seen:
                names[id(n)] = _first(_numbered(n.name), taken)
                taken.add(names[id(n)])
            seen.add(n.name)
    return _renamed(resolution, names, {})


@dataclass(frozen=True, slots=True)
class ModuleNames:
    """Other names for the names of a module in which none is declared twice."""

    names: Mapping[str, str]
    members: Mapping[str, str]
    """Of the members of structures."""


def plain_names(resolution: Resolution) -> ModuleNames:
    """Functions f, g, ..., parameters p, q, ..., locals x, y, ... as in the text; an entry point is `main`."""
    taken = set(PREDECLARED) | {"main"}
    names: dict[str, str] = {}
    members: dict[str, str] = {}
    outer = {id(d) for d in resolution.module.declarations}
    for n in descendants(resolution.module):
        if isinstance(n, _DECLARED):
            letters = _MODULE_VARIABLES if isinstance(n, Variable) and id(n) in outer else _LETTERS[type(n)]
            is_entry = isinstance(n, Function) and resolution.entry_stage(n) is not None
            is_main = is_entry and "main" not in names.values()
            names[n.name] = "main" if is_main else _first(_lettered(letters), taken)
            taken.add(names[n.name])
        elif isinstance(n, StructMember) and n.name not in members:
            members[n.name] = _first(_lettered(_LETTERS[StructMember]), {*members.values()})
    return ModuleNames(names, members)


def with_plain_order(resolution: Resolution) -> Module:
    """The module with types first, then constants, variables, and functions behind those that they call."""
    order = {id(f): len(_ORDER) + i for i, f in enumerate(resolution.functions)}
    order |= {id(d): _ORDER.index(type(d)) for d in resolution.module.declarations if type(d) in _ORDER}
    declarations = sorted(resolution.module.declarations, key=lambda d: order.get(id(d), -1))
    return with_fields(resolution.module, declarations=tuple(declarations))


_ORDER = (Alias, Struct, Override, Const, Variable)


def plainly_spelled(module: Module) -> Module:
    """The module whose resources have bindings from 0 on, in one group, and whose indices and sizes have no suffix."""
    bindings = iter(range(1_000_000))

    def change(n: Node) -> Node | None:
        if isinstance(n, Index) and isinstance(n.index, Literal):
            return rewritten_below(with_fields(n, index=Literal(n.index.text.rstrip("iu"))), change)
        if (
            isinstance(n, Identifier)
            and n.name == "array"
            and len(n.template) > 1
            and isinstance(n.template[1], Literal)
        ):
            size = Literal(n.template[1].text.rstrip("iu"))
            return rewritten_below(with_fields(n, template=(n.template[0], size)), change)
        if not isinstance(n, Variable) or not n.attributes:
            return None
        numbers = {"group": "0", "binding": str(next(bindings))}
        attributes = (Attribute(a.name, (Literal(numbers[a.name]),)) if a.name in numbers else a for a in n.attributes)
        return rewritten_below(with_fields(n, attributes=tuple(attributes)), change)

    return rewritten_below(module, change)


def renamed(resolution: Resolution, given: ModuleNames) -> Module:
    """The module with other names where these are given."""
    found = (n for n in descendants(resolution.module) if isinstance(n, _DECLARED))
    return _renamed(resolution, {id(n): given.names.get(n.name, n.name) for n in found}, given.members)


def _renamed(resolution: Resolution, names: Mapping[int, str], members: Mapping[str, str]) -> Module:
    """Other names by the identity of declarations; for members of structures by name."""

    def change(n: Node) -> Node | None:
        name: str | None = None
        if isinstance(n, _DECLARED):
            name = names.get(id(n))
        elif isinstance(n, StructMember):
            name = members.get(n.name)
        elif isinstance(n, Identifier):
            declared: Declared | None = resolution.declaration(n)
            name = None if declared is None else names.get(id(declared))
        elif isinstance(n, Member):
            found = resolution.type(n.base)
            name = members.get(n.name) if found is not None and found.struct is not None else None
        if name is None or name == getattr(n, "name", ""):
            return None
        return rewritten_below(with_fields(n, name=name), change)

    return rewritten_below(resolution.module, change)


def _first(names: Iterable[str], taken: Iterable[str]) -> str:
    forbidden = {*taken} | KEYWORDS | RESERVED
    return next(name for name in names if name not in forbidden)


def _lettered(letters: str) -> Iterator[str]:
    yield from letters
    yield from (f"{letter}{round}" for round in range(1, 1_000_000) for letter in letters)


def _numbered(name: str) -> Iterator[str]:
    return (f"{name.rstrip('_')}_{i}" for i in range(2, 1_000_000))
