"""The command line as its users and their scripts meet it."""

import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from sqlite3 import OperationalError
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from click.testing import CliRunner

from tests.fuzz.command import DIVERGES, wgsl_fuzz
from tests.fuzz.fakes import FakeTarget, Reader, play
from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.cli.lint import NO_ERRORS
from wgsl_fuzz.fuzz.cli.main import main
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.fuzz.findings.state import StorageError
from wgsl_fuzz.fuzz.judging import answers
from wgsl_fuzz.oracle.rules.in_words import predicate
from wgsl_fuzz.oracle.rules.uniformity.coverage import arms, deciding_arms
from wgsl_fuzz.oracle.verdict import Answer, Verdict

_UNIFORM = "@compute @workgroup_size(2) fn main() { workgroupBarrier(); }"


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "shader.wgsl"
    path.write_text(text)
    return path


def test_generate_is_deterministic_and_check_agrees_with_it() -> None:
    drawn = wgsl_fuzz("generate", "-n", 50, "--seed", 7)
    assert drawn.exit_code == 0
    assert drawn.stdout_bytes == wgsl_fuzz("generate", "-n", 50, "--seed", 7).stdout_bytes
    assert drawn.stdout_bytes != wgsl_fuzz("generate", "-n", 50, "--seed", 8).stdout_bytes
    checked = wgsl_fuzz("check", "-", stdin=drawn.stdout_bytes)
    assert checked.exit_code == 0
    for line, answer in zip(drawn.stdout.splitlines(), checked.stdout.splitlines(), strict=True):
        shader, judged = orjson.loads(line), orjson.loads(answer)
        assert judged["code"] == shader["code"]
        assert judged["verdict"] == shader["verdict"]
        assert judged["verdicts"] == {"wgsl": "accepts" if shader["verdict"] == "uniform" else "rejects"}


def test_check_answers_each_line_with_a_line() -> None:
    lines = [
        orjson.dumps({"code": _UNIFORM, "id": 1}),
        b"no json",
        orjson.dumps({"code": DIVERGES}),
        orjson.dumps({"code": "fn main() {"}),
        orjson.dumps(["code"]),
        orjson.dumps({"kode": ""}),
        orjson.dumps({"code": "@compute @workgroup_size(1) fn main() { loop {} }"}),
    ]
    result = wgsl_fuzz("check", "-", stdin=b"\n".join(lines) + b"\n")
    answers = [orjson.loads(line) for line in result.stdout.splitlines()]
    words = ["uniform", "invalid", "non-uniform", "invalid", "invalid", "invalid", "invalid"]
    assert [a["verdict"] for a in answers] == words
    assert answers[0]["id"] == 1
    assert all(a["message"] for a in answers if a["verdict"] == "invalid")
    assert result.exit_code == 2
    assert result.stderr == (
        "wgsl-fuzz: 5 of 7 lines of standard input are no requests, or not WGSL; the first is line 2\n"
    )
    refused = wgsl_fuzz("check", "-", stdin=b'{"code"\n}\n')
    assert (refused.exit_code, "no line of standard input is a JSON object" in refused.stderr) == (2, True)


@pytest.mark.parametrize("text", [_UNIFORM, "fn main() { let x = 1.5f; }"])
def test_what_a_target_says_of_what_it_calls_invalid_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    play(monkeypatch, lambda _: Reader(lambda _: Answer(Verdict.INVALID, "1:7 error: no such thing")))
    assert "1:7 error: no such thing" in wgsl_fuzz("check", _file(tmp_path, text), "--oracle", "fake").stdout


def test_a_target_may_take_as_long_as_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = list[float]()

    def opened(name: str, *, timeout: float, **_: object) -> FakeTarget:
        given.append(timeout)
        return FakeTarget(name=name)

    monkeypatch.setattr("wgsl_fuzz.fuzz.judging.answers.open_target", opened)
    campaign, file = ["--programs", "1", "--jobs", "1", "--out", tmp_path / "run"], _file(tmp_path, _UNIFORM)
    for words in (campaign, ["check", file], ["replay", file]):
        assert wgsl_fuzz(*words, "-t", "fake", "--timeout", "0.5").exit_code == 0
    assert given == [0.5] * 3


def test_coverage_of_a_file_says_which_branches_decide_in_json_too(tmp_path: Path) -> None:
    file = _file(tmp_path, DIVERGES)
    shown = wgsl_fuzz("coverage", file).stdout.split("does one of these:")[1]
    named = [line.strip() for line in shown.strip().splitlines()]
    answer = orjson.loads(wgsl_fuzz("coverage", file, "--format", "json").stdout)
    assert named
    assert [predicate(name) for name in answer["decided by"]] == named
    assert wgsl_fuzz("coverage", file, "--seed", "1").exit_code == 2
    assert wgsl_fuzz("coverage", _file(tmp_path, "fn f() {}")).stdout == f"{file}: no branch decides it\n"


def test_a_chain_of_calls_that_is_too_long_is_a_problem(tmp_path: Path) -> None:
    chain = "fn f0() { workgroupBarrier(); }\n" + "".join(f"fn f{i}() {{ f{i - 1}(); }}\n" for i in range(1, 3000))
    main = "fn main(@builtin(local_invocation_index) i: u32) { if i == 0u { f2999(); } }"
    file = _file(tmp_path, f"{chain}@compute @workgroup_size(1) {main}")
    assert wgsl_fuzz("run", file).exit_code == 0  # one thread
    other = tmp_path / "other.wgsl"
    other.write_text("fn f() {}")
    result = wgsl_fuzz("lint", "--fix", "show", file, other)
    assert result.exit_code == 2
    said = f"wgsl-fuzz: {file}: its functions call each other too deeply"
    assert result.stderr.splitlines() == [said, f"1 file: {NO_ERRORS}"]
    assert "too many names" in wgsl_fuzz("mutate", file).stderr


def _failing(*_: object, **__: object) -> object:
    raise MemoryError("too much")


def test_an_internal_error_is_a_line_and_no_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for place in ("cli.check.read_text", "judging.answers.judge", "judging.answers.read_case"):
        with monkeypatch.context() as patch:
            patch.setattr(f"wgsl_fuzz.fuzz.{place}", _failing)
            result = CliRunner().invoke(main, ["check", str(_file(tmp_path, _UNIFORM))])
        assert result.exit_code == 2, place
        (line,) = result.stderr.splitlines()
        start, _, file = line.partition("; please report it with ")
        assert start.startswith("wgsl-fuzz: internal error: MemoryError in _failing (")
        assert "MemoryError: too much" in Path(file).read_text()


@pytest.mark.parametrize(("full", "how"), [(False, "to go on: "), (True, "free some space, then ")])
def test_an_error_in_a_campaign_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: bool, how: str
) -> None:
    def refused(*_: object) -> None:
        raise StorageError("cannot write run.sqlite: database or disk is full")

    play(monkeypatch, lambda _: FakeTarget())
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("wgsl_fuzz.fuzz.campaign.counters.Counters.count", refused if full else _failing)
    command = ["--target", "fake@1", "--programs", "5", "--jobs", "1", "--seed", "1", "-o", str(tmp_path / "run")]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 2
    *_, line = result.stderr.splitlines()
    assert ("internal error: MemoryError in _failing" in line) is not full
    assert f"what was found is in {tmp_path / 'run'}; {how}wgsl-fuzz --resume {tmp_path / 'run'}" in line


def test_a_disk_that_is_full_at_the_start_is_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(directory: RunDirectory) -> None:
        directory.path.mkdir(exist_ok=True)
        (directory.path / "other").touch()
        raise StorageError("cannot use run.sqlite: disk I/O error") from OperationalError()

    command = ["--target", "rules:without-10a", "--programs", "5", "--jobs", "1", "-o", str(tmp_path / "run")]
    disk = SimpleNamespace(free=0)
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.runs.campaign.disk_usage", lambda _: disk)
    for create, free, said in ((refused, 1000, True), (refused, 1 << 30, False), (RunDirectory.create, 1000, False)):
        monkeypatch.setattr(RunDirectory, "create", create)
        disk.free = free
        result = CliRunner().invoke(main, command)  # at last the folder is not empty, which is no full disk
        assert result.exit_code == 2
        assert ("; free some space, and begin again" in result.stderr) is said


@pytest.mark.parametrize("place", ["read_case", "judge"])
def test_each_line_of_standard_input_is_alone(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever happens on one of them."""
    works: Any = getattr(answers, place)

    def at_times(what: str | Case, *arguments: object, **options: object) -> object:
        if "fails" in (what if isinstance(what, str) else what.text):
            raise MemoryError
        return works(what, *arguments, **options)

    deep = b"%s0%s" % (b"[" * 300, b"]" * 300)
    lines = [
        orjson.dumps({"code": _UNIFORM, "id": 1}),
        orjson.dumps({"code": f"{_UNIFORM} // fails", "id": 2}),
        b'{"code": "", "id": %s}' % deep,
        deep,
        orjson.dumps({"code": "@compute @workgroup_size(65536, 65536) fn main() { let x = 0x1p999999999; }"}),
        orjson.dumps({"code": _UNIFORM, "id": 3}),
    ]
    monkeypatch.setattr(answers, place, at_times)
    result = wgsl_fuzz("check", "-", "--oracle", "wgsl", "--oracle", "semantics", stdin=b"\n".join(lines))
    said = [orjson.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 2
    words = ["uniform", "unsupported", "invalid", "invalid", "invalid", "uniform"]
    assert [one["verdict"] for one in said] == words
    assert "our own program failed on it: MemoryError" in said[1]["message"]
    assert said[1]["id"] == 2


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
    result = wgsl_fuzz(*arguments, str(file))
    assert result.exit_code == 2
    assert result.stdout == ""
    told = [line.removeprefix(f"{file}:").partition(": ")[0] for line in result.stderr.splitlines()]
    assert told == places
    again = wgsl_fuzz("check", "--format", "json", str(file))
    answer = orjson.loads(again.stdout)
    assert [f"{error['line']}:{error['column']}" for error in answer["errors"]] == places
    for error in answer["errors"]:
        before = text[: error["offset"]]
        assert before.count("\n") + 1 == error["line"]
        assert len(before.rpartition("\n")[2]) + 1 == error["column"]
        assert text[error["offset"] :][: error["length"]].split() != []
    assert answer["message"].endswith(answer["errors"][0]["message"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(("redirection", "status"), [("> /dev/full", 2), ("| head -n 1", 141)])
def test_output_that_cannot_be_written_is_no_finding(redirection: str, status: int) -> None:
    import subprocess

    command = f"{sys.executable} -m wgsl_fuzz generate -n 2000 {redirection}; exit ${{PIPESTATUS[0]}}"
    root = Path(__file__).parents[3]
    done = subprocess.run(["bash", "-c", command], cwd=root, capture_output=True, text=True)
    assert done.returncode == status
    assert "Traceback" not in done.stderr


# ----------------------------------------------------------------------------------------------- The command `coverage`


NAMES = [arm.name for arm in arms()]


invoke = partial(wgsl_fuzz, "coverage")


def decided_by(plan: Plan, count: int) -> Counter[str]:
    drawer = CampaignGenerator(plan)
    return Counter(name for index in range(count) for name in deciding_arms(drawer.case(index).resolution))


def test_the_table_shows_each_branch_once() -> None:
    head, _, _, *rows = invoke("-n", 5, "--seed", 7).stdout.splitlines()
    assert head.endswith(f" of {len(NAMES)} branches decide at least one of 5 shaders")
    assert sorted(row.split()[0] for row in rows) == sorted(NAMES)


def test_the_table_is_for_spreadsheets_too(tmp_path: Path) -> None:
    assert invoke("-n", 1, "--format", "csv", "-o", tmp_path / "a.csv").stdout == ""
    head, *rows = (tmp_path / "a.csv").read_text().splitlines()
    assert head == "name,rule,line,branch,decided,shaders"
    assert sorted(row.partition(",")[0] for row in rows) == sorted(NAMES)


@pytest.mark.parametrize("language", ["tiny", "compute"])
def test_json(language: str) -> None:
    result = invoke("-n", 5, "--seed", 3, "--language", language, "--format", "json")
    assert result.exit_code == 0, result.output
    answer = orjson.loads(result.output)
    assert (answer["shaders"], answer["seed"], answer["language"]) == (5, 3, language)
    decided = {branch["name"]: branch["decided"] for branch in answer["branches"]}
    expected = decided_by(Plan(3, language=language), 5)
    assert decided == {name: expected[name] for name in NAMES}
    assert answer["never"] == [name for name, count in decided.items() if not count]
    assert all(branch["rule"] and branch["branch"] for branch in answer["branches"])
