"""Options from `wgsl-fuzz.toml` and from `[tool.wgsl-fuzz]` in `pyproject.toml`."""

from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz

SHADER = "@compute @workgroup_size(2) fn main() { workgroupBarrier(); }"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "shader.wgsl").write_text(SHADER)
    monkeypatch.chdir(tmp_path / "below")


@pytest.mark.parametrize("name", ["wgsl-fuzz.toml", "below/wgsl-fuzz.toml", "pyproject.toml"])
def test_a_campaigns_options_come_from_the_nearest_file(tmp_path: Path, name: str) -> None:
    head = "[tool.wgsl-fuzz]\n" if name == "pyproject.toml" else ""
    text = 'target = ["rules:paper"]\nprograms = 16\nseed = 3\njobs = 1\nquiet = false\nout = "run"\n'
    (tmp_path / name).write_text(head + text)
    result = wgsl_fuzz()
    assert result.exit_code == 0, result.output
    assert "16 shaders" in result.output
    assert (tmp_path / "below" / "run" / "run.json").exists()
    again = wgsl_fuzz("--programs", "24", "--out", "other")
    assert "24 shaders" in again.output, "the command line counts more"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("programms = 8", "there is no option 'programms'; did you mean programs?"),
        ("[chek]\nformat = 1", "there is no command 'chek'; did you mean check?"),
        ("[check]\nfromat = 1", "check: there is no option 'fromat'; did you mean format?"),
        ("[check]\njson = true", "check: there is no option 'json'"),
        ("programs = [8]", "programs is one value, not a list"),
        ("programs = true", "programs is a text or a number, not True"),
        ('quiet = "no"', "quiet is true or false, not 'no'"),
        ("programs = ", "is not TOML"),
        ('resume = "x"', "there is no option 'resume'"),
        ("programs = -1", "-1 is not in the range x>=1 (in the configuration file)"),
    ],
)
def test_a_file_at_fault_is_one_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "wgsl-fuzz.toml").write_text(text)
    result = wgsl_fuzz("--target", "rules:paper")
    assert result.exit_code == 2, result.output
    assert words in result.output
    assert len(result.output.splitlines()) == 1


def test_a_pyproject_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    (tmp_path / "below" / "pyproject.toml").write_text("not toml at all")
    assert wgsl_fuzz("check", "shader.wgsl").exit_code == 0
