"""The heads of entry points: one row for each stage, with its inputs, outputs and attributes.

A head says what is in scope in the body. Its parameters are inputs: those that vary are sources of non-uniformity.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from wgsl_fuzz.strategies.choices.source import ChoiceSource, Odds
from wgsl_fuzz.strategies.generate.builtin_families import ArgumentKind, rows_of_textures
from wgsl_fuzz.strategies.generate.drawer import Drawer
from wgsl_fuzz.strategies.generate.environment import Name, NameRole
from wgsl_fuzz.strategies.generate.motifs.drawing import NEWEST_INPUTS
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import INPUTS, BuiltinInput, Scope, Stage
from wgsl_fuzz.wgsl.types import U32, Array, Handle, Structure, Type, type_of, written

Inputs = tuple[tuple[w.Parameter, ...], tuple[Name, ...], tuple[w.Struct, ...]]
"""Of an entry point: its parameters, what each brings into scope, and the structures that are declared for it."""
Outputs = tuple[Type | None, w.Attributes, tuple[w.Struct, ...]]
"""Of an entry point: its result, the attributes of that, and its declaration if it is a structure."""


@dataclass(frozen=True, slots=True)
class _Place:
    """An input or output that has no name yet."""

    type: str
    attributes: w.Attributes
    uniform: bool = False
    builtin: str = ""


_NO_OUTPUTS: Outputs = (None, (), ())

# -------------------------------------------------------------------------------------------------------- attributes


def _word(name: str, *words: str) -> w.Attribute:
    return w.Attribute(name, tuple(w.Identifier(word) for word in words))


def _number(name: str, value: int) -> w.Attribute:
    return w.Attribute(name, (w.Literal(str(value)),))


_LOCATION_TYPES = Odds(
    [("f32", 4), ("u32", 4), ("i32", 2), ("vec2f", 2), ("vec4f", 2), ("vec3f", 1), ("vec2u", 1), ("vec4i", 1)]
)
_FLAT = (("flat",), ("flat", "first"), ("flat", "either"))
_SMOOTH = ((), ("perspective",), ("linear",), ("perspective", "centroid"), ("linear", "sample"), ("linear", "center"))


def _interpolation(source: ChoiceSource, type: str) -> w.Attributes:
    """How a value comes from vertices to fragments: integers are not interpolated."""
    smooth = type.endswith("f") or type == "f32"
    words = source.pick(_SMOOTH + _FLAT if smooth else _FLAT)
    return (_word("interpolate", *words),) if words else ()


def _located(source: ChoiceSource, location: int, *, interpolated: bool) -> _Place:
    type = source.weighted(_LOCATION_TYPES)
    attributes = (_number("location", location),)
    return _Place(type, attributes + _interpolation(source, type) if interpolated else attributes)


# ------------------------------------------------------------------------------------------------------------- inputs

_ROWS = {stage: tuple(row for row in INPUTS.values() if row.stage is stage) for stage in Stage}
_OFTEN = frozenset(
    {"local_invocation_index", "workgroup_id", "position", "front_facing", "vertex_index", "instance_index"}
)
"""Built-in values that most entry points have."""
_MOST_LOCATIONS = 3
_RATE = 12
"""The share in percent of rare built-in inputs that an entry point takes; it takes the others more often."""


def draw_inputs(drawer: Drawer, stage: Stage, shared: Type | None = None) -> Inputs:
    """The inputs of an entry point; one at least is not uniform if the module has any dose of that.

    `shared` is a structure that a vertex shader gives, and a fragment shader takes as it is.
    """
    source, profile = drawer.source, drawer.profile
    places: list[_Place] = []
    for row in _ROWS[stage]:
        if (row.name in NEWEST_INPUTS and not drawer.newest) or (row.extension and not profile.extended):
            continue
        if source.percent(_RATE * 3 if row.name in _OFTEN else _RATE):
            places.append(_builtin(drawer, row))
    if shared is not None:
        places = [place for place in places if place.builtin != "position"]
    elif stage is not Stage.COMPUTE:
        for i in range(source.integer(0, _MOST_LOCATIONS)):
            places.append(_located(source, i, interpolated=stage is Stage.FRAGMENT))
    if drawer.dose > 0 and shared is None and all(place.uniform for place in places):
        rows = [row for row in _ROWS[stage] if row.name in _OFTEN and not row.uniform_in]
        places.append(_builtin(drawer, source.pick(rows)))
    return _arranged(drawer, places, shared)


def _builtin(drawer: Drawer, row: BuiltinInput) -> _Place:
    drawer.need(row.extension)
    attributes: w.Attributes = (_word("builtin", row.name),)
    if row.name == "position" and drawer.source.percent(20):
        attributes += (_word("invariant"),)
    return _Place(row.type, attributes, Scope.WORKGROUP in row.uniform_in, row.name)


def _arranged(drawer: Drawer, places: list[_Place], shared: Type | None) -> Inputs:
    """Each place is a parameter, or a member of one of the structures that are parameters."""
    source = drawer.source
    groups: list[list[_Place]] = [[] for _ in range(source.integer(0, 2))]
    parameters: list[w.Parameter] = []
    names: list[Name] = []
    structs: list[w.Struct] = []

    def take(type: Type, attributes: w.Attributes, *, uniform: bool) -> None:
        role = NameRole.UNIFORM_INPUT if uniform else NameRole.VARYING_INPUT
        name = drawer.local("in")
        parameters.append(w.Parameter(name, written(type, suffix="u"), attributes))
        names.append(Name(name, type, role))

    for place in places:
        at = source.integer(0, len(groups))
        if at == 0:
            take(type_of(place.type), place.attributes, uniform=place.uniform)
        else:
            groups[at - 1].append(place)
    for group in groups:
        if group:
            type, struct = _structure(drawer, group, "In")
            structs.append(struct)
            take(type, (), uniform=all(place.uniform for place in group))
    if shared is not None:
        take(shared, (), uniform=False)
    return tuple(parameters), tuple(names), tuple(structs)


def _structure(drawer: Drawer, places: list[_Place], prefix: str) -> tuple[Structure, w.Struct]:
    """A structure with these members: the type and its declaration."""
    named = [(drawer.fresh("m"), place) for place in places]
    type = Structure(drawer.fresh(prefix), tuple((name, type_of(place.type)) for name, place in named))
    members = tuple(
        w.StructMember(name, written(type_of(place.type), suffix="u"), place.attributes) for name, place in named
    )
    return type, w.Struct(type.name, members)


# ------------------------------------------------------------------------------------------------------------ outputs


def draw_outputs(drawer: Drawer, stage: Stage) -> Outputs:
    """The outputs of an entry point; compute shaders have none."""
    source = drawer.source
    if stage is Stage.COMPUTE:
        return _NO_OUTPUTS
    places = _vertex_outputs(drawer) if stage is Stage.VERTEX else _fragment_outputs(drawer)
    if not places:
        return _NO_OUTPUTS
    if len(places) == 1 and source.percent(60):
        return type_of(places[0].type), places[0].attributes, ()
    type, struct = _structure(drawer, places, "Out")
    return type, (), (struct,)


def _vertex_outputs(drawer: Drawer) -> list[_Place]:
    source = drawer.source
    position: w.Attributes = (_word("builtin", "position"),)
    if source.percent(25):
        position += (_word("invariant"),)
    places = [_Place("vec4f", position)]
    for i in range(source.integer(0, _MOST_LOCATIONS)):
        places.append(_located(source, i, interpolated=True))
    if source.percent(5):
        drawer.need("clip_distances")
        places.append(_Place(f"array<f32, {source.integer(1, 8)}>", (_word("builtin", "clip_distances"),)))
    return places


def _fragment_outputs(drawer: Drawer) -> list[_Place]:
    source = drawer.source
    if source.percent(3):
        drawer.need("dual_source_blending")
        return [_Place("vec4f", (_number("location", 0), _number("blend_src", i))) for i in (0, 1)]
    places = [_located(source, i, interpolated=False) for i in range(source.integer(0, 2))]
    if source.percent(15):
        mode = source.pick(("", "", "less", "greater")) if drawer.newest else ""
        places.append(_Place("f32", (_word("builtin", "frag_depth", *([mode] if mode else [])),)))
    if source.percent(15):
        places.append(_Place("u32", (_word("builtin", "sample_mask"),)))
    return places


def can_be_shared(result: Type | None) -> bool:
    """Whether what a vertex shader gives may be what a fragment shader takes: `clip_distances` may not."""
    members = result.members if isinstance(result, Structure) else ()
    return bool(members) and not any(isinstance(type, Array) for _, type in members)


# --------------------------------------------------------------------------------------------------- workgroup sizes


def draw_workgroup_size(drawer: Drawer, names: list[str]) -> w.Attributes:
    """`@workgroup_size`, of literals and of names, and now and then `@subgroup_size`.

    `names` are constants and overrides, all of type u32 and at least 1.
    """
    source = drawer.source
    sizes: list[w.Expression] = []
    for _ in range(source.integer(1, 3)):
        size: w.Expression = w.Literal(source.pick(("1", "2", "4", "8")) + ("u" if names else ""))
        if names and source.percent(30):
            size = w.Identifier(source.pick(names))
        sizes.append(size)
    found: w.Attributes = (w.Attribute("workgroup_size", tuple(sizes)),)
    if not (drawer.newest and drawer.profile.extended and source.percent(5)):
        return found
    drawer.need("subgroup_size_control")
    return (*found, _number("subgroup_size", source.pick((32, 16))))


_COMMON = {
    "texture_2d<f32>": 40,
    "texture_depth_2d": 15,
    "texture_storage_2d<r32uint, read_write>": 20,
    "texture_cube<f32>": 8,
    "texture_2d_array<f32>": 8,
}
_GROUP = 1
"""Buffers are in the group 0."""


def _textures() -> Odds[Handle]:
    texts = [a.type for row in rows_of_textures() for a in row.arguments if a.kind is ArgumentKind.HANDLE]
    rows: list[tuple[Handle, int]] = []
    for text in sorted(dict.fromkeys(texts), key=lambda text: -_COMMON.get(text, 2)):
        type = type_of(text)
        assert isinstance(type, Handle), "the argument is a handle"
        if not type.name.startswith("sampler"):
            rows.append((type, _COMMON.get(text, 2)))
    return Odds(rows)


TEXTURES = _textures()
SAMPLER, COMPARISON = Handle("sampler"), Handle("sampler_comparison")


def draw_handles(drawer: Drawer) -> list[tuple[Name, w.Variable]]:
    """Some textures, with the samplers that they take: what each is in scope, and its declaration."""
    types: list[Handle] = []
    for _ in range(drawer.source.integer(*drawer.profile.handles)):
        type = drawer.source.weighted(TEXTURES)
        types.append(type)
        sampled = not type.name.startswith("texture_storage_") and "multisampled" not in type.name
        if sampled and SAMPLER not in types:
            types.append(SAMPLER)
        if sampled and "depth" in type.name and COMPARISON not in types:
            types.append(COMPARISON)
    found: list[tuple[Name, w.Variable]] = []
    for binding, type in enumerate(types):
        name = Name(drawer.fresh("h"), type, NameRole.VARIABLE, module_scope=True)
        attributes = (
            w.Attribute("group", (w.Literal(str(_GROUP)),)),
            w.Attribute("binding", (w.Literal(str(binding)),)),
        )
        found.append((name, w.Variable(name.name, written(type), attributes=attributes)))
    return found


@dataclass(frozen=True, slots=True)
class Head:
    """Everything of an entry point but its name and body."""

    attributes: w.Attributes
    parameters: tuple[w.Parameter, ...] = ()
    names: tuple[Name, ...] = ()
    """What the parameters bring into scope."""
    result: Type | None = None
    result_attributes: w.Attributes = ()
    declarations: tuple[w.Declaration, ...] = field(default=())
    """Structures of its inputs and outputs."""


_ID = Structure("vec3u", (("x", U32),))
"""What TinyWGSL has of `local_invocation_id`."""


def core_head(drawer: Drawer) -> Head:
    """`@compute @workgroup_size(4)` with `local_invocation_index`, sometimes with `local_invocation_id` as well."""
    source = drawer.source
    drawer.lid = drawer.local("in")
    names = [Name(drawer.lid, U32, NameRole.VARYING_INPUT)]
    if source.percent(15):
        names.append(Name(drawer.local("in"), _ID, NameRole.VARYING_INPUT))
    parameters = [_input(drawer, name) for name in names]
    size: tuple[w.Expression, ...] = (w.Literal(f"{source.integer(*drawer.profile.threads)}"),)
    if source.percent(15):
        size = (*size, *[w.Literal("1") for _ in range(source.integer(1, 2))])
    return Head((w.Attribute("compute"), w.Attribute("workgroup_size", size)), tuple(parameters), tuple(names))


def _input(drawer: Drawer, name: Name) -> w.Parameter:
    builtin = "local_invocation_id" if name.type is _ID else "local_invocation_index"
    return w.Parameter(name.name, drawer.type_name(name.type), (w.Attribute("builtin", (w.Identifier(builtin),)),))


def draw_head(drawer: Drawer, stage: Stage, others: Sequence[Head]) -> Head:
    """A head of any stage; one of its inputs varies if the module has any dose of that.

    A fragment shader may take the structure that one of the other entry points gives.
    """
    shared = _shared(drawer, others) if stage is Stage.FRAGMENT else None
    parameters, names, structs = draw_inputs(drawer, stage, shared)
    result, result_attributes, result_structs = draw_outputs(drawer, stage)
    attributes: w.Attributes = (w.Attribute(stage.value),)
    declarations: tuple[w.Declaration, ...] = structs
    if stage is Stage.COMPUTE:
        sizes = [_size(drawer) for _ in range(drawer.source.pick((0, 0, 0, 1, 2)))]
        attributes += draw_workgroup_size(drawer, [size.name for size in sizes])
        declarations += tuple(sizes)
    declarations += result_structs
    return Head(attributes, parameters, names, result, result_attributes, declarations)


def _size(drawer: Drawer) -> w.Const | w.Override:
    """A constant or override for the size of a workgroup."""
    name, value = drawer.fresh("n"), w.Literal(f"{drawer.source.integer(1, 4)}u")
    if drawer.source.percent(40):
        return w.Const(name, None, value)
    return w.Override(name, w.Identifier("u32"), value if drawer.source.percent(80) else None)


def _shared(drawer: Drawer, others: Sequence[Head]) -> Type | None:
    """What a vertex shader gives."""
    found = [h.result for h in others if h.attributes[0].name == Stage.VERTEX.value and can_be_shared(h.result)]
    return drawer.source.pick(found) if found and drawer.source.percent(60) else None
