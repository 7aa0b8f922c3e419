"""The regression corpus: a folder per case, as corpus/README.md says.

    NAME/shader.wgsl    the text
    NAME/plain.wgsl     the same shader in its plain spelling, if the case is about spellings
    NAME/related.wgsl   or a shader with a known relation to it, if the case is about that
    NAME/case.json      what each oracle was last confirmed to say, and why

A case that is not as it should be is a Problem with a line for each fault.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import orjson

from fuzz.cases.case import Case
from fuzz.files import read_text, write_bytes
from fuzz.findings.known import URL
from fuzz.findings.loading import StoredFinding
from fuzz.judging.answers import examine
from fuzz.judging.judge import Kind, kind_of
from fuzz.problems import Problem
from fuzz.shipped import corpus_folder
from oracle.rules.analyses import ANALYSES, REFERENCE
from oracle.verdict import Answer, Outcome, Verdict

CASE, SHADER, PLAIN, RELATED = "case.json", "shader.wgsl", "plain.wgsl", "related.wgsl"

STATIC = {v.value: v for v in (Verdict.ACCEPTS, Verdict.REJECTS)}
"""The words that an analysis has for a shader."""
VERDICTS = {v.value: v for v in Verdict}
OUTCOMES = {o.value: o for o in Outcome}
KINDS = {k.value: k for k in Kind}

_T = TypeVar("_T")
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")
_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """What one target was last confirmed to say; `kind` and `bucket` (the raw key) only where it disagrees."""

    verdict: Verdict
    second: Verdict | None = None
    """Of the case's second text, if it has one."""
    kind: Kind | None = None
    bucket: str | None = None


@dataclass(frozen=True, slots=True)
class SecondText:
    """A case's other text: `file` is plain.wgsl or related.wgsl, `expected` the reference's verdict on it."""

    file: str
    text: str
    expected: Verdict


@dataclass(frozen=True, slots=True)
class CorpusCase:
    """One case as recorded."""

    folder: Path
    text: str
    origin: str
    why: str
    expected: Verdict
    """The reference's verdict."""
    outcome: Outcome
    """The semantics'."""
    verdicts: Mapping[str, RecordedVerdict]
    """By the target's name, with its version."""
    issue: str | None = None
    second: SecondText | None = None
    rules: str = REFERENCE
    """The rule set that is the reference."""

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name


def load_cases(folder: Path | None = None) -> list[CorpusCase]:
    """All cases in a folder, by name, or the one case that it is; raises one Problem for all that are at fault."""
    folder = corpus_folder() if folder is None else folder
    if not folder.is_dir():
        raise Problem(f"there is no corpus in {folder}")
    paths = [folder / CASE] if (folder / CASE).exists() else sorted(folder.glob(f"*/{CASE}"))
    cases: list[CorpusCase] = []
    faults: list[str] = []
    for path in paths:
        try:
            cases.append(load_case(path.parent))
        except Problem as problem:
            faults.append(problem.message)
    if faults:
        raise Problem("\n".join(faults))
    return cases


def load_case(folder: Path) -> CorpusCase:
    """The case in one folder; raises Problem."""
    text = read_text(folder / SHADER)
    try:
        record = orjson.loads(read_text(folder / CASE))
    except orjson.JSONDecodeError as error:
        raise Problem(f"{folder / CASE} is not JSON: {error}") from error
    other = next((name for name in (PLAIN, RELATED) if (folder / name).exists()), None)
    reader = _Reader(record, other)
    case = reader.case(folder, text, None if other is None else read_text(folder / other))
    if reader.faults:
        raise Problem("\n".join(f"{folder / CASE}: {fault}" for fault in reader.faults))
    return case


def write_case(case: CorpusCase) -> Path:
    """Writes a case's folder, over what is there, and reads it back; raises Problem."""
    _check_name(case.name)
    try:
        case.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Problem(f"cannot write to {case.folder}: {error.strerror}") from error
    write_bytes(case.folder / SHADER, case.text.encode())
    if case.second is not None:
        write_bytes(case.folder / case.second.file, case.second.text.encode())
    # The record makes a folder a case, so it comes last.
    write_bytes(case.folder / CASE, orjson.dumps(record_of(case), option=_OPTIONS))
    load_case(case.folder)
    return case.folder


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise Problem(f"{name!r} is no name for a case: it is made of a-z, 0-9, `-` and `.`")


def export_case(found: StoredFinding, folder: Path, *, name: str, why: str, issue: str | None = None) -> Path:
    """Writes a stored finding as the case `folder/name` and answers with that folder; raises Problem.

    The texts are kept letter by letter. The reference and the semantics are asked anew; what targets say is as found.
    """
    _check_name(name)
    if (folder / name).exists():
        raise Problem(f"{folder / name} is already there: give the case another name")
    case = _examined(found.text, found.folder)
    other = found.file(RELATED)
    second = None
    if other is not None and found.kind is Kind.UNSTABLE:
        second = SecondText(PLAIN, other, case.verdict)
    elif other is not None and found.kind is Kind.METAMORPHIC:
        second = SecondText(RELATED, other, _examined(other, found.folder).verdict)
    place = f"shader {found.record.get('index')} of seed {found.record.get('seed')}"
    origin = f"found by wgsl-fuzz against {found.target}: {place}"
    outcome = case.execution.outcome
    its = {found.target: (found.kind, found.key)}
    verdicts = {
        target: classified(said, case.verdict, outcome, second, *its.get(target, (None, None)))
        for target, said in _words_of(found, second).items()
    }
    return write_case(
        CorpusCase(folder / name, found.text, origin, why, case.verdict, outcome, verdicts, issue, second)
    )


def _examined(text: str, where: Path) -> Case:
    examined = examine(text)
    if examined.case is None:
        raise Problem(f"{where} holds no TinyWGSL: {examined.message}")
    return examined.case


def _words_of(found: StoredFinding, second: SecondText | None) -> dict[str, RecordedVerdict]:
    """What the finding's record has targets say; of two texts only its own target is known to have seen both."""
    words = {n: VERDICTS[w] for n, w in found.record.get("verdicts", {}).items() if n != REFERENCE and w in VERDICTS}
    if second is None:
        return {name: RecordedVerdict(word) for name, word in words.items()}
    related = (found.record.get("related verdicts") or {}).get(found.target)
    if found.target not in words or related not in VERDICTS:
        return {}
    return {found.target: RecordedVerdict(words[found.target], VERDICTS[related])}


def classified(
    said: RecordedVerdict,
    expected: Verdict,
    outcome: Outcome,
    second: SecondText | None,
    kind: Kind | None,
    bucket: str | None,
) -> RecordedVerdict:
    """A target's words with the kind that they are: `kind` if they can be, with its bucket, else the most severe."""
    possible = possible_kinds(expected, outcome, second, said)
    if kind in possible:
        return replace(said, kind=kind, bucket=bucket)
    return replace(said, kind=next((k for k in Kind if k in possible), None), bucket=None)


def record_of(case: CorpusCase) -> dict[str, Any]:
    """What the case's case.json holds."""
    record: dict[str, Any] = {"origin": case.origin, "why": case.why}
    if case.issue is not None:
        record["issue"] = case.issue
    record |= {"expected": {case.rules: case.expected.value}, "outcome": case.outcome.value}
    if case.second is not None and case.second.file == RELATED:
        record["related"] = {case.rules: case.second.expected.value}
    return record | {"verdicts": {name: _said(recorded) for name, recorded in sorted(case.verdicts.items())}}


def _said(recorded: RecordedVerdict) -> str | dict[str, str]:
    if recorded.kind is None:
        return recorded.verdict.value
    said = {"verdict": recorded.verdict.value}
    if recorded.second is not None:
        said["second"] = recorded.second.value
    said["kind"] = recorded.kind.value
    return said if recorded.bucket is None else said | {"bucket": recorded.bucket}


def possible_kinds(
    expected: Verdict, outcome: Outcome, second: SecondText | None, recorded: RecordedVerdict
) -> set[Kind]:
    """The kinds that a target's verdicts on a case's texts can have; empty if it agrees."""

    def kind(reference: Verdict, verdict: Verdict, diverges: bool) -> set[Kind]:
        found = kind_of(reference, Answer(verdict), lambda: diverges)
        return set() if found is None else {found}

    kinds = kind(expected, recorded.verdict, outcome is Outcome.DIVERGES)
    if second is None or recorded.second is None:
        return kinds
    if second.file == PLAIN:
        kinds |= kind(expected, recorded.second, outcome is Outcome.DIVERGES)
        return kinds | ({Kind.UNSTABLE} if recorded.second is not recorded.verdict else set())
    # Nobody ran the related shader: where it is accepted wrongly, either kind may be recorded.
    kinds |= kind(second.expected, recorded.second, False)
    kinds |= kind(second.expected, recorded.second, second.expected is Verdict.REJECTS)
    return kinds | ({Kind.METAMORPHIC} if kinds else set())


class _Reader:
    """Reads a record strictly: `faults` gets a line for everything that is not as it should be."""

    def __init__(self, record: object, other: str | None) -> None:
        self.faults: list[str] = []
        self._other = other
        if not isinstance(record, dict):
            self.faults.append("it is not an object")
            record = {}
        self._record: dict[str, Any] = record
        known = {"origin", "why", "issue", "expected", "outcome", "verdicts"}
        known |= {"related"} if other == RELATED else set()
        self.faults += [f"unknown key {key!r}" for key in sorted(self._record.keys() - known)]

    def case(self, folder: Path, text: str, other_text: str | None) -> CorpusCase:
        """The case; without meaning if there are faults."""
        origin, why = self._words("origin"), self._words("why")
        rules, expected = self._verdict_by_rules("expected", REFERENCE)
        outcome = self._one_of(self._record.get("outcome"), OUTCOMES, "outcome") or Outcome.NOT_SEEN
        second = None
        if other_text is not None and self._other is not None:
            related = self._verdict_by_rules("related", rules)[1] if self._other == RELATED else expected
            second = SecondText(self._other, other_text, related)
        sound = not self.faults  # else what follows from them would be told as well
        verdicts = self._verdicts(second)
        for name, recorded in verdicts.items() if sound else ():
            self._check(name, recorded, possible_kinds(expected, outcome, second, recorded))
        return CorpusCase(folder, text, origin, why, expected, outcome, verdicts, self._issue(), second, rules)

    def _words(self, key: str) -> str:
        value = self._record.get(key)
        if isinstance(value, str) and value.strip():
            return value
        self.faults.append(f"{key!r} is missing" if value is None else f"{key!r} holds no text")
        return ""

    def _issue(self) -> str | None:
        value = self._record.get("issue")
        if value is None and "issue" not in self._record:
            return None
        if isinstance(value, str) and URL.fullmatch(value):
            return value
        self.faults.append(f"'issue' is not a URL: {value!r}")
        return None

    def _verdict_by_rules(self, key: str, default: str) -> tuple[str, Verdict]:
        value = self._record.get(key)
        if not isinstance(value, dict) or len(value) != 1:
            self.faults.append(f'{key!r} is not of the form {{"{default}": "accepts"}}')
            return default, Verdict.ACCEPTS
        ((rules, word),) = value.items()
        if rules not in ANALYSES:
            self.faults.append(f"{key!r} names no rule set: {rules!r}; known: {', '.join(ANALYSES)}")
        elif key == "related" and rules != default:
            self.faults.append(f"'related' is by {rules!r}, 'expected' by {default!r}")
        return rules, self._one_of(word, STATIC, key) or Verdict.ACCEPTS

    def _one_of(self, word: object, words: Mapping[str, _T], where: str) -> _T | None:
        found = words.get(word) if isinstance(word, str) else None
        if found is None:
            self.faults.append(f"{where!r} is {word!r}, not one of {', '.join(words)}")
        return found

    def _verdicts(self, second: SecondText | None) -> dict[str, RecordedVerdict]:
        given = self._record.get("verdicts")
        if not isinstance(given, dict):
            self.faults.append("'verdicts' is not an object from targets to what they say")
            return {}
        return {name: recorded for name, said in given.items() if (recorded := self._recorded(name, said, second))}

    def _recorded(self, name: str, said: object, second: SecondText | None) -> RecordedVerdict | None:
        if not isinstance(said, dict):
            verdict = self._one_of(said, VERDICTS, name)
            return None if verdict is None else RecordedVerdict(verdict, None if second is None else second.expected)
        before = len(self.faults)
        known = {"verdict", "kind", "bucket"} | (set() if second is None else {"second"})
        self.faults += [f"{name}: unknown key {key!r}" for key in sorted(said.keys() - known)]
        verdict = self._one_of(said.get("verdict"), VERDICTS, f"{name}: verdict")
        kind = self._one_of(said.get("kind"), KINDS, f"{name}: kind")
        other = None if second is None else self._one_of(said.get("second"), VERDICTS, f"{name}: second")
        bucket = said.get("bucket")
        if not (bucket is None or (isinstance(bucket, str) and bucket.startswith(f"{name} "))):
            self.faults.append(f"{name}: the bucket {bucket!r} is not one of this target")
        return RecordedVerdict(verdict, other, kind, bucket) if verdict and len(self.faults) == before else None

    def _check(self, name: str, recorded: RecordedVerdict, possible: set[Kind]) -> None:
        """The kind against the verdicts that it is about."""
        word = recorded.verdict.value
        if recorded.kind is None and possible:
            kinds = " or ".join(sorted(kind.value for kind in possible))
            self.faults.append(f"{name} {word} and so disagrees: it needs a kind ({kinds})")
        elif recorded.kind is not None and not possible:
            self.faults.append(f"{name} agrees: write {word!r} and no more")
        elif recorded.kind is not None and recorded.kind not in possible:
            self.faults.append(f"{name} {word}: that is not {recorded.kind.value}")
