"""The meaning of the names in a module: `resolve` binds them, or says what is wrong with them.

It is no type checker. What it refuses: names that are unknown, declared twice or of the wrong kind; circles of
declarations; jumps where none may stand; calls with a wrong number of arguments; misplaced attributes and stages;
built-in values of another type; integers that would be interpolated; counts, sizes and alignments that cannot be;
bindings and `@id` that stand twice; assignments to memory that is only read; pointers into another address space, or
with another access mode; calls with pointers that alias.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from wgsl_fuzz.tinywgsl.values import U32_MAX
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import (
    EXTENSIONS,
    FUNCTIONS,
    IMPLIED_EXTENSIONS,
    INPUTS,
    LANGUAGE_FEATURES,
    MATRIX_MEMORY,
    MATRIX_TYPES,
    OUTPUTS,
    PROPOSED_EXTENSIONS,
    PROPOSED_FEATURES,
    BuiltinFunction,
    BuiltinInput,
    BuiltinOutput,
    Stage,
)
from wgsl_fuzz.wgsl.diagnostics import of_directives
from wgsl_fuzz.wgsl.lexer import without_comments
from wgsl_fuzz.wgsl.lower.expressions import constant_integer
from wgsl_fuzz.wgsl.names import (
    FUNCTION,
    MEMBER,
    OVERRIDE,
    PARAMETER,
    STAGE_NAMES,
    VARIABLE,
    FunctionBinder,
    NameBinder,
    check_attributes,
)
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import ResolveProblem, SyntaxProblem, Unsupported, first_of, in_each
from wgsl_fuzz.wgsl.resolution import (
    Access,
    Declared,
    PointerType,
    Resolution,
    Root,
    Space,
    attribute_of,
    check_aliases,
)
from wgsl_fuzz.wgsl.types import I32, INT, U32, ValueTypes, component, type_of
from wgsl_fuzz.wgsl.walk import descendants, with_more_stack


def resolve(module: w.Module, *, checked: bool = True) -> Resolution:
    """The meaning of the names in a module; raises ResolveProblem, or Unsupported for extensions we do not know.

    The first problem is raised; `more` of it has others of the same step. Unless `checked`, which takes as long again,
    only names are looked up: for modules that are valid because of how they were made.
    """
    return with_more_stack(lambda: _Resolver(module).resolution(checked))


_DIRECTIVES = re.compile(r"(\s*((enable|requires)\s+\w[\w\s,]*|diagnostic\s*\([^;]*);)*")


def read(text: str) -> Resolution:
    """The meaning of the names in a text; raises as `parse` and `resolve` do.

    Behind an extension that we do not know no syntax is wrong, for it may be its own: Unsupported.
    """
    try:
        return resolve(parse(text))
    except SyntaxProblem:
        with suppress(SyntaxProblem):
            directives = _DIRECTIVES.match(without_comments(text))
            enabled(parse(directives[0] if directives else ""))
        raise


def enabled(module: w.Module) -> frozenset[str]:
    """The extensions that a module enables, implied ones included; Unsupported for what we do not know."""
    named = [(d, name) for d in module.directives if isinstance(d, (w.Enable, w.Requires)) for name in d.names]
    in_each(named, lambda pair: _check_known(*pair))
    enabled = [name for directive, name in named if isinstance(directive, w.Enable)]
    return frozenset(enabled).union(*(IMPLIED_EXTENSIONS.get(name, frozenset()) for name in enabled))


_WHY = {"chromium_disable_uniformity_analysis": ", which switches off the analysis that is tested here"}


def _check_known(directive: w.Enable | w.Requires, name: str) -> None:
    known = EXTENSIONS if isinstance(directive, w.Enable) else LANGUAGE_FEATURES
    known |= PROPOSED_EXTENSIONS if isinstance(directive, w.Enable) else PROPOSED_FEATURES
    if name not in known:
        what = "extension" if isinstance(directive, w.Enable) else "language feature"
        raise Unsupported(f"the reference does not know the {what} '{name}'{_WHY.get(name, '')}", directive.start)


class _Resolver:
    """The way from a module to its resolution, declaration by declaration."""

    def __init__(self, module: w.Module) -> None:
        self._module = module
        self._names = NameBinder(enabled(module))
        self._functions = FunctionBinder(self._names)
        self._used: dict[int, Used] = {}
        """By the identity of a declaration at module scope."""

    def resolution(self, checked: bool) -> Resolution:
        declared: list[Declared] = [d for d in self._module.declarations if not isinstance(d, w.ConstAssert)]
        self._bind_all(declared)
        ordered = list(self._in_order(declared))
        functions = tuple(d for d in ordered if isinstance(d, w.Function))
        resolution = Resolution(
            self._module,
            uses=self._names.uses,
            functions=functions,
            callees={id(f): tuple(d for d in self._referred(f) if isinstance(d, w.Function)) for f in functions},
            declared=(*(d for d in ordered if not isinstance(d, w.Function)), *self._functions.locals),
            effects=self._names.effects,
            extents=self._functions.extents,
            extensions=self._names.extensions,
            proposals=frozenset(self._names.proposals),
        )
        if checked:
            self._check(resolution)
        return resolution

    def _check(self, resolution: Resolution) -> None:
        names, used, effects = self._names, self._used, resolution.effects
        in_each(self._module.declarations, partial(_check_declaration, resolution))
        functions = [d for d in self._module.declarations if isinstance(d, w.Function)]
        in_each(functions, lambda function: _check_stages(resolution, function, used[id(function)]))
        _check_positive(resolution, names.counts, "the count of an array")
        _check_numbers(resolution, used)
        in_each(self._functions.constants, partial(_check_constant, resolution))
        assignments = (e for e in effects if e.__class__ is w.Assign or e.__class__ is w.Increment)
        in_each([e for e in assignments if not _is_local(resolution, e.left)], partial(_check_target, resolution))
        in_each(names.indirections, partial(_check_indirection, resolution))
        in_each([e for e in effects if isinstance(e, w.Call)], partial(_check_call, resolution))
        in_each(names.members, partial(_check_member, resolution))
        in_each(self._functions.locals, partial(_check_local, resolution))
        check_aliases(resolution)

    def _bind_all(self, declared: list[Declared]) -> None:
        """Declares and binds what is at module scope. Raises the first of the problems on the way."""
        noting = self._names.noting
        with noting():
            of_directives(self._module.directives)
        self._names.scopes.enter()
        for declaration in declared:
            with noting():
                self._names.scopes.declare(declaration)
        for item in self._module.declarations:
            with noting():
                self._bind(item)
        if self._names.problems:
            raise first_of(self._names.problems)

    def _bind(self, declaration: w.Declaration) -> None:
        names = self._names
        names.start_declaration()
        if isinstance(declaration, w.Function):
            self._functions.function(declaration)
        else:
            names.before_runtime(self._bind_plain, declaration)
        self._used[id(declaration)] = Used(names.references, names.builtins, names.discards)

    def _bind_plain(self, declaration: w.Declaration) -> None:
        """Binds the names in a declaration at module scope that is no function."""
        names = self._names
        if isinstance(declaration, w.Struct):
            for member in declaration.members:
                names.attributes(member.attributes)
                names.type(member.type)
            return
        if isinstance(declaration, w.ConstAssert):
            names.value(declaration.condition)
            self._functions.constants.append(declaration.condition)
            return
        assert not isinstance(declaration, w.Function), "functions are bound elsewhere"
        names.type(declaration.type)
        if isinstance(declaration, w.Const):
            self._functions.constants.append(declaration.value)
            names.value(declaration.value)
        elif not isinstance(declaration, w.Alias):
            if isinstance(declaration, w.Variable):
                names.space(declaration.template)
            names.attributes(declaration.attributes)
            names.value(declaration.value)

    # ---------------------------------------------------------------------------------------------------------- order

    def _in_order(self, declared: list[Declared]) -> Iterator[Declared]:
        """Each declaration at module scope behind those that it refers to, otherwise in the order of the text."""
        state: dict[int, bool] = {}
        """False while the declarations that one refers to are looked at, True when it is done."""
        for start in declared:
            path = [] if id(start) in state else [(start, iter(self._referred(start)))]
            state.setdefault(id(start), False)
            while path:
                current, rest = path[-1]
                following = next(rest, None)
                if following is None:
                    state[id(current)] = True
                    yield current
                    path.pop()
                elif id(following) not in state:
                    state[id(following)] = False
                    path.append((following, iter(self._referred(following))))
                elif not state[id(following)]:
                    first = [d is following for d, _ in path].index(True)
                    names = " -> ".join([*(d.name for d, _ in path[first:]), following.name])
                    raise ResolveProblem(f"circle of declarations: {names}", following.start)

    def _referred(self, declared: Declared) -> list[Declared]:
        """What a declaration refers to at module scope, each once."""
        return list({id(d): d for d, _ in self._used[id(declared)].references if id(d) in self._used}.values())


# ------------------------------------------------------------------------------------------------------------- stages


class Used(NamedTuple):
    """What a declaration at module scope uses, with the places."""

    references: Sequence[tuple[Declared, w.Identifier]]
    builtins: Sequence[tuple[BuiltinFunction, w.Identifier]]
    """The built-in functions that it calls."""
    discards: Sequence[w.Discard]


def _check_stages(resolution: Resolution, function: w.Function, used: Used) -> None:
    """Raises ResolveProblem for a function that its attributes or the entry points above it forbid."""
    stage = resolution.entry_stage(function)
    if function.attributes:
        _check_attributes(resolution, function, stage)
    if stage is None:
        _check_plain(function)
    else:
        _check_inputs(resolution, function, stage)
        _check_outputs(resolution, function, stage)
    _check_uses(resolution, function, used)


def _check_uses(resolution: Resolution, function: w.Function, used: Used) -> None:
    stages = resolution.stages(function)
    not_compute, is_vertex = stages - {Stage.COMPUTE}, Stage.VERTEX in stages
    for declared, name in used.references:
        if isinstance(declared, w.Variable):
            if not not_compute:
                continue
            if is_vertex and _is_written(resolution, declared, name):
                raise ResolveProblem(f"variable '{name.name}' is not for vertex shaders", name.start)
            if resolution.space(declared) is Space.WORKGROUP:
                _forbid(not_compute, f"variable '{name.name}'", name)
        elif isinstance(declared, w.Function) and resolution.entry_stage(declared) is not None:
            raise ResolveProblem(f"entry point '{name.name}' cannot be called", name.start)
        elif isinstance(declared, w.Alias | w.Struct) and _has_matrices(resolution, name):
            _forbid(not_compute, f"'{name.name}'", name)
    for builtin, name in used.builtins:
        if not stages <= builtin.stages:
            _forbid(stages - builtin.stages, f"'{name.name}'", name)
    for discard in used.discards:
        _forbid(stages - {Stage.FRAGMENT}, "'discard'", discard)


def _has_matrices(resolution: Resolution, type_: w.Identifier) -> bool:
    """Whether subgroup matrices are in a type."""
    return resolution.has_matrices and resolution.contains(resolution.named(type_), MATRIX_TYPES)


def _forbid(stages: frozenset[Stage], what: str, place: w.Node) -> None:
    if stages:
        raise ResolveProblem(f"{what} is not for {min(stages)} shaders", place.start)


def _is_written(resolution: Resolution, variable: w.Variable, name: w.Identifier) -> bool:
    texture = resolution.texture_access(name)
    if texture is not None:
        return texture is not Access.READ
    return resolution.space(variable) is Space.STORAGE and resolution.access(variable) is Access.READ_WRITE


# --------------------------------------------------------------------------------------------------------- attributes


def _check_attributes(resolution: Resolution, function: w.Function, stage: Stage | None) -> None:
    check_attributes(function.attributes, FUNCTION, "functions")
    names = {a.name: a for a in function.attributes}
    if "must_use" in names and function.result is None:
        raise ResolveProblem("'@must_use' is for functions that have a result", names["must_use"].start)
    stages = names.keys() & STAGE_NAMES
    if len(stages) > 1:
        raise ResolveProblem(f"function '{function.name}' has two stages", function.start)
    for name in ("workgroup_size", "subgroup_size"):
        if name in names and stage is not Stage.COMPUTE:
            raise ResolveProblem(f"'@{name}' is for compute shaders", names[name].start)
    if "subgroup_size" in names and "subgroup_size_control" not in resolution.extensions:
        raise ResolveProblem("'@subgroup_size' needs 'enable subgroup_size_control;'", names["subgroup_size"].start)
    if stage is Stage.COMPUTE and "workgroup_size" not in names:
        raise ResolveProblem(f"compute shader '{function.name}' needs '@workgroup_size'", function.start)
    if "workgroup_size" in names:
        _check_positive(resolution, names["workgroup_size"].arguments, "the size of a workgroup")


def _types(resolution: Resolution) -> ValueTypes:
    return resolution.once(ValueTypes, lambda: ValueTypes(resolution))


def _check_positive(resolution: Resolution, numbers: Iterable[w.Expression], what: str) -> None:
    """Refuses what is no positive integer. What an override decides is left to pipelines."""
    for e in numbers:
        if isinstance(e, w.Literal) and e.text.isdecimal() and e.text != "0" and len(e.text) < 10:
            continue  # most are such, and need no types
        value = constant_integer(resolution, e)
        if _types(resolution).of(e) not in (None, INT, I32, U32) or (value is not None and not 1 <= value <= U32_MAX):
            raise ResolveProblem(f"{what} is a positive integer of 32 bits", e.start)


def _check_numbers(resolution: Resolution, used: Mapping[int, Used]) -> None:
    """Refuses overrides of one number, and variables of one binding that an entry point uses both."""
    numbered: dict[tuple[int | None, ...], list[w.Override | w.Variable]] = {}
    for d in resolution.module.declarations:
        if isinstance(d, w.Override | w.Variable) and d.attributes:
            found = [attribute_of(d.attributes, name) for name in ("id", "group", "binding")]
            place = tuple(constant_integer(resolution, a.arguments[0]) if a else -1 for a in found)
            if None not in place:
                numbered.setdefault(place, []).append(d)
    for alike in (some for some in numbered.values() if len(some) > 1):
        if isinstance(alike[1], w.Override):
            raise ResolveProblem(f"overrides '{alike[0].name}' and '{alike[1].name}' have one '@id'", alike[1].start)
        for entry in resolution.entry_points:
            reached = {id(d) for f in resolution.reached(entry) for d, _ in used[id(f)].references}
            one, *others = [d.name for d in alike if id(d) in reached] or [""]
            if others:
                what = f"variables '{one}' and '{others[0]}', both of which it uses, have one binding"
                raise ResolveProblem(f"entry point '{entry.name}': {what}", alike[1].start)


def _check_plain(function: w.Function) -> None:
    for attributes in (*[p.attributes for p in function.parameters], function.result_attributes):
        for attribute in attributes:
            raise ResolveProblem(f"'@{attribute.name}' is for entry points", attribute.start)


def _check_inputs(resolution: Resolution, function: w.Function, stage: Stage) -> None:
    places: list[_Place] = []
    for parameter in function.parameters:
        check_attributes(parameter.attributes, PARAMETER, "parameters")
        places += _places(resolution, parameter.attributes, parameter.type, parameter.start)
    _check_places(resolution, places, stage, "input", INPUTS)


def _check_outputs(resolution: Resolution, function: w.Function, stage: Stage) -> None:
    places: list[_Place] = []
    if function.result is not None:
        check_attributes(function.result_attributes, PARAMETER, "results")
        places = _places(resolution, function.result_attributes, function.result, function.result.start)
    seen = _check_places(resolution, places, stage, "output", OUTPUTS)
    if stage is Stage.VERTEX and "position" not in seen:
        raise ResolveProblem(f"vertex shader '{function.name}' has no output 'position'", function.start)


_Place = tuple[w.Attributes, w.Identifier, int]
"""The attributes of an input or output, its type, and where it stands."""


def _places(resolution: Resolution, attributes: w.Attributes, type: w.Identifier, start: int) -> list[_Place]:
    """A parameter or a result, or the members of the structure that it is."""
    struct = None if attributes else resolution.struct(type)
    return [(attributes, type, start)] if struct is None else [(m.attributes, m.type, m.start) for m in struct.members]


_INTERPOLATED = {(Stage.VERTEX, "output"), (Stage.FRAGMENT, "input")}


def _check_flat(resolution: Resolution, attributes: w.Attributes, type: w.Identifier, start: int) -> None:
    """Refuses an integer between vertices and fragments that would be interpolated."""
    interpolate = attribute_of(attributes, "interpolate")
    flat = interpolate is not None and getattr(interpolate.arguments[0], "name", "") == "flat"
    found = None if flat else _types(resolution).named(type)
    if found is not None and component(found) in (I32, U32):
        raise ResolveProblem("an integer between vertices and fragments needs '@interpolate(flat)'", start)


def _check_places(
    resolution: Resolution,
    places: Iterable[_Place],
    stage: Stage,
    what: str,
    rows: Mapping[tuple[str, Stage], BuiltinInput] | Mapping[tuple[str, Stage], BuiltinOutput],
) -> set[str]:
    """The built-in values at some places."""
    seen: set[str] = set()
    for attributes, type, start in places:
        name = _check_place(resolution, attributes, stage, start)
        if name is None:
            if (stage, what) in _INTERPOLATED:
                _check_flat(resolution, attributes, type, start)
            continue
        row = rows.get((name, stage))
        if row is None:
            raise ResolveProblem(f"'{name}' is no {what} of {stage} shaders", start)
        _check_extension(resolution, row.extension, name, start)
        given = _types(resolution).named(type)
        if row.type != "array" and given not in (None, type_of(row.type)):
            raise ResolveProblem(f"'{name}' is of the type {row.type}", start)
        if name in seen:
            raise ResolveProblem(f"there are two {what}s '{name}'", start)
        seen.add(name)
    return seen


def _check_place(resolution: Resolution, attributes: w.Attributes, stage: Stage, start: int) -> str | None:
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
    assert isinstance(name, w.Identifier), "check_attributes has seen it"
    return name.name


def _check_extension(resolution: Resolution, extension: str | None, what: str, start: int) -> None:
    if extension in EXTENSIONS and extension not in resolution.extensions:
        raise ResolveProblem(f"'{what}' needs 'enable {extension};'", start)


# ------------------------------------------------------------------------------------------------------- module scope


_ATOMIC = frozenset({"atomic"})
_RESOURCES = frozenset({Space.UNIFORM, Space.STORAGE, Space.HANDLE})


def _check_declaration(resolution: Resolution, declared: w.Declaration) -> None:
    """Raises ResolveProblem for a declaration at module scope that cannot be one."""
    if isinstance(declared, w.Variable):
        _check_variable(resolution, declared)
    elif isinstance(declared, w.Override):
        check_attributes(declared.attributes, OVERRIDE, "overrides")
        if declared.type is None and declared.value is None:
            raise ResolveProblem(f"override '{declared.name}' needs a type or an initialiser", declared.start)
    elif isinstance(declared, w.Struct):
        _check_struct(resolution, declared)
    _check_types(resolution, declared)


def _check_types(resolution: Resolution, declared: w.Declaration) -> None:
    """Refuses pointers where they cannot be stored or returned."""
    if isinstance(declared, w.Struct):
        types = [member.type for member in declared.members]
    elif isinstance(declared, w.Function):
        types = [declared.result] if declared.result is not None else []
    else:
        types = [declared.type] if isinstance(declared, w.Variable) and declared.type is not None else []
    for type_ in types:
        if resolution.is_pointer_type(type_):
            raise ResolveProblem("a pointer can only be a parameter or a let", type_.start)


def _check_variable(resolution: Resolution, variable: w.Variable) -> None:
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
    shared = space is Space.WORKGROUP or (space is Space.STORAGE and resolution.access(variable) is Access.READ_WRITE)
    if variable.type is not None and not shared and resolution.contains(resolution.named(variable.type), _ATOMIC):
        raise ResolveProblem(f"variable '{name}' is atomic: it must be in 'workgroup', or 'storage, read_write'", start)
    if variable.type is not None and _has_matrices(resolution, variable.type):
        raise ResolveProblem(f"variable '{name}' has a subgroup matrix: it must be in a function", start)
    bound = {a.name for a in variable.attributes}
    if space in _RESOURCES and bound != VARIABLE:
        raise ResolveProblem(f"variable '{name}' needs '@group' and '@binding'", start)
    if space not in _RESOURCES and bound:
        raise ResolveProblem(f"a variable in '{space}' takes no '@group' and '@binding'", start)


def _check_struct(resolution: Resolution, struct: w.Struct) -> None:
    if not struct.members:
        raise ResolveProblem(f"structure '{struct.name}' has no members", struct.start)
    seen: set[str] = set()
    for member in struct.members:
        check_attributes(member.attributes, MEMBER, "members of structures")
        for attribute in member.attributes:
            if attribute.name in ("size", "align"):
                _check_positive(resolution, attribute.arguments, f"'@{attribute.name}'")
            number = constant_integer(resolution, attribute.arguments[0]) if attribute.name == "align" else None
            if number is not None and number.bit_count() > 1:
                raise ResolveProblem("'@align' is a power of two", attribute.arguments[0].start)
        if member.name in seen:
            raise ResolveProblem(f"'{member.name}' is declared twice in structure '{struct.name}'", member.start)
        seen.add(member.name)


# -------------------------------------------------------------------------------------------------------------- views


def _check_target(resolution: Resolution, assignment: w.Assign | w.Increment) -> None:
    """Raises ResolveProblem if the left side of an assignment is no reference, or one to memory that is only read."""
    target = assignment.left
    root = _root_of_reference(resolution, target)
    if root is None:
        raise ResolveProblem("this is no reference and cannot be assigned to", target.start)
    space, access = _memory(resolution, root)
    if access is Access.READ:
        what = f"this is in '{space}' memory with access mode 'read' and cannot be assigned to"
        raise ResolveProblem(what, target.start)


def _is_local(resolution: Resolution, e: w.Expression) -> bool:
    """Whether an expression names a variable of a function, which may always be written."""
    declared = resolution.declaration(e) if isinstance(e, w.Identifier) else None
    return isinstance(declared, w.Variable) and resolution.is_function_scope(declared)


def _check_indirection(resolution: Resolution, unary: w.Unary) -> None:
    """Raises ResolveProblem for the address of a plain value and for indirection through what is no pointer."""
    if unary.operator == "&":
        if _root_of_reference(resolution, unary.operand) is None:
            raise ResolveProblem("this is no reference and has no address", unary.start)
    elif not resolution.is_pointer(unary.operand):
        raise ResolveProblem("this is no pointer", unary.start)


def _check_member(resolution: Resolution, member: w.Member) -> None:
    """Raises ResolveProblem for `base.name` where the base is a structure without such a member."""
    found = resolution.type(member.base)
    if found is not None and found.struct is not None and all(m.name != member.name for m in found.struct.members):
        raise ResolveProblem(f"structure '{found.struct.name}' has no member '{member.name}'", member.start)


def _check_call(resolution: Resolution, call: w.Call) -> None:
    """Raises ResolveProblem where a function is given a pointer for a value, a value for a pointer, or too little."""
    builtin, function = resolution.builtin(call), resolution.function(call)
    if builtin is not None:
        if len(call.arguments) < _LEAST[builtin.name]:
            raise ResolveProblem(f"too few arguments in call to '{builtin.name}'", call.start)
        if builtin.name in _TAKE_POINTER and not resolution.is_pointer(call.arguments[0]):
            raise ResolveProblem(f"'{builtin.name}' takes a pointer", call.arguments[0].start)
        if "j" in builtin.template:
            _check_matrix_memory(resolution, call, builtin)
    elif function is not None:
        for parameter, argument in zip(function.parameters, call.arguments, strict=True):
            _check_argument(resolution, parameter, argument)


def _check_matrix_memory(resolution: Resolution, call: w.Call, row: BuiltinFunction) -> None:
    """A subgroup matrix is loaded from a buffer or from workgroup memory, and stored there.

    Older forms have a constant argument before the last in place of the last template parameter.
    """
    space, access = _memory(resolution, resolution.root(call.arguments[0]))
    if space not in (Space.STORAGE, Space.WORKGROUP) or (access is Access.READ and not row.result):
        raise ResolveProblem(f"'{row.name}' does not take a pointer into this memory", call.arguments[0].start)
    older = len(call.callee.template) < len(row.template)
    if len(call.arguments) != row.least + older:
        raise ResolveProblem(f"'{row.name}' takes {row.least + older} arguments here", call.start)
    if older:
        _check_constant(resolution, call.arguments[-2])


_TAKE_POINTER = frozenset(name for name in FUNCTIONS if name.startswith(("atomic", "buffer"))) | {
    "arrayLength",
    "workgroupUniformLoad",
    *MATRIX_MEMORY,
}
_TAKE_FIRST = _TAKE_POINTER | {name for name in FUNCTIONS if name.startswith("texture") and name != "textureBarrier"}
_LEAST = {
    name: row.least or max([int(name in _TAKE_FIRST), *(index + 1 for index in row.required)])
    for name, row in FUNCTIONS.items()
}
"""The fewest arguments that a call must have for the analysis."""


def _check_argument(resolution: Resolution, parameter: w.Parameter, argument: w.Expression) -> None:
    pointer = resolution.pointer(parameter)
    if resolution.is_pointer(argument) != (pointer is not None):
        what = "a pointer" if pointer is not None else "a value"
        raise ResolveProblem(f"parameter '{parameter.name}' takes {what}", argument.start)
    if pointer is not None:
        _check_memory(resolution, f"parameter '{parameter.name}'", pointer, argument)


def _check_memory(resolution: Resolution, what: str, pointer: PointerType, given: w.Expression) -> None:
    space, access = _memory(resolution, resolution.root(given))
    if space is not pointer.space:
        raise ResolveProblem(f"{what} takes a pointer into '{pointer.space}'", given.start)
    if access is not pointer.access:
        raise ResolveProblem(f"{what} takes a pointer with access mode '{pointer.access}'", given.start)


def _check_local(resolution: Resolution, local: Declared) -> None:
    """Raises ResolveProblem for a variable in a function that would hold a pointer, and for a let of another one."""
    if isinstance(local, w.Variable):
        value = local.value
        if resolution.is_pointer_type(local.type) or (value is not None and resolution.is_pointer(value)):
            raise ResolveProblem(f"variable '{local.name}' cannot hold a pointer", local.start)
    elif isinstance(local, w.Let) and resolution.is_pointer(local.value):
        pointer = resolution.pointer_type(local.type)
        if pointer is not None:
            _check_memory(resolution, f"'{local.name}'", pointer, local.value)


def _memory(resolution: Resolution, root: Root | None) -> tuple[Space | None, Access | None]:
    """Where a reference or pointer with this root leads to; of what has none, nothing is said."""
    if isinstance(root, w.Variable):
        return resolution.space(root), resolution.access(root)
    outer = resolution.pointer(root) if root is not None else None
    return (None, None) if outer is None else (outer.space, outer.access)


def _root_of_reference(resolution: Resolution, expression: w.Expression) -> Root | None:
    """The root of a reference to memory; None for any other expression."""
    root = resolution.root(expression)
    if root is None or resolution.is_pointer(expression):
        return None
    return None if isinstance(root, w.Variable) and resolution.space(root) is Space.HANDLE else root


# -------------------------------------------------------------------------------------------------- const-expressions


_LATER = (w.Let, w.Override, w.Parameter, w.Variable, w.Function)


def _check_constant(resolution: Resolution, expression: w.Expression) -> None:
    """Raises ResolveProblem if this is no const-expression."""
    for node in descendants(expression):
        if isinstance(node, w.Identifier) and isinstance(resolution.declaration(node), _LATER):
            raise ResolveProblem(f"'{node.name}' is no const-expression", node.start)
        if isinstance(node, w.Call):
            builtin = resolution.builtin(node)
            if builtin is not None and not builtin.constant:
                raise ResolveProblem(f"a call of '{builtin.name}' is no const-expression", node.start)
            if _has_matrices(resolution, node.callee):
                raise ResolveProblem("a subgroup matrix is no const-expression", node.start)
