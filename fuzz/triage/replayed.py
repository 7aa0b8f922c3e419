"""What targets said of a bucket's findings when `replay` asked them again."""

import re
from collections.abc import Iterable, Mapping, Sequence

from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.history import class_of
from wgsl_fuzz.fuzz.findings.loading import StoredRun
from wgsl_fuzz.fuzz.findings.records import ReplayLine
from wgsl_fuzz.fuzz.triage.merging import latest
from wgsl_fuzz.oracle.targets.protocol import split_name

FIXED, STILL = "fixed", "still"
"""Words of `replay`, as its log has them."""


def word_of_all(words: Sequence[str]) -> str:
    """One word for several texts of a bucket: it is fixed if all of them are, and still there if one is."""
    return next((word for word in (STILL, "new", "changed") if word in words), FIXED)


def family_of(name: str, specs: Mapping[str, str]) -> str:
    """What all builds of a target have in common: `tint`. A rule set or a function is a family of its own."""
    opens = split_name(specs.get(name, name))[1]
    family = re.split("[@:]", opens, maxsplit=1)[0]
    return opens if family in ("rules", "python", "device") else family


def words_by_target(
    findings: Iterable[Finding], lines: Iterable[ReplayLine], family: str, runs: Sequence[StoredRun]
) -> dict[str, str]:
    """The last word of each target of a family that was asked about all of these findings, in the order of time.

    What was fixed is there still if a run of `runs` met it in that target on a later day. Raises Problem.
    """
    classes = {class_of(found.record) for found in findings}
    last: dict[str, dict[str, str]] = {}
    for line in latest(line for line in lines if line.finding_class in classes and line.family == family):
        again = line.word == FIXED and any(_met_later(line, run) for run in runs)
        last.setdefault(line.target, {})[line.finding_class] = STILL if again else line.word
    return {
        target: word_of_all([*said.values()]) for target, said in last.items() if classes and said.keys() == classes
    }


def _met_later(line: ReplayLine, run: StoredRun) -> bool:
    """Whether a run, or one that was merged into it, met what a replay asked about, in the same target, after that."""
    if run.runs:
        met = [(one.date, one.targets) for one, _, _ in run.met([line.finding_class], ())]
    else:
        own = any(class_of(found.record) == line.finding_class for found in run.findings)
        met = [(run.record.date, run.record.targets)] if own else []
    return any(line.target in targets and (date or "") > line.date[: len("2026-11-22")] for date, targets in met)


def in_words(replayed: dict[str, str]) -> str:
    """`fixed in tint@0.6.3, still in tint@0.6.2`; empty if nobody asked."""
    return ", ".join(f"{word} in {target}" for target, word in replayed.items())
