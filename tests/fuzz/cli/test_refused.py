"""Requests that are refused, of every command: one clear line, exit status 2, and nothing written or started."""

import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.cli.main import main

ROOT = Path(__file__).parents[3]
TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("refused.toml").read_text(encoding="utf-8"))
ROWS = [(command, words) for table in TABLE["refused"].values() for command, words in table.items()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the rows name."""
    path = tmp_path_factory.mktemp("refused")
    for name, text in TABLE["files"].items():
        (path / name).write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(("command", "says"), ROWS, ids=[command for command, _ in ROWS])
def test_a_wrong_request_is_one_line_and_status_2(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, says: str
) -> None:
    monkeypatch.chdir(folder)
    result = wgsl_fuzz(*shlex.split(command.replace("{root}", str(ROOT))))
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    (line,) = (line for line in result.stderr.splitlines() if not line.startswith("target "))
    assert says in line
    assert {path.name for path in folder.iterdir()} == TABLE["files"].keys()


COMMANDS: list[list[str]] = [[], *([name] for name in sorted(main.commands))]


@given(st.sampled_from(COMMANDS), st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12))
def test_whatever_option_is_not_there_is_one_line(command: list[str], name: str) -> None:
    result = wgsl_fuzz(*command, f"--no{name}t-there")
    assert result.exit_code == 2
    assert result.stderr.startswith(" ".join(["wgsl-fuzz", *command]) + ": ")
    assert len(result.stderr.splitlines()) == 1
