"""The commands of the report page work wherever it is opened, and none is broken within an option."""

import html
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.runs import DIVERGING, STRICT, MadeUpRun, strict, unsound
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import FindingRecord
from wgsl_fuzz.fuzz.findings.schema import read
from wgsl_fuzz.fuzz.present.report.cards import Command, commands_of
from wgsl_fuzz.fuzz.present.report.page import page_of

CAUSE = "before-2025-10-14/10a"
TARGET = f"rules:{CAUSE}"


def copied(command: Command) -> str:
    """A command as it is copied: the text of its element."""
    return html.unescape(re.sub("<[^>]*>", "", command.html))


def commands(made: MadeUpRun) -> list[Command]:
    return page_of(made.stored()).cards[0].commands


def test_a_command_shows_the_finding_in_any_folder(tmp_path: Path) -> None:
    made = MadeUpRun(tmp_path / "run")
    made.found(unsound(target=TARGET, cause=CAUSE), reduced=DIVERGING)
    (command, *_) = commands(made)
    script = f'wgsl-fuzz() {{ "{sys.executable}" -m wgsl_fuzz "$@"; }}\n{copied(command)}\n'
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert f"unsound: {TARGET} unsound {CAUSE}" in done.stdout


def test_each_of_two_texts_has_its_command(tmp_path: Path) -> None:
    made = MadeUpRun(tmp_path / "run")
    made.found(strict(kind="metamorphic", cause="negated"), reduced=STRICT, related=DIVERGING)
    first, second, _ = commands(made)
    assert (first.text, second.text) == (STRICT, DIVERGING)
    assert (first.label, second.label) == tuple(
        f"Show every verdict again: the {which} shader" for which in ("first", "second")
    )


def test_the_run_is_named_by_where_it_is_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = MadeUpRun(tmp_path / "it's moved")
    made.found(unsound(**{"draw again": "wgsl-fuzz generate -n 1 --run 'old place' --first 7"}), reduced=DIVERGING)
    monkeypatch.chdir(tmp_path)
    made.path = Path("it's moved")
    command = commands(made)[-1]
    assert command.words == ("wgsl-fuzz", "generate", "-n", "1", "--run", str(tmp_path / "it's moved"), "--first", "7")
    assert shlex.split(copied(command)) == list(command.words)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1), min_size=1))
def test_what_is_copied_is_what_is_meant(words: list[str]) -> None:
    command = Command("", tuple(words))
    assert shlex.split(copied(command)) == words
    assert " ".join(command.parts) == shlex.join(words)


def test_an_option_and_its_value_are_not_apart() -> None:
    words = ("wgsl-fuzz", "check", "-", "--oracle", "wgsl", "--oracle", "semantics")
    assert Command("", words).parts == ["wgsl-fuzz", "check", "-", "--oracle wgsl", "--oracle semantics"]


@pytest.mark.parametrize("text", ["a\nWGSL\nb", "a\nWGSL\nWGSL_\n"])
def test_a_text_does_not_end_early(text: str) -> None:
    head, *lines = copied(Command("", ("wgsl-fuzz", "check", "-"), text)).splitlines()
    end = head.split("'")[1]
    assert lines.index(end) == len(lines) - 1
    assert "\n".join(lines[:-1]) == text.rstrip("\n")


def test_where_no_reference_judges_a_text_all_targets_are_asked() -> None:
    record = read(FindingRecord, strict(reference="none", targets={"a": "", "tint@0.3.8": ""}))
    (again, _) = commands_of(Finding(record, {"reduced.wgsl": "x"}), ["x"])
    assert again.parts == ["wgsl-fuzz", "check", "-", "--oracle tint@0.3.8", "--oracle a"]
