"""The time line: which builds, in which order, what a change is called, and the command as scripts meet it."""

from functools import partial
from itertools import pairwise
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.cli.bisect import Build, builds_of, change_word, within
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.corpus import CorpusCase
from wgsl_fuzz.fuzz.regression.replay import CaseResult, ReplayStatus
from wgsl_fuzz.oracle.targets.protocol import Availability, TargetInfo
from wgsl_fuzz.oracle.verdict import Verdict

FIGURES = [f"corpus/fig-10{letter}" for letter in "abcd"]


bisect = partial(wgsl_fuzz, "bisect")


def test_the_figures_change_verdict_with_the_texts_that_mended_them() -> None:
    done = bisect("-t", "wgsl", "--format", "json", *FIGURES)
    assert done.exit_code == 1
    said = orjson.loads(done.stdout)
    changes = {text["name"]: [c["after"] for c in text["changes"]] for text in said["texts"]}
    assert changes == {
        "fig-10a": ["rules:wgsl-2025-10-14"],
        "fig-10b": ["rules:wgsl-2025-10-17"],
        "fig-10c": ["rules:wgsl-2025-12-01"],
        "fig-10d": ["rules:wgsl-2025-12-01"],
    }
    assert {c["word"] for text in said["texts"] for c in text["changes"]} == {"fixed"}
    dates = [build["date"] for build in said["builds"]]
    assert dates == sorted(dates)
    assert len(dates) > 9


DIVERGING = """var<workgroup> a: atomic<u32>;
@compute @workgroup_size(2)
fn main() { if (atomicAdd(&a, 1u) == 0u) { workgroupBarrier(); } }
"""


def test_a_module_is_of_the_kind_that_check_says(tmp_path: Path) -> None:
    shader = tmp_path / "a.wgsl"
    shader.write_text(DIVERGING)
    done = bisect("-t", "letter", str(shader))
    assert done.stdout.splitlines()[1].split() == ["letter", "accepts", "unsound"]
    assert "unsound: letter" in wgsl_fuzz("check", "-t", "letter", shader).stdout
    said = orjson.loads(bisect("-t", "letter", "--format", "json", str(shader)).stdout)
    assert said["texts"][0]["answers"]["letter"]["kind"] == "unsound"


def test_a_build_that_cannot_be_opened_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    there = [TargetInfo("rules:wgsl-2025-10-17", "", Availability.INSTALLED, "2025-10-17")]
    away = [TargetInfo("rules:wgsl-2020-01-01", "", Availability.INSTALLED, "2020-01-01")]
    monkeypatch.setattr("wgsl_fuzz.fuzz.cli.bisect.available", lambda: there + away)
    done = bisect("-t", "wgsl", "corpus/fig-10a")
    assert done.exit_code == 0
    assert "rules:wgsl-2020-01-01 is left out: " in done.stderr
    assert "between 1 build" in done.stdout
    assert bisect("-t", "wgsl", "-t", "rules:wgsl-2020-01-01", "corpus/fig-10a").exit_code == 2  # one that was named


def test_builds_of_one_date_stand_as_they_were_made(monkeypatch: pytest.MonkeyPatch) -> None:
    newest_first = [
        ("0.4.0", "2026-03"),
        ("0.3.9", "2026-03"),
        ("0.3.6", "2025"),
        ("old", "2025-01"),
        ("0.3.8", "2025-09"),
    ]
    infos = [TargetInfo(f"tint@{name}", "", Availability.INSTALLED, date) for name, date in newest_first]
    monkeypatch.setattr(
        "wgsl_fuzz.fuzz.cli.bisect.available", lambda: [TargetInfo("tint", "", Availability.INSTALLED), *infos]
    )
    names = [build.spec for build in builds_of(["tint:mine", "tint"])]
    in_order = ["tint@old", "tint@0.3.6", "tint@0.3.8", "tint@0.3.9", "tint@0.4.0"]
    assert [name for name in names if name in in_order] == in_order
    assert {"tint:mine", "tint"} == set(names[-2:])


_DATES = st.lists(st.dates().map(lambda day: day.isoformat()[:7]), min_size=1, max_size=8).map(sorted)


@given(_DATES, st.data())
def test_a_range_by_date_holds_what_is_within_it(dates: list[str], data: st.DataObject) -> None:
    builds = [Build(f"it@{i}", date) for i, date in enumerate(dates)]
    first, last = sorted((data.draw(st.sampled_from(dates)), data.draw(st.sampled_from(dates))))
    assert within(builds, first, last) == [build for build in builds if first <= build.date <= last]
    assert within(builds, "", "") == builds


@given(_DATES, st.data())
def test_a_range_by_name_begins_and_ends_with_the_builds_named(dates: list[str], data: st.DataObject) -> None:
    builds = [Build(f"it@v{i}", date) for i, date in enumerate(dates)]
    ends = data.draw(st.lists(st.integers(0, len(builds) - 1), min_size=2, max_size=2))
    if ends[0] > ends[1]:
        with pytest.raises(Problem):
            within(builds, f"v{ends[0]}", f"it@v{ends[1]}")
        return
    assert within(builds, f"v{ends[0]}", f"it@v{ends[1]}") == builds[ends[0] : ends[1] + 1]


def _result(said: str, kind: str | None) -> CaseResult:
    case = CorpusCase(Path(), "", "", "", Verdict.ACCEPTS, None, {}, filed=False)
    return CaseResult(case, "it", ReplayStatus.STILL, said, "accepts", None, kind=kind)


_RESULTS = st.sampled_from(
    [
        _result("accepts", None),
        _result("rejects", "too-strict"),
        _result("invalid", "invalid"),
        _result("invalid", None),
    ]
)


@given(st.lists(_RESULTS, min_size=2))
def test_a_change_is_fixed_only_where_a_fault_went_and_broken_only_where_one_came(answers: list[CaseResult]) -> None:
    for before, after in pairwise(answers):
        word = change_word(before, after)
        assert (word == "fixed") == (before.disagrees and after.said == "accepts")
        assert (word == "broken") == (before.said == "accepts" and after.disagrees)
