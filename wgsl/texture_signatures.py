"""The signatures of the texture functions (WGSL 17.7): one for each kind of texture that they take."""

from collections.abc import Iterator
from dataclasses import dataclass

from wgsl_fuzz.wgsl.builtin_signatures import Signature, signatures

DEPTH, SAMPLED, EXTERNAL = "texture_depth", "texture", "texture_external"
_ELEMENTS = {"f32": "vec4f", "u32": "vec4u", "i32": "vec4i"}
"""By the type that a texture is sampled as, what one texel is."""


@dataclass(frozen=True, slots=True)
class _Dimension:
    """What the textures of one dimensionality take and give."""

    name: str
    coordinate: str
    """For sampling."""
    texel: str
    """For loads and stores; empty: it has none."""
    size: str
    offset: str = ""
    array: bool = False

    @property
    def place(self) -> str:
        """The arguments for sampling that say where."""
        return f"; {self.coordinate}" + ("; i32" if self.array else "")

    @property
    def cell(self) -> str:
        """The arguments for loads and stores that say where."""
        return f"; {self.texel}" + ("; u32" if self.array else "")

    @property
    def offsets(self) -> tuple[str, ...]:
        """The last argument, which may be left out."""
        return ("", f"; {self.offset}=-8..7") if self.offset else ("",)


_1D = _Dimension("1d", "f32", "i32", "u32")
_2D = _Dimension("2d", "vec2f", "vec2u", "vec2u", "vec2i")
_2D_ARRAY = _Dimension("2d_array", "vec2f", "vec2i", "vec2u", "vec2i", array=True)
_3D = _Dimension("3d", "vec3f", "vec3u", "vec3u", "vec3i")
_CUBE = _Dimension("cube", "vec3f", "", "vec2u")
_CUBE_ARRAY = _Dimension("cube_array", "vec3f", "", "vec2u", array=True)
_ALL = (_1D, _2D, _2D_ARRAY, _3D, _CUBE, _CUBE_ARRAY)
_WITH_DEPTH = (_2D, _2D_ARRAY, _CUBE, _CUBE_ARRAY)
_STORAGE = (_1D, _2D, _2D_ARRAY, _3D)

_WRITTEN = {"rgba8unorm": "vec4f", "r32uint": "vec4u", "rgba16sint": "vec4i"}
_READ_WRITTEN = {"r32uint": "vec4u", "r32sint": "vec4i", "r32float": "vec4f"}


def _signatures(names: str, text: str) -> Iterator[Signature]:
    return signatures(names, "", text)


def _sampled() -> Iterator[Signature]:
    for d in _ALL:
        texture = f"texture_{d.name}<f32>"
        head = f"{texture}; sampler{d.place}"
        for offset in d.offsets:
            yield from _signatures("textureSample", f"{head}{offset} -> vec4f")
            if d is not _1D:
                c = d.coordinate
                yield from _signatures("textureSampleBias textureSampleLevel", f"{head}; f32{offset} -> vec4f")
                yield from _signatures("textureSampleGrad", f"{head}; {c}; {c}{offset} -> vec4f")
    yield from _signatures("textureSampleBaseClampToEdge", "texture_2d<f32>; sampler; vec2f -> vec4f")
    for d in _WITH_DEPTH:
        for element, result in _ELEMENTS.items():
            head = f"u32=0..3; texture_{d.name}<{element}>; sampler{d.place}"
            for offset in d.offsets:
                yield from _signatures("textureGather", f"{head}{offset} -> {result}")


def _depth() -> Iterator[Signature]:
    for d in _WITH_DEPTH:
        plain = f"texture_depth_{d.name}; sampler{d.place}"
        compared = f"texture_depth_{d.name}; sampler_comparison{d.place}; f32"
        for offset in d.offsets:
            yield from _signatures("textureSample", f"{plain}{offset} -> f32")
            yield from _signatures("textureSampleLevel", f"{plain}; i32{offset} -> f32")
            yield from _signatures("textureSampleCompare textureSampleCompareLevel", f"{compared}{offset} -> f32")
            yield from _signatures("textureGather", f"{plain}{offset} -> vec4f")
            yield from _signatures("textureGatherCompare", f"{compared}{offset} -> vec4f")
        if d.texel:
            yield from _signatures("textureLoad", f"texture_depth_{d.name}{d.cell}; u32 -> f32")
        yield from _questions(f"texture_depth_{d.name}", d)
    yield from _signatures("textureLoad", "texture_depth_multisampled_2d; vec2u; u32 -> f32")
    yield from _signatures("textureDimensions", "texture_depth_multisampled_2d -> vec2u")
    yield from _signatures("textureNumSamples", "texture_depth_multisampled_2d -> u32")


def _loads() -> Iterator[Signature]:
    for element, result in _ELEMENTS.items():
        for d in _STORAGE:
            yield from _signatures("textureLoad", f"texture_{d.name}<{element}>{d.cell}; i32 -> {result}")
        yield from _signatures("textureLoad", f"texture_multisampled_2d<{element}>; vec2i; i32 -> {result}")
    for d in _ALL:
        yield from _questions(f"texture_{d.name}<f32>", d)
    yield from _signatures("textureDimensions", "texture_multisampled_2d<f32> -> vec2u")
    yield from _signatures("textureNumSamples", "texture_multisampled_2d<f32> -> u32")
    yield from _signatures("textureLoad", "texture_external; vec2u -> vec4f")
    yield from _signatures("textureDimensions", "texture_external -> vec2u")
    yield from _signatures("textureSampleBaseClampToEdge", "texture_external; sampler; vec2f -> vec4f")


def _questions(texture: str, d: _Dimension) -> Iterator[Signature]:
    """How large a texture is."""
    yield from _signatures("textureDimensions", f"{texture} -> {d.size}")
    yield from _signatures("textureDimensions", f"{texture}; u32 -> {d.size}")
    yield from _signatures("textureNumLevels", f"{texture} -> u32")
    if d.array:
        yield from _signatures("textureNumLayers", f"{texture} -> u32")


def _storage() -> Iterator[Signature]:
    for d in _STORAGE:
        for access, formats in (("write", _WRITTEN), ("read", _READ_WRITTEN), ("read_write", _READ_WRITTEN)):
            for format, texel in formats.items():
                texture = f"texture_storage_{d.name}<{format}, {access}>"
                if access != "write":
                    yield from _signatures("textureLoad", f"{texture}{d.cell} -> {texel}")
                if access != "read":
                    yield from _signatures("textureStore", f"{texture}{d.cell}; {texel} ->")
            texture = f"texture_storage_{d.name}<r32uint, {access}>"
            yield from _signatures("textureDimensions", f"{texture} -> {d.size}")
            if d.array:
                yield from _signatures("textureNumLayers", f"{texture} -> u32")


def texture_signatures() -> tuple[Signature, ...]:
    """Those of all functions whose name begins with `texture`, but the barrier's."""
    return (*_sampled(), *_depth(), *_loads(), *_storage())
