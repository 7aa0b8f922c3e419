"""The command `certify`: parts that exist, put together; interrupted, known, new."""

import re
import shutil
import signal
from collections.abc import Iterator
from functools import partial
from html import unescape
from itertools import count
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import Result

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.conftest import ask_few_questions, make_tasks_small
from tests.fuzz.fakes import FakeTarget, play
from wgsl_fuzz.fuzz.campaign.campaign import Campaign
from wgsl_fuzz.fuzz.cli import certify as command
from wgsl_fuzz.fuzz.cli.rules import conformance
from wgsl_fuzz.fuzz.conformance.rows import REJECTED, SIDES, Level, load
from wgsl_fuzz.fuzz.conformance.table import Status
from wgsl_fuzz.fuzz.findings.schema import write
from wgsl_fuzz.fuzz.judging.departures import variants_of
from wgsl_fuzz.fuzz.judging.kinds import UNEXPLAINED, BucketKey, Kind
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.fuzz.triage.merging import merge
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.enumerate.families import ALL_FAMILIES

FAULTY = "rules:without-10a"
"""The smallest shader on which it is unsound is in `main`, of three statements, and in a case of the corpus."""
CASES = ("fig-10a", "fig-10b")


certify = partial(wgsl_fuzz, "certify", "--quick", "--jobs", 1)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in which certificates are small: two cases, two families, the rows of proposals, few drawn shaders."""
    folder = tmp_path_factory.mktemp("certify")
    for case in CASES:
        shutil.copytree(corpus_folder() / case, folder / "corpus" / case)
    (folder / "known.toml").write_text(f'[[known]]\nbucket = "{FAULTY} *"\nissue = "https://example.org/1"\n')
    with pytest.MonkeyPatch.context() as patch:
        make_tasks_small(patch)
        ask_few_questions(patch)
        patch.setattr("wgsl_fuzz.fuzz.regression.corpus.corpus_folder", lambda: folder / "corpus")
        patch.setattr(command, "ALL_FAMILIES", {name: ALL_FAMILIES[name] for name in ("main", "inputs")})
        patch.setattr(command, "FAMILY", {True: 60})
        patch.setattr(command, "DRAWN", {True: 96})
        patch.setattr(command, "LEVEL", Level.PROPOSALS)
        yield folder


@pytest.fixture(scope="module")
def done(small: Path) -> tuple[Path, Result]:
    """A certificate that nothing disturbed, all of whose differences are known."""
    folder = small / "done"
    return folder, certify("-t", FAULTY, "--known-file", small / "known.toml", "-o", folder)


def _read(folder: Path) -> dict[str, Any]:
    certificate = orjson.loads((folder / "certificate.json").read_bytes())
    assert isinstance(certificate, dict)
    return certificate


def test_what_is_known_is_no_failure(done: tuple[Path, Result]) -> None:
    folder, result = done
    assert result.exit_code == 0, result.output
    certificate = _read(folder)
    assert certificate["finished"]
    assert [part["part"] for part in certificate["parts"]] == [
        "conformance",
        "corpus",
        "small-1",
        "small-3",
        "campaign",
    ]
    assert all(part["finished"] and part["shaders"] == part["of"] > 0 for part in certificate["parts"])
    assert {one["state"] for one in certificate["differences"]} == {"known"}
    assert {one["issue"] for one in certificate["differences"]} == {"https://example.org/1"}
    (unsound,) = (one for one in certificate["differences"] if one["kind"] == "unsound")
    assert {"corpus", "small-3"} <= unsound["parts"].keys()
    assert certificate["parts"][3]["differ"] > 0 == certificate["parts"][3]["new buckets"]


def test_the_page_says_what_the_json_says(done: tuple[Path, Result]) -> None:
    page = (done[0] / "certificate.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "src=" not in page
    said = " ".join(unescape(re.sub(r"<[^>]*>", "", page)).split())
    certificate = _read(done[0])
    told = [str(certificate[name]) for name in ("target", "origin", "version", "command")]
    assert "--known-file" in certificate["command"]
    told += [f"generator {certificate['generator']}", "Nothing new"]
    for part in certificate["parts"]:
        told += [part["part"], part["covers"], part["command"], f"{part['shaders']:,}", f"{part['differ']:,}"]
    for one in certificate["differences"]:
        told += [one["bucket"], one["title"].replace("`", ""), one["kind"], one["state"], one["issue"]]
        told += one["shader"].split()
    assert [words for words in told if " ".join(words.split()) not in said] == []


def test_what_is_not_known_is_exit_status_1_and_nothing_is_done_again(done: tuple[Path, Result], small: Path) -> None:
    folder, _ = done
    before = {path: path.stat().st_mtime_ns for path in folder.glob("*.json") if path.name != "certificate.json"}
    result = certify("-t", FAULTY, "-o", shutil.copytree(folder, small / "again"))
    assert result.exit_code == 1
    assert "new: unsound" in result.stdout
    assert "part" not in result.stderr
    certificate = _read(small / "again")
    assert certificate["differences"][0]["kind"] == "unsound"
    assert {one["state"] for one in certificate["differences"]} == {"new"}
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_a_bug_marked_known_is_known_in_runs_and_rows(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are of many branches; all that is wrong with them is the one that triage names."""
    play(monkeypatch, lambda _: FakeTarget(Rules(variants_of(["while/condition/dropped"])), name="mine"))
    monkeypatch.setattr(command, "ALL_FAMILIES", {"loop-body": ALL_FAMILIES["loop-body"]})
    monkeypatch.setattr(command, "DRAWN", {True: 16})
    monkeypatch.setattr(command, "LEVEL", Level.WGSL)
    folder, known = small / "mine", small / "mine.toml"
    assert certify("-t", "mine", "-o", folder).exit_code == 1
    (one,) = _read(folder)["differences"]
    assert (one["bucket"], one["state"], one["issue"]) == ("mine while/condition/dropped", "new", None)
    assert one["parts"]["conformance"] > 10
    url = "https://example.org/2"
    assert wgsl_fuzz("triage", folder / "all", "--known-file", known, "--mark-known", "1", url).exit_code == 0
    assert 'bucket = "mine while/condition/dropped"' in known.read_text()
    result = certify("-t", "mine", "-o", folder, "--known-file", known)
    assert (result.exit_code, "1 difference, 0 new" in result.stdout) == (0, True), result.output
    (one,) = _read(folder)["differences"]
    assert (one["state"], one["issue"]) == ("known", url)
    # So it is wherever the target is asked.
    asked = ("-t", "mine", "--known-file", known)
    assert wgsl_fuzz("conformance", *asked, "--level", "wgsl").exit_code == 0
    assert wgsl_fuzz("conformance", *asked[:2], "--level", "wgsl").exit_code == 1
    (small / "other.toml").write_text(f'[[known]]\nbucket = "mine for/condition/dropped"\nissue = "{url}"\n')
    assert wgsl_fuzz("conformance", *asked[:2], "--known-file", small / "other.toml", "--level", "wgsl").exit_code == 1
    small_bodies = ("--family", "loop-body", "--max-statements", "2", "-j", "1")
    assert wgsl_fuzz("enumerate", *asked, *small_bodies, "-o", small / "known").exit_code == 0
    assert wgsl_fuzz("enumerate", *asked[:2], *small_bodies, "-o", small / "unknown").exit_code == 1


def test_an_interrupted_certificate_goes_on_and_equals_one_that_nothing_disturbed(
    done: tuple[Path, Result], small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit, tasks, ask = Campaign._submit_task, count(1), iter([True])

    def interrupted(work: Campaign) -> bool:
        """Ctrl-C at every second task, whichever part it is in."""
        if next(tasks) % 2:
            signal.raise_signal(signal.SIGINT)
        return submit(work)

    def asked(*given: Any) -> Any:
        if next(ask, False):
            raise KeyboardInterrupt
        return original(*given)

    original = conformance.ask
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.rules.conformance.ask", asked)
    monkeypatch.setattr(Campaign, "_submit_task", interrupted)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    folder, statuses = small / "interrupted", list[int]()
    while not statuses or statuses[-1]:
        result = certify("-t", FAULTY, "--known-file", small / "known.toml", "-o", folder)
        assert ("not finished; to go on: wgsl-fuzz certify" in result.stderr) == bool(result.exit_code)
        statuses.append(result.exit_code)
    # In the rows, and thrice in each of `small-1` and the campaign, whose findings are all known.
    assert statuses == [130, 130, 130, 130, 130, 130, 130, 0]
    assert _read(folder) | {"command": ""} == _read(done[0]) | {"command": ""}


def test_a_certificate_is_of_one_thing(done: tuple[Path, Result], small: Path) -> None:
    (small / "damaged").mkdir()
    (small / "damaged/certificate.json").write_text("[1")
    for words, says in {
        ("-t", FAULTY, "-o", small / "damaged"): "certificate.json is damaged",
        ("-t", "rules:paper", "-o", done[0]): f"a certificate of target {FAULTY}, not rules:paper",
        ("-t", FAULTY, "-o", done[0], "--seed", 7): "a certificate of seed 0, not 7",
        ("-t", FAULTY, "-o", small): "is no certificate",
        ("-t", FAULTY, "-t", "rules:paper", "-o", small / "new"): "about one --target",
        ("-t", FAULTY): "missing option '--out'",
    }.items():
        result = certify(*words)
        assert result.exit_code == 2
        assert says in result.stderr
    assert not (small / "new").exists()


def test_its_runs_are_runs(done: tuple[Path, Result], small: Path) -> None:
    runs = [done[0] / name for name in ("small-1", "small-3", "campaign")]
    assert wgsl_fuzz("triage", done[0] / "all", "--known-file", small / "known.toml", "--format", "text").exit_code == 0
    assert wgsl_fuzz("report", runs[1], "-o", small / "report.html").exit_code == 0
    assert merge(runs, done[0] / "all").added == 0


def test_the_contract_names_its_keys(done: tuple[Path, Result]) -> None:
    pages = Path(__file__).parents[3] / "docs/commands.md"
    (row,) = (line for line in pages.read_text(encoding="utf-8").splitlines() if line.startswith("| `certify` | in"))
    certificate = _read(done[0])
    records = [certificate, certificate["parts"][0], certificate["differences"][0]]
    assert {*re.findall("`(.*?)`", row)} - {"certify", "certificate.json"} == {key for one in records for key in one}


def test_a_row_that_no_departure_explains_is_a_difference_of_its_branch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "LEVEL", Level.WGSL)
    one, other = load(command.LEVEL).rows[:2]
    invalid = next(row for row in load(command.LEVEL).rows if row.refusal is Verdict.INVALID)
    right = {side: one.expected(side).value for side in SIDES}
    strict = {"accepted": write(BucketKey("mine", Kind.TOO_STRICT, UNEXPLAINED))}
    results = [
        (one, {"rejected": "accepts"}, {"rejected": write(BucketKey("mine", Kind.TOO_LENIENT, UNEXPLAINED))}, None),
        (other, {"accepted": "unsupported"}, {}, "it lacks this: no idea"),
        (other, {"accepted": "unsupported"}, {}, "line 3, column 4: it has: a texture"),
        (other, {"accepted": "crashed"}, {}, "error: no idea"),
        (other, {"rejected": "accepts"}, {}, None),
        (invalid, {"rejected": "crashed"}, {}, Status.NOT_JUDGED.value),
        (invalid, {"accepted": "rejects", "rejected": "accepts"}, strict, Status.TOO_STRICT.value),
    ]
    table = {
        "target": "mine",
        "analysis": False,
        "results": [
            {
                "row": row.name,
                "answers": right | said,
                "wrong": [side for side in said if (row, side) != (invalid, REJECTED)],
                "says": says,
                "status": says,
                "buckets": buckets,
                "issue": None,
            }
            for row, said, buckets, says in results
        ],
    }
    (tmp_path / "conformance.json").write_bytes(orjson.dumps({"targets": [table]}))
    assert [(str(key), text, fails) for _, key, text, fails, _ in command._rows(tmp_path)] == [
        (f"mine too-lenient {one.name}", one.rejected, True),
        ("mine invalid it lacks this", other.accepted, False),
        ("mine invalid it has: a texture", other.accepted, False),
        ("mine crash error: no idea", other.accepted, True),
        ("mine uniformity not implemented", other.rejected, True),
        (f"mine too-strict {invalid.name}", invalid.accepted, True),
    ]
