"""Calls of built-in functions as the generator draws them: current Tint takes each row, whatever the arguments."""

import pytest

from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.generate import builtin_families
from wgsl_fuzz.strategies.generate.drawer import Drawer
from wgsl_fuzz.strategies.generate.entry_points import COMPARISON, SAMPLER, TEXTURES
from wgsl_fuzz.strategies.generate.environment import Callee, Name, Role
from wgsl_fuzz.strategies.generate.modules import ROWS as ALL_ROWS
from wgsl_fuzz.strategies.generate.modules import draw_directives
from wgsl_fuzz.strategies.generate.profile import COMPUTE
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.types import Handle, Type, type_of, written

ROWS = builtin_families.rows_of_functions() + builtin_families.rows_of_textures()
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
        return self.drawer.env.declare(Name(self.drawer.fresh("x"), type, Role.VARIABLE, space, access)).name

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


def invalid(modules: list[w.Module]) -> list[str]:
    """The texts that Tint refuses, with its messages."""
    texts = [print_module(module) for module in modules]
    answers = ask_tint(texts)
    return [f"{text}{a.message}" for text, a in zip(texts, answers, strict=True) if a.verdict is Verdict.INVALID]


def test_each_row_is_drawn_and_valid_in_each_of_its_stages() -> None:
    modules, drawn = [], set()
    for stage in Stage:
        rows = [row for row in ROWS if stage in row.stages]
        for start in range(0, len(rows), 25):
            module, names = with_rows(start, stage, rows[start : start + 25])
            modules.append(module)
            drawn |= names
    assert invalid(modules)[:2] == []
    for module in modules:
        resolve(module)
    assert {row.name for row in ROWS} - drawn == set()


@pytest.mark.slow
def test_each_row_is_valid_with_many_arguments() -> None:
    for seed in range(40):
        modules = []
        for stage in Stage:
            rows = [row for row in ROWS if stage in row.stages]
            modules += [with_rows(seed * 1000 + i, stage, rows[i : i + 25])[0] for i in range(0, len(rows), 25)]
        assert invalid(modules)[:1] == []


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
    assert invalid(modules)[:1] == []
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


def test_what_a_stage_lacks_is_found_by_the_test() -> None:
    everything = Everything(1, Stage.COMPUTE)
    module = everything.module([w.Phony(w.Call(w.Identifier("dpdx"), (w.Literal("1.0f"),)))])
    assert len(invalid([module])) == 1
