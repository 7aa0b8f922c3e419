"""known.toml: buckets that a person has tied to an issue. They no longer fail a run (docs/words.md).

[[known]]
bucket = "tint@0.3.8 too-strict 10b"      a bucket's raw or fine key; `*` stands for anything
issue = "https://github.com/gpuweb/gpuweb/issues/5100"
note = "fixed in March 2026"              may be left out

[[engine]]
name = "tint@0.6.2"                       what is known of this target ...
targets = ["chromium@156.*"]              ... is known of these, which have the same compiler inside
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from pathlib import Path

import orjson

from wgsl_fuzz.fuzz.files import make_folder, read_text
from wgsl_fuzz.fuzz.findings.directory import write_atomically
from wgsl_fuzz.fuzz.findings.schema import from_toml
from wgsl_fuzz.fuzz.judging.kinds import NO_RULE, VERDICTS_DIFFER, BucketKey, Cause, Kind
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.rules.analyses import with_full_names
from wgsl_fuzz.oracle.targets.protocol import is_akin

FILE = "known.toml"

_HEAD = "# Buckets that are known: `*` stands for anything, the first entry that fits counts.\n"
URL = re.compile(r"https?://[^\s/]+/\S*")
"""Of an issue."""


@dataclass(frozen=True, slots=True)
class KnownBucket:
    """A bucket, or a pattern for several, and its issue."""

    bucket: str
    issue: str
    note: str = ""

    def fits(self, key: str) -> bool:
        """Whether a bucket's key is meant."""
        return _fits(self.bucket, key)


@dataclass(frozen=True, slots=True)
class Engine:
    """A target, and patterns for the names of others that have the same compiler inside."""

    name: str
    targets: tuple[str, ...]

    def is_in(self, target: str) -> bool:
        """Whether a target has it inside."""
        return any(_fits(pattern, target) for pattern in self.targets)


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What a file holds; an entry begins with `[[known]]`."""

    known: tuple[KnownBucket, ...] = ()
    engine: tuple[Engine, ...] = ()


def _target_of(key: BucketKey | str) -> str:
    """The target of a key, or the pattern for the names of targets that an entry begins with."""
    return key.partition(" ")[0] if isinstance(key, str) else key.target


def _fits(pattern: str, text: str) -> bool:
    return _compiled(pattern).fullmatch(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


@dataclass(frozen=True, slots=True)
class KnownBuckets:
    """The entries of one file, in its order."""

    entries: tuple[KnownBucket, ...] = ()
    engines: tuple[Engine, ...] = ()
    like: str | None = None
    """A build: what is known of it is known of all targets of its family."""
    _told: dict[tuple[BucketKey | str, ...], KnownBucket | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """What was said of which keys: a campaign asks about all of its buckets after each task."""

    def __add__(self, other: "KnownBuckets") -> "KnownBuckets":
        """These, then those of another file."""
        return KnownBuckets(self.entries + other.entries, self.engines + other.engines, self.like or other.like)

    def is_about(self, name: str) -> bool:
        """Whether an entry is about a build, or about an engine in it."""
        return any(_fits(_target_of(entry.bucket), one) for entry in self.entries for one in self._builds_in(name))

    def has_no_rule(self, target: str) -> bool:
        """Whether an entry is about a bucket of a target that no rule is the cause of."""
        return any(f" {NO_RULE}" in e.bucket and _fits(_target_of(e.bucket), target) for e in self.entries)

    def entry_of(self, *keys: BucketKey | str) -> KnownBucket | None:
        """The first entry that fits one of a bucket's keys, else one of them as a key of the target's engine."""
        if keys not in self._told:
            self._told[keys] = self._entry_of(keys)
        return self._told[keys]

    def _entry_of(self, keys: Sequence[BucketKey | str]) -> KnownBucket | None:
        # A front end's fault that only a spelling shows is the fault that is known by the target's own words.
        said = [*keys, *(key.plain for key in keys if isinstance(key, BucketKey))]
        for named in ([str(key) for key in said], [text for key in said for text in self._as_engines(key)]):
            if own := next((entry for entry in self.entries if any(map(entry.fits, named))), None):
                return own
        ways = (self._of_parts, self._of_pair)
        return next(filter(None, (way(key) for key in keys for way in ways)), None)

    def _as_engines(self, key: BucketKey | str) -> Iterator[str]:
        """A key with the build that its target is like, and the engines in both, in that target's place."""
        target = _target_of(key)
        rest = str(key).removeprefix(target)
        likened = self._builds_in(self.like) if self.like is not None and is_akin(target, self.like) else []
        return (name + rest for name in [*likened, *self._builds_in(target)[1:]])

    def _builds_in(self, target: str) -> list[str]:
        """A target, and the engines in it."""
        return [target, *(engine.name for engine in self.engines if engine.is_in(target))]

    def _of_parts(self, key: BucketKey | str) -> KnownBucket | None:
        """Of a cause of several departures, each known by itself or with another of them: the entry of the first.

        Of an unsound one, parts that do not diverge by themselves may be known as too lenient, but not all of them.
        """
        names = key.cause.explains if isinstance(key, BucketKey) else ()
        if not isinstance(key, BucketKey) or len(names) < 2:
            return None
        pairs = [*combinations(names, 2)] if len(names) > 2 else []
        causes = [[(name,), *(pair for pair in pairs if name in pair)] for name in names]
        parts = [self._first_of(key, some) for some in causes]
        if key.kind is Kind.UNSOUND and any(parts):
            lenient = replace(key, kind=Kind.TOO_LENIENT)
            parts = [part or self._first_of(lenient, some) for part, some in zip(parts, causes, strict=True)]
        return parts[0] if all(parts) else None

    def _first_of(self, key: BucketKey, causes: Iterable[tuple[str, ...]]) -> KnownBucket | None:
        """The entry of the first of these causes that has one."""
        return next(filter(None, (self.entry_of(replace(key, cause=Cause(names))) for names in causes)), None)

    def _of_pair(self, key: BucketKey | str) -> KnownBucket | None:
        """Of two texts that known departures tell apart: the entry of what one text shows of them by itself."""
        if not isinstance(key, BucketKey) or key.kind not in (Kind.METAMORPHIC, Kind.UNSTABLE):
            return None
        if not (names := key.cause.tells_apart):
            return None
        alone = [replace(key, kind=kind, cause=Cause(names)) for kind in Kind if kind in VERDICTS_DIFFER]
        return next(filter(None, map(self.entry_of, alone)), None)

    def issue_of(self, *keys: BucketKey | str, causes: Iterable[tuple[str, ...]] = ()) -> str | None:
        """The URL of that entry, also for the first key's target with one of the `causes`, of any kind or a key's;
        None for a bucket that nobody knows.
        """
        kinds = dict.fromkeys([None, *(key.kind for key in keys if isinstance(key, BucketKey))])
        named = [BucketKey(_target_of(keys[0]), kind, Cause(names)) for names in causes for kind in kinds]
        entry = self.entry_of(*keys, *named)
        return None if entry is None else entry.issue


def load_known(path: Path) -> KnownBuckets:
    """The entries of a file; raises Problem, one line, if it cannot be read or is not as the module says."""
    return _parsed(read_text(path), path)


def known_or_shipped(given: Path | None, *folders: Path, like: str | None = None) -> KnownBuckets:
    """The entries of the file given, if any, those that `triage` wrote into folders of runs, then those that ship with
    the corpus. What is known of the build `like` counts for its family. Raises Problem.
    """
    first = KnownBuckets() if given is None else load_known(given)
    others = load_all(folder / FILE for folder in (*folders, corpus_folder()))
    return replace(first + others, like=like)


def check_build(like: str) -> None:
    """Raises Problem for a build of which nothing ships, naming those that there are."""
    if not (shipped := known_or_shipped(None)).is_about(like):
        names = {_target_of(e.bucket) for e in shipped.entries} | {p for e in shipped.engines for p in e.targets}
        raise Problem(f"nothing is known of {like!r}; known: {', '.join(sorted(names))}")


def load_all(paths: Iterable[Path]) -> KnownBuckets:
    """The entries of those files that there are, in order; raises Problem as `load_known` does."""
    return sum((load_known(path) for path in paths if path.is_file()), KnownBuckets())


def add(path: Path, key: BucketKey | str, issue: str, note: str = "") -> bool:
    """Appends an entry, and keeps the file's text as it is; makes the file if there is none. Raises Problem.

    An entry that the file has already is left as it is: False. Another issue for a bucket that is known is a Problem.
    """
    text = read_text(path) if path.exists() else _HEAD
    bucket = with_full_names(str(key))
    known = _parsed(text, path).entry_of(bucket if isinstance(key, str) else key)
    if known is not None:
        if known.issue == issue:
            return False
        raise Problem(f"{path}: {bucket!r} is known already, as {known.issue}")
    _append(path, text, KnownBucket(bucket, issue, note))
    return True


def add_all(path: Path, entries: Iterable[KnownBucket]) -> None:
    """Appends entries as they are, also patterns and what an earlier entry hides; raises Problem."""
    for entry in entries:
        _append(path, read_text(path) if path.exists() else _HEAD, entry)


def _append(path: Path, text: str, entry: KnownBucket) -> None:
    fields = {"bucket": entry.bucket, "issue": entry.issue} | ({"note": entry.note} if entry.note else {})
    lines = ["", "[[known]]", *(f"{key} = {_quoted(value)}" for key, value in fields.items()), ""]
    text += ("" if text.endswith("\n") or not text else "\n") + "\n".join(lines)
    if entry not in _parsed(text, path).entries:
        raise Problem(f"{path}: {entry.bucket!r} cannot be appended: the file does not end after a table")
    make_folder(path.parent)
    write_atomically(path, text.encode())


def _quoted(text: str) -> str:
    """A TOML string of one line: JSON's, but for DEL, which TOML wants escaped."""
    try:
        return orjson.dumps(text).decode().replace("\x7f", "\\u007F")
    except orjson.JSONEncodeError as error:
        raise Problem(f"not text: {text!r}") from error


def _parsed(text: str, path: Path) -> KnownBuckets:
    file = from_toml(KnownFile, text, path)
    for n, engine in enumerate(file.engine, 1):
        if not all(name.strip(" *") for name in (engine.name, *engine.targets)):
            raise Problem(f"{path}: engine {n} has no name")
    return KnownBuckets(tuple(_checked(e, f"{path}: entry {n}") for n, e in enumerate(file.known, 1)), file.engine)


def _checked(entry: KnownBucket, where: str) -> KnownBucket:
    """An entry with the full names of variants. Raises Problem."""
    if not entry.bucket.strip(" *"):
        raise Problem(f"{where} names no bucket")
    if not URL.fullmatch(entry.issue):
        raise Problem(f"{where}: 'issue' is not a URL: {entry.issue!r}")
    return replace(entry, bucket=with_full_names(entry.bucket))
