"""The built-in functions that are drawn: one row an overload, made of the signatures (`wgsl.builtins`).

Types are texts, as they are written in WGSL. A parameter says how its argument is kept valid.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from wgsl_fuzz.wgsl.builtins import (
    FUNCTIONS,
    BuiltinFunction,
    Signature,
    Stage,
    function_signatures,
    is_runtime,
    texture_signatures,
    unsigned,
    word_type,
)


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


_SIGNS = {"=": Kind.CONSTANT, "?": Kind.RANGED}


def _argument(parameter: str, of: str) -> Argument:
    """What a parameter of a signature takes, by its sign and by what `T` is."""
    word = unsigned(parameter)
    type = word_type(word, of)
    for sign, kind in _SIGNS.items():
        _, found, range_ = parameter.partition(sign)
        if found:
            least, _, most = range_.partition("..")
            return Argument(kind, type, int(least), int(most))
    if is_runtime(parameter):
        return Argument(Kind.RUNTIME, type)
    if word.startswith(("texture_", "sampler")):
        return Argument(Kind.HANDLE, type)
    return Argument(Kind.POINTER if word.startswith("ptr<") else Kind.VALUE, type)


def _rows(signature: Signature) -> Iterable[BuiltinRow]:
    """A row for each type that `T` may be."""
    for of in signature.types:
        arguments = tuple(_argument(parameter, of) for parameter in signature.parameters)
        result, template = word_type(signature.result, of), word_type(signature.template, of)
        yield BuiltinRow(signature.function, arguments, result, template, signature.member)


def rows_of_functions() -> tuple[BuiltinRow, ...]:
    """All rows but those of textures."""
    return tuple(row for signature in function_signatures() for row in _rows(signature))


def rows_of_textures() -> tuple[BuiltinRow, ...]:
    """All rows of functions whose name begins with `texture`, but the barrier's."""
    return tuple(row for signature in texture_signatures() for row in _rows(signature))
