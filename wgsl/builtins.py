"""The built-in functions, inputs, outputs, types and other predeclared names of WGSL: one row each, as data.

Functions: 17 and, for uniformity, 15.2.7 #uniformity-function-calls. Inputs and outputs: 13.3.1.1
#builtin-inputs-outputs. Some language features bring names of their own; they need no `requires`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any


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
    MATRIX = "subgroup_matrix_uniformity"
    """Of a proposal."""


SUBGROUP_RULES = frozenset({Rule.SUBGROUP, Rule.MATRIX})
"""The trigger rules that ask for uniformity in the subgroup; the others ask for it in the workgroup."""


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
    template: str = ""
    """The kinds of its template parameters, as of a `TypeGenerator`."""
    template_required: int = 0
    letter_required: tuple[int, ...] | None = None
    """As `required` by the letter, where that differs."""
    least: int = 0
    """The fewest arguments of a call, if some that are required may be left out."""
    example: str = ""
    """A call that gives a u32 if it gives anything, if the row says more than that it computes. SELF and OTHER stand
    for arguments of type u32, MEMORY for an atomic and BUFFER for a buffer."""
    lane: str = ""
    """Which thread's value it gives: an operator, then a number or else the second argument stands for it. `=`: of this
    number; `&`: of this number in the quad; or what the operator makes of the thread's own number."""
    family: str = ""
    """Of the functions that take and give the same types, the one that is easiest to read."""
    since: str = ""
    """The first build of Tint that knows it, where one that has the extension does not."""

    def called(self, first: str, second: str) -> str:
        """The example with two arguments."""
        return self.example.replace("OTHER", second).replace("SELF", first)


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
IMPLIED_EXTENSIONS: Mapping[str, frozenset[str]] = {
    "subgroup_size_control": frozenset({"subgroups"}),
    "subgroup_matrix": frozenset({"subgroups"}),
    "chromium_experimental_subgroup_matrix": frozenset({"subgroup_matrix", "subgroups"}),
}
PROPOSED_EXTENSIONS = words("subgroup_matrix chromium_experimental_subgroup_matrix atomic_vec2u_min_max")
"""Extensions of proposals, which are no part of the specification."""
PROPOSED_FEATURES = words("texel_buffers sized_binding_array chromium_print")
"""Language features of proposals."""
PROPOSALS = PROPOSED_EXTENSIONS | PROPOSED_FEATURES
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

_DERIVATIVE = "dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine fwidth fwidthCoarse fwidthFine"
_SAMPLE_CALLS = {
    "": "u32(NAME(image, linear_sampler, vec2f(f32(SELF))).x)",
    "Bias": "u32(NAME(image, linear_sampler, vec2f(f32(SELF)), f32(OTHER)).x)",
    "Compare": "u32(NAME(depth, comparing, vec2f(f32(SELF)), f32(OTHER)))",
}
_TEXTURE_CALLS = {
    "Dimensions": "NAME(image, SELF).x",
    "Gather": "u32(NAME(1, image, linear_sampler, vec2f(f32(SELF))).x)",
    "GatherCompare": "u32(NAME(depth, comparing, vec2f(f32(SELF)), f32(OTHER)).x)",
    "Load": "u32(NAME(image, vec2u(SELF), OTHER).x)",
    "NumLayers": "NAME(layers)",
    "NumLevels": "NAME(image)",
    "NumSamples": "NAME(samples)",
    "SampleCompareLevel": "u32(NAME(depth, comparing, vec2f(f32(SELF)), f32(OTHER)))",
    "SampleGrad": "u32(NAME(image, linear_sampler, vec2f(f32(SELF)), vec2f(), vec2f()).x)",
    "SampleLevel": "u32(NAME(image, linear_sampler, vec2f(f32(SELF)), f32(OTHER)).x)",
    "SampleBaseClampToEdge": "u32(NAME(image, linear_sampler, vec2f(f32(SELF))).x)",
}
STORAGE_TEXTURES = "readonly_and_readwrite_storage_textures"


def _rows(names: str, row: BuiltinFunction, **changes: Any) -> list[BuiltinFunction]:
    """A row of each name, perhaps with a prefix and a colon before them. In an example, NAME stands for the name."""
    prefix, _, names = names.rpartition(":")
    row, called = replace(row, **changes), [prefix + name for name in names.split() or [""]]
    return [replace(row, name=name, example=row.example.replace("NAME", name)) for name in called]


def _functions() -> Iterator[BuiltinFunction]:
    """In the order in which motifs know them."""
    plain = BuiltinFunction("")
    computed = replace(plain, constant=True)
    yield from (replace(computed, name=signature.function) for signature in (*_plain(), *_packing()))
    yield replace(computed, name="bitcast", template="t", template_required=1)
    packed = replace(computed, extension="packed_4x8_integer_dot_product")
    yield from (replace(packed, name=signature.function) for signature in _packed())
    derivative = BuiltinFunction("", Rule.DERIVATIVE, BOTH_SCOPES, stages=_FRAGMENT)
    yield from _rows(_DERIVATIVE, derivative, example="u32(NAME(f32(SELF)))", family="dpdx")
    for name, example in _SAMPLE_CALLS.items():
        yield from _rows(f"textureSample:{name}", derivative, example=example)
    for name, example in _TEXTURE_CALLS.items():
        yield from _rows(f"texture:{name}", plain, example=example)
    store = "NAME(canvas, vec2u(SELF), vec4f(f32(OTHER)))"
    yield from _rows("textureStore", plain, must_use=False, result=False, example=store)
    yield from _rows("arrayLength", plain, example="NAME(&table)")
    yield from _atomics()
    barrier = BuiltinFunction("", Rule.SYNCHRONIZATION, stages=_COMPUTE, example="NAME()", family="workgroupBarrier")
    barrier = replace(barrier, must_use=False, result=False)
    yield from _rows("storageBarrier workgroupBarrier", barrier)
    yield from _rows("textureBarrier", barrier, extension=STORAGE_TEXTURES)
    load = BuiltinFunction("", Rule.SYNCHRONIZATION, required=(0,), stages=_COMPUTE)
    yield from _rows("workgroupUniformLoad", load, example="NAME(&words[SELF & 7u])")
    yield from _of_subgroups()
    buffer = BuiltinFunction("", extension="buffer_view")
    views = replace(buffer, pointer=True, template="t", template_required=1)
    yield from _rows("bufferView", views, example="(*NAME<u32>(&BUFFER, SELF & 12u))")
    yield from _rows("bufferArrayView", views, example="NAME<array<u32>>(&BUFFER, SELF & 12u, 8u)[0]", since="0.6.2")
    yield from _rows("bufferLength", buffer, example="NAME(&BUFFER)")


def _atomics() -> Iterator[BuiltinFunction]:
    row = BuiltinFunction("", None, BOTH_SCOPES, stages=_NOT_VERTEX, must_use=False, example="NAME(&MEMORY, SELF)")
    row = replace(row, letter_non_uniform_in=frozenset())
    yield from _rows("atomic:Add Sub Max Min And Or Xor Exchange", row, family="atomicAdd")
    yield from _rows("atomicLoad", row, example="NAME(&MEMORY)")
    yield from _rows("atomicStore", row, result=False)
    yield from _rows("atomicCompareExchangeWeak", row, example="NAME(&MEMORY, SELF, OTHER).old_value")


def _of_subgroups() -> Iterator[BuiltinFunction]:
    row = BuiltinFunction("", Rule.SUBGROUP, BOTH_SCOPES, stages=_NOT_VERTEX, extension="subgroups")
    row = replace(row, example="NAME(SELF)")
    same = replace(row, non_uniform_in=_WORKGROUP_ONLY)
    yield from _rows("subgroup:Add Mul Min Max And Or Xor", same, family="subgroupAdd")
    yield from _rows("subgroupBroadcastFirst", same, lane="=0", family="subgroupAdd")
    scans = "subgroup:ExclusiveAdd ExclusiveMul InclusiveAdd InclusiveMul"
    yield from _rows(scans, row, family="subgroupInclusiveAdd")
    yield from _rows("subgroup:All Any", same, example="u32(NAME(SELF == 1u))", family="subgroupAll")
    yield from _rows("subgroupBallot", same, example="NAME(SELF == 1u).x")
    yield from _rows("subgroupBroadcast", same, example="NAME(SELF, 1u)", lane="=")
    yield from _rows("subgroupElect", row, example="u32(NAME())")
    shuffle = replace(row, example="NAME(SELF, OTHER)", lane="=", family="subgroupShuffle")
    yield from _rows("subgroupShuffle", shuffle)
    for name, lane in (("Up", "-"), ("Down", "+"), ("Xor", "^")):
        yield from _rows(f"subgroupShuffle:{name}", shuffle, required=(1,), lane=lane)
    yield from _rows("quadBroadcast", row, example="NAME(SELF, 1u)", lane="&")
    for name, lane in (("X", "^1"), ("Y", "^2"), ("Diagonal", "^3")):
        yield from _rows(f"quadSwap:{name}", row, lane=lane, family="quadSwapX")


MATRIX_CONSTRUCTOR = BuiltinFunction(
    "subgroup_matrix", Rule.MATRIX, required=(0,), stages=_COMPUTE, extension="subgroup_matrix"
)
"""A constructor of a subgroup matrix, `T()` or `T(value)`. It also counts where a variable or a composite is zero."""


def _proposed_functions() -> Iterator[BuiltinFunction]:
    """Those of proposals. Where `letter_required` is there, the proposal does not name the accumulator."""
    row = replace(MATRIX_CONSTRUCTOR, required=(0, 1))
    name = "subgroupMatrix{}".format
    yield replace(row, name=name("Load"), required=(0, 1, 2, 3), least=3, template="tj", template_required=1)
    store = replace(row, required=(0, 1, 2, 3, 4), least=4, template="j", must_use=False, result=False)
    yield replace(store, name=name("Store"))
    yield replace(row, name=name("Multiply"), template="t", template_required=1)
    yield replace(row, name=name("MultiplyAccumulate"), required=(0, 1, 2), letter_required=(0, 1), template="t")
    yield from _rows("subgroupMatrixScalar:Add Subtract Multiply", row)
    effect = BuiltinFunction("", must_use=False, result=False)
    yield from _rows("atomicStore:Min Max", effect, stages=_NOT_VERTEX, extension="atomic_vec2u_min_max")
    yield replace(effect, name="print", extension="chromium_print", least=1)


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

    One letter for each: `t` a type, `v` a value, `c` a constant value, `s` an address space, `a` an access mode, `f` a
    texel format, `j` how a subgroup matrix lies in memory.
    """

    name: str
    parameters: str
    required: int
    """How many of them must be written where the name stands for a type."""
    constructible: bool = False
    """There is a constructor of that name."""
    infers: bool = True
    """The constructor may infer the parameters."""


_SIZES = "234"
_MATRICES = [f"mat{c}x{r}" for c in _SIZES for r in _SIZES]
_VECTORS = [f"vec{n}" for n in _SIZES]
_SAMPLED = "1d 2d 2d_array 3d cube cube_array multisampled_2d"
_DEPTH = "2d 2d_array cube cube_array multisampled_2d"
_STORAGE = "1d 2d 2d_array 3d"

MATRIX_TYPES = words("subgroup_matrix_left subgroup_matrix_right subgroup_matrix_result")
"""Subgroup matrices: a type and the numbers of columns and rows."""

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
        *(TypeGenerator(name, "tcc", 3, True, False) for name in sorted(MATRIX_TYPES)),
        TypeGenerator("texel_buffer", "fa", 2),
        TypeGenerator("binding_array", "tc", 2),
    )
}
SCALARS = words("bool i32 u32 f32 f16")
F16_TYPES = frozenset({"f16", *(f"{name}h" for name in (*_VECTORS, *_MATRICES))})
BYTES = words("u8 i8")
"""Types of components of subgroup matrices, and of nothing else."""
TYPE_EXTENSIONS: Mapping[str, str] = {
    **dict.fromkeys(F16_TYPES, "f16"),
    **dict.fromkeys(MATRIX_TYPES | BYTES, "subgroup_matrix"),
    "texel_buffer": "texel_buffers",
    "binding_array": "sized_binding_array",
}
"""The extensions that types need, or the language features that have them."""
SHORT_TYPES = F16_TYPES - {"f16"} | {f"{v}{c}" for v in _VECTORS for c in "iuf"} | {f"{m}f" for m in _MATRICES}
"""`vec3f`, `mat2x2h`, ...: predeclared aliases."""
HANDLES = frozenset(
    {"sampler", "sampler_comparison", "texture_external"} | {f"texture_depth_{d}" for d in _DEPTH.split()}
)
"""Types of variables without an address space, besides those among the generators."""
HANDLE_STEMS = ("texture_", "sampler", "texel_buffer", "binding_array")
"""What the names of all of them begin with."""
TYPES = frozenset(GENERATORS) | SCALARS | SHORT_TYPES | HANDLES | BYTES
CONSTRUCTIBLE = SCALARS | SHORT_TYPES | {row.name for row in GENERATORS.values() if row.constructible}

ADDRESS_SPACES = words("function private workgroup uniform storage immediate")
ACCESS_MODES = words("read write read_write")
TIER_1_FORMATS = words(
    """rgba16unorm rgba16snorm r8unorm r8snorm r8uint r8sint rg8unorm rg8snorm rg8uint rg8sint r16unorm r16snorm r16uint
    r16sint r16float rg16unorm rg16snorm rg16uint rg16sint rg16float rgb10a2unorm rgb10a2uint rg11b10ufloat"""
)
"""Those of the language feature texture_formats_tier1."""
TEXEL_FORMATS = TIER_1_FORMATS | words(
    """rgba8unorm rgba8snorm rgba8uint rgba8sint rgba16uint rgba16sint rgba16float r32uint r32sint r32float rg32uint
    rg32sint rg32float rgba32uint rgba32sint rgba32float bgra8unorm"""
)
MAJORNESS = words("row_major col_major")
ENUMERANTS = ADDRESS_SPACES | ACCESS_MODES | TEXEL_FORMATS | MAJORNESS
INTERPOLATION_TYPES = words("perspective linear flat")
INTERPOLATION_SAMPLINGS = words("center centroid sample first either")

# --------------------------------------------------------------------------------------------------------- signatures


@dataclass(frozen=True, slots=True)
class Signature:
    """One or, with a set of types, several overloads of a built-in function."""

    function: str
    of: str
    """What `T` is: a type, or a set: F floats, I integers, S what has a sign, N numbers, D bools, A all of these; V, W
    and G vectors of F, N and A."""
    parameters: tuple[str, ...]
    """Each with its sign."""
    result: str
    """Empty: it has none."""
    template: str = ""
    """The type in `bitcast<type>`."""
    member: str = ""
    """Which member is taken of a result that is a structure without a name."""


def signatures(names: str, of: str, text: str, *, template: str = "", member: str = "") -> Iterator[Signature]:
    """The same signature of some functions. In `text` stand the parameters, semicolons between, `->` and the result."""
    parameters, _, result = text.partition("->")
    words = tuple(word.strip() for word in parameters.split(";") if word.strip())
    for name in names.split():
        yield Signature(name, of, words, result.strip(), template, member)


def unsigned(parameter: str) -> str:
    """The type of a parameter, or its word, without the sign."""
    return parameter.removeprefix("~").partition("=")[0].partition("?")[0]


def is_runtime(parameter: str) -> bool:
    """Whether the sign of a parameter asks for an expression that is not constant."""
    return parameter.startswith("~")


# ---------------------------------------------------------------------------------------------------------- functions


def _plain() -> Iterator[Signature]:
    """Functions of values, whose result is as uniform as their arguments."""
    yield from signatures("all any", "D", "T -> bool")
    yield from signatures("select", "A", "T; T; bool -> T")
    yield from signatures("select", "G", "T; T; TB -> T")
    yield from signatures("abs sign", "S", "T -> T")
    yield from signatures("min max", "N", "T; T -> T")
    yield from signatures("clamp", "N", "T; ~T; T -> T")
    yield from signatures("countLeadingZeros countOneBits countTrailingZeros reverseBits", "I", "T -> T")
    yield from signatures("firstLeadingBit firstTrailingBit", "I", "T -> T")
    yield from signatures("extractBits", "I", "T; u32=0..15; u32=0..16 -> T")
    yield from signatures("insertBits", "I", "T; T; u32=0..15; u32=0..16 -> T")
    yield from signatures("ceil floor round trunc fract saturate", "F", "T -> T")
    yield from signatures("acos acosh asin asinh atan atanh cos cosh degrees exp exp2 inverseSqrt", "F", "~T -> T")
    yield from signatures("log log2 quantizeToF16 radians sin sinh sqrt tan tanh", "F", "~T -> T")
    yield from signatures("atan2 pow", "F", "~T; T -> T")
    yield from signatures("step", "F", "T; T -> T")
    yield from signatures("fma mix", "F", "~T; T; T -> T")
    yield from signatures("mix", "V", "~T; T; f32 -> T")
    yield from signatures("smoothstep", "F", "~T; ~T; T -> T")
    yield from signatures("ldexp", "F", "~T; TI=-4..4 -> T")
    yield from signatures("length", "F", "~T -> E")
    yield from signatures("distance", "F", "~T; T -> E")
    yield from signatures("normalize", "V", "~T -> T")
    yield from signatures("dot", "W", "~T; T -> E")
    yield from signatures("cross", "vec3f", "~T; T -> T")
    yield from signatures("reflect", "V", "~T; T -> T")
    yield from signatures("faceForward", "V", "~T; T; T -> T")
    yield from signatures("refract", "V", "~T; T; f32 -> T")
    yield from signatures("frexp", "F", "~T -> T", member="fract")
    yield from signatures("frexp", "F", "~T -> TI", member="exp")
    yield from signatures("modf", "F", "~T -> T", member="fract")
    yield from signatures("modf", "F", "~T -> T", member="whole")
    for n in "234":
        yield from signatures("determinant", f"mat{n}x{n}f", "~T -> f32")
    for columns, rows in ("23", "34", "22", "44"):
        yield from signatures("transpose", f"mat{columns}x{rows}f", f"~T -> mat{rows}x{columns}f")


def _packing() -> Iterator[Signature]:
    """Functions of bits."""
    yield from signatures("bitcast", "N", "~T -> TU", template="TU")
    yield from signatures("bitcast", "N", "~T -> TI", template="TI")
    yield from signatures("bitcast", "N", "~T -> TF", template="TF")
    yield from signatures("pack4x8snorm pack4x8unorm", "vec4f", "T -> u32")
    yield from signatures("pack2x16snorm pack2x16unorm pack2x16float", "vec2f", "~T -> u32")
    yield from signatures("unpack4x8snorm unpack4x8unorm", "u32", "T -> vec4f")
    yield from signatures("unpack2x16snorm unpack2x16unorm unpack2x16float", "u32", "~T -> vec2f")


def _packed() -> Iterator[Signature]:
    """Functions of four bytes in a u32."""
    yield from signatures("dot4U8Packed", "u32", "T; T -> u32")
    yield from signatures("dot4I8Packed", "u32", "T; T -> i32")
    yield from signatures("pack4xI8 pack4xI8Clamp", "vec4i", "T -> u32")
    yield from signatures("pack4xU8 pack4xU8Clamp", "vec4u", "T -> u32")
    yield from signatures("unpack4xI8", "u32", "T -> vec4i")
    yield from signatures("unpack4xU8", "u32", "T -> vec4u")


FUNCTIONS: Mapping[str, BuiltinFunction] = {row.name: row for row in (*_functions(), *_proposed_functions())}
"""By name. `textureLoad` of a storage texture that is read and written may be non-uniform besides."""
CONSTANT_SECOND = frozenset(name for name, row in FUNCTIONS.items() if "(SELF, 1u)" in row.example)
"""Their second argument is a const-expression."""
MATRIX_MEMORY = words("subgroupMatrixLoad subgroupMatrixStore")
"""The functions that take a pointer to memory, which must be large enough, and a stride."""
PREDECLARED = (TYPES - BYTES) | ENUMERANTS | frozenset(FUNCTIONS)
"""Without `u8` and `i8`, which modules without proposals may take for their own, as ours do."""


def family(first: str) -> str:
    """The names of the functions of a family."""
    return " ".join(row.name for row in FUNCTIONS.values() if row.family == first)


BARRIERS = words(family("workgroupBarrier"))


def _memory() -> Iterator[Signature]:
    """Barriers, atomics, and what else takes a pointer."""
    yield from signatures("workgroupBarrier storageBarrier textureBarrier", "", "->")
    for type in ("u32", "i32", "bool", "f32", "vec2u", "vec3f"):
        yield from signatures("workgroupUniformLoad", type, f"ptr<workgroup, {type}> -> T")
    for type in ("u32", "i32"):
        yield from signatures("workgroupUniformLoad", type, f"ptr<workgroup, atomic<{type}>> -> T")
        for space in ("workgroup", "storage"):
            mode = ", read_write" if space == "storage" else ""
            pointer = f"ptr<{space}, atomic<{type}>{mode}>"
            yield from signatures("atomicLoad", type, f"{pointer} -> T")
            yield from signatures("atomicStore", type, f"{pointer}; T ->")
            yield from signatures(family("atomicAdd"), type, f"{pointer}; T -> T")
            for member, of in (("old_value", "T"), ("exchanged", "bool")):
                yield from signatures("atomicCompareExchangeWeak", type, f"{pointer}; T; T -> {of}", member=member)
        for mode in ("read", "read_write"):
            yield from signatures("arrayLength", type, f"ptr<storage, array<{type}>, {mode}> -> u32")


def _subgroup() -> Iterator[Signature]:
    """Subgroup and quad operations."""
    yield from signatures("subgroupElect", "", "-> bool")
    yield from signatures(family("subgroupAll"), "bool", "T -> bool")
    yield from signatures("subgroupBallot", "bool", "T -> vec4u")
    yield from signatures("subgroupAdd subgroupMul subgroupMin subgroupMax", "N", "T -> T")
    yield from signatures(family("subgroupInclusiveAdd"), "N", "T -> T")
    yield from signatures("subgroupAnd subgroupOr subgroupXor", "I", "T -> T")
    yield from signatures("subgroupBroadcast", "N", "T; u32=0..7 -> T")
    yield from signatures("subgroupBroadcastFirst", "N", "T -> T")
    yield from signatures(family("subgroupShuffle"), "N", "T; u32?0..7 -> T")
    yield from signatures("quadBroadcast", "N", "T; u32=0..3 -> T")
    yield from signatures(family("quadSwapX"), "N", "T -> T")


def function_signatures() -> tuple[Signature, ...]:
    """Signatures of all non-texture built-in functions."""
    derivatives = signatures(family("dpdx"), "F", "T -> T")
    return (*_plain(), *_packing(), *_packed(), *_memory(), *derivatives, *_subgroup())


# ------------------------------------------------------------------------------------------------- texture signatures


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
_STORED = (_1D, _2D, _2D_ARRAY, _3D)

_WRITTEN = {"rgba8unorm": "vec4f", "r32uint": "vec4u", "rgba16sint": "vec4i"}
_READ_WRITTEN = {"r32uint": "vec4u", "r32sint": "vec4i", "r32float": "vec4f"}


def _sampled() -> Iterator[Signature]:
    for d in _ALL:
        texture = f"texture_{d.name}<f32>"
        head = f"{texture}; sampler{d.place}"
        for offset in d.offsets:
            yield from signatures("textureSample", "", f"{head}{offset} -> vec4f")
            if d is not _1D:
                c = d.coordinate
                yield from signatures("textureSampleBias textureSampleLevel", "", f"{head}; f32{offset} -> vec4f")
                yield from signatures("textureSampleGrad", "", f"{head}; {c}; {c}{offset} -> vec4f")
    yield from signatures("textureSampleBaseClampToEdge", "", "texture_2d<f32>; sampler; vec2f -> vec4f")
    for d in _WITH_DEPTH:
        for element, result in _ELEMENTS.items():
            head = f"u32=0..3; texture_{d.name}<{element}>; sampler{d.place}"
            for offset in d.offsets:
                yield from signatures("textureGather", "", f"{head}{offset} -> {result}")


def _depth() -> Iterator[Signature]:
    for d in _WITH_DEPTH:
        plain = f"texture_depth_{d.name}; sampler{d.place}"
        compared = f"texture_depth_{d.name}; sampler_comparison{d.place}; f32"
        for offset in d.offsets:
            yield from signatures("textureSample", "", f"{plain}{offset} -> f32")
            yield from signatures("textureSampleLevel", "", f"{plain}; i32{offset} -> f32")
            yield from signatures("textureSampleCompare textureSampleCompareLevel", "", f"{compared}{offset} -> f32")
            yield from signatures("textureGather", "", f"{plain}{offset} -> vec4f")
            yield from signatures("textureGatherCompare", "", f"{compared}{offset} -> vec4f")
        if d.texel:
            yield from signatures("textureLoad", "", f"texture_depth_{d.name}{d.cell}; u32 -> f32")
        yield from _questions(f"texture_depth_{d.name}", d)
    yield from signatures("textureLoad", "", "texture_depth_multisampled_2d; vec2u; u32 -> f32")
    yield from signatures("textureDimensions", "", "texture_depth_multisampled_2d -> vec2u")
    yield from signatures("textureNumSamples", "", "texture_depth_multisampled_2d -> u32")


def _loads() -> Iterator[Signature]:
    for element, result in _ELEMENTS.items():
        for d in _STORED:
            yield from signatures("textureLoad", "", f"texture_{d.name}<{element}>{d.cell}; i32 -> {result}")
        yield from signatures("textureLoad", "", f"texture_multisampled_2d<{element}>; vec2i; i32 -> {result}")
    for d in _ALL:
        yield from _questions(f"texture_{d.name}<f32>", d)
    yield from signatures("textureDimensions", "", "texture_multisampled_2d<f32> -> vec2u")
    yield from signatures("textureNumSamples", "", "texture_multisampled_2d<f32> -> u32")
    yield from signatures("textureLoad", "", "texture_external; vec2u -> vec4f")
    yield from signatures("textureDimensions", "", "texture_external -> vec2u")
    yield from signatures("textureSampleBaseClampToEdge", "", "texture_external; sampler; vec2f -> vec4f")


def _questions(texture: str, d: _Dimension) -> Iterator[Signature]:
    """How large a texture is."""
    yield from signatures("textureDimensions", "", f"{texture} -> {d.size}")
    yield from signatures("textureDimensions", "", f"{texture}; u32 -> {d.size}")
    yield from signatures("textureNumLevels", "", f"{texture} -> u32")
    if d.array:
        yield from signatures("textureNumLayers", "", f"{texture} -> u32")


def _storage() -> Iterator[Signature]:
    for d in _STORED:
        for access, formats in (("write", _WRITTEN), ("read", _READ_WRITTEN), ("read_write", _READ_WRITTEN)):
            for format, texel in formats.items():
                texture = f"texture_storage_{d.name}<{format}, {access}>"
                if access != "write":
                    yield from signatures("textureLoad", "", f"{texture}{d.cell} -> {texel}")
                if access != "read":
                    yield from signatures("textureStore", "", f"{texture}{d.cell}; {texel} ->")
            texture = f"texture_storage_{d.name}<r32uint, {access}>"
            yield from signatures("textureDimensions", "", f"{texture} -> {d.size}")
            if d.array:
                yield from signatures("textureNumLayers", "", f"{texture} -> u32")


def texture_signatures() -> tuple[Signature, ...]:
    """Those of all functions whose name begins with `texture`, but the barrier's."""
    return (*_sampled(), *_depth(), *_loads(), *_storage())
