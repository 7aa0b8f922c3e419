"""The command `triage`: it says what is new, takes decisions, and exports; what would have no effect is refused."""

from functools import partial
from pathlib import Path

import orjson
import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.judging.test_buckets import BOTH_BREAK, IN_IF
from tests.fuzz.runs import STRICT, MadeUp, MadeUpRun, change_state, store, strict
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.judging.kinds import Kind
from wgsl_fuzz.fuzz.present.export import slug
from wgsl_fuzz.fuzz.present.report.page import page_of, report_page
from wgsl_fuzz.fuzz.triage.merging import DECISIONS
from wgsl_fuzz.fuzz.triage.triage import Triage, bucketed

URL = "https://example.org/issues/1"
CRASH = MadeUp(IN_IF, kind=Kind.CRASH, cause="panicked at")


invoke = partial(wgsl_fuzz, "triage")


def test_the_exit_status_says_whether_anything_is_new(tmp_path: Path) -> None:
    path = store(tmp_path / "run", [MadeUp(IN_IF), CRASH]).path
    assert invoke(path).exit_code == 1
    assert invoke(path, "--mark-known", "1", URL).exit_code == 1
    assert invoke(path, "--drop", "#2", "a fake").exit_code == 0  # numbers stay
    listed = invoke(path).output
    assert URL in listed
    assert "a fake" in listed
    assert invoke(path, "--drop", "2", "").exit_code == 1


def test_json_has_every_bucket(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), CRASH], {"fake hang x": 3})
    said = orjson.loads(invoke(run.path, "--format", "json").output)
    assert said["findings"] == 5
    assert [b["number"] for b in said["buckets"]] == [1, 2, 3]
    assert {b["name"] for b in said["buckets"]} == {b.name for b in bucketed(run)}
    assert said["buckets"][0]["shader"] == IN_IF


def test_a_bucket_is_shown_whole(tmp_path: Path) -> None:
    files = {"nearest.wgsl": IN_IF.replace("lid == 0u", "true")}
    more: dict[str, object] = {"reproduce": "do this", "nearest": {"differs": ["with `true`"]}}
    more["verdicts"] = {"paper": "rejects", "semantics": "diverges", "fake": "accepts"}
    output = invoke(store(tmp_path / "run", [MadeUp(IN_IF, more=more, files=files)]).path, "--show", "1").output
    for part in ("if (lid == 0u)", "if (true)", "do this", "with `true`", "they part at line 3"):
        assert part in output


@pytest.mark.parametrize(
    "wrong",
    [("--show", "7"), ("--mark-known", "1", "no url"), ("--drop", "1", " "), ("--drop", "1", ""), ("-o", "x"),
     ("--show", "1", "--format", "corpus"), ("--known-file", "missing.toml"),
     ("--show", "1", "--format", "cts", "--name", "No Name"),
     # what would have no effect
     ("--name", "x"), ("--format", "cts"), ("--format", "cts", "--show", "1", "--mark-known", "1", URL),
     ("--format", "cts", "--show", "1", "--drop", "1", "x"), ("--format", "json", "--show", "1"),
     ("--show", "1", "--format", "markdown", "--name", "x"),
     # what contradicts itself
     ("--drop", "1", "x", "--mark-known", "#1", URL), ("--drop", "1", "x", "--drop", "1", "y")],
)  # fmt: skip
def test_a_wrong_request_is_one_line_and_status_2(tmp_path: Path, wrong: tuple[str, ...]) -> None:
    run = store(tmp_path / "run", [CRASH])
    before = sorted(run.path.rglob("*"))
    result = invoke(run.path, *wrong)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert sorted(run.path.rglob("*")) == before


def test_it_is_said_which_file_has_a_decision(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), CRASH])
    file, decisions = tmp_path / "ours.toml", run.path / DECISIONS
    lines = invoke(
        run.path, "--mark-known", "1", URL, "--known-file", file, "--drop", "2", "boring"
    ).stdout.splitlines()
    said = [line for line in lines if "noted in" in line]
    assert said == [f"#1 is known: noted in {file}", f"#2 is dropped: noted in {decisions}"]
    assert file.exists()
    again = invoke(run.path, "--drop", "2", "", "--mark-known", "1", URL, "--format", "json")
    assert [line for line in again.stderr.splitlines() if "noted in" in line] == [
        f"#1 is known: noted in {run.path / 'known.toml'}", f"#2 is no longer dropped: noted in {decisions}"
    ]  # fmt: skip
    assert orjson.loads(again.stdout)["findings"] == 2


def test_of_several_decisions_none_is_made_if_one_is_wrong(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), CRASH])
    for wrong in (("--drop", "9", "x"), ("--drop", "2", " "), ("--mark-known", "2", "no url"), ("--drop", "2", "")):
        assert invoke(run.path, "--mark-known", "1", URL, *wrong).exit_code == 2
    assert Triage.of(load_run(run.path)).new == bucketed(run)
    assert not (run.path / DECISIONS).exists()


def test_several_exports_go_into_a_folder(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), CRASH])
    out = tmp_path / "out"
    out.mkdir()
    result = invoke(run.path, "--format", "tint", "--show", "all", "-o", out)
    names = [slug(bucket, "-") for bucket in bucketed(run)]
    assert result.exit_code == 0
    assert result.output.splitlines() == [str(out / f"{names[0]}.cc"), str(out / f"{names[1]}.cc")]
    assert all(Path(line).read_text() for line in result.output.splitlines())


def test_an_export_has_the_name_it_is_given(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [CRASH])
    assert (
        "g.test('wgsl_fuzz,it_panics')"
        in invoke(run.path, "--show", "1", "--format", "cts", "--name", "it-panics").output
    )
    assert "WgslFuzz_ItPanics)" in invoke(run.path, "--show", "1", "--format", "tint", "--name", "it-panics").output
    out = tmp_path / "corpus"
    assert invoke(run.path, "--show", "1", "--format", "corpus", "--name", "it-panics", "-o", out).exit_code == 0
    assert [folder.name for folder in out.iterdir()] == ["it-panics"]


def test_what_is_new_comes_first_in_triage_and_report(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), MadeUp(BOTH_BREAK), CRASH])
    before = [bucket.name for bucket in bucketed(run)]
    assert invoke(run.path, "--drop", "1", "a fault of the driver", "--mark-known", "2", URL).exit_code == 1
    said = orjson.loads(invoke(run.path, "--format", "json").output)["buckets"]
    assert [(b["number"], b["state"], b["name"]) for b in said] == [
        (3, "new", before[2]), (2, "known", before[1]), (1, "dropped", before[0])
    ]  # fmt: skip
    cards = page_of(load_run(run.path))["cards"]
    assert [(card.group.number, str(card.group.bucket.key)) for card in cards] == [
        (b["number"], b["name"]) for b in said
    ]
    page = report_page(load_run(run.path))
    assert "#3" in page
    assert "a fault of the driver" in page


def numbers(path: Path) -> dict[str, int]:
    return {b["name"]: b["number"] for b in orjson.loads(invoke(path, "--format", "json").output)["buckets"]}


def test_what_a_resumed_run_finds_gets_the_numbers_behind(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [CRASH])
    before = numbers(run.path)
    store(run.path, [CRASH, MadeUp(BOTH_BREAK), MadeUp(IN_IF, "other")])
    after = numbers(run.path)
    assert after | before == after
    assert sorted(after.values()) == [1, 2, 3]
    assert [card.group.number for card in page_of(load_run(run.path))["cards"]] == list(after.values())


def test_a_folder_that_cannot_be_written_to_has_numbers_all_the_same(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [MadeUp(IN_IF), CRASH])
    (run.path / "triage.json.part").mkdir()  # in the way of every write
    assert sorted(numbers(run.path).values()) == [1, 2]


def test_no_command_is_wrapped(tmp_path: Path) -> None:
    reproduce = "wgsl-fuzz check " + "-".join("x" * 99)
    run = store(tmp_path / ("a" * 60) / ("b" * 60) / "run", [MadeUp(IN_IF, more={"reproduce": reproduce})])
    lines = invoke(run.path, "--show", "1").output.splitlines()
    assert f"filed already:  wgsl-fuzz triage {run.path} --mark-known 1 URL" in lines
    assert f"shows it:    {reproduce}" in lines
    assert f"Look at one: wgsl-fuzz triage {run.path} --show 1" in invoke(run.path).output.splitlines()


# --------------------------------------------------- The command `merge`, and what the other commands make of a history


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
        f"{out}: 1 run (1 added, 0 there already), 100 shaders, 1 finding\nnext: wgsl-fuzz triage '{out}'\n"
    )
    assert (
        "2 runs (1 added, 1 there already), 200 shaders, 2 findings" in wgsl_fuzz("merge", one, two, "-o", out).output
    )
    assert wgsl_fuzz("merge", out, "-o", out).exit_code == 0
    assert [run["name"] for run in orjson.loads((out / "run.json").read_bytes())["runs"]] != []


def test_the_commands_read_a_history_like_a_run(tmp_path: Path) -> None:
    out = tmp_path / "history"
    wgsl_fuzz("merge", made(tmp_path / "one"), made(tmp_path / "two"), "-o", out)
    assert "found 2 times" in wgsl_fuzz("triage", out, "--show", "1").output
    assert "200 shaders" in wgsl_fuzz("status", out).output
    assert "2 runs" in wgsl_fuzz("report", out).output
    assert wgsl_fuzz("triage", out, "--mark-known", "1", "https://x.org/1").exit_code == 0
    assert wgsl_fuzz("triage", out, "--show", "1", "--format", "markdown").exit_code == 0


def test_what_is_damaged_is_left_out_and_named(tmp_path: Path) -> None:
    run = made(tmp_path / "one")
    change_state(run, "UPDATE finding SET record = ?", b"{")
    result = wgsl_fuzz("merge", run, "-o", tmp_path / "history")
    assert result.exit_code == 2
    assert result.stderr.startswith("wgsl-fuzz: merge: left out: 001-too-strict-tint")
    assert "1 run" in result.stdout
