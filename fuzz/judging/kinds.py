"""What a finding is: its kind, its cause, and the keys by which findings are put together (docs/words.md)."""

import re
from dataclasses import dataclass, replace
from enum import Enum

from wgsl_fuzz.oracle.rules.analyses import SECTION_4_2, is_variant, with_full_names
from wgsl_fuzz.oracle.rules.rule_file import SUFFIX
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies.edit.relations import RELATION


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

_VERDICT = "|".join(verdict.value for verdict in Verdict)
_SPELLING = re.compile(f"({_VERDICT}) (?:as drawn, ({_VERDICT}) as printed(?:: (.+))?|only as drawn: (.*))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cause:
    """Why an answer is wrong, as far as that is known. Its text is the last part of a raw bucket's name."""

    departures: tuple[str, ...] = ()
    """The departures from the rules, or a broken variant, that give the verdict, by name."""
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
    """The signature of what no rule explains everywhere: the relations after which the answer is right."""

    def __str__(self) -> str:
        why = "+".join(self.departures) or self.told
        if self.right:
            return f"{why}; right with {'+'.join(self.right)}"
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

    @classmethod
    def parse(cls, text: str) -> "Cause":
        """The cause that has this text, in a file."""
        if match := _SPELLING.fullmatch(text):
            printed = Verdict(match[2]) if match[2] else None
            return replace(cls._of_one_text(match[3] or match[4] or ""), drawn=Verdict(match[1]), printed=printed)
        relation, by, why = text.partition(" by ")
        if relation in RELATION and bool(by) is bool(why):
            return replace(cls._of_one_text(why), relation=relation)
        return cls._of_one_text(text)

    @classmethod
    def _of_one_text(cls, text: str) -> "Cause":
        names = tuple(text.split("+"))
        known = all(is_variant(name) or name.endswith(SUFFIX) for name in names)
        return cls(departures=names) if known else cls(told=text)

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
        return () if self.relation or self.is_about_spelling else self.departures

    @property
    def tells_apart(self) -> tuple[str, ...]:
        """The departures that tell two texts apart, if they are known."""
        return self.departures if self.relation or self.compares_spellings else ()


NO_ANALYSIS = Cause(told="uniformity not implemented")
UNEXPLAINED = Cause(told="no reversal explains it")
NO_RULE = Cause(told="no rule")
"""The target answers wrongly because of something in the text that no rule asks about: its size, a name, a `switch`."""
COUNTEREXAMPLE = Cause(told="counterexample to Theorem 4.1")
ANOTHER_MEMORY = Cause(told="leaves another memory")
REFERENCES_DIFFER = Cause(told="the references differ")
NO_ANSWER = Cause(told="no answer in time")
TWO_RUNS = Cause(told="two runs of one text")

_KEY = re.compile(f"(.+?) ({'|'.join(kind.value for kind in Kind)}) (.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class BucketKey:
    """A raw key, as text `TARGET KIND CAUSE`. A key without a kind covers all kinds."""

    target: str
    kind: Kind | None
    cause: Cause

    def __str__(self) -> str:
        return f"{self.target} {self.cause}" if self.kind is None else f"{self.target} {self.kind.value} {self.cause}"

    @classmethod
    def of(cls, target: str, kind: Kind, cause: Cause) -> "BucketKey":
        """The raw bucket of a finding; one for all kinds of a target that has no uniformity analysis."""
        return cls.without_analysis(target) if cause == NO_ANALYSIS else cls(target, kind, cause)

    @classmethod
    def without_analysis(cls, target: str) -> "BucketKey":
        """The one raw key of a target that has no uniformity analysis."""
        return cls(target, None, NO_ANALYSIS)

    @classmethod
    def parse(cls, text: str) -> "BucketKey":
        """The raw key that `text` is, with the full names of variants; raises ValueError if it is none."""
        text = with_full_names(text)
        if match := _KEY.fullmatch(text):
            return cls(match[1], Kind(match[2]), Cause.parse(match[3]))
        target = text.removesuffix(f" {NO_ANALYSIS}")
        if target in ("", text):
            raise ValueError(f"no bucket, such as `tint@0.6.2 too-strict tint/while-always-iterates`: {text!r}")
        return cls.without_analysis(target)

    @property
    def described(self) -> str:
        """Its text without target and kind."""
        return str(self.cause)

    @property
    def plain(self) -> "BucketKey":
        """For a fault of the front end that only a spelling shows, the key of that fault; otherwise itself."""
        cause = self.cause
        if self.kind is not Kind.UNSTABLE or cause.drawn is not Verdict.INVALID or cause.compares_spellings:
            return self
        return BucketKey(self.target, Kind.INVALID, replace(cause, drawn=None))


@dataclass(frozen=True, slots=True)
class FineKey:
    """A raw key, the rules on the witness path and the constructs left, as text `RAW | RULES | CONSTRUCTS`."""

    raw: BucketKey
    rules: str
    constructs: str

    def __str__(self) -> str:
        return f"{self.raw} | {self.rules} | {self.constructs}"

    @classmethod
    def parse(cls, text: str) -> "FineKey":
        """The fine key that `text` is; raises ValueError if it is none."""
        raw, *more = text.rsplit(" | ", 2)
        key = BucketKey.parse(raw)
        if len(more) != 2 or key.kind not in HAVE_FINE_KEYS:
            raise ValueError(f"no fine bucket: {text!r}")
        return cls(key, *more)

    @property
    def target(self) -> str:
        """The oracle that it is about."""
        return self.raw.target

    @property
    def cause(self) -> Cause:
        """The raw key's cause."""
        return self.raw.cause

    @property
    def described(self) -> str:
        """Its text without target and kind."""
        return f"{self.cause} | {self.rules} | {self.constructs}"


Key = FineKey | BucketKey
"""By which findings are put together."""


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
    wrong: tuple[str, ...] = ()
    """Those of which every twin is answered wrongly as well."""


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
