"""Asking a newer build about a run's findings: the words, what is noted, and the command."""

from functools import partial
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.command import refused, wgsl_fuzz
from tests.fuzz.fakes import FakeTarget, play, without
from tests.fuzz.runs import DIVERGING, STRICT, TEN_A, TEN_C, MadeUpRun, strict, unsound
from tests.wgsl.reading import parse
from wgsl_fuzz.fuzz.cli.main import main
from wgsl_fuzz.fuzz.findings.loading import StoredRun, load_run
from wgsl_fuzz.fuzz.regression.replay import ReplayStatus
from wgsl_fuzz.fuzz.regression.run_replay import BATCH, note, replay_run, texts_of, words_of_buckets
from wgsl_fuzz.fuzz.triage.merging import merge
from wgsl_fuzz.fuzz.triage.triage import Triage
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Answer, Verdict

LARGER = STRICT.replace("    workgroupBarrier();\n", "    workgroupBarrier();\n    workgroupBarrier();\n", 1)
BUILDS: dict[str, Rules] = {"tint@0.3.9": without("10a"), "tint@0.3.10": without("10c"), "tint@0.4": UNCHANGED}
"""Later builds: what they still get wrong."""


@pytest.fixture
def run(tmp_path: Path) -> StoredRun:
    """A run that found STRICT, with a larger text as drawn, and DIVERGING."""
    made = MadeUpRun(tmp_path / "run")
    made.found(strict(), drawn=LARGER, reduced=STRICT)
    made.found(unsound(branches=[TEN_A]), drawn=DIVERGING, reduced=DIVERGING)
    return made.stored()


@pytest.fixture(autouse=True)
def builds(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, lambda name: FakeTarget(BUILDS.get(name, UNCHANGED), name=name))


def words(run: StoredRun, *targets: Target) -> dict[str, ReplayStatus]:
    """The word for each bucket, by its cause."""
    texts = list(texts_of(run))
    done = replay_run(texts, targets)
    return {str(b.key.cause): word for b, _, word, _ in words_of_buckets(Triage.of(run).buckets, texts, done)}


def rejecting(text: str) -> FakeTarget:
    """A target that is wrong about one shader only."""
    wrong = parse(text)
    return FakeTarget(instead=lambda s: Answer(Verdict.REJECTS, "no") if s == wrong else None, name="tint@1")


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        ("tint@0.3.9", {TEN_A: ReplayStatus.STILL, TEN_C: ReplayStatus.FIXED}),
        ("tint@0.3.10", {TEN_A: ReplayStatus.FIXED, TEN_C: ReplayStatus.STILL}),
        ("tint@0.4", {TEN_A: ReplayStatus.FIXED, TEN_C: ReplayStatus.FIXED}),
    ],
)
def test_what_a_build_gets_right_is_fixed(run: StoredRun, build: str, expected: dict[str, ReplayStatus]) -> None:
    assert words(run, FakeTarget(BUILDS[build], name=build)) == expected


def test_an_answer_that_is_neither_is_changed(run: StoredRun) -> None:
    crashing = FakeTarget(instead=lambda _: Answer(Verdict.CRASHED, "died"), name="tint@1")
    assert set(words(run, crashing).values()) == {ReplayStatus.CHANGED}
    (one, *_) = replay_run(texts_of(run), [crashing]).results
    assert (one.kind, one.recorded, one.details != ()) == ("crash", "rejects", True)


def test_the_drawn_text_counts_as_well(run: StoredRun) -> None:
    assert words(run, rejecting(LARGER))[TEN_C] is ReplayStatus.STILL
    names = [case.name.removesuffix("/drawn.wgsl") for _, case in texts_of(run)]
    assert names == ["001-too-strict-tint"] * 2 + ["002-unsound-tint"] * 2


@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(st.sampled_from(sorted(BUILDS)), min_size=1, max_size=3, unique=True), batch=st.integers(1, 3))
def test_batches_and_other_targets_change_no_answer(run: StoredRun, names: list[str], batch: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wgsl_fuzz.fuzz.regression.run_replay.BATCH", batch)
        together = replay_run(texts_of(run), [FakeTarget(BUILDS[name], name=name) for name in names])
    assert batch < BATCH
    for name in names:
        alone = replay_run(texts_of(run), [FakeTarget(BUILDS[name], name=name)])
        assert [one for one in together.results if one.oracle == name] == alone.results


def test_broken_relations_and_spellings_are_asked_about_with_both_texts(tmp_path: Path) -> None:
    made = MadeUpRun(tmp_path / "run")
    cause = "rejects as drawn, accepts as printed"
    said = {"wgsl": "accepts", "tint@0.3.8": "rejects"}
    record = strict(kind="unstable", cause=cause, verdicts=said)
    made.found(record | {"related verdicts": {"tint@0.3.8": "accepts"}}, drawn=STRICT, reduced=STRICT, related=LARGER)
    run = made.stored()
    assert [case.second is not None for _, case in texts_of(run)] == [True]
    assert [*words(run, FakeTarget(UNCHANGED, name="tint@1")).values()] == [ReplayStatus.FIXED]
    assert [*words(run, rejecting(STRICT)).values()] == [ReplayStatus.STILL]


def test_what_was_said_is_noted_and_merged(run: StoredRun, tmp_path: Path) -> None:
    targets = [FakeTarget(BUILDS["tint@0.3.10"], name="tint@0.3.10")]
    texts = list(texts_of(run))
    note(run, texts, replay_run(texts, targets), targets)
    expected = {TEN_A: {"tint@0.3.10": "fixed"}, TEN_C: {"tint@0.3.10": "still"}}
    merge([run.path], tmp_path / "history")
    for path in (run.path, tmp_path / "history"):
        triage = Triage.of(load_run(path))
        assert {str(b.key.cause): triage.replayed[b.name] for b in triage.buckets} == expected


# ------------------------------------------------------------------------------------------------------ the command


replayed = partial(wgsl_fuzz, "replay")


def test_the_command_says_a_word_for_each_bucket(run: StoredRun, tmp_path: Path) -> None:
    result = replayed(run.path, "--target", "tint@0.3.10", "--junitxml", tmp_path / "junit.xml")
    assert result.exit_code == 0, result.output
    assert "FIXED    #1  unsound tint@0.3.8" in result.output
    assert "STILL    #2  too-strict tint@0.3.8" in result.output
    assert (tmp_path / "junit.xml").read_text().count("<testcase") == 4
    assert replayed(run.path, "--target", "tint@0.3.10", "--strict").exit_code == 1
    listed = wgsl_fuzz("triage", run.path, "--format", "text").output
    assert "fixed in tint@0.3.10" in listed
    told = orjson.loads(replayed(run.path, "--target", "tint@0.4", "--format", "json").output)
    assert told["summary"] == {"still": 0, "fixed": 2, "changed": 0, "new": 0}
    assert {one["word"] for one in told["results"]} == {"fixed"}
    assert [(one["number"], one["word"], one["texts"]) for one in told["buckets"]] == [(1, "fixed", 2), (2, "fixed", 2)]


def test_a_like_of_the_configuration_file_is_for_corpora(run: StoredRun) -> None:
    arguments = ["replay", str(run.path), "--target", "tint@0.3.10"]
    assert CliRunner().invoke(main, arguments, default_map={"replay": {"like": "tint@2"}}).exit_code == 0


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ([], "name the build"),
        (["--target", "tint@1", "--record"], "--record is for a corpus"),
        (["--target", "tint@1", "--like", "tint@2"], "--like is for a corpus"),
    ],
)
def test_what_says_nothing_of_a_run_is_one_line(run: StoredRun, options: list[str], line: str) -> None:
    assert line in refused("replay", run.path, *options)
