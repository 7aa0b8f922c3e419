"""The command `triage`: it says what is new, takes decisions, and exports; what would have no effect is refused."""

from pathlib import Path

import click
import orjson
import pytest
from click.testing import CliRunner, Result

from fuzz.commands_triage import triage as command
from fuzz.export import slug
from fuzz.judge import Kind
from fuzz.known import load_known
from fuzz.problems import CommandLine
from fuzz.stored import load_run
from fuzz.triage import DECISIONS, Triage, bucketed
from tests.fuzz.runs import MadeUp, store
from tests.fuzz.test_buckets import BOTH_BREAK, IN_IF

URL = "https://example.org/issues/1"
CRASH = MadeUp(IN_IF, kind=Kind.CRASH, cause="panicked at")


@click.group(cls=CommandLine)
def program() -> None:
    """As the command line has it."""


program.add_command(command)


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(program, ["triage", *map(str, arguments)])


def test_the_exit_status_says_whether_anything_is_new(tmp_path: Path) -> None:
    path = store(tmp_path / "run", [MadeUp(IN_IF), CRASH]).path
    assert invoke(path).exit_code == 1
    assert invoke(path, "--known", "1", URL).exit_code == 1
    assert invoke(path, "--drop", "#2", "a fake").exit_code == 0
    listed = invoke(path).output
    assert URL in listed
    assert "a fake" in listed
    assert invoke(path, "--undrop", "2").exit_code == 1


def test_json_has_every_bucket(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), CRASH], {"fake hang x": 3})
    said = orjson.loads(invoke(run.path, "--json").output)
    assert said["findings"] == 5
    assert [b["number"] for b in said["buckets"]] == [1, 2, 3]
    assert {b["name"] for b in said["buckets"]} == {b.name for b in bucketed(run)}
    assert said["buckets"][0]["shader"] == IN_IF


def test_a_bucket_is_shown_whole(tmp_path: Path) -> None:
    files = {"nearest.wgsl": IN_IF.replace("lid == 0u", "true")}
    more = {"explanation": ["because [of] it"], "reproduce": "do this", "nearest": {"differs": ["with `true`"]}}
    more["verdicts"] = {"paper": "rejects", "semantics": "diverges", "fake": "accepts"}
    output = invoke(store(tmp_path / "run", [MadeUp(IN_IF, more=more, files=files)]).path, "--show", "1").output
    for part in ("if (lid == 0u)", "if (true)", "because [of] it", "do this", "with `true`", "they part at line 3"):
        assert part in output


@pytest.mark.parametrize(
    "wrong",
    [("--show", "7"), ("--known", "1", "no url"), ("--drop", "1", " "), ("--undrop", "1"), ("-o", "x"),
     ("--export", "corpus", "1"), ("--known-file", "missing.toml"), ("--export", "cts", "1", "--name", "No Name"),
     # what would have no effect
     ("--note", "seen"), ("--note", ""), ("--note", "seen", "--drop", "1", "x"), ("--name", "x"),
     ("--export", "cts", "1", "--show", "1"), ("--export", "cts", "1", "--known", "1", URL),
     ("--export", "cts", "1", "--drop", "1", "x"), ("--export", "cts", "1", "--json"),
     ("--export", "cts", "1", "--plain"), ("--json", "--show", "1"), ("--json", "--plain"),
     ("--export", "markdown", "1", "--name", "x"), ("--export", "cts", "1", "--export", "tint", "1"),
     # what contradicts itself
     ("--drop", "1", "x", "--known", "#1", URL), ("--drop", "1", "x", "--drop", "1", "y")],
)  # fmt: skip
def test_a_wrong_request_is_one_line_and_status_2(tmp_path: Path, wrong: tuple[str, ...]) -> None:
    run = store(tmp_path / "run", [CRASH])
    before = sorted(run.path.rglob("*"))
    result = invoke(run.path, *wrong)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert sorted(run.path.rglob("*")) == before


def test_a_damaged_file_of_decisions_is_a_problem(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [CRASH])
    (run.path / DECISIONS).write_text('{"dropped": [1]}')
    assert invoke(run.path).exit_code == 2


def test_several_decisions_at_once(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), MadeUp(BOTH_BREAK), CRASH])
    result = invoke(run.path, "--known", "1", URL, "--known", "3", URL, "--note", "seen", "--drop", "2", "boring")
    assert result.exit_code == 0
    triage = Triage.of(load_run(run.path))
    assert [triage.state(b) for b in triage.buckets] == ["known", "dropped", "known"]
    assert {entry.note for entry in load_known(triage.known_file).entries} == {"seen"}


def test_of_several_decisions_none_is_made_if_one_is_wrong(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), CRASH])
    for wrong in (("--drop", "9", "x"), ("--drop", "2", " "), ("--known", "2", "no url"), ("--undrop", "2")):
        assert invoke(run.path, "--known", "1", URL, *wrong).exit_code == 2
    assert Triage.of(load_run(run.path)).new == bucketed(run)
    assert not (run.path / DECISIONS).exists()


def test_several_exports_go_into_a_folder(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), CRASH])
    out = tmp_path / "out"
    out.mkdir()
    result = invoke(run.path, "--export", "markdown", "1", "--export", "tint", "2", "-o", out)
    names = [slug(bucket, "-") for bucket in bucketed(run)]
    assert result.exit_code == 0
    assert result.output.splitlines() == [str(out / f"{names[0]}.md"), str(out / f"{names[1]}.cc")]
    assert all(Path(line).read_text() for line in result.output.splitlines())


def test_an_export_has_the_name_it_is_given(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [CRASH])
    assert "g.test('wgsl_fuzz,it_panics')" in invoke(run.path, "--export", "cts", "1", "--name", "it-panics").output
    assert "WgslFuzz_ItPanics)" in invoke(run.path, "--export", "tint", "1", "--name", "it-panics").output
    out = tmp_path / "corpus"
    assert invoke(run.path, "--export", "corpus", "1", "--name", "it-panics", "-o", out).exit_code == 0
    assert [folder.name for folder in out.iterdir()] == ["it-panics"]
