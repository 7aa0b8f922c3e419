"""One fault is one bucket where the reduced shaders say so."""

from pathlib import Path

import orjson
import pytest

from tests.fuzz.judging.test_buckets import BOTH_BREAK, IN_CALL, IN_IF
from tests.fuzz.runs import STRICT, MadeUp, store
from wgsl_fuzz.fuzz.findings.known import KnownBucket, KnownBuckets
from wgsl_fuzz.fuzz.judging.judge import UNEXPLAINED, Kind
from wgsl_fuzz.fuzz.present.triage_text import because
from wgsl_fuzz.fuzz.triage.merging import DECISIONS
from wgsl_fuzz.fuzz.triage.triage import Bucket, Triage, bucketed, known_keys

SPELLED = "accepts as drawn, rejects as printed"


def spelled(text: str, *forms: str, kind: Kind = Kind.UNSTABLE, reduced: bool = True) -> MadeUp:
    more = {"forms": list(forms), "describes": "reduced.wgsl" if reduced else "drawn.wgsl"}
    return MadeUp(text, kind=kind, cause=SPELLED, more=more)


def buckets(path: Path, *found: MadeUp, counted: dict[str, int] | None = None) -> list[Bucket]:
    return bucketed(store(path / "run", found, counted))


def test_what_needs_the_same_forms_is_one_fault_of_the_most_severe_kind(tmp_path: Path) -> None:
    found = [
        spelled(IN_IF, "for"),
        spelled(IN_CALL, "for", kind=Kind.UNSOUND),
        spelled(BOTH_BREAK, "for", kind=Kind.UNSOUND),
    ]
    raw = {f"fake unstable {SPELLED}": 2, f"fake unsound {SPELLED}": 3}
    (bucket,) = buckets(tmp_path, *found, counted=raw)
    assert (bucket.name, bucket.kind, bucket.count) == (f"fake {SPELLED}: for", Kind.UNSOUND, 8)
    assert set(map(str, bucket.raw)) == set(raw)


def test_other_forms_are_another_fault(tmp_path: Path) -> None:
    names = {bucket.name for bucket in buckets(tmp_path, spelled(IN_IF, "for"), spelled(IN_CALL, "while"))}
    assert names == {f"fake {SPELLED}: for", f"fake {SPELLED}: while"}


def test_a_text_that_is_not_reduced_joins_the_largest_bucket_whose_forms_it_has(tmp_path: Path) -> None:
    found = [spelled(IN_IF, "for"), spelled(IN_CALL, "for"), spelled(BOTH_BREAK, "while")]
    for n, (drawn, joined) in enumerate(
        [(("let", "for", "while"), "for"), (("while",), "while"), (("let", "empty"), None)]
    ):
        all_of_them = buckets(tmp_path / str(n), *found, spelled(STRICT, *drawn, reduced=False))
        (mine,) = [b for b in all_of_them if any(f.folder.name.startswith("003") for f in b.findings)]
        assert mine.name == (f"fake {SPELLED}: {joined}" if joined else f"fake {SPELLED}")


def too_lenient(text: str, branch: str, target: str = "fake") -> MadeUp:
    return MadeUp(text, target, more={"branches": [branch]})


def test_equal_reduced_texts_are_one_bucket(tmp_path: Path) -> None:
    fine = [{"branches": [], "fine": f"fake too-lenient {UNEXPLAINED} | {path} | if"} for path in ("lid", "barrier")]
    apart = [MadeUp(text, cause=UNEXPLAINED, more=one) for text, one in zip((IN_IF, IN_CALL), fine, strict=True)]
    assert len(buckets(tmp_path / "apart", *apart)) == 2
    alike = [MadeUp(IN_IF, cause=UNEXPLAINED, more=one) for one in fine]
    worse = MadeUp(IN_IF, kind=Kind.UNSOUND, cause=UNEXPLAINED, more=fine[1])
    (bucket,) = buckets(tmp_path / "alike", *alike, worse)
    assert (bucket.kind, bucket.count) == (Kind.UNSOUND, 3)


def test_texts_that_two_groups_have_join_them(tmp_path: Path) -> None:
    def with_key(text: str, path: str) -> MadeUp:
        more = {"branches": [], "fine": f"fake too-lenient {UNEXPLAINED} | {path} | if"}
        return MadeUp(text, cause=UNEXPLAINED, more=more)

    texts = [(IN_IF, "a"), (BOTH_BREAK, "b"), (IN_IF, "c"), (BOTH_BREAK, "c")]
    (bucket,) = buckets(tmp_path, *(with_key(*one) for one in texts))
    assert bucket.count == 4


@pytest.mark.parametrize("other", [MadeUp(IN_IF, "other"), MadeUp(IN_IF, kind=Kind.CRASH, cause="panicked at")])
def test_an_equal_text_of_another_target_or_of_a_crash_is_apart(tmp_path: Path, other: MadeUp) -> None:
    assert len(buckets(tmp_path, MadeUp(IN_IF), other)) == 2


@pytest.mark.parametrize(("wrong", "joined"), [("first", 1), ("second", 1), ("neither", 2)])
def test_a_broken_relation_belongs_to_the_text_that_is_judged_wrongly(tmp_path: Path, wrong: str, joined: int) -> None:
    """The reference rejects IN_IF and IN_CALL; the target accepts IN_IF."""
    texts = {"first": (IN_IF, IN_CALL), "second": (IN_CALL, IN_IF), "neither": (IN_CALL, BOTH_BREAK)}[wrong]
    said = ["accepts" if text == IN_IF else "rejects" for text in texts]
    more = {"verdicts": {"wgsl": "rejects", "fake": said[0]}, "related verdicts": {"fake": said[1]}}
    broken = MadeUp(texts[0], kind=Kind.METAMORPHIC, cause="negated", more=more, files={"related.wgsl": texts[1]})
    assert len(buckets(tmp_path, MadeUp(IN_IF), broken)) == joined


def test_a_known_fault_does_not_hide_what_another_form_makes_unsound(tmp_path: Path) -> None:
    known = KnownBuckets(
        tuple(
            KnownBucket(str(key), "https://example.org/1")
            for bucket in [
                *buckets(tmp_path / "first", spelled(IN_IF, "for", kind=Kind.UNSOUND), spelled(IN_CALL, "for"))
            ]
            for key in known_keys(bucket, [bucket])
        )
    )
    found = [
        spelled(BOTH_BREAK, "for", kind=Kind.UNSOUND),
        spelled(STRICT, "while", kind=Kind.UNSOUND),
    ]
    later = {bucket.name: bucket.issue for bucket in bucketed(store(tmp_path / "later", found), known)}
    assert later == {f"fake {SPELLED}: for": "https://example.org/1", f"fake {SPELLED}: while": None}


def test_what_was_dropped_in_several_buckets_stays_dropped_in_one(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [spelled(IN_IF, "for"), spelled(IN_CALL, "for", kind=Kind.UNSOUND)])
    unstable, unsound = f"fake unstable {SPELLED}", str(run.findings[1].fine)
    states = []
    for dropped in ({unstable: "dull"}, {unsound: "dull", unstable: "too"}):
        (run.path / DECISIONS).write_bytes(orjson.dumps({"dropped": dropped}))
        work = Triage.of(run)
        states.append(work.state(work.buckets[0]))
    assert states == ["new", "dropped"]
    assert work.undrop(0)
    assert Triage.of(run).new == work.buckets


@pytest.mark.parametrize("rest", [["barrier/edge/dropped"], []])
def test_a_joined_bucket_has_a_branch_that_explains_all_of_it(tmp_path: Path, rest: list[str]) -> None:
    branches = ["expr/lid/is-uniform", "if/line-2/then-under-cf"]
    rows = [MadeUp(IN_IF, more={"branches": [branch, *rest]}) for branch in branches for _ in range(16)]
    (bucket,) = buckets(tmp_path, *rows)
    if rest:
        assert [bucket.branch] == rest
    else:
        assert "none fits all findings" in because(bucket)
