"""An enumeration as data: what it goes through and how far it has come. Written to run.json, and read to resume."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase, drawn_case
from wgsl_fuzz.fuzz.findings.directory import RUN
from wgsl_fuzz.fuzz.findings.loading import damage_named, read_enumeration
from wgsl_fuzz.fuzz.findings.records import EnumerationPlan, EnumerationRecord, ProgressLine, SemanticsMode
from wgsl_fuzz.fuzz.judging.judge import BucketKey, Kind
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.core import from_core
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies.enumerate.families import ALL_FAMILIES, ENUMERATION_VERSION, Family
from wgsl_fuzz.strategies.enumerate.sets import CountedSet
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import Source
from wgsl_fuzz.wgsl.resolve import resolve


class ShaderSequence:
    """The shaders of families up to a size, family after family, smallest first; a number is a place in it."""

    def __init__(self, families: Sequence[Family[Shader] | Family[str]], most: int) -> None:
        self.families = tuple(families)
        self.most = most
        self._shaders: list[CountedSet[Shader] | CountedSet[str]] = [family.up_to(most) for family in families]
        self._starts = [0, *accumulate(shaders.count for shaders in self._shaders)]
        self.count = self._starts[-1]

    def nth(self, position: int) -> Shader | str:
        """The shader at 0 <= position < count; of the whole language its text."""
        k, index = self._find(position)
        return self._shaders[k].nth(index)

    def case(self, position: int, *, thorough: bool = False) -> ModuleCase:
        """The same, to be judged; if `thorough`, explored also if the reference accepts it."""
        shader = self.nth(position)
        if isinstance(shader, str):
            return replace(drawn_case(resolve(parse(shader)), position), thorough=thorough)
        text = Source(print_shader(shader))  # sooner than to print the tree
        return ModuleCase(text, from_core(shader), seed=position, thorough=thorough, drawn=True)

    def where(self, position: int) -> tuple[str, int]:
        """Its family and its number there, which does not depend on the other families or on the bound."""
        k, number = self._find(position)
        return self.families[k].name, number

    def _find(self, position: int) -> tuple[int, int]:
        k = bisect_right(self._starts, position) - 1
        return k, position - self._starts[k]


@dataclass(slots=True)
class Tally:
    """What has been done so far."""

    position: int = 0
    programs: int = 0
    seconds: float = 0.0
    """Those of earlier runs included."""
    reference: Counter[Verdict] = field(default_factory=Counter)
    semantics: Counter[Outcome] = field(default_factory=Counter)
    answers: dict[str, Counter[Verdict]] = field(default_factory=dict)
    findings: Counter[Kind] = field(default_factory=Counter)
    buckets: Counter[BucketKey] = field(default_factory=Counter)

    @classmethod
    def of(cls, record: EnumerationRecord) -> "Tally":
        """What the record of a run says was done."""
        return cls(
            record.position,
            record.programs,
            record.seconds,
            Counter(record.reference),
            Counter(record.semantics),
            {name: Counter(counts) for name, counts in record.answers.items()},
            Counter(record.findings),
            Counter(record.buckets),
        )

    def progress(self) -> ProgressLine:
        """A line of the run's progress."""
        return ProgressLine(round(self.seconds, 1), self.programs, self.findings.total())


@dataclass(frozen=True, slots=True)
class EnumerationRequest:
    """The positions of a sequence of shaders to go through: from `first`, up to but not including `end`."""

    course: ShaderSequence
    first: int
    end: int
    semantics: SemanticsMode = SemanticsMode.EXPLORE

    @property
    def plan(self) -> EnumerationPlan:
        """As the run's record has it."""
        return EnumerationPlan(
            version=ENUMERATION_VERSION,
            families=tuple(family.name for family in self.course.families),
            max_statements=self.course.most,
            count=self.course.count,
            first=self.first,
            end=self.end,
            semantics=self.semantics,
        )

    @classmethod
    def of(cls, plan: EnumerationPlan) -> "EnumerationRequest":
        """What a run's record asks for; KeyError for an unknown family, Problem if its numbers mean other shaders."""
        course = ShaderSequence([ALL_FAMILIES[name] for name in plan.families], plan.max_statements)
        if plan.version != ENUMERATION_VERSION or plan.count != course.count:
            raise Problem("the run was begun by a wgsl-fuzz that enumerates other shaders: begin again")
        return cls(course, plan.first, plan.end, plan.semantics)


def load_record(folder: Path) -> EnumerationRecord:
    """The record of an enumeration to go on with; raises Problem."""
    record = read_enumeration(folder)
    with damage_named(folder, RUN):
        _ = EnumerationRequest.of(record.enumeration)
    return record
