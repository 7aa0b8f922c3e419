"""What counts as convergence, all through a campaign: judged, reduced, recorded, resumed, shown, kept."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fuzz.command import refused, wgsl_fuzz
from tests.fuzz.conftest import ran
from tests.fuzz.fakes import Reader
from tests.wgsl.reading import parse
from wgsl_fuzz.fuzz.cases.case import Given
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.loading import StoredRun, load_run
from wgsl_fuzz.fuzz.findings.records import DRAWN
from wgsl_fuzz.fuzz.judging.judge import judge
from wgsl_fuzz.fuzz.judging.kinds import Kind
from wgsl_fuzz.fuzz.regression.corpus import export_case, load_case
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.dynamics.exploration import explore
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, DYNAMIC_BLOCKS, NOTIONS, SAME_BARRIER, Notion
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict

FIG_1C = corpus_folder() / "fig-1c" / "shader.wgsl"
"""It diverges under the paper's notion only."""
MAIN = "@compute @workgroup_size(2)\nfn main(@builtin(local_invocation_index) lid: u32) {\n"
ALONE = MAIN + "  if (lid == 0u) {\n    workgroupBarrier();\n    return;\n  }\n  workgroupBarrier();\n}\n"
"""It diverges under all of them, and so does what is left of it."""
MODULE = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  for (var i = 0u; i < 2u; i++) {
    switch lid { case 0u: { continue; } default: { if i == 0u { continue; } } }
  }
  for (var i = 0u; i < 2u; i++) {
    if i == lid { workgroupBarrier(); }
  }
}
"""
"""Each thread comes to the barrier once, in an iteration of its own: it converges under `same-barrier` alone."""


def run(out: Path, text: str, notion: Notion) -> StoredRun:
    """A campaign that asks a target that accepts everything about one text."""
    (out.parent / "text.wgsl").write_text(text, encoding="utf-8")
    lenient = Reader(lambda _: Answer(Verdict.ACCEPTS))
    ran(out, [lenient], Plan(1, convergence=notion), given=[Given("text.wgsl", text)])
    return load_run(out)


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("notion", NOTIONS.values(), ids=str)
def test_a_run_judges_and_reduces_by_its_notion(notion: Notion, tmp_path: Path) -> None:
    stored = run(tmp_path / "run", FIG_1C.read_text(encoding="utf-8"), notion)
    (found,) = stored.findings
    assert found.record.first.kind is (Kind.UNSOUND if notion is CONTROL_STACKS else Kind.TOO_LENIENT)
    diverges = explore(parse(found.text), notion=notion).outcome is Outcome.DIVERGES
    assert (found.kind is Kind.UNSOUND) is diverges  # a smaller shader may diverge where this one does not
    assert found.record.notion is stored.notion is notion
    assert ("--convergence" in found.record.reproduce) is (notion is not CONTROL_STACKS)
    assert found.account.outcome
    assert found.account.notion == ("" if notion is CONTROL_STACKS else notion.sentence)
    (found,) = run(tmp_path / "alone", ALONE, notion).findings
    assert found.kind is Kind.UNSOUND
    assert explore(parse(found.text), notion=notion).outcome is Outcome.DIVERGES
    assert found.record.verdicts["semantics"] == "diverges"


@pytest.mark.parametrize(
    ("notion", "kind"), [(CONTROL_STACKS, Kind.UNSOUND), (SAME_BARRIER, Kind.TOO_LENIENT)], ids=str
)
def test_modules_are_judged_by_it_too(notion: Notion, kind: Kind) -> None:
    case = Given("text.wgsl", MODULE).case(notion)
    assert case.core is None
    (found,) = judge(case, {"lax": Answer(Verdict.ACCEPTS)})
    assert found.kind is kind


def test_people_are_told_of_it(tmp_path: Path) -> None:
    stored = run(tmp_path / "run", FIG_1C.read_text(encoding="utf-8"), DYNAMIC_BLOCKS)
    for words in (["triage", str(stored.path)], ["report", str(stored.path)]):
        assert "What counts as convergence is dynamic-blocks" in wgsl_fuzz(*words).stdout


def test_a_case_of_the_corpus_is_by_the_papers_notion(tmp_path: Path) -> None:
    stored = run(tmp_path / "run", FIG_1C.read_text(encoding="utf-8"), SAME_BARRIER)
    (found,) = stored.findings
    drawn = replace(found, record=replace(found.record, describes=DRAWN, kind=Kind.TOO_LENIENT))
    assert drawn.case().ask_semantics() == ("converges", "")
    case = load_case(export_case(drawn, tmp_path / "corpus", name="kept", why="The rules reject it."))
    assert (case.outcome, case.verdicts["fake"].kind) == (Outcome.DIVERGES, Kind.UNSOUND)


def test_a_run_goes_on_by_its_notion_only(tmp_path: Path) -> None:
    out = tmp_path / "run"
    begun = ["-t", "paper", "--language", "tiny", "--programs", "8", "--seed", "1", "--jobs", "1", "--out", str(out)]
    assert wgsl_fuzz(*begun, "--convergence", "same-barrier").exit_code == 0
    said = refused("--resume", out, "--convergence", "control-stacks", "--programs", "8")
    assert "judges by same-barrier: begin another run" in said
    again = ["--resume", str(out), "--convergence", "same-barrier", "--programs", "8", "--jobs", "1"]
    assert wgsl_fuzz(*again).exit_code == 0
    stored = load_run(out)
    assert (stored.notion, stored.record.programs) == (SAME_BARRIER, 16)


@pytest.mark.parametrize("notion", NOTIONS.values(), ids=str)
def test_check_takes_it(notion: Notion) -> None:
    word = "diverges" if notion is CONTROL_STACKS else "converges"
    words = [str(FIG_1C), "--oracle", "semantics", "--convergence", notion.name]
    assert f"semantics  {word}" in wgsl_fuzz("check", *words).stdout


def test_reduce_keeps_what_the_semantics_says_by_it() -> None:
    done = wgsl_fuzz("reduce", "-", "--keep", "semantics=diverges", stdin=ALONE)
    other = [*["reduce", "-", "--keep", "semantics=diverges"], "--convergence", "same-barrier"]
    assert done.exit_code == wgsl_fuzz(*other, stdin=ALONE).exit_code == 0
    assert wgsl_fuzz("reduce", FIG_1C, *other[2:]).exit_code == 2


@pytest.mark.parametrize("notion", NOTIONS.values(), ids=str)
def test_a_notion_stays_one_object(notion: Notion) -> None:
    assert pickle.loads(pickle.dumps(notion)) is Notion.parse(str(notion)) is notion
    with pytest.raises(ValueError, match="'none', not one of control-stacks"):
        Notion.parse("none")
