"""The regression corpus: a folder per case, as corpus/README.md says.

    NAME/shader.wgsl    the text
    NAME/plain.wgsl     the same shader in its plain spelling, if the case is about spellings
    NAME/related.wgsl   or a shader with a known relation to it, if the case is about that
    NAME/case.json      what each oracle was last confirmed to say, and why

A case that is not as it should be is a Problem with a line for each fault.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.files import make_folder, read_text, without_folders, write_bytes
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.known import URL
from wgsl_fuzz.fuzz.findings.records import RELATED, SHADER, CaseRecord, RecordedVerdict
from wgsl_fuzz.fuzz.findings.schema import RecordError, from_json, read, to_json
from wgsl_fuzz.fuzz.judging.judge import kind_of
from wgsl_fuzz.fuzz.judging.kinds import Cause, Kind
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS
from wgsl_fuzz.oracle.rules.analyses import SECTION_4_2
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2, WGSL_RULE_SETS
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolve import resolve

CASE, PLAIN = "case.json", "plain.wgsl"

STATIC = (Verdict.ACCEPTS, Verdict.REJECTS)
"""The verdicts that an analysis has for a shader."""
VERDICTS = {v.value: v for v in Verdict}

_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")


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
    outcome: Outcome | None
    """The semantics'; None where it cannot run the text."""
    verdicts: Mapping[str, RecordedVerdict]
    """By the target's name, with its version."""
    issue: str | None = None
    second: SecondText | None = None
    rules: str = SECTION_15_2
    """The rule set that is the reference."""
    ours: bool = True
    """Whether our own oracles are held against what is recorded of them, too."""
    filed: bool = True
    """Whether anything is recorded of the text; if not, what our oracles say of it today counts."""
    file: str = SHADER
    """The name of the text's file."""
    label: str = ""
    """The name of what is no case of its own."""

    @property
    def name(self) -> str:
        """The folder's name, or its own."""
        return self.label or self.folder.name

    @property
    def path(self) -> Path:
        """The text's file."""
        return self.folder / self.file

    @property
    def texts(self) -> dict[str, str]:
        """Its text, and the second if it has one, by the name of the file."""
        return {self.file: self.text} | ({} if self.second is None else {self.second.file: self.second.text})

    @property
    def is_tiny(self) -> bool:
        """Whether the text is TinyWGSL, and so known to be valid."""
        return is_tiny(self.text)


def plain_case(path: Path, name: str) -> CorpusCase:
    """A WGSL file of which nothing is recorded. Raises Problem."""
    case = CorpusCase(path.parent, read_text(path), "", "", Verdict.UNSUPPORTED, None, {}, ours=False, filed=False)
    return replace(case, file=path.name, label=name)


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
        record = read(CaseRecord, from_json(read_text(folder / CASE)), strict=True)
    except RecordError as error:
        raise Problem(error.about(folder / CASE)) from error
    other = next((name for name in (PLAIN, RELATED) if (folder / name).exists()), None)
    faults = list(_faults(record, other))
    if not faults:
        case = _case(folder, text, record, other)
        faults = [fault for name, said in case.verdicts.items() if (fault := _misjudged(case, name, said))]
    if faults:
        raise Problem("\n".join(f"{folder / CASE}: {fault}" for fault in faults))
    return case


def write_case(case: CorpusCase) -> Path:
    """Writes a case's folder, over what is there, and reads it back; raises Problem."""
    _check_name(case.name)
    make_folder(case.folder)
    write_bytes(case.folder / SHADER, case.text.encode())
    if case.second is not None:
        write_bytes(case.folder / case.second.file, case.second.text.encode())
    # The record makes a folder a case, so it comes last.
    write_bytes(case.folder / CASE, to_json(record_of(case)))
    load_case(case.folder)
    return case.folder


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise Problem(f"{name!r} is no name for a case: it is made of a-z, 0-9, `-` and `.`")


def export_case(finding: Finding, folder: Path, *, name: str, why: str, issue: str | None = None) -> Path:
    """Writes a stored finding as the case `folder/name` and answers with that folder; raises Problem.

    The texts are kept letter by letter. The reference and the semantics are asked anew; what targets say is as found.
    """
    _check_name(name)
    if (folder / name).exists():
        raise Problem(f"{folder / name} is already there: give the case another name")
    case, other = _sound(finding, finding.case()), finding.related
    second = None
    if other is not None and finding.kind is Kind.UNSTABLE:
        second = SecondText(PLAIN, other.text, case.verdict)
    elif other is not None and finding.kind is Kind.METAMORPHIC:
        second = SecondText(RELATED, other.text, _sound(finding, other).verdict)
    place = finding.record.place
    where = place.file_elsewhere or f"shader {place.index} of seed {place.seed}"
    origin = without_folders(f"found by wgsl-fuzz against {finding.target}: {where}", finding.known_paths)
    case.execute()
    outcome = case.outcome
    its = {finding.target: (finding.kind, finding.record.cause)}
    verdicts = {
        target: classified(
            said, case.verdict, outcome, second, *its.get(target, (None, None)), valid=case.core is not None
        )
        for target, said in _words_of(finding, second).items()
    }
    return write_case(
        CorpusCase(
            folder / name, finding.text, origin, why, case.verdict, outcome, verdicts, issue, second, case.reference
        )
    )


def _sound(found: Finding, case: Case) -> Case:
    """A text of a finding, judged by the finding's reference."""
    if case.problem:
        raise Problem(f"{found.folder} holds no text that its reference knows: {case.problem}")
    return replace(case, notion=CONTROL_STACKS)  # a case's outcome is by the paper's notion, whatever the run's is


def _words_of(found: Finding, second: SecondText | None) -> dict[str, RecordedVerdict]:
    """What the finding's record has targets say; of two texts only those count that have seen both."""
    words = {
        n: VERDICTS[w]
        for n, w in found.record.verdicts.items()
        if n not in (SECTION_4_2, SECTION_15_2) and w in VERDICTS
    }
    if second is None:
        return {name: RecordedVerdict(word) for name, word in words.items()}
    related = found.record.related_verdicts or {}
    both = [name for name in words if related.get(name) in VERDICTS]
    return {name: RecordedVerdict(words[name], VERDICTS[related[name]]) for name in both}


def classified(
    said: RecordedVerdict,
    expected: Verdict,
    outcome: Outcome | None,
    second: SecondText | None,
    kind: Kind | None,
    cause: Cause | None,
    *,
    valid: bool = False,
) -> RecordedVerdict:
    """A target's words with the kind that they are: `kind` if they can be, with its cause, else the most severe."""
    possible = possible_kinds(expected, outcome, second, said, valid=valid)
    if kind in possible:
        return replace(said, kind=kind, cause=cause)
    return replace(said, kind=next((k for k in Kind if k in possible), None), cause=None)


def record_of(case: CorpusCase) -> CaseRecord:
    """What the case's case.json holds."""
    related = case.second if case.second is not None and case.second.file == RELATED else None
    agreeing = None if case.second is None else case.second.expected
    return CaseRecord(
        origin=case.origin,
        why=case.why,
        issue=case.issue,
        expected={case.rules: case.expected},
        outcome=case.outcome,
        related=None if related is None else {case.rules: related.expected},
        verdicts={
            name: said if said.kind or said.second is not agreeing else said.verdict
            for name, said in sorted(case.verdicts.items())
        },
    )


def possible_kinds(
    expected: Verdict,
    outcome: Outcome | None,
    second: SecondText | None,
    recorded: RecordedVerdict,
    *,
    valid: bool = False,
) -> set[Kind]:
    """The kinds that a target's verdicts on a case's texts can have; empty if it agrees.

    The reference is no type checker, and old builds do not know all of WGSL: INVALID is nothing unless the text is
    known to be `valid`.
    """

    def kind(reference: Verdict, verdict: Verdict, diverges: bool) -> set[Kind]:
        if not valid and verdict is Verdict.INVALID:
            return set()
        found = kind_of(reference, Answer(verdict), lambda: diverges)
        return set() if found is None else {found}

    kinds = kind(expected, recorded.verdict, outcome is Outcome.DIVERGES)
    if second is None or recorded.second is None:
        return kinds
    if second.file == PLAIN:
        kinds |= kind(expected, recorded.second, outcome is Outcome.DIVERGES)
        differs = recorded.second is not recorded.verdict
        answered = Verdict.UNSUPPORTED not in (recorded.second, recorded.verdict)
        return kinds | ({Kind.UNSTABLE} if differs and answered else set())
    # Nobody ran the related shader: where it is accepted wrongly, either kind may be recorded.
    kinds |= kind(second.expected, recorded.second, False)
    kinds |= kind(second.expected, recorded.second, outcome is not None and second.expected is Verdict.REJECTS)
    return kinds | ({Kind.METAMORPHIC} if kinds else set())


def _faults(record: CaseRecord, other: str | None) -> Iterator[str]:
    """What the types of a record do not say: a line for everything that is not as it should be."""
    yield from (f"{name!r} holds no text" for name in ("origin", "why") if not getattr(record, name).strip())
    if record.issue is not None and not URL.fullmatch(record.issue):
        yield f"'issue' is not a URL: {record.issue!r}"
    yield from _faults_of_rules("expected", record.expected)
    if other != RELATED and record.related is not None:
        yield "unknown key 'related'"
    elif other == RELATED:
        yield from _faults_of_rules("related", record.related or {})
        if record.related and record.related.keys() != record.expected.keys():
            ours, theirs = ", ".join(record.expected), ", ".join(record.related)
            yield f"'related' is by {theirs!r}, 'expected' by {ours!r}"
    for name, said in record.verdicts.items():
        if isinstance(said, Verdict):
            continue
        # INVALID may be no finding, and UNSUPPORTED is none at all: what is possible is checked with the texts.
        if said.kind is None and said.second is None:
            yield f"'verdicts: {name}: kind' is None, not one of {', '.join(kind.value for kind in Kind)}"
        if other is None and said.second is not None:
            yield f"verdicts: {name}: unknown key 'second'"
        elif other is not None and said.second is None:
            yield f"'verdicts: {name}: second' is None, not one of {', '.join(VERDICTS)}"


def _faults_of_rules(key: str, verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    """Whether it is one verdict, by one rule set."""
    if len(verdicts) != 1:
        yield f'{key!r} is not of the form {{"{SECTION_15_2}": "accepts"}}'
    for rules, verdict in verdicts.items():
        if rules not in WGSL_RULE_SETS:
            yield f"{key!r} names no rule set of WGSL: {rules!r}; known: {', '.join(WGSL_RULE_SETS)}"
        if verdict not in STATIC:
            yield f"{key!r} is {verdict.value!r}, not one of {', '.join(v.value for v in STATIC)}"


def _case(folder: Path, text: str, record: CaseRecord, other: str | None) -> CorpusCase:
    """The case of a record without faults; `other` is the name of its second text."""
    ((rules, expected),) = record.expected.items()
    second = None
    if other is not None:
        second = SecondText(other, read_text(folder / other), (record.related or record.expected)[rules])
    agreeing = None if second is None else second.expected
    verdicts = {
        name: RecordedVerdict(said, agreeing) if isinstance(said, Verdict) else said
        for name, said in record.verdicts.items()
    }
    why, outcome = record.why, record.outcome
    return CorpusCase(folder, text, record.origin, why, expected, outcome, verdicts, record.issue, second, rules)


@lru_cache(maxsize=512)
def is_tiny(text: str) -> bool:
    """Whether a text is TinyWGSL."""
    with suppress(WgslError):
        return core_of(resolve(parse(text))).shader is not None
    return False


def _misjudged(case: CorpusCase, name: str, said: RecordedVerdict) -> str:
    """What is wrong with a target's kind, by the verdicts that it is about; empty if nothing is."""
    valid, word = Verdict.INVALID in (said.verdict, said.second) and case.is_tiny, said.verdict.value
    possible = possible_kinds(case.expected, case.outcome, case.second, said, valid=valid)
    if said.kind is None and possible:
        kinds = " or ".join(sorted(kind.value for kind in possible))
        return f"{name} {word} and so disagrees: it needs a kind ({kinds})"
    if said.kind is not None and not possible:
        return f"{name} agrees: write {word!r} and no more"
    return "" if said.kind is None or said.kind in possible else f"{name} {word}: that is not {said.kind.value}"
