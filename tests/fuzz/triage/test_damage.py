"""Records that a run never wrote: one clear line and status 2, and what is sound is shown all the same."""

from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.judging.test_buckets import BOTH_BREAK, IN_IF
from tests.fuzz.runs import MadeUp, change_state, store
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.judging.kinds import Kind

RUBBISH = ("{}", "[]", "null", "5", "", "{", '"text"', "\x00", '{"version": 3}', '{"kind": "unsound"}')
COMMANDS = (["triage", "--format", "json"], ["triage", "--show", "all"], ["report"])


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("rubbish", RUBBISH)
def test_a_damaged_finding_is_named_and_the_rest_is_shown(tmp_path: Path, rubbish: str, command: list[str]) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), MadeUp(BOTH_BREAK, kind=Kind.CRASH, cause="panicked at")])
    change_state(run.path, "UPDATE finding SET record = ? WHERE number = 1", rubbish.encode())
    result = wgsl_fuzz(*command, run.path)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert "000-finding" in result.stderr
    assert "panicked at" in result.stdout


@pytest.mark.parametrize("files", ['{"drawn.wgsl": "x"}', '{"reduced.wgsl": 5}', '{"reduced.wgsl": ""}', "[]", "x"])
def test_a_text_that_cannot_be_read_is_damage(tmp_path: Path, files: str) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF)])
    change_state(run.path, "UPDATE finding SET files = ?", files)
    assert [name for name, _ in load_run(run.path).broken] == ["000-finding"]
    for command in COMMANDS:
        assert wgsl_fuzz(*command, run.path).exit_code == 2


def test_no_file_outside_a_finding_is_read(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF, more={"describes": "../../run.json"})])
    assert run.findings == ()
