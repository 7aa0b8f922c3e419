"""wgsl-fuzz in a project that has folders and modules of the names that ours have in the repository."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LOUD = "raise AssertionError('the wrong module was imported')\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for package in ("fuzz", "oracle", "tinywgsl"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(LOUD)
    (tmp_path / "strategies.py").write_text(LOUD)
    (tmp_path / "test_it.py").write_text("def test_it() -> None:\n    assert True\n")
    (tmp_path / "shader.wgsl").write_text("@compute @workgroup_size(2) fn main() { workgroupBarrier(); }\n")
    return tmp_path


def ran(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A Python program in the project, whose modules come first on the path."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(project), os.environ["PYTHONPATH"]])}
    environment.pop("PYTEST_ADDOPTS", None)
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # the plugin is named, installed or not
    return subprocess.run([sys.executable, *arguments], cwd=project, env=environment, capture_output=True, text=True)


def test_pytest_loads_our_plugin_and_not_the_projects_modules(project: Path) -> None:
    plugin = "wgsl_fuzz.fuzz.regression.pytest_plugin"
    shutil.copytree(ROOT / "corpus" / "fig-10a", project / "corpus" / "fig-10a")
    done = ran(project, "-m", "pytest", "-p", plugin, "-p", "no:cacheprovider", "--wgsl-target", "rules:paper", ".")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout


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
