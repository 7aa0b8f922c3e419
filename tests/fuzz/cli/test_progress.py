"""The closing lines of a campaign: every command whole on a line of its own, numbers with their nouns."""

from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.fuzz.campaign.counters import Counters
from wgsl_fuzz.fuzz.cli.progress import line, summary
from wgsl_fuzz.fuzz.findings.directory import SavedFinding
from wgsl_fuzz.fuzz.findings.known import KnownBuckets
from wgsl_fuzz.fuzz.findings.records import FindingRecord, Sizes
from wgsl_fuzz.fuzz.judging.judge import BucketKey, Kind
from wgsl_fuzz.fuzz.output import Console
from wgsl_fuzz.fuzz.present.plurals import count


def closing(saved: int, width: int, out: str) -> list[str]:
    counters = Counters()
    reproduce = f"wgsl-fuzz check {out}/findings/001/reduced.wgsl --oracle paper --oracle semantics --oracle tint"
    for i in range(saved):
        bucket = BucketKey("tint", Kind.TOO_STRICT, str(i))
        counters.buckets[bucket] += 1
        record = FindingRecord(kind=Kind.TOO_STRICT, target="tint", bucket=bucket, reproduce=reproduce)
        record.statements = Sizes(30, 4)
        counters.saved.append(SavedFinding(Path(out), record))
    console = Console(file=StringIO(), width=width)
    summary(console, counters, [], out, KnownBuckets())
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 100])
def test_no_command_is_wrapped(width: int) -> None:
    out = "a/" * 60 + "run"
    lines = [told.strip() for told in closing(2, width, out)]
    assert f"wgsl-fuzz triage {out}" in lines
    assert f"wgsl-fuzz report {out} -o report.html" in lines
    assert sum(told.endswith("--oracle tint") and told.startswith("wgsl-fuzz check") for told in lines) == 2


def test_a_folder_with_a_space_is_quoted() -> None:
    assert "  wgsl-fuzz triage 'my run'" in closing(1, 100, "my run")


def test_one_is_not_several() -> None:
    assert any("1 finding saved in" in told for told in closing(1, 100, "run"))
    assert any("2 findings saved in" in told for told in closing(2, 100, "run"))
    counters = Counters()
    counters.programs = 1
    assert "  1 program  " in line(counters)


@given(st.integers(0, 10**7))
def test_only_one_has_no_s(n: int) -> None:
    assert count(n, "shader").endswith("s") == (n != 1)
    assert int(count(n, "shader").split(" ")[0].replace(",", "")) == n
