"""The type of what a built-in function gives, by the types of its arguments: from the tables of signatures."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from wgsl_fuzz.wgsl.builtin_signatures import Signature, function_signatures, unsigned
from wgsl_fuzz.wgsl.builtins import FUNCTIONS
from wgsl_fuzz.wgsl.texture_signatures import texture_signatures
from wgsl_fuzz.wgsl.value_types import BOOL, F16, F32, FLOAT, I32, INT, U32, ValueType, concrete, joined, value_type

Types = Sequence[ValueType | None]

_OF_FLOATS = frozenset({"F", "V"})
_COMPONENTS = {"TB": BOOL, "TI": I32, "TU": U32, "TF": F32}
_OF_MATRICES = frozenset({"determinant", "transpose"})
_TEXELS = {"uint": U32, "sint": I32}


@cache
def _by_function() -> Mapping[str, tuple[Signature, ...]]:
    found: dict[str, list[Signature]] = {}
    for signature in (*function_signatures(), *texture_signatures()):
        found.setdefault(signature.function, []).append(signature)
    return {name: tuple(signatures) for name, signatures in found.items()}


def result_type(function: str, types: Types, template: ValueType | None = None, member: str = "") -> ValueType | None:
    """The type of a call, or of a member of its result; None: it is not known, or the result has no name.

    `types` are those of the arguments; `template` is the type in `bitcast<type>`. A component of a vector is no member.
    """
    if function == "bitcast":
        return None if member else template
    if function in _OF_MATRICES:
        return None if member or not types or types[0] is None else _of_matrix(function, types[0])
    found = {_result(s, types) for s in _fitting(function, types) if s.member == member} - {None}
    return found.pop() if len(found) == 1 else None


def _of_matrix(function: str, matrix: ValueType) -> ValueType | None:
    """Of functions whose signatures name some matrices, for any: the columns become the rows."""
    if not matrix.is_matrix:
        return None
    return (
        matrix.component
        if function == "determinant"
        else ValueType(f"mat{matrix.name[5]}x{matrix.name[3]}", matrix.element)
    )


def _fitting(function: str, types: Types) -> Iterator[Signature]:
    """The signatures that take so many arguments, and such a texture or pointer."""
    for signature in _by_function().get(function, ()):
        if len(signature.parameters) == len(types):
            words = [unsigned(parameter) for parameter in signature.parameters]
            if all(_may_be(word, type) for word, type in zip(words, types, strict=True)):
                yield signature


def _may_be(word: str, type: ValueType | None) -> bool:
    """Whether an argument of a type may be for a parameter, as far as textures and pointers tell."""
    head = word.partition("<")[0]
    if type is not None and head.startswith("texture_"):
        return type.name == head
    return type is None or not head.startswith(("ptr", "sampler")) or type.name == head


def _result(signature: Signature, types: Types) -> ValueType | None:
    word = signature.result
    if not word:
        return None
    first = unsigned(signature.parameters[0]) if signature.parameters else ""
    if first.startswith("ptr<") and word == "T":
        return _stored(types[0])
    texture = next((t for t in types if t is not None and t.name.startswith("texture_")), None)
    if texture is not None:
        return _of_texture(signature, texture)
    if any(u.startswith("texture_") for u in signature.parameters):
        return None
    if word not in ("T", "E", *_COMPONENTS):
        # f16 has no signatures of its own
        halves = any(t is not None and t.component == F16 for t in types)
        return None if halves and value_type(word).component == F32 else value_type(word)
    of = _variable(signature, types)
    if of is None:
        return None
    if word == "E":
        return of.component
    return of if word == "T" else of.with_component(_COMPONENTS[word])


def _variable(signature: Signature, types: Types) -> ValueType | None:
    """What `T` is in a call; an abstract type only if the call may be evaluated before the shader runs."""
    given = [t for p, t in zip(signature.parameters, types, strict=True) if unsigned(p) == "T"]
    if not given or any(t is None for t in given):
        known = [t for t in given if t is not None and not t.is_abstract]
        return known[0] if known else None
    of = given[0]
    for type in given[1:]:
        of = joined(of, type)
    if of is not None and of.component == INT and signature.of in _OF_FLOATS:
        of = of.with_component(FLOAT)
    return of if of is None or FUNCTIONS[signature.function].constant else concrete(of)


def _stored(pointer: ValueType | None) -> ValueType | None:
    """What is loaded through a pointer, atomics seen through."""
    inner = None if pointer is None or pointer.name != "ptr" else pointer.element
    return inner.element if inner is not None and inner.name == "atomic" else inner


def _of_texture(signature: Signature, texture: ValueType) -> ValueType | None:
    """The type of what a texture is asked for; texels are of the type that it is sampled as, or of its format."""
    type = value_type(signature.result)
    if signature.function not in ("textureLoad", "textureGather") or not type.is_vector:
        return type
    if texture.name.startswith("texture_storage_"):
        return ValueType("vec4", _TEXELS.get(texture.size.partition(" ")[0][-4:], F32))
    return ValueType("vec4", texture.element or F32)
