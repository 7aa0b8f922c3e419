"""The command line as its users and their scripts meet it."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.fakes import FakeTarget, without
from wgsl_fuzz.fuzz.cli.main import main
from wgsl_fuzz.oracle.rules.in_words import branch_in_words
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.verdict import Answer, Verdict

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
        if (item := name.removeprefix("rules:")) in {f"without-{figure}" for figure in ("10a", "10b", "10c", "10d")}:
            return FakeTarget(without(item.removeprefix("without-")), name=name)
        raise TargetError(f"unknown target {name}")

    monkeypatch.setattr("wgsl_fuzz.fuzz.judging.answers.open_target", open_target)


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "shader.wgsl"
    path.write_text(text)
    return path


@pytest.mark.usefixtures("fake")
def test_a_campaign_without_a_finding(tmp_path: Path) -> None:
    result = _wgsl_fuzz("--target", "right", "--programs", 100, "--seed", 1, "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    assert "new: nothing" in result.stdout.splitlines()


@pytest.mark.usefixtures("fake")
def test_a_campaign_with_findings_ends_with_the_commands_that_show_them(tmp_path: Path) -> None:
    result = _wgsl_fuzz("--target", "rules:without-10a", "--programs", 800, "--seed", 5, "--out", tmp_path / "run")
    assert result.exit_code == 1, result.output
    look = next(line.split() for line in result.stdout.splitlines() if line.startswith("to look: "))
    shown = _wgsl_fuzz(*look[3:], "--show", "1")
    command = next(line.split() for line in shown.output.splitlines() if "wgsl-fuzz check" in line)
    again = _wgsl_fuzz(*command[command.index("check") :])
    assert again.exit_code == 1
    assert "break if" in again.output


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
        assert judged["verdicts"] == {"wgsl": "accepts" if shader["verdict"] == "uniform" else "rejects"}


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
    assert result.exit_code == 2
    assert result.stderr == (
        "wgsl-fuzz: 5 of 7 lines of standard input are no requests, or not WGSL; the first is line 2\n"
    )


@pytest.mark.parametrize("text", [_UNIFORM, "fn main() { let x = 1.5f; }"])
def test_what_a_target_says_of_what_it_calls_invalid_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    class Refusing(FakeTarget):
        def submit(self, texts: Sequence[str]) -> None:
            self._batches.append([Answer(Verdict.INVALID, "1:7 error: no such thing")] * len(texts))

    monkeypatch.setattr("wgsl_fuzz.fuzz.judging.answers.open_target", lambda *_, **__: Refusing())
    assert "1:7 error: no such thing" in _wgsl_fuzz("check", _file(tmp_path, text), "--oracle", "fake").stdout


def test_a_file_that_cannot_be_judged_hides_no_other(tmp_path: Path) -> None:
    good = _file(tmp_path, _UNIFORM)
    result = _wgsl_fuzz("check", tmp_path / "missing.wgsl", good, "--format", "json")
    assert result.exit_code == 2
    assert orjson.loads(result.stdout)["verdict"] == "uniform"
    assert "cannot read" in result.stderr


def test_coverage_of_a_file_says_which_branches_decide_in_json_too(tmp_path: Path) -> None:
    file = _file(tmp_path, _DIVERGES)
    shown = _wgsl_fuzz("coverage", file).stdout.split("changes the verdict):")[1]
    named = [line.strip() for line in shown.strip().splitlines()]
    answer = orjson.loads(_wgsl_fuzz("coverage", file, "--format", "json").stdout)
    assert named
    assert [branch_in_words(name) for name in answer["decided by"]] == named
    assert _wgsl_fuzz("coverage", file, "--seed", "1").exit_code == 2


@pytest.mark.usefixtures("fake")
def test_check_says_who_disagrees(tmp_path: Path) -> None:
    text = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) {\n"
    text += "loop { workgroupBarrier(); continuing { break if lid == 0u; } }\nworkgroupBarrier(); }"
    result = _wgsl_fuzz("check", _file(tmp_path, text), "--oracle", "paper", "--oracle", "10a", "--format", "json")
    answer = orjson.loads(result.stdout)
    assert result.exit_code == 1
    assert answer["verdicts"] == {"paper": "rejects", "10a": "accepts"}
    known = {"certainty": "known", "branch": None}
    assert answer["findings"] == [{"target": "10a", "kind": "unsound", "cause": "before-2025-10-14/10a", **known}]


def test_check_shows_the_path_and_the_divergence(tmp_path: Path) -> None:
    result = _wgsl_fuzz("check", _file(tmp_path, _DIVERGES), "--oracle", "paper", "--oracle", "semantics")
    assert result.exit_code == 0
    for words in (
        "line 4: `workgroupBarrier()`",
        "waits at the barrier on line 4",
    ):
        assert words in result.output


def test_run_prints_a_witness(tmp_path: Path) -> None:
    result = _wgsl_fuzz("run", _file(tmp_path, _DIVERGES), "--threads", 3)
    assert result.exit_code == 1
    assert "diverges (3 threads" in result.output
    assert _wgsl_fuzz("run", _file(tmp_path, _UNIFORM)).exit_code == 0


def test_explain(tmp_path: Path) -> None:
    result = _wgsl_fuzz("explain", _file(tmp_path, _DIVERGES))
    assert (result.exit_code, result.output.splitlines()[0].split()[-1]) == (0, "rejects")


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
    (["check", "{readme}", "--oracle", "tinny"], "tinny"),
    (["run", "/no/such/file.wgsl"], "/no/such/file.wgsl"),
    (["generate", "-o", "/proc/nothing"], "/proc/nothing"),
    (["targets", "install", "tint@9.9.9"], "9.9.9"),
    (["--target", "tint", "check", "{readme}"], "--target before check"),
    (["--target", "tint", "--minutes", "0"], "x>0"),
    (["--target", "tint", "--hours", "nan"], "budget"),
    (["--target", "tint", "--resume", "."], "is no run"),
    (["--execute", "all", "--resume", "."], "--execute does not go with --resume"),
    (["generate", "--run", ".", "--seed", "5"], "--seed does not go with --run"),
    (["generate", "--run", ".", "--require", "break-if"], "--require does not go with --run"),
    (["generate", "--require", "uniform", "--require", "non-uniform"], "leave no shader"),
    (["explain", "{readme}", "--full"], "--full is about the picture"),
    (["enumerate", "--format", "counts", "-t", "paper"], "--target does not go with --format counts"),
    (["generate", "--timeout", "3"], "--timeout before generate is the campaign's"),
    (["enumerate", "--format", "wgsl", "--out", "x"], "--out does not go with --format"),
    (["replay", "--like", "tint@0.6.2"], "--like tint@0.6.2 goes with a --target tint"),
    (["replay", "--like", "tint@0.6.2", "-t", "naga"], "--like tint@0.6.2 goes with a --target tint"),
    (["replay", "--like", "tinny"], "nothing is recorded of 'tinny'"),
    (["diff", "paper", "wgsl-2023-01-28", "--minutes", "nan"], "'nan' is not a number"),
    (["reduce", "{corpus}/fig-7/shader.wgsl", "-t", "wgsl-2023-01-28"], "shows no disagreement (wgsl "),
    (["replay", "{corpus}", "--record"], "name a --target"),
    (["replay", "--junitxml", "/proc/nothing/x"], "cannot write /proc/nothing/x"),
    (["explain", "/no/such/file", "-o", "/proc/nothing/x"], "cannot write /proc/nothing/x"),
    (["reduce", "/no/such/file", "-o", "/"], "cannot write /: Is a directory"),
]
CLICKS: list[tuple[Sequence[str], str]] = [
    (["no-such-command"], "wgsl-fuzz: no such command 'no-such-command'; there are bisect, "),
    (["chekc"], "wgsl-fuzz: no such command 'chekc'; did you mean check?"),
    (["targets", "instal"], "wgsl-fuzz targets: no such command 'instal'; did you mean install?"),
    (["--traget", "tint"], "wgsl-fuzz: no such option --traget; did you mean --target?"),
    (["check", "--fromat", "x"], "wgsl-fuzz check: no such option --fromat; did you mean --format?"),
    (["run", "-q"], "wgsl-fuzz run: no such option -q; see `wgsl-fuzz run --help`"),
    (["check"], "wgsl-fuzz check: missing argument 'FILE...'; see `wgsl-fuzz check --help`"),
    (
        ["targets", "install"],
        "wgsl-fuzz targets install: missing argument 'SPEC'; see `wgsl-fuzz targets install --help`",
    ),
    (["check", "x", "--oracle"], "wgsl-fuzz check: option '--oracle' requires an argument; see "),
    (["run", "a", "b"], "wgsl-fuzz run: got unexpected extra argument (b); see `wgsl-fuzz run --help`"),
    (["check", "--json", "x"], "wgsl-fuzz check: there is no --json any more; instead: --format json"),
    (["--statements", "3"], "wgsl-fuzz: there is no --statements any more"),
    (["--seed", "x"], "wgsl-fuzz: invalid value for '--seed': 'x' is not a whole number"),
    (["run", "--threads", "0", "x"], "wgsl-fuzz run: invalid value for '--threads': 0 is not in the range"),
]
"""What click finds wrong, in the words and the style of ours."""


@pytest.mark.parametrize(("arguments", "says"), BAD, ids=[" ".join(a) for a, _ in BAD])
def test_bad_input_gets_one_clear_line_and_status_2(arguments: Sequence[str], says: str) -> None:
    readme = str(Path(__file__).parents[3] / "README.md")
    corpus = str(Path(__file__).parents[3] / "corpus")
    result = _wgsl_fuzz(*[a.replace("{readme}", readme).replace("{corpus}", corpus) for a in arguments])
    assert result.exit_code == 2, result.output
    assert says in result.stderr
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit | None), result.exception
    ours = [line for line in result.stderr.splitlines() if not line.startswith("target ")]
    assert len(ours) == 1, result.stderr


@pytest.mark.parametrize(
    "arguments",
    [["check"], ["explain"], ["explain", "--format", "html"], ["run"], ["explain", "--rules", "wgsl"]],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("fn f() {\n  let x = 1\n}\n", ["3:1"]),
        ("fn f() {\n  let a = ;\n}\nvar b = ;\nfn g() { let c = #; }", ["5:18"]),
        ("fn f() {\n  let a = ;\n}\nvar b = ;\nfn g() { let c = ; }", ["2:11", "4:9", "5:18"]),
        ("fn f() { a = b; }\nfn f() { continue; }\n", ["2:1", "1:10", "1:14", "2:10"]),
        ("\n enable rays, mirrors;\n", ["2:2", "2:2"]),
    ],
)
def test_what_is_wrong_with_a_text_is_told_as_compilers_tell_it(
    tmp_path: Path, arguments: list[str], text: str, places: list[str]
) -> None:
    file = tmp_path / "x.wgsl"
    file.write_text(text, encoding="utf-8")
    result = _wgsl_fuzz(*arguments, str(file))
    assert result.exit_code == 2
    assert result.stdout == ""
    told = [line.removeprefix(f"{file}:").partition(": ")[0] for line in result.stderr.splitlines()]
    assert told == places
    again = _wgsl_fuzz("check", "--format", "json", str(file))
    answer = orjson.loads(again.stdout)
    assert [f"{error['line']}:{error['column']}" for error in answer["errors"]] == places
    for error in answer["errors"]:
        before = text[: error["offset"]]
        assert before.count("\n") + 1 == error["line"]
        assert len(before.rpartition("\n")[2]) + 1 == error["column"]
        assert text[error["offset"] :][: error["length"]].split() != []
    assert answer["message"].endswith(answer["errors"][0]["message"])


@pytest.mark.parametrize(("arguments", "line"), CLICKS, ids=[" ".join(a) for a, _ in CLICKS])
def test_what_click_refuses_is_one_line_like_ours(arguments: Sequence[str], line: str) -> None:
    result = _wgsl_fuzz(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    (said,) = result.stderr.splitlines()
    assert said.startswith(line)


COMMANDS: list[list[str]] = [[], *([name] for name in sorted(main.commands))]


@given(st.sampled_from(COMMANDS), st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12))
def test_whatever_option_is_not_there_is_one_line(command: list[str], name: str) -> None:
    result = _wgsl_fuzz(*command, f"--no{name}t-there")
    assert result.exit_code == 2
    assert result.stderr.startswith(" ".join(["wgsl-fuzz", *command]) + ": ")
    assert len(result.stderr.splitlines()) == 1


def test_lines_that_are_all_no_requests_are_a_problem() -> None:
    result = _wgsl_fuzz("check", "-", stdin=b'{"code"\n}\n')
    assert result.exit_code == 2
    assert "no line of standard input is a JSON object" in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(("redirection", "status"), [("> /dev/full", 2), ("| head -n 1", 141)])
def test_output_that_cannot_be_written_is_no_finding(redirection: str, status: int) -> None:
    import subprocess

    command = f"{sys.executable} -m wgsl_fuzz generate -n 2000 {redirection}; exit ${{PIPESTATUS[0]}}"
    root = Path(__file__).parents[3]
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
    command = [sys.executable, "-m", "wgsl_fuzz", "--target", "rules:paper", "--jobs", "1", "--out", str(out)]
    root = Path(__file__).parents[3]
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    while not re.search(r" [1-9][\d,]* programs", line := process.stderr.readline()):
        assert line, "ended by itself"
    time.sleep(0.2)
    os.kill(process.pid, signal.SIGINT)
    ended = process.stdout.read()
    assert process.wait() in (1, 130)
    assert f"{out}" in ended
    assert ended.splitlines()[-1].endswith(f"exit status {process.returncode}")
    assert orjson.loads((out / "run.json").read_bytes())["programs"] > 0
