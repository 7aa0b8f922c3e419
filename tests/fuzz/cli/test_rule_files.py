"""A user's own rules at each command: the file that docs/for-editors.md writes out, and files that are none."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.regression.diff import corpus_texts
from wgsl_fuzz.oracle.rules.rule_file import load_rules

ROOT = Path(__file__).parents[3]
FIGURE = str(ROOT / "corpus" / "fig-10a" / "shader.wgsl")


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """No file of another test is taken for one of the same name."""
    load_rules.cache_clear()
    yield
    load_rules.cache_clear()


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The file of docs/for-editors.md, in the current folder."""
    (text,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/for-editors.md").read_text("utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(text, encoding="utf-8")
    return str(Path("mine.py"))


@pytest.mark.usefixtures("few_texts", "mine")
@pytest.mark.parametrize("sides", [("paper", "mine.py"), ("mine.py", "paper"), ("whlsl-2019", "mine.py")])
def test_diff_takes_a_file_on_either_side(sides: tuple[str, str]) -> None:
    result = wgsl_fuzz("diff", *sides, "--max-statements", "2", "--programs", "60", "--format", "json")
    found = {f["decides"]: f for f in map(orjson.loads, result.stdout.splitlines())}
    assert result.exit_code == 1
    assert set(found) == ({"before-2025-10-14/10a"} if "paper" in sides else {f"{side} accepts" for side in sides})
    for decides, difference in found.items():
        assert {*difference["verdicts"]} == {*sides, "semantics"}
        assert (
            difference["verdicts"][decides.removesuffix(" accepts") if "accepts" in decides else "mine.py"] == "accepts"
        )


def test_diff_says_why_a_file_rejects(mine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.regression.diff.known_texts", corpus_texts)
    result = wgsl_fuzz("diff", "wgsl", mine, "--max-statements", "1", "--programs", "0")
    assert "mine.py ignores the condition of a `break if`" in result.stdout
    assert "wgsl rejects\n    error in main" in result.stdout


def test_check_and_explain_ask_a_file(mine: str) -> None:
    for oracle in (mine, f"rules:{mine}"):
        result = wgsl_fuzz("check", FIGURE, "--oracle", oracle, "--format", "json")
        assert orjson.loads(result.stdout)["verdicts"][oracle] == "accepts"
    assert wgsl_fuzz("explain", FIGURE).stdout.splitlines()[0].endswith(": wgsl rejects")
    assert wgsl_fuzz("explain", FIGURE, "--rules", mine).stdout.splitlines()[0].endswith(f": {mine} accepts")
    assert "digraph" in wgsl_fuzz("explain", FIGURE, "--rules", mine, "--format", "dot").stdout


@pytest.mark.full
def test_a_campaign_finds_what_is_unsound_in_a_file(mine: str) -> None:
    """In processes of their own, which load the file by its path."""
    arguments = ["--target", f"rules:{mine}", "--programs", "16", "--seed", "1", "--jobs", "2", "--out", "run"]
    done = subprocess.run(
        [sys.executable, "-m", "wgsl_fuzz", *arguments],
        env={**os.environ, "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    buckets = orjson.loads(Path("run/run.json").read_bytes())["buckets"]
    assert f"rules:{mine} unsound before-2025-10-14/10a" in [bucket["name"] for bucket in buckets]


BAD = {
    "def f(:": "mine.py:1: invalid syntax",
    'VARIANTS = ["10e"]': "mine.py: there is no variant '10e'; did you mean 10",
    "from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis as S\n"
    "class Rules(S):\n def loop(self, s, cf):\n  raise LookupError": "mine.py:4: LookupError: ",
}


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize(
    "arguments",
    [
        ("diff", "paper", "mine.py", "--programs", "9", "--max-statements", "2"),
        ("diff", "mine.py", "paper", "--programs", "9", "--max-statements", "2"),
        ("check", FIGURE, "--oracle", "mine.py"),
        ("check", FIGURE, "--oracle", "rules:mine.py"),
        ("explain", FIGURE, "--rules", "mine.py"),
        ("reduce", FIGURE, "--keep", "mine.py=rejects"),
        ("enumerate", "--target", "rules:mine.py", "--max-statements", "2", "--out", "run"),
        ("--target", "rules:mine.py", "--programs", "9", "--jobs", "1", "--out", "run"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_file_that_is_none_or_fails_is_one_line(mine: str, text: str, arguments: tuple[str, ...]) -> None:
    Path(mine).write_text(text, encoding="utf-8")
    load_rules.cache_clear()
    result = wgsl_fuzz(*arguments)
    assert result.exit_code == 2
    assert not result.exception or isinstance(result.exception, SystemExit)
    said = [line for line in result.stderr.splitlines() if line.startswith("wgsl-fuzz: ")]
    assert len(said) == 1
    assert BAD[text] in said[0]
