"""The lines of a campaign: six at its end, every command whole, numbers with their nouns."""

import re
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.campaign.campaign import Campaign
from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.cli.runs.progress import closing_lines, line, shown
from wgsl_fuzz.fuzz.findings.known import KnownBucket, KnownBuckets
from wgsl_fuzz.fuzz.judging.judge import BucketKey, Cause, Kind
from wgsl_fuzz.fuzz.output import Console
from wgsl_fuzz.fuzz.present.wording import count

KNOWN = KnownBuckets((KnownBucket("tint crash *", "https://example.org/1"),))


def closing(buckets: dict[BucketKey, int], out: str = "run", left: str = "") -> list[str]:
    counters = Counters()
    counters.buckets.update(buckets)
    return list(closing_lines(counters, out, KNOWN, left, 1))


def test_what_is_new_and_known_where_to_look_and_the_verdict() -> None:
    buckets = {BucketKey("tint", Kind.TOO_STRICT, Cause.parse(str(i))): 1 for i in range(4)}
    buckets |= {
        BucketKey("tint", Kind.UNSOUND, Cause.parse("10a")): 1000,
        BucketKey("tint", Kind.CRASH, Cause.parse("panic")): 2,
    }
    assert closing(buckets)[2:] == [
        "new: tint unsound 10a (1,000), tint too-strict 0 (1), tint too-strict 1 (1), and 2 more",
        "known: tint crash panic (2)",
        "to look: wgsl-fuzz triage run",
        "5 new raw buckets, 1 known: exit status 1",
    ]


def test_without_a_finding_the_report_says_what_was_done() -> None:
    lines = closing({}, left="Interrupted")
    assert lines[2:5] == ["Interrupted", "new: nothing", "known: nothing"]
    assert lines[5] == "to look: wgsl-fuzz report run -o report.html"


@given(
    st.dictionaries(st.sampled_from(Kind).map(lambda kind: BucketKey("t", kind, Cause(told="x"))), st.integers(1, 9))
)
def test_the_end_has_six_lines(buckets: dict[BucketKey, int]) -> None:
    lines = closing(buckets)
    assert len(lines) == 6
    assert not any("\n" in told for told in lines)


def test_a_folder_with_a_space_is_quoted() -> None:
    assert "to look: wgsl-fuzz triage 'my run'" in closing({BucketKey("t", Kind.HANG, Cause(told="x")): 1}, "my run")


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
    assert told[2].startswith("new: rules:without-10a unsound before-2025-10-14/10a ")
    assert told[4] == f"to look: wgsl-fuzz triage {out}"
    assert re.search(rf"^\d+ new raw buckets?, 0 known: exit status {result.exit_code}$", told[5])
    assert result.exit_code == 1
    assert not set(told) & set(result.stderr.splitlines())
    shown = wgsl_fuzz(*told[4].split()[3:])
    assert shown.exit_code == 1
    raw, by_cause = int(told[5].split()[0]), re.search(r"; by cause, triage shows (\d+) buckets? in all$", told[2])
    assert f" in {count(raw if by_cause is None else int(by_cause[1]), 'bucket')}" in shown.stdout.splitlines()[0]
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
