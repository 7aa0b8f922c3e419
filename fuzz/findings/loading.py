"""A run as it lies on disk: what `triage`, `report` and `--resume` read. All of it is in the run's state."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from wgsl_fuzz.fuzz.cases.course import ShaderSequence
from wgsl_fuzz.fuzz.cases.plan import LANGUAGES, Plan
from wgsl_fuzz.fuzz.findings import records
from wgsl_fuzz.fuzz.findings.directory import FINDING, FINDINGS, PENDING, REPLAYS, lines_of
from wgsl_fuzz.fuzz.findings.finding import Finding, finding_of
from wgsl_fuzz.fuzz.findings.history import History, as_stored, folder_of
from wgsl_fuzz.fuzz.findings.schema import Record, RecordError, fields_of, from_json, key_of, read
from wgsl_fuzz.fuzz.findings.state import LOCK, STATE, RunState, is_locked, stored_key
from wgsl_fuzz.fuzz.judging.kinds import BucketKey
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, Notion
from wgsl_fuzz.strategies import GENERATOR_VERSION

NAMED = 3
"""So many runs in a folder are named; the others are counted."""


Damage = tuple[str, str]
"""A finding that cannot be read: the name of its folder, and why."""


def check_whole(where: str, broken: Sequence[Damage]) -> None:
    """Raises Problem, which names what is damaged, and what is wrong with the first of it."""
    if broken:
        names = list(dict.fromkeys(name for name, _ in broken))
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        raise Problem(f"{where}: left out: {', '.join([f'{names[0]} ({broken[0][1]})', *names[1:3]])}{more}")


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run's folder."""

    path: Path
    record: records.RunRecord
    findings: tuple[Finding, ...]
    broken: tuple[Damage, ...]
    """What is saved and cannot be read."""
    counted: Counter[BucketKey]
    """How many findings of each raw key were counted without being saved."""

    @property
    def notion(self) -> Notion:
        """What counts as convergence in it; of a history what the paper asks, unless a finding says otherwise."""
        plan = self.record.plan
        return CONTROL_STACKS if plan is None else plan.convergence

    @property
    def runs(self) -> tuple[records.MergedRun, ...]:
        """The runs that were merged into it; none if it is one run."""
        return self.record.runs if isinstance(self.record, records.HistoryRecord) else ()

    def met(self, classes: Iterable[str], raw: Iterable[BucketKey]) -> list[tuple[records.MergedRun, int, int | None]]:
        """The merged runs that met findings of some classes, else of some raw buckets, the oldest first.

        Each with how many it met, and the place of the first shader. Raises Problem.
        """
        by_id = {one.id: one for one in self.runs}
        if not by_id:
            return []
        with state_of(self.path) as state:
            met = list(History(state).sightings(sorted(classes), raw))
        order = list(by_id)
        found = [(by_id[name], n, shader) for name, n, shader in met if name in by_id]
        return sorted(found, key=lambda one: order.index(one[0].id))

    def replays(self) -> list[records.ReplayLine]:
        """What `replay` noted of its findings; without lines that are damaged."""
        return list(lines_of(self.path / REPLAYS, records.ReplayLine))


@contextmanager
def state_of(path: Path) -> Iterator[RunState]:
    """The state of the run in a folder, to be read. Raises Problem."""
    if not path.exists():
        raise Problem(f"there is no folder {path}")
    if not (path / STATE).is_file():
        raise Problem(f"{path} is no run: it has no {STATE}{_runs_inside(path)}")
    state = None
    try:
        with damage_named(path, STATE):
            state = RunState(path, reading=True)
            yield state
    finally:
        if state is not None:
            state.close()


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
    """The record of a run; raises Problem if the folder is no run's."""
    with state_of(path) as state:
        value = from_json(state.value("SELECT content FROM record"))
        read(Record, value)  # of whatever version
    return cast(dict[str, object], value)


def _runs_inside(path: Path) -> str:
    """A hint at the runs that a folder holds, the latest first; nothing if there is none."""
    try:
        runs = sorted(path.glob(f"*/{STATE}"), key=lambda run: run.stat().st_mtime, reverse=True)
    except OSError:
        return ""
    names = [str(run.parent) for run in runs]
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"; it holds runs, the latest first: {', '.join(names[:NAMED])}{more}" if names else ""


def read_run(path: Path) -> records.RunRecord:
    """A run's run.json; raises Problem if the folder is no run's, or if the record is not as runs write it."""
    value = _run_json(path)
    with damage_named(path, STATE):
        return read(records.HistoryRecord if "runs" in value else records.RunRecord, value)


def read_campaign(path: Path) -> tuple[records.RunRecord, Plan]:
    """The record of a campaign or an enumeration and its plan, by which we make the same shaders; raises Problem."""
    value = _run_json(path)
    if "runs" in value:
        raise Problem(f"{path} is several runs that were merged: only one of these can go on, in its own folder")
    with damage_named(path, STATE):
        given, drawn_by = value.get("plan"), value.get("generator")
        enumerates = isinstance(given, dict) and given.get("course") is not None
        if not enumerates and drawn_by not in (None, GENERATOR_VERSION):  # first: its plan may have had other keys
            raise Problem(f"{path} was drawn by generator {drawn_by}; this one is {GENERATOR_VERSION}")
        record = read(records.RunRecord, value, ("version", "generator", "plan", "targets", "programs", "seconds"))
        plan = read(Plan, value["plan"], [key_of(f) for f in fields_of(Plan) if f.name not in ("require", "course")])
        if plan.course is not None:
            _ = ShaderSequence.of(plan.course)
        elif plan.language not in LANGUAGES:
            raise ValueError(f"'plan: language' is {plan.language!r}, not one of {', '.join(LANGUAGES)}")
    return record, plan


def load_run(path: Path) -> StoredRun:
    """Reads a run; raises Problem if the folder is none's. A finding that is damaged is left out and named."""
    record = read_run(path)
    if isinstance(record, records.HistoryRecord):
        return load_history(path, record)
    findings, broken = list[Finding](), list[Damage]()
    with state_of(path) as state:
        state.snapshot()
        for number, nth, folder, content, files in state.stream(
            "SELECT number, nth, folder, record, files FROM finding ORDER BY number"
        ):
            try:
                found = finding_of(content, files)
            except RecordError as error:
                broken.append((str(folder), error.about(FINDING)))
                continue
            place = path / FINDINGS / str(folder)
            findings.append(replace(found, folder=place, number=number, nth=nth, specs=record.specs))
        query = "SELECT key, count(*) FROM counted JOIN bucket ON id = bucket GROUP BY id"
        counted = Counter({stored_key(key): n for key, n in state.rows(query)})
    return StoredRun(path, record, tuple(findings), tuple(broken), counted)


def load_history(path: Path, record: records.HistoryRecord, without: str | None = None) -> StoredRun:
    """Reads a history: of each class of findings the one that stands for it; without the run of this identity."""
    findings = list[Finding]()
    with state_of(path) as state:
        state.snapshot()
        history = History(state)
        left_out = None if without is None else history.number_of(without)
        for found in history.representatives(left_out):
            folder = path / FINDINGS / folder_of(found)
            stored = as_stored(found, folder, record.specs)
            findings.append(replace(found, folder=folder, record=stored, specs=record.specs))
        counted = Counter(dict(history.counted(left_out)))
    return StoredRun(path, record, tuple(findings), (), +counted)


def pending_of(path: Path) -> int:
    """How many findings of a run are still to be reduced. Raises Problem."""
    with state_of(path) as state:
        return int(state.value("SELECT count(*) FROM finding WHERE reduction = ?", PENDING))


def is_in_use(path: Path) -> bool:
    """Whether a process writes to the folder of a run."""
    return (path / LOCK).exists() and is_locked(path)
