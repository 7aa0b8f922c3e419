"""The neighbourhood of a shader: each shader once, near it, and valid."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.fuzz.cases.course import ShaderSequence, family_near
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.edit.mutation import MUTATIONS, mutated
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolve import resolve

SHADER = """@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) {
    var x = lid;
    x = 0u;
    if x == 0u { workgroupBarrier(); }
}
"""


@cache
def _course() -> ShaderSequence:
    return ShaderSequence([], 1, [("a.wgsl", SHADER)])


def test_each_is_there_once_and_is_valid() -> None:
    course = _course()
    texts = [course.nth(i) for i in range(course.count)]
    assert len({*texts}) == len(texts) > 100
    assert course.where(0) == ("near:a.wgsl", 0)
    plan = course.plan().course
    assert plan is not None
    assert ShaderSequence.of(plan).nth(course.count - 1) == texts[-1]


def test_a_run_that_counted_other_neighbours_cannot_go_on() -> None:
    plan = _course().plan().course
    assert plan is not None
    other = replace(plan, count=plan.count + 1, near_counts=(plan.count + 1,))
    with pytest.raises(Problem, match="begin again"):
        ShaderSequence.of(other).nth(0)


class _OneWay(RandomSource):
    """Draws among the ways that a neighbourhood tries."""

    tries_all = True


TINY = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) { workgroupBarrier(); }"


@cache
def _near_tiny() -> frozenset[str]:
    return frozenset(family_near("tiny", TINY).up_to(2))


@given(st.lists(st.sampled_from([*MUTATIONS]), max_size=2), st.integers(0, 2**32))
def test_what_two_drawn_mutations_make_is_there(names: list[str], seed: int) -> None:
    """Of every kind, in either place."""
    shader, source = resolve(parse(TINY)), _OneWay(seed)
    for name in names:
        shader = mutated(name, shader, source) or shader
    assert print_module(shader.module) in _near_tiny()


@given(st.data())
def test_every_neighbour_has_a_verdict(data: st.DataObject) -> None:
    text = _course().nth(data.draw(st.integers(0, _course().count - 1)))
    assert isinstance(text, str)
    assert read_module(text).verdict.value in ("accepts", "rejects")


def test_a_run_finds_what_differs_near_a_shader_and_goes_on(tmp_path: Path) -> None:
    file, run = tmp_path / "a.wgsl", tmp_path / "run"
    file.write_text(SHADER, encoding="utf-8")
    options = ("--near", file, "--max-statements", "1", "--target", "rules:wgsl-2023-01-28", "--jobs", "1")
    first = wgsl_fuzz("enumerate", *options, "--programs", "60", "--out", run)
    assert "60 shaders" in first.stdout
    assert wgsl_fuzz("--resume", run, "--programs", "20").exit_code == first.exit_code
    for folder in (run / "findings").iterdir():
        command = orjson.loads((folder / "finding.json").read_bytes())["draw again"].split()
        printed = wgsl_fuzz(*command[1:]).stdout
        assert printed.split("\n", 1)[1].removesuffix("\n") == (folder / "drawn.wgsl").read_text(encoding="utf-8")


def test_a_corpus_is_gone_through_case_by_case(tmp_path: Path) -> None:
    """The shipped one has a name where there is no folder of that name."""
    options = ("--max-statements", "0", "--format", "counts")
    cases = load_cases()
    shown = wgsl_fuzz("enumerate", "--near", corpus_folder(), *options).stdout
    assert f"{len(cases)} shaders" in shown
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        named = wgsl_fuzz("enumerate", "--near", "corpus", *options).stdout
    assert [line.split()[1:] for line in named.splitlines()] == [line.split()[1:] for line in shown.splitlines()]
    assert all(f"{case.name}/shader.wgsl" in named for case in cases)


def test_what_is_no_wgsl_and_no_corpus_has_no_neighbours(tmp_path: Path) -> None:
    file = tmp_path / "a.wgsl"
    file.write_text("fn f( {}", encoding="utf-8")
    for path, said in ((file, "a.wgsl:1:"), (tmp_path, "is no corpus"), (tmp_path / "b.wgsl", "b.wgsl")):
        result = wgsl_fuzz("enumerate", "--near", path)
        assert result.exit_code == 2
        assert said in result.stderr
