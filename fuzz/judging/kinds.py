"""What a finding is: its kind, its cause, and the keys by which findings are put together (docs/words.md)."""

from dataclasses import dataclass, replace
from enum import Enum

from wgsl_fuzz.oracle.rules.analyses import SECTION_4_2
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2
from wgsl_fuzz.oracle.verdict import Answer, Verdict


class Kind(Enum):
    """The kinds of findings, most severe first."""

    UNSOUND = "unsound"
    MISCOMPILED = "miscompiled"
    TOO_LENIENT = "too-lenient"
    TOO_STRICT = "too-strict"
    INVALID = "invalid"
    CRASH = "crash"
    HANG = "hang"
    UNSTABLE = "unstable"
    METAMORPHIC = "metamorphic"
    TARGETS_DIFFER = "targets-differ"
    REFERENCE = "reference"
    """The paper and the specification judge a shader differently: a fault of ours, or of one of the texts."""


VERDICTS_DIFFER = frozenset({Kind.UNSOUND, Kind.TOO_LENIENT, Kind.TOO_STRICT})
"""The kinds about the uniformity analysis; the others are about the target as a program."""


HAVE_FINE_KEYS = VERDICTS_DIFFER | {Kind.MISCOMPILED}
"""Kinds with a fine key: the reduced shader says more than the raw key."""

REFERENCES = frozenset({SECTION_4_2, SECTION_15_2})
"""Our own analyses. They are not among the targets; a finding about one of them is about the rules."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why an answer is wrong, as far as that is known. Its text is the last part of a raw bucket's name."""

    departures: tuple[str, ...] = ()
    """The departures from the rules, or a broken variant, that give the verdict, by name; of a signature, one change of
    the rules that all its shaders have in common.
    """
    told: str = ""
    """Without departures, other words: such as the wording of a message."""
    relation: str = ""
    """The name of a broken relation. The departures then give the wrong verdicts on the two shaders."""
    drawn: Verdict | None = None
    """The verdict on the text, where that depends on how the text is spelled; None where it does not."""
    printed: Verdict | None = None
    """The verdict on the plain print; None if the plain print shows no finding."""
    forms: tuple[str, ...] = ()
    """The surface forms that the finding needs, if they are known."""
    right: tuple[str, ...] = ()
    """The signature of what no change of the rules fits: the relations after which the answer is right."""
    left: tuple[str, ...] = ()
    """What is left in the reduced shader, where only that tells findings apart; of a fine key."""

    SPARSE = True

    def __str__(self) -> str:
        return f"{self.raw} | {', '.join(self.left)}" if self.left else self.raw

    @property
    def raw(self) -> str:
        """Its text without what is left."""
        why = "+".join(self.departures) or ("" if self.right else self.told)
        if self.right:
            return f"{self.told}; right with {'+'.join(self.right)}{why and f'; as {why}'}"
        if self.relation:
            return f"{self.relation} by {why}" if why else self.relation
        if self.drawn is None:
            return why
        if self.printed is None:
            why = f"{self.drawn.value} only as drawn: {why}"
        else:
            both = f"{self.drawn.value} as drawn, {self.printed.value} as printed"
            why = f"{both}: {why}" if why else both
        return f"{why}: {', '.join(self.forms)}" if self.forms else why

    @property
    def is_about_spelling(self) -> bool:
        """Whether the verdict depends on how the text is spelled."""
        return self.drawn is not None

    @property
    def compares_spellings(self) -> bool:
        """Whether the verdict on the text is held against that on its plain print."""
        return self.printed is not None

    @property
    def explains(self) -> tuple[str, ...]:
        """The departures that give the verdict on a text as such; none where two texts are compared."""
        return () if self.relation or self.is_about_spelling or self.right else self.departures

    @property
    def tells_apart(self) -> tuple[str, ...]:
        """The departures that tell two texts apart, if they are known."""
        return self.departures if self.relation or self.compares_spellings else ()


NO_ANALYSIS = Cause(told="uniformity not implemented")
UNEXPLAINED = Cause(told="no known cause")
NO_RULE = Cause(told="no rule")
"""The target answers wrongly because of something in the text that no rule asks about: its size, a name, a `switch`."""
COUNTEREXAMPLE = Cause(told="counterexample to Theorem 4.1")
ANOTHER_MEMORY = Cause(told="leaves another memory")
REFERENCES_DIFFER = Cause(told="the references differ")
NO_ANSWER = Cause(told="no answer in time")
TWO_RUNS = Cause(told="two runs of one text")


@dataclass(frozen=True, slots=True)
class BucketKey:
    """By what findings are put together, as text `TARGET KIND CAUSE`. A key without a kind covers all kinds.

    A raw key says why an answer is wrong; a fine key also says what is left in the reduced shader.
    """

    target: str
    kind: Kind | None = None
    cause: Cause = Cause()

    COMPUTED = ("name",)

    def __str__(self) -> str:
        return f"{self.target} {self.cause}" if self.kind is None else f"{self.target} {self.kind.value} {self.cause}"

    @property
    def name(self) -> str:
        """Its text."""
        return str(self)

    @classmethod
    def of(cls, target: str, kind: Kind, cause: Cause) -> "BucketKey":
        """The raw bucket of a finding; one for all kinds where no rule is the cause, or there is no analysis."""
        return cls(target, None if cause in (NO_ANALYSIS, NO_RULE) else kind, cause)

    @classmethod
    def without_analysis(cls, target: str) -> "BucketKey":
        """The one raw key of a target that has no uniformity analysis."""
        return cls(target, None, NO_ANALYSIS)

    def with_left(self, left: tuple[str, ...]) -> "BucketKey":
        """The fine key of a raw one, with what is left in the reduced shader."""
        return replace(self, cause=replace(self.cause, left=left))

    @property
    def plain(self) -> "BucketKey":
        """For a crash or *invalid* that only a spelling shows, the key of that fault; otherwise itself."""
        cause, kinds = self.cause, {Verdict.INVALID: Kind.INVALID, Verdict.CRASHED: Kind.CRASH}
        if self.kind is not Kind.UNSTABLE or cause.drawn not in kinds or cause.compares_spellings:
            return self
        return BucketKey(self.target, kinds[cause.drawn], replace(cause, drawn=None))


@dataclass(frozen=True, slots=True)
class Fit:
    """Which explanations of a finding also fit the target's verdicts on neighbours (`fuzz.judging.certainty`)."""

    asked: int
    """The number of neighbours with a verdict."""
    names: tuple[str, ...] = ()
    """The cause and the branches (by variant name) that fit the verdicts on all these neighbours, and what the target
    answered rightly in the run."""
    right: tuple[str, ...] = ()
    """The signature: relations of which some twin, with the same verdict by the rules, is answered rightly."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One oracle's answer that is a finding, and the raw key by which findings are counted together."""

    target: str
    kind: Kind
    answer: Answer
    cause: Cause
    expected: bool = False
    """Whether known departures of the target explain it, so that nothing was executed."""

    @property
    def key(self) -> BucketKey:
        """The raw bucket."""
        return BucketKey.of(self.target, self.kind, self.cause)
