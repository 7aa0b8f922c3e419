"""What fails a campaign is a choice: `--fail-on`, `--exclude`, `--like`."""

from pathlib import Path

import orjson
import pytest
from click.testing import Result

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.conftest import ask_few_questions
from tests.fuzz.fakes import FakeTarget, play, without
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.findings.records import REDUCED
from wgsl_fuzz.fuzz.judging.departures import variants_of
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import WGSL_RULE_SETS


@pytest.fixture(autouse=True)
def _fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The target `lenient` has faults of the kinds unsound and too-lenient, `strict` of the kind too-strict."""
    play(monkeypatch, lambda name: FakeTarget(without("10a" if name == "lenient" else "10c"), name=name))
    ask_few_questions(monkeypatch)


def ran(tmp_path: Path, target: str, *options: str) -> Result:
    out = ["--out", str(tmp_path / "run"), "--programs", "40", "--seed", "5", "--jobs", "1", "--language", "tiny"]
    return wgsl_fuzz("--target", target, *out, *options)


@pytest.mark.parametrize(
    ("options", "verdict"),
    [
        ("", "1 new fault. Exit status 1."),
        ("--fail-on crash,too-strict", "1 new fault. Exit status 1."),
        ("--fail-on unsound,too-lenient", "1 new fault, none of a kind that --fail-on names."),
        ("--fail-on unsound --fail-on too-strict", "1 new fault. Exit status 1."),
        ("--exclude too-strict", "Nothing new."),
        ("--exclude unsound", "1 new fault. Exit status 1."),
        ("--known-file known.toml", "Nothing new. 1 known fault was met again."),
    ],
)
def test_only_what_counts_fails_a_run_as_the_last_line_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str, verdict: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("known.toml").write_text('[[known]]\nbucket = "strict *"\nissue = "https://example.org/1"\n')
    result = ran(tmp_path, "strict", *options.split())
    assert result.stdout.splitlines()[-1] == verdict
    assert result.exit_code == int("Exit status 1" in verdict), result.output
    assert (not load_run(tmp_path / "run").findings) is (options == "--exclude too-strict")


def test_the_first_finding_that_counts_ends_the_run(tmp_path: Path) -> None:
    assert ran(tmp_path, "strict", "--fail-on", "first", "--programs", "100000").exit_code == 1
    run = load_run(tmp_path / "run")
    assert run.record.programs < 100_000
    assert {found.record.describes for found in run.findings} == {REDUCED}


TINT = WGSL_RULE_SETS["wgsl-tint-0.6.2"]
IN_ELSE = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {{
  if lid == 0u {{ }} else {{ {}; }}
}}
"""


def test_what_is_known_of_the_build_that_mine_is_like_fails_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(monkeypatch, lambda _: FakeTarget(TINT, name="tint@mine"))
    corpus = [case for case in load_cases() if case.name in ("tint-while-always-iterates", "tint-contents-at-argument")]
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.runs.campaign.load_cases", lambda: corpus)
    monkeypatch.chdir(tmp_path)
    begun = ["--target", "tint@mine", "--programs", 1, "--language", "compute", "--jobs", 1]
    bound = ["enumerate", "--family", "loop-body", "--max-statements", 2, "--target", "tint@mine"]
    for name, like, status in (("mine", [], 1), ("like", ["--like", "tint@0.6.2"], 0)):
        assert wgsl_fuzz(*begun, "--out", name, *like).exit_code == status
        assert wgsl_fuzz("triage", name).exit_code == status
        assert wgsl_fuzz("triage", "mine", *like).exit_code == status
        assert wgsl_fuzz(*bound, "--out", f"small-{name}", *like).exit_code == status
        assert wgsl_fuzz("--resume", name, "--programs", 1, "--jobs", 1).exit_code == status  # nothing said again


def test_a_bucket_marked_known_is_known_with_another_seed_and_when_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault that no departure explains, so that a branch of the rules is what is known."""
    play(monkeypatch, lambda _: FakeTarget(Rules(variants_of(["if/else/from-start"])), name="mine"))
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.runs.campaign.load_cases", list)
    monkeypatch.chdir(tmp_path)
    for folder, barrier in (("a", "workgroupBarrier()"), ("b", "let x = 1u; storageBarrier()")):
        Path(folder).mkdir()
        Path(folder, "shader.wgsl").write_text(IN_ELSE.format(barrier))
    begun = ["--target", "mine", "--programs", 1, "--language", "tiny", "--jobs", 1]
    assert wgsl_fuzz(*begun, "--seed", 1, "--seeds", "a", "--out", "one").exit_code == 1
    told = wgsl_fuzz("triage", "one", "--known-file", "k.toml", "--mark-known", "1", "https://example.org/1")
    assert (told.exit_code, told.stdout.splitlines()[1]) == (0, "  mine if/else/from-start")
    second = wgsl_fuzz(*begun, "--seed", 2, "--seeds", "b", "--out", "two", "--known-file", "k.toml")
    assert second.exit_code == 0, second.output
    assert wgsl_fuzz("triage", "two").exit_code == 0
    resumed = wgsl_fuzz("--resume", "two", "--target", "mine", "--programs", 1, "--jobs", 1)
    assert (resumed.exit_code, load_run(Path("two")).record.known_file) == (0, str(tmp_path / "k.toml"))
    assert wgsl_fuzz("triage", "two", "--show", 99, "--format", "cts", "-o", "x.ts").exit_code == 2
    assert not Path("x.ts").exists()


def test_the_known_file_of_a_run_is_found_from_every_folder_and_missed_when_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    known = tmp_path / "known.toml"
    known.write_text('[[known]]\nbucket = "strict *"\nissue = "https://example.org/1"\n')
    monkeypatch.chdir(tmp_path)
    assert ran(tmp_path, "strict", "--known-file", "known.toml").exit_code == 0
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = ["--resume", "../run", "--target", "strict", "--programs", 1, "--jobs", 1]
    assert wgsl_fuzz("triage", "../run").exit_code == wgsl_fuzz(*again).exit_code == 0
    moved = known.rename("moved.toml")
    refused = wgsl_fuzz(*again)
    said = f"wgsl-fuzz: {known}, the known-file of ../run, is not there: give it, or another, with --known-file\n"
    assert (refused.exit_code, refused.stderr) == (2, said)
    warning = f"{known}, the known-file of ../run, is not there: what it has may count as new\n"
    for name, *options in (["triage"], ["status"], ["report", "-o", "report.html"]):
        told = wgsl_fuzz(name, "../run", *options)
        assert (told.exit_code, told.stderr.count(warning)) == (0, 1)
    told = wgsl_fuzz("triage", "../run", "--known-file", moved)
    assert (told.exit_code, told.stderr) == (0, "")
    assert load_run(tmp_path / "run").record.known_file == str(known)
    assert wgsl_fuzz(*again, "--known-file", moved).exit_code == 0
    assert load_run(tmp_path / "run").record.known_file == str(moved.absolute())


@pytest.mark.parametrize(("fault", "status"), [((), 0), (("10c",), 1)])
def test_a_row_fails_unless_what_is_wrong_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: tuple[str, ...], status: int
) -> None:
    play(monkeypatch, lambda _: FakeTarget(Rules([*TINT, *without(*fault)]), name="tint@mine"))
    asked = ["conformance", "--target", "tint@mine", "--format", "json"]
    assert wgsl_fuzz(*asked).exit_code == 1
    liked = wgsl_fuzz(*asked, "--like", "tint@0.6.2")
    assert liked.exit_code == status
    (tmp_path / "wgsl-fuzz.toml").write_text('like = "tint@0.6.2"\n')
    monkeypatch.chdir(tmp_path)
    assert wgsl_fuzz(*asked).stdout == liked.stdout
    rows = orjson.loads(liked.stdout)["targets"][0]["results"]
    known = {row["row"] for row in rows if row["issue"]}
    assert "before-2025-12-01/joins-at-continuing" in known
    assert ({row["row"] for row in rows if row["status"] != "right"} == known) == (not status)
