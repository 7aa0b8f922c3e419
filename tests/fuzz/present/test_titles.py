"""A bucket's title: short, once the target, no kind, and no other bucket's."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.judging.test_buckets import BOTH_BREAK, IN_CALL, IN_IF
from tests.fuzz.runs import TEN_C, MadeUp, store
from wgsl_fuzz.fuzz.judging.certainty import Certainty
from wgsl_fuzz.fuzz.judging.kinds import NO_ANALYSIS, UNEXPLAINED, Kind
from wgsl_fuzz.fuzz.present.report.words import groups_of, rule_that_differs
from wgsl_fuzz.fuzz.present.report.words import title as report_title
from wgsl_fuzz.fuzz.present.triage_text import because, titles
from wgsl_fuzz.fuzz.triage.triage import bucketed
from wgsl_fuzz.oracle.rules.in_words import predicate

SPELLED = "accepts as drawn, rejects as printed"
FINDINGS = (
    MadeUp(IN_IF),
    MadeUp(IN_IF, more={"branches": [TEN_C], "fit": {"asked": 32, "names": [TEN_C]}}),
    MadeUp(IN_IF, more={"branches": ["loop/head/no-back-edge"]}),
    MadeUp(BOTH_BREAK, more={"branches": ["B/return/next"], "fit": {"asked": 32, "names": ["B/return/next"]}}),
    MadeUp(IN_IF, "gap", cause=NO_ANALYSIS),
    MadeUp(IN_IF, kind=Kind.UNSTABLE, cause=SPELLED),
    *(MadeUp(text, kind=Kind.UNSOUND, cause=SPELLED) for text in (IN_IF, IN_CALL, BOTH_BREAK)),
    *(MadeUp(text, cause=UNEXPLAINED, more={"branches": []}) for text in (IN_IF, IN_CALL)),
    MadeUp(IN_IF, cause=UNEXPLAINED, more={"branches": [], "fine": f"fake too-lenient {UNEXPLAINED} | lid | if"}),
    MadeUp(IN_IF, cause=UNEXPLAINED, more={"branches": [], "left": ["barrier", "if"]}),
    MadeUp(IN_IF, kind=Kind.CRASH, cause="panicked at"),
    MadeUp(IN_IF, kind=Kind.METAMORPHIC, cause="negated"),
)
COUNTED = (f"fake too-lenient {UNEXPLAINED}", "fake hang no answer in time", "fake crash panicked at")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("titles")


@settings(max_examples=40)
@given(st.lists(st.sampled_from(FINDINGS), max_size=12), st.sets(st.sampled_from(COUNTED)))
def test_titles_are_distinct_and_say_nothing_twice(folder: Path, found: list[MadeUp], counted: set[str]) -> None:
    run = store(folder / str(len(list(folder.iterdir()))), found, dict.fromkeys(counted, 2))
    buckets = bucketed(run)
    told = titles(buckets)
    assert len({(b.kind, title) for b, title in zip(buckets, told, strict=True)}) == len(buckets)
    for bucket, title in zip(buckets, told, strict=True):
        assert title.split().count(bucket.target) == 1
        assert bucket.kind.value not in title.split()
        if bucket.branch is None:
            assert len(title) <= len(bucket.name) + len("breaks the relation “”")
        else:
            known = bucket.certainty is not Certainty.UNKNOWN
            assert title.endswith(
                predicate(bucket.branch) if known else f"it {predicate(bucket.branch)}; cause unknown"
            )
    groups, _ = groups_of(run)
    assert len({(group.bucket.kind, report_title(group)) for group in groups}) == len(groups)
    assert all(report_title(group).lower().count("fake") <= 1 for group in groups if group.bucket.target == "fake")


def test_what_fits_no_small_changes_is_said_to_fit_and_not_to_be_the_cause(folder: Path) -> None:
    fits = {"fit": {"asked": 32, "names": [TEN_C]}}
    branches = [TEN_C, "loop/head/no-back-edge"]
    for name, more, words in (
        (
            "sure",
            {"branches": [TEN_C], **fits},
            "explained by one departure from the specification's rules: it takes a loop",
        ),
        ("both", {"branches": branches, "fit": {"asked": 32, "names": branches}}, f"({TEN_C})"),
        ("one", {"branches": [TEN_C]}, "behaves as if it takes a loop"),
        ("some", {"branches": branches}, "behaves as if it "),
    ):
        run = store(folder / name, [MadeUp(IN_IF, more=more)])
        (bucket,) = bucketed(run)
        assert words in because(bucket)
        assert because(bucket).startswith("cause unknown; ") is (bucket.certainty is Certainty.UNKNOWN)
        ((group,), _) = groups_of(run)
        told = rule_that_differs(group)
        assert told.startswith("Cause unknown; ") is (bucket.certainty is Certainty.UNKNOWN)
