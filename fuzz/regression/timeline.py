"""What the builds of a compiler say of texts, in order of date, and between which two of them a verdict changed."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from wgsl_fuzz.fuzz.judging.answers import TIMEOUT, Progress, opened
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.corpus import CorpusCase
from wgsl_fuzz.fuzz.regression.replay import CaseResult, replay
from wgsl_fuzz.oracle.targets.protocol import Target, TargetInfo, available, families

FAMILIES = {family.prefix: family.builds for family in families() if family.builds} | {"wgsl": "rules:wgsl-2"}
"""How the specs of a family's builds begin. Those of `wgsl` are the texts of the specification by date."""
NOW = "9999"
"""The date of a build that says none: that of a user's own compiler, which comes after all others."""


@dataclass(frozen=True, slots=True)
class Build:
    """A build on the time line: what opens it, and when it was made (`2025-09`; empty if nobody says)."""

    spec: str
    date: str = ""

    @property
    def sorted_by(self) -> str:
        """The date; of a year alone, its middle."""
        return f"{self.date}-06" if len(self.date) == len("2025") else self.date or NOW


def change_word(before: CaseResult, after: CaseResult) -> str:
    """What became of a text between two builds: `fixed`, `broken`, or `changed`, as between two faults."""
    if after.said == after.expected:
        return "fixed" if before.disagrees else "changed"
    # What a front end does not know yet is neither right nor wrong.
    return "broken" if before.said == before.expected and after.disagrees else "changed"


@dataclass(frozen=True, slots=True)
class TextHistory:
    """What the builds say of one text, in order of date."""

    case: CorpusCase
    answers: tuple[CaseResult, ...]

    @property
    def changes(self) -> list[tuple[CaseResult, CaseResult]]:
        """The answers of each two builds, one after the other, between which the verdict changed."""
        return [(a, b) for a, b in pairwise(self.answers) if a.said != b.said]


@dataclass(slots=True)
class Timeline:
    """The histories of texts under the builds that could be asked."""

    builds: list[Build] = field(default_factory=list)
    """Those that were asked; `spec` is the target's name."""
    histories: list[TextHistory] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    """Why a build could not be asked."""
    unreadable: list[str] = field(default_factory=list)
    """A line for each text that the reference cannot judge."""


def builds_of(names: Sequence[str]) -> list[Build]:
    """The builds of these families (`tint`, `naga`, `wgsl`) and targets, by date; those without a date come last."""
    infos = available()
    dates = {info.name: info.date for info in infos}
    found: dict[str, Build] = {}
    for name in names:
        for build in _family(name, infos) if name in FAMILIES else [Build(name, dates.get(name, ""))]:
            found.setdefault(build.spec, build)
    return sorted(found.values(), key=lambda build: build.sorted_by)


def _family(name: str, infos: Iterable[TargetInfo]) -> list[Build]:
    """The builds of a family, the older before the newer also where their dates are the same."""
    of_rules = FAMILIES[name].startswith("rules:")
    listed = [
        Build(i.name, i.date)
        for i in infos
        if (i.name == name and not of_rules) or ((i.date or of_rules) and i.name.startswith(FAMILIES[name]))
    ]
    return listed[::-1]  # they are listed newest first, and what is installed before those


def within(builds: Sequence[Build], first: str, last: str) -> list[Build]:
    """The builds from one to another, both included; each is a name (`0.3.8`, `tint@0.3.8`) or a date (`2025-09`).

    Empty means no limit. Raises Problem for what is neither, and if nothing is left.
    """
    low = 0 if not first else _place(builds, first, at_least=True)
    high = len(builds) if not last else _place(builds, last, at_least=False) + 1
    if low >= high:
        raise Problem(f"there is no build from {first or 'the beginning'} to {last or 'the end'}")
    return list(builds[low:high])


def _place(builds: Sequence[Build], name: str, *, at_least: bool) -> int:
    """Of a name its index; of a date that of the first build not before it, or of the last not after it."""
    by_name = [i for i, b in enumerate(builds) if name in (b.spec, b.spec.partition("@")[2])]
    if by_name:
        return by_name[0]
    if not name[:4].isdecimal():
        raise Problem(f"{name!r} is neither a date nor a build; there are {', '.join(b.spec for b in builds)}")
    dates = [build.date or NOW for build in builds]
    if at_least:
        return next((i for i, date in enumerate(dates) if date >= name), len(builds))
    # `2025` is the whole of that year
    return max((i for i, date in enumerate(dates) if date[: len(name)] <= name), default=-1)


def histories(
    cases: Sequence[CorpusCase],
    builds: Sequence[Build],
    notify: Callable[[str], None],
    timeout: float = TIMEOUT,
    progress: Progress = lambda _: None,
) -> Timeline:
    """Asks each build about each text. What cannot be opened is left out, and named; raises Problem if none is left."""
    timeline = Timeline()
    targets: dict[str, Target] = {}
    with ExitStack() as stack:
        for build in builds:
            try:
                (target,) = stack.enter_context(opened([build.spec], notify, timeout)).values()
            except Problem as problem:
                timeline.missing[build.spec] = str(problem)
                continue
            if target.name not in targets:
                targets[target.name] = target
                timeline.builds.append(Build(target.name, build.date))
        if not targets:
            raise Problem("; ".join(timeline.missing.values()))
        done = replay(cases, list(targets.values()), progress=progress)
    timeline.unreadable = done.unreadable_lines
    names = [build.spec for build in timeline.builds]
    by_path: dict[Path, dict[str, CaseResult]] = {}
    for result in done.results:
        by_path.setdefault(result.case.path, {})[result.oracle] = result
    for case in cases:
        answers = by_path.get(case.path, {})
        if all(name in answers for name in names):
            timeline.histories.append(TextHistory(case, tuple(answers[name] for name in names)))
    return timeline
