"""The command `run`: what it says of shaders that diverge, converge, race, and of those that it cannot tell."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from tests.wgsl.reading import parse
from wgsl_fuzz.fuzz.present.divergence import race_lines
from wgsl_fuzz.oracle.dynamics.exploration import Bounds, Exploration, Race, explore
from wgsl_fuzz.oracle.dynamics.modules.execution import FOR_ONE_SHADER, Execution
from wgsl_fuzz.oracle.verdict import Outcome
from wgsl_fuzz.tinywgsl.ast import Shader

HEAD = """@group(0) @binding(0) var<storage, read_write> A: array<u32, 8>;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
"""


OF_90_STEPS = replace(FOR_ONE_SHADER, steps=90, explored=Bounds(steps=1800, turn=90))


def run(tmp_path: Path, body: str, *options: object) -> Result:
    """`body` begins on line 5."""
    file = tmp_path / "shader.wgsl"
    file.write_text(f"{HEAD}{body}\n}}\n")
    return wgsl_fuzz("run", file, *map(str, options))


BRANCH = """  x = A[0];
  if (x == 42u) {
    if (lid == 0u) {
      workgroupBarrier();
    }
  }
  workgroupBarrier();"""


def test_a_divergence_is_shown_with_its_store_and_the_condition_that_parted_the_threads(tmp_path: Path) -> None:
    result = run(tmp_path, BRANCH)
    assert result.exit_code == 1
    lines = [line.strip() for line in result.output.splitlines()]
    assert " diverges (2 threads, " in lines[0]
    assert lines[lines.index("store: zero, but for:") + 1] == "A[0] = 42"
    assert "they part at line 7: if (lid == 0u)" in lines
    parted = lines.index("they part at line 7: if (lid == 0u)")
    assert lines[parted + 1 : parted + 3] == ["thread 0: -> true (lid = 0)", "thread 1: -> false (lid = 1)"]
    assert any(
        line.startswith("thread 0  line 5: x = A[0") and line.endswith("-> x = 42 (A[0] = 42)") for line in lines
    )
    assert sum(line.startswith("* ") for line in lines) == 2


@given(st.integers(2, 24), st.integers(1, 3))
@settings(max_examples=10)
def test_races_on_an_array_are_one_line_with_their_number(threads: int, cells: int) -> None:
    """Every two threads race on every cell that all of them write."""
    writes = "".join(f"A[{cell}] = lid;" for cell in range(cells))
    text = f"{HEAD}{writes}\nworkgroupBarrier(); }}"
    races = explore(parse(text), threads=threads, bounds=Bounds(lockstep=False)).races
    pairs = cells * threads * (threads - 1) // 2
    assert len(races) == pairs
    where = f" on {cells} cells of A" if cells > 1 else ""
    more = f", and {pairs - 1:,} more like it{where}" if pairs > 1 else ""
    assert next(race_lines(races)) == f"data race: threads 0 and 1 on A[0]{more}"
    assert len([line for line in race_lines(races) if "data race" in line]) == 1


def test_each_array_has_its_races() -> None:
    races = [Race("A", 0, (0, 1)), Race("A", 0, (0, 2)), Race("B", 3, (1, 2))]
    first, second, assumption = race_lines(races)
    assert (first, second) == (
        "data race: threads 0 and 1 on A[0], and 1 more like it",
        "data race: threads 1 and 2 on B[3]",
    )
    assert "the paper assumes" in assumption
    assert list(race_lines([])) == []


def test_what_is_too_much_is_explored_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where exploring comes to no end with equal threads left out, following them too would come to none either."""
    asked: list[Bounds] = []

    def counting(shader: Shader, *, bounds: Bounds, **options: Any) -> Exploration:
        asked.append(bounds)
        return explore(shader, bounds=bounds, **options)

    monkeypatch.setattr("wgsl_fuzz.oracle.dynamics.modules.execution.explore", counting)
    endless = "  loop { x = x + 1u; if (x == 0u - lid) { break; } }\n  workgroupBarrier();"
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.run.FOR_ONE_SHADER", OF_90_STEPS)
    for threads, steps in ((2, 1800), (32, 900)):
        asked.clear()
        result = run(tmp_path, endless, "--threads", threads)
        assert result.exit_code == 0
        assert "out-of-steps" in result.output
        assert "exploring is no proof: a thread took 90 steps in one turn; 64 runs were sampled" in result.output
        assert [(b.lockstep, b.steps, b.turn) for b in asked] == [(True, steps, 90)]
    asked.clear()
    run(tmp_path, "  A[0] = 1u;")
    assert [b.lockstep for b in asked] == [True, False]


VOID = """fn f(p: u32) {
  A[p] = 1u;
}
fn g(p: u32) {
  return;
}
@group(0) @binding(0) var<storage, read_write> A: array<u32, 8>;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  f(lid);
  g(lid);
  for (var i = 0u; i < 2u; i++) {
    A[i] = i;
  }
  loop {
    if (A[lid] == 1u) { break; }
    if (A[lid] == 9u) { break; }
    A[lid] = 1u;
  }
  if (lid == 0u) {
    workgroupBarrier();
  }
  workgroupBarrier();
}
"""


def test_the_steps_are_those_of_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No `return` at the end of f, no `continue` at the end of a loop, and a loop begins once."""
    monkeypatch.setattr("wgsl_fuzz.fuzz.present.divergence.SHOWN", 400)
    file = tmp_path / "shader.wgsl"
    file.write_text(VOID)
    result = wgsl_fuzz("run", file)
    assert result.exit_code == 1
    steps = [line.strip(" *").split("  ") for line in result.output.splitlines() if "  line " in line]
    mine = [words[1] for words in steps if words[0] == "thread 0"]
    written = VOID.splitlines()
    for step in mine:
        line, code = re.fullmatch(r"line (\d+): (.*)", step).groups()  # type: ignore[union-attr]
        keyword = code.split()[0]
        if keyword in ("return", "continue", "break", "loop", "if"):
            assert re.search(rf"\b({keyword}|for)\b", written[int(line) - 1]), step
    assert mine.count("line 5: return") == 1
    assert not any("return 0u" in step or "continue" in step for step in mine)
    # The `for` begins, runs two rounds and its condition a third time; the `loop` leaves in the second round.
    assert mine.count("line 12: for (var i = 0u; i < 2u; i++)") == 4
    assert mine.count("line 15: loop") == 2


def test_long_traces_are_cut(tmp_path: Path) -> None:
    counts = "loop { if (x == 30u) { break; } x = x + 1u; }"
    result = run(tmp_path, f"  {counts}\n  if (lid == 0u) {{ workgroupBarrier(); }}\n  workgroupBarrier();")
    assert result.exit_code == 1
    assert "the last 40 of " in result.output
    assert sum(" thread " in line and "  line " in line for line in result.output.splitlines()) == 40


def test_what_cannot_be_run_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    not_run = Execution(Outcome.NOT_SEEN, cannot="a spoon")
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.run.execute", lambda *_, **__: not_run)
    told = wgsl_fuzz("run", "-", stdin="@fragment fn f() {} @compute @workgroup_size(2) fn rest() {}").stdout
    assert "compute rest: not-run (it cannot run a spoon)" in told
