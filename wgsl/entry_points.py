"""Entry points: their attributes, inputs and outputs, and what the stages that reach a function forbid (WGSL 13)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from wgsl_fuzz.wgsl.attributes import FUNCTION, PARAMETER, STAGE_NAMES, check_attributes
from wgsl_fuzz.wgsl.builtins import EXTENSIONS, INPUTS, OUTPUTS, BuiltinFunction, Stage
from wgsl_fuzz.wgsl.problems import ResolveProblem, in_each
from wgsl_fuzz.wgsl.resolution import Access, Resolution, Space, attribute_of
from wgsl_fuzz.wgsl.syntax import Attributes, Discard, Function, Identifier, Node, Parameter, StructMember, Variable
from wgsl_fuzz.wgsl.types import Declared


@dataclass(frozen=True, slots=True)
class Used:
    """What a declaration at module scope uses, with the places."""

    references: tuple[tuple[Declared, Identifier], ...]
    builtins: tuple[tuple[BuiltinFunction, Identifier], ...]
    """The built-in functions that it calls."""
    discards: tuple[Discard, ...]


def check_stages(resolution: Resolution, used: Mapping[int, Used]) -> None:
    """Raises ResolveProblem for a function that its attributes or the entry points above it forbid."""
    functions = [d for d in resolution.module.declarations if isinstance(d, Function)]
    in_each(functions, lambda function: _check(resolution, function, used[id(function)]))


def _check(resolution: Resolution, function: Function, used: Used) -> None:
    _check_function(resolution, function)
    _check_uses(resolution, function, used)


def _check_uses(resolution: Resolution, function: Function, used: Used) -> None:
    stages = resolution.stages(function)
    not_compute = stages - {Stage.COMPUTE}
    for declared, name in used.references:
        if isinstance(declared, Variable):
            if Stage.VERTEX in stages and _is_written(resolution, declared, name):
                raise ResolveProblem(f"variable '{name.name}' is not for vertex shaders", name.start)
            if not_compute and resolution.space(declared) is Space.WORKGROUP:
                _forbid(not_compute, f"variable '{name.name}'", name)
        elif isinstance(declared, Function) and resolution.entry_stage(declared) is not None:
            raise ResolveProblem(f"entry point '{name.name}' cannot be called", name.start)
    for builtin, name in used.builtins:
        if not stages <= builtin.stages:
            _forbid(stages - builtin.stages, f"'{name.name}'", name)
    for discard in used.discards:
        _forbid(stages - {Stage.FRAGMENT}, "'discard'", discard)


def _forbid(stages: frozenset[Stage], what: str, place: Node) -> None:
    if stages:
        raise ResolveProblem(f"{what} is not for {min(stages)} shaders", place.start)


def _is_written(resolution: Resolution, variable: Variable, name: Identifier) -> bool:
    texture = resolution.texture_access(name)
    if texture is not None:
        return texture is not Access.READ
    return resolution.space(variable) is Space.STORAGE and resolution.access(variable) is Access.READ_WRITE


# --------------------------------------------------------------------------------------------------------- attributes


def _check_function(resolution: Resolution, function: Function) -> None:
    check_attributes(function.attributes, FUNCTION, "functions")
    names = {a.name: a for a in function.attributes}
    if "must_use" in names and function.result is None:
        raise ResolveProblem("'@must_use' is for functions that have a result", names["must_use"].start)
    stages = names.keys() & STAGE_NAMES
    if len(stages) > 1:
        raise ResolveProblem(f"function '{function.name}' has two stages", function.start)
    stage = resolution.entry_stage(function)
    for name in ("workgroup_size", "subgroup_size"):
        if name in names and stage is not Stage.COMPUTE:
            raise ResolveProblem(f"'@{name}' is for compute shaders", names[name].start)
    if "subgroup_size" in names and "subgroup_size_control" not in resolution.extensions:
        raise ResolveProblem("'@subgroup_size' needs 'enable subgroup_size_control;'", names["subgroup_size"].start)
    if stage is None:
        _check_plain(function)
        return
    if stage is Stage.COMPUTE and "workgroup_size" not in names:
        raise ResolveProblem(f"compute shader '{function.name}' needs '@workgroup_size'", function.start)
    _check_inputs(resolution, function, stage)
    _check_outputs(resolution, function, stage)


def _check_plain(function: Function) -> None:
    attributes = [a for parameter in function.parameters for a in parameter.attributes]
    for attribute in (*attributes, *function.result_attributes):
        raise ResolveProblem(f"'@{attribute.name}' is for entry points", attribute.start)


def _check_inputs(resolution: Resolution, function: Function, stage: Stage) -> None:
    seen: set[str] = set()
    for parameter in function.parameters:
        check_attributes(parameter.attributes, PARAMETER, "parameters")
        for place in _places(resolution, parameter):
            name = _check_place(resolution, place.attributes, stage, place.start)
            if name is None:
                continue
            row = INPUTS.get((name, stage))
            if row is None:
                raise ResolveProblem(f"'{name}' is no input of {stage} shaders", place.start)
            _check_extension(resolution, row.extension, name, place.start)
            if name in seen:
                raise ResolveProblem(f"there are two inputs '{name}'", place.start)
            seen.add(name)


def _places(resolution: Resolution, parameter: Parameter) -> Iterable[Parameter | StructMember]:
    """A parameter, or the members of the structure that it is."""
    struct = None if parameter.attributes else resolution.struct(parameter.type)
    return (parameter,) if struct is None else struct.members


def _check_outputs(resolution: Resolution, function: Function, stage: Stage) -> None:
    seen: set[str] = set()
    if function.result is not None:
        check_attributes(function.result_attributes, PARAMETER, "results")
        struct = None if function.result_attributes else resolution.struct(function.result)
        places: list[tuple[Attributes, int]] = [(function.result_attributes, function.result.start)]
        if struct is not None:
            places = [(member.attributes, member.start) for member in struct.members]
        for attributes, start in places:
            name = _check_place(resolution, attributes, stage, start)
            if name is None:
                continue
            row = OUTPUTS.get((name, stage))
            if row is None:
                raise ResolveProblem(f"'{name}' is no output of {stage} shaders", start)
            _check_extension(resolution, row.extension, name, start)
            if name in seen:
                raise ResolveProblem(f"there are two outputs '{name}'", start)
            seen.add(name)
    if stage is Stage.VERTEX and "position" not in seen:
        raise ResolveProblem(f"vertex shader '{function.name}' has no output 'position'", function.start)


def _check_place(resolution: Resolution, attributes: Attributes, stage: Stage, start: int) -> str | None:
    """The built-in value at a place of input or output; None: it is user-defined."""
    builtin, location = attribute_of(attributes, "builtin"), attribute_of(attributes, "location")
    if (builtin is None) == (location is None):
        raise ResolveProblem("an input or output of an entry point has either '@builtin' or '@location'", start)
    interpolate = attribute_of(attributes, "interpolate")
    if interpolate is not None and location is None:
        raise ResolveProblem("'@interpolate' is for places with '@location'", interpolate.start)
    if attribute_of(attributes, "blend_src") is not None:
        _check_extension(resolution, "dual_source_blending", "@blend_src", start)
    if builtin is None:
        if stage is Stage.COMPUTE:
            raise ResolveProblem("'@location' is not for compute shaders", start)
        return None
    name = builtin.arguments[0]
    assert isinstance(name, Identifier), "check_attributes has seen it"
    return name.name


def _check_extension(resolution: Resolution, extension: str | None, what: str, start: int) -> None:
    if extension in EXTENSIONS and extension not in resolution.extensions:
        raise ResolveProblem(f"'{what}' needs 'enable {extension};'", start)
