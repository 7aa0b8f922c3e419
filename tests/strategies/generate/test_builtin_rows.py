"""The rows of built-in functions: current Tint takes the smallest module of each."""

from collections import Counter

import pytest

from tests.wgsl.current_tint import NOT_ACCEPTED, refused_by_tint
from tests.wgsl.reading import print_statement
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.generate import builtin_families
from wgsl_fuzz.strategies.generate.drawer import Drawer
from wgsl_fuzz.strategies.generate.entry_points import COMPARISON, SAMPLER, TEXTURES
from wgsl_fuzz.strategies.generate.environment import Callee, Name, NameRole
from wgsl_fuzz.strategies.generate.modules import ROWS as ALL_ROWS
from wgsl_fuzz.strategies.generate.modules import draw_directives
from wgsl_fuzz.strategies.generate.profile import COMPUTE
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, PROPOSED_FUNCTIONS, Stage
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import expression_text, print_module
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Call, Expression, Identifier, Literal, Unary
from wgsl_fuzz.wgsl.types import Handle, Pointer, Type, short_name, type_of, written

ROWS = builtin_families.rows_of_functions() + builtin_families.rows_of_textures()
NOT_DRAWN = frozenset({"bufferView", "bufferArrayView", "bufferLength"}) | PROPOSED_FUNCTIONS
"""Not every Tint takes them."""

_BODIES = {
    Stage.VERTEX: "@vertex fn main() -> @builtin(position) vec4f { %s return vec4f(); }",
    Stage.FRAGMENT: "@fragment fn main() { %s }",
    Stage.COMPUTE: "@compute @workgroup_size(1) fn main() { %s }",
}


def argument_of(argument: builtin_families.Argument, constant: int, name: str) -> Expression:
    """The smallest argument, at the end of its range that `constant` says."""
    if argument.kind in (builtin_families.ArgumentKind.CONSTANT, builtin_families.ArgumentKind.RANGED):
        value = argument.most if constant else argument.least
        return Call(written(type_of(argument.type)), (Literal(str(value)),))
    if argument.kind is builtin_families.ArgumentKind.VALUE and constant:
        return Call(written(type_of(argument.type)), ())
    return Unary("&", Identifier(name)) if argument.kind is builtin_families.ArgumentKind.POINTER else Identifier(name)


def declaration_of(i: int, argument: builtin_families.Argument) -> str:
    """The variable behind an argument."""
    type = type_of(argument.type)
    if argument.kind is builtin_families.ArgumentKind.HANDLE:
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
    assert refused_by_tint([smallest(*case) for case in cases], NOT_ACCEPTED) == []


def test_the_reference_resolves_the_smallest_modules() -> None:
    for row in ROWS:
        module = parse(smallest(row, 0, min(row.stages)))
        resolve(module)
        assert parse(print_module(module)) == module


# --------- Calls of built-in functions as the generator draws them: current Tint takes each row, whatever the arguments


LOCALS = ("u32", "i32", "f32", "bool", "vec2f", "vec3u", "mat2x3f")
WORKGROUP = ("u32", "i32", "bool", "f32", "vec2u", "vec3f", "atomic<u32>", "array<atomic<i32>, 4>")
STORAGE = ("atomic<u32>", "array<atomic<i32>, 4>", "array<u32>", "array<i32>")


class Everything:
    """A module in which each row finds what it takes, drawn from one seed."""

    def __init__(self, seed: int, stage: Stage) -> None:
        self.source = RandomSource(seed)
        self.stage = stage
        self.declarations: list[w.Declaration] = []
        self.locals: list[w.Statement] = []
        self.drawer = Drawer(self.source, COMPUTE, ALL_ROWS, 60)
        self.drawer.current = Callee("main", stages=frozenset({stage}))
        for text in LOCALS:
            name = self._name(type_of(text), Space.FUNCTION, Access.READ_WRITE)
            self.locals.append(w.Variable(name, written(type_of(text))))
        if stage is Stage.COMPUTE:
            for text in WORKGROUP:
                self._memory(type_of(text), Space.WORKGROUP, Access.READ_WRITE)
        for access in (Access.READ, Access.READ_WRITE):
            if (access, stage) != (Access.READ_WRITE, Stage.VERTEX):
                for text in STORAGE if access is Access.READ_WRITE else STORAGE[2:]:
                    self._memory(type_of(text), Space.STORAGE, access)
        for handle in dict.fromkeys([*TEXTURES.slots, SAMPLER, COMPARISON]):
            self._handle(handle)

    def _name(self, type: Type, space: Space | None, access: Access) -> str:
        return self.drawer.env.declare(Name(self.drawer.fresh("x"), type, NameRole.VARIABLE, space, access)).name

    def _resource(self) -> tuple[w.Attribute, ...]:
        return w.Attribute("group", (w.Literal("0"),)), w.Attribute(
            "binding", (w.Literal(str(len(self.declarations))),)
        )

    def _memory(self, type: Type, space: Space, access: Access) -> None:
        template = (w.Identifier(space),) if space is Space.WORKGROUP else (w.Identifier(space), w.Identifier(access))
        attributes = () if space is Space.WORKGROUP else self._resource()
        variable = w.Variable(self._name(type, space, access), written(type), None, template, attributes)
        self.declarations.append(variable)

    def _handle(self, handle: Handle) -> None:
        name = self._name(handle, None, Access.READ)
        self.declarations.append(w.Variable(name, written(handle), attributes=self._resource()))

    def module(self, statements: list[w.Statement]) -> w.Module:
        """The module with these statements."""
        attributes: w.Attributes = (w.Attribute(self.stage),)
        if self.stage is Stage.COMPUTE:
            attributes += (w.Attribute("workgroup_size", (w.Literal("1"),)),)
        body: list[w.Statement] = [*self.locals, *statements]
        result = None
        if self.stage is Stage.VERTEX:
            result = w.Identifier("vec4f")
            body.append(w.Return(w.Call(w.Identifier("vec4f"), ())))
        position = (w.Attribute("builtin", (w.Identifier("position"),)),) if result is not None else ()
        function = w.Function("main", (), w.Block(tuple(body)), result, attributes, position)
        return w.Module(draw_directives(self.source, self.drawer.extensions, 0), (*self.declarations, function))


def with_rows(seed: int, stage: Stage, rows: list[builtin_families.BuiltinRow]) -> tuple[w.Module, set[str]]:
    """A module with a call of each row, and the names of those that found their arguments."""
    everything = Everything(seed, stage)
    statements: list[w.Statement] = []
    drawn: set[str] = set()
    for row in rows:
        arguments = builtin_families.arguments_of(everything.drawer, row, 2)
        if arguments is not None:
            statements.append(builtin_families.statement_of(row, arguments))
            drawn.add(row.name)
    return everything.module(statements), drawn


@pytest.mark.parametrize("seed", [0, *(pytest.param(1000 * n, marks=pytest.mark.slow) for n in range(1, 40))])
def test_each_row_is_drawn_and_valid_in_each_of_its_stages(seed: int) -> None:
    modules, drawn = [], set()
    for stage in Stage:
        rows = [row for row in ROWS if stage in row.stages]
        for start in range(0, len(rows), 25):
            module, names = with_rows(seed + start, stage, rows[start : start + 25])
            modules.append(module)
            drawn |= names
    assert refused_by_tint([*map(print_module, modules)])[:2] == []
    for module in modules:
        resolve(module)
    assert seed or {row.name for row in ROWS} - drawn == set()


def test_a_family_gives_the_type_that_is_wanted() -> None:
    modules, types = [], set()
    for seed in range(60):
        everything = Everything(seed, list(Stage)[seed % 3])
        statements: list[w.Statement] = []
        for text in ("u32", "bool", "f32", "vec4f", "vec2u", "mat2x2f"):
            for family in builtin_families.FAMILIES.values():
                e = builtin_families.called(everything.drawer, family, type_of(text), 2)
                if e is not None:
                    name, type = everything.drawer.fresh("y"), written(type_of(text))
                    statements.append(w.Variable(name, type, e))
                    types.add((text, family.name))
        modules.append(everything.module(statements))
    assert refused_by_tint([*map(print_module, modules)])[:1] == []
    assert {(text, family) for text in ("u32", "bool", "f32") for family in builtin_families.FAMILIES} <= types
    assert {("vec4f", "texture"), ("vec2u", "subgroup"), ("mat2x2f", "builtin")} <= types


def test_a_stage_gets_no_function_that_it_lacks() -> None:
    for seed in range(30):
        for stage in Stage:
            everything = Everything(seed, stage)
            for family in (*builtin_families.FAMILIES.values(), builtin_families.STORES):
                row = builtin_families.chosen(everything.drawer, family)
                assert row is None or stage in row.stages
    both = Everything(1, Stage.COMPUTE)
    both.drawer.current = Callee("f", stages=frozenset({Stage.COMPUTE, Stage.FRAGMENT}))
    assert builtin_families.chosen(both.drawer, builtin_families.FAMILIES["derivative"]) is None
    assert builtin_families.chosen(both.drawer, builtin_families.FAMILIES["subgroup"]) is not None
