"""known.toml: which buckets it covers, and that adding to it keeps what is there."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.runs import key_named
from wgsl_fuzz.fuzz.findings import known as k
from wgsl_fuzz.fuzz.judging.kinds import BucketKey, Cause, Kind
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES

URL = "https://example.org/issues/1"

_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_buckets = _text.filter(lambda text: text.strip(" *") != "")


@given(_buckets, _text, st.text("\n # \r", max_size=5))
def test_what_is_added_is_known_and_the_text_before_it_stays(bucket: str, note: str, ends: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "known.toml"
        before = f'# mine{ends.replace(chr(13), "")}\n[[known]]\nbucket = "other"\nissue = "{URL}/2"'
        path.write_bytes(before.encode())
        if k.KnownBucket("other", "").fits(bucket):
            return
        k.add(path, bucket, URL, note)
        assert path.read_bytes().startswith(before.encode())
        assert k.load_known(path).entries == (k.KnownBucket("other", f"{URL}/2"), k.KnownBucket(bucket, URL, note))
        assert k.load_known(path).issue_of("something else", bucket) == URL


@given(st.lists(_text.filter(lambda t: "*" not in t), min_size=1, max_size=4), st.lists(_text, min_size=4, max_size=4))
def test_a_star_stands_for_anything(parts: list[str], between: list[str]) -> None:
    key = "".join(part + filler for part, filler in zip(parts, [*between[: len(parts) - 1], ""]))
    assert k.KnownBucket("*".join(parts), URL).fits(key)


def test_only_the_star_is_special() -> None:
    assert k.KnownBucket("tint@* too-strict 10b", URL).fits("tint@0.3.8 too-strict 10b")
    assert not k.KnownBucket("tint@* too-strict 10b", URL).fits("tint@0.3.8 too-strict 10b+10c")
    assert not k.KnownBucket("tint@0.3.8 too-strict 10b", URL).fits("tint@0x3x8 too-strict 10b")
    assert not k.KnownBucket("tint@[0] ?", URL).fits("tint@0 x")


def test_the_first_entry_that_fits_counts() -> None:
    known = k.KnownBuckets((k.KnownBucket("a *", "one"), k.KnownBucket("a b", "two"), k.KnownBucket("c", "three")))
    assert known.issue_of("a b") == "one"
    assert known.issue_of("x", "c") == "three"
    assert known.issue_of("x") is None


def test_adding_makes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "run" / "known.toml"
    k.add(path, 'a "quoted" \\ bucket\x7f', URL, "über\nalles")
    assert k.load_known(path).entries == (k.KnownBucket('a "quoted" \\ bucket\x7f', URL, "über\nalles"),)


def test_adding_what_is_known_changes_nothing_and_never_its_issue(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    k.add(path, "tint@* x", URL)
    before = path.read_bytes()
    k.add(path, "tint@1 x", URL)
    with pytest.raises(Problem, match="known already"):
        k.add(path, "tint@1 x", URL + "0")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("known = ", "is not TOML"),
        ("[known]\nbucket = 'x'", "'known' is not a list"),
        ("[[bucket]]", "unknown key 'bucket'"),
        (f"[[known]]\nbucket='a'\nissue='{URL}'\n[[known]]\nissue='{URL}'", "known: 2: there is no 'bucket'"),
        (f"[[known]]\nbucket='*'\nissue='{URL}'", "entry 1 names no bucket"),
        ("[[known]]\nbucket='a'", "known: 1: there is no 'issue'"),
        ("[[known]]\nbucket='a'\nissue='5100'", "'issue' is not a URL: '5100'"),
        (f"[[known]]\nbucket='a'\nissue='{URL}'\nurl=''", "unknown key 'url'"),
        (f"[[known]]\nbucket=1\nissue='{URL}'", "'known: 1: bucket' is not a text"),
        ("engine = [1]", "'engine: 1' is not an object"),
        ("[[engine]]\nname = '*'\ntargets = ['a']", "engine 1 has no name"),
        ("[[engine]]\nname = 'a'", "engine: 1: there is no 'targets'"),
        ("[[engine]]\nname = 'a'\ntargets = ['b', 1]", "'engine: 1: targets: 2' is not a text"),
    ],
)
def test_a_malformed_file_is_one_line(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "known.toml"
    path.write_text(text)
    for read in (lambda: k.load_known(path), lambda: k.add(path, "b", URL)):
        with pytest.raises(Problem) as problem:
            read()
        assert fault in problem.value.message
        assert "\n" not in problem.value.message
    assert path.read_text() == text


@pytest.mark.parametrize("issue", ["", "soon", "ftp://example.org/x", "https://example.org/a b"])
def test_what_would_not_be_read_again_is_not_added(tmp_path: Path, issue: str) -> None:
    path = tmp_path / "known.toml"
    with pytest.raises(Problem, match="not a URL"):
        k.add(path, "b", issue)
    assert not path.exists()


def test_the_shipped_file_is_read_behind_the_one_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = tmp_path / "given.toml"
    k.add(given, "a bucket", URL)
    shipped = k.load_known(corpus_folder() / k.FILE)
    assert k.known_or_shipped(given) == k.load_known(given) + shipped
    assert k.known_or_shipped(given).issue_of(shipped.entries[0].bucket) == shipped.entries[0].issue
    assert k.known_or_shipped(None) == k.load_known(corpus_folder() / k.FILE) != k.KnownBuckets()
    with pytest.raises(Problem):
        k.known_or_shipped(tmp_path / "missing.toml")
    monkeypatch.setattr("wgsl_fuzz.fuzz.findings.known.corpus_folder", lambda: tmp_path)
    assert k.known_or_shipped(None) == k.KnownBuckets()


A, B, C, D = sorted(DEPARTURES)[:4]


@pytest.mark.parametrize(
    ("known", "key", "is_known"),
    [
        ((f"unsound {A}", f"unsound {B}"), f"unsound {A}+{B}", True),
        ((f"unsound {A}", f"unsound {B}"), f"unsound {A}+{C}", False),
        ((f"unsound {A}", f"unsound {B}"), f"too-strict {A}+{B}", False),
        ((f"unsound {A}", f"too-lenient {B}"), f"unsound {A}+{B}", True),
        ((f"too-lenient {A}", f"too-lenient {B}"), f"unsound {A}+{B}", False),
        ((f"unsound {A}", f"too-strict {B}"), f"unsound {A}+{B}", False),
        *(
            ((f"too-strict {A}+{B}", f"too-strict {A}+{C}"), f"too-strict {cause}", is_known)
            for cause, is_known in (
                (f"{A}+{B}", True),
                (f"{B}+{C}", False),
                (f"{A}+{B}+{C}", True),  # each by itself or with another of them
                (f"{A}+{B}+{D}", False),
                (f"{A}+{D}", False),
            )
        ),
        *(
            ((f"too-strict {A}",), key, is_known)
            for key, is_known in (
                (f"unstable rejects as drawn, accepts as printed: {A}", True),
                (f"unstable rejects as drawn, accepts as printed: {B}", False),
                ("unstable rejects as drawn, accepts as printed", False),
                (f"unsound accepts as drawn, rejects as printed: {A}", False),  # worse than what is known
                (f"metamorphic negated by {A}", True),
                ("metamorphic negated", False),
            )
        ),
    ],
)
def test_what_is_known_of_departures_is_known_of_their_causes(known: tuple[str, ...], key: str, is_known: bool) -> None:
    buckets = k.KnownBuckets(tuple(k.KnownBucket(f"t {one}", URL) for one in known))
    assert (buckets.issue_of(key_named(f"t {key}")) == URL) is is_known


@pytest.mark.parametrize(("kind", "is_known"), [("", True), ("unsound ", True), ("too-strict ", False)])
def test_a_cause_is_known_of_all_kinds_or_of_the_one_that_its_entry_names(kind: str, is_known: bool) -> None:
    """A summary of a run names the kind, too; what explains a finding may not be in its key."""
    buckets = k.KnownBuckets((k.KnownBucket(f"t {kind}while/condition/dropped", URL),))
    key = key_named("t unsound no known cause")
    assert (buckets.issue_of(key, causes=[("while/condition/dropped",)]) == URL) is is_known


OWN = (k.KnownBucket(f"t@1 too-strict {A}", f"{URL}/t"), k.KnownBucket(f"b@2.0 too-strict {B}", f"{URL}/b"))
SHARED = k.KnownBuckets(OWN, (k.Engine("t@1", ("b@2.*", "c d")),))


@pytest.mark.parametrize(
    ("key", "issue"),
    [
        (f"b@2.0 too-strict {A}", "t"),
        (f"b@2.1 too-strict {A}", "t"),
        (f"b@2.0 too-strict {B}", "b"),
        (f"b@3.0 too-strict {A}", None),  # another version has another compiler
        (f"t@1 too-strict {B}", None),  # what is known of a browser is not known of all that share its compiler
        (f"b@2.1 too-strict {B}", None),
        (f"b@2.0 unsound {A}", None),
        ("b@2.0 unstable invalid only as drawn: x", None),
    ],
)
def test_what_is_known_of_a_compiler_is_known_of_what_it_is_in(key: str, issue: str | None) -> None:
    expected = None if issue is None else f"{URL}/{issue}"
    assert SHARED.issue_of(key) == SHARED.issue_of(key_named(key)) == expected


def test_parts_of_a_cause_and_faults_of_a_spelling_are_known_of_the_compiler_too() -> None:
    own = k.KnownBucket(f"t@1 too-strict {C}", f"{URL}/c"), k.KnownBucket("t@1 invalid x", URL)
    known = SHARED + k.KnownBuckets(own)
    for key, issue in (
        (f"b@2.1 too-strict {A}+{C}", f"{URL}/t"),
        (f"b@2.1 too-strict {A}+{B}", None),
        ("b@2.1 unstable invalid only as drawn: x", URL),
    ):
        assert known.issue_of(key_named(key)) == issue
    assert known.issue_of(BucketKey("c d", Kind.INVALID, Cause(told="x"))) == URL


def test_a_run_of_a_browser_knows_the_shipped_engines_beside_its_own_file(tmp_path: Path) -> None:
    k.add(tmp_path / k.FILE, "chromium@156.0.1 too-strict x", URL)
    for run in (None, tmp_path):
        known = k.known_or_shipped(None, *([] if run is None else [run]))
        assert known.issue_of("chromium@156.0.1 too-strict tint/conditions-flow-back")
        assert known.issue_of("firefox@153.7.0esr uniformity not implemented")
        assert known.issue_of("chromium@1.0 too-strict tint/conditions-flow-back") is None
        assert (known.issue_of("chromium@156.0.1 too-strict x") is None) == (run is None)


@pytest.mark.parametrize(
    ("target", "like", "known"),
    [
        ("tint:out/tint", None, False),
        ("tint:out/tint", "tint@0.6.2", True),
        ("tint@main", "tint@0.6.2", True),
        ("chromium@900.0", "chromium@156.0", True),  # which has tint@0.6.2 inside
        ("tint@main", "tint@0.3.6", False),
        ("chromium@900.0", "tint@0.6.2", True),
        ("browser@edge-900.0", "tint@0.6.2", True),
        ("naga:target/naga", "tint@0.6.2", False),
        ("mine@0.1", "tint@0.6.2", False),
    ],
)
def test_what_is_known_of_a_build_is_of_its_like(tmp_path: Path, target: str, like: str | None, known: bool) -> None:
    key, own = key_named(f"{target} too-strict tint/conditions-flow-back"), tmp_path / k.FILE
    assert (k.known_or_shipped(None, like=like).issue_of(key) is not None) == known
    k.add(own, f"{target} crash x", URL)
    with_own = k.known_or_shipped(own, like=like)
    assert (with_own.issue_of(key) is not None) == known
    assert with_own.issue_of(f"{target} crash x") == URL
    assert with_own.issue_of(f"{target} too-strict something else") is None
    assert with_own.issue_of("naga@29.0.1.1 uniformity not implemented")  # the file given adds to the shipped one


def test_a_build_of_which_nothing_ships_is_refused_with_those_that_there_are() -> None:
    for build in ("tint@0.6.2", "naga@29.0.1.1", "chromium@156.0"):
        k.check_build(build)
    with pytest.raises(Problem, match=r"nothing is known of 'tint@9'; known: .*tint@0\.6\.2"):
        k.check_build("tint@9")
