"""Types of values as the semantics holds them: a composite is a row of scalars, its cells."""

from functools import lru_cache

from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.syntax import Node


class Assumption(Exception):
    """Lowering has to begin again, knowing something about the module: the argument."""


DISCARDS = "the shader discards, and so whether a write happens is open"
FILTERED_RESULT = "what a call under a diagnostic filter gives matters, and so it has to be synchronised all the same"
OVERRIDE_IN_SIZE = "the size of an array or of the workgroup is an override without a default"


class CannotRun(Exception):
    """A construct that the semantics cannot run, in words, and its place in the text."""

    def __init__(self, what: str, at: Node | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.start = -1 if at is None else at.start


_MOST_CELLS = 1 << 16


@lru_cache(maxsize=4096)
def scalars(type: vt.Type) -> tuple[vt.Scalar, ...]:
    """The types of the cells; none for an array that is sized at run time."""
    if size(type) > _MOST_CELLS:
        raise CannotRun(f"a variable of more than {_MOST_CELLS} scalars")
    match type:
        case vt.Scalar():
            return (type,)
        case vt.Vector() | vt.Atomic() | vt.Matrix():
            return (type.element,) * size(type)
        case vt.Array():
            return scalars(type.element) * (count_of(type) or 0)
        case vt.Structure():
            return tuple([scalar for _, member in type.members for scalar in scalars(member)])
        case vt.SubgroupMatrix():
            return (vt.U32,)  # a number that says what it was made of
        case vt.Handle() | vt.Pointer():
            return ()


@lru_cache(maxsize=4096)
def size(type: vt.Type) -> int:
    """The number of cells."""
    match type:
        case vt.Structure():
            return sum([size(member) for _, member in type.members])
        case vt.Handle() | vt.Pointer():
            return 0
        case _:
            inner = vt.element_of(type)
            return 1 if inner is None else (count_of(type) or 0) * size(inner)


def element_of(type: vt.Type) -> vt.Type:
    """The type of `value[i]`."""
    found = vt.element_of(type)
    if found is None:
        raise CannotRun("an index into what has no elements")
    return found


def count_of(type: vt.Type) -> int | None:
    """How many elements there are; None: that is known at run time only."""
    match type:
        case vt.Vector():
            return type.size
        case vt.Matrix():
            return type.columns
        case vt.Array():
            return type.count
        case _:
            return 1


def scalar_of(type: vt.Type) -> vt.Scalar:
    """The scalar type of a scalar, vector, matrix or atomic."""
    if isinstance(type, vt.Scalar):
        return type
    if isinstance(type, vt.Vector | vt.Matrix | vt.Atomic):
        return type.element
    raise CannotRun("a value of a composite type as an operand")
