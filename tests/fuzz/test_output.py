"""Foreign text in all that commands write: no terminal acts on it, and no markup is read in it."""

import io
import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.fakes import FakeTarget
from tests.fuzz.runs import STRICT, MadeUpRun, strict
from wgsl_fuzz.fuzz.cli.main import main
from wgsl_fuzz.fuzz.output import Console, printable
from wgsl_fuzz.oracle.verdict import Answer, Verdict

HOSTILE = "error: \x1b]0;title\x07\x1b[31mred\x1b]52;c;Y2xpcA==\x07 \x9b2J \x7f [/foo] [bold]x\u202e\r\nsecond [/]"
ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
NAME = "fake"


@given(st.text())
def test_nothing_active_is_left_and_the_rest_is_as_it_was(text: str) -> None:
    assert not ACTIVE.search(printable(text))
    assert ACTIVE.search(text) or printable(text) == text
    assert printable(printable(text)) == printable(text)


@given(st.dictionaries(st.text(), st.text()))
def test_json_stays_the_same_json(value: dict[str, str]) -> None:
    assert orjson.loads(printable(orjson.dumps(value).decode())) == value


@pytest.mark.parametrize("terminal", [False, True])
def test_a_console_takes_text_as_it_is(terminal: bool) -> None:
    console = Console(file=io.StringIO(), width=200, force_terminal=terminal, color_system=None)
    table = Table(HOSTILE)
    table.add_row(HOSTILE)
    console.print(HOSTILE)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert shown.count("[/foo]") == shown.count("[bold]x") == 3
    assert not ACTIVE.search(shown)


def test_a_closed_pipe_is_the_same_error_for_a_console() -> None:
    """rich would end with status 1, which says that something was found."""

    class Closed(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        Console(file=Closed()).print("text")


@pytest.fixture
def shader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A shader in a folder with a hostile name, and a target that says hostile things."""

    def opened(*_: object, **__: object) -> FakeTarget:
        target = FakeTarget(instead=lambda _: Answer(Verdict.INVALID, HOSTILE), name=NAME)
        target.origin = HOSTILE
        return target

    monkeypatch.setattr("wgsl_fuzz.fuzz.judging.answers.open_target", opened)
    folder = tmp_path / "\x1b[31m[" / "foo]"
    folder.mkdir(parents=True)
    path = folder / "a.wgsl"
    path.write_text(f"// {HOSTILE.splitlines()[0]}\n{STRICT}", newline="\n")
    return path


def _run(folder: Path) -> Path:
    """A stored run whose records hold hostile text wherever there is any."""
    run = MadeUpRun(folder / "run", targets={"tint@0.3.8": HOSTILE})
    record = strict(message=HOSTILE, targets={"tint@0.3.8": HOSTILE})
    record |= {"reproduce": HOSTILE, "draw again": HOSTILE, "nearest": {"differs": [HOSTILE]}}
    run.found(record, drawn=STRICT, reduced=f"// {HOSTILE}\n{STRICT}", nearest=f"// {HOSTILE}\n{STRICT}")
    run.stored()
    return run.path


def commands(shader: Path) -> dict[str, Any]:
    """Each command in the ways in which it shows foreign text."""
    folder, run, out = shader.parent, _run(shader.parent), f"{shader.parent}/out"
    missing = folder / "\x1b[2Jmissing"
    case = folder / "corpus" / "case"
    case.mkdir(parents=True)
    (case / "shader.wgsl").write_text(STRICT)
    record = {"origin": HOSTILE, "why": HOSTILE, "wgsl": "accepts", "semantics": "converges", "verdicts": {}, "x": 1}
    (case / "case.json").write_bytes(orjson.dumps(record))
    return {
        "campaign": [["--target", NAME, "--programs", "16", "--out", out, "--jobs", "1"]],
        "generate": [["-n", "1", "--language", HOSTILE]],
        "mutate": [[shader], [missing]],
        "check": [[shader, "--oracle", NAME], [shader, "--oracle", NAME, "--format", "json"], [missing]],
        "explain": [[shader], [missing]],
        "lint": [[shader, "--fix", "show", "--format", form] for form in ("text", "json", "github", "sarif")]
        + [[missing]],
        "run": [[shader], [missing]],
        "reduce": [[shader, "--keep", f"{NAME}=invalid"], [missing, "--keep", "paper=accepts"]],
        "enumerate": [["--max-statements", "1", "--target", NAME, "--out", out + "2"]],
        "litmus": [["sm-ww", "--model", "CM"], [HOSTILE]],
        "diff": [[HOSTILE, "paper"]],
        "replay": [[path, "--target", NAME] for path in (folder / "corpus", shader, run)],
        "reproduce": [[HOSTILE]],
        "merge": [[run, "-o", out + "3"], [missing, "-o", out + "4"]],
        "bisect": [[shader, "-t", NAME], [shader, "-t", NAME, "--format", "json"], [missing], ["--range", HOSTILE]],
        "conformance": [["--target", NAME], ["--target", NAME, "--row", "10a"], ["--target", NAME, "--row", HOSTILE]],
        "triage": [
            [run, "--format", "text"],
            [run, "--format", "text", "--show", "1"],
            [run, "--format", "json"],
            [missing],
        ]
        + [[_run(folder / "later"), "--since", run, "--format", "text"]]
        + [[run, "--show", "1", "--format", form] for form in ("markdown", "cts", "tint")],
        "report": [[run], [missing]],
        "coverage": [["-n", "1", "--language", HOSTILE]],
        "status": [[run], [run, "--format", "json"], [missing]],
        "serve": [["--port", HOSTILE]],
        "certify": [["--target", HOSTILE, "--out", out + "5"], ["--target", NAME, "--out", shader]],
        "page": [["--out", f"{shader}/page"]],
        "targets": [[], ["install", HOSTILE], ["check", HOSTILE], ["check", f"{missing}.toml"]],
    }


def test_no_command_lets_foreign_text_act(shader: Path) -> None:
    every = commands(shader)
    assert every.keys() >= set(main.list_commands(None))  # type: ignore[arg-type]
    said = ""
    for command, ways in every.items():
        for arguments in ways:
            name = [] if command == "campaign" else [command]
            result = wgsl_fuzz(*name, *arguments)
            assert not ACTIVE.search(result.output.replace("\r\n", "\n")), (command, arguments, result.output)
            said += result.output
    assert said.count("[/foo]") > 20, "the text itself is shown"
