"""wgsl-fuzz in a project that has folders and modules of the names that ours have in the repository."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

LOUD = "raise AssertionError('the wrong module was imported')\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for package in ("fuzz", "oracle", "tinywgsl"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(LOUD)
    (tmp_path / "strategies.py").write_text(LOUD)
    (tmp_path / "shader.wgsl").write_text("@compute @workgroup_size(2) fn main() { workgroupBarrier(); }\n")
    return tmp_path


def ran(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A Python program in the project, whose modules come first on the path."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(project), os.environ["PYTHONPATH"]])}
    return subprocess.run([sys.executable, *arguments], cwd=project, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "shader.wgsl"),
        ("run", "shader.wgsl"),
        ("--target", "rules:paper", "--programs", "8", "--jobs", "2", "--out", "run"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_the_command_line_works_there(project: Path, arguments: tuple[str, ...]) -> None:
    done = ran(project, "-m", "wgsl_fuzz", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
