"""What is in scope while a function is drawn: names with their types, and by type all that can be read or written.

Each name has one scalar: itself, an element of an array, or a member. No two names in scope are spelled alike:
shadowing is of what a function does not see.
"""

from dataclasses import dataclass, field
from enum import Enum, auto

from wgsl_fuzz.wgsl.types import BOOL, I32, U32, Array, Scalar, Structure

SCALARS = (U32, I32, BOOL)
"""The scalar types that are drawn."""
ID = Structure("vec3u", (("x", U32),))
"""What TinyWGSL has of `local_invocation_id`."""


class Group(Enum):
    """Where a value comes from, as far as uniformity cares; one more group is asked for by what is written."""

    LOCAL = auto()
    """Function variables, lets and parameters: uniform or not by what was assigned."""
    CONSTANT = auto()
    SHARED = auto()
    """Memory outside functions: never uniform."""
    VARYING = auto()
    """Inputs that differ among invocations."""
    ASSIGNABLE = auto()
    """What may be written, local or shared."""


@dataclass(slots=True, eq=False)
class Name:
    """A declared name."""

    name: str
    type: Scalar | Array | Structure
    group: Group = Group.LOCAL
    is_written: bool = False
    """Whether an assignment that is drawn at random may write to it."""

    @property
    def scalar(self) -> Scalar:
        """The type of what is read of it."""
        found = self.type
        if isinstance(found, Array):
            found = found.element  # type: ignore[assignment]
        elif isinstance(found, Structure):
            found = U32
        assert isinstance(found, Scalar), "arrays have scalars only"
        return found


class Environment:
    """The names in scope. `enter` and `leave` stand at the braces of a block."""

    def __init__(self) -> None:
        self.names: list[Name] = []
        self.constants: set[str] = set()
        """The names of all constants, in scope or not."""
        self._marks: list[int] = []
        self._index: dict[tuple[Group, Scalar], list[Name]] = {}

    def enter(self) -> None:
        """Opens a scope."""
        self._marks.append(len(self.names))

    def leave(self) -> None:
        """Forgets what was declared since the scope was opened."""
        self.truncate(self._marks.pop())

    def truncate(self, length: int) -> None:
        """Forgets the youngest names but `length`."""
        while len(self.names) > length:
            name = self.names.pop()
            for group in self._groups(name):
                self._index[group, name.scalar].pop()

    def declare(self, name: Name) -> Name:
        """Brings a name into scope."""
        for group in self._groups(name):
            self._index.setdefault((group, name.scalar), []).append(name)
        self.names.append(name)
        if name.group is Group.CONSTANT:
            self.constants.add(name.name)
        return name

    def _groups(self, name: Name) -> tuple[Group, ...]:
        return (name.group, Group.ASSIGNABLE) if name.is_written else (name.group,)

    def entries(self, group: Group, type: Scalar) -> list[Name]:
        """The names of a group that have a scalar of the type."""
        return self._index.get((group, type)) or []


@dataclass(slots=True, eq=False)
class Callee:
    """A function, while it is drawn and then to be called."""

    name: str
    parameters: tuple[Name, ...] = field(default=())
    result: Scalar | None = None
    called: bool = False
    must_use: bool = False
    """A statement must not throw its result away."""
