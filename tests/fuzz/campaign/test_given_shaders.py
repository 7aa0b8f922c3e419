"""The corpus and the user's shaders are asked about first; what they show is a finding like any other."""

from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.conftest import ran, resumed
from tests.fuzz.fakes import FakeTarget, without
from wgsl_fuzz.fuzz.cases.case import Given
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.findings.records import DRAWN, REDUCED
from wgsl_fuzz.fuzz.judging.kinds import Kind

PLAN = Plan(5)
FIGURE = Path(__file__).resolve().parents[3] / "corpus/fig-10a/shader.wgsl"
WITH_FOR = """@compute @workgroup_size(2)
fn main() {
  for (var i = 0u; i < 3u; i += 1u) {
    workgroupBarrier();
  }
}
"""


def given(path: Path) -> Given:
    return Given(str(path), path.read_text(encoding="utf-8"))


def of_file(path: Path, text: str) -> Given:
    path.write_text(text, encoding="utf-8")
    return given(path)


def test_a_fault_that_a_figure_shows_is_the_first_finding(tmp_path: Path) -> None:
    ran(tmp_path / "run", [FakeTarget(without("10a"))], PLAN, 0, given=[given(FIGURE)])
    found = load_run(tmp_path / "run").findings[0]
    assert found.kind is Kind.UNSOUND
    assert str(found.record.cause).endswith("/10a")
    assert (found.record.place.file, found.record.place.index) == (str(FIGURE), None)
    assert found.record.describes == REDUCED
    assert found.record.left
    case = given(FIGURE).case()
    assert (found.record.statements.reduced or 99) <= (case.statements or 0)
    assert found.files.get(DRAWN) == case.plain.text


def test_what_is_drawn_afterwards_does_not_change(tmp_path: Path) -> None:
    alone = ran(tmp_path / "alone", [FakeTarget(without("10a"))], PLAN, 200, reducing=False, given=[])
    after = ran(tmp_path / "after", [FakeTarget(without("10a"))], PLAN, 200, reducing=False, given=[given(FIGURE)])
    for name in ("programs", "reference", "outcomes", "answers"):
        assert getattr(alone, name) == getattr(after, name), name
    assert after.findings.total() == alone.findings.total() + 1
    drawn = [f.record.place for f in load_run(tmp_path / "after").findings if f.record.place.file is None]
    assert drawn == [f.record.place for f in load_run(tmp_path / "alone").findings]


def test_resume_asks_about_none_twice(tmp_path: Path) -> None:
    shaders = [given(FIGURE)] * 20
    target = FakeTarget()
    stopped = ran(tmp_path / "run", [target], PLAN, 8, given=shaders, stopped=lambda: target.asked > 0)
    assert stopped.given == 8
    asked = target.asked
    assert resumed(tmp_path / "run", [target], given=shaders).counters.given == 20
    assert target.asked - asked == asked // 8 * 12


def test_a_text_is_plain_whatever_its_blanks_and_comments(tmp_path: Path) -> None:
    plain = given(FIGURE).case().plain.text
    for text in (plain, f"// a figure\n{plain.replace(chr(10), chr(10) * 2)}"):
        case = of_file(tmp_path / "own.wgsl", text).case()
        assert case.plain is case
        assert not case.forms
    spelled = of_file(tmp_path / "own.wgsl", WITH_FOR).case()
    assert spelled.plain is not spelled
    assert "for" in spelled.forms


# ------------------------------------------------------------------------------------------------- the command line


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    folder = tmp_path / "seeds"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner/own.wgsl").write_text(FIGURE.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "texture.wgsl").write_text("@group(0) @binding(0) var t: texture_2d<f32>;", encoding="utf-8")
    (folder / "latin.wgsl").write_bytes(b"// \xe9")
    return folder


def test_folders_of_the_user_are_asked_like_the_corpus(tmp_path: Path, seeds: Path) -> None:
    out = tmp_path / "run"
    run = ("--target", "rules:without-10a", "--programs", 8, "--seed", 5, "--jobs", 1, "--out", out)
    result = wgsl_fuzz(*run, "--seeds", seeds)
    assert result.exit_code == 1
    passed = "1 file passed over, not known to the reference: latin.wgsl"
    assert f"2 shaders to ask about first; {passed}" in result.stderr
    files = [f.record.place.file or "" for f in load_run(out).findings]
    assert {Path(file).parent.name for file in files if file} >= {"fig-10a", "inner"}
    shown = wgsl_fuzz("triage", out, "--show", "1").stdout
    assert "comes from:  " in shown
    again = wgsl_fuzz("--resume", out, "--programs", 8, "--jobs", 1)
    assert "passed over" not in again.stderr
    assert [f.record.place.file or "" for f in load_run(out).findings][: len(files)] == files
