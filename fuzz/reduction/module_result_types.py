"""The type of a built-in function's result, by the types of its arguments, where that is short to say."""

import re
from collections.abc import Mapping, Sequence

from wgsl_fuzz.fuzz.reduction.module_type_texts import arguments_of, concrete, element_of, head_of, vector_of
from wgsl_fuzz.wgsl.builtins import words

_LIKE_FIRST = words(
    """select abs acos acosh asin asinh atan atanh atan2 ceil clamp cos cosh countLeadingZeros countOneBits
    countTrailingZeros cross degrees exp exp2 extractBits faceForward firstLeadingBit firstTrailingBit floor fma
    fract insertBits inverseSqrt ldexp log log2 max min mix normalize pow quantizeToF16 radians reflect refract
    reverseBits round saturate sign sin sinh smoothstep sqrt step tan tanh trunc
    dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine fwidth fwidthCoarse fwidthFine
    subgroupAdd subgroupMul subgroupMin subgroupMax subgroupAnd subgroupOr subgroupXor subgroupBroadcast
    subgroupBroadcastFirst subgroupExclusiveAdd subgroupExclusiveMul subgroupInclusiveAdd subgroupInclusiveMul
    subgroupShuffle subgroupShuffleUp subgroupShuffleDown subgroupShuffleXor
    quadBroadcast quadSwapX quadSwapY quadSwapDiagonal"""
)
_ELEMENT_OF_FIRST = words("dot length distance")
_FIXED: Mapping[str, str] = {
    **dict.fromkeys(("all", "any", "subgroupAll", "subgroupAny", "subgroupElect"), "bool"),
    **dict.fromkeys(("arrayLength", "dot4U8Packed", "textureNumLayers", "textureNumLevels"), "u32"),
    **dict.fromkeys(("textureNumSamples", "pack2x16float", "pack4x8unorm", "pack4x8snorm"), "u32"),
    **dict.fromkeys(("textureSampleCompare", "textureSampleCompareLevel"), "f32"),
    **dict.fromkeys(("unpack4x8unorm", "unpack4x8snorm", "textureSampleBias", "textureSampleGrad"), "vec4<f32>"),
    "subgroupBallot": "vec4<u32>",
    "textureSampleBaseClampToEdge": "vec4<f32>",
    "dot4I8Packed": "i32",
}
_SAMPLES = words("textureSample textureSampleLevel")
_TEXEL = re.compile(r"\d(unorm|snorm|float|ufloat|uint|sint)$")
_TEXELS = {"uint": "u32", "sint": "i32"}


def builtin_result(name: str, types: Sequence[str | None], template: str | None) -> str | None:
    """The type of a call; None where it is not known."""
    first = types[0] if types else None
    if name in _FIXED:
        return _FIXED[name]
    if name == "bitcast":
        return template
    if first is None:
        return None
    if name in _LIKE_FIRST:
        return first if concrete(first) == first or set(types) == {first} else None
    if name in _ELEMENT_OF_FIRST:
        return element_of(first) or first
    return _of_pointer(name, first) if head_of(first) == "ptr" else _of_texture(name, first)


def _of_pointer(name: str, first: str) -> str | None:
    """Atomics, and loads by the whole workgroup."""
    store = arguments_of(first)[1]
    is_atomic = head_of(store) == "atomic"
    if name == "workgroupUniformLoad" or (name.startswith("atomic") and name != "atomicCompareExchangeWeak"):
        return arguments_of(store)[0] if is_atomic else store
    return None


def _of_texture(name: str, texture: str) -> str | None:
    is_depth = texture.startswith("texture_depth")
    if name in _SAMPLES:
        return "f32" if is_depth else "vec4<f32>"
    if name == "textureDimensions":
        return "u32" if "1d" in texture else vector_of(3 if "3d" in texture else 2, "u32")
    if name != "textureLoad" or not texture.startswith("texture_"):
        return None
    if is_depth:
        return "f32"
    inner = arguments_of(texture)[0]
    format = _TEXEL.search(inner)
    component = _TEXELS.get(format[1], "f32") if texture.startswith("texture_storage") and format else inner
    return vector_of(4, component) if component else "vec4<f32>"
