"""What a run found that an earlier one had not, and what it did not find again: `triage RUN --since EARLIER`.

The findings of both are put into buckets together. So a fault is one bucket, whatever each run alone would call it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from wgsl_fuzz.fuzz.cases.plan import MIXED
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.history import identity_of
from wgsl_fuzz.fuzz.findings.loading import StoredRun, load_history
from wgsl_fuzz.fuzz.findings.records import HistoryRecord, MergedRun, RunRecord
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.replayed import FIXED, family_of, words_by_target
from wgsl_fuzz.fuzz.triage.triage import Bucket, Sighting, Triage, bucketed, says_too_little, sightings
from wgsl_fuzz.oracle.targets.protocol import available

GONE, NOT_SEEN_AGAIN = "gone", "not seen again"
_OWN_PART = "the history has this run already: what only this run had counts as new"


@dataclass(frozen=True, slots=True)
class Missing:
    """A bucket of the earlier run that the later one does not have."""

    bucket: Bucket
    word: str
    """`gone`, or `not seen again` where that says little."""
    why: str


@dataclass(frozen=True, slots=True)
class RunComparison:
    """A run held against an earlier one."""

    earlier: StoredRun
    stand_ins: Mapping[str, str]
    """Which target of the run each target of the earlier one is compared with; none: with nothing."""
    seen: frozenset[str] = frozenset()
    """The names of those buckets of the run that the earlier one had."""
    missing: tuple[Missing, ...] = ()
    builds: tuple[str, ...] = field(default=())
    """In words: which builds stand for which, and whether the run is left out of the earlier one."""


def compared(later: StoredRun, buckets: list[Bucket], earlier: StoredRun) -> RunComparison:
    """A run with its buckets, held against an earlier run. Raises Problem.

    A history that has the run already counts without it: otherwise nothing would be new the second time.
    """
    whole, earlier = earlier, without_run(earlier, later)
    stand_ins = stand_ins_of(later.record, earlier.record)
    before = {found.folder: _under(found, stand_ins) for found in earlier.findings}
    both = replace(later, findings=(*later.findings, *before.values()), counted=Counter())
    joint = bucketed(both)
    again, only_before = set(), []
    for bucket in joint:
        ours = {found.folder for found in bucket.findings}
        if not ours & before.keys():
            continue
        if ours <= before.keys():
            only_before.append(bucket)
        else:
            again |= ours
    saved = {key for found in earlier.findings for key in (found.key, found.record.first.bucket) if key is not None}
    counted_before = {
        replace(key, target=stand_ins.get(key.target, key.target)) for key in saved | earlier.counted.keys()
    }
    seen = frozenset(
        bucket.name
        for bucket in buckets
        if any(found.folder in again for found in bucket.findings)
        or (not bucket.findings and counted_before.issuperset(key for key in bucket.raw if not says_too_little(key)))
    )
    counted_now = {key for key in later.counted if not says_too_little(key)}
    lost = [_missing(b, later, earlier, stand_ins) for b in only_before if not counted_now.intersection(b.raw)]
    told = [_OWN_PART] if earlier is not whole else []
    builds = _builds(later.record, earlier.record, stand_ins)
    return RunComparison(earlier, stand_ins, seen, tuple(lost), (*told, *builds))


def without_run(history: StoredRun, run: StoredRun) -> StoredRun:
    """A history as it would be if a run had not been merged into it; itself, if it was not. Raises Problem."""
    if isinstance(run.record, HistoryRecord) or not isinstance(history.record, HistoryRecord):
        return history
    identity = identity_of(run.record)
    others = tuple(one for one in history.runs if one.id != identity)
    if len(others) == len(history.runs):
        return history
    return load_history(history.path, replace(history.record, runs=others), identity)


# --------------------------------------------------------------------------------------------------- which target


def stand_ins_of(later: RunRecord, earlier: RunRecord) -> dict[str, str]:
    """For each target of an earlier run the one that it is compared with: itself, else another build of it, if any."""
    found = {}
    for name in earlier.targets:
        family = family_of(name, earlier.specs)
        builds = [other for other in later.targets if family_of(other, later.specs) == family]
        others = [other for other in builds if other not in earlier.targets]
        if name in later.targets:
            found[name] = name
        elif builds:
            found[name] = max(others or builds, key=_numbers)
    return found


def _numbers(name: str) -> tuple[list[int], str]:
    return [int(number) for number in re.findall(r"[0-9]{1,9}", name)], name


def _under(found: Finding, stand_ins: Mapping[str, str]) -> Finding:
    """A finding as if it were one of the target that is looked at today."""
    name = stand_ins.get(found.target, found.target)
    if name == found.target:
        return found
    return replace(found, record=replace(found.record, target=name))


def _builds(later: RunRecord, earlier: RunRecord, stand_ins: Mapping[str, str]) -> list[str]:
    lines = []
    for name, build in earlier.targets.items():
        now = stand_ins.get(name)
        if now is None:
            lines.append(f"{name} is not asked any more")
        elif now != name:
            lines.append(f"{name} of the earlier run is compared with {now}")
        elif later.targets[now] != build:
            lines.append(f"{name} is another build: it was {build}, and is {later.targets[now]}")
    return lines


# ---------------------------------------------------------------------------------------------------- what is gone


def _missing(bucket: Bucket, later: StoredRun, earlier: StoredRun, stand_ins: Mapping[str, str]) -> Missing:
    folders = {found.folder for found in bucket.findings}
    own = [found for found in earlier.findings if found.folder in folders]
    bucket = replace(bucket, key=replace(bucket.key, target=own[0].target))  # of the target that had it
    family = family_of(own[0].target, earlier.record.specs)
    said = words_by_target(own, [*earlier.replays(), *later.replays()], family, (earlier, later))
    fixed = [target for target, word in said.items() if word == FIXED and target in later.record.targets]
    if fixed:
        return Missing(bucket, GONE, f"it is fixed in {fixed[-1]}: `replay` asked about all that is saved of it")
    name = own[0].target
    if name not in stand_ins:
        return Missing(bucket, NOT_SEEN_AGAIN, f"{name} was not asked")
    if stand_ins[name] != name:
        return Missing(bucket, NOT_SEEN_AGAIN, f"{stand_ins[name]} was asked instead; ask it: wgsl-fuzz replay")
    at_first = replace(bucket, findings=tuple(own))
    met = [one.run for one in sightings(earlier, at_first)]
    most = max((one.programs for one in met), default=earlier.record.programs)
    languages = {one.language for one in met} or {_language(earlier.record)}
    ours = {one.language for one in later.runs} or {_language(later.record)}
    if not (languages <= ours or MIXED in ours):
        return Missing(bucket, NOT_SEEN_AGAIN, "other shaders were drawn")
    if later.record.programs < most:
        fewer = f"{later.record.programs:,} programs were asked about, and {most:,} before"
        return Missing(bucket, NOT_SEEN_AGAIN, fewer)
    return Missing(bucket, GONE, f"{later.record.programs:,} programs did not show it; {most:,} had")


def _language(record: RunRecord) -> str | None:
    return None if record.plan is None else record.plan.language


@dataclass(frozen=True, slots=True)
class Regression:
    """A bucket of a history that a target had from some build on, and that no run of an earlier build met."""

    bucket: Bucket
    first: Sighting
    runs_before: int
    """How many runs asked earlier builds about more shaders than it took to show the fault."""


def regressions(triage: Triage) -> Mapping[str, Regression]:
    """By the names of buckets. What a run of the same build did not meet either is none. Raises Problem."""
    runs, specs = triage.run.runs, triage.run.record.specs
    places = {one.id: place for place, one in enumerate(runs)}
    dates = {info.name: info.date for info in available()} if runs else {}

    def order(run: MergedRun, target: str) -> tuple[str, int]:
        """Where its build stands among all: by its date, else that of the run; those of one date as they were asked."""
        return dates.get(target) or run.date or "", places[run.id]

    met = defaultdict[tuple[str, str], list[tuple[tuple[str, int], Sighting, Bucket]]](list)
    for bucket in triage.buckets if runs else ():
        seen = [(order(one.run, bucket.target), one, bucket) for one in sightings(triage.run, bucket)]
        if seen:
            met[family_of(bucket.target, specs), bucket.name.removeprefix(bucket.target)] += seen
    found = {}
    for (family, _), sighted in met.items():
        place, first, bucket = min(sighted, key=lambda one: one[0])
        akin = {name for one in runs for name in one.targets if family_of(name, specs) == family}
        long = [one for one in runs if one.programs > (first.shader or 0)]  # others did not come as far
        before = [[b for t, b in one.targets.items() if t in akin and order(one, t) < place] for one in long]
        asked = [builds for builds in before if builds]
        if asked and not any(first.build in builds for builds in asked):
            found[bucket.name] = Regression(bucket, first, len(asked))
    return found


def triage_since(
    run: StoredRun, earlier: StoredRun, known_file: Path | None = None, like: str | None = None
) -> tuple[Triage, RunComparison]:
    """The buckets of a run that is held against an earlier one, and what was decided. Raises Problem."""
    if run.path.resolve() == earlier.path.resolve():
        raise Problem(f"{run.path} is to be compared with itself")
    triage = Triage.of(run, known_file, like, earlier)
    comparison = compared(run, triage.buckets, earlier)
    triage.seen = comparison.seen
    triage.put_in_order()
    return triage, comparison
