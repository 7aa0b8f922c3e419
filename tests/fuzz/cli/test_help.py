"""Help pages: whole summaries, exit statuses, one letter for a target; and hints that name commands."""

import ast
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.cli.main import main
from wgsl_fuzz.fuzz.cli.options import LargeCommand

ROOT = Path(__file__).resolve().parents[3]

_NAMED = re.compile(r"(?:^|[`:>] *|  )wgsl-fuzz ([a-z][a-z-]*)(?![a-z:-])")
"""A command in a text that programs show: after a backtick, a colon, an indentation, or at the beginning."""


def _commands(group: click.Group = main) -> Iterator[tuple[str, click.Command]]:
    yield "", group
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", one) for inner, one in command.commands.items())


COMMANDS = dict(_commands())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_page_gives_the_exit_status_and_whole_summaries(name: str) -> None:
    result = CliRunner().invoke(main, [*name.split(), "--help"], terminal_width=80)
    assert result.exit_code == 0
    assert "Exit status:" in result.output
    assert not re.search(r"^(?!Usage:).*\.\.\.$", result.output, re.M)


@pytest.mark.parametrize("name", ["", *(name for name, one in COMMANDS.items() if isinstance(one, LargeCommand))])
def test_no_option_is_left_out_of_the_groups(name: str) -> None:
    said = CliRunner().invoke(main, [*name.split(), "--help"]).output
    options = [p for p in COMMANDS[name].params if isinstance(p, click.Option)]
    assert [p.name for p in options if not re.search(rf"^  .*{p.opts[0]}\b", said, re.M)] == []


def test_t_is_the_target_everywhere() -> None:
    of_t = {name: p for name, command in COMMANDS.items() for p in command.params if "-t" in p.opts}
    targeted = {name for name, command in COMMANDS.items() for p in command.params if "--target" in p.opts}
    assert {"", "check", "enumerate", "reduce", "replay"} <= of_t.keys() == targeted
    assert all("--target" in p.opts for p in of_t.values())


def test_every_hint_names_a_command_that_is_there() -> None:
    known = {name for name in COMMANDS if name}
    wrong = []
    for path in (path for package in ("fuzz", "oracle") for path in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                wrong += [(path.name, name) for name in _NAMED.findall(node.value) if name not in known]
    assert wrong == []
    assert _NAMED.findall("to see it: wgsl-fuzz status RUN") == ["status"]


# ----------- Requests that are refused, of every command: one clear line, exit status 2, and nothing written or started


REPOSITORY = Path(__file__).parents[3]
TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("requests.toml").read_text(encoding="utf-8"))
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
    result = wgsl_fuzz(*shlex.split(command.replace("{root}", str(REPOSITORY))))
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    (line,) = (line for line in result.stderr.splitlines() if not line.startswith("target "))
    assert says in line
    assert {path.name for path in folder.iterdir()} == TABLE["files"].keys()


ANSWERS = [(command, words) for table in TABLE["answered"].values() for command, words in table.items()]


@pytest.mark.parametrize(("command", "words"), ANSWERS, ids=[command for command, _ in ANSWERS])
def test_an_answer_says(folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, words: list[Any]) -> None:
    """After the exit status stands what the answer says, and behind a `!` what it does not say."""
    monkeypatch.chdir(folder)
    result = wgsl_fuzz(*shlex.split(command.replace("{root}", str(REPOSITORY))))
    said = " ".join(result.output.split())
    wrong = [word for word in words[1:] if (word.lstrip("!") in said) == word.startswith("!")]
    assert (result.exit_code, wrong) == (words[0], []), result.output


CALLS: list[list[str]] = [[], *([name] for name in sorted(main.commands))]


@given(st.sampled_from(CALLS), st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12))
def test_whatever_option_is_not_there_is_one_line(command: list[str], name: str) -> None:
    result = wgsl_fuzz(*command, f"--no{name}t-there")
    assert result.exit_code == 2
    assert result.stderr.startswith(" ".join(["wgsl-fuzz", *command]) + ": ")
    assert len(result.stderr.splitlines()) == 1
