"""`reduce --test COMMAND`: a predicate of the user's own."""

import os
from pathlib import Path

import pytest
from click.testing import Result

from tests.fuzz.command import wgsl_fuzz

pytestmark = pytest.mark.skipif(os.name != "posix", reason="commands need POSIX")

TINY = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  var x: u32;
  x = lid;
  if (x == 3u) {
    workgroupBarrier();
  }
  loop {
    x = x + 1u;
    if (x > 7u) { break; }
  }
  storageBarrier();
}
"""
NOT_TINY = TINY.replace("var x: u32;", "var v = vec2f(1.0, 2.0);\n  var x: u32;")


def reduced(tmp_path: Path, text: str, command: str, *more: str) -> Result:
    path = tmp_path / "shader.wgsl"
    path.write_text(text)
    return wgsl_fuzz("reduce", path, "--test", command, *more)


@pytest.mark.parametrize("command", ["grep -q loop", "grep -q loop {}", "sh -c 'grep -q loop \"$0\"' {}"])
def test_only_what_the_command_wants_is_left(tmp_path: Path, command: str) -> None:
    result = reduced(tmp_path, TINY, command)
    assert result.exit_code == 0, result.output
    assert "loop" in result.stdout
    assert "x == 3u" not in result.stdout
    assert "x + 1u" not in result.stdout
    assert "kept: test accepts" in result.stderr


def test_a_text_that_is_no_tinywgsl_is_reduced_as_text(tmp_path: Path) -> None:
    result = reduced(tmp_path, NOT_TINY, "grep -q vec2f")
    assert result.exit_code == 0, result.output
    assert "vec2f" in result.stdout
    assert len(result.stdout) < 60


def test_a_command_and_a_verdict_go_together(tmp_path: Path) -> None:
    result = reduced(tmp_path, TINY, "grep -q workgroupBarrier", "--keep", "paper=rejects")
    assert result.exit_code == 0, result.output
    assert "workgroupBarrier" in result.stdout
    assert "if (" in result.stdout


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("grep -q nothing_like_it", "does not show that"),
        ("no-such-command-at-all", "there is no command no-such-command-at-all"),
        ("'unclosed", "--test: "),
        ("", "no command is given"),
    ],
)
def test_a_request_at_fault_is_one_line(tmp_path: Path, command: str, words: str) -> None:
    result = reduced(tmp_path, TINY, command)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1
