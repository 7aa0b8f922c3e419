"""Help pages: whole summaries, exit statuses, one letter for a target; and hints that name commands."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from wgsl_fuzz.fuzz.cli.main import main
from wgsl_fuzz.fuzz.cli.options import LargeCommand

ROOT = Path(__file__).resolve().parents[3]

_NAMED = re.compile(r"(?:^|[`:>] *|  )wgsl-fuzz ([a-z][a-z-]*)(?![a-z:-])")
"""A command in a text that programs show: after a backtick, a colon, an indentation, or at the beginning."""


def _commands(group: click.Group = main) -> Iterator[tuple[str, click.Command]]:
    yield "", group
    for name, command in group.commands.items():
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


@pytest.mark.parametrize("name", [name for name in COMMANDS if name])
def test_every_page_begins_with_its_summary(name: str) -> None:
    said = (COMMANDS[name].help or "").splitlines()[0]
    summary = COMMANDS[name].get_short_help_str(63)
    assert said.removesuffix(".") == summary.removesuffix(".")


@pytest.mark.parametrize("name", ["", *(name for name, one in COMMANDS.items() if isinstance(one, LargeCommand))])
def test_no_option_is_left_out_of_the_groups(name: str) -> None:
    said = CliRunner().invoke(main, [*name.split(), "--help" if name else "--help-all"]).output
    options = [p for p in COMMANDS[name].params if isinstance(p, click.Option)]
    assert [p.name for p in options if not re.search(rf"^  .*{p.opts[0]}\b", said, re.M)] == []


def test_large_commands_have_groups() -> None:
    options = {name: sum(isinstance(p, click.Option) for p in one.params) for name, one in COMMANDS.items() if name}
    assert {name for name, n in options.items() if n > 6 and not isinstance(COMMANDS[name], LargeCommand)} == set()


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
