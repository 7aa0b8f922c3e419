"""A stored run in buckets: nothing is lost, and decisions are kept."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.judging.test_buckets import BOTH_BREAK, IN_CALL, IN_IF
from tests.fuzz.runs import STRICT, MadeUp, key_named, store
from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.fuzz.findings.known import KnownBucket, KnownBuckets, add, load_known
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.findings.schema import write
from wgsl_fuzz.fuzz.judging import kinds
from wgsl_fuzz.fuzz.judging.buckets import explaining
from wgsl_fuzz.fuzz.judging.certainty import Certainty
from wgsl_fuzz.fuzz.judging.kinds import UNEXPLAINED, Kind
from wgsl_fuzz.fuzz.present.triage_text import titles
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.merging import DECISIONS
from wgsl_fuzz.fuzz.triage.triage import Triage, bucketed, known_keys
from wgsl_fuzz.fuzz.triage.verdicts import OPEN, labels, said_of
from wgsl_fuzz.oracle.verdict import Verdict

CORPUS = Path(__file__).parents[3] / "corpus"
URL = "https://example.org/issues/1"
THIRD, FOURTH = (IN_IF.replace("lid == 0u", f"lid == {n}u") for n in (3, 4))

# What a made-up run may hold: a text and what a target did with it.
FINDINGS = (
    MadeUp(IN_IF),
    MadeUp(IN_CALL),
    MadeUp(BOTH_BREAK),
    MadeUp(IN_IF, "other"),
    MadeUp(IN_IF, "gap", cause=kinds.NO_ANALYSIS),
    MadeUp(IN_IF, "gap", kinds.Kind.UNSOUND, kinds.NO_ANALYSIS),
    MadeUp(IN_IF, kind=kinds.Kind.CRASH, cause="panicked at"),
    MadeUp(IN_CALL, kind=kinds.Kind.CRASH, cause="panicked at"),
    MadeUp(BOTH_BREAK, "wgsl", kinds.Kind.UNSOUND, kinds.COUNTEREXAMPLE),
)
MISSING = str(kinds.BucketKey.without_analysis("gap"))
COUNTED = ("fake too-lenient no known cause", "fake crash panicked at", MISSING, "fake hang x")


def texts(*names: str) -> list[str]:
    return [(CORPUS / name / "shader.wgsl").read_text() for name in names]


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Any:
    def made(findings: list[MadeUp], counted: dict[str, int] | None = None) -> Any:
        return store(tmp_path_factory.mktemp("runs") / "run", findings, counted)

    return made


# -------------------------------------------------------------------------------------------------------------- buckets


@settings(max_examples=40)
@given(st.lists(st.sampled_from(FINDINGS), max_size=8), st.dictionaries(st.sampled_from(COUNTED), st.integers(1, 7)))
def test_every_finding_is_in_one_bucket_worst_first(make: Any, found: list[MadeUp], counted: dict[str, int]) -> None:
    run = make(found, counted)
    buckets = bucketed(run)
    in_buckets = Counter(f.folder for bucket in buckets for f in bucket.findings)
    assert in_buckets == Counter(f.folder for f in run.findings)
    assert sum(b.count for b in buckets) == len(found) + sum(counted.values())
    assert len({b.name for b in buckets}) == len(buckets)
    for bucket in buckets:
        assert {f.target for f in bucket.findings} <= {bucket.target}
        assert {f.key for f in bucket.findings} <= set(bucket.raw)
        of_findings = [f.kind for f in bucket.findings]
        assert counted or bucket.kind is min(of_findings, key=list(kinds.Kind).index)
    order = [(b.is_missing_analysis, list(kinds.Kind).index(b.kind), -b.count) for b in buckets]
    assert order == sorted(order)


def test_a_target_without_an_analysis_is_one_bucket_across_kinds(make: Any) -> None:
    (bucket,) = bucketed(make([FINDINGS[4], FINDINGS[5]], {MISSING: 10}))
    assert (bucket.count, bucket.kind, bucket.is_missing_analysis) == (12, kinds.Kind.UNSOUND, True)


def test_what_was_counted_before_reducing_changed_the_kind_is_of_the_same_bucket(make: Any) -> None:
    raw = "fake too-lenient no known cause"
    more = {"drawn": {"bucket": write(key_named(raw))}}
    worse = MadeUp(IN_IF, kind=kinds.Kind.UNSOUND, cause="no known cause", more=more)
    (bucket,) = bucketed(make([worse], {raw: 5}))
    assert bucket.count == 6


# ------------------------------------------------------------------------------------------------------------ decisions


def test_decisions_are_kept_and_can_be_taken_back(make: Any) -> None:
    run = make([MadeUp(IN_IF), MadeUp(BOTH_BREAK), FINDINGS[6]])
    triage = Triage.of(run)
    assert [triage.state(b) for b in triage.buckets] == ["new"] * 3
    triage.mark_known(0, URL, "seen")
    triage.drop(1, " boring ")
    again = Triage.of(load_run(run.path))
    assert [again.state(b) for b in again.buckets] == ["new", "known", "dropped"]
    assert again.dropped == {again.buckets[2].name: "boring"}
    assert again.buckets[1].issue == URL
    assert triage.undo()
    assert triage.undo()
    assert not triage.undo()
    assert [b.issue for b in triage.buckets] == [None] * 3
    assert not (run.path / DECISIONS).exists()
    assert Triage.of(load_run(run.path)).new == triage.buckets
    assert len(load_run(run.path).findings) == 3


def test_a_known_raw_key_does_not_hide_what_nothing_explains(make: Any) -> None:
    (unexplained,) = bucketed(make([MadeUp(IN_IF)]))
    keys = known_keys(unexplained, [unexplained])
    assert unexplained.findings[0].key not in keys
    assert unexplained.findings[0].fine in keys
    (crash,) = bucketed(make([FINDINGS[6]]))
    assert known_keys(crash, [crash]) == [crash.key]


A, B, FOREIGN = "tint/while-always-iterates", "tint/conditions-flow-back", "before-2025-10-17/10b"
BRANCH, OTHER = "if/else/from-start", "if/then/from-start"


def covered(text: str, cause: str | None = None, *names: str, target: str = "tint@mine", fits: bool = True) -> MadeUp:
    """A finding that these branches explain, and fit if they are to; its cause may be a departure."""
    fit = {"asked": 32, "names": [*names] if fits else []}
    return MadeUp(text, target, cause=cause or UNEXPLAINED, more={"branches": [*names], "fit": fit})


@pytest.mark.parametrize(
    ("later", "states"),
    [
        (covered(IN_CALL, None, BRANCH), ["known"]),  # another shader, and another fine key
        (covered(IN_CALL, None, OTHER), ["new"]),
        (covered(IN_CALL, None, BRANCH, OTHER), ["known"]),
        (covered(IN_CALL, "before-2023-03-08/contents-are-addresses", BRANCH), ["known"]),  # by coincidence
        (covered(IN_CALL, FOREIGN, BRANCH, FOREIGN), ["new"]),  # the departure fits, too
        (covered(IN_CALL, A, BRANCH), ["new"]),
        (covered(IN_CALL, f"negated by {A}", BRANCH), ["new"]),
    ],
)
def test_a_bucket_marked_known_is_known_later_and_no_other_fault(make: Any, later: MadeUp, states: list[str]) -> None:
    first = Triage.of(make([covered(IN_IF, None, BRANCH)]))
    assert first.mark_known(0, URL) == [f"tint@mine {BRANCH}"]
    if later.cause == f"negated by {A}":
        later.kind = Kind.METAMORPHIC
    work = Triage.of(make([later]), first.known_file)
    assert [work.state(bucket) for bucket in work.buckets] == states


def asked(text: str, right: str, branches: str = BRANCH, names: str = "") -> MadeUp:
    """A reduced finding with what a target said of its twins: unless there are `names`, no rule fits everywhere."""
    fit = {"asked": 60, "names": names.split(), "right": right.split()}
    more = {"branches": branches.split(), "fit": fit, "left": [text[:9]]}
    return MadeUp(text, "tint@mine", cause=UNEXPLAINED, more=more)


@pytest.mark.parametrize(
    ("signatures", "names"),
    [
        (["if-for-switch", "if-for-switch"], ["if-for-switch"]),
        (["if-for-switch alias", "if-for-switch alias", "if-for-switch"], ["if-for-switch", "if-for-switch+alias"]),
        (["if-for-switch block", "if-for-switch"], ["if-for-switch"]),  # no matter of constructs
        (["if-for-switch", "alias"], ["alias", "if-for-switch"]),
    ],
)
def test_those_of_one_signature_are_joined_and_no_others(make: Any, signatures: list[str], names: list[str]) -> None:
    texts = (IN_IF, IN_CALL, IN_IF + "// again\n")
    found = [asked(text, signature) for text, signature in zip(texts, signatures)]
    work = Triage.of(make(found))
    assert {b.name for b in work.buckets} == {f"tint@mine accepts; right with {name}; as {BRANCH}" for name in names}
    for title in titles(work.buckets):
        assert title.startswith("tint@mine accepts wrongly; right with ")
        assert "cause unknown" in title
    written = work.mark_known(0, URL)
    assert written[0] == work.buckets[0].name
    later = Triage.of(make([*found, asked(STRICT, "pointer-let")]), work.known_file)
    states = {bucket.name: later.state(bucket) for bucket in later.buckets}
    assert [name for name, state in states.items() if state == "known"] == [work.buckets[0].name]


@pytest.mark.parametrize(
    ("third", "buckets"),
    [
        (asked(THIRD, "if-for-switch", branches="x/a"), [3]),
        (asked(THIRD, "if-for-switch", branches="x/c"), [2, 1]),  # no one change explains all
        (asked(THIRD, "if-for-switch", branches="x/a x/c", names="x/c"), [2, 1]),  # a change fits
        (asked(THIRD, "alias", branches="x/a x/c", names="x/c"), [2, 1]),
    ],
)
def test_one_change_of_the_rules_explains_what_is_joined(make: Any, third: MadeUp, buckets: list[int]) -> None:
    two = [asked(IN_IF, "if-for-switch", branches="x/a x/b"), asked(IN_CALL, "if-for-switch", branches="x/a x/d")]
    work = Triage.of(make([*two, third]))
    assert [len(b.findings) for b in work.buckets] == buckets
    known = Triage.of(make(two))
    assert known.mark_known(0, URL) == ["tint@mine accepts; right with if-for-switch; as x/a"]
    is_known = "x/a" in third.more["branches"] and not third.more["fit"]["names"]
    assert [b.issue for b in Triage.of(make([third]), known.known_file).buckets] == [URL if is_known else None]


CONFINED = f"{BRANCH} @ block:then in entry"


def test_a_change_in_a_context_is_a_cause_like_others(make: Any) -> None:
    """Of two faults of one rule, in two contexts, one is marked."""
    other = f"{BRANCH} @ nest:loop"
    pairs = [(IN_IF, f"{BRANCH} @ nest:none", CONFINED), (IN_CALL, CONFINED, OTHER), (THIRD, other)]
    work = Triage.of(run := make([covered(text, None, *names) for text, *names in pairs]))
    assert {b.name: len(b.findings) for b in work.buckets} == {f"tint@mine {CONFINED}": 2, f"tint@mine {other}": 1}
    assert "as uniform, only in the block `then in entry`" in titles(work.buckets)[0]
    assert {b.certainty for b in work.buckets} == {Certainty.FITS}
    assert work.mark_known(0, URL) == [f"tint@mine {CONFINED}"]
    assert {len(b.findings): b.issue for b in Triage.of(run).buckets} == {2: URL, 1: None}


def test_what_no_change_fits_is_not_with_what_one_fits(make: Any) -> None:
    fitted = [asked(text, "if-for-switch", branches="x/a x/b", names="x/a") for text in (IN_IF, IN_CALL)]
    loose = asked(THIRD, "if-for-switch", branches="x/a x/c")
    work = Triage.of(make([*fitted, loose]))
    assert [len(b.findings) for b in work.buckets] == [2, 1]
    assert work.mark_known(0, URL) == ["tint@mine x/a"]
    later = Triage.of(make([*fitted, loose]), work.known_file)
    assert {len(b.findings): b.issue for b in later.buckets} == {2: URL, 1: None}


def test_another_answer_is_another_bucket_if_no_change_fits(make: Any) -> None:
    found = [asked(text, "alias", branches="x/a") for text in (IN_IF, IN_CALL, STRICT)]
    assert [len(b.findings) for b in Triage.of(make(found)).buckets] == [2, 1]


@pytest.mark.parametrize(("kind", "word"), [(Kind.INVALID, "invalid"), (Kind.CRASH, "crashed")])
@pytest.mark.parametrize(("told", "n"), [("error: no", 1), ("error: never", 2)])
def test_texts_refused_in_the_same_words_are_one_bucket_whatever_their_print(
    make: Any, told: str, n: int, kind: Kind, word: str
) -> None:
    spelled = MadeUp(IN_CALL, kind=Kind.UNSTABLE, cause=f"{word} only as drawn: {told}")
    found = [MadeUp(IN_IF, kind=kind, cause="error: no"), spelled]
    assert len(Triage.of(make(found)).buckets) == n
    known = Triage.of(make(found[:1]))
    known.mark_known(0, URL)
    assert {b.issue for b in Triage.of(make(found), known.known_file).buckets} == ({URL} if n == 1 else {URL, None})


def refused(text: str, right: str, branches: str = "x/a", names: str = "") -> MadeUp:
    """A reduced text that a target refuses, which these changes of the rules explain."""
    return replace(asked(text, right, branches, names), kind=Kind.INVALID, cause="error: no")


FITTED = [asked(text, "if-for-switch", branches="x/a x/b", names="x/a") for text in (IN_IF, IN_CALL)]
EXACT = [covered(IN_IF, FOREIGN, BRANCH, FOREIGN)]


@pytest.mark.parametrize(
    ("judged", "last", "n"),
    [
        (FITTED, refused(STRICT, "if-for-switch", names="x/a"), 1),
        (FITTED, refused(STRICT, "if-for-switch"), 2),  # it explains the text, and does not fit its neighbours
        (FITTED, refused(STRICT, "if-for-switch", branches="x/b", names="x/b"), 2),  # another change fits
        (FITTED, refused(STRICT, "if-for-switch", branches=""), 2),  # a fault of the front end
        (EXACT, refused(STRICT, "", branches=FOREIGN, names=FOREIGN), 1),
        (EXACT, refused(STRICT, "", branches=FOREIGN), 2),
    ],
)
def test_texts_that_a_change_refuses_are_of_its_bucket(make: Any, judged: list[MadeUp], last: MadeUp, n: int) -> None:
    found = [*judged, last, refused(BOTH_BREAK, "", branches=" ".join(last.more["branches"]), names="")]
    if last.more["fit"]["names"]:
        found[-1].more["fit"] = last.more["fit"]
    work = Triage.of(make(found))
    assert [len(b.findings) for b in work.buckets] == ([len(found)] if n == 1 else [len(judged), 2])
    if n == 1:
        work.mark_known(0, URL)
        for again in (found, [last], judged):
            assert {b.issue for b in Triage.of(make(again), work.known_file).buckets} == {URL}
        other = replace(last, cause="error: never", more=last.more | {"branches": ["x/e"], "fit": None})
        assert Triage.of(make([other]), work.known_file).new  # other words
        alone = Triage.of(make(judged))
        alone.mark_known(0, URL)
        is_named = bool(last.more["fit"]["names"])
        assert (Triage.of(make([last]), alone.known_file).new == []) == is_named


@pytest.mark.parametrize(("other", "names"), [(BRANCH, {BRANCH: 3}), ("x/a", {FOREIGN: 2, "x/a": 1})])
def test_a_foreign_departure_gives_way_to_what_explains_more(make: Any, other: str, names: dict[str, int]) -> None:
    both = [covered(text, FOREIGN, BRANCH, FOREIGN, target="fake") for text in (IN_IF, IN_CALL)]
    work = Triage.of(make([*both, covered(STRICT, None, other, target="fake")]))
    assert {b.name: len(b.findings) for b in work.buckets} == {f"fake {name}": n for name, n in names.items()}


IN_A_CONTEXT = """
var<private> p: u32;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    var x = 0u;
    if (i == 1u) {
        x = 1u;
    }
    workgroupBarrier();
    if (i == 0u) {
        p = 1u;
        workgroupBarrier();
    }
}
"""
"""If only assignments to private variables ended functions, it would be accepted; if all did, not."""


def in_a_context(**more: Any) -> MadeUp:
    """A finding on that shader."""
    return MadeUp(IN_A_CONTEXT, "fake", cause=FOREIGN, more=more)


def too_large(statements: int, right: str = "alias") -> MadeUp:
    """The same with its signature: nothing fits everywhere, and contexts were tried if it has few statements."""
    fit = {"asked": 60, "names": [], "right": [right]}
    return in_a_context(branches=["x/a"], fit=fit, statements={"drawn": 40, "reduced": statements})


BROKEN = replace(in_a_context(), kind=Kind.METAMORPHIC, cause="negated")
UNREDUCED = in_a_context(describes="drawn.wgsl")


@pytest.mark.parametrize(
    ("context", "last", "count"),
    [
        ("", UNREDUCED, 1),
        (" @ variable:private", UNREDUCED, 2),
        (" @ variable:f32", UNREDUCED, 1),
        (" @ variable:private", BROKEN, 2),
        (" @ variable:f32", BROKEN, 1),
        (" @ variable:private", replace(BROKEN, cause="negated by letter/uniform-atomics"), 2),
        (" @ variable:private", too_large(17), 2),
        (" @ variable:private", too_large(16), 1),
        (" @ variable:f32", too_large(17), 1),
        ("", too_large(17), 1),
    ],
)
def test_what_is_no_evidence_joins_a_change_that_explains_it_in_its_context(
    make: Any, context: str, last: MadeUp, count: int
) -> None:
    change = "B/assign/return" + context
    work = Triage.of(make([covered(IN_IF, None, change, target="fake"), last]))
    assert {b.name: len(b.findings) for b in work.buckets}[f"fake {change}"] == count
    work.mark_known([b.branch for b in work.buckets].index(change), URL)
    for again in ([covered(IN_IF, None, change, target="fake"), last], [last]):  # alone it is no evidence
        assert (Triage.of(make(again), work.known_file).new == []) == (count == len(again) == 2)


def test_what_joins_a_change_makes_nothing_else_known(make: Any) -> None:
    """Most of the bucket is no evidence."""
    change = "B/assign/return @ variable:private"
    found = [covered(IN_IF, None, change, target="fake"), too_large(17), too_large(18), BROKEN]
    work = Triage.of(make([*found, *[replace(UNREDUCED, text=IN_A_CONTEXT + f"// {n}\n") for n in range(3)]]))
    assert [len(b.findings) for b in work.buckets] == [7]
    assert work.mark_known(0, URL) == [f"fake {change}"]


@pytest.mark.parametrize(("condition", "said", "n"), [("i < 1u", "accepts", 1), ("i < 1u", "rejects", 2)])
def test_a_pair_joins_what_gives_both_of_its_verdicts(make: Any, condition: str, said: str, n: int) -> None:
    twin = IN_A_CONTEXT.replace("i == 0u", condition)
    pair = replace(BROKEN, files={"related.wgsl": twin}, more={"related verdicts": {"fake": said}})
    work = Triage.of(make([covered(IN_IF, None, "B/assign/return @ variable:private", target="fake"), pair]))
    assert len(work.buckets) == n


def test_a_pair_that_known_departures_tell_apart_joins_no_other_change(make: Any) -> None:
    pair = replace(BROKEN, target="tint@mine", cause=f"negated by {A}")
    work = Triage.of(make([covered(IN_IF, None, "B/assign/return @ variable:private"), pair]))
    assert len(work.buckets) == 2


@pytest.mark.parametrize(("names", "n"), [("x/a", 1), ("x/b", 2), ("", 2)])
def test_texts_that_one_change_refuses_in_several_words_are_one_bucket(make: Any, names: str, n: int) -> None:
    one = refused(STRICT, "if-for-switch", names="x/a")
    other = replace(refused(IN_IF, "if-for-switch", branches="x/a x/b", names=names), cause="error: never")
    work = Triage.of(make([one, other]))
    assert len(work.buckets) == n
    work.mark_known(0, URL)
    assert len(Triage.of(make([other, one]), work.known_file).new) == n - 1


def test_equal_texts_with_other_exact_causes_are_other_buckets(make: Any) -> None:
    """Three faults, of which one is marked."""
    broken = [MadeUp(IN_IF, "tint@mine", Kind.METAMORPHIC, f"negated by {name}") for name in (A, B)]
    for one in broken:
        accepted = {"tint@mine": "accepts"}
        one.more = {"verdicts": {"wgsl": "rejects", **accepted}, "related verdicts": accepted}
        one.files["related.wgsl"] = IN_CALL
    work = Triage.of(run := make([covered(IN_IF, None, BRANCH), *broken]))
    names = [f"tint@mine {BRANCH}", f"tint@mine metamorphic negated by {A}", f"tint@mine metamorphic negated by {B}"]
    assert {bucket.name for bucket in work.buckets} == {*names}
    assert work.mark_known(work.find(names[0]), URL) == [names[0]]
    with pytest.raises(Problem):
        work.find("nobody")
    again = Triage.of(run)
    assert {bucket.name: again.state(bucket) for bucket in again.buckets} == dict(zip(names, ["known", "new", "new"]))
    assert work.undo()
    assert (len(work.new), len(Triage.of(run).buckets)) == (3, 3)


def test_what_the_run_was_told_to_know_is_known_afterwards(make: Any, tmp_path: Path) -> None:
    run = make([covered(IN_IF, None, BRANCH), MadeUp(STRICT, "tint@mine", cause=A)])
    assert len(Triage.of(run).new) == 2
    add(tmp_path / "k.toml", f"tint@mine {BRANCH}", URL)
    run.record.known_file, run.record.like = str(tmp_path / "k.toml"), "tint@0.6.2"
    assert not Triage.of(run).new


def test_a_number_keeps_its_bug_whatever_the_bucket_is_called(make: Any) -> None:
    """Reducing gives buckets other names, parts one, and joins others."""
    found = [covered(IN_IF, None, BRANCH), covered(IN_CALL, None, BRANCH), covered(BOTH_BREAK, None, OTHER)]
    run = make(found)
    work = Triage.of(run)
    work.about_to_be_shown()
    numbers = {f.number: work.number(bucket) for bucket in work.buckets for f in bucket.findings}
    assert numbers == {1: 1, 2: 1, 3: 2}

    def renamed(*causes: str) -> Triage:
        records = [replace(f.record, branches=(c,), fit=None) for f, c in zip(run.findings, causes, strict=True)]
        pairs = zip(run.findings, records, strict=True)
        later = Triage.of(replace(run, findings=tuple(replace(f, record=record) for f, record in pairs)))
        later.about_to_be_shown()
        return later

    for causes, expected in ((["if/x", "if/x", "if/y"], [1, 1, 2]), (["if/z"] * 3, [1, 1, 1])):
        later = renamed(*causes)
        of_finding = {f.number: later.number(bucket) for bucket in later.buckets for f in bucket.findings}
        assert [of_finding[n] for n in (1, 2, 3)] == expected
    assert later.find("2") == later.find("#1") == 0  # the other one's number leads to where its findings are


def test_a_bucket_is_known_if_all_its_findings_are(make: Any) -> None:
    class Told(KnownBuckets):
        def issue_of(self, *keys: kinds.BucketKey | str, causes: object = ()) -> str | None:  # noqa: ARG002
            return URL if any(str(key) in told for key in keys) else None

    run = make([MadeUp(IN_IF, more={"branches": ["x"]}), MadeUp(IN_CALL, more={"branches": ["x"], "left": ["call"]})])
    told = [str(run.findings[1].fine)]
    assert [b.issue for b in bucketed(run, Told())] == [None]
    told.append(str(run.findings[0].fine))
    assert [b.issue for b in bucketed(run, Told())] == [URL]


# ----------------------------------------------------------------------------------------- known departures of a target

LETTER = "tint-return-ends-the-body"
KNOWN = ("tint@0.6.2", "tint@0.7.0", "tint:/a/compiler", "tint@0.3.8")


def made_by(target: str, *names: str, **more: Any) -> list[MadeUp]:
    return [MadeUp(text, target, more=dict(more)) for text in texts(*names)]


@pytest.mark.parametrize("target", KNOWN)
def test_what_is_known_of_a_target_is_one_bucket_whatever_branches_fit(make: Any, target: str) -> None:
    noted = [made_by(target, LETTER, branches=[branch])[0] for branch in ("10c", "if/line-8/never")]
    (bucket,) = bucketed(make(noted, {f"{target} too-strict tint/joins-at-empty-continuing": 3}))
    name = "tint/joins-at-empty-continuing"
    assert (bucket.name, bucket.own) == (f"{target} {name}", (name,))
    assert (bucket.branch, bucket.count) == (None, 5)
    assert titles([bucket]) == [f"{target} joins variables at the end of a loop without a continuing ({name})"]


def test_different_departures_are_different_buckets(make: Any) -> None:
    found = made_by("tint@0.3.8", LETTER, "tint-loop-returns-in-the-body", "fig-10b", "fig-10c", "tint-unbroken-loop")
    buckets = bucketed(make(found))
    assert len(set(titles(buckets))) == len(buckets) == len(found)
    assert all(bucket.own and bucket.name == f"tint@0.3.8 {'+'.join(bucket.own)}" for bucket in buckets)


def test_the_shipped_known_file_knows_the_departures_it_names(make: Any) -> None:
    found = made_by("tint@0.3.8", "fig-10b", "fig-10c", "tint-unbroken-loop")
    assert all(bucket.issue for bucket in bucketed(make(found), load_known(CORPUS / "known.toml")))


def test_what_is_not_reduced_founds_no_cause_beside_those_of_reduced_findings(make: Any) -> None:
    change = min(explaining(read_module(IN_CALL), verdict=Verdict.ACCEPTS) - explaining(read_module(BOTH_BREAK)))
    reduced = MadeUp(IN_IF, cause=kinds.UNEXPLAINED, more={"branches": [change]})
    drawn = {"describes": "drawn.wgsl", "branches": None}
    both = [MadeUp(text, cause=kinds.UNEXPLAINED, more=drawn) for text in (IN_CALL, BOTH_BREAK)]
    by_branch = {bucket.branch: len(bucket.findings) for bucket in bucketed(make([reduced, *both]))}
    assert by_branch == {change: 2, None: 1}
    assert {b.name: b.branch for b in bucketed(make(both))} == {str(found.fine): None for found in make(both).findings}


# --------- Who says what of a finding: of one with two texts, of each; what only one of them was seen by is not made up


VERDICTS = {"wgsl": "rejects", "semantics": "diverges", "fake": "accepts", "other": "rejects"}
RELATED: dict[str, Any] = {"related verdicts": {"fake": "rejects"}}
PAIR = ("the first shader", "the second shader")
SPELLED = ("this spelling", "the plain spelling")


def words(folder: Path, kind: Kind, verdicts: dict[str, str], related: str | None, **more: Any) -> dict[str, Any]:
    """What is said of a made-up finding, by oracle; `""` has the names of the texts."""
    files = {} if related is None else {"related.wgsl": related}
    made = MadeUp(IN_IF, kind=kind, cause="a cause", more={"verdicts": verdicts} | more, files=files)
    (found,) = store(folder / "run", [made]).findings
    return {"": labels(found)} | {said.oracle: said.words for said in said_of(found)}


BOTH = {"wgsl": ("rejects", "accepts"), "fake": ("accepts", "rejects"), "other": ("rejects", OPEN)}


@pytest.mark.parametrize(
    ("kind", "related", "more", "told"),
    [
        (Kind.UNSOUND, None, {}, {"": ("",)} | {name: (word,) for name, word in VERDICTS.items()}),
        *(  # of a spelling the plain one is told, too
            (
                kind,
                IN_IF.replace("lid == 0u", "(lid == 0u)"),
                RELATED,
                BOTH | {"": SPELLED, "wgsl": ("rejects", "rejects"), "semantics": ("diverges", "diverges")},
            )
            for kind in (Kind.UNSTABLE, Kind.UNSOUND)
        ),
        (Kind.METAMORPHIC, BOTH_BREAK, RELATED, BOTH | {"": PAIR, "semantics": ("diverges", "converges")}),
        # What is not recorded is not made up, and what is no shader has no verdict of ours.
        (Kind.METAMORPHIC, BOTH_BREAK, {}, BOTH | {"": PAIR, "fake": ("accepts", OPEN)}),
        (Kind.METAMORPHIC, "no shader", RELATED, BOTH | {"": PAIR, "wgsl": ("rejects", OPEN)}),
    ],
)
def test_of_each_text_what_is_recorded_is_told(
    tmp_path: Path, kind: Kind, related: str | None, more: dict[str, Any], told: dict[str, Any]
) -> None:
    found = words(tmp_path, kind, VERDICTS, related, **more)
    assert {name: found[name] for name in told} == told
    assert kind is not Kind.UNSOUND or found.keys() == told.keys()


def test_of_a_pair_against_the_reference_both_are_asked_anew(tmp_path: Path) -> None:
    made = MadeUp(IN_IF, "wgsl", Kind.METAMORPHIC, "a cause", more={"verdicts": {"wgsl": "accepts"}})
    made.files["related.wgsl"] = BOTH_BREAK
    (found,) = store(tmp_path / "run", [made]).findings
    assert [said.words for said in said_of(found)] == [("rejects", "accepts")]


# ------------------------------------------------------------- One fault is one bucket where the reduced shaders say so


SPELLED_FAULT = "accepts as drawn, rejects as printed"


def spelled(text: str, *forms: str, kind: Kind = Kind.UNSTABLE, reduced: bool = True) -> MadeUp:
    more = {"forms": list(forms), "describes": "reduced.wgsl" if reduced else "drawn.wgsl"}
    return MadeUp(text, kind=kind, cause=SPELLED_FAULT, more=more)


def test_what_needs_the_same_forms_is_one_fault_of_the_most_severe_kind(make: Any) -> None:
    worse = [spelled(text, "for", kind=Kind.UNSOUND) for text in (IN_CALL, BOTH_BREAK)]
    raw = {f"fake unstable {SPELLED_FAULT}": 2, f"fake unsound {SPELLED_FAULT}": 3}
    (bucket,) = bucketed(make([spelled(IN_IF, "for"), *worse], raw))
    assert (bucket.name, bucket.kind, bucket.count) == (f"fake {SPELLED_FAULT}: for", Kind.UNSOUND, 8)
    assert set(map(str, bucket.raw)) == set(raw)


def test_a_text_that_is_not_reduced_joins_the_largest_bucket_whose_forms_it_has(make: Any) -> None:
    found = [spelled(IN_IF, "for"), spelled(IN_CALL, "for"), spelled(BOTH_BREAK, "while")]
    for drawn, joined in (("let for while", "for"), ("while", "while"), ("let empty", None)):
        all_of_them = bucketed(make([*found, spelled(STRICT, *drawn.split(), reduced=False)]))
        (mine,) = [b for b in all_of_them if any(f.folder.name.startswith("003") for f in b.findings)]
        assert mine.name == (f"fake {SPELLED_FAULT}: {joined}" if joined else f"fake {SPELLED_FAULT}")


def unexplained(text: str, path: str, kind: Kind | None = None) -> MadeUp:
    return MadeUp(text, kind=kind, cause=UNEXPLAINED, more={"branches": [], "left": [path, "if"]})


def test_equal_reduced_texts_are_one_bucket(make: Any) -> None:
    assert len(bucketed(make([unexplained(IN_IF, "lid"), unexplained(IN_CALL, "barrier")]))) == 2
    alike = [unexplained(IN_IF, "lid"), unexplained(IN_IF, "barrier"), unexplained(IN_IF, "barrier", Kind.UNSOUND)]
    (bucket,) = bucketed(make(alike))
    assert (bucket.kind, bucket.count) == (Kind.UNSOUND, 3)


def test_texts_that_two_groups_have_join_them(make: Any) -> None:
    texts = [(IN_IF, "a"), (IN_CALL, "b"), (IN_IF, "c"), (IN_CALL, "c")]
    (bucket,) = bucketed(make([unexplained(*one) for one in texts]))
    assert bucket.count == 4


@pytest.mark.parametrize("other", [MadeUp(IN_IF, "other"), MadeUp(IN_IF, kind=Kind.CRASH, cause="panicked at")])
def test_an_equal_text_of_another_target_or_of_a_crash_is_apart(make: Any, other: MadeUp) -> None:
    assert len(bucketed(make([MadeUp(IN_IF), other]))) == 2


@pytest.mark.parametrize(("wrong", "joined"), [("first", 1), ("second", 1), ("neither", 2)])
def test_a_broken_relation_belongs_to_the_text_that_is_judged_wrongly(make: Any, wrong: str, joined: int) -> None:
    """The reference rejects IN_IF and IN_CALL; the target accepts IN_IF."""
    texts = {"first": (IN_IF, IN_CALL), "second": (IN_CALL, IN_IF), "neither": (IN_CALL, BOTH_BREAK)}[wrong]
    said = ["accepts" if text == IN_IF else "rejects" for text in texts]
    more = {"verdicts": {"wgsl": "rejects", "fake": said[0]}, "related verdicts": {"fake": said[1]}}
    broken = MadeUp(texts[0], kind=Kind.METAMORPHIC, cause="negated", more=more, files={"related.wgsl": texts[1]})
    assert len(bucketed(make([MadeUp(IN_IF), broken]))) == joined


def test_a_known_fault_does_not_hide_what_another_form_makes_unsound(make: Any) -> None:
    first = bucketed(make([spelled(IN_IF, "for", kind=Kind.UNSOUND), spelled(IN_CALL, "for")]))
    known = KnownBuckets(tuple(KnownBucket(str(key), URL) for bucket in first for key in known_keys(bucket, [bucket])))
    found = [spelled(BOTH_BREAK, "for", kind=Kind.UNSOUND), spelled(STRICT, "while", kind=Kind.UNSOUND)]
    later = {bucket.name: bucket.issue for bucket in bucketed(make(found), known)}
    assert later == {f"fake {SPELLED_FAULT}: for": URL, f"fake {SPELLED_FAULT}: while": None}


def test_what_was_dropped_in_several_buckets_stays_dropped_in_one(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [spelled(IN_IF, "for"), spelled(IN_CALL, "for", kind=Kind.UNSOUND)])
    unstable, unsound = f"fake unstable {SPELLED_FAULT}", str(run.findings[1].fine)
    states = []
    for dropped in ({unstable: "dull"}, {unsound: "dull", unstable: "too"}):
        (run.path / DECISIONS).write_bytes(orjson.dumps({"dropped": dropped}))
        work = Triage.of(run)
        states.append(work.state(work.buckets[0]))
    assert states == ["new", "dropped"]
    assert work.undrop(0)
    assert Triage.of(run).new == work.buckets
