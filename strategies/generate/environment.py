"""What is in scope while a function is drawn: names with their types, and by type all that can be read or written.

A name of a variable or pointer stands for memory; a *path* leads from it to a part. `Environment.entries` finds, by
group and type, the names that have such a part. No two names in
scope are spelled alike: shadowing is of what a function does not see.
"""

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from functools import cache
from typing import NamedTuple

from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.builtins import ALL_STAGES, Stage
from wgsl_fuzz.wgsl.resolution import Access, Space


class NameRole(StrEnum):
    """How a name is declared."""

    VARIABLE = "var"
    LET = "let"
    CONST = "const"
    OVERRIDE = "override"
    PARAMETER = "parameter"
    UNIFORM_INPUT = "uniform input"
    VARYING_INPUT = "varying input"


MOST_PATHS = 1024
"""To the parts of one type within another; more are not drawn."""
SCALARS = (vt.U32, vt.I32, vt.F32, vt.BOOL)
"""The scalar types that are drawn."""


class Group(IntEnum):
    """Where a value comes from, as far as uniformity cares. Two more groups are asked for by what is written."""

    LOCAL = 0
    """Function variables, lets and value parameters: uniform or not by what was assigned."""
    GIVEN = 1
    """Constants, read-only memory and inputs that are uniform."""
    SHARED = 2
    """Writable memory outside functions: never uniform."""
    VARYING = 3
    """Inputs that differ among invocations."""
    ASSIGNABLE = 4
    """References to parts that may be written, local or shared."""


@dataclass(slots=True, eq=False)
class Name:
    """A declared name. A variable has its store type; a pointer let or parameter has the pointer type."""

    name: str
    type: vt.Type
    role: NameRole
    space: Space | None = None
    """Of the memory that it stands for or points to."""
    access: Access = Access.READ
    root: "Name | None" = None
    """Of a pointer let: the variable or pointer parameter that it points into."""
    steady: bool = False
    """Nothing that is drawn at random may assign it: it counts a loop."""
    module_scope: bool = False
    slots: "list[tuple[list[Entry], Entry]] | None" = None
    """Where the environment keeps it while it is in scope."""

    @property
    def store(self) -> vt.Type:
        """The type of the memory or value."""
        return self.type.store if isinstance(self.type, vt.Pointer) else self.type

    @property
    def is_memory(self) -> bool:
        """Whether the name, or `*name`, is a reference."""
        return self.space is not None

    @property
    def is_written(self) -> bool:
        """Whether an assignment may write there."""
        return self.is_memory and self.access is not Access.READ and not self.steady

    @property
    def base(self) -> "Name":
        """Its root: itself, or what a pointer let points into."""
        return self.root or self


@dataclass(frozen=True, slots=True)
class Field:
    """The step to a member of a structure."""

    name: str


@dataclass(frozen=True, slots=True)
class Element:
    """The step to a column, or to an element of an array; without a count it is known at run time only."""

    count: int | None


@dataclass(frozen=True, slots=True)
class Component:
    """The step to a component of a vector of so many. Its address cannot be taken."""

    size: int


Step = Field | Element | Component
Path = tuple[Step, ...]
"""How to get from a name to a part of it."""


class Entry(NamedTuple):
    """A name with the paths to its parts of one type."""

    name: Name
    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The paths to the parts of one type in another type."""

    type: vt.Type
    paths: tuple[Path, ...]
    addressable: tuple[Path, ...]
    constructible: bool


_Lists = list[tuple[list[Entry], tuple[Path, ...]]]
"""Lists of entries, each with the paths of an entry there."""


class Environment:
    """The names in scope. `enter` and `leave` stand at the braces of a block."""

    def __init__(self) -> None:
        self.names: list[Name] = []
        self.constants: set[str] = set()
        """The names of all constants, in scope or not."""
        self._marks: list[int] = []
        self._index: dict[tuple[object, vt.Type], list[Entry]] = {}
        self._lists: dict[tuple[object, ...], _Lists] = {}
        self._parts: dict[vt.Type, tuple[_Part, ...]] = {}

    def enter(self) -> None:
        """Opens a scope."""
        self._marks.append(len(self.names))

    def leave(self) -> None:
        """Forgets what was declared since the scope was opened."""
        self.truncate(self._marks.pop())

    def truncate(self, length: int) -> None:
        """Forgets the youngest names but `length`."""
        while len(self.names) > length:
            for entries, _ in self.names.pop().slots or ():
                entries.pop()

    def declare(self, name: Name) -> Name:
        """Brings a name into scope."""
        if name.slots is None:
            key = (name.role, name.space, name.access, name.steady, name.type)
            if key not in self._lists:
                self._lists[key] = self._lists_of(name)
            name.slots = [(entries, Entry(name, paths)) for entries, paths in self._lists[key]]
        for entries, entry in name.slots:
            entries.append(entry)
        self.names.append(name)
        if name.role is NameRole.CONST:
            self.constants.add(name.name)
        return name

    def _lists_of(self, name: Name) -> _Lists:
        """The lists that such a name goes to, with the paths that it has there."""
        groups = [_group(name), Group.ASSIGNABLE] if name.is_written else [_group(name)]
        memory = (name.space, name.access) if name.is_memory and not name.steady else None
        index = self._index
        found: _Lists = []
        for part in self._parts_of(name.store):
            if part.constructible:
                found += [(index.setdefault((group, part.type), []), part.paths) for group in groups]
            if memory is not None and part.addressable:
                found.append((index.setdefault((memory, part.type), []), part.addressable))
        return found

    def entries(self, group: Group, type: vt.Type) -> list[Entry]:
        """What has a part of the type: references to read or write, or values."""
        return self._index.get((group, type)) or []

    def addressable(self, space: Space, access: Access, type: vt.Type) -> list[Entry]:
        """What has a part of exactly the type whose address `&` can take, atomics included."""
        return self._index.get(((space, access), type)) or []

    def addressable_parts(self, type: vt.Type) -> list[vt.Type]:
        """The types of the parts whose address can be taken, the whole first."""
        return [part.type for part in self._parts_of(type) if part.addressable]

    def scalars(self, type: vt.Type) -> list[tuple[vt.Scalar, tuple[Path, ...]]]:
        """The scalars in a type, each with the paths to it."""
        return [(part.type, part.paths) for part in self._parts_of(type) if isinstance(part.type, vt.Scalar)]

    def _parts_of(self, type: vt.Type) -> tuple[_Part, ...]:
        if not isinstance(type, _OF_A_MODULE):
            return _known_parts(type)
        found = self._parts.get(type)
        if found is None:
            found = self._parts[type] = _parts(type)
        return found


def _parts(type: vt.Type) -> tuple[_Part, ...]:
    lists: dict[vt.Type, list[Path]] = {}
    _collect(type, (), lists)
    return tuple([_part(t, tuple(paths)) for t, paths in lists.items()])


_OF_A_MODULE = (vt.Array, vt.Structure)
"""There are too many of these to keep the parts of all."""
_known_parts = cache(_parts)


def _part(type: vt.Type, paths: tuple[Path, ...]) -> _Part:
    addressable = tuple([path for path in paths if not (path and isinstance(path[-1], Component))])
    return _Part(type, paths, addressable, vt.is_constructible(type))


def _group(name: Name) -> Group:
    if name.role is NameRole.VARYING_INPUT:
        return Group.VARYING
    if name.role in (NameRole.CONST, NameRole.OVERRIDE, NameRole.UNIFORM_INPUT):
        return Group.GIVEN
    if name.space in (None, Space.FUNCTION):
        return Group.LOCAL
    return Group.GIVEN if name.access is Access.READ else Group.SHARED


def _collect(type: vt.Type, path: Path, found: dict[vt.Type, list[Path]]) -> None:
    """All parts of a type, itself first; of those of one type the first ones, since there may be 2**30."""
    paths = found.setdefault(type, [])
    if len(paths) >= MOST_PATHS:
        return
    paths.append(path)
    if isinstance(type, vt.Vector):
        _collect(type.element, (*path, Component(type.size)), found)
    elif isinstance(type, vt.Matrix):
        _collect(type.column, (*path, Element(type.columns)), found)
    elif isinstance(type, vt.Array):
        _collect(type.element, (*path, Element(type.count)), found)
    elif isinstance(type, vt.Structure):
        for member, inner in type.members:
            _collect(inner, (*path, Field(member)), found)


@dataclass(slots=True, eq=False)
class Callee:
    """A function, while it is drawn and then to be called."""

    name: str
    parameters: tuple[Name, ...] = ()
    result: vt.Type | None = None
    stages: frozenset[Stage] = ALL_STAGES
    """From which it may be reached: what is in scope in it suits all of them."""
    reads: dict[Name, None] = field(default_factory=dict)
    """Variables of module scope and pointer parameters that it may read."""
    writes: dict[Name, None] = field(default_factory=dict)
    called: bool = False
    must_use: bool = False
    """A statement must not throw its result away."""

    def touch(self, name: Name, *, read: bool, write: bool) -> None:
        """Notes an access to the memory that a name stands for."""
        base = name.base
        if read:
            self.reads[base] = None
        if write:
            self.writes[base] = None

    def absorb(self, callee: "Callee") -> None:
        """Notes what a call does to variables of module scope."""
        self.reads |= {name: None for name in callee.reads if name.module_scope}
        self.writes |= {name: None for name in callee.writes if name.module_scope}


@dataclass(slots=True)
class Aliases:
    """Which roots the pointers of one call may have: 13.5.2 allows none that is written under two names."""

    callee: Callee
    reads: list[Name] = field(default_factory=list)
    writes: list[Name] = field(default_factory=list)

    def allows(self, parameter: Name, root: Name) -> bool:
        """Whether the parameter may point into what the root stands for, after the arguments so far."""
        callee = self.callee
        if parameter in callee.writes:
            known = root in callee.reads or root in callee.writes
            return not known and root not in self.reads and root not in self.writes
        if parameter in callee.reads:
            return root not in self.writes and root not in callee.writes
        return True

    def take(self, parameter: Name, root: Name) -> None:
        """Notes an argument."""
        if parameter in self.callee.reads:
            self.reads.append(root)
        if parameter in self.callee.writes:
            self.writes.append(root)
