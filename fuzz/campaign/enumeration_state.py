"""An enumeration as data: what it goes through and how far it has come. Written to run.json, and read to resume."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate
from pathlib import Path
from typing import Any

from fuzz.findings.loading import as_recorded, read_record
from fuzz.problems import Problem
from strategies.enumerate.families import ENUMERATION_VERSION, FAMILIES, Family
from tinywgsl.ast import Shader


class SemanticsMode(Enum):
    """What is asked of the semantics about shaders that the reference accepts; disputed ones are always explored."""

    NONE = "none"
    SAMPLE = "sample"
    EXPLORE = "explore"


class ShaderSequence:
    """The shaders of families up to a size, family after family, smallest first; a number is a place in it."""

    def __init__(self, families: Sequence[Family], most: int) -> None:
        self.families = tuple(families)
        self.most = most
        self._shaders = [family.up_to(most) for family in families]
        self._starts = [0, *accumulate(shaders.count for shaders in self._shaders)]
        self.count = self._starts[-1]

    def nth(self, position: int) -> Shader:
        """The shader at 0 <= position < count."""
        k, index = self._find(position)
        return self._shaders[k].nth(index)

    def where(self, position: int) -> tuple[str, int]:
        """Its family and its number there, which does not depend on the other families or on the bound."""
        k, number = self._find(position)
        return self.families[k].name, number

    def _find(self, position: int) -> tuple[int, int]:
        k = bisect_right(self._starts, position) - 1
        return k, position - self._starts[k]


@dataclass(slots=True)
class Tally:
    """What has been done so far, in the words of the record."""

    position: int = 0
    programs: int = 0
    seconds: float = 0.0
    """Those of earlier runs included."""
    reference: Counter[str] = field(default_factory=Counter)
    semantics: Counter[str] = field(default_factory=Counter)
    answers: dict[str, Counter[str]] = field(default_factory=dict)
    findings: Counter[str] = field(default_factory=Counter)
    buckets: Counter[str] = field(default_factory=Counter)

    def record(self) -> dict[str, Any]:
        """For run.json."""
        return {
            "position": self.position,
            "programs": self.programs,
            "seconds": round(self.seconds, 3),
            "reference": dict(self.reference),
            "semantics": dict(self.semantics),
            "answers": {name: dict(counts) for name, counts in self.answers.items()},
            "findings": dict(self.findings),
            "buckets": dict(self.buckets),
        }

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Tally":
        """From run.json; KeyError if it is not a record of an enumeration."""
        counters = (Counter(record[name]) for name in ("findings", "buckets"))
        answers = {name: Counter(counts) for name, counts in record["answers"].items()}
        done = record["position"], record["programs"], record["seconds"]
        return cls(*done, Counter(record["reference"]), Counter(record["semantics"]), answers, *counters)


@dataclass(frozen=True, slots=True)
class EnumerationRequest:
    """The positions of a sequence of shaders to go through: from `first`, up to but not including `end`."""

    course: ShaderSequence
    first: int
    end: int
    semantics: SemanticsMode = SemanticsMode.EXPLORE

    def record(self) -> dict[str, Any]:
        """For run.json: what gives the numbers of shaders their meaning."""
        return {
            "version": ENUMERATION_VERSION,
            "families": [family.name for family in self.course.families],
            "max statements": self.course.most,
            "count": self.course.count,
            "first": self.first,
            "end": self.end,
            "semantics": self.semantics.value,
        }

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "EnumerationRequest":
        """From run.json; Problem if its numbers mean other shaders than ours."""
        course = ShaderSequence([FAMILIES[name] for name in record["families"]], record["max statements"])
        if record["version"] != ENUMERATION_VERSION or record["count"] != course.count:
            raise Problem("the run was begun by a wgsl-fuzz that enumerates other shaders: begin again")
        return cls(course, record["first"], record["end"], SemanticsMode(record["semantics"]))


def load_record(folder: Path) -> dict[str, Any]:
    """The record of an enumeration to go on with; raises Problem."""
    record = read_record(folder, "targets", "programs", "seconds")
    if "enumeration" not in record:
        raise Problem(f"{folder} is a campaign, no run of enumerate: go on with `wgsl-fuzz --resume {folder}`")
    with as_recorded(folder):
        _ = Tally.of(record), EnumerationRequest.of(record["enumeration"])
    return record
