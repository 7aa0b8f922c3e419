"""Where compilers run: in directories of their own, which do not stay."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.children import scratch
from wgsl_fuzz.oracle.targets.children.line_server import ASIDE, ChildProcess

LITTERER = """#!/bin/sh
echo junk > core.junk
case "$(cat "$1" "$4" 2>/dev/null)" in
  *"var x = ;"*) echo "$1:1:2 error: missing initializer" >&2; exit 1 ;;
esac
"""


def _directories() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob(f"{scratch.PREFIX}{os.getpid()}-*"))


def test_a_child_runs_in_a_directory_of_its_own_that_goes_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = _directories()
    child = ChildProcess([sys.executable, "-c", "open('core.junk', 'w').close(); input()"])
    assert len(_directories() - before) == 1
    child.end()
    assert _directories() == before
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="compiler commands need POSIX")
def test_what_a_compiler_command_leaves_is_in_nobodys_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, script = tmp_path / "here", tmp_path / "litterer"
    here.mkdir()
    script.write_text(LITTERER, encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.chdir(here)
    before = _directories()
    target = open_target(f"naga:{script}")
    left = [file for folder in _directories() - before for file in folder.rglob("core.junk")]
    target.close()
    assert not left
    assert not list(here.iterdir())
    assert _directories() == before


def test_the_directories_of_ended_processes_are_swept(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    theirs = tmp_path / f"{scratch.PREFIX}{ended.pid}-abc"
    others = [
        tmp_path / name for name in (f"{scratch.PREFIX}{os.getpid()}-abc", f"{scratch.PREFIX}notes-1", "wgsl-fuzz-out")
    ]
    link = tmp_path / f"{scratch.PREFIX}{ended.pid}-link"
    for directory in (theirs, *others):
        (directory / "inside").mkdir(parents=True)
    link.symlink_to(others[2])
    assert scratch.sweep(tmp_path) == [theirs]
    assert not theirs.exists()
    assert all((directory / "inside").exists() for directory in others)


def test_what_has_a_mark_is_found_and_ended() -> None:
    """Also what left the group of its process, and closed its streams."""
    child = subprocess.Popen(
        [sys.executable, "-c", "input()"],
        stdin=subprocess.PIPE,
        env={**os.environ, **scratch.marked("a mark")},
        **ASIDE,
    )
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert scratch.end_strays("another mark") == 0
        assert scratch.end_strays("a mark") == 1
        assert child.wait(30) != 0
        assert other.poll() is None
    finally:
        for one in (child, other):
            one.kill()
            one.communicate()
