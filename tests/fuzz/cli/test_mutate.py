"""The command `mutate`: what it prints and writes, and its exit statuses."""

from functools import partial
from pathlib import Path

import orjson
import pytest

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.shipped import wgsl_folder
from wgsl_fuzz.wgsl.resolve import read

SHADER = """\
var<private> g: vec2u;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) n: u32) {
    var x = 0u;
    g.y = 1u;
    workgroupBarrier();
    if n == 2u { x = n; } else { x = g.y; }
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shader.wgsl"
    path.write_text(SHADER)
    return path


mutate = partial(wgsl_fuzz, "mutate")


def test_a_line_a_mutant(file: Path) -> None:
    result = mutate(file, "-n", 70, "--seed", 5)
    assert result.exit_code == 0
    lines = [orjson.loads(line) for line in result.stdout.splitlines()]
    assert len(lines) == 70
    assert {line["parent"] for line in lines} == {str(file)}
    assert {line["verdict"] for line in lines} == {"uniform", "non-uniform"}
    for line in lines:
        read(line["code"])


def test_wgsl_in_a_folder(file: Path, tmp_path: Path) -> None:
    result = mutate(file, "-n", 3, "--format", "wgsl", "-o", tmp_path / "out")
    assert (result.exit_code, result.stdout) == (0, "")
    written = sorted((tmp_path / "out").iterdir())
    assert [path.name for path in written] == ["0-000000.wgsl", "0-000001.wgsl", "0-000002.wgsl"]
    assert all(path.read_text().startswith(("// uniform\n", "// non-uniform\n")) for path in written)


def test_a_folder_of_applications() -> None:
    result = mutate(wgsl_folder() / "applications", "-n", 10)
    assert result.exit_code == 0
    parents = {orjson.loads(line)["parent"] for line in result.stdout.splitlines()}
    assert len(parents) > 3


def test_a_target_is_asked_about_mutants_by_check() -> None:
    case = wgsl_folder().parent / "fig-10a" / "shader.wgsl"
    mutants = mutate(case, "-n", 8).stdout
    assert wgsl_fuzz("check", "-", "-t", "rules:wgsl", stdin=mutants).exit_code == 0
    result = wgsl_fuzz("check", "-", "-t", "rules:without-10a", stdin=mutants)
    assert result.exit_code == 1
    assert [orjson.loads(line)["parent"] for line in result.stdout.splitlines()] == [str(case)] * 8


def test_what_cannot_be_a_parent_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "broken.wgsl").write_text("fn main( {")
    (tmp_path / "shader.wgsl").write_text(SHADER)
    result = mutate(tmp_path)
    assert result.exit_code == 0
    assert result.stderr.startswith(f"passed over: {tmp_path}/broken.wgsl: line 1, column 10: ")
    assert len(result.stderr.splitlines()) == 1
