"""The lines of a campaign: six at its end, every command whole, numbers with their nouns."""

import re
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.runs import MadeUpRun
from wgsl_fuzz.fuzz.campaign.campaign import Campaign
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.cli.runs.progress import closing_lines, line, shown
from wgsl_fuzz.fuzz.judging.judge import BucketKey, Cause, Kind
from wgsl_fuzz.fuzz.output import Console
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.triage.since import triage_of

COUNTS = st.dictionaries(
    st.sampled_from(Kind).map(lambda kind: BucketKey("t", kind, Cause(told="x"))), st.integers(1, 9)
)


def closing(folder: Path, buckets: dict[BucketKey, int], left: str = "", status: int = 1) -> list[str]:
    """The lines of a run whose crashes are known."""
    made = MadeUpRun(folder, known={str(key): "https://example.org/1" for key in buckets if key.kind is Kind.CRASH})
    made.counted = [(str(key), None) for key, n in buckets.items() for _ in range(n)]
    return list(closing_lines(Counters(), triage_of(made.stored()), left, status))


def test_what_is_new_and_known_where_to_look_and_the_verdict(tmp_path: Path) -> None:
    buckets = {BucketKey("tint", Kind.TOO_STRICT, Cause.parse(str(i))): 1 for i in range(4)}
    buckets |= {
        BucketKey("tint", Kind.UNSOUND, Cause.parse("10a")): 100,
        BucketKey("tint", Kind.CRASH, Cause.parse("panic")): 2,
    }
    assert closing(tmp_path / "a run", buckets)[2:] == [
        "new: tint unsound before-2025-10-14/10a (100), tint too-strict 0 (1), tint too-strict 1 (1), and 2 more",
        "known: tint crash panic (2)",
        f"to look: wgsl-fuzz triage '{tmp_path / 'a run'}'",
        "5 new faults. 1 known fault was met again. Exit status 1.",
    ]


def test_without_a_finding_the_report_says_what_was_done(tmp_path: Path) -> None:
    assert closing(tmp_path, {}, left="Interrupted", status=130)[2:] == [
        "Interrupted",
        "new: nothing",
        "known: nothing",
        f"to look: wgsl-fuzz report {tmp_path} -o report.html",
        "Nothing new. Exit status 130.",
    ]


@settings(max_examples=20)
@given(COUNTS, st.sampled_from([0, 1, 2, 130]))
def test_the_end_has_six_lines_and_counts_as_triage_status_and_report_do(
    buckets: dict[BucketKey, int], status: int
) -> None:
    with TemporaryDirectory() as name:
        lines = closing(Path(name), buckets, status=status)
        counts = orjson.loads(wgsl_fuzz("status", name, "--format", "json").stdout)
        told = wgsl_fuzz("triage", name, "--format", "text").stdout.splitlines()[0]
    assert len(lines) == 6
    assert not any("\n" in told for told in lines)
    known = sum(key.kind is Kind.CRASH for key in buckets)
    new = len(buckets) - known
    assert (counts["buckets"], counts["new buckets"]) == (len(buckets), new)
    assert f" in {count(len(buckets), 'bucket')}: " in told
    assert lines[-1].startswith(count(new, "new fault") if new else "Nothing new.")
    assert (f"{count(known, 'known fault')} w" in lines[-1]) == bool(known)
    assert (f"Exit status {status}." in lines[-1]) == bool(status)
    assert ("--fail-on" in lines[-1]) == (bool(new) and not status)


@given(st.integers(0, 10**7))
def test_only_one_has_no_s(n: int) -> None:
    assert count(n, "shader").endswith("s") == (n != 1)
    assert int(count(n, "shader").split(" ")[0].replace(",", "")) == n


@pytest.mark.parametrize("further", [[], ["--programs", "8"]])
def test_the_result_is_on_standard_output_after_resume_too(
    tmp_path_factory: pytest.TempPathFactory, further: list[str]
) -> None:
    out = str(tmp_path_factory.mktemp("ended") / "run")
    begun = ["--target", "rules:without-10a", "--programs", "400", "--seed", "5", "--jobs", "1"]
    result = wgsl_fuzz(*begun, "--out", out)
    if further:
        result = wgsl_fuzz("--resume", out, "--jobs", "1", *further)
    told = result.stdout.splitlines()
    assert len(told) == 6, result.output
    assert told[1].startswith("accepted by the reference: ")
    assert told[2].startswith("new: rules:without-10a unsound before-2025-10-14/10a")
    assert told[4] == f"to look: wgsl-fuzz triage {out}"
    assert re.search(r"^\d+ new faults?\. Exit status 1\.$", told[5])
    assert result.exit_code == 1
    assert not set(told) & set(result.stderr.splitlines())
    shown = wgsl_fuzz(*told[4].split()[3:])
    assert shown.exit_code == 1
    assert f" in {count(int(told[5].split()[0]), 'bucket')}: " in shown.stdout.splitlines()[0]
    assert "without-10a" in shown.stdout


def test_the_line_says_that_it_reduces_and_how_much_is_left() -> None:
    counters = Counters()
    assert "reducing" not in line(counters)
    counters.reducing = 3
    assert line(counters).endswith("no finding; reducing: 3 reductions left")
    counters.reducing = 0
    assert "reducing" not in line(counters)


def test_a_log_has_a_line_when_reducing_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.runs.progress.EVERY", float("inf"))
    written = StringIO()
    counters = Counters()
    with shown(Console(file=written), [], "seed 1") as status:
        status(counters)
        for left in (2, 1, 0):
            counters.reducing = left
            status(counters)
    (told,) = written.getvalue().splitlines()
    assert told.endswith("reducing: 2 reductions left")


@pytest.mark.parametrize(
    ("options", "end"), [((), "Ctrl-C"), (("--stop-on-first",), "its first new finding or Ctrl-C")]
)
def test_without_a_budget_it_says_how_it_ends(
    options: tuple[str, ...], end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begun(*_: object) -> None:
        raise SystemExit

    monkeypatch.setattr(Campaign, "run", begun)
    asked = ["--target", "rules:without-10a", "--jobs", "1", "--out", str(tmp_path / "run"), *options]
    told = f"no budget: it runs until {end}; --minutes or --programs set one"
    assert told in wgsl_fuzz(*asked).stderr.splitlines()
    assert told not in wgsl_fuzz(*asked, "--programs", "8").stderr.splitlines()
