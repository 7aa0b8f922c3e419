"""A call of each built-in function with a row of its own in 15.2.7, and what differs between invocations by its row."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from wgsl_fuzz.strategies.choices.source import Table
from wgsl_fuzz.wgsl.builtins import BOTH_SCOPES, FUNCTIONS, INPUTS, Rule, Scope, Stage, words

CALLS: Mapping[str, str] = MappingProxyType(
    {
        **{f"dpd{c}{k}": f"u32(dpd{c}{k}(f32(SELF)))" for c in "xy" for k in ("", "Coarse", "Fine")},
        **{f"fwidth{k}": f"u32(fwidth{k}(f32(SELF)))" for k in ("", "Coarse", "Fine")},
        "textureSample": "u32(textureSample(image, linear_sampler, vec2f(f32(SELF))).x)",
        "textureSampleBias": "u32(textureSampleBias(image, linear_sampler, vec2f(f32(SELF)), f32(OTHER)).x)",
        "textureSampleCompare": "u32(textureSampleCompare(depth, comparing, vec2f(f32(SELF)), f32(OTHER)))",
        "textureDimensions": "textureDimensions(image, SELF).x",
        "textureGather": "u32(textureGather(1, image, linear_sampler, vec2f(f32(SELF))).x)",
        "textureGatherCompare": "u32(textureGatherCompare(depth, comparing, vec2f(f32(SELF)), f32(OTHER)).x)",
        "textureLoad": "u32(textureLoad(image, vec2u(SELF), OTHER).x)",
        "textureNumLayers": "textureNumLayers(layers)",
        "textureNumLevels": "textureNumLevels(image)",
        "textureNumSamples": "textureNumSamples(samples)",
        "textureSampleCompareLevel": "u32(textureSampleCompareLevel(depth, comparing, vec2f(f32(SELF)), f32(OTHER)))",
        "textureSampleGrad": "u32(textureSampleGrad(image, linear_sampler, vec2f(f32(SELF)), vec2f(), vec2f()).x)",
        "textureSampleLevel": "u32(textureSampleLevel(image, linear_sampler, vec2f(f32(SELF)), f32(OTHER)).x)",
        "textureSampleBaseClampToEdge": "u32(textureSampleBaseClampToEdge(image, linear_sampler, vec2f(f32(SELF))).x)",
        "textureStore": "textureStore(canvas, vec2u(SELF), vec4f(f32(OTHER)))",
        "arrayLength": "arrayLength(&table)",
        **{
            f"atomic{k}": f"atomic{k}(&MEMORY, SELF)"
            for k in ("Add", "Sub", "Max", "Min", "And", "Or", "Xor", "Exchange")
        },
        "atomicLoad": "atomicLoad(&MEMORY)",
        "atomicStore": "atomicStore(&MEMORY, SELF)",
        "atomicCompareExchangeWeak": "atomicCompareExchangeWeak(&MEMORY, SELF, OTHER).old_value",
        **{f"{k}Barrier": f"{k}Barrier()" for k in ("storage", "workgroup", "texture")},
        "workgroupUniformLoad": "workgroupUniformLoad(&words[SELF & 7u])",
        **{
            f"subgroup{k}": f"subgroup{k}(SELF)"
            for k in (
                *("Add", "Mul", "Min", "Max", "And", "Or", "Xor", "BroadcastFirst"),
                *("ExclusiveAdd", "ExclusiveMul", "InclusiveAdd", "InclusiveMul"),
            )
        },
        "subgroupAll": "u32(subgroupAll(SELF == 1u))",
        "subgroupAny": "u32(subgroupAny(SELF == 1u))",
        "subgroupBallot": "subgroupBallot(SELF == 1u).x",
        "subgroupBroadcast": "subgroupBroadcast(SELF, 1u)",
        "subgroupElect": "u32(subgroupElect())",
        **{f"subgroupShuffle{k}": f"subgroupShuffle{k}(SELF, OTHER)" for k in ("", "Up", "Down", "Xor")},
        "quadBroadcast": "quadBroadcast(SELF, 1u)",
        **{f"quadSwap{k}": f"quadSwap{k}(SELF)" for k in ("X", "Y", "Diagonal")},
        "bufferView": "(*bufferView<u32>(&BUFFER, SELF & 12u))",
        "bufferArrayView": "bufferArrayView<array<u32>>(&BUFFER, SELF & 12u, 8u)[0]",
        "bufferLength": "bufferLength(&BUFFER)",
    }
)
"""A call of each built-in function with a row of its own, which gives a u32 if it gives anything."""

NEWEST_INPUTS = words("primitive_index global_invocation_index workgroup_index num_subgroups subgroup_id")
"""What only the newest compilers take."""
_CONSTANT_SECOND = words("subgroupBroadcast quadBroadcast")
"""Behind a constant `false &&` compilers take their second argument for no constant."""
_INPUT_VALUES = {"vec3u": "NAME.x", "vec4f": "u32(NAME.x)", "bool": "u32(NAME)", "u32": "NAME"}


class Differing(NamedTuple):
    """An expression of type u32 whose row says that it differs. In it stand SELF, OTHER and MEMORY."""

    text: str
    in_subgroup: bool
    """Whether it differs in a subgroup, too."""


@cache
def differing(stage: Stage, subgroups: bool, newest: bool, inputs: bool) -> Table[Differing]:
    """What differs in some scope by its row; functions may have all, entry points the `inputs` as well."""
    rows = [FUNCTIONS[name] for name in CALLS if name not in _CONSTANT_SECOND]
    rows = [row for row in rows if stage in row.stages and row.result and row.non_uniform_in]
    rows = [row for row in rows if subgroups or row.rule is not Rule.SUBGROUP]
    found = [
        (Differing(CALLS[row.name], Scope.SUBGROUP in row.non_uniform_in), 3 if row.rule is None else 2) for row in rows
    ]
    given = [row for (_, of), row in INPUTS.items() if of is stage and inputs and row.uniform_in != BOTH_SCOPES]
    given = [row for row in given if subgroups or row.extension != "subgroups"]
    given = [row for row in given if newest or row.name not in NEWEST_INPUTS]
    for row in given:
        value = _INPUT_VALUES[row.type].replace("NAME", row.name)
        often = row.name in NEWEST_INPUTS or row.uniform_in  # fewer modules may have them, or notice them
        found.append((Differing(value, Scope.SUBGROUP not in row.uniform_in), 6 if often else 3))
    return Table(found)
