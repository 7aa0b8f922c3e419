"""Inputs and outputs of entry points: current Tint takes what is drawn, and each row of the tables is drawn."""

from collections.abc import Iterator
from itertools import count

import pytest

from tests.wgsl.current_tint import NOT_ACCEPTED, refused_by_tint
from wgsl_fuzz.strategies.choices.source import RandomSource, Source
from wgsl_fuzz.strategies.generate import entry_points
from wgsl_fuzz.strategies.generate.environment import Role
from wgsl_fuzz.strategies.generate.modules import draw_directives
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import EXTENSIONS, INPUTS, OUTPUTS, Stage
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.types import Type, written
from wgsl_fuzz.wgsl.walk import descendants


def fresh_of() -> entry_points.Fresh:
    """Names that are numbered."""
    numbers = count()
    return lambda prefix: f"{prefix}{next(numbers)}"


def entry(
    source: Source, stage: Stage, name: str, inputs: entry_points.Inputs, outputs: entry_points.Outputs
) -> w.Function:
    """An entry point that gives zeros."""
    attributes: tuple[w.Attribute, ...] = (w.Attribute(stage),)
    if stage is Stage.COMPUTE:
        attributes += entry_points.draw_workgroup_size(source, ("size", "count") if source.percent(50) else ())
    result = None if outputs.result is None else written(outputs.result)
    value = None if outputs.result is None else w.Call(written(outputs.result), ())
    return w.Function(name, inputs.parameters, w.Block((w.Return(value),)), result, attributes, outputs.attributes)


def module_of(seed: int) -> w.Module:
    """A module with one entry point of each stage; the fragment shader may take what the vertex shader gives."""
    source, fresh = RandomSource(seed), fresh_of()
    shared: Type | None = None
    declarations: list[w.Const | w.Override | w.Function] = []
    structs = []
    for stage in (Stage.VERTEX, Stage.FRAGMENT, Stage.COMPUTE):
        inputs = entry_points.draw_inputs(
            source,
            stage,
            entry_points.Naming(fresh, fresh),
            rate=30,
            shared=shared if stage is Stage.FRAGMENT else None,
        )
        outputs = entry_points.draw_outputs(source, stage, fresh)
        shared = outputs.result if entry_points.can_be_shared(outputs.result) and source.percent(50) else None
        structs += [*inputs.structs, *([] if outputs.struct is None else [outputs.struct])]
        declarations.append(entry(source, stage, fresh("main"), inputs, outputs))
    declarations.append(w.Const("size", None, w.Literal("2u")))
    declarations.append(w.Override("count", w.Identifier("u32"), w.Literal("4u")))
    module = w.Module((), (*structs, *declarations))
    found = {entry_points.extension_of(n) for n in descendants(module) if isinstance(n, w.Attribute)}
    needed = [name for name in EXTENSIONS if name in found]
    return w.Module(draw_directives(source, needed, 10), module.declarations)


@pytest.fixture(scope="module")
def drawn() -> list[w.Module]:
    return [module_of(seed) for seed in range(400)]


def words_of(modules: list[w.Module]) -> Iterator[str]:
    """Each attribute with its first argument and its stage, if it is of an entry point's parameter."""
    for module in modules:
        for function in module.declarations:
            for node in descendants(function):
                if isinstance(node, w.Attribute):
                    yield " ".join([node.name, *(a.name for a in node.arguments if isinstance(a, w.Identifier))])


def test_they_resolve_and_are_read_again(drawn: list[w.Module]) -> None:
    for module in drawn:
        resolve(module)
        assert parse(print_module(module)) == module


def test_current_tint_takes_them(drawn: list[w.Module]) -> None:
    assert refused_by_tint([*map(print_module, drawn)], NOT_ACCEPTED)[:3] == []


def test_each_input_and_output_is_drawn(drawn: list[w.Module]) -> None:
    found = set(words_of(drawn))
    assert {f"builtin {name}" for name, _ in (*INPUTS, *OUTPUTS)} <= found
    assert {"builtin frag_depth less", "workgroup_size", "workgroup_size size", "workgroup_size count"} <= found
    assert {
        "invariant",
        "blend_src",
        "location",
        "interpolate flat either",
        "interpolate linear sample",
        "subgroup_size",
    } <= found


def test_one_seed_gives_one_module() -> None:
    assert module_of(7) == module_of(7)
    assert module_of(7) != module_of(8)


def test_a_structure_is_uniform_if_all_its_members_are() -> None:
    uniform = {name for (name, stage), row in INPUTS.items() if len(row.uniform_in) == 2}
    seen = set()
    for seed in range(300):
        inputs = entry_points.draw_inputs(
            RandomSource(seed), Stage.COMPUTE, entry_points.Naming(fresh_of(), fresh_of()), rate=60
        )
        members = {s.name: s.members for s in inputs.structs}
        for name, parameter in zip(inputs.names, inputs.parameters, strict=True):
            nodes = members.get(parameter.type.name, (parameter,))
            values = {a.name for node in nodes for at in node.attributes for a in at.arguments}  # type: ignore[union-attr]
            assert (name.role is Role.UNIFORM_INPUT) == (values <= uniform)
            seen.add((len(nodes) > 1, values <= uniform))
    assert seen == {(False, False), (False, True), (True, False), (True, True)}


@pytest.mark.parametrize("stage", Stage)
def test_one_input_varies_if_one_must(stage: Stage) -> None:
    for seed in range(100):
        inputs = entry_points.draw_inputs(
            RandomSource(seed), stage, entry_points.Naming(fresh_of(), fresh_of()), rate=5, varying=True
        )
        assert any(name.role is Role.VARYING_INPUT for name in inputs.names)
