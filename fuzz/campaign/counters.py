"""What a campaign has done so far."""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fuzz.campaign.worker import ShaderResult
from fuzz.findings.directory import SavedFinding
from oracle.verdict import Outcome, Verdict


@dataclass(slots=True)
class Counters:
    """The counts that the screen, the record and the summary show."""

    started: float = field(default_factory=time.monotonic)
    before: float = 0.0
    """Seconds that earlier parts of a resumed run took."""
    programs: int = 0
    statements: int = 0
    duplicates: int = 0
    """Shaders equal to an earlier one up to names and literals."""
    misses: int = 0
    """Shaders that do not have what the options asked for."""
    reference: Counter[Verdict] = field(default_factory=Counter)
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    answers: dict[str, dict[Verdict, int]] = field(default_factory=dict)
    findings: Counter[str] = field(default_factory=Counter)
    buckets: Counter[str] = field(default_factory=Counter)
    saved: list[SavedFinding] = field(default_factory=list)
    last_finding: float | None = None
    waited: Counter[str] = field(default_factory=Counter)
    """Seconds that each target kept workers waiting, in this part of the run ..."""
    waited_for: int = 0
    """... for so many programs."""

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def count(self, judged: ShaderResult) -> None:
        """Counts one shader's answers."""
        self.reference[judged.verdict] += 1
        if judged.outcome is not None:
            self.outcomes[judged.outcome] += 1
        for name, answer in judged.answers.items():
            of_target = self.answers.setdefault(name, {})
            of_target[answer.verdict] = of_target.get(answer.verdict, 0) + 1

    def progress(self) -> dict[str, float]:
        """A line of the run's progress."""
        return {"seconds": round(self.seconds, 1), "programs": self.programs, "findings": self.findings.total()}

    def to_json(self) -> dict[str, Any]:
        """The counts as the run's record has them."""
        return {
            "programs": self.programs,
            "statements": self.statements,
            "duplicates": self.duplicates,
            "misses": self.misses,
            "seconds": round(self.seconds, 3),
            "reference": {v.value: n for v, n in self.reference.items()},
            "semantics": {o.value: n for o, n in self.outcomes.items()},
            "answers": {name: {v.value: n for v, n in counts.items()} for name, counts in self.answers.items()},
            "findings": dict(self.findings),
            "buckets": dict(self.buckets),
        }

    def restore(self, record: Mapping[str, Any]) -> None:
        """Takes over the counts of a record, but for the findings: the folder knows better."""
        self.before = float(record.get("seconds", 0.0))
        for name in ("programs", "statements", "duplicates", "misses"):
            setattr(self, name, int(record.get(name, 0)))
        self.reference.update({Verdict(word): n for word, n in record["reference"].items()})
        self.outcomes.update({Outcome(word): n for word, n in record["semantics"].items()})
        for name, counts in record["answers"].items():
            self.answers[name] = {Verdict(word): n for word, n in counts.items()}
