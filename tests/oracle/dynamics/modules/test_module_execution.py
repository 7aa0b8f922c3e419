"""The outcomes of modules, against those of the shaders that they are, and against the reference."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wgsl_fuzz.fuzz.cases.case import Case, drawn_case, read_module
from wgsl_fuzz.fuzz.cases.pairs import load, load_applications, load_combinations
from wgsl_fuzz.fuzz.present.divergence import endless_line, race_lines, witness_lines
from wgsl_fuzz.oracle.dynamics.exploration import Bounds, explore
from wgsl_fuzz.oracle.dynamics.modules import execution
from wgsl_fuzz.oracle.dynamics.modules.execution import OF_CORES, Effort, Execution, execute, simplest
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.choices.profile import DEFAULT, SMALL
from wgsl_fuzz.strategies.modules.modules import draw_module
from wgsl_fuzz.strategies.modules.profile import MODULE_PROFILES
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolve import resolve

CORPUS = Path(__file__).resolve().parents[4] / "corpus"
SHADERS = st.builds(draw_shader, st.integers(0, 10**9), st.sampled_from([SMALL, DEFAULT]))
DECIDED = (Outcome.DIVERGES, Outcome.CONVERGES)


def executed(text: str, *, thorough: bool = False) -> Execution:
    return execute(resolve(parse(text)), thorough=thorough)


def is_executed_by_its_core(shader: Shader) -> None:
    """What exploring proves of the core, it proves of the module, with the same witness."""
    of_core = explore(shader, bounds=OF_CORES.explored)
    of_module = executed(print_shader(shader), thorough=True)
    assert of_module.cannot is None
    if of_core.outcome in DECIDED:
        assert (of_module.outcome, of_module.witness) == (of_core.outcome, of_core.witness)


@given(SHADERS)
@settings(max_examples=40)
def test_a_module_with_a_core_is_executed_by_it(shader: Shader) -> None:
    is_executed_by_its_core(shader)


IN_WORDS = """var<workgroup> flag: u32;
fn f(x: u32) -> u32 {
  return x + flag;
}
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_id) id: vec3<u32>) {
  var x = 1u;
  {
    let x = f(id.x);
    while x > flag {
      workgroupBarrier();
      if x == 1u { break; }
    }
  }
  workgroupBarrier();
}
"""


def test_the_witness_of_a_core_is_told_in_words_of_the_text() -> None:
    """The core has other names where the text hides one, an array for each scalar, and `lid`."""
    case = read_module(IN_WORDS)
    lines = list(witness_lines(case, case.placed_execution))
    assert lines[3:5] == [
        "thread 0 waits at the barrier on line 15",
        "thread 1 waits at the barrier on line 11, in round 1 of the loop on line 10",
    ]
    assert lines[5:8] == [
        "they part at line 10: while x > flag",
        "  thread 0: -> false (x = 0, flag = 0)",
        "  thread 1: -> true (x = 1, flag = 0)",
    ]
    assert "  thread 1  line 9: let x = f(id.x)  (id.x = 1)" in lines


LATE = """
var<workgroup> counter: atomic<u32>;

@compute @workgroup_size(8)
fn main() {
    let before = atomicMax(&counter, 4u);
    if (before == 1u) {
        workgroupBarrier();
    }
}
"""
"""It diverges, and exploring ends at its bound before it sees that."""


def rejected_modules(count: int) -> Iterator[Case]:
    """Modules of each profile that the reference rejects, of so many drawn."""
    for profile in MODULE_PROFILES.values():
        drawn = (drawn_case(resolve(draw_module(seed, profile))) for seed in range(count))
        yield from (case for case in drawn if case.verdict is Verdict.REJECTS)


def test_runs_before_exploring_change_no_outcome() -> None:
    outcomes = set()
    for case in rejected_modules(4):
        usual, other = (execute(case.resolution, thorough=True, any_witness=any_) for any_ in (False, True))
        assert (other.outcome, other.cannot) == (usual.outcome, usual.cannot)
        outcomes.add(usual.outcome)
    assert len(outcomes) > 1


def test_runs_come_before_an_exploration_in_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    resolution = resolve(parse(LATE))
    usual = execute(resolution, thorough=True)
    assert usual.outcome is Outcome.DIVERGES
    assert not usual.is_explored, "or nothing is shown here"
    monkeypatch.setattr(execution, "explore", lambda *_args, **_options: pytest.fail("there was no need to"))
    assert execute(resolution, thorough=True, any_witness=True) == usual


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.full) for part in (12, 24, 36))])
def test_an_execution_is_that_of_the_printed_text(monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    moved = 0
    for pair in [pair for pair in load() if pair.refusal is Verdict.REJECTS][part::48]:
        case = drawn_case(resolve(parse(pair.rejected)))
        if case.execution.witness is None:
            continue
        with monkeypatch.context() as patch:
            again = "wgsl_fuzz.fuzz.cases.case.execute"
            patch.setattr(again, lambda *_, **__: pytest.fail("a witness was looked for again"))
            placed = case.placed_execution
        resolution = case.placed.resolution
        assert placed == simplest(execute(resolution, thorough=True), resolution)
        moved += 1
    assert moved > 3


def test_an_execution_of_another_module_is_not_moved() -> None:
    other = resolve(parse(LATE.replace("== 1u", "== 7u")))
    done = executed(LATE, thorough=True)
    assert simplest(done, resolve(parse(LATE))) is not None
    assert simplest(done, other) is None


@pytest.mark.slow
@given(SHADERS)
@settings(max_examples=2000)
def test_many_modules_with_a_core_are_executed_by_it(shader: Shader) -> None:
    is_executed_by_its_core(shader)


ACCEPTED = [
    *((pair.name, pair.accepted) for pair in load()),
    *((c.name, c.text) for c in load_combinations() if c.verdict is Verdict.ACCEPTS),
    *load_applications().items(),
]


FIRST_OF_8 = [pytest.param(0), *(pytest.param(i, marks=pytest.mark.full) for i in range(1, 8))]
"""One part everywhere, the others where there is time."""


@pytest.mark.parametrize("part", FIRST_OF_8)
def test_what_the_reference_accepts_does_not_diverge(part: int) -> None:
    diverging = []
    for name, text in ACCEPTED[part::8]:
        case = read_module(text)
        if case.verdict is Verdict.ACCEPTS and execute(case.resolution).outcome is Outcome.DIVERGES:
            diverging.append(name)
    assert diverging == []


def test_most_of_what_the_reference_rejects_diverges() -> None:
    rejected = [pair.rejected for pair in load() if pair.refusal is Verdict.REJECTS]
    found = [executed(text).outcome for text in rejected[::5]]
    assert sum(outcome is Outcome.DIVERGES for outcome in found) > len(found) // 2


@pytest.mark.parametrize(
    "case",
    [
        "tint-last-pointer-counts",
        "tint-contents-at-argument",
        "tint-old-value-before-right-side",
        "tint-buffer-view-loaded",
    ],
)
def test_what_tint_took_for_uniform_diverges(case: str) -> None:
    text = (CORPUS / case / "shader.wgsl").read_text(encoding="utf-8")
    found = executed(text)
    assert found.outcome is Outcome.DIVERGES
    lines = text.splitlines()
    barriers = [number for number, line in enumerate(lines, 1) if "workgroupBarrier" in line]
    assert f"waits at the barrier on line {barriers[0]}" in "\n".join(found.describe(text))


@pytest.mark.parametrize("case", ["tint-contents-at-argument-uniform", "tint-old-value-before-right-side-uniform"])
def test_what_tint_takes_for_uniform_rightly_converges(case: str) -> None:
    found = executed((CORPUS / case / "shader.wgsl").read_text(encoding="utf-8"), thorough=True)
    assert found.outcome is Outcome.CONVERGES


@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 2000), marks=pytest.mark.slow)])
def test_drawn_modules_are_executed_as_their_texts_are(seeds: range) -> None:
    for profile in MODULE_PROFILES.values():
        for seed in seeds:
            drawn = drawn_case(resolve(draw_module(seed, profile)), seed)
            done, read = execute(drawn.resolution, seed=seed), execute(drawn.placed.resolution, seed=seed)
            assert replace(done, offsets=read.offsets) == read


RACES = """var<workgroup> flag: u32;
var<workgroup> A: array<u32, 8>;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  {
    let A = lid;
    flag = A;
  }
  A[0] = lid;
  A[1] = lid;
  workgroupBarrier();
  loop {
    if lid == 1u { break; }
    if lid == 7u { break; }
  }
  workgroupBarrier();
}
"""


def test_exploring_tells_of_races_and_of_runs_that_never_end() -> None:
    resolution = resolve(parse(RACES))
    done = execute(resolution, thorough=True, effort=Effort(explored=Bounds()))
    assert done.exploration is not None
    assert done.outcome is Outcome.CONVERGES
    assert [line.partition("on ")[2] for line in race_lines(done.exploration.races)] == [
        "A[0], and 1 more like it on 2 cells of A",
        "flag",
        "",
    ]
    assert done.exploration.endless is not None
    assert "line 16 while thread 0 goes round the loop on line 12" in endless_line(
        done.exploration.endless, done.lines(RACES)
    )


def test_what_exploring_leaves_open_is_kept() -> None:
    """All runs of a larger workgroup are tried where bounds are given; else only a few of its threads are explored."""
    text = RACES.replace("workgroup_size(2)", "workgroup_size(16)")
    bounds = Bounds(steps=20)
    done = execute(resolve(parse(text)), thorough=True, effort=Effort(runs=1, explored=bounds))
    assert done.exploration is not None
    assert done.exploration.gaps == ("20 steps were not enough",)
    assert not done.is_explored
