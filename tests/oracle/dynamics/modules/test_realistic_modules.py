"""Shaders as people write them, with a barrier that not all threads reach: the inputs are found, and simple to read."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.oracle.dynamics.modules import execution
from wgsl_fuzz.oracle.dynamics.modules.execution import execute
from wgsl_fuzz.oracle.dynamics.modules.lowering import LoweredModule, lower_module
from wgsl_fuzz.oracle.dynamics.runs import RunResult, replay
from wgsl_fuzz.oracle.dynamics.witness import Witness
from wgsl_fuzz.oracle.verdict import Outcome, Verdict

SHADERS = {path.stem: path for path in sorted((Path(__file__).parent / "shaders").glob("*.wgsl"))}
NAMED = pytest.mark.parametrize("name", SHADERS)


@cache
def case(name: str) -> Case:
    return read_module(SHADERS[name].read_text(encoding="utf-8"))


def lowered(name: str, threads: int) -> LoweredModule:
    resolution = case(name).resolution
    (entry,) = [function for function, _, _ in case(name).entry_points()]
    return lower_module(resolution, entry, threads)


def shown(name: str) -> Witness:
    witness = case(name).execute_placed().witness
    assert witness is not None
    return witness


@NAMED
def test_it_diverges_with_all_its_threads_in_a_run_of_the_semantics(name: str) -> None:
    """With the default seed, without luck."""
    assert case(name).verdict is Verdict.REJECTS
    assert case(name).execute().outcome is Outcome.DIVERGES
    assert shown(name).threads == shown(name).declared
    assert replay(lowered(name, shown(name).threads).shader, shown(name)).witness == shown(name)


@NAMED
def test_its_values_are_few_and_round(name: str) -> None:
    witness = shown(name)
    simple = lowered(name, witness.threads).in_text.words.simple
    other = [cell for cell in witness.store if cell.value]
    assert len(other) <= 5
    for cell in other:
        assert cell.value in simple(cell.array, cell.index) or cell.value < 1000, cell
    assert not [cell for cell in other if cell.array.startswith("workgroup_id")]
    told = case(name).execute_placed().describe(case(name).text)
    assert max(map(len, told)) < 200
    assert len(told) < 14


@NAMED
def test_each_of_its_values_is_needed(name: str) -> None:
    witness = shown(name)
    of = lowered(name, witness.threads)
    simple = of.in_text.words.simple
    for cell in witness.store:
        least = simple(cell.array, cell.index)[0]
        if cell.value != least:
            store = tuple([c if c is not cell else replace(c, value=least) for c in witness.store])
            assert replay(of.shader, replace(witness, store=store)).witness is None, cell


def test_the_search_is_what_finds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it runs with arbitrary inputs do not, so that this is no test of chance."""
    nothing = RunResult(Outcome.NOT_SEEN, 0)
    monkeypatch.setattr(execution, "separate", lambda *_, **__: nothing)
    for name in ("matrix_product", "blur", "histogram", "depth_pyramid"):
        assert execute(case(name).resolution, thorough=True).outcome is not Outcome.DIVERGES, name
