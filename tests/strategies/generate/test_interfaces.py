"""Inputs and outputs of entry points: current Tint takes what is drawn, and each row of the tables is drawn."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.wgsl.current_tint import refused_by_tint
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.generate import entry_points
from wgsl_fuzz.strategies.generate.drawer import Drawer
from wgsl_fuzz.strategies.generate.environment import NameRole
from wgsl_fuzz.strategies.generate.modules import ROWS, draw_module
from wgsl_fuzz.strategies.generate.profile import ALL
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import INPUTS, OUTPUTS, Stage
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.walk import descendants

HEADS = replace(ALL, swarm=False, motif_modules=0, entry_points=(3,), statements=(1, 3), functions=(0, 0), memory=())


def module_of(seed: int) -> w.Module:
    """A module of three entry points with little in them; a fragment shader may take what a vertex shader gives."""
    return draw_module(seed, HEADS)


def inputs_of(seed: int, stage: Stage, dose: int) -> entry_points.Inputs:
    """The inputs of an entry point in a module that has this dose of what varies."""
    return entry_points.draw_inputs(Drawer(RandomSource(seed), HEADS, ROWS, dose), stage)


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
    assert refused_by_tint([*map(print_module, drawn)])[:3] == []


def test_each_input_and_output_is_drawn(drawn: list[w.Module]) -> None:
    found = set(words_of(drawn))
    assert {f"builtin {name}" for name, _ in (*INPUTS, *OUTPUTS)} <= found
    assert {"builtin frag_depth less", "workgroup_size"} <= found
    assert any(word.startswith("workgroup_size n") for word in found)
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
    for seed in range(1000):
        parameters, names, structs = inputs_of(seed, Stage.COMPUTE, 0)
        members = {s.name: s.members for s in structs}
        for name, parameter in zip(names, parameters, strict=True):
            nodes = members.get(parameter.type.name, (parameter,))
            values = {a.name for node in nodes for at in node.attributes for a in at.arguments}  # type: ignore[union-attr]
            assert (name.role is NameRole.UNIFORM_INPUT) == (values <= uniform)
            seen.add((len(nodes) > 1, values <= uniform))
    assert seen == {(False, False), (False, True), (True, False), (True, True)}


@pytest.mark.parametrize("stage", Stage)
def test_one_input_varies_if_one_must(stage: Stage) -> None:
    for seed in range(100):
        _, names, _ = inputs_of(seed, stage, 1)
        assert any(name.role is NameRole.VARYING_INPUT for name in names)
