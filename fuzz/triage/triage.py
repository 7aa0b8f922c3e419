"""Triage: a stored run's findings in buckets, most severe first, and what people decided about each.

Decisions never delete anything: a bucket tied to an issue is in a known-file (`fuzz.findings.known`), a dropped one is
in `triage.json` beside the run's record, with the reason.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from wgsl_fuzz.fuzz.findings.directory import StorageError, write_atomically
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.history import class_of
from wgsl_fuzz.fuzz.findings.known import FILE, KnownBuckets, add, known_or_shipped, load_all
from wgsl_fuzz.fuzz.findings.loading import StoredRun
from wgsl_fuzz.fuzz.findings.records import MergedRun, TriageRecord
from wgsl_fuzz.fuzz.findings.schema import to_json
from wgsl_fuzz.fuzz.judging import kinds
from wgsl_fuzz.fuzz.judging.buckets import common_causes
from wgsl_fuzz.fuzz.judging.certainty import Certainty, certainty_of, deciding, is_to_be_explained
from wgsl_fuzz.fuzz.judging.departures import are_known, base_of
from wgsl_fuzz.fuzz.output import notice
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.grouping import (
    exact_cause,
    fitting,
    fitting_departures,
    hosted,
    is_named_by,
    is_refused,
    is_untried,
    joined,
    keys_beside,
    keys_of_refused,
    keys_of_unexplained,
    signature_keys,
    spelled_keys,
)
from wgsl_fuzz.fuzz.triage.merging import DECISIONS, read_decisions
from wgsl_fuzz.fuzz.triage.replayed import family_of, words_by_target
from wgsl_fuzz.oracle.rules.analyses import with_full_names
from wgsl_fuzz.oracle.rules.uniformity.places import context_of
from wgsl_fuzz.wgsl.problems import WgslError

_KINDS = list(kinds.Kind)
STATES = ("new", "seen", "known", "dropped")
"""Of buckets, in the order that people see."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """Findings that look like one cause."""

    key: kinds.BucketKey
    """A fine or a raw key. The cause of a key without a kind is known departures of the target, or the branch of the
    rules that explains all findings."""
    kind: kinds.Kind
    """The most severe one of its findings."""
    branch: str | None
    """The branch of the rules that is the cause, by its variant's name, maybe in a context; None where the target's
    own departures are known."""
    findings: tuple[Finding, ...]
    """The saved findings, most severe first, then smallest first; may be empty."""
    counted: int
    """The number of findings that were only counted; a share of them, if several buckets have the raw key."""
    raw: tuple[kinds.BucketKey, ...]
    issue: str | None = None

    @property
    def name(self) -> str:
        """Its key as text: what people and files call it."""
        return str(self.key)

    @property
    def target(self) -> str:
        """The oracle that it is about."""
        return self.key.target

    @property
    def count(self) -> int:
        """All its findings."""
        return sum(found.count for found in self.findings) + self.counted

    @property
    def representative(self) -> Finding | None:
        """The one to look at."""
        return self.findings[0] if self.findings else None

    @property
    def own(self) -> tuple[str, ...]:
        """The names of the target's known departures that explain the bucket; empty if others do."""
        names = () if self.key.cause.left else self.key.cause.explains
        return names if are_known(self.target, names) else ()

    @property
    def certainty(self) -> Certainty | None:
        """The certainty of its branch or cause in most of its reduced findings; None without a branch and a cause."""
        rows = [f for f in self.findings if f.is_reduced and not is_untried(f)] or self.findings
        said = [certainty_of(f.target, f.kind, f.record.cause, f.record.fit, self.branch) for f in rows]
        ranked = Counter(one for one in said if one is not None).most_common()
        return ranked[0][0] if ranked else None

    @property
    def is_missing_analysis(self) -> bool:
        """Whether it is the bucket of a target without a uniformity analysis."""
        return self.key == kinds.BucketKey.without_analysis(self.target)

    @property
    def is_no_rule(self) -> bool:
        """Whether no rule is the cause of what there is to look at."""
        return bool(self.findings) and self.findings[0].record.cause == kinds.NO_RULE

    @property
    def first_seen(self) -> float | None:
        """Seconds from the start of the run to its first saved finding, if recorded."""
        return min((f.record.after for f in self.findings if f.record.after is not None), default=None)


def bucketed(run: StoredRun, known: KnownBuckets | None = None) -> list[Bucket]:
    """The buckets of a run: by severity, then by count; what a target declares comes last.

    Every finding is in exactly one bucket, saved or counted.
    """
    groups, branches = grouped(run.findings)
    shares, unsaved = _shares(groups, run.counted)
    buckets = [_bucket(key, found, branches.get(key), shares[key]) for key, found in groups.items()]
    buckets += [Bucket(key, key.kind or kinds.Kind.TOO_LENIENT, None, (), n, (key,)) for key, n in unsaved.items()]
    if known is not None:
        buckets = [replace(bucket, issue=issue_of(bucket, known, run.record.known)) for bucket in buckets]
    return sorted(buckets, key=lambda b: (b.is_missing_analysis, _KINDS.index(b.kind), -b.count, b.name))


def grouped(
    findings: Sequence[Finding],
) -> tuple[dict[kinds.BucketKey, list[Finding]], dict[kinds.BucketKey, str]]:
    """Saved findings by bucket, each in one, and the branch of the rules that is its cause, if one is.

    Findings about verdicts share a bucket if known departures of their target explain them, the same ones, or else one
    change of the rules that fits (`common_causes`), or one signature, or if the same surface forms do; any others if
    they have the same raw key or are refused in the same words. What is no evidence, pairs for one, joins a change that
    explains it. Those with equal reduced texts are one bucket.
    """
    sure = sure_keys(findings) | spelled_keys(findings)
    groups: dict[kinds.BucketKey, list[Finding]] = defaultdict(list)
    branches: dict[kinds.BucketKey, str] = {}
    for found, branch in _with_causes(
        [found for found in findings if found.folder not in sure or is_untried(found) or not found.is_reduced]
    ):
        if found.folder in sure and branch is None:
            continue
        sure.pop(found.folder, None)
        # A text that is refused is with the others that are refused in the same words.
        key = found.fine
        if branch is not None and not is_refused(found):
            key = kinds.BucketKey(found.target, None, kinds.Cause((branch,)))
            branches[key] = branch
        groups[key].append(found)
    for found in findings:
        if found.folder in sure:
            groups[key := sure[found.folder]].append(found)
            if len(names := key.cause.explains) == 1 and not are_known(found.target, names):
                branches[key] = names[0]
    return joined(hosted(groups)), branches


def _with_causes(findings: Iterable[Finding]) -> list[tuple[Finding, str | None]]:
    """Each finding, and the change of the rules that explains it and the others of its target; of what is no evidence,
    the commonest cause of others that explains it.

    Many branches decide a large shader, most of them by coincidence: unreduced findings are no evidence. Nor are pairs,
    of which a relation is the cause, and what was too large to be explained by changes in contexts.
    """
    by_target: dict[str, list[Finding]] = defaultdict(list)
    for found in findings:
        by_target[found.target].append(found)
    pairs: list[tuple[Finding, str | None]] = []
    for of_target in by_target.values():
        evidence = {found.folder: names for found in of_target if found.is_reduced and (names := _evidence(found))}
        recorded = [str(found.record.cause) for found in of_target if found.folder in evidence]
        causes = dict(zip(evidence, common_causes([*evidence.values()], recorded), strict=True))
        often = Counter(filter(None, causes.values()))
        ranked = sorted(often, key=lambda cause: (-often[cause], cause))
        pairs += ((found, causes.get(found.folder) or _explaining(found, ranked)) for found in of_target)
    return pairs


def _evidence(found: Finding) -> frozenset[str]:
    """The branches that explain a reduced finding."""
    if is_refused(found):
        return fitting(found)
    if not is_to_be_explained(found.target, found.kind, found.record.cause):
        return frozenset()
    return frozenset(found.record.branches or ()) if found.record.fit is None else fitting(found)


def _explaining(found: Finding, causes: Sequence[str]) -> str | None:
    """The first of these changes that explains what is no evidence: it gives each verdict of the target."""
    record, able, base = found.record, {*causes}, base_of(found.target)
    is_unknown = is_to_be_explained(found.target, found.kind, record.cause)
    if found.kind is kinds.Kind.METAMORPHIC:
        is_unknown = found.target not in kinds.REFERENCES and not are_known(found.target, record.cause.departures)
    elif found.is_reduced:  # changes everywhere were tried, and do not fit
        able = {name for name in causes if context_of(name) and is_untried(found)}
    judged = [(found.case(name), said) for name, said in found.judged()] if able and is_unknown else []
    with suppress(WgslError):  # what is known of the target may refuse the text
        for case, said in judged:
            giving = deciding(case, able, None if said is case.verdict else said, base)
            able = able - giving if said is case.verdict else able & giving
        if any(said is not case.verdict for case, said in judged):
            return next((name for name in causes if name in able), None)
    return None


def sure_keys(findings: Sequence[Finding]) -> dict[Path, kinds.BucketKey]:
    """The bucket of each finding that needs no branch, by its folder: it has an exact cause, or no rule is the cause,
    or no change fits, or the text is refused in the same words as another.

    What is not reduced goes where most reduced findings of its raw bucket are, if that is such a bucket.
    """
    exact = {f.folder: exact_cause(f) for f in findings if f.kind in kinds.VERDICTS_DIFFER}
    sure = {
        f.folder: kinds.BucketKey(f.target, None, kinds.Cause(exact[f.folder])) for f in findings if exact.get(f.folder)
    }
    sure |= keys_beside(findings) | keys_of_refused(findings) | keys_of_unexplained(findings)
    homes: dict[kinds.BucketKey, Counter[kinds.BucketKey | None]] = defaultdict(Counter)
    for found in findings:
        if found.is_reduced:
            homes[found.record.first.bucket or found.key][sure.get(found.folder)] += 1
    for found in findings:
        home = homes[found.key].most_common(1) if not found.is_reduced and found.folder not in sure else []
        if home and (key := home[0][0]) is not None:
            sure[found.folder] = key
    return sure


def _bucket(key: kinds.BucketKey, found: list[Finding], branch: str | None, counted: int) -> Bucket:
    found = sorted(found, key=lambda one: (one.rank, one.folder.name))
    raw = tuple(sorted({f.key for f in found}, key=str))
    return Bucket(key, found[0].kind, branch, tuple(found), counted, raw)


_Shares = dict[kinds.BucketKey, int]
_Issues = Mapping[kinds.BucketKey, str]
"""What a run noted of its raw keys."""


def _shares(
    groups: Mapping[kinds.BucketKey, list[Finding]], counted: Counter[kinds.BucketKey]
) -> tuple[_Shares, dict[kinds.BucketKey, int]]:
    """How many of the findings that were only counted belong to each group: by raw key, in proportion to the saved.

    And how many of each raw key belong to none.
    """
    saved: dict[kinds.BucketKey, Counter[kinds.BucketKey]] = defaultdict(Counter)
    for name, found in groups.items():
        for f in found:  # reducing may have changed the kind, and so the key
            for key in {f.key, f.record.first.bucket or f.key}:
                saved[key][name] += f.count
    shares: _Shares = dict.fromkeys(groups, 0)
    for key in counted.keys() & saved.keys():
        left, weight = counted[key], saved[key].total()
        for name, part in sorted(saved[key].items(), key=lambda item: (item[1], str(item[0]))):
            share = left * part // weight
            shares[name] += share
            left, weight = left - share, weight - part
    return shares, {key: n for key, n in counted.items() if key not in saved}


def issue_of(bucket: Bucket, known: KnownBuckets, noted: _Issues = MappingProxyType({})) -> str | None:
    """The issue of a bucket: that of all its findings, or of all its keys if none is saved."""
    issues = [issue_of_finding(found, known, noted, bucket.key) for found in bucket.findings]
    issues = issues or [known.issue_of(bucket.key, key) or noted.get(key) for key in bucket.raw]
    return issues[0] if all(issues) else None


def issue_of_finding(
    found: Finding, known: KnownBuckets, noted: _Issues = MappingProxyType({}), bucket: kinds.BucketKey | None = None
) -> str | None:
    """The issue of a finding: by its keys, known departures or signature, else its bucket or a branch that fits it."""
    names = fitting_departures(found)
    causes = [names] if names else [(name,) for name in sorted(fitting(found))]
    own = bucket if bucket is not None and is_named_by(found, bucket) else None
    keys = filter(None, [own, *signature_keys(found), found.key, found.fine])
    return known.issue_of(*keys, causes=causes) or noted.get(found.key)


def known_keys(bucket: Bucket, buckets: Iterable[Bucket]) -> list[kinds.BucketKey]:
    """What to write into a known-file so that later runs know the bucket, and nothing else.

    Its name and the words by which texts are refused; unless it has a signature or a branch fits, also the raw keys
    that are its alone and name a cause, else the fine keys.
    """
    own = bucket.findings
    fits = bool(own) and bucket.branch is not None and bucket.certainty is Certainty.FITS
    if fits or bucket.key.cause.right:
        return list(dict.fromkeys([bucket.key, *(f.key.plain for f in own if is_refused(f))]))
    others = {key for other in buckets if other.key != bucket.key for key in other.raw}
    raw = dict.fromkeys(f.key for f in own) if own else bucket.raw
    alone = [key for key in raw if key not in others and not says_too_little(key)]
    fine = [f.fine for f in own if f.key not in alone and f.fine != f.key]
    return list(dict.fromkeys([bucket.key, *alone, *fine]))


def says_too_little(key: kinds.BucketKey) -> bool:
    """Whether a raw key, once known, would hide faults that nobody has seen: another spelling's unsoundness, say."""
    is_bare = key.cause in (kinds.UNEXPLAINED, kinds.NO_RULE) or (key.cause.relation and not key.cause.departures)
    return bool(is_bare) or (key.kind is kinds.Kind.UNSOUND and key.cause.is_about_spelling)


# ------------------------------------------------------------------------------------------------------------ decisions


@dataclass(slots=True)
class Triage:
    """A run, its buckets, their numbers, and what was decided."""

    run: StoredRun
    known_file: Path
    buckets: list[Bucket] = field(default_factory=list)
    dropped: dict[str, str] = field(default_factory=dict)
    """The reason, by the bucket's name."""
    seen: frozenset[str] = frozenset()
    """The names of buckets that an earlier run had as well, if it was held against one."""
    replayed: dict[str, dict[str, str]] = field(default_factory=dict)
    """What targets said when they were asked again, by the bucket's name."""
    numbers: dict[str, int] = field(default_factory=dict)
    """By the bucket's name; a number is given once and for all. Of buckets without one those come first that the run
    found new, then the most severe: what people decide does not matter."""
    numbers_of_findings: dict[str, int] = field(default_factory=dict)
    """The number of the bucket that each finding was in: a bucket of another name has that of most of its findings."""
    known: KnownBuckets = field(default_factory=KnownBuckets)
    _before: list[tuple[dict[Path, bytes | None], KnownBuckets, list[Bucket], dict[str, str]]] = field(
        default_factory=list
    )
    """What each decision of this session found: the files, the known, the buckets, the dropped."""

    @classmethod
    def of(
        cls,
        run: StoredRun,
        known_file: Path | None = None,
        like: str | None = None,
        earlier: StoredRun | None = None,
    ) -> "Triage":
        """Reads the decisions, which go into the known-file, by default the run's own. It is read with the one that the
        run was given and those of the run and of an `earlier` one; with `like`, also with what ships. Raises Problem.
        """
        record, triage = run.record, cls(run, known_file or run.path / FILE)
        runs = [one for one in (run, earlier) if one is not None]
        given = [Path(name) for name in (record.known_file,) if name is not None]
        for missing in (path for path in given if known_file is None and not path.is_file()):
            notice(f"{missing}, the known-file of {run.path}, is not there: what it has may count as new")
        triage.known = load_all([triage.known_file, *given, *(one.path / FILE for one in runs)])
        if build := like or record.like:
            triage.known += known_or_shipped(None, like=build)
        triage.buckets = bucketed(run, triage.known)
        specs = run.record.specs
        if lines := [line for one in runs for line in one.replays()]:
            for one in triage.buckets:
                if words := words_by_target(one.findings, lines, family_of(one.target, specs), runs):
                    triage.replayed[one.name] = words
        if (decisions := read_decisions(run.path)) is not None:
            triage.dropped, triage.numbers = decisions.dropped, dict(decisions.numbers)
            triage.numbers_of_findings = decisions.findings
        # A bucket whose findings were all dropped before under other names is dropped, too.
        for bucket in triage.buckets:
            reasons = [triage.dropped.get(str(f.fine)) or triage.dropped.get(str(f.key)) for f in bucket.findings]
            if reasons and all(reasons):
                triage.dropped.setdefault(bucket.name, str(reasons[0]))
        triage._give_numbers()
        triage.put_in_order()
        return triage

    def _give_numbers(self) -> None:
        """Gives each bucket the number that most of its findings have, or its name, unless another has more of it."""
        votes = {b.name: Counter(filter(None, map(self._number_before, b.findings))) for b in self.buckets}
        for name in votes.keys() & self.numbers.keys():
            votes[name][self.numbers[name]] += 1
        claims = sorted((-n, number, name) for name, of_name in votes.items() for number, n in of_name.items())
        last = max((*self.numbers.values(), *self.numbers_of_findings.values()), default=0)
        given: dict[int, str] = {}
        for _, number, name in claims:
            if name not in given.values():
                given.setdefault(number, name)
        self.numbers |= {name: number for number, name in given.items()}
        noted = {b.name for b in self.buckets if issue_of(b, KnownBuckets(), self.run.record.known)}
        without = sorted((name for name in votes if name not in given.values()), key=noted.__contains__)
        self.numbers |= {name: number for number, name in enumerate(without, last + 1)}

    def _number_before(self, found: Finding) -> int | None:
        return self.numbers_of_findings.get(_identity(found))

    def put_in_order(self) -> None:
        """New buckets first, then those seen, known and dropped; each of these by severity, then by count."""
        self.buckets.sort(key=lambda bucket: STATES.index(self.state(bucket)))

    def number(self, bucket: Bucket) -> int:
        """The lasting number of a bucket."""
        return self.numbers[bucket.name]

    def about_to_be_shown(self) -> None:
        """Puts the buckets in order, and writes the numbers that people will read, so that what a resumed run finds
        gets others, if that can be done.
        """
        self.put_in_order()
        path = self.run.path / DECISIONS
        content = to_json(self._record())
        if self.buckets and not (path.exists() and path.read_bytes() == content):
            with suppress(StorageError):
                write_atomically(path, content)

    def find(self, wanted: str) -> int:
        """The index of a bucket by its number, `3` or `#3`, or its name; raises Problem."""
        if wanted.removeprefix("#").isdecimal():
            number = int(wanted.removeprefix("#"))
            held = [sum(self._number_before(f) == number for f in bucket.findings) for bucket in self.buckets]
            for i, bucket in enumerate(self.buckets):
                if self.number(bucket) == number:
                    return i
            if any(held):  # its findings are in the buckets of others now
                return held.index(max(held))
            raise Problem(f"there is no bucket #{number}: the run has {len(self.buckets)}")
        for i, bucket in enumerate(self.buckets):
            if wanted == bucket.name or wanted in map(str, bucket.raw):
                return i
        raise Problem(f"no bucket is called {wanted}; `triage RUN --format text` lists them with their numbers")

    def state(self, bucket: Bucket) -> str:
        """`new`, `known`, `dropped`, or `seen` if an earlier run had it and nobody decided."""
        if bucket.name in self.dropped:
            return "dropped"
        return "known" if bucket.issue else "seen" if bucket.name in self.seen else "new"

    @property
    def new(self) -> list[Bucket]:
        """The buckets that nobody decided about, and that no earlier run had."""
        return [b for b in self.buckets if self.state(b) == "new"]

    @property
    def met_again(self) -> list[Bucket]:
        """The other buckets."""
        return [b for b in self.buckets if self.state(b) != "new"]

    @property
    def total(self) -> int:
        """All findings of the run."""
        return sum(b.count for b in self.buckets)

    def mark_known(self, index: int, url: str, note: str = "") -> list[str]:
        """Ties a bucket to an issue; the entries written. Raises Problem, also where nothing of it is reduced."""
        bucket = self.buckets[index]
        is_unknown = bucket.certainty is Certainty.UNKNOWN or says_too_little(bucket.key)
        if is_unknown and not any(found.is_reduced for found in bucket.findings):
            raise Problem("nothing of it is reduced, so an entry would hide other faults: reduce first, or --drop it")
        self._remember()
        try:
            keys = known_keys(bucket, self.buckets)
            written = [with_full_names(str(key)) for key in keys if add(self.known_file, key, url, note)]
        except Problem:
            self.undo()
            raise
        self.known = load_all([self.known_file]) + self.known
        self.buckets = [replace(b, issue=issue_of(b, self.known, self.run.record.known)) for b in self.buckets]
        return written

    def drop(self, index: int, reason: str) -> None:
        """Notes that nobody need look at a bucket, and why. Raises Problem."""
        if not reason.strip():
            raise Problem("say why the bucket is dropped")
        self._remember()
        self.dropped[self.buckets[index].name] = reason.strip()
        self._save()

    def undrop(self, index: int) -> bool:
        """Takes dropping a bucket back; False if it was not dropped."""
        self._remember()
        bucket = self.buckets[index]
        was = bucket.name in self.dropped
        keys = {key for found in bucket.findings for key in (found.fine, found.key)}
        for name in {bucket.name, *map(str, keys)}:
            self.dropped.pop(name, None)
        self._save()
        return was

    def undo(self) -> bool:
        """Takes the last decision of this session back; False if there is none."""
        if not self._before:
            return False
        files, self.known, self.buckets, self.dropped = self._before.pop()
        for path, content in files.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                write_atomically(path, content)
        return True

    def _save(self) -> None:
        write_atomically(self.run.path / DECISIONS, to_json(self._record()))

    def _record(self) -> TriageRecord:
        now = {_identity(f): self.number(b) for b in self.buckets for f in b.findings}
        gone = {at: n for at, n in self.numbers_of_findings.items() if n not in now.values()}
        self.numbers_of_findings |= now | gone  # a number that no bucket has any more still leads to its findings
        return TriageRecord(dropped=self.dropped, numbers=self.numbers, findings=self.numbers_of_findings)

    def _remember(self) -> None:
        paths = (self.known_file, self.run.path / DECISIONS)
        files = {path: path.read_bytes() if path.exists() else None for path in paths}
        self._before.append((files, self.known, list(self.buckets), dict(self.dropped)))


def _identity(found: Finding) -> str:
    """What tells a finding from the others of its run; in a history its class."""
    return str(found.number or class_of(found.record))


def shared_with(bucket: Bucket) -> tuple[str, ...]:
    """The other targets that show findings of a bucket, too: those that share most of them first."""
    often = Counter(name for found in bucket.findings for name in found.record.shared)
    return tuple(sorted(often, key=lambda name: (-often[name], name)))


def counterparts(bucket: Bucket, buckets: Sequence[Bucket]) -> Mapping[str, tuple[Bucket, ...]]:
    """The buckets of those targets that hold a finding on the same shader; none where it was only counted."""
    wanted = {_shader(found): frozenset(found.record.shared) for found in bucket.findings}
    held = defaultdict[str, list[Bucket]](list)
    for other in buckets:
        if other.target != bucket.target and any(other.target in wanted.get(_shader(f), ()) for f in other.findings):
            held[other.target].append(other)
    return {name: tuple(held[name]) for name in shared_with(bucket)}


def _shader(found: Finding) -> Hashable:
    """Equal for findings on one shader of one run."""
    place = found.record.place
    return place.seed, place.index, place.relation, place.family, place.number, place.file


@dataclass(frozen=True, slots=True)
class Sighting:
    """A run of a history that met a bucket."""

    run: MergedRun
    count: int
    """How many findings of the bucket it saved; of a bucket of which nothing is saved, how many it counted."""
    shader: int | None
    """The place of the first one in the run."""
    target: str

    @property
    def build(self) -> str:
        """The origin of the target that it was met in."""
        return self.run.targets.get(self.target, "")

    def __str__(self) -> str:
        where = "" if self.shader is None else f", shader {self.shader} of seed {self.run.seed}"
        return f"{self.run.date or 'no date'}  {self.run.name}: {self.count:,}{where}  ({self.build or self.target})"


def sightings(run: StoredRun, bucket: Bucket) -> list[Sighting]:
    """The runs that met a bucket, the oldest first; empty for what is one run. Raises Problem."""
    classes = {class_of(found.record) for found in bucket.findings}
    return [Sighting(one, n, shader, bucket.target) for one, n, shader in run.met(classes, bucket.raw)]
