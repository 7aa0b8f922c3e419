"""The nightly example: what it calls is there, and the files are such that their programs take them."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.test_pages import commands, parsed

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
NIGHTLY = ROOT / ".github/workflows/wgsl-fuzz-nightly.yml"
FOLDER = ROOT / "docs/nightly"
SCRIPT = FOLDER / "nightly.sh"
posix = pytest.mark.skipif(os.name != "posix", reason="a script for a POSIX shell")


def scripts(path: Path) -> list[str]:
    """What the steps of a workflow run."""
    workflow: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert all(("run" in step) != ("uses" in step) for step in steps)
    return [step["run"] for step in steps if "run" in step]


def calls(script: str) -> list[list[str]]:
    """The calls of wgsl-fuzz in a script of shell."""
    lines = [
        re.sub(r"\$\{KNOWN:\+[^}]*\}", "", line) for line in script.splitlines() if not line.lstrip().startswith("#")
    ]
    numbers = {"MINUTES": "1", "HOURS": "1", "GITHUB_RUN_NUMBER": "1", "night": "20261122"}
    words = [
        re.sub(r"\$(\w+)", lambda found: numbers.get(found[1], "x"), line) for line in lines if "wgsl-fuzz " in line
    ]
    return [call for line in words for call in commands(line) if call]


@pytest.mark.parametrize("path", [*WORKFLOWS, SCRIPT], ids=lambda path: path.name)
def test_every_call_is_one_that_is_there(path: Path) -> None:
    for script in [path.read_text(encoding="utf-8")] if path is SCRIPT else scripts(path):
        for arguments in calls(script):
            parsed(arguments)


def test_the_nightly_example_does_all_four_steps() -> None:
    for script in ("\n".join(scripts(NIGHTLY)), SCRIPT.read_text(encoding="utf-8")):
        names = [call[0] for call in calls(script)]
        assert {"--target", "triage", "report", "merge"} <= set(names)
        assert names.index("--target") < names.index("triage") < names.index("merge")


def test_no_step_pastes_foreign_text_into_a_script() -> None:
    for path in WORKFLOWS:
        assert all("${{" not in script for script in scripts(path)), path.name


@posix
@pytest.mark.parametrize("path", [*WORKFLOWS, SCRIPT], ids=lambda path: path.name)
def test_scripts_are_shell(path: Path) -> None:
    for script in [path.read_text(encoding="utf-8")] if path is SCRIPT else scripts(path):
        subprocess.run(["sh", "-n"], input=script, text=True, check=True)


@pytest.fixture
def night(tmp_path: Path) -> dict[str, str]:
    """The surroundings of the script: this wgsl-fuzz, an analysis with a fault in place of a compiler, few shaders."""
    program = tmp_path / "bin" / "wgsl-fuzz"
    program.parent.mkdir()
    few = 'case "$1" in --target) set -- "$@" --programs 200 --language tiny --jobs 1;; esac'
    program.write_text(f'#!/bin/sh\n{few}\nexec "{sys.executable}" -m wgsl_fuzz "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    surroundings = {"PATH": path, "TARGET": "rules:without-10a", "FOLDER": str(tmp_path / "nights")}
    return {**os.environ, **surroundings}


def slept(night: dict[str, str], date: str) -> "subprocess.CompletedProcess[str]":
    """Runs the script on a day."""
    folder = Path(night["PATH"].split(os.pathsep)[0])
    (folder / "date").write_text(f"#!/bin/sh\necho {date}\n", encoding="utf-8")
    (folder / "date").chmod(0o755)
    return subprocess.run(["sh", str(SCRIPT)], env=night, capture_output=True, text=True)


@posix
@pytest.mark.full
def test_the_second_night_finds_nothing_new(night: dict[str, str]) -> None:
    first = slept(night, "2")  # a seed that meets the fault
    assert first.returncode == 1, first.stderr
    repeated = slept(night, "2")  # it is in the history now, and its findings are as new as they were
    assert repeated.returncode == 1, repeated.stdout + repeated.stderr
    second = slept(night, "20261123")
    assert second.returncode == 0, second.stdout + second.stderr
    nights = Path(night["FOLDER"])
    assert (nights / "history").is_dir()
    assert (nights / "20261123.html").is_file()
    again = slept(night, "20261123")  # it has come to its end, and is in the history
    assert again.returncode == 0, again.stdout + again.stderr
    wrong = slept({**night, "TARGET": "rules:nobody"}, "20261124")
    assert wrong.returncode == 2
    assert wrong.stderr.splitlines()[-1].startswith("wgsl-fuzz: ")
