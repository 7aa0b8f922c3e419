"""The words that WGSL keeps for itself."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEYWORDS = _words(
    """
    alias break case const const_assert continue continuing default diagnostic discard else enable false fn for
    if let loop override requires return struct switch true var while
    """
)
"""Words of the grammar (WGSL, section 15.1.2)."""

RESERVED = _words(
    """
    abstract active alignas alignof as asm asm_fragment async attribute auto await become binding_array cast
    catch class co_await co_return co_yield coherent column_major common compile compile_fragment CompileShader
    ComputeShader concept const_cast consteval constexpr constinit crate debugger decltype delete demote
    demote_to_helper do DomainShader dynamic_cast enum explicit export extends extern external fallthrough
    filter final finally friend from fxgroup GeometryShader get goto groupshared handle highp Hullshader impl
    implements import inline inout instanceof interface layout lowp macro macro_rules match mediump meta mod
    module move mut mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent
    noperspective NULL null nullptr of operator package packoffset partition pass patch pixelfragment precise
    precision premerge priv protected pub public readonly ref regardless register reinterpret_cast require
    resource restrict Self self set shared signed sizeof smooth snorm static static_assert static_cast std
    subroutine super target template this thread_local throw trait try type typedef typeid typename typeof union
    unless unorm unsafe unsized use using varying virtual volatile wgsl where with writeonly yield
    """
)
"""Reserved for future use (WGSL, Reserved Words): in the 2023 draft or today."""

PREDECLARED = _words(
    """
    array atomic bool f16 f32 i32 mat2x2 mat2x2f mat2x2h mat2x3 mat2x3f mat2x3h mat2x4 mat2x4f mat2x4h mat3x2
    mat3x2f mat3x2h mat3x3 mat3x3f mat3x3h mat3x4 mat3x4f mat3x4h mat4x2 mat4x2f mat4x2h mat4x3 mat4x3f mat4x3h
    mat4x4 mat4x4f mat4x4h ptr sampler sampler_comparison texture_1d texture_2d texture_2d_array texture_3d
    texture_cube texture_cube_array texture_depth_2d texture_depth_2d_array texture_depth_cube
    texture_depth_cube_array texture_depth_multisampled_2d texture_external texture_multisampled_2d
    texture_storage_1d texture_storage_2d texture_storage_2d_array texture_storage_3d u32 vec2 vec2f vec2h vec2i
    vec2u vec3 vec3f vec3h vec3i vec3u vec4 vec4f vec4h vec4i vec4u
    """
)
"""The names of predeclared types: keywords in the 2023 draft, ordinary names that can be hidden today."""

HIDING = PREDECLARED | {"workgroupBarrier"}
"""Names that a text may declare, but not the AST: the printer means WGSL's own by them."""

HIDING_IN_MODULE = HIDING | {"storage", "workgroup", "read_write"}
"""The same for the module scope: there they would hide address spaces."""
