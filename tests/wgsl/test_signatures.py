"""The signatures of built-in functions: current Tint takes the smallest call of each, and the result has its type."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from tests.wgsl.current_tint import NOT_ACCEPTED, refused_by_tint
from tests.wgsl.test_builtins import MAINS
from wgsl_fuzz.wgsl import builtins
from wgsl_fuzz.wgsl import types as vt
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, PROPOSALS, Stage, is_runtime, unsigned
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import expression_text, print_module
from wgsl_fuzz.wgsl.resolution import Space
from wgsl_fuzz.wgsl.resolve import read, resolve
from wgsl_fuzz.wgsl.syntax import Phony
from wgsl_fuzz.wgsl.walk import descendants

WITHOUT = {name for name, row in FUNCTIONS.items() if row.extension in (*PROPOSALS, "buffer_view")}
"""Not every Tint takes them."""
_FLOATS = ("f32", "vec2f", "vec3f", "vec4f")
_SIGNED = ("i32", "vec2i", "vec3i", "vec4i")
_UNSIGNED = ("u32", "vec2u", "vec3u", "vec4u")
_INTEGERS = _UNSIGNED + _SIGNED
_BOOLS = ("bool", "vec2<bool>", "vec3<bool>", "vec4<bool>")
_FAMILIES = (_FLOATS, _SIGNED, _UNSIGNED, _BOOLS)
_OF_COLUMN = {"TB": _BOOLS, "TI": _SIGNED, "TU": _UNSIGNED, "TF": _FLOATS}
"""By word: a type with as many components as `T`."""
SETS = {
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
"""The types that `T` of a signature may be; f16 is left out."""


def word_type(word: str, of: str) -> str:
    """The type that a word stands for, by the type that `T` is."""
    if word == "E":
        return next(types[0] for types in _FAMILIES if of in types)
    if word in _OF_COLUMN:
        return next(_OF_COLUMN[word][i] for types in _FAMILIES for i, type in enumerate(types) if type == of)
    return of if word == "T" else word


class Overload(NamedTuple):
    """A signature with one type for its `T`."""

    function: str
    parameters: tuple[str, ...]
    """Each with its sign."""
    types: tuple[str, ...]
    """Of these."""
    result: str
    template: str
    member: str

    @property
    def name(self) -> str:
        """Its function with its template, as it is called."""
        return f"{self.function}<{self.template}>" if self.template else self.function

    @property
    def stages(self) -> list[Stage]:
        """Where it may be called with what it takes."""
        found = set(FUNCTIONS[self.function].stages)
        if any(type.startswith("ptr<workgroup") for type in self.types):
            found &= {Stage.COMPUTE}
        if any(type.endswith(("write>", "read_write>")) for type in self.types):
            found -= {Stage.VERTEX}
        return sorted(found)


def _overloads() -> Iterator[Overload]:
    for s in (*builtins.function_signatures(), *builtins.texture_signatures()):
        for of in SETS.get(s.of, (s.of,)):
            types = tuple(word_type(unsigned(parameter), of) for parameter in s.parameters)
            result, template = word_type(s.result, of), word_type(s.template, of)
            yield Overload(s.function, s.parameters, types, result, template, s.member)


OVERLOADS = tuple(_overloads())


def argument_of(parameter: str, type: str, name: str, *, constant: bool) -> str:
    """The smallest argument; `constant`: a constant where one may stand, at the upper end of its range."""
    for sign in "=?":
        _, found, range_ = parameter.partition(sign)
        if found:
            return f"{type}({range_.split('..')[constant]})"
    if type.startswith("ptr<"):
        return f"&{name}"
    is_value = not type.startswith(("texture_", "sampler"))
    return f"{type}()" if constant and is_value and not is_runtime(parameter) else name


def declaration_of(i: int, type: str) -> str:
    """The variable behind an argument."""
    if type.startswith(("texture_", "sampler")):
        return f"@group(0) @binding({i}) var v{i}: {type};\n"
    pointer = vt.type_of(type)
    if not isinstance(pointer, vt.Pointer):
        return f"var<private> v{i}: {type};\n"
    store = expression_text(vt.written(pointer.store))
    if pointer.space is not Space.STORAGE:
        return f"var<{pointer.space}> v{i}: {store};\n"
    return f"@group(0) @binding({i}) var<storage, {pointer.access}> v{i}: {store};\n"


def smallest(overload: Overload, stage: Stage, *, constant: bool) -> str:
    """The text of a module that calls it."""
    typed = zip(overload.parameters, overload.types, strict=True)
    arguments = ", ".join([argument_of(p, type, f"v{i}", constant=constant) for i, (p, type) in enumerate(typed)])
    call = f"{overload.name}({arguments}){overload.member and f'.{overload.member}'}"
    statement = f"_ = {call};" if overload.result else f"{call};"
    enable = "enable subgroups;\n" if FUNCTIONS[overload.function].extension == "subgroups" else ""
    declarations = "".join([declaration_of(i, type) for i, type in enumerate(overload.types)])
    return f"{enable}{declarations}{MAINS[stage].replace('#', statement)}\n"


def test_every_function_has_a_signature_of_its_own() -> None:
    assert {overload.function for overload in OVERLOADS} == FUNCTIONS.keys() - WITHOUT
    assert [overload for overload, count in Counter(OVERLOADS).items() if count > 1] == []
    for overload in OVERLOADS:
        row = FUNCTIONS[overload.function]
        assert bool(overload.result) == row.result, overload
        assert all(index < len(overload.types) for index in row.required), overload


def test_current_tint_takes_the_smallest_call_of_each() -> None:
    cases = [(o, stage, constant) for o in OVERLOADS for constant in (False, True) for stage in o.stages]
    texts = [smallest(overload, stage, constant=constant) for overload, stage, constant in cases]
    assert refused_by_tint(texts, NOT_ACCEPTED) == []


def test_the_reference_resolves_the_smallest_modules() -> None:
    for overload in OVERLOADS:
        module = parse(smallest(overload, overload.stages[0], constant=False))
        resolve(module)
        assert parse(print_module(module)) == module


def test_types_of_texts_are_those_that_the_texts_name() -> None:
    texts = {o.result for o in OVERLOADS if o.result} | {type for o in OVERLOADS for type in o.types}
    for text in texts | {"array<vec2f, 4>", "ptr<storage, array<atomic<u32>>, read_write>"}:
        type = vt.type_of(text)
        assert vt.type_of(expression_text(vt.written(type))) == type
        assert vt.short_name(type) in (None, text)
    assert len({vt.type_of(text) for text in texts}) == len(texts)


def test_results_have_the_types_that_are_said() -> None:
    for o in OVERLOADS:
        template = vt.type_of(o.template) if o.template else None
        result = vt.type_of(o.result) if o.result else None
        if result is not None:
            assert vt.result_type(o.function, [*map(vt.type_of, o.types)], template, o.member) == result, o


def test_components_of_results_have_the_type_of_a_component() -> None:
    vectors = [o for o in OVERLOADS if o.result and not o.member and isinstance(vt.type_of(o.result), vt.Vector)]
    assert {"bitcast", "abs", "select", "textureLoad", "subgroupAdd"} <= {o.function for o in vectors}
    for o in vectors:
        parameters = ", ".join(f"a{i}: {type}" for i, type in enumerate(o.types))
        given = ", ".join(f"a{i}" for i, _ in enumerate(o.types))
        resolution = read(f"enable subgroups; fn f({parameters}) {{ _ = {o.name}({given}).x; }}")
        (phony,) = (n for n in descendants(resolution.module) if isinstance(n, Phony))
        assert vt.ValueTypes(resolution).of(phony.value) in (vt.component(vt.type_of(o.result)), None), o
