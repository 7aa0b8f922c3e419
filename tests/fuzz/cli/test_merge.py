"""The command `merge`, and what the other commands make of a history."""

from pathlib import Path

import orjson

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.runs import STRICT, MadeUpRun, change_state, strict


def made(path: Path) -> Path:
    """A run with one finding."""
    run = MadeUpRun(path)
    run.record["findings"] = {"too-strict": 1}
    run.found(strict(), reduced=STRICT, drawn=STRICT)
    run.stored()
    return path


def test_what_it_says(tmp_path: Path) -> None:
    one, two, out = made(tmp_path / "one"), made(tmp_path / "two"), tmp_path / "a history"
    first = wgsl_fuzz("merge", one, "-o", out)
    assert first.output == (
        f"{out}: 1 run (1 added, 0 there already), 100 programs, 1 finding\nto look: wgsl-fuzz triage '{out}'\n"
    )
    assert (
        "2 runs (1 added, 1 there already), 200 programs, 2 findings" in wgsl_fuzz("merge", one, two, "-o", out).output
    )
    assert wgsl_fuzz("merge", out, "-o", out).exit_code == 0
    assert [run["name"] for run in orjson.loads((out / "run.json").read_bytes())["runs"]] != []


def test_the_commands_read_a_history_like_a_run(tmp_path: Path) -> None:
    out = tmp_path / "history"
    wgsl_fuzz("merge", made(tmp_path / "one"), made(tmp_path / "two"), "-o", out)
    assert "found 2 times" in wgsl_fuzz("triage", out, "--show", "1").output
    assert "200 programs" in wgsl_fuzz("status", out).output
    assert "2 runs" in wgsl_fuzz("report", out).output
    assert wgsl_fuzz("triage", out, "--mark-known", "1", "https://x.org/1").exit_code == 0
    assert wgsl_fuzz("triage", out, "--show", "1", "--format", "markdown").exit_code == 0


def test_a_problem_is_one_line(tmp_path: Path) -> None:
    run = made(tmp_path / "one")
    wgsl_fuzz("merge", run, "-o", tmp_path / "history")
    for arguments in (
        ["merge", tmp_path / "nothing", "-o", tmp_path / "out"],
        ["merge", run, "-o", run],
        ["merge", run],
        ["--resume", tmp_path / "history"],
        ["generate", "--run", tmp_path / "history"],
    ):
        result = wgsl_fuzz(*arguments)
        assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1), result.stderr


def test_what_is_damaged_is_left_out_and_named(tmp_path: Path) -> None:
    run = made(tmp_path / "one")
    change_state(run, "UPDATE finding SET record = ?", b"{")
    result = wgsl_fuzz("merge", run, "-o", tmp_path / "history")
    assert result.exit_code == 2
    assert result.stderr.startswith("wgsl-fuzz: merge: left out: 001-too-strict-tint")
    assert "1 run" in result.stdout
