"""What `explain` says of texts of the whole of WGSL, in full, for some that are small enough to read.

After a change of words: `cd tests/fuzz/present/explanations; wgsl-fuzz explain NAME.wgsl -o NAME.txt`, and read it.
"""

import json
from pathlib import Path

import pytest

from wgsl_fuzz.fuzz.present.explanation import explained, json_of, lines_of
from wgsl_fuzz.fuzz.present.picture import dot_of
from wgsl_fuzz.fuzz.problems import Problem

FOLDER = Path(__file__).with_name("explanations")
TEXTS = sorted(FOLDER.glob("*.wgsl"))


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: str(file.stem))
def test_in_full(file: Path) -> None:
    one = explained(file.name, file.read_text(encoding="utf-8"))
    said = "\n".join(lines_of(file.name, "wgsl", one)) + "\n"
    assert said == file.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: str(file.stem))
def test_json_says_the_same(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    one = explained(file.name, text)
    said = json.loads(json.dumps(json_of(file.name, one)))
    lines = text.split("\n")
    verdict = {"accepts": "uniform", "rejects": "non-uniform"}[one.case.analysis.verdict.value]
    assert said["verdict"] == verdict
    assert len(said["explanations"]) == len(one.messages)
    assert [f["function"] for f in said["functions"]] == [f.name for f in one.case.resolution.functions]
    for explanation in said["explanations"]:
        for step in explanation["steps"]:
            assert step["line"] <= step["end line"] <= len(lines)
            if step["line"] == step["end line"] and "…" not in step["quote"]:
                assert lines[step["line"] - 1][step["column"] - 1 : step["end column"] - 1] == step["quote"]


def test_a_call_with_two_demands_is_one_line() -> None:
    """Control flow at the call and the address fail for one reason; there are three violations."""
    text = """var<workgroup> w: u32; var<private> g: u32;
@compute @workgroup_size(8) fn main() {
  if g == 0u { return; }
  workgroupBarrier();
  _ = workgroupUniformLoad(&w);
}
"""
    one = explained("x", text)
    assert len(one.case.explanations) == 3
    assert sum("for the same reason" in line for line in lines_of("x", "wgsl", one)) == 1


def test_one_function_only() -> None:
    text = (FOLDER / "return-in-loop.wgsl").read_text(encoding="utf-8")
    both, one = explained("x", text), explained("x", text, function="main")
    assert [e.function.name for e in both.messages] == ["claim", "main"]
    assert [e.function.name for e in one.messages] == ["main"]
    assert [known.function.name for known in one.facts] == ["main"]
    with pytest.raises(Problem, match="no analysed function is called g; there is claim, main"):
        explained("x", text, function="g")


HELPED = """
fn inner(x: f32) -> f32 { return dpdx(x); }
@fragment fn main(@location(0) x: f32) -> @location(0) vec4f {
    if x > 0.0 { return vec4f(inner(x)); }
    return vec4f();
}
"""


@pytest.mark.parametrize("function", ["inner", "main"])
def test_a_function_has_the_errors_that_lead_through_it(function: str) -> None:
    (one,) = explained("x", HELPED, function=function).messages
    assert one.function.name == "inner"


def test_the_picture_has_a_cluster_for_each_function_on_the_path() -> None:
    dot = dot_of(explained("x", (FOLDER / "three-calls.wgsl").read_text(encoding="utf-8")))
    assert [line.split('"')[1] for line in dot.splitlines() if "label=" in line and "style=" in line] == [
        rf"{name}\l" for name in ("main", "run", "step")
    ]
    assert dot.count('class="call"') == 2
    assert dot.count('MustBeUnif path"') == 3
    assert "job.first" not in dot  # its address is uniform: it is on no path
