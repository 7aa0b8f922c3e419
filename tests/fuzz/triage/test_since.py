"""A run held against an earlier one: what is new, what was seen, what is gone and what was only not seen again."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.runs import DIVERGING, STRICT, TEN_A, TEN_C, MadeUpRun, key_named, strict, unsound
from wgsl_fuzz.fuzz.findings.history import class_of
from wgsl_fuzz.fuzz.findings.loading import StoredRun, load_run
from wgsl_fuzz.fuzz.findings.records import ReplayLine, RunRecord
from wgsl_fuzz.fuzz.findings.schema import write
from wgsl_fuzz.fuzz.present.report.page import report_page
from wgsl_fuzz.fuzz.triage import since
from wgsl_fuzz.fuzz.triage.merging import merge
from wgsl_fuzz.fuzz.triage.replayed import FIXED, STILL, family_of
from wgsl_fuzz.fuzz.triage.since import GONE, NOT_SEEN_AGAIN, stand_ins_of, triage_since, without_run
from wgsl_fuzz.fuzz.triage.triage import Triage

BOTH, ONLY_STRICT = ("strict", "unsound"), ("strict",)


def made(path: Path, kinds: tuple[str, ...], target: str = "tint@0.3.8", build: str = "a", **record: Any) -> StoredRun:
    """A run that found STRICT, DIVERGING or both, with that target."""
    more: dict[str, Any] = {"targets": {target: build}, "answers": {target: {"accepts": 100}}}
    run = MadeUpRun(path, **(more | record))
    finding = {"strict": (strict, STRICT), "unsound": (unsound, DIVERGING)}
    for kind in kinds:
        make, text = finding[kind]
        given = make()
        verdicts = {name.replace("tint@0.3.8", target): word for name, word in given["verdicts"].items()}
        of_target = {"target": target, "branches": given["cause"]["departures"], "verdicts": verdicts}
        run.found(given | of_target, drawn=text, reduced=text)
    return run.stored()


def merged(folder: Path, *names: str, to: str = "history") -> StoredRun:
    """The history of the runs with these names in a folder."""
    merge([folder / name for name in names], folder / to)
    return load_run(folder / to)


def states(later: StoredRun, earlier: StoredRun) -> tuple[dict[str, str], dict[str, str]]:
    """The states of the later run's buckets by cause, and the words for what it does not have."""
    triage, comparison = triage_since(later, earlier)
    missing = {str(one.bucket.key.cause): one.word for one in comparison.missing}
    return {str(bucket.key.cause): triage.state(bucket) for bucket in triage.buckets}, missing


def test_what_the_earlier_run_had_is_seen_and_the_rest_is_new(tmp_path: Path) -> None:
    one, two = made(tmp_path / "one", ONLY_STRICT), made(tmp_path / "two", BOTH)
    assert states(two, one) == ({TEN_C: "seen", TEN_A: "new"}, {})
    assert states(one, two) == ({TEN_C: "seen"}, {TEN_A: GONE})


@pytest.mark.parametrize(
    ("later", "word"),
    [
        ({}, GONE),
        ({"programs": 101}, GONE),
        ({"programs": 99}, NOT_SEEN_AGAIN),
        ({"target": "tint@0.6.3"}, NOT_SEEN_AGAIN),
        ({"target": "naga@1"}, NOT_SEEN_AGAIN),
        ({"build": "b"}, GONE),
        ({"plan": None}, NOT_SEEN_AGAIN),
    ],
)
def test_gone_is_said_of_what_a_run_as_long_does_not_show(tmp_path: Path, later: dict[str, Any], word: str) -> None:
    earlier = made(tmp_path / "earlier", ("unsound",))
    assert states(made(tmp_path / "later", (), **later), earlier)[1] == {TEN_A: word}


def test_buckets_compare_by_the_family_where_the_build_differs(tmp_path: Path) -> None:
    earlier = made(tmp_path / "earlier", BOTH)
    later = made(tmp_path / "later", ONLY_STRICT, target="tint:out/tint")
    assert states(later, earlier) == ({TEN_C: "seen"}, {TEN_A: NOT_SEEN_AGAIN})
    comparison = triage_since(later, earlier)[1]
    assert comparison.builds == ("tint@0.3.8 of the earlier run is compared with tint:out/tint",)
    assert states(made(tmp_path / "naga", ONLY_STRICT, target="naga@1"), earlier)[0] == {TEN_C: "new"}


@pytest.mark.parametrize(
    ("before", "now", "compared"),
    [
        (["tint@1"], ["tint@1", "tint@2"], {"tint@1": "tint@1"}),
        (["tint@1"], ["tint@9", "tint@10", "naga@1"], {"tint@1": "tint@10"}),
        (["tint@1", "tint@2"], ["tint@2", "tint@3"], {"tint@1": "tint@3", "tint@2": "tint@2"}),
        (["rules:paper"], ["rules:wgsl-2023-01-28"], {}),
        (["tint@mine"], ["tint:a/b"], {"tint@mine": "tint:a/b"}),
    ],
)
def test_which_build_stands_for_which(before: list[str], now: list[str], compared: dict[str, str]) -> None:
    earlier, later = (RunRecord(version="1", targets=dict.fromkeys(names, "")) for names in (before, now))
    assert stand_ins_of(later, earlier) == compared


def test_a_name_of_the_users_is_of_the_family_that_it_opens() -> None:
    assert family_of("mine@main", {"mine@main": "mine@main=tint:out/tint"}) == "tint"
    assert family_of("python:a:b", {}) == "python:a:b"


def test_of_a_history_the_longest_run_that_met_it_counts(tmp_path: Path) -> None:
    made(tmp_path / "first", ("unsound",), programs=50)
    made(tmp_path / "second", ("strict",), programs=1000)
    tonight = made(tmp_path / "tonight", (), programs=60)
    assert states(tonight, merged(tmp_path, "first", "second"))[1] == {TEN_A: GONE, TEN_C: NOT_SEEN_AGAIN}


@pytest.mark.parametrize("others", [(), ("before",), ("before", "after")])
def test_a_run_is_not_earlier_than_itself(tmp_path: Path, others: tuple[str, ...]) -> None:
    made(tmp_path / "before", ONLY_STRICT), made(tmp_path / "after", ())
    tonight = made(tmp_path / "tonight", BOTH)
    history = merged(tmp_path, *others, "tonight")
    assert states(tonight, history) == ({TEN_A: "new", TEN_C: "seen" if others else "new"}, {})
    again = merged(tmp_path, "history", to="copy")
    assert states(again, history)[0] == {TEN_A: "seen", TEN_C: "seen"}, "a history is held against all of another one"
    result = wgsl_fuzz("triage", tonight.path, "--since", history.path, "--format", "text")
    assert (result.exit_code, "the history has this run already" in result.stdout) == (1, True)


def test_a_history_without_a_run_is_that_of_the_others(tmp_path: Path) -> None:
    kinds = (BOTH, ONLY_STRICT, ("unsound",))
    runs = [made(tmp_path / str(n), of, programs=100 + n) for n, of in enumerate(kinds)]
    merged(tmp_path, "0", "1", "2")
    for run in runs:
        there, name = without_run(load_run(tmp_path / "history"), run), run.path.name
        expected = merged(tmp_path, *({"0", "1", "2"} - {name}), to=f"without {name}")
        assert there.runs == expected.runs
        assert there.counted == expected.counted
        found = [[(one.folder.name, one.files, one.count) for one in of.findings] for of in (there, expected)]
        assert found[0] == found[1]


def test_what_people_decided_about_the_earlier_run_counts(tmp_path: Path) -> None:
    later, earlier = made(tmp_path / "later", ("unsound",)), made(tmp_path / "earlier", ("strict",))
    (earlier.path / "known.toml").write_text('[[known]]\nbucket = "tint* 10a"\nissue = "https://x.org/1"\n')
    assert states(later, earlier)[0] == {TEN_A: "known"}


def test_what_was_only_counted_is_seen_as_well(tmp_path: Path) -> None:
    later, earlier = made(tmp_path / "later", ()), made(tmp_path / "earlier", ("strict",))
    later = replace(later, counted=Counter(map(key_named, ("tint@0.3.8 too-strict 10c", "tint@0.3.8 crash x"))))
    assert states(later, earlier) == ({TEN_C: "seen", "x": "new"}, {})


def note(run: StoredRun, word: str, date: str, target: str = "tint@0.6.3", family: str = "tint") -> None:
    """Notes that a target was asked about all findings of a run."""
    said: dict[str, Any] = {"date": date, "target": target, "family": family, "word": word}
    with (run.path / "replays.jsonl").open("ab") as file:
        for found in run.findings:
            line = ReplayLine(**said, finding_class=class_of(found.record), bucket=found.key)
            file.write(orjson.dumps(write(line)) + b"\n")


def test_what_a_replay_says_is_fixed_is_gone_however_short_the_run(tmp_path: Path) -> None:
    earlier = made(tmp_path / "earlier", ("unsound",))
    later = made(tmp_path / "later", (), target="tint@0.6.3", programs=1)
    note(earlier, STILL, "2026-11-01T00:00:00Z")
    note(earlier, FIXED, "2026-11-01T06:00:00Z", family="naga")  # another compiler says nothing of this one
    assert states(later, earlier)[1] == {TEN_A: NOT_SEEN_AGAIN}
    note(earlier, FIXED, "2026-11-02T00:00:00Z")
    assert states(later, earlier)[1] == {TEN_A: GONE}
    note(earlier, STILL, "2026-11-01T12:00:00Z")  # older than that: another machine's, say
    assert states(later, earlier)[1] == {TEN_A: GONE}
    note(earlier, STILL, "2026-11-03T00:00:00Z")
    assert states(later, earlier)[1] == {TEN_A: NOT_SEEN_AGAIN}


@pytest.mark.parametrize(("date", "word"), [("2026-11-03", STILL), ("2026-11-02", FIXED), ("2026-11-01", FIXED)])
def test_what_was_fixed_and_is_met_on_a_later_day_is_there_still(tmp_path: Path, date: str, word: str) -> None:
    first = made(tmp_path / "first", ("unsound",), date="2026-10-31")
    note(first, FIXED, "2026-11-02T12:00:00Z", target="tint@0.3.8")
    again = made(tmp_path / "again", ("unsound",), date=date, build="b", seed=6)
    for run, earlier in ((merged(tmp_path, "first", "again"), None), (again, first)):
        triage = Triage.of(run, earlier=earlier)
        assert [words for words in triage.replayed.values()] == [{"tint@0.3.8": word}]


# ------------------------------------------------------------------------------------------------------ the commands


def test_the_command_fails_for_what_is_new_alone_and_has_a_line_for_chats(tmp_path: Path) -> None:
    one, two = made(tmp_path / "one", ONLY_STRICT).path, made(tmp_path / "two", BOTH).path
    for run, earlier, status, said in (
        (one, two, 0, "one: tint@0.3.8: nothing new, 1 seen; 1 gone; 0:20, 100 shaders\n"),
        (two, one, 1, f"two: tint@0.3.8: 1 new (unsound {TEN_A}), 1 seen; 0:20, 100 shaders\n"),
    ):
        result = wgsl_fuzz("triage", run, "--since", earlier, "--format", "line")
        assert (result.exit_code, result.stdout) == (status, said)
    result = wgsl_fuzz("triage", one, "--since", two, "--format", "json")
    told = orjson.loads(result.output)
    assert [bucket["state"] for bucket in told["buckets"]] == ["seen"]
    assert (told["since"], told["compared"]) == (str(two), {"tint@0.3.8": "tint@0.3.8"})
    assert [(one["word"], one["kind"]) for one in told["missing"]] == [("gone", "unsound")]
    result = wgsl_fuzz("triage", one, "--since", one)
    assert (result.exit_code, len(result.output.splitlines())) == (2, 1)


def test_the_report_says_the_same(tmp_path: Path) -> None:
    one, two = made(tmp_path / "one", ONLY_STRICT), made(tmp_path / "two", BOTH)
    page = report_page(one, two)
    assert "Nothing new" in page
    assert "seen before" in page
    assert "gone: unsound" in page
    assert "Nothing new" not in report_page(two, one)


def test_a_history_says_in_which_runs_a_bucket_was_met(tmp_path: Path) -> None:
    made(tmp_path / "first", BOTH, date="2026-11-01")
    made(tmp_path / "second", ONLY_STRICT, date="2026-11-02", build="b")
    history = merged(tmp_path, "second", "first").path
    told = orjson.loads(wgsl_fuzz("triage", history, "--format", "json").output)["buckets"]
    runs = {bucket["kind"]: [(one["run"], one["build"]) for one in bucket["runs"]] for bucket in told}
    assert runs == {"unsound": [("first", "a")], "too-strict": [("first", "a"), ("second", "b")]}
    shown = wgsl_fuzz("triage", history, "--show", "all").output
    assert "met in 2 of 2 runs" in shown
    assert "first in  2026-11-01  first: 1, shader 7 of seed 5  (a)" in shown


# --------------------------------------------------------------------------------------------------- regressions


@pytest.mark.parametrize(
    ("builds", "after"),
    [
        (("a", "b"), 1),
        (("a", "a", "b"), 2),
        (("a", "a"), None),  # the same build did not show it: that was luck
        (("b", "a", "b"), None),
    ],
)
def test_what_a_later_build_shows_is_a_regression(tmp_path: Path, builds: tuple[str, ...], after: int | None) -> None:
    for n, build in enumerate(builds, 1):
        kinds = BOTH if n == len(builds) else ONLY_STRICT
        made(tmp_path / f"night {n}", kinds, build=build, date=f"2026-11-0{n}")
    history = merged(tmp_path, *(f"night {n}" for n in range(1, len(builds) + 1)))
    told = orjson.loads(wgsl_fuzz("triage", history.path, "--format", "json").output)["buckets"]
    assert {bucket["kind"]: bucket["regressed after"] for bucket in told} == {"unsound": after, "too-strict": None}
    lines = [line for line in wgsl_fuzz("triage", history.path).output.splitlines() if line.startswith("regressed")]
    assert len(lines) == (after is not None)
    if after is not None:
        assert lines[0].startswith(f"regressed: tint@0.3.8 #1: 2026-11-0{len(builds)}  night {len(builds)}: 1, ")
        assert lines[0].endswith(" of earlier builds did not meet it")
    assert ("<p>Regressed: 2026-11-0" in report_page(history)) is (after is not None)
    assert ("; 1 regression; " in wgsl_fuzz("triage", history.path, "--format", "line").output) is (after is not None)


def test_builds_are_in_the_order_of_their_own_dates_not_of_the_runs(tmp_path: Path) -> None:
    newer = made(tmp_path / "one", ONLY_STRICT, target="tint@0.6.2", date="2026-11-01")
    older = made(tmp_path / "two", BOTH, target="tint@0.3.8", build="b", date="2026-11-02")
    assert since.regressions(Triage.of(merged(tmp_path, "one", "two"))) == {}
    (missing,) = triage_since(newer, older)[1].missing
    assert missing.bucket.target == "tint@0.3.8"  # it had the fault; the other one was asked instead


def test_what_an_older_version_had_is_no_regression_of_the_next(tmp_path: Path) -> None:
    made(tmp_path / "one", ONLY_STRICT, target="tint@0.3.8", date="2026-11-01")
    made(tmp_path / "two", BOTH, target="tint@0.6.2", build="b", date="2026-11-02")
    made(tmp_path / "other", (), target="naga@1", build="c", date="2026-11-01")
    found = since.regressions(Triage.of(merged(tmp_path, "one", "two", "other")))
    assert [(one.bucket.target, one.bucket.kind.value) for one in found.values()] == [("tint@0.6.2", "unsound")]


def test_a_run_that_did_not_come_as_far_does_not_tell_that_a_later_build_regressed(tmp_path: Path) -> None:
    made(tmp_path / "one", ONLY_STRICT, target="tint@0.3.8", date="2026-11-01", programs=5)
    made(tmp_path / "two", BOTH, target="tint@0.6.2", build="b", date="2026-11-02")
    assert since.regressions(Triage.of(merged(tmp_path, "one", "two"))) == {}
