"""What `check` says of any WGSL: entry points, what the semantics does not run, whom each oracle blames."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import Result

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.cases.case import read_case
from wgsl_fuzz.fuzz.cli.runs.progress import slow_targets
from wgsl_fuzz.fuzz.judging.blame import Blame, blamed_otherwise, blames
from wgsl_fuzz.oracle.dynamics.modules.execution import FOR_ONE_SHADER, Effort, Execution, execute
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants
from wgsl_fuzz.oracle.verdict import Answer, Verdict

CORPUS = Path(__file__).parents[3] / "corpus"
TWO_STAGES = """@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
@fragment fn shade(@location(0) uv: vec2f) -> @location(0) vec4f {
  if uv.x > 0.5 { return textureSample(t, s, uv); }
  return vec4f();
}
@compute @workgroup_size(64) fn work() { workgroupBarrier(); }
"""
WARNING = "diagnostic(warning, derivative_uniformity);\n" + TWO_STAGES
TINY = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (lid == 0u) { workgroupBarrier(); }
}
"""


def check(text: str, *options: str) -> Result:
    return wgsl_fuzz("check", "-", *options, stdin=text)


def answer(tmp_path: Path, text: str, *options: str) -> dict[str, Any]:
    file = tmp_path / "x.wgsl"
    file.write_text(text, encoding="utf-8")
    found: dict[str, Any] = orjson.loads(wgsl_fuzz("check", file, "--format", "json", *options).stdout)
    return found


@pytest.mark.parametrize("names", [[], ["wgsl"], ["paper", "wgsl"]], ids=" ".join)
@pytest.mark.parametrize(
    ("text", "word", "stages"),
    [
        (TWO_STAGES, "rejects", "fragment shade: rejects; compute work: accepts"),
        (WARNING, "accepts", "fragment shade: accepts with warning; compute work: accepts"),
        ("fn f() { }", "accepts", "no entry point"),
        ("// nothing\n", "accepts", "no entry point"),
        ("\r\n", "accepts", "no entry point"),
    ],
)
def test_entry_points_are_named_once(names: list[str], text: str, word: str, stages: str) -> None:
    options = [part for name in names for part in ("--oracle", name)]
    lines = check(text, *options).stdout.splitlines()
    assert [line.split(maxsplit=2) for line in lines if line.startswith("  wgsl ")] == [["wgsl", word, stages]]


def test_what_the_semantics_does_not_run_is_said_by_name(tmp_path: Path) -> None:
    result = check("fn f() { }", "--oracle", "semantics")
    assert result.exit_code == 0
    assert "not-run  it cannot run a module without an entry point" in result.stdout
    said = answer(tmp_path, "fn f() { }", "--oracle", "semantics")
    assert said["verdicts"] == {"semantics": "not-run"}
    assert said["not run"] == "a module without an entry point"
    said = answer(tmp_path, TINY, "--oracle", "semantics")
    assert (said["verdicts"], "not run" in said) == ({"semantics": "diverges"}, False)
    assert "semantics" not in answer(tmp_path, "fn f(", "--oracle", "semantics")["verdicts"]


POINTER = """fn f(p: ptr<function, u32>) { *p += 1; }
@compute @workgroup_size(2) fn work(@builtin(local_invocation_index) lid: u32) {
  var x = lid;
  f(&x);
  if x == 1 { workgroupBarrier(); }
}
"""


UNIFORM = TINY.replace("lid == 0u", "true")


def noted_efforts(monkeypatch: pytest.MonkeyPatch) -> list[Effort | None]:
    """The efforts of the executions to come, by `check` and by `run`."""
    efforts = list[Effort | None]()

    def noting(*args: Any, effort: Effort | None = None, **options: Any) -> Execution:
        efforts.append(effort)
        return execute(*args, effort=effort, **options)

    monkeypatch.setattr("wgsl_fuzz.fuzz.cases.case.execute", noting)
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.run.execute", noting)
    return efforts


@pytest.mark.parametrize(
    ("names", "text", "runs"),
    [
        ("wgsl", "fn f() { }", 0),
        ("wgsl", TINY, 0),
        ("wgsl", UNIFORM, 0),
        ("paper letter", UNIFORM, 0),
        ("wgsl paper", POINTER, 0),
        ("semantics wgsl", UNIFORM, 1),
        ("letter", (CORPUS / "tint-workgroup-index/shader.wgsl").read_text(), 1),
        ("wgsl-tint-0.6.2", (CORPUS / "tint-contents-at-argument/shader.wgsl").read_text(), 1),
    ],
)
def test_the_semantics_runs_for_who_asks_or_where_verdicts_differ(
    names: str, text: str, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    efforts = noted_efforts(monkeypatch)
    check(text, *[part for name in names.split() for part in ("--oracle", name)])
    assert len(efforts) == runs


def test_modules_are_executed_for_who_asks_the_semantics_as_by_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    efforts = noted_efforts(monkeypatch)
    result = check(POINTER, "--oracle", "semantics")
    assert "diverges" in wgsl_fuzz("run", "-", stdin=POINTER).stdout
    assert efforts == [FOR_ONE_SHADER, FOR_ONE_SHADER]
    assert "semantics  diverges" in result.stdout
    assert "  it does diverge:" in result.stdout
    assert "thread 1 has ended" in result.stdout
    uniform = POINTER.replace("var x = lid", "var x = 0u")
    assert answer(tmp_path, uniform, "--oracle", "semantics")["verdicts"] == {"semantics": "converges"}


@pytest.mark.parametrize("text", [TINY, TWO_STAGES.replace("uv.x > 0.5", "true") + TINY])
def test_whom_a_target_blames_is_compared(text: str) -> None:
    case = read_case(text)
    line = text[: text.index("if (lid")].count("\n") + 1

    def said(line: int) -> dict[str, Answer]:
        message = f"shader:{line}:20 error: 'workgroupBarrier' must only be called from uniform control flow"
        return {"tint": Answer(Verdict.REJECTS, message), "other": Answer(Verdict.ACCEPTS)}

    assert blames(case, said(line)) == [Blame("tint", line, 20, agrees=True)]
    assert list(blamed_otherwise(case, said(line))) == []
    assert [asdict(blame)["agrees"] for blame in blames(case, said(1))] == [False]
    assert list(blamed_otherwise(case, said(1))) == [f"tint blames 1:20; the reference blames {line}:20"]
    assert blames(case, {"tint": Answer(Verdict.REJECTS, "error: no place")}) == []


@pytest.mark.parametrize("column", [41, 51])
def test_every_guilty_call_of_a_helper_is_blamed(column: int) -> None:
    text = """fn f(m: f32) -> f32 { if m > 0 { return dpdx(m) + dpdy(m); } return m; }
@fragment fn main(@location(0) x: f32) -> @location(0) vec4f { return vec4f(f(x)); }"""
    answer = Answer(Verdict.REJECTS, f"1:{column} error: 'dpdx' must only be called from uniform control flow")
    assert blames(read_case(text), {"tint": answer}) == [Blame("tint", 1, column, agrees=True)]


def test_tint_blames_the_barrier_that_the_reference_blames(tmp_path: Path) -> None:
    said = answer(tmp_path, TINY, "--oracle", "tint")
    if "verdicts" not in said or not any(name.startswith("tint") for name in said["verdicts"]):
        pytest.skip("no Tint here")
    assert [(blame["line"], blame["column"], blame["agrees"]) for blame in said["blamed"]] == [(3, 20, True)]


@pytest.mark.parametrize("text", [TINY, TWO_STAGES, WARNING])
def test_who_asks_a_target_alone_sees_the_reference_beside_it(text: str) -> None:
    def rows(*names: str) -> list[list[str]]:
        found = check(text, *(part for name in names for part in ("--oracle", name))).stdout.splitlines()
        return [line.split(maxsplit=2) for line in found[1 : 1 + len(names) + 1]]

    verdict = rows("wgsl")[0][1]
    first, second = rows("rules:paper")
    assert first[:2] == ["wgsl", verdict]
    assert first[2].startswith("the reference")
    assert second[0] == "rules:paper"
    assert not any("the reference" in word for row in rows("wgsl", "rules:paper") for word in row)
    assert rows("semantics")[0][0] == "semantics"


def test_the_cause_of_a_finding_is_said_as_sure_as_it_is(tmp_path: Path) -> None:
    rules = tmp_path / "mine.py"
    rules.write_text(
        "from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis\n"
        "class Rules(ScopeAnalysis):\n def condition(self, s, e, cf):\n  super().condition(s, e, cf)\n  return cf\n",
        encoding="utf-8",
    )
    text = "@compute @workgroup_size(2)\nfn main(@builtin(local_invocation_index) lid: u32) {\n"
    guarded = text + "  if (lid == 0u) { workgroupBarrier(); }\n}\n"
    (found,) = answer(tmp_path, guarded, "--oracle", str(rules))["findings"]
    assert (found["kind"], found["certainty"]) == ("unsound", "fits small changes")
    assert found["branch"] in all_variants()
    told = " ".join(wgsl_fuzz("check", tmp_path / "x.wgsl", "--oracle", rules).stdout.split())
    assert "Explained by one change of the specification's rules: " in told
    large = guarded.replace("  if", "  _ = lid;\n" * 20 + "  if")
    (found,) = answer(tmp_path, large, "--oracle", str(rules))["findings"]
    assert found["certainty"] == "unknown", "nothing is certain before it is reduced"
    figure = (CORPUS / "fig-10b" / "shader.wgsl").read_text(encoding="utf-8")
    (known,) = answer(tmp_path, figure, "--oracle", "wgsl-tint-0.3.8")["findings"]
    assert (known["cause"], known["certainty"], known["branch"]) == ("before-2025-10-17/10b", "known", None)


def test_a_target_that_holds_the_others_up_is_told_of() -> None:
    counters = Counters(answers={"quick": {Verdict.ACCEPTS: 10}, "slow": {Verdict.ACCEPTS: 10}})
    counters.programs = counters.waited_for = 10
    counters.waited.update({"quick": 0.1, "slow": 1.0})
    assert slow_targets(counters).keys() == {"slow"}
    assert "a campaign of its own" in slow_targets(counters)["slow"]
