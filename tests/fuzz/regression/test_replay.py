"""Replaying: the four words, whose record counts, and the command as scripts meet it."""

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import orjson
import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.command import DIVERGES, wgsl_fuzz
from tests.fuzz.fakes import FakeTarget, Reader, play
from wgsl_fuzz.fuzz.findings.records import RecordedVerdict
from wgsl_fuzz.fuzz.judging.kinds import NO_ANALYSIS, Kind
from wgsl_fuzz.fuzz.regression.corpus import load_case
from wgsl_fuzz.fuzz.regression.replay import record_for
from wgsl_fuzz.oracle.targets.probes import MOST_HANGS
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict

UNIFORM = "@compute @workgroup_size(2) fn main() { workgroupBarrier(); }\n"

STRUCT = """struct Index { lid: u32 }
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  let index = Index(lid);
  if index.lid == 0u { workgroupBarrier(); }
}
"""
"""Other WGSL than TinyWGSL; not uniform."""

_versions = st.tuples(st.integers(0, 2), st.integers(0, 12))


@given(st.lists(_versions, unique=True), _versions)
def test_the_newest_version_before_it_stands_in(there: list[tuple[int, int]], wanted: tuple[int, int]) -> None:
    records = {f"tint@{a}.{b}": RecordedVerdict(Verdict.ACCEPTS) for a, b in there}
    others = {"tint@embedded": RecordedVerdict(Verdict.ACCEPTS), "naga@0.1": RecordedVerdict(Verdict.ACCEPTS)}
    found = record_for(f"tint@{wanted[0]}.{wanted[1]}", records | others)
    before = [v for v in there if v <= wanted]
    chosen = max(before) if before else min(there, default=None)
    assert found == (None if chosen is None else f"tint@{chosen[0]}.{chosen[1]}")


@pytest.mark.parametrize(
    ("name", "like", "record"),
    [
        ("tint:/out/tint", None, None),
        ("tint:/out/tint", "tint@1.0", "tint@1.0"),
        ("tint@1.1", "tint@1.0", "tint@1.1"),
        ("tint@1.2", "tint@1.0", "tint@1.0"),
        ("tint@mine", "tint@1.0", "tint@1.0"),
        ("naga:/out/naga", "tint@1.0", None),
        ("tint@old", None, None),
        ("tint@embedded", None, "tint@embedded"),
        ("tint", None, None),
        ("other@1.0", None, None),
        ("chromium@156.0.1", None, "tint@1.1"),
        ("chromium@0.1", None, "tint@1.1"),
        ("chromium@156.0.1", "tint@1.0", "tint@1.0"),
        ("chromium:/out/chrome", "tint@1.0", "tint@1.0"),
        ("browser@chromium-156.0.1", None, "tint@1.1"),
        ("browser@edge-156.0.1", None, "tint@1.1"),
        ("browser@safari-26.1", None, None),
        ("browser@chrome-ios-140.0", "tint@1.0", None),
        ("firefox@153.7.0esr", None, None),
    ],
)
def test_whose_record(name: str, like: str | None, record: str | None) -> None:
    there = ("tint@1.0", "tint@1.1", "tint@embedded", "wgsl-2023-01-28")
    assert record_for(name, dict.fromkeys(there, RecordedVerdict(Verdict.ACCEPTS)), like) == record


# ----------------------------------------------------------------------------------------------------- the command


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> dict[str, Answer | None]:
    """What the targets say by name; None: what the reference says."""
    answers: dict[str, Answer | None] = {}

    def opened(name: str) -> Target:
        if name not in answers:
            raise TargetError(f"unknown target {name}")
        return Reader(lambda _: answers[name], name, checks_uniformity=not name.startswith("naga"))

    play(monkeypatch, opened)
    return answers


ACCEPTS, REJECTS = Answer(Verdict.ACCEPTS), Answer(Verdict.REJECTS, "no")
INVALID, CRASHED = Answer(Verdict.INVALID, "error: \x1b"), Answer(Verdict.CRASHED, "died")

Says = dict[str, Answer | None]


def _replay(*arguments: object) -> Result:
    return wgsl_fuzz("replay", *arguments)


def _case(folder: Path, text: str = UNIFORM, **record: object) -> Path:
    folder.mkdir(parents=True)
    (folder / "shader.wgsl").write_text(text)
    given = {"origin": "a test", "why": "to see", "expected": {"wgsl": "accepts"}, "outcome": "converges"}
    (folder / "case.json").write_bytes(orjson.dumps(given | {"verdicts": {}} | record))
    return folder


def _whole(folder: Path, text: str = STRUCT, **verdicts: object) -> Path:
    return _case(folder, text, expected={"wgsl": "rejects"}, outcome=None, verdicts=verdicts)


def _words(result: Result) -> dict[str, str]:
    return {row["oracle"]: row["word"] for row in orjson.loads(result.stdout)["results"]}


_STRICT = {"verdict": "rejects", "kind": "too-strict", "cause": {"told": "x"}}
_LENIENT = {"verdict": "accepts", "kind": "too-lenient", "cause": {"told": "x"}}
AGAINST_RECORDS: list[tuple[str, object, Answer, str]] = [
    ("accepts", "accepts", ACCEPTS, "still"),
    ("accepts", _STRICT, REJECTS, "still"),
    ("accepts", _STRICT, ACCEPTS, "fixed"),
    ("accepts", _STRICT, INVALID, "changed"),
    ("accepts", "accepts", REJECTS, "changed"),
    ("accepts", {"verdict": "crashed", "kind": "crash"}, CRASHED, "still"),
    ("accepts", None, ACCEPTS, "still"),
    ("accepts", None, REJECTS, "new"),
    ("rejects", _LENIENT, ACCEPTS, "still"),
    ("rejects", _LENIENT, REJECTS, "fixed"),
    ("rejects", _LENIENT, INVALID, "changed"),
    ("rejects", "invalid", INVALID, "still"),
    ("rejects", "invalid", REJECTS, "fixed"),
    ("rejects", "invalid", ACCEPTS, "changed"),
    ("rejects", None, REJECTS, "still"),
    ("rejects", None, INVALID, "still"),
    ("rejects", None, ACCEPTS, "new"),
]
"""What is right, recorded and said, and the word for it; None: another target is recorded.

What is rejected is in WGSL that has no core, and is not executed.
"""


@pytest.mark.parametrize(("name", "word"), [("tint@1.0", "changed"), ("tint@0.9", "still")])
def test_what_a_build_lacks_is_no_change_of_what_another_says(tmp_path: Path, says: Says, name: str, word: str) -> None:
    _whole(tmp_path / "a", **{name: "rejects"})
    says["tint@1.0"] = Answer(Verdict.UNSUPPORTED)
    result = _replay(tmp_path, "-t", "tint@1.0", "--format", "json")
    assert _words(result)["tint@1.0"] == word


@pytest.mark.parametrize(("right", "recorded", "said", "word"), AGAINST_RECORDS)
def test_what_a_target_says_against_its_record(
    tmp_path: Path, says: Says, right: str, recorded: object, said: Answer, word: str
) -> None:
    verdicts = {"naga@1.0": right} if recorded is None else {"tint@1.0": recorded}
    if right == "accepts":
        _case(tmp_path / "a", verdicts=verdicts)
    else:
        _whole(tmp_path / "a", **verdicts)
    says["tint@1.0"] = said
    status = int(word in ("changed", "new"))
    result = _replay(tmp_path, "-t", "tint@1.0", "--format", "json")
    executed = {"semantics": "still"} if right == "accepts" else {}
    assert _words(result) == {"wgsl": "still", **executed, "tint@1.0": word}
    assert result.exit_code == status
    shown = _replay(tmp_path, "-t", "tint@1.0", "--format", "verbose")
    assert shown.exit_code == status
    line = [word.upper(), "a", "tint@1.0"]
    assert any(shown_line.split()[:3] == line for shown_line in shown.stdout.splitlines())
    brief = [shown_line.split()[:3] for shown_line in _replay(tmp_path, "-t", "tint@1.0").stdout.splitlines()]
    assert (line in brief) is (word != "still")
    assert ["STILL", "a", "wgsl"] not in brief
    strict = _replay(tmp_path, "-t", "tint@1.0", "--strict")
    assert strict.exit_code == (1 if word == "fixed" else status)
    assert ("--target tint@1.0 --record" in strict.stdout) is (word == "fixed")


@pytest.mark.parametrize(
    ("expected", "outcome", "words"),
    [
        ("accepts", "converges", ("changed", "changed")),
        ("rejects", "converges", ("still", "changed")),
        ("rejects", "diverges", ("still", "still")),
    ],
)
def test_references_are_replayed(tmp_path: Path, expected: str, outcome: str, words: tuple[str, str]) -> None:
    _case(tmp_path / "a", DIVERGES, expected={"wgsl": expected}, outcome=outcome)
    result = _replay(tmp_path, "--format", "json")
    assert tuple(_words(result).values()) == words
    assert result.exit_code == int("changed" in words)


@pytest.mark.parametrize(("said", "word"), [(ACCEPTS, "still"), (REJECTS, "still"), (INVALID, "new")])
def test_a_target_without_an_analysis_may_accept(tmp_path: Path, says: Says, said: Answer, word: str) -> None:
    _case(tmp_path / "a", DIVERGES, expected={"wgsl": "rejects"}, outcome="diverges")
    says["naga:/path"] = said
    assert _words(_replay(tmp_path, "-t", "naga:/path", "--format", "json"))["naga:/path"] == word


def test_like_compares_with_another_build(tmp_path: Path, says: Says) -> None:
    _case(tmp_path / "a", verdicts={"tint@1.0": _STRICT, "tint@2.0": "accepts"})
    says["tint:/path"] = REJECTS
    assert _replay(tmp_path, "-t", "tint:/path").exit_code == 1
    assert _replay(tmp_path, "-t", "tint:/path", "--like", "tint@2.0").exit_code == 1
    like = _replay(tmp_path, "-t", "tint:/path", "--like", "tint@1.0", "--format", "verbose")
    assert like.exit_code == 0
    assert "by the record of tint@1.0" in like.stdout
    says["tint:/path"] = ACCEPTS
    options = ("-t", "tint:/path", "--like", "tint@1.0")
    assert f"replay {tmp_path} --target tint:/path --like tint@1.0 --record" in _replay(tmp_path, *options).stdout
    assert _replay(tmp_path, *options, "--strict", "--record").exit_code == 1
    assert _replay(tmp_path, *options, "--strict").exit_code == 0
    unknown = _replay(tmp_path, "-t", "tint:/path", "--like", "tint@3.0")
    assert unknown.exit_code == 2
    assert "recorded: tint:/path, tint@1.0, tint@2.0" in unknown.stderr


def test_a_like_of_the_configuration_file_counts_where_it_fits(
    tmp_path: Path, says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    _case(tmp_path / "a", verdicts={"tint@1.0": _STRICT})
    says["tint:/path"] = REJECTS
    monkeypatch.chdir(tmp_path)
    for like, is_left_out in (("tint@1.0", False), ("tint@3.0", True)):
        Path("wgsl-fuzz.toml").write_text(f'like = "{like}"\n')
        done = _replay(tmp_path, "-t", "tint:/path")
        said = "without the `like` of the configuration file" in done.stderr
        assert (done.exit_code, said) == (int(is_left_out), is_left_out)


@pytest.mark.parametrize(("plain", "word"), [(ACCEPTS, "fixed"), (REJECTS, "changed"), (INVALID, "still")])
def test_a_second_text_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: Answer, word: str) -> None:
    recorded = {"verdict": "accepts", "second": "invalid", "kind": "unstable", "cause": {"told": "x"}}
    folder = _case(tmp_path / "a", verdicts={"t": recorded})
    (folder / "plain.wgsl").write_text(UNIFORM.replace("2", "3"))
    answer: Callable[..., Answer] = lambda shader: plain if shader.workgroup_size == 3 else ACCEPTS  # noqa: E731
    play(monkeypatch, lambda name: FakeTarget(instead=answer, name=name))
    assert _words(_replay(tmp_path, "-t", "t", "--format", "json"))["t"] == word


def test_plain_files_are_held_against_the_reference(tmp_path: Path, says: Says) -> None:
    (tmp_path / "one.wgsl").write_text(UNIFORM)
    (tmp_path / "two.wgsl").write_text(DIVERGES)
    says["tint"] = ACCEPTS
    result = _replay(tmp_path, "-t", "tint")
    assert result.exit_code == 1
    assert "NEW      two  tint  accepts, expected rejects; tint unsound no known cause" in result.stdout
    assert "It does diverge:" in result.stdout
    (tmp_path / "two.wgsl").write_text("struct S { a: f32 } fn")
    unread = _replay(tmp_path, "-t", "wgsl-2023-01-28")
    assert unread.exit_code == 2
    assert "two.wgsl" in unread.stderr
    assert "line 1, column 23" in unread.stderr
    assert "1 STILL" in unread.stdout


@pytest.mark.parametrize("text", [STRUCT, DIVERGES])
def test_what_is_wrong_with_other_wgsl_is_too_lenient_and_explained(tmp_path: Path, says: Says, text: str) -> None:
    """Of a TinyWGSL text too, if its case names the reference for the whole language."""
    _whole(tmp_path / "cases" / "a", text)
    says["tint@1.0"] = ACCEPTS
    result = _replay(tmp_path / "cases", "-t", "tint@1.0", "--junitxml", tmp_path / "out.xml")
    assert "NEW      a  tint@1.0  accepts, expected rejects; tint@1.0 too-lenient no known cause" in result.stdout
    assert "tint@1.0: accepts; the reference (wgsl): rejects." in result.stdout
    assert "`lid` is the built-in input `local_invocation_index`" in result.stdout
    suite = ET.parse(tmp_path / "out.xml").getroot()[0]
    assert [suite.get(key) for key in ("tests", "failures", "errors")] == ["2", "1", "0"]
    assert "`local_invocation_index`" in str(suite[1][0].text)


@pytest.mark.parametrize("text", [UNIFORM, STRUCT])
def test_recording_writes_what_targets_say(tmp_path: Path, says: Says, text: str) -> None:
    right, kind = ("accepts", Kind.TOO_STRICT) if text == UNIFORM else ("rejects", Kind.TOO_LENIENT)
    outcome = "converges" if text == UNIFORM else None
    folder = _case(tmp_path / "a", text, expected={"wgsl": right}, outcome=outcome, verdicts={"t@1": right})
    wrong, as_expected = (REJECTS, ACCEPTS) if text == UNIFORM else (ACCEPTS, REJECTS)
    says |= {"t@1": wrong, "t@2": as_expected, "t@3": INVALID, "naga@1": ACCEPTS}
    names = [part for name in says for part in ("-t", name)]
    assert _replay(tmp_path, *names, "--record").exit_code == 1
    case = load_case(folder)
    assert (case.rules, case.outcome) == ("wgsl", None if outcome is None else Outcome(outcome))
    assert {name: (one.verdict, one.kind) for name, one in case.verdicts.items()} == {
        "t@1": (wrong.verdict, kind),
        "t@2": (as_expected.verdict, None),
        "t@3": (Verdict.INVALID, Kind.INVALID if text == UNIFORM else None),
        "naga@1": (Verdict.ACCEPTS, None if text == UNIFORM else kind),
    }
    assert text == UNIFORM or case.verdicts["naga@1"].cause == NO_ANALYSIS
    before = (folder / "case.json").read_bytes()
    again = _replay(tmp_path, *names, "--record")
    assert (again.exit_code, (folder / "case.json").read_bytes()) == (0, before)


@pytest.mark.parametrize(
    ("rules", "expected", "word"), [("wgsl", "accepts", "changed"), ("letter", "rejects", "still")]
)
def test_a_rule_set_is_replayed_against_its_record(tmp_path: Path, rules: str, expected: str, word: str) -> None:
    _case(tmp_path / "a", STRUCT, expected={rules: expected}, outcome=None)
    assert _words(_replay(tmp_path, "--format", "json")) == {rules: word}


def test_issues_come_from_known_toml(tmp_path: Path, says: Says) -> None:
    _case(tmp_path / "a")
    says["t@1"] = REJECTS
    (tmp_path / "known.toml").write_text('[[known]]\nbucket = "t@* too-strict*"\nissue = "https://example.org/7"\n')
    result = _replay(tmp_path, "-t", "t@1")
    assert "https://example.org/7" in result.stdout
    assert (result.exit_code, "1 NEW" in result.stdout) == (0, True)  # it is not recorded, and yet known
    (tmp_path / "known.toml").rename(tmp_path / "other")
    assert _replay(tmp_path, "-t", "t@1").exit_code == 1
    assert _replay(tmp_path, "-t", "t@1", "--known-file", tmp_path / "other").exit_code == 0
    (tmp_path / "known.toml").write_text("known = 1")
    assert _replay(tmp_path, "-t", "t@1").exit_code == 2


def test_one_compiler_by_two_names_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = [FakeTarget(name="same"), FakeTarget(name="same")]
    targets = iter(opened)
    play(monkeypatch, lambda _: next(targets))
    _case(tmp_path / "a")
    assert _replay(tmp_path, "-t", "one", "-t", "two").exit_code == 0
    assert [(target.asked, target.closed) for target in opened] == [(1, True), (0, True)]


def test_the_shipped_corpus_is_the_default() -> None:
    result = _replay("-t", "wgsl-tint-0.6.2", "--format", "json")
    rows = orjson.loads(result.stdout)["results"]
    assert {row["case"] for row in rows} >= {"fig-10b", "tint-empty-statement"}
    assert {row["word"] for row in rows} == {"still"}
    assert any(row["kind"] for row in rows)


@pytest.mark.parametrize("recorded", [False, True])
def test_who_hangs_on_several_cases_in_a_row_is_asked_no_more(tmp_path: Path, says: Says, recorded: bool) -> None:
    """Unless that is what the cases are for."""
    verdicts = {"tint@1.0": {"verdict": "timed-out", "kind": "hang"}} if recorded else {}
    for i in range(MOST_HANGS):
        _case(tmp_path / f"case-{i}", f"// {i}\n{UNIFORM}", verdicts=verdicts)
    says["tint@1.0"] = Answer(Verdict.TIMED_OUT, "no answer within 1 s")
    result = _replay(tmp_path, "-t", "tint@1.0")
    if recorded:
        assert result.exit_code == 0, result.stderr
        return
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.startswith(f"wgsl-fuzz: tint@1.0 hangs on {tmp_path}/case-0/shader.wgsl, ")
