"""The command line as its users and their scripts meet it."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner, Result

from fuzz.cli import main
from oracle.rules import REVERSIONS
from oracle.targets.protocol import Target, TargetError
from tests.fuzz.fakes import FakeTarget

_DIVERGES = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (lid == 0u) {
    workgroupBarrier();
  }
  workgroupBarrier();
}
"""
_UNIFORM = "@compute @workgroup_size(2) fn main() { workgroupBarrier(); }"


def _wgsl_fuzz(*arguments: object, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments], input=stdin)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    """The target names `right` and `10a`, played by the analysis itself."""

    def open_target(name: str, **_: Any) -> Target:
        if name == "right":
            return FakeTarget(name=name)
        if name in REVERSIONS:
            return FakeTarget(REVERSIONS[name], name=name)
        raise TargetError(f"unknown target {name}")

    monkeypatch.setattr("fuzz.commands_campaign.open_target", open_target)
    monkeypatch.setattr("fuzz.answers.open_target", open_target)


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "shader.wgsl"
    path.write_text(text)
    return path


@pytest.mark.usefixtures("fake")
def test_a_campaign_without_a_finding(tmp_path: Path) -> None:
    result = _wgsl_fuzz("--target", "right", "--programs", 100, "--seed", 1, "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    assert "Nothing found" in result.output


@pytest.mark.usefixtures("fake")
def test_a_campaign_with_findings_ends_with_the_commands_that_show_them(tmp_path: Path) -> None:
    result = _wgsl_fuzz("--target", "10a", "--programs", 800, "--seed", 5, "--out", tmp_path / "run")
    assert result.exit_code == 1, result.output
    command = next(line.split() for line in result.output.splitlines() if "wgsl-fuzz check" in line)
    again = _wgsl_fuzz(*command[1:])
    assert again.exit_code == 1
    assert "break_if_edge" in again.output


def test_generate_is_deterministic_and_check_agrees_with_it() -> None:
    drawn = _wgsl_fuzz("generate", "-n", 50, "--seed", 7)
    assert drawn.exit_code == 0
    assert drawn.stdout_bytes == _wgsl_fuzz("generate", "-n", 50, "--seed", 7).stdout_bytes
    assert drawn.stdout_bytes != _wgsl_fuzz("generate", "-n", 50, "--seed", 8).stdout_bytes
    checked = _wgsl_fuzz("check", "-", stdin=drawn.stdout_bytes)
    assert checked.exit_code == 0
    for line, answer in zip(drawn.stdout.splitlines(), checked.stdout.splitlines(), strict=True):
        shader, judged = orjson.loads(line), orjson.loads(answer)
        assert judged["code"] == shader["code"]
        assert judged["verdict"] == shader["verdict"]
        assert judged["verdicts"] == {"paper": "accepts" if shader["verdict"] == "uniform" else "rejects"}


def test_generate_writes_files(tmp_path: Path) -> None:
    result = _wgsl_fuzz("generate", "-n", 3, "--seed", 7, "--format", "wgsl", "-o", tmp_path / "drawn")
    assert result.exit_code == 0
    files = sorted((tmp_path / "drawn").iterdir())
    assert len(files) == 3
    assert _wgsl_fuzz("check", *files).exit_code == 0


def test_generate_can_begin_anywhere() -> None:
    all_ = _wgsl_fuzz("generate", "-n", 5, "--seed", 7).stdout.splitlines()
    assert _wgsl_fuzz("generate", "-n", 2, "--seed", 7, "--first", 3).stdout.splitlines() == all_[3:]


def test_check_answers_each_line_with_a_line() -> None:
    lines = [
        orjson.dumps({"code": _UNIFORM, "id": 1}),
        b"no json",
        orjson.dumps({"code": _DIVERGES}),
        orjson.dumps({"code": "fn main() {"}),
        orjson.dumps(["code"]),
        orjson.dumps({"kode": ""}),
        orjson.dumps({"code": "@compute @workgroup_size(1) fn main() { loop {} }"}),
    ]
    result = _wgsl_fuzz("check", "-", stdin=b"\n".join(lines) + b"\n")
    answers = [orjson.loads(line) for line in result.stdout.splitlines()]
    words = ["uniform", "invalid", "non-uniform", "invalid", "invalid", "invalid", "invalid"]
    assert [a["verdict"] for a in answers] == words
    assert answers[0]["id"] == 1
    assert all(a["message"] for a in answers if a["verdict"] == "invalid")
    assert result.exit_code == 0


@pytest.mark.usefixtures("fake")
def test_check_says_who_disagrees(tmp_path: Path) -> None:
    text = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) {\n"
    text += "loop { workgroupBarrier(); continuing { break if lid == 0u; } }\nworkgroupBarrier(); }"
    result = _wgsl_fuzz("check", _file(tmp_path, text), "--oracle", "paper", "--oracle", "10a", "--json")
    answer = orjson.loads(result.stdout)
    assert result.exit_code == 1
    assert answer["verdicts"] == {"paper": "rejects", "10a": "accepts"}
    assert answer["findings"] == [{"target": "10a", "kind": "unsound", "cause": "10a"}]


def test_check_shows_the_path_and_the_divergence(tmp_path: Path) -> None:
    result = _wgsl_fuzz("check", _file(tmp_path, _DIVERGES), "--oracle", "paper", "--oracle", "semantics")
    assert result.exit_code == 0
    for words in ("the barrier on line 4 needs uniform control flow", "`lid` on line 3", "barrier 1 (line 4)"):
        assert words in result.output


def test_run_prints_a_witness(tmp_path: Path) -> None:
    result = _wgsl_fuzz("run", _file(tmp_path, _DIVERGES), "--threads", 3)
    assert result.exit_code == 1
    assert "diverges (3 threads" in result.output
    assert _wgsl_fuzz("run", _file(tmp_path, _UNIFORM)).exit_code == 0


def test_explain(tmp_path: Path) -> None:
    result = _wgsl_fuzz("explain", _file(tmp_path, _DIVERGES))
    assert (result.exit_code, result.output.splitlines()[0].split()[-1]) == (0, "non-uniform")


def test_targets_lists_what_there_is() -> None:
    result = _wgsl_fuzz("targets")
    assert result.exit_code == 0
    assert "tint@0.6.2" in result.output
    assert "tint@embedded" in result.output


_TINT = "--target"
BAD: list[tuple[Sequence[str], str]] = [
    (["--target", "tinny", "--programs", "1"], "tinny"),
    (["--target", "tint@9.9.9", "--programs", "1"], "0.6.2"),
    (["--target", "tint:/no/such/tint", "--programs", "1"], "/no/such/tint"),
    (["--target", "tint:/bin/true", "--programs", "1"], "/bin/true"),
    (["--target", "tint:{readme}", "--programs", "1"], "README"),
    (["--target", "naga:/bin/cat", "--programs", "1"], "/bin/cat"),
    (["--programs", "5"], "--target"),
    (["--target", "tint@embedded", "--programs", "1", "--out", "/proc/nothing"], "/proc/nothing"),
    (["--target", "tint@embedded", "--programs", "1", "--out", "{readme}"], "README"),
    (["--target", "tint@embedded", "--programs", "none"], "none"),
    (["check", "/no/such/file.wgsl"], "/no/such/file.wgsl"),
    (["check", "/"], "cannot read /"),
    (["check", "{readme}"], "line 1"),
    (["check", "{readme}", "--oracle", "tinny"], "tinny"),
    (["explain", "{readme}"], "line 1"),
    (["run", "/no/such/file.wgsl"], "/no/such/file.wgsl"),
    (["generate", "-o", "/proc/nothing"], "/proc/nothing"),
    (["targets", "install", "tint@9.9.9"], "9.9.9"),
    (["check"], "FILE"),
    (["no-such-command"], "no-such-command"),
    (["--target", "tint", "check", "{readme}"], "--target before check"),
    (["--target", "tint", "--seconds", "0"], "budget"),
    (["--target", "tint", "--hours", "nan"], "budget"),
]


@pytest.mark.parametrize(("arguments", "says"), BAD, ids=[" ".join(a) for a, _ in BAD])
def test_bad_input_gets_one_clear_line_and_status_2(arguments: Sequence[str], says: str) -> None:
    readme = str(Path(__file__).parents[2] / "README.md")
    result = _wgsl_fuzz(*[a.replace("{readme}", readme) for a in arguments])
    assert result.exit_code == 2, result.output
    assert says in result.stderr
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit | None), result.exception
    ours = [line for line in result.stderr.splitlines() if not line.startswith(("Usage", "Try ", "target ")) and line]
    assert len(ours) <= 1, result.stderr


def test_lines_that_are_all_no_requests_are_a_problem() -> None:
    result = _wgsl_fuzz("check", "-", stdin=b"fn main() {\n}\n")
    assert result.exit_code == 2
    assert "read from files" in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(("redirection", "status"), [("> /dev/full", 2), ("| head -n 1", 141)])
def test_output_that_cannot_be_written_is_no_finding(redirection: str, status: int) -> None:
    import subprocess

    command = f"{sys.executable} -m fuzz generate -n 2000 {redirection}; exit ${{PIPESTATUS[0]}}"
    root = Path(__file__).parents[2]
    done = subprocess.run(["bash", "-c", command], cwd=root, capture_output=True, text=True)
    assert done.returncode == status
    assert "Traceback" not in done.stderr


def test_what_is_no_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "shader.wgsl"
    path.write_bytes(b"\xff\xfe fn main")
    result = _wgsl_fuzz("check", path)
    assert result.exit_code == 2
    assert "not UTF-8" in result.output


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_ends_with_the_summary(tmp_path: Path) -> None:
    import os
    import signal
    import subprocess
    import time

    out = tmp_path / "run"
    command = [sys.executable, "-m", "fuzz", "--target", "tint@embedded", "--seed", "1", "--out", str(out)]
    root = Path(__file__).parents[2]
    process = subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while "uniform" not in (line := process.stderr.readline()):
        assert line, "ended by itself"
    time.sleep(0.2)
    os.kill(process.pid, signal.SIGINT)
    rest = process.stderr.read()
    assert process.wait() in (0, 1)
    assert "run.json" in rest or "findings saved" in rest
    assert orjson.loads((out / "run.json").read_bytes())["programs"] > 0
