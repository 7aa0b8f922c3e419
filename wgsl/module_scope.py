"""What variables, overrides and structures at module scope must look like (WGSL 7.3, 7.4, 6.2.10)."""

from wgsl_fuzz.wgsl.attributes import MEMBER, OVERRIDE, VARIABLE, check_attributes
from wgsl_fuzz.wgsl.problems import ResolveProblem, in_each
from wgsl_fuzz.wgsl.resolution import Access, Resolution, Space
from wgsl_fuzz.wgsl.syntax import Declaration, Function, Override, Struct, Variable

_RESOURCES = frozenset({Space.UNIFORM, Space.STORAGE, Space.HANDLE})


def check_module_scope(resolution: Resolution) -> None:
    """Raises ResolveProblem for a declaration at module scope that cannot be one."""
    in_each(resolution.module.declarations, lambda declared: _check(resolution, declared))


def _check(resolution: Resolution, declared: Declaration) -> None:
    if isinstance(declared, Variable):
        _check_variable(resolution, declared)
    elif isinstance(declared, Override):
        check_attributes(declared.attributes, OVERRIDE, "overrides")
        if declared.type is None and declared.value is None:
            raise ResolveProblem(f"override '{declared.name}' needs a type or an initialiser", declared.start)
    elif isinstance(declared, Struct):
        _check_struct(declared)
    _check_types(resolution, declared)


def _check_types(resolution: Resolution, declared: Declaration) -> None:
    """Refuses pointers where they cannot be stored or returned."""
    if isinstance(declared, Struct):
        types = [member.type for member in declared.members]
    elif isinstance(declared, Function):
        types = [declared.result] if declared.result is not None else []
    else:
        types = [declared.type] if isinstance(declared, Variable) and declared.type is not None else []
    for type_ in types:
        if resolution.is_pointer_type(type_):
            raise ResolveProblem("a pointer can only be a parameter or a let", type_.start)


def _check_variable(resolution: Resolution, variable: Variable) -> None:
    check_attributes(variable.attributes, VARIABLE, "variables")
    name, start, space = variable.name, variable.start, resolution.space(variable)
    if space is Space.FUNCTION:
        raise ResolveProblem("a variable at module scope is not in address space 'function'", start)
    if (space is Space.HANDLE) != resolution.is_handle(variable):
        if space is Space.HANDLE:
            raise ResolveProblem(f"variable '{name}' needs an address space", start)
        raise ResolveProblem(f"variable '{name}' is a texture or sampler and takes no address space", start)
    if len(variable.template) > 1:
        if space is not Space.STORAGE:
            raise ResolveProblem("only variables in 'storage' have an access mode", start)
        if resolution.access(variable) is Access.WRITE:
            raise ResolveProblem("a variable in 'storage' cannot be only written", start)
    if variable.type is None and (variable.value is None or space is not Space.PRIVATE):
        raise ResolveProblem(f"variable '{name}' needs a type", start)
    if variable.value is not None and space is not Space.PRIVATE:
        raise ResolveProblem(f"a variable in '{space}' takes no initialiser", variable.value.start)
    bound = {a.name for a in variable.attributes}
    if space in _RESOURCES and bound != VARIABLE:
        raise ResolveProblem(f"variable '{name}' needs '@group' and '@binding'", start)
    if space not in _RESOURCES and bound:
        raise ResolveProblem(f"a variable in '{space}' takes no '@group' and '@binding'", start)


def _check_struct(struct: Struct) -> None:
    if not struct.members:
        raise ResolveProblem(f"structure '{struct.name}' has no members", struct.start)
    seen: set[str] = set()
    for member in struct.members:
        check_attributes(member.attributes, MEMBER, "members of structures")
        if member.name in seen:
            raise ResolveProblem(f"'{member.name}' is declared twice in structure '{struct.name}'", member.start)
        seen.add(member.name)
