"""The built-in functions, inputs, outputs, types and other predeclared names of WGSL: one row each, as data.

Functions: 17 and, for uniformity, 15.2.7 #uniformity-function-calls. Inputs and outputs: 13.3.1.1
#builtin-inputs-outputs. Some language features bring names of their own; they need no `requires`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum


class Stage(StrEnum):
    """A shader stage."""

    VERTEX = "vertex"
    FRAGMENT = "fragment"
    COMPUTE = "compute"


class Scope(StrEnum):
    """A uniformity scope: in the largest one all invocations of a workgroup or draw, or those of a subgroup."""

    WORKGROUP = "workgroup"
    SUBGROUP = "subgroup"


class Rule(StrEnum):
    """A trigger rule, in whose name a requirement of uniformity is reported. The first cannot be filtered."""

    SYNCHRONIZATION = "synchronization"
    DERIVATIVE = "derivative_uniformity"
    SUBGROUP = "subgroup_uniformity"


def words(text: str) -> frozenset[str]:
    """The set of the words of a text."""
    return frozenset(text.split())


ALL_STAGES = frozenset(Stage)
BOTH_SCOPES = frozenset(Scope)


@dataclass(frozen=True, slots=True)
class BuiltinFunction:
    """A built-in function, with the tags that 15.2.7 gives it where they are not the default."""

    name: str
    rule: Rule | None = None
    """Whose requirement the call site has."""
    non_uniform_in: frozenset[Scope] = frozenset()
    """Where the result may be non-uniform whatever the arguments, by the evident intent."""
    required: tuple[int, ...] = ()
    """The parameters that must be uniform, with the same rule."""
    stages: frozenset[Stage] = ALL_STAGES
    extension: str | None = None
    """The extension that must be enabled for it, or the language feature that has it."""
    must_use: bool = True
    """A statement must not throw its result away."""
    result: bool = True
    constant: bool = False
    """It may be called in a const-expression."""
    letter_non_uniform_in: frozenset[Scope] | None = None
    """As `non_uniform_in` by the letter, where that differs."""
    pointer: bool = False
    """Its result is a pointer into what its first argument points to."""


@dataclass(frozen=True, slots=True)
class BuiltinInput:
    """A built-in input value of one stage."""

    name: str
    stage: Stage
    type: str
    uniform_in: frozenset[Scope] = frozenset()
    """Where it is uniform, by the evident intent."""
    extension: str | None = None
    unlisted: bool = False
    """The letter does not list it among the uniform ones, though it is one."""


@dataclass(frozen=True, slots=True)
class BuiltinOutput:
    """A built-in output value of one stage; `clip_distances` has an array of up to 8."""

    name: str
    stage: Stage
    type: str
    extension: str | None = None


EXTENSIONS = words("f16 clip_distances dual_source_blending subgroups primitive_index subgroup_size_control")
IMPLIED_EXTENSIONS: Mapping[str, frozenset[str]] = {"subgroup_size_control": frozenset({"subgroups"})}
LANGUAGE_FEATURES = words(
    """readonly_and_readwrite_storage_textures packed_4x8_integer_dot_product unrestricted_pointer_parameters
    pointer_composite_access uniform_buffer_standard_layout subgroup_id subgroup_uniformity texture_and_sampler_let
    texture_formats_tier1 linear_indexing immediate_address_space fragment_depth buffer_view swizzle_assignment"""
)
"""The last one is Tint's; the text of 2026-08-17 does not have it."""

# --------------------------------------------------------------------------------------------------------- functions

_COMPUTE = frozenset({Stage.COMPUTE})
_FRAGMENT = frozenset({Stage.FRAGMENT})
_NOT_VERTEX = ALL_STAGES - {Stage.VERTEX}
_WORKGROUP_ONLY = frozenset({Scope.WORKGROUP})
_SUBGROUP_ONLY = frozenset({Scope.SUBGROUP})

_PLAIN = """bitcast all any select
    abs acos acosh asin asinh atan atanh atan2 ceil clamp cos cosh countLeadingZeros countOneBits countTrailingZeros
    cross degrees determinant distance dot exp exp2 extractBits faceForward firstLeadingBit firstTrailingBit floor fma
    fract frexp insertBits inverseSqrt ldexp length log log2 max min mix modf normalize pow quantizeToF16 radians
    reflect refract reverseBits round saturate sign sin sinh smoothstep sqrt step tan tanh transpose trunc
    pack4x8snorm pack4x8unorm pack2x16snorm pack2x16unorm pack2x16float
    unpack4x8snorm unpack4x8unorm unpack2x16snorm unpack2x16unorm unpack2x16float"""
_PACKED = "dot4U8Packed dot4I8Packed pack4xI8 pack4xU8 pack4xI8Clamp pack4xU8Clamp unpack4xI8 unpack4xU8"
_TEXTURE = """Dimensions Gather GatherCompare Load NumLayers NumLevels NumSamples SampleCompareLevel SampleGrad
    SampleLevel SampleBaseClampToEdge"""
_DERIVATIVE = """dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine fwidth fwidthCoarse fwidthFine
    textureSample textureSampleBias textureSampleCompare"""
_ATOMIC = "Load Store Add Sub Max Min And Or Xor Exchange CompareExchangeWeak"
_SAME_IN_SUBGROUP = "Add Mul Min Max And Or Xor All Any Ballot Broadcast BroadcastFirst"
_DIFFERENT_IN_SUBGROUP = """subgroupElect subgroupExclusiveAdd subgroupExclusiveMul subgroupInclusiveAdd
    subgroupInclusiveMul subgroupShuffle subgroupShuffleUp subgroupShuffleDown subgroupShuffleXor
    quadBroadcast quadSwapX quadSwapY quadSwapDiagonal"""
_UNIFORM_DISTANCE = frozenset({"subgroupShuffleUp", "subgroupShuffleDown", "subgroupShuffleXor"})
"""Their `delta` or `mask`, the second parameter, must be uniform."""
STORAGE_TEXTURES = "readonly_and_readwrite_storage_textures"


def _rows(names: str, row: BuiltinFunction, prefix: str = "") -> list[BuiltinFunction]:
    return [replace(row, name=prefix + name) for name in names.split()]


def _functions() -> list[BuiltinFunction]:
    subgroup = BuiltinFunction("", Rule.SUBGROUP, BOTH_SCOPES, stages=_NOT_VERTEX, extension="subgroups")
    atomic = BuiltinFunction(
        "", None, BOTH_SCOPES, stages=_NOT_VERTEX, must_use=False, letter_non_uniform_in=frozenset()
    )
    barrier = BuiltinFunction("", Rule.SYNCHRONIZATION, stages=_COMPUTE, must_use=False, result=False)
    views = BuiltinFunction("", extension="buffer_view", pointer=True)
    rows = [
        *_rows(_PLAIN, BuiltinFunction("", constant=True)),
        *_rows(_PACKED, BuiltinFunction("", extension="packed_4x8_integer_dot_product", constant=True)),
        *_rows("arrayLength", BuiltinFunction("")),
        *_rows(_TEXTURE, BuiltinFunction(""), "texture"),
        BuiltinFunction("textureStore", must_use=False, result=False),
        *_rows(_DERIVATIVE, BuiltinFunction("", Rule.DERIVATIVE, BOTH_SCOPES, stages=_FRAGMENT)),
        *_rows(_ATOMIC, atomic, "atomic"),
        *_rows("storageBarrier workgroupBarrier", barrier),
        replace(barrier, name="textureBarrier", extension=STORAGE_TEXTURES),
        BuiltinFunction("workgroupUniformLoad", Rule.SYNCHRONIZATION, required=(0,), stages=_COMPUTE),
        *_rows(_SAME_IN_SUBGROUP, replace(subgroup, non_uniform_in=_WORKGROUP_ONLY), "subgroup"),
        *_rows(_DIFFERENT_IN_SUBGROUP, subgroup),
        *_rows("bufferView bufferArrayView", views),
        replace(views, name="bufferLength", pointer=False),
    ]
    rows = [replace(row, required=(1,)) if row.name in _UNIFORM_DISTANCE else row for row in rows]
    return [replace(row, result=False) if row.name == "atomicStore" else row for row in rows]


FUNCTIONS: Mapping[str, BuiltinFunction] = {row.name: row for row in _functions()}
"""By name. `textureLoad` of a storage texture that is read and written may be non-uniform besides."""

# ------------------------------------------------------------------------------------------------- inputs and outputs

_INPUTS = [
    BuiltinInput("vertex_index", Stage.VERTEX, "u32"),
    BuiltinInput("instance_index", Stage.VERTEX, "u32"),
    BuiltinInput("position", Stage.FRAGMENT, "vec4f"),
    BuiltinInput("front_facing", Stage.FRAGMENT, "bool"),
    BuiltinInput("primitive_index", Stage.FRAGMENT, "u32", extension="primitive_index"),
    BuiltinInput("sample_index", Stage.FRAGMENT, "u32"),
    BuiltinInput("sample_mask", Stage.FRAGMENT, "u32"),
    BuiltinInput("subgroup_invocation_id", Stage.FRAGMENT, "u32", extension="subgroups"),
    BuiltinInput("subgroup_size", Stage.FRAGMENT, "u32", _SUBGROUP_ONLY, extension="subgroups", unlisted=True),
    BuiltinInput("local_invocation_id", Stage.COMPUTE, "vec3u"),
    BuiltinInput("global_invocation_id", Stage.COMPUTE, "vec3u"),
    BuiltinInput("workgroup_id", Stage.COMPUTE, "vec3u", BOTH_SCOPES),
    BuiltinInput("num_workgroups", Stage.COMPUTE, "vec3u", BOTH_SCOPES),
    BuiltinInput("local_invocation_index", Stage.COMPUTE, "u32"),
    BuiltinInput("global_invocation_index", Stage.COMPUTE, "u32", extension="linear_indexing"),
    BuiltinInput("workgroup_index", Stage.COMPUTE, "u32", BOTH_SCOPES, extension="linear_indexing", unlisted=True),
    BuiltinInput("subgroup_invocation_id", Stage.COMPUTE, "u32", extension="subgroups"),
    BuiltinInput("subgroup_size", Stage.COMPUTE, "u32", BOTH_SCOPES, extension="subgroups"),
    BuiltinInput("num_subgroups", Stage.COMPUTE, "u32", BOTH_SCOPES, extension="subgroups"),
    BuiltinInput("subgroup_id", Stage.COMPUTE, "u32", _SUBGROUP_ONLY, extension="subgroups"),
]
INPUTS: Mapping[tuple[str, Stage], BuiltinInput] = {(row.name, row.stage): row for row in _INPUTS}

_OUTPUTS = [
    BuiltinOutput("position", Stage.VERTEX, "vec4f"),
    BuiltinOutput("clip_distances", Stage.VERTEX, "array", extension="clip_distances"),
    BuiltinOutput("frag_depth", Stage.FRAGMENT, "f32"),
    BuiltinOutput("sample_mask", Stage.FRAGMENT, "u32"),
]
OUTPUTS: Mapping[tuple[str, Stage], BuiltinOutput] = {(row.name, row.stage): row for row in _OUTPUTS}
BUILTIN_VALUES = frozenset(name for name, _ in (*INPUTS, *OUTPUTS))

# ------------------------------------------------------------------------------------------------- types, enumerants


@dataclass(frozen=True, slots=True)
class TypeGenerator:
    """A predeclared type that takes template parameters.

    One letter for each: `t` a type, `v` a value, `s` an address space, `a` an access mode, `f` a texel format.
    """

    name: str
    parameters: str
    required: int
    """How many of them must be written where the name stands for a type."""
    constructible: bool = False
    """There is a constructor of that name, which may infer its parameters."""


_SIZES = "234"
_MATRICES = [f"mat{c}x{r}" for c in _SIZES for r in _SIZES]
_VECTORS = [f"vec{n}" for n in _SIZES]
_SAMPLED = "1d 2d 2d_array 3d cube cube_array multisampled_2d"
_DEPTH = "2d 2d_array cube cube_array multisampled_2d"
_STORAGE = "1d 2d 2d_array 3d"

GENERATORS: Mapping[str, TypeGenerator] = {
    row.name: row
    for row in (
        *(TypeGenerator(name, "t", 1, True) for name in (*_VECTORS, *_MATRICES)),
        TypeGenerator("array", "tv", 1, True),
        TypeGenerator("atomic", "t", 1),
        TypeGenerator("ptr", "sta", 2),
        TypeGenerator("buffer", "v", 0),
        *(TypeGenerator(f"texture_{kind}", "t", 1) for kind in _SAMPLED.split()),
        *(TypeGenerator(f"texture_storage_{kind}", "fa", 2) for kind in _STORAGE.split()),
    )
}
SCALARS = words("bool i32 u32 f32 f16")
F16_TYPES = frozenset({"f16", *(f"{name}h" for name in (*_VECTORS, *_MATRICES))})
"""They need the extension f16."""
SHORT_TYPES = F16_TYPES - {"f16"} | {f"{v}{c}" for v in _VECTORS for c in "iuf"} | {f"{m}f" for m in _MATRICES}
"""`vec3f`, `mat2x2h`, ...: predeclared aliases."""
HANDLES = frozenset(
    {"sampler", "sampler_comparison", "texture_external"} | {f"texture_depth_{d}" for d in _DEPTH.split()}
)
"""Types of variables without an address space, besides the textures among the generators."""
TYPES = frozenset(GENERATORS) | SCALARS | SHORT_TYPES | HANDLES
CONSTRUCTIBLE = SCALARS | SHORT_TYPES | {row.name for row in GENERATORS.values() if row.constructible}

ADDRESS_SPACES = words("function private workgroup uniform storage immediate")
ACCESS_MODES = words("read write read_write")
TEXEL_FORMATS = words(
    """rgba8unorm rgba8snorm rgba8uint rgba8sint rgba16uint rgba16sint rgba16float r32uint r32sint r32float rg32uint
    rg32sint rg32float rgba32uint rgba32sint rgba32float bgra8unorm rgba16unorm rgba16snorm r8unorm r8snorm r8uint
    r8sint rg8unorm rg8snorm rg8uint rg8sint r16unorm r16snorm r16uint r16sint r16float rg16unorm rg16snorm rg16uint
    rg16sint rg16float rgb10a2unorm rgb10a2uint rg11b10ufloat"""
)
ENUMERANTS = ADDRESS_SPACES | ACCESS_MODES | TEXEL_FORMATS
PREDECLARED = TYPES | ENUMERANTS | frozenset(FUNCTIONS)

INTERPOLATION_TYPES = words("perspective linear flat")
INTERPOLATION_SAMPLINGS = words("center centroid sample first either")
