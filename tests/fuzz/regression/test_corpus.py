"""Corpus cases on disk: what is written is read back, what is wrong is named, findings are kept letter by letter."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.command import DIVERGES
from tests.fuzz.runs import TEN_A
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import FindingRecord, RecordedVerdict
from wgsl_fuzz.fuzz.findings.schema import read
from wgsl_fuzz.fuzz.judging.kinds import Cause, Kind
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression import corpus
from wgsl_fuzz.oracle.rules.uniformity.revisions import WGSL_RULE_SETS
from wgsl_fuzz.oracle.verdict import Outcome, Verdict

UNIFORM = "@compute @workgroup_size(2) fn main() { workgroupBarrier(); }"
SPELLED = DIVERGES.replace("; }", "; } /* spelled my way */")
SOUND: dict[str, Any] = {
    "origin": "a test",
    "why": "because",
    "expected": {"wgsl": "rejects"},
    "outcome": "diverges",
    "verdicts": {"a@1": "rejects", "b@1": {"verdict": "accepts", "kind": "unsound", "cause": {"departures": [TEN_A]}}},
}

_words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20).filter(str.strip)
_static = st.sampled_from([Verdict.ACCEPTS, Verdict.REJECTS])
_answered = st.sampled_from([verdict for verdict in Verdict if verdict is not Verdict.UNSUPPORTED])
_outcomes = st.sampled_from(Outcome)
WHOLE = st.sampled_from(sorted(WGSL_RULE_SETS))


@st.composite
def _cases(draw: st.DrawFn) -> corpus.CorpusCase:
    expected, outcome, rules = draw(_static), draw(st.none() | _outcomes), draw(WHOLE)
    file = draw(st.sampled_from([None, "plain.wgsl", "related.wgsl"]))
    second = None
    if file is not None:
        second = corpus.SecondText(file, draw(_words), expected if file == "plain.wgsl" else draw(_static))
    verdicts: dict[str, RecordedVerdict] = {}
    for name in draw(st.lists(st.sampled_from(["tint@1", "tint@2", "naga@3", "a b"]), unique=True)):
        said = RecordedVerdict(draw(st.sampled_from(Verdict)), draw(st.sampled_from(Verdict)) if second else None)
        kind = draw(st.none() | st.sampled_from(Kind))
        cause = draw(st.none() | st.just(Cause(told="x")))
        verdicts[name] = corpus.classified(said, expected, outcome, second, kind, cause)
    issue = draw(st.none() | st.just("https://example.org/1"))
    text, why, origin = draw(_words), draw(_words), draw(_words)
    return corpus.CorpusCase(Path("a-case.1"), text, why, origin, expected, outcome, verdicts, issue, second, rules)


@given(_cases())
def test_what_is_written_is_read_back(case: corpus.CorpusCase) -> None:
    with TemporaryDirectory() as folder:
        case = replace(case, folder=Path(folder) / case.name)
        corpus.write_case(case)
        assert corpus.load_case(case.folder) == case
        assert corpus.load_cases(Path(folder)) == corpus.load_cases(case.folder) == [case]


@given(_static, _outcomes, _answered)
def test_what_is_expected_is_wrong_only_if_refuted(expected: Verdict, outcome: Outcome, said: Verdict) -> None:
    kinds = corpus.possible_kinds(expected, outcome, None, RecordedVerdict(said), valid=True)
    counterexample = expected is Verdict.ACCEPTS and outcome is Outcome.DIVERGES
    assert len(kinds) <= 1
    assert bool(kinds) == (said is not expected and not (counterexample and said is Verdict.REJECTS)) or counterexample


@given(_static, _answered, _answered, st.sampled_from(["plain.wgsl", "related.wgsl"]))
def test_what_is_not_run_is_not_unsound_or_invalid(expected: Verdict, one: Verdict, other: Verdict, file: str) -> None:
    second = corpus.SecondText(file, "", expected)
    kinds = corpus.possible_kinds(expected, None, second, RecordedVerdict(one, other))
    assert not kinds & {Kind.UNSOUND, Kind.INVALID}
    wrong = {one, other} - {expected, Verdict.INVALID}
    assert bool(kinds - {Kind.UNSTABLE}) == bool(wrong)
    assert (Kind.TOO_LENIENT in kinds) == (Verdict.ACCEPTS in wrong)
    assert (Kind.TOO_STRICT in kinds) == (Verdict.REJECTS in wrong)


@given(_static, _outcomes, _answered, _answered)
def test_two_verdicts_on_one_are_unstable(expected: Verdict, outcome: Outcome, one: Verdict, other: Verdict) -> None:
    second, said = corpus.SecondText("plain.wgsl", "", expected), RecordedVerdict(one, other)
    kinds = corpus.possible_kinds(expected, outcome, second, said)
    assert (Kind.UNSTABLE in kinds) == (one is not other)


@given(_static, _outcomes, _answered)
def test_what_is_not_supported_is_no_finding(expected: Verdict, outcome: Outcome, other: Verdict) -> None:
    unsupported, second = Verdict.UNSUPPORTED, corpus.SecondText("plain.wgsl", "", expected)
    assert corpus.possible_kinds(expected, outcome, None, RecordedVerdict(unsupported)) == set()
    assert corpus.possible_kinds(expected, outcome, second, RecordedVerdict(unsupported, unsupported)) == set()
    alone = corpus.possible_kinds(expected, outcome, None, RecordedVerdict(other))
    assert corpus.possible_kinds(expected, outcome, second, RecordedVerdict(other, unsupported)) == alone


def test_two_texts_that_are_judged_as_expected_are_no_finding() -> None:
    """Nor is one made of it because nobody ran the related shader."""
    second = corpus.SecondText("related.wgsl", UNIFORM, Verdict.ACCEPTS)
    said = RecordedVerdict(Verdict.ACCEPTS, Verdict.ACCEPTS)
    assert corpus.possible_kinds(Verdict.ACCEPTS, Outcome.CONVERGES, second, said) == set()
    wrong = RecordedVerdict(Verdict.ACCEPTS, Verdict.ACCEPTS)
    rejected = corpus.SecondText("related.wgsl", DIVERGES, Verdict.REJECTS)
    assert Kind.UNSOUND in corpus.possible_kinds(Verdict.ACCEPTS, Outcome.CONVERGES, rejected, wrong)


def _write(folder: Path, record: object, text: str = DIVERGES) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "shader.wgsl").write_text(text)
    (folder / "case.json").write_bytes(orjson.dumps(record))
    return folder


def _with(path: tuple[str, ...], value: object) -> dict[str, Any]:
    record: dict[str, Any] = orjson.loads(orjson.dumps(SOUND))
    place = record
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return record


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        (("why",), " ", "'why' holds no text"),
        (("isue",), "x", "unknown key 'isue'"),
        (("issue",), "5100", "'issue' is not a URL: '5100'"),
        (("expected",), {}, "'expected' is not of the form"),
        (("expected",), {"peper": "rejects"}, "'expected' names no rule set of WGSL: 'peper'"),
        (("expected",), {"wgsl": "uniform"}, "'expected: wgsl' is 'uniform', not one of accepts, rejects"),
        (("expected",), {"wgsl": "invalid"}, "'expected' is 'invalid'"),
        (("verdicts", "a@1"), "yes", "'verdicts: a@1' is 'yes', not one of accepts, rejects, invalid"),
        (("verdicts", "a@1"), "accepts", "a@1 accepts and so disagrees: it needs a kind (unsound)"),
        (("verdicts", "b@1", "kind"), "too-lenient", "b@1 accepts: that is not too-lenient"),
        (("verdicts", "b@1", "kind"), None, "'verdicts: b@1: kind' is None"),
        (("verdicts", "b@1", "second"), "rejects", "verdicts: b@1: unknown key 'second'"),
        (("verdicts", "b@1"), {"verdict": "rejects", "kind": "unsound"}, "b@1 agrees: write 'rejects' and no more"),
    ],
)
def test_each_fault_is_one_line(tmp_path: Path, path: tuple[str, ...], value: object, fault: str) -> None:
    with pytest.raises(Problem) as problem:
        corpus.load_case(_write(tmp_path / "a", _with(path, value)))
    assert fault in problem.value.message
    assert problem.value.message.count("\n") == 0
    assert str(tmp_path / "a" / "case.json") in problem.value.message


def test_faults_of_all_cases_are_told_at_once(tmp_path: Path) -> None:
    _write(tmp_path / "a", SOUND | {"origin": " ", "why": "", "issue": "none"})
    _write(tmp_path / "b", SOUND)
    _write(tmp_path / "c", [])
    with pytest.raises(Problem) as problem:
        corpus.load_cases(tmp_path)
    lines = problem.value.message.splitlines()
    assert sum(f"{tmp_path / 'a'}" in line for line in lines) == 3
    assert any("it is no JSON object" in line for line in lines)
    assert not any(str(tmp_path / "b") in line for line in lines)


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda f: (f / "shader.wgsl").unlink(), "cannot read"),
        (lambda f: (f / "case.json").write_text("{"), "is not JSON"),
        (lambda f: (f / "shader.wgsl").write_bytes(b"\xff"), "not UTF-8"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, spoil: Callable[[Path], object], fault: str) -> None:
    spoil(_write(tmp_path, SOUND))
    with pytest.raises(Problem, match=fault):
        corpus.load_case(tmp_path)


# ------------------------------------------------------------------------------------------------------- exporting


def _finding(folder: Path, texts: dict[str, str], **record: object) -> Finding:
    given = {"describes": "drawn.wgsl", "seed": 7, "index": 3, "cause": {"departures": [TEN_A]}}
    return Finding(read(FindingRecord, given | record), texts, folder)


def test_a_finding_becomes_a_case_with_its_text(tmp_path: Path) -> None:
    found = _finding(
        tmp_path,
        {"drawn.wgsl": UNIFORM, "reduced.wgsl": SPELLED},
        describes="reduced.wgsl",
        kind="unsound",
        target="tint@1",
        verdicts={"wgsl": "rejects", "tint@1": "accepts", "tint@2": "rejects", "naga@1": "accepts"},
    )
    said = {"name": "mine", "why": "it diverges", "issue": "https://example.org/1"}
    case = corpus.load_case(corpus.export_case(found, tmp_path / "corpus", **said))
    assert case.text == SPELLED
    assert {name: getattr(case, name) for name in said} == said
    assert (case.expected, case.outcome) == (Verdict.REJECTS, Outcome.DIVERGES)
    assert case.verdicts == {
        "tint@1": RecordedVerdict(Verdict.ACCEPTS, None, Kind.UNSOUND, Cause((TEN_A,))),
        "tint@2": RecordedVerdict(Verdict.REJECTS),
        "naga@1": RecordedVerdict(Verdict.ACCEPTS, None, Kind.UNSOUND),
    }
    assert "seed 7" in case.origin


@pytest.mark.parametrize(
    ("kind", "related", "second"),
    [
        ("unstable", DIVERGES, ("plain.wgsl", Verdict.REJECTS)),
        ("metamorphic", UNIFORM, ("related.wgsl", Verdict.ACCEPTS)),
    ],
)
def test_a_finding_of_two_texts_keeps_both(tmp_path: Path, kind: str, related: str, second: tuple[Any, ...]) -> None:
    verdicts = {"wgsl": "rejects", "tint@1": "accepts", "tint@2": "accepts"}
    more: dict[str, Any] = {"verdicts": verdicts, "related verdicts": {"tint@1": "rejects"}, "cause": {"told": "x"}}
    found = _finding(tmp_path, {"drawn.wgsl": SPELLED, "related.wgsl": related}, kind=kind, target="tint@1", **more)
    case = corpus.load_case(corpus.export_case(found, tmp_path, name="mine", why="two verdicts"))
    assert case.second == corpus.SecondText(second[0], related, second[1])
    said = RecordedVerdict(Verdict.ACCEPTS, Verdict.REJECTS, Kind(kind), Cause(told="x"))
    assert case.verdicts == {"tint@1": said}


def test_nothing_is_overwritten_and_nothing_made_of_what_is_no_shader(tmp_path: Path) -> None:
    found = _finding(tmp_path, {"drawn.wgsl": UNIFORM}, kind="hang", target="t", cause={"told": "x"}, verdicts={})
    corpus.export_case(found, tmp_path, name="mine", why="x")
    with pytest.raises(Problem, match="already there"):
        corpus.export_case(found, tmp_path, name="mine", why="x")
    with pytest.raises(Problem, match="no name for a case"):
        corpus.export_case(found, tmp_path, name="../up", why="x")
    assert not (tmp_path.parent / "up").exists()
    broken = _finding(tmp_path, {"drawn.wgsl": "fn"}, kind="hang", target="t", cause={"told": "x"}, verdicts={})
    with pytest.raises(Problem, match="no text that its reference knows"):
        corpus.export_case(broken, tmp_path, name="other", why="x")
    assert not (tmp_path / "other").exists()
