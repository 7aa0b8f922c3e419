"""Where WGSL wants a reference or a pointer, and where it wants none (WGSL 7.3, 8.13, 8.14, 9.2)."""

from collections.abc import Iterable

from wgsl_fuzz.wgsl.problems import ResolveProblem
from wgsl_fuzz.wgsl.resolution import Resolution, Space
from wgsl_fuzz.wgsl.syntax import Expression, Member, Unary, Variable
from wgsl_fuzz.wgsl.types import Declared


def check_targets(resolution: Resolution, targets: Iterable[Expression]) -> None:
    """Raises ResolveProblem if the left side of an assignment can never be a reference."""
    for target in targets:
        if not _is_reference(resolution, target):
            raise ResolveProblem("this is no reference and cannot be assigned to", target.start)


def check_indirections(resolution: Resolution, indirections: Iterable[Unary]) -> None:
    """Raises ResolveProblem for the address of a plain value and for indirection through what is no pointer."""
    for unary in indirections:
        if unary.operator == "&":
            if not _is_reference(resolution, unary.operand):
                raise ResolveProblem("this is no reference and has no address", unary.start)
        elif not resolution.is_pointer(unary.operand):
            raise ResolveProblem("this is no pointer", unary.start)


def check_members(resolution: Resolution, members: Iterable[Member]) -> None:
    """Raises ResolveProblem for `base.name` where the base is a structure without such a member."""
    for member in members:
        found = resolution.type(member.base)
        if found is not None and found.struct is not None and all(m.name != member.name for m in found.struct.members):
            raise ResolveProblem(f"structure '{found.struct.name}' has no member '{member.name}'", member.start)


def check_variables(resolution: Resolution, declared: Iterable[Declared]) -> None:
    """Raises ResolveProblem for a variable in a function that would hold a pointer."""
    for variable in declared:
        if isinstance(variable, Variable) and variable.value is not None and resolution.is_pointer(variable.value):
            raise ResolveProblem(f"variable '{variable.name}' cannot hold a pointer", variable.start)


def _is_reference(resolution: Resolution, expression: Expression) -> bool:
    root = resolution.root(expression)
    if root is None or resolution.is_pointer(expression):
        return False
    return not isinstance(root, Variable) or resolution.space(root) is not Space.HANDLE
