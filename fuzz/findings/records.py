"""What runs store, as types: each class is the schema of a file or of a line of a log.

`fuzz.findings.schema` reads and writes them. What a class gives a default for may be missing: older versions did not
write it. The format of a run's logs is the one that its run.json names.
"""

from collections import Counter
from dataclasses import dataclass, field, fields
from pathlib import PurePath

from wgsl_fuzz.fuzz.cases.plan import Budget, Plan
from wgsl_fuzz.fuzz.findings.schema import INLINE, Record
from wgsl_fuzz.fuzz.judging.kinds import BucketKey, Cause, Disagreement, Fit, Kind
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, Notion
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict

DRAWN, REDUCED, RELATED, NEAREST = "drawn.wgsl", "reduced.wgsl", "related.wgsl", "nearest.wgsl"
"""The texts of a finding: as drawn, reduced, the other one of two, and a simpler one that does not show it."""
SHADER = "shader.wgsl"
"""The text of a case of a corpus."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ShaderOrigin:
    """Where in a run a shader comes from."""

    seed: int | None = None
    index: int | None = None
    profile: str | None = None
    relation: str | None = None
    """By which relation it was made of the shader drawn; of a metamorphic finding, the relation that is broken."""
    family: str | None = None
    number: int | None = None
    """Its place in its family, if it was enumerated."""
    file: str | None = None
    """Its file, if it was given: in the corpus, or in a folder of the user's."""

    @property
    def file_elsewhere(self) -> str | None:
        """The file as people on other machines know it: its name, of a case of a corpus with the case's."""
        if self.file is None:
            return None
        path = PurePath(self.file)
        return f"{path.parent.name}/{path.name}" if path.name == SHADER else path.name


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many statements a finding's shader has, as drawn and reduced."""

    drawn: int | None = None
    reduced: int | None = None

    @property
    def shown(self) -> int | None:
        """Those of the shader that people see; None if nobody counted."""
        return self.drawn if self.reduced is None else self.reduced


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawnRecord:
    """What a record said before its shader was reduced."""

    kind: Kind | None = None
    bucket: BucketKey | None = None
    threads: int | None = None
    forms: tuple[str, ...] | None = None
    verdicts: dict[str, str] | None = None
    related_verdicts: dict[str, str] | None = None
    message: str | None = None


@dataclass(kw_only=True, slots=True)
class FindingRecord(Record):
    """A finding's finding.json, which also has its `bucket`."""

    version: str | None = None
    kind: Kind
    target: str
    cause: Cause = field(default_factory=Cause)
    reference: str = SECTION_15_2
    """The rules that decide; `none` for a text that no reference judges."""
    place: ShaderOrigin = field(default_factory=ShaderOrigin, metadata=INLINE)
    describes: str = DRAWN
    """The text that all of this is about."""
    unreduced: str | None = None
    """Why it is not reduced, in words."""
    after: float | None = None
    """Seconds from the start of the run."""
    threads: int | None = None
    convergence: Notion | None = None
    """What counts as convergence in what is said of the semantics; None: what the paper asks."""
    targets: dict[str, str] = field(default_factory=dict)
    """The origin of each target."""
    verdicts: dict[str, str] = field(default_factory=dict)
    message: str = ""
    shared: tuple[str, ...] = ()
    """The other targets that show it on this text, too."""
    messages: dict[str, str] | None = None
    """What other targets say of this text, where they say more than a verdict; known of reduced texts."""
    statements: Sizes = Sizes()
    generator: int | None = None
    draw_again: str = ""
    forms: tuple[str, ...] | None = None
    """What the text has and its plain print has not, as words and signs; None: it is written plainly."""
    related_verdicts: dict[str, str] | None = None
    """What is said of related.wgsl."""
    reproduce: str = ""
    nearest: dict[str, tuple[str, ...]] | None = None
    """By what the nearest simpler shader `differs` that does not show it, in words."""
    branches: tuple[str, ...] | None = None
    """The branches of the rules, each by its mutant's name, that explain it."""
    fit: Fit | None = None
    """What fits its neighbours; None: it was not asked about."""
    left: tuple[str, ...] = ()
    """What is left in the reduced shader: its constructs, or what stands beside a plain one; of a fine key."""
    beside: str | None = None
    """Where no rule is the cause: the least text with which the target is wrong about a plain shader beside it."""
    words: tuple[str, ...] = ()
    """Those of that text with which the target was never right."""
    drawn: DrawnRecord | None = None

    COMPUTED = ("bucket",)

    @property
    def bucket(self) -> BucketKey:
        """Its raw bucket."""
        return BucketKey.of(self.target, self.kind, self.cause)

    @property
    def found(self) -> Disagreement:
        """What the record says of the target. Raises ValueError if that is no verdict."""
        verdicts = (self.related_verdicts or {}) if self.kind is Kind.METAMORPHIC else self.verdicts
        answer = Answer(Verdict(verdicts.get(self.target)), self.message)
        return Disagreement(self.target, self.kind, answer, self.cause)

    @property
    def has_verdict(self) -> bool:
        """Whether `found` is known."""
        try:
            return self.found is not None
        except ValueError:
            return False

    @property
    def notion(self) -> Notion:
        """What counts as convergence."""
        return self.convergence or CONTROL_STACKS

    @property
    def first(self) -> DrawnRecord:
        """What was said of the shader as drawn."""
        return self.drawn or DrawnRecord(**{one.name: getattr(self, one.name) for one in fields(DrawnRecord)})


# ---------------------------------------------------------------------------------------------------------------- runs


@dataclass(frozen=True, slots=True)
class BucketCount:
    """How many findings of a raw bucket there are, and the issue if it was known."""

    key: BucketKey = field(metadata=INLINE)
    count: int
    issue: str | None = None


@dataclass(kw_only=True, slots=True)
class RunRecord(Record):
    """The run.json of a campaign or an enumeration."""

    version: str
    """Of the project."""
    id: str | None = None
    """What tells the run from all others, wherever it is copied to."""
    date: str | None = None
    """The day on which the run began, as `2026-11-22`, in UTC."""

    generator: int | None = None
    seed: int | None = None
    profile: str | None = None
    targets: dict[str, str] = field(default_factory=dict)
    specs: dict[str, str] = field(default_factory=dict)
    """What opens a target that goes by a name of the user's, by that name."""
    finished: bool | None = None
    programs: int = 0
    seconds: float = 0.0
    reference: dict[Verdict, int] = field(default_factory=dict)
    semantics: dict[Outcome, int] = field(default_factory=dict)
    answers: dict[str, dict[Verdict, int]] = field(default_factory=dict)
    findings: dict[Kind, int] = field(default_factory=dict)
    buckets: tuple[BucketCount, ...] = ()
    known_file: str | None = None
    """The user's file of known buckets, from the root; those in it are known, too."""
    like: str | None = None
    """The build of which all that is known is known of the targets of its family."""
    plan: Plan | None = None
    budget: Budget | None = None
    without_uniformity: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    """The user's folders of shaders that are asked about first."""
    given: int = 0
    """How many shaders of these folders and of the corpus were asked about."""
    workers: dict[str, int] = field(default_factory=dict)
    """In a cluster: how many workers there were last on each host."""
    misses: int = 0
    predicted: int = 0
    """How many findings were only counted, as known departures of the target explain them."""
    faults: dict[str, int] = field(default_factory=dict)
    """Faults of wgsl-fuzz itself that the run went on from: what was raised and where, and how often."""

    @property
    def keys(self) -> Counter[BucketKey]:
        """How many findings there are of each raw bucket."""
        return Counter({one.key: one.count for one in self.buckets})

    @property
    def known(self) -> dict[BucketKey, str]:
        """The issues of those of the buckets that were known."""
        return {one.key: one.issue for one in self.buckets if one.issue is not None}


# ---------------------------------------------------------------------------------------------------------- their logs


@dataclass(kw_only=True, slots=True)
class TriageRecord(Record):
    """A run's triage.json, by the names of buckets: why some were dropped, and what number each has."""

    dropped: dict[str, str]
    numbers: dict[str, int] = field(default_factory=dict)
    findings: dict[str, int] = field(default_factory=dict)
    """The number of the bucket that each finding was in when it was last shown: names change with what is reduced."""


# ---------------------------------------------------------------------------------------------------------- the corpus


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """What one target was last confirmed to say; `kind` and `cause` only where it disagrees."""

    verdict: Verdict
    second: Verdict | None = None
    """Of the case's second text, if it has one."""
    kind: Kind | None = None
    cause: Cause | None = None

    def bucket_of(self, target: str) -> BucketKey | None:
        """The raw key; None if it is not known."""
        if self.kind is None or self.cause is None:
            return None
        return BucketKey.of(target, self.kind, self.cause)


@dataclass(kw_only=True, slots=True)
class CaseRecord(Record):
    """The case.json of a case of the corpus; what a target says is its verdict alone where it agrees."""

    origin: str
    why: str
    issue: str | None = None
    expected: dict[str, Verdict]
    """The reference's verdict, by the name of the rule set that is the reference."""
    outcome: Outcome | None = None
    """Only where the reference is for TinyWGSL: other WGSL is not executed."""
    related: dict[str, Verdict] | None = None
    """The same of related.wgsl."""
    verdicts: dict[str, Verdict | RecordedVerdict]


@dataclass(frozen=True, kw_only=True, slots=True)
class MergedRun:
    """A run of a history, in short; its state has the whole record."""

    id: str
    name: str
    """Of the folder that it was in."""
    date: str | None = None
    seed: int | None = None
    language: str | None = None
    """What was drawn; of an enumeration None."""
    programs: int = 0
    seconds: float = 0.0
    findings: int = 0
    targets: dict[str, str] = field(default_factory=dict)


@dataclass(kw_only=True, slots=True)
class HistoryRecord(RunRecord):
    """The run.json of several runs that were merged: the counts are sums."""

    runs: tuple[MergedRun, ...]
    """The oldest first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplayLine:
    """A line of replays.jsonl: what a target said of findings when it was asked again."""

    date: str
    """When it was asked, in UTC: `2026-11-22T03:00:00Z`."""
    target: str
    family: str
    """What all its builds have in common: `tint`."""
    origin: str = ""
    finding_class: str
    """The class of the findings (`fuzz.findings.history.class_of`)."""
    bucket: BucketKey
    """Their raw bucket."""
    word: str
    """As of `replay`: `fixed`, `still`, `changed` or `new`."""
