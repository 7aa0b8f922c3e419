"""A run as it lies on disk: what `triage`, `report` and `--resume` read. The layout is in `fuzz.findings.directory`.

Runs of older versions have no state, but logs.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import cast

from wgsl_fuzz.fuzz.cases.plan import LANGUAGES, Plan
from wgsl_fuzz.fuzz.files import read_plain, text_of
from wgsl_fuzz.fuzz.findings.directory import (
    COUNTED,
    FINDING,
    FINDINGS,
    PENDING,
    PROGRESS,
    REPLAYS,
    RUN,
    StorageError,
    lines_of,
    read_finding,
    stored_json,
)
from wgsl_fuzz.fuzz.findings.history import History, as_stored, folder_of
from wgsl_fuzz.fuzz.findings.history_records import HistoryRecord, MergedRun, ReplayLine
from wgsl_fuzz.fuzz.findings.records import (
    RELATED,
    CampaignRecord,
    CountedLine,
    EnumerationRecord,
    FindingRecord,
    ProgressLine,
    RunHead,
    RunRecord,
)
from wgsl_fuzz.fuzz.findings.schema import RecordError, from_json, read
from wgsl_fuzz.fuzz.findings.state import LOCK, STATE, RunState, is_locked
from wgsl_fuzz.fuzz.findings.stats import StatsLine, read_stats
from wgsl_fuzz.fuzz.judging.answers import Examination, examine
from wgsl_fuzz.fuzz.judging.judge import BucketKey, FineKey, Kind
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.dynamics.convergence import CONTROL_STACKS, Notion
from wgsl_fuzz.strategies import GENERATOR_VERSION

NAMED = 3
"""So many runs in a folder are named; the others are counted."""
_PLAN_SINCE = ("uniform", "execute", "convergence")
"""Fields of a plan that may be missing: older runs had none of the last two."""


@dataclass(frozen=True)
class StoredFinding:
    """A saved finding; its texts are read and parsed when they are asked for, each once."""

    folder: Path
    record: FindingRecord
    texts: Mapping[str, str] | None = None
    """Its texts, where the folder is only a copy."""
    count: int = 1
    """For how many saved findings it stands: in a history, for all of its class."""

    @property
    def kind(self) -> Kind:
        """Its kind."""
        return self.record.kind

    @property
    def target(self) -> str:
        """The oracle that it is about."""
        return self.record.target

    @property
    def key(self) -> BucketKey:
        """Its raw bucket."""
        return self.record.bucket

    @property
    def fine(self) -> FineKey | BucketKey:
        """Its fine bucket; the raw one if it was never reduced."""
        return self.record.fine or self.key

    @property
    def known_paths(self) -> list[str]:
        """The files of this machine that its record names: compilers, and the shader's own."""
        paths = [name.partition(":")[2] for name in (self.target, *self.record.targets)]
        return [path for path in (*paths, self.record.place.file) if path]

    @property
    def text(self) -> str:
        """The shader that the record describes: the reduced one if there is one."""
        return self.file(self.record.describes) or ""

    @cached_property
    def _texts(self) -> dict[str, str | None]:
        return {}

    @cached_property
    def _examined(self) -> dict[str, Examination]:
        return {}

    def file(self, name: str) -> str | None:
        """Another text of the finding: `drawn.wgsl`, `related.wgsl`, `nearest.wgsl`; None if there is none."""
        if self.texts is not None:
            return self.texts.get(name)
        if name not in self._texts:
            try:
                self._texts[name] = text_of(read_plain(self.folder / name))
            except OSError:
                self._texts[name] = None
        return self._texts[name]

    def examined(self, name: str | None = None) -> Examination:
        """The text of this file, by default the one that the record describes, with the tree and its places."""
        name = name or self.record.describes
        if name not in self._examined:
            self._examined[name] = examine(self.file(name) or "", self.record.notion)
        return self._examined[name]

    @property
    def related(self) -> Examination | None:
        """The other text of a finding with two, examined."""
        return None if self.file(RELATED) is None else self.examined(RELATED)


@dataclass(frozen=True, slots=True)
class Damage:
    """What of a run cannot be read: a finding's folder, or a log."""

    name: str
    fault: str
    left_behind: bool = False
    """Whether it is no more than a folder without a record, as a run leaves behind that is killed."""

    def __str__(self) -> str:
        return f"{self.name}: {self.fault}"


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run's folder."""

    path: Path
    record: RunRecord
    findings: tuple[StoredFinding, ...]
    broken: tuple[Damage, ...]
    """The folders that hold no finding, and what else cannot be read."""
    counted: Counter[BucketKey]
    """How many findings of each raw key were counted without being saved ..."""
    counted_twins: Counter[BucketKey]
    """... and how many of those, in a history of all, are on a shader that a relation made of a drawn one."""

    @property
    def notion(self) -> Notion:
        """What counts as convergence in it; of a history what the paper asks, unless a finding says otherwise."""
        plan = self.record.plan if isinstance(self.record, CampaignRecord) else None
        return CONTROL_STACKS if plan is None else plan.convergence

    @property
    def runs(self) -> tuple[MergedRun, ...]:
        """The runs that were merged into it; none if it is one run."""
        return self.record.runs if isinstance(self.record, HistoryRecord) else ()

    def met(self, classes: Iterable[str], raw: Iterable[BucketKey]) -> list[tuple[MergedRun, int, int | None]]:
        """The merged runs that met findings of some classes, else of some raw buckets, the oldest first.

        Each with how many it met, and the place of the first shader. Raises Problem.
        """
        by_id = {one.id: one for one in self.runs}
        if not by_id:
            return []
        with state_of(self.path) as state:
            met = [] if state is None else list(History(state).sightings(sorted(classes), raw))
        order = list(by_id)
        found = [(by_id[name], n, shader) for name, n, shader in met if name in by_id]
        return sorted(found, key=lambda one: order.index(one[0].id))

    def replays(self) -> list[ReplayLine]:
        """What `replay` noted of its findings; without lines that are damaged."""
        return list(lines_of(self.path / REPLAYS, ReplayLine, []))

    def progress(self) -> list[ProgressLine]:
        """What was done by when, a line every few seconds; without lines that are damaged."""
        return progress_of(self.path)

    def stats(self) -> list[StatsLine]:
        """What it used and how fast it was over time; none for an older run."""
        return read_stats(self.path)


@contextmanager
def state_of(path: Path) -> Iterator[RunState | None]:
    """The state of the run in a folder, to be read; None for a run without one. Raises Problem."""
    state = None
    try:
        with damage_named(path, STATE):
            state = RunState(path, reading=True) if (path / STATE).is_file() else None
            yield state
    except StorageError as error:
        raise Problem(str(error)) from error
    finally:
        if state is not None:
            state.close()


def _source(path: Path) -> str:
    """The file that a run's record is read from."""
    return STATE if (path / STATE).is_file() else RUN


@contextmanager
def damage_named(path: Path, name: str) -> Iterator[None]:
    """For what reads a file of a run: where it is not as runs write it, that is a Problem of one line."""
    try:
        yield
    except RecordError as error:
        raise Problem(error.about(path / name)) from error
    except KeyError as error:
        raise Problem(f"{path / name} is damaged: there is no {error}") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise Problem(f"{path / name} is damaged: {error}") from error


def _run_json(path: Path) -> dict[str, object]:
    """The record of a run, from its state or else its run.json; raises Problem if the folder is no run's."""
    with state_of(path) as state:
        content = None if state is None else state.value("SELECT content FROM record")
    with damage_named(path, _source(path)):
        value = stored_json(_copy(path) if content is None else content)
        read(RunHead, value)
    return cast(dict[str, object], value)


def _copy(path: Path) -> bytes:
    """A run's run.json, the copy of its record for people."""
    try:
        return read_plain(path / RUN)
    except (FileNotFoundError, NotADirectoryError):
        raise Problem(f"{path} is no run: it has no {RUN}{_runs_inside(path)}") from None
    except OSError as error:
        raise Problem(f"cannot read {path}/{RUN}: {error.strerror}") from error


def _runs_inside(path: Path) -> str:
    """A hint at the runs that a folder holds, the latest first; nothing if there is none."""
    try:
        runs = sorted(path.glob(f"*/{RUN}"), key=lambda run: run.stat().st_mtime, reverse=True)
    except OSError:
        return ""
    names = [str(run.parent) for run in runs]
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"; it holds runs, the latest first: {', '.join(names[:NAMED])}{more}" if names else ""


def read_run(path: Path) -> RunRecord:
    """A run's run.json; raises Problem if the folder is no run's, or if the record is not as runs write it."""
    value = _run_json(path)
    with damage_named(path, _source(path)):
        if "enumeration" in value:
            return read(EnumerationRecord, value)
        return read(HistoryRecord, value) if "runs" in value else read(CampaignRecord, value)


def _refuse_history(path: Path, value: dict[str, object]) -> None:
    """Raises Problem for several runs where one is wanted."""
    if "runs" in value:
        raise Problem(f"{path} is several runs that were merged: only one of these can go on, in its own folder")


def read_enumeration(path: Path) -> EnumerationRecord:
    """The record of an enumeration to go on with; raises Problem."""
    value = _run_json(path)
    _refuse_history(path, value)
    if "enumeration" not in value:
        raise Problem(f"{path} is a campaign, no run of enumerate: go on with `wgsl-fuzz --resume {path}`")
    counts = ("position", "programs", "seconds", "reference", "semantics", "answers", "findings", "buckets")
    with damage_named(path, _source(path)):
        return read(EnumerationRecord, value, ("targets", *counts))


def read_campaign(path: Path) -> tuple[CampaignRecord, Plan]:
    """The record of a campaign and its plan, by which we draw the same shaders; raises Problem."""
    value = _run_json(path)
    _refuse_history(path, value)
    if "enumeration" in value:
        raise Problem(f"{path} is a run of enumerate, not of a campaign: see `wgsl-fuzz enumerate --resume`")
    with damage_named(path, _source(path)):
        if value.get("generator") not in (None, GENERATOR_VERSION):
            raise Problem(f"{path} was drawn by generator {value['generator']}; this one is {GENERATOR_VERSION}")
        record = read(CampaignRecord, value, ("generator", "plan", "targets", "programs", "seconds"))
        plan = read(Plan, value["plan"], [f.name for f in fields(Plan) if f.name not in _PLAN_SINCE])
        _ = plan.base
        if plan.language not in LANGUAGES:
            raise ValueError(f"'plan: language' is {plan.language!r}, not one of {', '.join(LANGUAGES)}")
    return record, plan


def load_run(path: Path) -> StoredRun:
    """Reads a run's folder; raises Problem if it is none."""
    record = read_run(path)
    if isinstance(record, HistoryRecord) and (path / STATE).is_file():
        return load_history(path, record)
    findings: list[StoredFinding] = []
    broken: list[Damage] = []
    for folder in sorted((path / FINDINGS).glob("*/")):
        if folder.is_symlink():
            broken.append(Damage(folder.name, "it is a link, which is not followed"))
            continue
        try:
            findings.append(StoredFinding(folder, read_finding(folder)))
        except RecordError as error:
            broken.append(Damage(folder.name, error.about(FINDING)))
        except OSError as error:
            broken.append(Damage(folder.name, str(error), left_behind=isinstance(error, FileNotFoundError)))
    counted, twins, faults = _counted(path)
    broken += [Damage(COUNTED, fault) for fault in faults]
    return StoredRun(path, record, tuple(findings), tuple(broken), counted, +twins)


def load_history(path: Path, record: HistoryRecord, without: str | None = None) -> StoredRun:
    """Reads a history: of each class of findings the one that stands for it; without the run of this identity."""
    findings, counted, twins = list[StoredFinding](), Counter[BucketKey](), Counter[BucketKey]()
    with state_of(path) as state:
        assert state is not None, "its caller looked"
        state.snapshot()
        history = History(state)
        left_out = None if without is None else history.number_of(without)
        for sample in history.representatives(left_out):
            folder = path / FINDINGS / folder_of(sample)
            findings.append(
                StoredFinding(folder, as_stored(sample, folder, record.specs), sample.files, max(1, sample.count))
            )
        for key, n, on_twins in history.counted(left_out):
            counted[key], twins[key] = n, on_twins
    return StoredRun(path, record, tuple(findings), (), +counted, +twins)


def _counted(path: Path) -> tuple[Counter[BucketKey], Counter[BucketKey], list[str]]:
    """How many findings of each raw key were only counted, how many of these on twins; and what cannot be read."""
    counted, twins, faults = Counter[BucketKey](), Counter[BucketKey](), list[str]()
    with state_of(path) as state:
        if state is not None:
            twin = "sum(relation IS NOT NULL AND kind <> ?)"
            query = f"SELECT key, count(*), {twin} FROM counted JOIN bucket ON id = bucket GROUP BY id"
            for text, n, on_twins in state.rows(query, Kind.METAMORPHIC.value):
                key = BucketKey.parse(text)
                counted[key], twins[key] = n, on_twins
            return counted, twins, faults
    for line in lines_of(path / COUNTED, CountedLine, faults):  # millions, perhaps: none is kept
        counted[line.key] += 1
        twins[line.key] += line.place.relation is not None and line.kind is not Kind.METAMORPHIC
    return counted, twins, faults


def pending_of(path: Path) -> int:
    """How many findings of a run are still to be reduced; 0 for a run without a state. Raises Problem."""
    with state_of(path) as state:
        return 0 if state is None else state.value("SELECT count(*) FROM finding WHERE reduction = ?", PENDING)


def progress_of(path: Path) -> list[ProgressLine]:
    """What a run had done by when, a line every few seconds. Raises Problem."""
    with state_of(path) as state:
        if state is None:
            return list(lines_of(path / PROGRESS, ProgressLine, []))
        return [read(ProgressLine, from_json(line)) for (line,) in state.rows("SELECT line FROM progress")]


def is_in_use(path: Path) -> bool:
    """Whether a process writes to the folder of a run."""
    return (path / LOCK).exists() and is_locked(path)
