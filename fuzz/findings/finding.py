"""A finding with its texts: from the moment it is filed until somebody reads of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from wgsl_fuzz.fuzz.cases.case import SEMANTICS, Case, read_case
from wgsl_fuzz.fuzz.cases.plan import shader_seed
from wgsl_fuzz.fuzz.findings.records import DRAWN, NEAREST, REDUCED, RELATED, FindingRecord
from wgsl_fuzz.fuzz.findings.schema import RecordError, from_json, read
from wgsl_fuzz.fuzz.internal_errors import FAULT, FAULTS, described
from wgsl_fuzz.fuzz.judging.account import FindingAccount, account_of
from wgsl_fuzz.fuzz.judging.certainty import FEWEST, Certainty, certainty_of
from wgsl_fuzz.fuzz.judging.kinds import BucketKey, Kind
from wgsl_fuzz.oracle.targets.protocol import split_name
from wgsl_fuzz.oracle.verdict import Outcome, Verdict

TEXTS = (DRAWN, REDUCED, RELATED, NEAREST)
"""All that a finding's folder may hold beside its record: other names, a path say, are nobody's."""


@dataclass
class Finding:
    """A saved finding; its texts are parsed when they are asked for, each once."""

    record: FindingRecord
    files: Mapping[str, str]
    """Its texts by the names of their files."""
    folder: Path = Path()
    """Where the copy for people is."""
    number: int = 0
    nth: int = 1
    """Its place in its raw bucket, as drawn."""
    count: int = 1
    """For how many saved findings it stands: in a history, for all of its class."""
    specs: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """What opens its targets that go by a name of the user's, by that name."""
    cases: dict[str, Case] = field(default_factory=dict, repr=False, compare=False)
    """Its texts that were parsed, by the names of their files. They stay in the process."""

    def __getstate__(self) -> dict[str, object]:
        return self.__dict__ | {"cases": {}}

    @property
    def kind(self) -> Kind:
        """Its kind."""
        return self.record.kind

    @property
    def target(self) -> str:
        """The oracle that it is about."""
        return self.record.target

    @property
    def key(self) -> BucketKey:
        """Its raw bucket."""
        return self.record.bucket

    @property
    def fine(self) -> BucketKey:
        """Its fine bucket; the raw one if it was never reduced."""
        return self.key.with_left(self.record.left)

    @property
    def forms(self) -> tuple[str, ...]:
        """The surface forms that its text uses and its plain print does not, if they are known."""
        return self.record.forms or ()

    @property
    def is_reduced(self) -> bool:
        """Whether its record is about the reduced shader."""
        return self.record.describes == REDUCED

    @property
    def rank(self) -> tuple[int, bool, int, int]:
        """What orders findings, the one to look at first: severe ones, then reduced ones, then small ones."""
        statements = self.record.statements.shown or self.text.count("\n")
        return list(Kind).index(self.kind), not self.is_reduced, statements, len(self.text)

    @property
    def known_paths(self) -> list[str]:
        """The files of this machine that its record names: compilers, and the shader's own."""
        opened = [split_name(name)[1] for name in (self.target, *self.record.targets, *self.specs.values())]
        paths = [opens.partition(":")[2] or opens for opens in opened]
        return [path for path in (*paths, self.record.place.file) if path]

    @property
    def text(self) -> str:
        """The shader that the record describes: the reduced one if there is one."""
        return self.files[self.record.describes]

    def case(self, name: str | None = None) -> Case:
        """The text of this file, by default the one that the record describes, with the tree and its places."""
        name = name or self.record.describes
        if name not in self.cases:
            record, place = self.record, self.record.place
            # Of the run's stores and schedules.
            seed = 0 if place.index is None else shader_seed(place.seed or 0, place.index)
            forms = record.first.forms if name == DRAWN else record.forms
            spelled = name != RELATED and (forms is not None or record.cause.is_about_spelling)
            self.cases[name] = read_case(self.files.get(name, ""), record.notion, seed=seed, spelled=spelled)
        return self.cases[name]

    def judged(self) -> Iterator[tuple[str, Verdict]]:
        """The names of its texts that reference and target accept or reject, and what the target says of each."""
        told = [(self.record.describes, self.record.verdicts)]
        if self.kind is Kind.METAMORPHIC and RELATED in self.files:
            told.append((RELATED, self.record.related_verdicts or {}))
        for name, verdicts in told:
            case, said = self.case(name), verdicts.get(self.target)
            if case.is_read and {said, case.verdict.value} <= {Verdict.ACCEPTS.value, Verdict.REJECTS.value}:
                yield name, Verdict(said)

    @property
    def account(self) -> FindingAccount:
        """What there is to say of it in words; names the internal error if explaining fails."""
        record = self.record
        said = record.verdicts.get(SEMANTICS)
        try:
            told = account_of(self.case(), record.found, None if said is None else Outcome(said))
            sure = certainty_of(record.target, record.kind, record.cause, record.fit)
            asked = 0 if record.fit is None else record.fit.asked
            is_refuted = sure is Certainty.UNKNOWN and asked >= FEWEST and record.cause.explains
            return replace(told, departures=()) if is_refuted else told
        except FAULTS as fault:
            return FindingAccount(f"{self.target}: {self.kind.value}.", (FAULT.format(described(fault)),))

    @property
    def related(self) -> Case | None:
        """The other text of a finding with two, for the oracles."""
        return self.case(RELATED) if RELATED in self.files else None


def finding_of(record: object, files: object) -> Finding:
    """A finding as a state has it; raises RecordError if that is none."""
    if not isinstance(record, bytes) or not isinstance(files, bytes | str):
        raise RecordError("it is no finding")
    texts = from_json(files)
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise RecordError("'files' is not an object of texts")
    if unknown := texts.keys() - set(TEXTS):
        raise RecordError(f"'files' has {sorted(unknown)[0]!r}")
    found = read(FindingRecord, from_json(record))
    if not texts.get(found.describes):
        raise RecordError(f"there is no {found.describes}")
    return Finding(found, texts)
