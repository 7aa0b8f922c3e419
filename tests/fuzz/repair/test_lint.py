"""`lint`: what is wrong in shaders, in the forms of compilers, editors and code hosts; repairs shown and written."""

import json
import re
from functools import partial
from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.cli.lint import NO_ERRORS
from wgsl_fuzz.wgsl.problems import Source

SHADERS = Path(__file__).parent / "shaders"
REPAIRED = SHADERS.parent / "repaired"
lint = partial(wgsl_fuzz, "lint")


def test_errors_stand_as_compilers_write_them() -> None:
    path = SHADERS / "early-return.wgsl"
    done = lint(path)
    first, *notes = done.stdout.splitlines()
    assert done.exit_code == 1
    assert first.startswith(f"{path}:13:5: error: `workgroupBarrier` must be called in uniform control flow")
    assert first.endswith(" [synchronization]")
    assert all(": note: " in note for note in notes)
    assert done.stderr == "1 file: 1 error\n"


_SAMPLED = """@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;
fn f(a: f32, b: f32) -> f32 {
  if a > b {
    return textureSample(t, s, vec2f()).x;
  }
  return 0.0;
}
"""
_FRAGMENT = "@fragment fn main(@location(0) x: f32, @location(1) y: f32) -> @location(0) vec4f "


def _main(body: str, above: str = "") -> str:
    return f"{above}{_FRAGMENT}{{\n{body}\n}}"


_HELPER = "fn f(m: f32) -> f32 { if m > 0 { return dpdx(m) +\ndpdy(m); } return m; }\n"
_WARNED = "@diagnostic(warning, derivative_uniformity) fn w() { _ = dpdx(1); }\nfn e() { _ = dpdx(1); }\n"
_FILTERED = "if x > y\n@diagnostic(off, derivative_uniformity) { f(); }\nreturn vec4f();"
_UNWRITTEN = "var v = x;\nf(&v);\nif v > 0 { _ = dpdx(1); }\nreturn vec4f();"
BLAMED = [  # the built-in function, then notes
    (_main("let z = f(x, y);\nreturn vec4f(z, f(y, x), 0, 0);", _SAMPLED), "4:12 textureSample", "9:9 | 10:17"),
    (_main("if x > y { return vec4f(fwidth(x),\ndpdx(x), 0, 0); }\nreturn vec4f();"), "2:25 fwidth", "3:1"),
    (_main("return vec4f(f(x));", _HELPER), "1:41 dpdx", "2:1 | 4:14"),
    (_main("if x > y { w(); e(); }\nreturn vec4f();", _WARNED), "1:58 dpdx | 2:14 dpdx", "4:12 | 4:17"),
    (
        _main(_UNWRITTEN, "fn f(p: ptr<function, f32>) {}\n"),
        "5:16 dpdx",
        "4:1: note: `f` may leave what its argument 1, `&v`, points to as it was",
    ),
    (
        _main(_FILTERED, "fn f() { _ = dpdx(1); }\n"),
        "1:14 dpdx",
        "as its body requires; the filter on line 4 has no effect: put it around the call in `f`",
    ),
]
NAMES = ["each call and argument", "one cause", "a helper", "a warning hides nothing", "an empty function", "a filter"]


@pytest.mark.parametrize(("text", "errors", "notes"), BLAMED, ids=NAMES)
def test_the_built_in_function_is_blamed_and_calls_are_notes(text: str, errors: str, notes: str) -> None:
    lines = [line.removeprefix("standard input:") for line in lint("-", stdin=text).stdout.splitlines()]
    blamed = [line for line in lines if ": note: " not in line]
    assert " | ".join(re.sub(r": (error|warning): `(\w+)` .*", r" \2", line) for line in blamed) == errors
    told = [line for line in lines if ": note: " in line]
    assert all(any(note in line for line in told) for note in notes.split(" | "))
    one = json.loads(wgsl_fuzz("explain", "-", "--format", "json", stdin=text).stdout)
    told = [f"{s['line']}:{s['column']}: {s['sentence']}" for e in one["explanations"] for s in e["steps"]]
    assert [re.sub(r"(error|warning|note): |( \[\w+\]$)", "", line) for line in lines] == told


def test_a_folder_stands_for_its_shaders() -> None:
    done = lint(REPAIRED)
    count = len(list(REPAIRED.glob("*.wgsl")))
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", f"{count} files: {NO_ERRORS}\n")


@pytest.mark.parametrize(
    ("text", "place", "dialect"),
    [
        ("// a\n#import bevy_pbr::view\n@fragment fn f() {}", "2:1", "`#import` is of a preprocessor"),
        ("fn f() {\n  #ifdef X\n#endif\n}", "2:3", "`#ifdef` is of a preprocessor"),
        ("const n = #{SIZE};", "1:11", "`#{SIZE}` is of a preprocessor"),
        ("const n = {{ size }};", "1:11", "`{{ size }}` is of a template"),
        ("const n = ${size};", "1:11", "`${size}` is of a template"),
        ("@if(debug) fn f() {}", "1:1", "`@if` is WESL"),
        ("import package::a;\nfn f() {}", "1:1", "`import package::a` is WESL"),
        ("fn f() { a::b(); }", "1:10", "`a::b` is WESL"),
        ("[[stage(fragment)]] fn f() {}", "1:1", "`[[stage` is WGSL of 2021"),
        ("// #import, {{x}}\nfn f() {{ let = 1; }}", "2:15", "expected"),
    ],
)
def test_dialects_are_named_in_one_line(text: str, place: str, dialect: str) -> None:
    done = lint("-", "--fix", "show", stdin=text)
    (line,) = done.stdout.splitlines()
    assert line.startswith(f"standard input:{place}: error: {dialect}")
    assert done.stderr == "1 file: 1 error\n"


def test_json_has_steps_and_the_repair() -> None:
    (line,) = lint(SHADERS / "sample-in-if.wgsl", "--format", "json", "--fix", "show").stdout.splitlines()
    one = json.loads(line)
    (found,) = one["lints"]
    assert (found["rule"], found["line"], len(found["steps"])) == ("derivative_uniformity", 9, 2)
    assert (one["repair"]["edits"][0]["cost"], one["repair"]["safe"]) == ("same", True)
    assert one["repair"]["text"] == (REPAIRED / "sample-in-if.wgsl").read_text()


def test_sarif_has_one_run_for_all_files(tmp_path: Path) -> None:
    out = tmp_path / "out.sarif"
    assert lint(SHADERS, "--format", "sarif", "--out", out).exit_code == 1
    (run,) = json.loads(out.read_text())["runs"]
    places = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]]
    assert {*places} == {path.as_posix() for path in SHADERS.glob("*.wgsl")}
    assert {r["ruleId"] for r in run["results"]} == {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert all(r["codeFlows"][0]["threadFlows"][0]["locations"] for r in run["results"])


def test_sarif_has_fixes_and_says_what_rules_ask() -> None:
    path = SHADERS / "sample-in-if.wgsl"
    (run,) = json.loads(lint(path, "--format", "sarif", "--fix", "show").stdout)["runs"]
    (rule,) = run["tool"]["driver"]["rules"]
    assert "neighbouring invocations" in rule["shortDescription"]["text"]
    (plain,) = json.loads(lint(path, "--format", "sarif").stdout)["runs"]
    fix, *others = run["results"][0]["fixes"]
    assert plain["results"][0]["fixes"] == [fix]
    assert fix["description"]["text"].startswith("safe: ")
    assert all(other["description"]["text"].startswith("unsafe: ") for other in others)
    text, source = path.read_text(), Source(path.read_text())
    (change,) = fix["artifactChanges"]
    for replacement in reversed(change["replacements"]):
        region = replacement["deletedRegion"]
        places = ((region[f"{side}Line"], region[f"{side}Column"]) for side in ("start", "end"))
        start, end = (source._line_starts[line - 1] + column - 1 for line, column in places)
        text = text[:start] + replacement["insertedContent"]["text"] + text[end:]
    assert text == (REPAIRED / "sample-in-if.wgsl").read_text()


def test_annotations_of_pull_requests_are_one_line_each() -> None:
    (line,) = lint(SHADERS / "reduction.wgsl", "--format", "github").stdout.splitlines()
    assert "repair:%0A" in line
    assert line.startswith(f"::error file={SHADERS / 'reduction.wgsl'},line=12,col=13,")
    assert "%0Aline 10: " in line


def test_repairs_that_keep_the_meaning_are_written(tmp_path: Path) -> None:
    kept, changed = tmp_path / "kept.wgsl", tmp_path / "changed.wgsl"
    kept.write_text((SHADERS / "strided-loop.wgsl").read_text())
    changed.write_text((SHADERS / "shadow-map.wgsl").read_text())
    done = lint(tmp_path, "--fix", "write")
    assert done.exit_code == 1
    assert kept.read_text() == (REPAIRED / "strided-loop.wgsl").read_text()
    assert changed.read_text() == (SHADERS / "shadow-map.wgsl").read_text()
    assert f"{changed}: not written" in done.stderr
    assert lint(kept).exit_code == 0


def test_a_repaired_file_keeps_its_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.wgsl"
    path.write_bytes((SHADERS / "strided-loop.wgsl").read_bytes().replace(b"\n", b"\r\n"))
    assert lint(path, "--fix", "write").exit_code == 0
    assert path.read_bytes() == (REPAIRED / "strided-loop.wgsl").read_bytes().replace(b"\n", b"\r\n")


@pytest.mark.parametrize("fix", ["show", "write"])
def test_it_is_said_that_there_is_no_repair(tmp_path: Path, fix: str) -> None:
    path = tmp_path / "a.wgsl"
    path.write_text("var<private> n: u32;\nfn f() { while n > 0 { workgroupBarrier(); } }\n")
    assert lint(path, "--fix", fix).stderr == f"{path}: no repair was found\n1 file: 1 error\n"
    path.write_text("fn f() { let x = y; }\n")
    assert lint(path, "--fix", fix).stderr == "1 file: 1 error\n"
