"""known.toml: which buckets it covers, and that adding to it keeps what is there."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.fuzz.findings.known import FILE, Engine, KnownBucket, KnownBuckets, add, known_or_shipped, load_known
from wgsl_fuzz.fuzz.judging.judge import BucketKey, Kind
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.shipped import corpus_folder

URL = "https://example.org/issues/1"

_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_buckets = _text.filter(lambda text: text.strip(" *") != "")


@given(_buckets, _text, st.text("\n # \r", max_size=5))
def test_what_is_added_is_known_and_the_text_before_it_stays(bucket: str, note: str, ends: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "known.toml"
        before = f'# mine{ends.replace(chr(13), "")}\n[[known]]\nbucket = "other"\nissue = "{URL}/2"'
        path.write_bytes(before.encode())
        if KnownBucket("other", "").fits(bucket):
            return
        add(path, bucket, URL, note)
        assert path.read_bytes().startswith(before.encode())
        assert load_known(path).entries == (KnownBucket("other", f"{URL}/2"), KnownBucket(bucket, URL, note))
        assert load_known(path).issue_of("something else", bucket) == URL


@given(st.lists(_text.filter(lambda t: "*" not in t), min_size=1, max_size=4), st.lists(_text, min_size=4, max_size=4))
def test_a_star_stands_for_anything(parts: list[str], between: list[str]) -> None:
    key = "".join(part + filler for part, filler in zip(parts, [*between[: len(parts) - 1], ""]))
    assert KnownBucket("*".join(parts), URL).fits(key)


def test_only_the_star_is_special() -> None:
    assert KnownBucket("tint@* too-strict 10b", URL).fits("tint@0.3.8 too-strict 10b")
    assert not KnownBucket("tint@* too-strict 10b", URL).fits("tint@0.3.8 too-strict 10b+10c")
    assert not KnownBucket("tint@0.3.8 too-strict 10b", URL).fits("tint@0x3x8 too-strict 10b")
    assert not KnownBucket("tint@[0] ?", URL).fits("tint@0 x")


def test_the_first_entry_that_fits_counts() -> None:
    known = KnownBuckets((KnownBucket("a *", "one"), KnownBucket("a b", "two"), KnownBucket("c", "three")))
    assert known.issue_of("a b") == "one"
    assert known.issue_of("x", "c") == "three"
    assert known.issue_of("x") is None


def test_adding_makes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "run" / "known.toml"
    add(path, 'a "quoted" \\ bucket\x7f', URL, "über\nalles")
    assert load_known(path).entries == (KnownBucket('a "quoted" \\ bucket\x7f', URL, "über\nalles"),)


def test_adding_what_is_known_changes_nothing_and_never_its_issue(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    add(path, "tint@* x", URL)
    before = path.read_bytes()
    add(path, "tint@1 x", URL)
    with pytest.raises(Problem, match="known already"):
        add(path, "tint@1 x", URL + "0")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("known = ", "is not TOML"),
        ("[known]\nbucket = 'x'", "one table"),
        ("known = [1]", "entry 1 is no table"),
        ("[[bucket]]", "unknown key 'bucket'"),
        (f"[[known]]\nbucket='a'\nissue='{URL}'\n[[known]]\nissue='{URL}'", "entry 2 names no bucket"),
        (f"[[known]]\nbucket='*'\nissue='{URL}'", "entry 1 names no bucket"),
        ("[[known]]\nbucket='a'", "'issue' is not a URL"),
        ("[[known]]\nbucket='a'\nissue='5100'", "'issue' is not a URL: '5100'"),
        (f"[[known]]\nbucket='a'\nissue='{URL}'\nurl=''", "unknown key 'url'"),
        (f"[[known]]\nbucket=1\nissue='{URL}'", "'bucket' is no text"),
        ("[engine]\nname = 'x'", "an entry begins with [[engine]]"),
        ("engine = [1]", "engine 1 is no table"),
        ("[[engine]]\ntargets = ['a']", "engine 1 has no name"),
        ("[[engine]]\nname = '*'\ntargets = ['a']", "engine 1 has no name"),
        ("[[engine]]\nname = 'a'", "engine 1: 'targets' is no list of names"),
        ("[[engine]]\nname = 'a'\ntargets = ['b', 1]", "engine 1: 'targets' is no list of names"),
        ("[[engine]]\nname = 'a'\ntargets = ['b']\nissue = ''", "engine 1: unknown key 'issue'"),
    ],
)
def test_a_malformed_file_is_one_line(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "known.toml"
    path.write_text(text)
    for read in (lambda: load_known(path), lambda: add(path, "b", URL)):
        with pytest.raises(Problem) as problem:
            read()
        assert fault in problem.value.message
        assert "\n" not in problem.value.message
    assert path.read_text() == text


@pytest.mark.parametrize("issue", ["", "soon", "ftp://example.org/x", "https://example.org/a b"])
def test_what_would_not_be_read_again_is_not_added(tmp_path: Path, issue: str) -> None:
    path = tmp_path / "known.toml"
    with pytest.raises(Problem, match="not a URL"):
        add(path, "b", issue)
    assert not path.exists()


def test_the_shipped_file_is_read_unless_another_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = tmp_path / "given.toml"
    add(given, "a bucket", URL)
    assert known_or_shipped(given).entries == (KnownBucket("a bucket", URL),)
    assert known_or_shipped(None) == load_known(corpus_folder() / FILE) != KnownBuckets()
    with pytest.raises(Problem):
        known_or_shipped(tmp_path / "missing.toml")
    monkeypatch.setattr("wgsl_fuzz.fuzz.findings.known.corpus_folder", lambda: tmp_path)
    assert known_or_shipped(None) == KnownBuckets()


def test_a_cause_of_several_known_departures_is_known() -> None:
    known = KnownBuckets(tuple(KnownBucket(f"t unsound {cause}", f"{URL}/{cause}") for cause in ("a", "b")))
    assert known.issue_of(BucketKey("t", Kind.UNSOUND, "a+b")) == f"{URL}/a"
    assert known.issue_of(BucketKey("t", Kind.UNSOUND, "a+c")) is None
    assert known.issue_of(BucketKey("t", Kind.TOO_STRICT, "a+b")) is None


SHARED = KnownBuckets(
    (KnownBucket("t@1 too-strict a", f"{URL}/t"), KnownBucket("b@2.0 too-strict b", f"{URL}/b")),
    (Engine("t@1", ("b@2.*", "c d")),),
)


@pytest.mark.parametrize(
    ("key", "issue"),
    [
        ("b@2.0 too-strict a", "t"),
        ("b@2.1 too-strict a", "t"),
        ("b@2.0 too-strict b", "b"),
        ("b@3.0 too-strict a", None),  # another version has another compiler
        ("t@1 too-strict b", None),  # what is known of a browser is not known of all that share its compiler
        ("b@2.1 too-strict b", None),
        ("b@2.0 unsound a", None),
        ("b@2.0 unstable invalid only as drawn: x", None),
    ],
)
def test_what_is_known_of_a_compiler_is_known_of_what_it_is_in(key: str, issue: str | None) -> None:
    expected = None if issue is None else f"{URL}/{issue}"
    assert SHARED.issue_of(key) == SHARED.issue_of(BucketKey.parse(key)) == expected


def test_parts_of_a_cause_and_faults_of_a_spelling_are_known_of_the_compiler_too() -> None:
    known = SHARED + KnownBuckets((KnownBucket("t@1 too-strict c", f"{URL}/c"), KnownBucket("t@1 invalid x", URL)))
    assert known.issue_of(BucketKey("b@2.1", Kind.TOO_STRICT, "a+c")) == f"{URL}/t"
    assert known.issue_of(BucketKey("b@2.1", Kind.TOO_STRICT, "a+b")) is None
    assert known.issue_of(BucketKey("b@2.1", Kind.UNSTABLE, "invalid only as drawn: x")) == URL
    assert known.issue_of(BucketKey("c d", Kind.INVALID, "x")) == URL


def test_three_departures_are_known_if_each_is_by_itself_or_with_another_of_them() -> None:
    known = KnownBuckets((KnownBucket("t too-strict a+b", URL), KnownBucket("t too-strict a+c", URL)))
    for cause, is_known in (("a+b", True), ("b+c", False), ("a+b+c", True), ("a+b+d", False), ("a+d", False)):
        assert (known.issue_of(BucketKey("t", Kind.TOO_STRICT, cause)) == URL) is is_known


@pytest.mark.parametrize(
    ("kind", "cause", "is_known"),
    [
        (Kind.UNSTABLE, "rejects as drawn, accepts as printed: a", True),
        (Kind.UNSTABLE, "rejects as drawn, accepts as printed: b", False),
        (Kind.UNSTABLE, "rejects as drawn, accepts as printed", False),
        (Kind.UNSOUND, "accepts as drawn, rejects as printed: a", False),  # worse than what is known
        (Kind.METAMORPHIC, "negated by a", True),
        (Kind.METAMORPHIC, "negated", False),
    ],
)
def test_two_texts_are_known_if_what_tells_them_apart_is_known_of_one(kind: Kind, cause: str, is_known: bool) -> None:
    known = KnownBuckets((KnownBucket("t too-strict a", URL),))
    assert (known.issue_of(BucketKey("t", kind, cause)) == URL) is is_known


def test_a_run_of_a_browser_knows_the_shipped_engines_beside_its_own_file(tmp_path: Path) -> None:
    add(tmp_path / FILE, "chromium@156.0.1 too-strict x", URL)
    for run in (None, tmp_path):
        known = known_or_shipped(None, run)
        assert known.issue_of("chromium@156.0.1 too-strict tint/conditions-flow-back")
        assert known.issue_of("firefox@153.7.0esr uniformity not implemented")
        assert known.issue_of("chromium@1.0 too-strict tint/conditions-flow-back") is None
        assert (known.issue_of("chromium@156.0.1 too-strict x") is None) == (run is None)
