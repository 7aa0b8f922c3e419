"""What people read calls a branch of the rules by its rule, and says accepts or rejects, whichever command they use."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest

from tests.fuzz.command import wgsl_fuzz

ROOT = Path(__file__).resolve().parents[3]
FIGURE = str(ROOT / "corpus" / "fig-10a" / "shader.wgsl")
BRANCH = "loop/body/from-before"
IN_WORDS = "the specification's rule for loops: body: from before"
Command = Callable[..., str]


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """A command in a folder with a run against rules that break one branch."""
    folder = tmp_path_factory.mktemp("vocabulary")
    rules = folder / "mine.py"
    rules.write_text(f'VARIANTS = ["{BRANCH}"]\n')

    def called(*arguments: str) -> str:
        given = [{"RULES": str(rules), "RUN": str(folder / "run")}.get(word, word) for word in arguments]
        result = wgsl_fuzz(*given)
        assert result.exit_code in (0, 1), result.output
        return result.stdout

    called("--target", f"rules:{rules}", "--programs", "200", "--seed", "1", "--jobs", "1", "--out", "RUN")
    return called


@pytest.mark.parametrize(
    "arguments",
    [
        ("triage", "RUN", "--format", "text"),
        ("triage", "RUN", "--show", "1"),
        ("triage", "RUN", "--show", "1", "--format", "markdown"),
        ("report", "RUN"),
        ("diff", "wgsl", "RULES", "--max-statements", "1", "--programs", "64"),
    ],
    ids=lambda arguments: " ".join(arguments[:3:2]),
)
@pytest.mark.usefixtures("few_texts")
def test_a_branch_is_called_by_its_rule(command: Command, arguments: tuple[str, ...]) -> None:
    said = unescape(re.sub(r"<[^>]*>", "", command(*arguments))).replace("’", "'")
    assert IN_WORDS in " ".join(said.split())
    # but in the identifier that known.toml has
    named = [line for line in said.splitlines() if BRANCH in line]
    keys = r"(?:name:|keys:|Bucket:|^) *rules:\S+ (?:\S+ )?loop/|known departures of rules:|explain the target"
    assert all(re.search(keys, line) for line in named), named


def test_explain_says_accepts_or_rejects(command: Command) -> None:
    assert command("explain", FIGURE).startswith(f"{FIGURE}: wgsl rejects\n")
    assert command("explain", FIGURE, "--rules", "without-10a").startswith(f"{FIGURE}: without-10a accepts\n")
    page = command("explain", FIGURE, "--format", "html")
    assert "rejected</span>" in page
    assert "non-uniform<" not in page
