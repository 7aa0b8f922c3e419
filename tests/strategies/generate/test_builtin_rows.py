"""The rows of built-in functions: current Tint takes the smallest module of each."""

from collections import Counter

from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.generate import builtin_families
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, Stage
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import expression_text, print_module, print_statement
from wgsl_fuzz.wgsl.resolution import Space
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Call, Expression, Identifier, Literal, Unary
from wgsl_fuzz.wgsl.types import Pointer, short_name, type_of, written

ROWS = builtin_families.rows_of_functions() + builtin_families.rows_of_textures()
NOT_DRAWN = frozenset({"bufferView", "bufferArrayView", "bufferLength"})
"""Not every Tint takes them."""

_BODIES = {
    Stage.VERTEX: "@vertex fn main() -> @builtin(position) vec4f { %s return vec4f(); }",
    Stage.FRAGMENT: "@fragment fn main() { %s }",
    Stage.COMPUTE: "@compute @workgroup_size(1) fn main() { %s }",
}


def argument_of(argument: builtin_families.Argument, constant: int, name: str) -> Expression:
    """The smallest argument, at the end of its range that `constant` says."""
    if argument.kind in (builtin_families.Kind.CONSTANT, builtin_families.Kind.RANGED):
        value = argument.most if constant else argument.least
        return Call(written(type_of(argument.type)), (Literal(str(value)),))
    if argument.kind is builtin_families.Kind.VALUE and constant:
        return Call(written(type_of(argument.type)), ())
    return Unary("&", Identifier(name)) if argument.kind is builtin_families.Kind.POINTER else Identifier(name)


def declaration_of(i: int, argument: builtin_families.Argument) -> str:
    """The variable behind an argument."""
    type = type_of(argument.type)
    if argument.kind is builtin_families.Kind.HANDLE:
        return f"@group(0) @binding({i}) var v{i}: {argument.type};\n"
    if not isinstance(type, Pointer):
        return f"var<private> v{i}: {argument.type};\n"
    store = expression_text(written(type.store))
    if type.space is not Space.STORAGE:
        return f"var<{type.space}> v{i}: {store};\n"
    return f"@group(0) @binding({i}) var<storage, {type.access}> v{i}: {store};\n"


def smallest(row: builtin_families.BuiltinRow, constant: int, stage: Stage) -> str:
    """The text of a module that calls a row, of constants where they may stand, or of variables."""
    arguments = [argument_of(a, constant, f"v{i}") for i, a in enumerate(row.arguments)]
    enable = "enable subgroups;\n" if row.builtin.extension == "subgroups" else ""
    declarations = "".join(declaration_of(i, a) for i, a in enumerate(row.arguments))
    return f"{enable}{declarations}{_BODIES[stage] % print_statement(builtin_families.statement_of(row, arguments))}\n"


def test_every_function_has_a_row_but_those_that_are_left_out() -> None:
    assert {row.function for row in ROWS} == FUNCTIONS.keys() - NOT_DRAWN


def test_each_row_has_a_name_of_its_own() -> None:
    assert [name for name, count in Counter(row.name for row in ROWS).items() if count > 1] == []


def test_rows_agree_with_the_table_of_functions() -> None:
    for row in ROWS:
        assert bool(row.result) == row.builtin.result, row.name
        assert all(index < len(row.arguments) for index in row.builtin.required), row.name


def test_a_row_makes_the_call_that_it_says() -> None:
    by_name = {row.name: row for row in ROWS}
    row = by_name["bitcast<vec2i>(vec2f) -> vec2i"]
    assert expression_text(builtin_families.builtin_call(row, [Identifier("x")])) == "bitcast<vec2<i32>>(x)"
    row = by_name["frexp(f32).exp -> i32"]
    assert expression_text(builtin_families.builtin_call(row, [Identifier("x")])) == "frexp(x).exp"
    assert (
        print_statement(builtin_families.statement_of(by_name["workgroupBarrier() -> nothing"], []))
        == "workgroupBarrier();"
    )
    row = by_name["atomicAdd(ptr<workgroup, atomic<u32>>, u32) -> u32"]
    assert print_statement(builtin_families.statement_of(row, [Identifier("p"), Literal("1")])) == "atomicAdd(p, 1);"


def test_types_of_texts_are_those_that_the_texts_name() -> None:
    texts = {row.result for row in ROWS if row.result} | {a.type for row in ROWS for a in row.arguments}
    for text in texts | {"array<vec2f, 4>", "ptr<storage, array<atomic<u32>>, read_write>"}:
        assert type_of(expression_text(written(type_of(text)))) == type_of(text)
        assert short_name(type_of(text)) in (None, text)
    assert len({type_of(text) for text in texts}) == len(texts)


def test_current_tint_takes_the_smallest_module_of_each_row() -> None:
    cases = [(row, c, stage) for row in ROWS for c in (0, 1) for stage in sorted(row.stages)]
    texts = [smallest(*case) for case in cases]
    answers = ask_tint(texts)
    wrong = [f"{text}{a.message}" for text, a in zip(texts, answers, strict=True) if a.verdict is not Verdict.ACCEPTS]
    assert wrong == []


def test_the_reference_resolves_the_smallest_modules() -> None:
    for row in ROWS:
        module = parse(smallest(row, 0, min(row.stages)))
        resolve(module)
        assert parse(print_module(module)) == module
