"""`NAME@VERSION=PATH`: a target by its path has a stable name in what campaigns, `check` and `replay` write."""

from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.runs import DIVERGING
from wgsl_fuzz.fuzz.findings.loading import load_run


@pytest.fixture(autouse=True)
def _mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("named.py").write_text('VARIANTS = ["10a"]\n')
    Path("shader.wgsl").write_text(DIVERGING)


MINE = ("--target", "rules@mine=rules:./named.py")


def test_a_campaign_names_it_so_and_goes_on_with_it() -> None:
    begun = wgsl_fuzz(*MINE, "--language", "tiny", "--programs", "120", "--seed", "5", "--jobs", "1", "--out", "run")
    assert begun.exit_code == 1, begun.output
    assert "rules@mine unsound before-2025-10-14/10a" in begun.stdout
    run = load_run(Path("run"))
    assert run.record.targets.keys() == {"rules@mine"}
    assert {found.target for found in run.findings} == {"rules@mine"}
    again = wgsl_fuzz(*run.findings[0].record.reproduce.split()[1:])
    assert again.exit_code == 1
    assert "rules@mine" in again.stdout
    further = wgsl_fuzz("--resume", "run", "--target", "rules:./named.py", "--programs", "8", "--jobs", "2")
    assert further.exit_code == 1, further.output
    assert load_run(Path("run")).record.answers.keys() == {"rules@mine"}


def test_replay_records_under_the_name_whatever_the_path() -> None:
    options = ["--language", "tiny", "--programs", "60", "--seed", "5", "--jobs", "1", "--out", "run"]
    assert wgsl_fuzz("--target", "rules:without-10a", *options).exit_code == 1
    wgsl_fuzz("triage", "run", "--show", "1", "--format", "corpus", "-o", "cases", "--name", "one")
    assert wgsl_fuzz("replay", "cases", *MINE, "--record").exit_code == 1
    Path("elsewhere").mkdir()
    Path("named.py").rename("elsewhere/own.py")
    result = wgsl_fuzz("replay", "cases", "--target", "rules@mine=rules:elsewhere/own.py", "--format", "verbose")
    assert result.exit_code == 0, result.output
    assert "rules@mine" in result.stdout
    Path("elsewhere/fixed.py").write_text("VARIANTS = []\n")
    fixed = wgsl_fuzz("replay", "cases", "--target", "rules@mine=rules:elsewhere/fixed.py")
    to_record = next(line for line in fixed.stdout.splitlines() if line.startswith("To record"))
    assert "--target rules@mine=rules:elsewhere/fixed.py --record" in to_record


def test_reduce_names_it_so() -> None:
    mine = MINE[1]
    for options in (["--keep", f"{mine}=accepts,paper=rejects"], ["--oracle", mine]):
        result = wgsl_fuzz("reduce", "shader.wgsl", *options)
        assert result.exit_code == 0, result.output
        assert "rules@mine=rules:./named.py accepts" in result.stderr
        assert "rules@mine=rules:" in result.stderr.splitlines()[-1], "to ask again, the path is needed"
