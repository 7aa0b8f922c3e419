"""Where WGSL wants a reference or a pointer, with what access, and where it wants none (WGSL 7.3, 8.13, 8.14, 9.2)."""

from collections.abc import Iterable

from wgsl_fuzz.wgsl.builtins import FUNCTIONS
from wgsl_fuzz.wgsl.problems import ResolveProblem, in_each
from wgsl_fuzz.wgsl.resolution import Access, Pointer, Resolution, Space
from wgsl_fuzz.wgsl.syntax import Call, Expression, Let, Member, Parameter, Unary, Variable
from wgsl_fuzz.wgsl.types import Declared


def check_targets(resolution: Resolution, targets: Iterable[Expression]) -> None:
    """Raises ResolveProblem if the left side of an assignment is no reference, or one to memory that is only read."""

    def check(target: Expression) -> None:
        if not _is_reference(resolution, target):
            raise ResolveProblem("this is no reference and cannot be assigned to", target.start)
        space, access = _memory(resolution, target)
        if access is Access.READ:
            what = f"this is in '{space}' memory with access mode 'read' and cannot be assigned to"
            raise ResolveProblem(what, target.start)

    in_each(targets, check)


def check_indirections(resolution: Resolution, indirections: Iterable[Unary]) -> None:
    """Raises ResolveProblem for the address of a plain value and for indirection through what is no pointer."""

    def check(unary: Unary) -> None:
        if unary.operator == "&":
            if not _is_reference(resolution, unary.operand):
                raise ResolveProblem("this is no reference and has no address", unary.start)
        elif not resolution.is_pointer(unary.operand):
            raise ResolveProblem("this is no pointer", unary.start)

    in_each(indirections, check)


def check_members(resolution: Resolution, members: Iterable[Member]) -> None:
    """Raises ResolveProblem for `base.name` where the base is a structure without such a member."""

    def check(member: Member) -> None:
        found = resolution.type(member.base)
        if found is not None and found.struct is not None and all(m.name != member.name for m in found.struct.members):
            raise ResolveProblem(f"structure '{found.struct.name}' has no member '{member.name}'", member.start)

    in_each(members, check)


def check_calls(resolution: Resolution, calls: Iterable[Call]) -> None:
    """Raises ResolveProblem where a function is given a pointer for a value, a value for a pointer, or too little."""

    def check(call: Call) -> None:
        builtin, function = resolution.builtin(call), resolution.function(call)
        if builtin is not None:
            if len(call.arguments) < _LEAST[builtin.name]:
                raise ResolveProblem(f"too few arguments in call to '{builtin.name}'", call.start)
            if builtin.name in _TAKE_POINTER and not resolution.is_pointer(call.arguments[0]):
                raise ResolveProblem(f"'{builtin.name}' takes a pointer", call.arguments[0].start)
        elif function is not None:
            for parameter, argument in zip(function.parameters, call.arguments, strict=True):
                _check_argument(resolution, parameter, argument)

    in_each(calls, check)


_TAKE_POINTER = frozenset(name for name in FUNCTIONS if name.startswith(("atomic", "buffer"))) | {
    "arrayLength",
    "workgroupUniformLoad",
}
_TAKE_FIRST = _TAKE_POINTER | {name for name in FUNCTIONS if name.startswith("texture") and name != "textureBarrier"}
_LEAST = {
    name: max([int(name in _TAKE_FIRST), *(index + 1 for index in row.required)]) for name, row in FUNCTIONS.items()
}
"""The fewest arguments that a call must have for the analysis."""


def _check_argument(resolution: Resolution, parameter: Parameter, argument: Expression) -> None:
    pointer = resolution.pointer(parameter)
    if resolution.is_pointer(argument) != (pointer is not None):
        what = "a pointer" if pointer is not None else "a value"
        raise ResolveProblem(f"parameter '{parameter.name}' takes {what}", argument.start)
    if pointer is not None:
        _check_memory(resolution, f"parameter '{parameter.name}'", pointer, argument)


def _check_memory(resolution: Resolution, what: str, pointer: Pointer, given: Expression) -> None:
    space, access = _memory(resolution, given)
    if space is not pointer.space:
        raise ResolveProblem(f"{what} takes a pointer into '{pointer.space}'", given.start)
    if access is not pointer.access:
        raise ResolveProblem(f"{what} takes a pointer with access mode '{pointer.access}'", given.start)


def check_locals(resolution: Resolution, declared: Iterable[Declared]) -> None:
    """Raises ResolveProblem for a variable in a function that would hold a pointer, and for a let of another one."""

    def check(local: Declared) -> None:
        if isinstance(local, Variable):
            value = local.value
            if resolution.is_pointer_type(local.type) or (value is not None and resolution.is_pointer(value)):
                raise ResolveProblem(f"variable '{local.name}' cannot hold a pointer", local.start)
        elif isinstance(local, Let) and resolution.is_pointer(local.value):
            pointer = resolution.pointer_type(local.type)
            if pointer is not None:
                _check_memory(resolution, f"'{local.name}'", pointer, local.value)

    in_each(declared, check)


def _memory(resolution: Resolution, expression: Expression) -> tuple[Space | None, Access | None]:
    """Where a reference or pointer leads to; of what is neither, nothing is said."""
    root = resolution.root(expression)
    if isinstance(root, Variable):
        return resolution.space(root), resolution.access(root)
    outer = resolution.pointer(root) if root is not None else None
    return (None, None) if outer is None else (outer.space, outer.access)


def _is_reference(resolution: Resolution, expression: Expression) -> bool:
    root = resolution.root(expression)
    if root is None or resolution.is_pointer(expression):
        return False
    return not isinstance(root, Variable) or resolution.space(root) is not Space.HANDLE
