"""The neighbourhood of a shader: each shader once, near it, and valid."""

from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.cases import near
from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.fuzz.cases.course import ShaderSequence

SHADER = """@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) {
    var x = lid;
    x = 0u;
    if x == 0u { workgroupBarrier(); }
}
"""


@pytest.fixture(autouse=True, scope="module")
def _few_ways() -> None:
    """Of each mutation."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near, "MOST", 30)
        COURSE.append(ShaderSequence([], 2, [("a.wgsl", SHADER)]))


COURSE: list[ShaderSequence] = []


def test_each_is_there_once_and_is_valid() -> None:
    (course,) = COURSE
    texts = [course.nth(i) for i in range(course.count)]
    assert len({*texts}) == len(texts) > 200
    assert course.where(0) == ("near:a.wgsl", 0)
    plan = course.plan().course
    assert plan is not None
    assert ShaderSequence.of(plan).nth(course.count - 1) == texts[-1]


@given(st.data())
def test_every_neighbour_has_a_verdict(data: st.DataObject) -> None:
    (course,) = COURSE
    text = course.nth(data.draw(st.integers(0, course.count - 1)))
    assert isinstance(text, str)
    assert read_module(text).verdict.value in ("accepts", "rejects")


def test_a_run_finds_what_differs_near_a_shader_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near, "MOST", 30)
    file, run = tmp_path / "a.wgsl", tmp_path / "run"
    file.write_text(SHADER, encoding="utf-8")
    options = ("--near", file, "--max-statements", "1", "--target", "rules:wgsl-2023-01-28", "--jobs", "1")
    first = wgsl_fuzz("enumerate", *options, "--programs", "60", "--out", run)
    assert "60 programs" in first.stdout
    assert wgsl_fuzz("--resume", run, "--programs", "20").exit_code == first.exit_code
    for folder in (run / "findings").iterdir():
        command = orjson.loads((folder / "finding.json").read_bytes())["draw again"].split()
        printed = wgsl_fuzz(*command[1:]).stdout
        assert printed.split("\n", 1)[1].removesuffix("\n") == (folder / "drawn.wgsl").read_text(encoding="utf-8")


def test_what_is_no_wgsl_has_no_neighbours(tmp_path: Path) -> None:
    file = tmp_path / "a.wgsl"
    file.write_text("fn f( {}", encoding="utf-8")
    result = wgsl_fuzz("enumerate", "--near", file)
    assert result.exit_code == 2
    assert "a.wgsl:1:" in result.stderr
