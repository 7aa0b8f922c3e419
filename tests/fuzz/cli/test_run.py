"""The command `run`: what it says of shaders that diverge, converge, race, and of those that it cannot tell."""

from pathlib import Path

import pytest
from click.testing import Result
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from tests.wgsl.reading import parse
from wgsl_fuzz.fuzz.present.divergence import race_lines
from wgsl_fuzz.oracle.dynamics.exploration import Bounds, explore
from wgsl_fuzz.oracle.dynamics.modules.execution import Execution
from wgsl_fuzz.oracle.verdict import Outcome

HEAD = """@group(0) @binding(0) var<storage, read_write> A: array<u32, 8>;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
"""


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


def test_what_cannot_be_run_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    not_run = Execution(Outcome.NOT_SEEN, cannot="a spoon")
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.run.execute", lambda *_, **__: not_run)
    told = wgsl_fuzz("run", "-", stdin="@fragment fn f() {} @compute @workgroup_size(2) fn rest() {}").stdout
    assert "compute rest: not-run (it cannot run a spoon)" in told
