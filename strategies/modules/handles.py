"""The textures and samplers of a module: which there are, and their declarations."""

from wgsl_fuzz.strategies.choices.source import Source, Table
from wgsl_fuzz.strategies.modules.builtin_rows import Kind, rows_of_textures
from wgsl_fuzz.strategies.modules.environment import Name, Role
from wgsl_fuzz.strategies.modules.interfaces import Fresh
from wgsl_fuzz.wgsl.syntax import Attribute, Literal, Variable
from wgsl_fuzz.wgsl.types import Handle, type_of, written

_OFTEN = {
    "texture_2d<f32>": 40,
    "texture_depth_2d": 15,
    "texture_storage_2d<r32uint, read_write>": 20,
    "texture_cube<f32>": 8,
    "texture_2d_array<f32>": 8,
}
_GROUP = 1
"""Buffers are in the group 0."""


def _textures() -> Table[Handle]:
    texts = [a.type for row in rows_of_textures() for a in row.arguments if a.kind is Kind.HANDLE]
    rows: list[tuple[Handle, int]] = []
    for text in sorted(dict.fromkeys(texts), key=lambda text: -_OFTEN.get(text, 2)):
        type = type_of(text)
        assert isinstance(type, Handle), "the argument is a handle"
        if not type.name.startswith("sampler"):
            rows.append((type, _OFTEN.get(text, 2)))
    return Table(rows)


TEXTURES = _textures()
SAMPLER, COMPARISON = Handle("sampler"), Handle("sampler_comparison")


def draw_handles(source: Source, fresh: Fresh, count: tuple[int, int]) -> list[tuple[Name, Variable]]:
    """Some textures, with the samplers that they take: what each is in scope, and its declaration."""
    types: list[Handle] = []
    for _ in range(source.integer(*count)):
        type = source.weighted(TEXTURES)
        types.append(type)
        sampled = not type.name.startswith("texture_storage_") and "multisampled" not in type.name
        if sampled and SAMPLER not in types:
            types.append(SAMPLER)
        if sampled and "depth" in type.name and COMPARISON not in types:
            types.append(COMPARISON)
    found: list[tuple[Name, Variable]] = []
    for binding, type in enumerate(types):
        name = Name(fresh("h"), type, Role.VARIABLE, module_scope=True)
        attributes = (Attribute("group", (Literal(str(_GROUP)),)), Attribute("binding", (Literal(str(binding)),)))
        found.append((name, Variable(name.name, written(type), attributes=attributes)))
    return found
