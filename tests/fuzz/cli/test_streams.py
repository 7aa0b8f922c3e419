"""Closed standard streams, and Ctrl-C at any time: a line or nothing, never a traceback."""

import io
import os
import signal
import subprocess
import sys

import pytest

from wgsl_fuzz.fuzz.command_line import CommandLine
from wgsl_fuzz.fuzz.output import STANDARD_OUTPUT, echo
from wgsl_fuzz.oracle.targets.children.python_child import child_environment

pytestmark = pytest.mark.skipif(os.name != "posix", reason="shells and signals as POSIX has them")

PROGRAM = f"{sys.executable} -m wgsl_fuzz"


@pytest.mark.parametrize(
    ("command", "status", "words"),
    [("check - <&-", 2, "cannot read standard input: it is closed"), ("generate >&-", 0, ""), ("coverge 2>&-", 2, "")],
)
def test_closed_streams_are_no_traceback(command: str, status: int, words: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{PROGRAM} {command}"], env=child_environment(), capture_output=True, text=True
    )
    assert done.returncode == status
    assert done.stderr.removeprefix("wgsl-fuzz: ").strip() == words


INTERRUPTED_IMPORT = """
import os, signal, sys
from wgsl_fuzz.__main__ import main

class Interruption:
    def find_spec(self, name, *_):
        if name == "wgsl_fuzz.fuzz.cli.main":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interruption())
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where the tests run in the background
main()
"""


def test_ctrl_c_while_the_program_is_imported_says_nothing() -> None:
    command = [sys.executable, "-c", INTERRUPTED_IMPORT, "--help"]
    done = subprocess.run(command, env=child_environment(), capture_output=True, text=True)
    assert done.returncode == -signal.SIGINT
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(28, "No space left on device", STANDARD_OUTPUT), "cannot write to standard output: No space left"),
        (OSError(13, "Permission denied", "/a/file"), "/a/file: Permission denied"),
        (OSError(12, "Cannot allocate memory"), "Cannot allocate memory"),
    ],
)
def test_an_error_of_the_system_says_what_failed(
    error: OSError, words: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "dup2", lambda *_: None)  # it would take pytest's own output away
    group = CommandLine()

    @group.command()
    def one() -> None:
        raise error

    with pytest.raises(SystemExit, match="2"):
        group.main(["one"])
    assert capfd.readouterr().err.startswith(f"wgsl-fuzz: {words}")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_output_is_utf_8_whatever_the_system_writes_files_in(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = {name: io.BytesIO() for name in ("stdout", "stderr")}
    for name, content in written.items():
        monkeypatch.setattr(sys, name, io.TextIOWrapper(content, encoding=encoding))
    group = CommandLine()

    @group.command()
    def one() -> None:
        echo("“大”")
        echo("größe", err=True)

    with pytest.raises(SystemExit):
        group.main(["one"])
    sys.stderr.flush()
    assert [content.getvalue().decode() for content in written.values()] == ["“大”\n", "größe\n"]
