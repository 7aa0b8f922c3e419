"""The commands of the README, of docs/for-*.md and of some other pages work as they stand there.

A comment before each block of shell commands says what is done with it. `<!-- run -->`: every line is run, in a scratch
folder that the blocks of a page share, with analyses of ours in place of the compilers and small budgets in place of
minutes. `<!-- only parsed: REASON -->`: every command and option is there. `<!-- file: NAME -->` before a block of any
language: the block is written to that file. A line that does not end with status 0 ends with `# status N`.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.conftest import ask_few_questions
from tests.fuzz.fakes import FakeTarget
from wgsl_fuzz.fuzz.cli.main import defaults, main
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.fuzz.regression.diff import known_texts
from wgsl_fuzz.oracle.rules.uniformity.revisions import WGSL_RULE_SETS
from wgsl_fuzz.oracle.targets import protocol
from wgsl_fuzz.oracle.targets.protocol import TargetRequest

ROOT = Path(__file__).resolve().parent.parent
PEOPLE = sorted((ROOT / "docs").glob("for-*.md"))
PAGES = [
    ROOT / f"{name}.md" for name in ("README", "docs/api", "docs/conformance", "docs/convergence", "docs/targets")
] + PEOPLE
DOCUMENTS = [ROOT / "README.md", ROOT / "corpus/README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_BLOCK = re.compile(r"(?:^<!-- (?P<mark>[^>]*) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.M | re.S)
_STATUS = re.compile(r"\s+# status (\d+)$")
_BUDGETS = (
    (re.compile(r"--programs (?:64|128)\b"), "--programs 12"),
    (re.compile(r"--(?:hours|minutes) \S+"), "--programs 32"),  # two of these runs find different things
)
"""How much is enough for a page: how much there is and how small it gets is for tests of campaigns."""
ONLY_PARSED = "only parsed: "


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page, with what the comment before it says."""

    mark: str
    language: str
    text: str

    @property
    def lines(self) -> list[str]:
        """The commands, one a line."""
        whole = self.text.replace("\\\n", " ").splitlines()
        return [line for line in map(str.strip, whole) if line and not line.startswith("#")]


def blocks(text: str) -> list[Block]:
    return [Block(found["mark"] or "", found["language"], found["text"]) for found in _BLOCK.finditer(text)]


def commands(line: str) -> Iterator[list[str]]:
    """The calls of wgsl-fuzz in a line of shell, without the name of the program."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    starts = [i for i, word in enumerate(words) if word == "wgsl-fuzz" or word.endswith("/wgsl-fuzz")]
    for start in starts:
        end = next((i for i in range(start, len(words)) if set(words[i]) <= set("();<>|&")), len(words))
        yield words[start + 1 : end]


def parsed(arguments: list[str], command: click.Command = main) -> None:
    """Fails with click's error for a command or an option that is not there."""
    name = arguments[0] if arguments else ""
    if isinstance(command, click.Group) and name and not name.startswith("-"):
        inner = command.get_command(click.Context(command), name)
        assert inner is not None, f"there is no command {name}"
        parsed(arguments[1:], inner)
    else:
        command.make_context(command.name, list(arguments), default_map={})


def _fake(request: TargetRequest) -> FakeTarget:
    """The current Tint as it was measured; at a path an analysis with faults."""
    if request.path is not None:
        return FakeTarget(WGSL_RULE_SETS["wgsl-2023-01-28"], name=request.spec)
    return FakeTarget(WGSL_RULE_SETS["wgsl-tint-0.6.2"], name="tint@0.6.2")


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the corpus in it, and fakes for compilers. Campaigns ask about a part of the corpus."""
    part = load_cases()[::8]
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.runs.campaign.load_cases", lambda: part)
    ask_few_questions(monkeypatch, 5)
    monkeypatch.setattr("wgsl_fuzz.fuzz.findings.directory.LIMIT", 2)
    texts = [*known_texts()][::8]
    monkeypatch.setattr("wgsl_fuzz.fuzz.regression.diff.known_texts", lambda: iter(texts))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corpus").symlink_to(ROOT / "corpus")
    for prefix in ("tint", "naga"):
        monkeypatch.setitem(protocol._families, prefix, protocol.TargetFamily(prefix, _fake))
    return tmp_path


def _run(line: str) -> None:
    expected = int(found[1]) if (found := _STATUS.search(line)) else 0
    command = _STATUS.sub("", line)
    for budget, small in _BUDGETS:
        command = budget.sub(small, command)
    program, *arguments = shlex.split(command)
    assert program == "wgsl-fuzz", f"mark it as only parsed: {line}"
    result = wgsl_fuzz(*arguments)
    assert isinstance(result.exception, SystemExit | None), f"{line}\n{result.exception!r}"  # its status is 1, too
    assert result.exit_code == expected, f"{line}\n{result.output}"


SLOW_PAGES = ("for-editors.md", "for-naga.md", "for-tint.md", "for-webkit.md", "api.md")
"""Their searches and campaigns take seconds each."""


@pytest.mark.parametrize(
    "page", [pytest.param(p, id=p.name, marks=pytest.mark.full if p.name in SLOW_PAGES else ()) for p in PAGES]
)
def test_every_command_of_a_page_works(page: Path, scratch: Path) -> None:
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.mark.startswith("file: "):
            path = scratch / block.mark.removeprefix("file: ")
            path.write_text(block.text, encoding="utf-8")
            path.chmod(0o755)
        elif block.language == "sh":
            assert block.mark == "run" or block.mark.startswith(ONLY_PARSED), f"mark this block:\n{block.text}"
            for line in block.lines if block.mark == "run" else ():
                _run(line)
        elif block.mark == "run":
            exec(compile(block.text, f"{page.name}, an example", "exec"), {"__name__": "example"})


def _inline(text: str) -> Iterator[str]:
    """The calls of wgsl-fuzz between backticks, and those in blocks of shell."""
    for block in blocks(text):
        yield from block.lines if block.language == "sh" else ()
    yield from re.findall(r"`(wgsl-fuzz [^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_that_a_document_names_is_there(page: Path) -> None:
    for line in _inline(page.read_text(encoding="utf-8")):
        for arguments in commands(_STATUS.sub("", line)):
            if arguments and arguments[0] != "COMMAND":  # `wgsl-fuzz COMMAND --help`
                parsed(arguments)


@pytest.mark.usefixtures("scratch")
def test_the_finding_of_the_readme_is_what_check_prints() -> None:
    """But for the compiler's own words, and where lines are broken."""
    shader, shown = blocks((ROOT / "README.md").read_text(encoding="utf-8"))[-2:]
    assert shader.text == (ROOT / "corpus/tint-let-of-pointer-parameter/shader.wgsl").read_text(encoding="utf-8")
    line, _, told = shown.text.removeprefix("$ wgsl-fuzz ").partition("\n")
    printed = wgsl_fuzz(*shlex.split(line)).stdout
    account = "unsound: tint@0.6.2"
    assert account in told
    ours = [words for words in told.splitlines() if words.split()[0] in ("wgsl", "semantics")]
    assert [words.split() for words in printed.splitlines() if words.split()[0] in ("wgsl", "semantics")] == [
        words.split() for words in ours
    ]
    assert told.partition(account)[2].split() == printed.partition(account)[2].split()


@pytest.mark.usefixtures("scratch")
def test_the_explanation_of_the_readme_is_what_explain_prints() -> None:
    page = blocks((ROOT / "README.md").read_text(encoding="utf-8"))
    (shader,) = [block for block in page if block.mark == "file: shader.wgsl"]
    (shown,) = [block for block in page if block.text.startswith("$ wgsl-fuzz explain")]
    Path("shader.wgsl").write_text(shader.text, encoding="utf-8")
    line, _, told = shown.text.removeprefix("$ wgsl-fuzz ").partition("\n")
    assert wgsl_fuzz(*shlex.split(line)).stdout == told


def test_the_options_from_a_file_are_there(tmp_path: Path) -> None:
    (block,) = [b for b in blocks((ROOT / "docs/commands.md").read_text(encoding="utf-8")) if b.language == "toml"]
    (tmp_path / "pyproject.toml").write_text(block.text, encoding="utf-8")
    assert defaults(main, click.Context(main), tmp_path) == {
        "names": ["tint:./out/tint"],
        "minutes": "10",
        "like": "tint@0.6.2",
        "fail_on": ["unsound", "too-lenient"],
        "replay": {"names": ["tint:./out/tint"], "strict": True},
    }
