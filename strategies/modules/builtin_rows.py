"""The built-in functions that are drawn: one row an overload, with the types of its parameters and of its result.

Types are texts, as they are written in WGSL. A parameter says how its argument is kept valid: a compiler evaluates a
call of constants, and refuses it if the result overflows or is no number (WGSL 17, 4.4).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from wgsl_fuzz.wgsl.builtins import FUNCTIONS, BuiltinFunction, Stage


class Kind(Enum):
    """How an argument is drawn."""

    VALUE = "any expression"
    RUNTIME = "any expression that is not constant"
    CONSTANT = "a constant in a range"
    RANGED = "a constant in a range, or an expression that is not constant"
    HANDLE = "the name of a texture or sampler"
    POINTER = "a pointer"


@dataclass(frozen=True, slots=True)
class Argument:
    """What one parameter takes. The range is of each component, both ends included."""

    kind: Kind
    type: str
    least: int = 0
    most: int = 0


@dataclass(frozen=True, slots=True)
class BuiltinRow:
    """One overload of a built-in function."""

    function: str
    arguments: tuple[Argument, ...]
    result: str
    """Empty: it has none."""
    template: str = ""
    """The type in `bitcast<type>`."""
    member: str = ""
    """Which member is taken of a result that is a structure without a name."""

    @property
    def builtin(self) -> BuiltinFunction:
        """Its tags, stages and extension."""
        return FUNCTIONS[self.function]

    @property
    def handles(self) -> tuple[str, ...]:
        """The types of the textures and samplers that it takes."""
        return tuple([argument.type for argument in self.arguments if argument.kind is Kind.HANDLE])

    @property
    def stages(self) -> frozenset[Stage]:
        """Where it may be called, with what it takes."""
        types = [argument.type for argument in self.arguments]
        found = self.builtin.stages
        if any(type.startswith("ptr<workgroup") for type in types):
            found &= frozenset({Stage.COMPUTE})
        if any(type.endswith(("write>", "read_write>")) for type in types):
            found -= frozenset({Stage.VERTEX})
        return found

    @property
    def name(self) -> str:
        """Unlike that of every other row."""
        types = ", ".join(argument.type for argument in self.arguments)
        template, member = self.template and f"<{self.template}>", self.member and f".{self.member}"
        return f"{self.function}{template}({types}){member} -> {self.result or 'nothing'}"


# --------------------------------------------------------------------------------------------------- type variables

_FLOATS = ("f32", "vec2f", "vec3f", "vec4f")
_SIGNED = ("i32", "vec2i", "vec3i", "vec4i")
_UNSIGNED = ("u32", "vec2u", "vec3u", "vec4u")
_INTEGERS = _UNSIGNED + _SIGNED
_BOOLS = ("bool", "vec2<bool>", "vec3<bool>", "vec4<bool>")
_FAMILIES = (_FLOATS, _SIGNED, _UNSIGNED, _BOOLS)
_SETS: Mapping[str, tuple[str, ...]] = {
    "F": _FLOATS,
    "V": _FLOATS[1:],
    "I": _INTEGERS,
    "S": _SIGNED + _FLOATS,
    "N": _INTEGERS + _FLOATS,
    "W": _UNSIGNED[1:] + _SIGNED[1:] + _FLOATS[1:],
    "A": _INTEGERS + _FLOATS + _BOOLS,
    "D": _BOOLS,
    "G": tuple(type for types in _FAMILIES for type in types[1:]),
}
"""The types that a variable `T` of a signature may be."""


def _column(type: str) -> int:
    """The number of components, from 0 for a scalar."""
    return next(i for types in _FAMILIES for i, t in enumerate(types) if t == type)


def _element(type: str) -> str:
    """The type of a component."""
    return next(types[0] for types in _FAMILIES if type in types)


def _type(word: str, of: str) -> str:
    """What a word of a signature stands for, by the type that `T` is."""
    match word:
        case "T":
            return of
        case "E":
            return _element(of)
        case "TB":
            return _BOOLS[_column(of)]
        case "TI":
            return _SIGNED[_column(of)]
        case "TU":
            return _UNSIGNED[_column(of)]
        case "TF":
            return _FLOATS[_column(of)]
        case _:
            return word


def _argument(word: str, of: str) -> Argument:
    """`T` any, `~T` at run time, `T=0..7` constant in a range, `T?0..7` the same or at run time."""
    for sign, kind in (("=", Kind.CONSTANT), ("?", Kind.RANGED)):
        type, found, range_ = word.partition(sign)
        if found:
            least, _, most = range_.partition("..")
            return Argument(kind, _type(type, of), int(least), int(most))
    if word.startswith("~"):
        return Argument(Kind.RUNTIME, _type(word[1:], of))
    if word.startswith(("texture_", "sampler")):
        return Argument(Kind.HANDLE, word)
    if word.startswith("ptr<"):
        return Argument(Kind.POINTER, word)
    return Argument(Kind.VALUE, _type(word, of))


def _rows(names: str, of: str, signature: str, *, template: str = "", member: str = "") -> Iterable[BuiltinRow]:
    """The rows of some functions. In `signature` stand the parameters, separated by semicolons, `->` and the result."""
    parameters, _, result = signature.partition("->")
    words = [word.strip() for word in parameters.split(";") if word.strip()]
    for name in names.split():
        for type in _SETS.get(of, (of,)):
            arguments = tuple(_argument(word, type) for word in words)
            yield BuiltinRow(name, arguments, _type(result.strip(), type), _type(template, type), member)


# ---------------------------------------------------------------------------------------------------------- functions


def _plain() -> Iterable[BuiltinRow]:
    """Functions of values, whose result is as uniform as their arguments."""
    yield from _rows("all any", "D", "T -> bool")
    yield from _rows("select", "A", "T; T; bool -> T")
    yield from _rows("select", "G", "T; T; TB -> T")
    yield from _rows("abs sign", "S", "T -> T")
    yield from _rows("min max", "N", "T; T -> T")
    yield from _rows("clamp", "N", "T; ~T; T -> T")
    yield from _rows("countLeadingZeros countOneBits countTrailingZeros reverseBits", "I", "T -> T")
    yield from _rows("firstLeadingBit firstTrailingBit", "I", "T -> T")
    yield from _rows("extractBits", "I", "T; u32=0..15; u32=0..16 -> T")
    yield from _rows("insertBits", "I", "T; T; u32=0..15; u32=0..16 -> T")
    yield from _rows("ceil floor round trunc fract saturate", "F", "T -> T")
    yield from _rows("acos acosh asin asinh atan atanh cos cosh degrees exp exp2 inverseSqrt", "F", "~T -> T")
    yield from _rows("log log2 quantizeToF16 radians sin sinh sqrt tan tanh", "F", "~T -> T")
    yield from _rows("atan2 pow", "F", "~T; T -> T")
    yield from _rows("step", "F", "T; T -> T")
    yield from _rows("fma mix", "F", "~T; T; T -> T")
    yield from _rows("mix", "V", "~T; T; f32 -> T")
    yield from _rows("smoothstep", "F", "~T; ~T; T -> T")
    yield from _rows("ldexp", "F", "~T; TI=-4..4 -> T")
    yield from _rows("length", "F", "~T -> f32")
    yield from _rows("distance", "F", "~T; T -> f32")
    yield from _rows("normalize", "V", "~T -> T")
    yield from _rows("dot", "W", "~T; T -> E")
    yield from _rows("cross", "vec3f", "~T; T -> T")
    yield from _rows("reflect", "V", "~T; T -> T")
    yield from _rows("faceForward", "V", "~T; T; T -> T")
    yield from _rows("refract", "V", "~T; T; f32 -> T")
    yield from _rows("frexp", "F", "~T -> T", member="fract")
    yield from _rows("frexp", "F", "~T -> TI", member="exp")
    yield from _rows("modf", "F", "~T -> T", member="fract")
    yield from _rows("modf", "F", "~T -> T", member="whole")
    for n in "234":
        yield from _rows("determinant", f"mat{n}x{n}f", "~T -> f32")
    for columns, rows in ("23", "34", "22", "44"):
        yield from _rows("transpose", f"mat{columns}x{rows}f", f"~T -> mat{rows}x{columns}f")


def _packing() -> Iterable[BuiltinRow]:
    """Functions of bits."""
    yield from _rows("bitcast", "N", "~T -> TU", template="TU")
    yield from _rows("bitcast", "N", "~T -> TI", template="TI")
    yield from _rows("bitcast", "N", "~T -> TF", template="TF")
    yield from _rows("pack4x8snorm pack4x8unorm", "vec4f", "T -> u32")
    yield from _rows("pack2x16snorm pack2x16unorm pack2x16float", "vec2f", "~T -> u32")
    yield from _rows("unpack4x8snorm unpack4x8unorm", "u32", "T -> vec4f")
    yield from _rows("unpack2x16snorm unpack2x16unorm unpack2x16float", "u32", "~T -> vec2f")
    yield from _rows("dot4U8Packed", "u32", "T; T -> u32")
    yield from _rows("dot4I8Packed", "u32", "T; T -> i32")
    yield from _rows("pack4xI8 pack4xI8Clamp", "vec4i", "T -> u32")
    yield from _rows("pack4xU8 pack4xU8Clamp", "vec4u", "T -> u32")
    yield from _rows("unpack4xI8", "u32", "T -> vec4i")
    yield from _rows("unpack4xU8", "u32", "T -> vec4u")


def _memory() -> Iterable[BuiltinRow]:
    """Barriers, atomics, and what else takes a pointer."""
    yield from _rows("workgroupBarrier storageBarrier textureBarrier", "", "->")
    for type in ("u32", "i32", "bool", "f32", "vec2u", "vec3f"):
        yield from _rows("workgroupUniformLoad", type, f"ptr<workgroup, {type}> -> T")
    for type in ("u32", "i32"):
        yield from _rows("workgroupUniformLoad", type, f"ptr<workgroup, atomic<{type}>> -> T")
        for space in ("workgroup", "storage"):
            mode = ", read_write" if space == "storage" else ""
            pointer = f"ptr<{space}, atomic<{type}>{mode}>"
            yield from _rows("atomicLoad", type, f"{pointer} -> T")
            yield from _rows("atomicStore", type, f"{pointer}; T ->")
            yield from _rows("atomicAdd atomicSub atomicMax atomicMin", type, f"{pointer}; T -> T")
            yield from _rows("atomicAnd atomicOr atomicXor atomicExchange", type, f"{pointer}; T -> T")
            for member, of in (("old_value", type), ("exchanged", "bool")):
                yield from _rows("atomicCompareExchangeWeak", type, f"{pointer}; T; T -> {of}", member=member)
        for mode in ("read", "read_write"):
            yield from _rows("arrayLength", type, f"ptr<storage, array<{type}>, {mode}> -> u32")


def _subgroup() -> Iterable[BuiltinRow]:
    """Subgroup and quad operations."""
    yield from _rows("subgroupElect", "", "-> bool")
    yield from _rows("subgroupAll subgroupAny", "bool", "T -> bool")
    yield from _rows("subgroupBallot", "bool", "T -> vec4u")
    yield from _rows("subgroupAdd subgroupMul subgroupMin subgroupMax", "N", "T -> T")
    yield from _rows("subgroupExclusiveAdd subgroupExclusiveMul", "N", "T -> T")
    yield from _rows("subgroupInclusiveAdd subgroupInclusiveMul", "N", "T -> T")
    yield from _rows("subgroupAnd subgroupOr subgroupXor", "I", "T -> T")
    yield from _rows("subgroupBroadcast", "N", "T; u32=0..7 -> T")
    yield from _rows("subgroupBroadcastFirst", "N", "T -> T")
    yield from _rows("subgroupShuffle subgroupShuffleUp subgroupShuffleDown", "N", "T; u32?0..7 -> T")
    yield from _rows("subgroupShuffleXor", "N", "T; u32?0..7 -> T")
    yield from _rows("quadBroadcast", "N", "T; u32=0..3 -> T")
    yield from _rows("quadSwapX quadSwapY quadSwapDiagonal", "N", "T -> T")


DERIVATIVES = "dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine fwidth fwidthCoarse fwidthFine"


def rows_of_functions() -> tuple[BuiltinRow, ...]:
    """All rows but those of textures."""
    derivatives = _rows(DERIVATIVES, "F", "T -> T")
    return (*_plain(), *_packing(), *_memory(), *derivatives, *_subgroup())


def rows_of(names: str, signature: str) -> Iterable[BuiltinRow]:
    """Rows of functions without type variables: `parameter; parameter -> result`."""
    return _rows(names, "", signature)
