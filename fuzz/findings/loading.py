"""A run as it lies on disk: what `triage`, `report` and `--resume` read. The layout is in `fuzz.findings.directory`."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import orjson

from fuzz.cases.plan import Plan, Recipe
from fuzz.findings.directory import lines_of
from fuzz.findings.schema import fault
from fuzz.judging.judge import Kind
from fuzz.problems import Problem
from strategies import GENERATOR_VERSION


@dataclass(frozen=True, slots=True)
class StoredFinding:
    """A saved finding; `record` is its finding.json."""

    folder: Path
    record: dict[str, Any]

    @property
    def kind(self) -> Kind:
        """Its kind."""
        return Kind(self.record["kind"])

    @property
    def target(self) -> str:
        """The oracle that it is about."""
        return str(self.record["target"])

    @property
    def key(self) -> str:
        """Its raw bucket."""
        return str(self.record["bucket"])

    @property
    def fine(self) -> str:
        """Its fine bucket; the raw one if it was never reduced."""
        return str(self.record.get("fine") or self.key)

    @property
    def text(self) -> str:
        """The shader that the record describes: the reduced one if there is one."""
        return self.file(self.record.get("describes", "drawn.wgsl")) or ""

    def file(self, name: str) -> str | None:
        """Another text of the finding: `drawn.wgsl`, `related.wgsl`, `nearest.wgsl`; None if there is none."""
        try:
            return (self.folder / name).read_text(encoding="utf-8")
        except OSError:
            return None


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run's folder."""

    path: Path
    record: dict[str, Any]
    findings: tuple[StoredFinding, ...]
    broken: tuple[str, ...]
    """A line for each folder that holds no finding: a run that was killed may leave one behind."""

    def counted(self) -> Counter[str]:
        """How many findings of each raw key were counted without being saved."""
        return Counter(str(line["key"]) for line in lines_of(self.path / "counted.jsonl") if "key" in line)

    def progress(self) -> list[dict[str, Any]]:
        """What was done by when: `seconds`, `programs`, `findings`, a line every few seconds."""
        return list(lines_of(self.path / "progress.jsonl"))


_RUN = {
    "version": "text", "targets": "words", "reference": "counts", "semantics": "counts", "answers": "tables",
    "findings": "counts", "buckets": "counts", "coverage": "counts", "known": "words",
    "programs": "number", "seconds": "number",
}  # fmt: skip
"""What run.json may hold, be it of a campaign or of an enumeration, of that which is read again."""


def read_record(path: Path, *needed: str) -> dict[str, Any]:
    """A run's run.json; raises Problem if the folder is no run's, or if the record is not as runs write it.

    Beside the version it holds what is `needed`; what else it lacks is as in an older record.
    """
    try:
        content = (path / "run.json").read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise Problem(f"{path} is no run: it has no run.json") from None
    except OSError as error:
        raise Problem(f"cannot read {path}/run.json: {error.strerror}") from error
    with as_recorded(path):
        record = orjson.loads(content)
        if not isinstance(record, dict):
            raise TypeError("it is no JSON object")
        for name in ("version", *needed):
            if record[name] is None:
                raise TypeError(f"{name!r} is null")
        if wrong := fault(record, _RUN):
            raise TypeError(wrong)
    return record


@contextmanager
def as_recorded(path: Path, name: str = "run.json") -> Iterator[None]:
    """For what takes a run's record to pieces: where it is not as runs write it, it is damaged, and that a Problem."""
    try:
        yield
    except orjson.JSONDecodeError as error:
        raise Problem(f"{path}/{name} is damaged: it is not JSON ({error})") from error
    except KeyError as error:
        raise Problem(f"{path}/{name} is damaged: there is no {error}") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise Problem(f"{path}/{name} is damaged: {error}") from error


def read_campaign(path: Path) -> tuple[dict[str, Any], Plan]:
    """The record of a campaign and its plan, by which we draw the same shaders; raises Problem."""
    record = read_record(path, "generator")
    if "enumeration" in record:
        raise Problem(f"{path} is a run of enumerate, not of a campaign: see `wgsl-fuzz enumerate --resume`")
    if record["generator"] != GENERATOR_VERSION:
        raise Problem(f"{path} was drawn by generator {record['generator']}; this one is {GENERATOR_VERSION}")
    with as_recorded(path):
        _ = [record["plan"][field.name] for field in fields(Plan)]
        plan = Plan.from_json(record["plan"])
        _ = plan.base, [record[name] for name in ("steered", "targets", "programs", "seconds")]
    return record, plan


def load_run(path: Path) -> StoredRun:
    """Reads a run's folder; raises Problem if it is none."""
    record = read_record(path)
    findings: list[StoredFinding] = []
    broken: list[str] = []
    for folder in sorted((path / "findings").glob("*/")):
        try:
            found = StoredFinding(folder, orjson.loads((folder / "finding.json").read_bytes()))
            _ = found.kind, found.target, found.key
        except (OSError, ValueError, KeyError, TypeError) as error:
            broken.append(f"{folder.name}: {error}")
        else:
            findings.append(found)
    return StoredRun(path, record, tuple(findings), tuple(broken))


def load_recipes(path: Path) -> dict[int, Recipe]:
    """The recipes of a run's steered groups; raises Problem."""
    with as_recorded(path, "recipes.jsonl"):
        texts = {line["id"]: line["text"] for line in lines_of(path / "parents.jsonl")}
        recipes = lines_of(path / "recipes.jsonl")
        return {line["group"]: Recipe(line["like"], tuple(texts[i] for i in line["parents"])) for line in recipes}
