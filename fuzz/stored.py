"""A run as it lies on disk: what `triage` and `report` read. The layout is that of `fuzz.findings`."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from fuzz.drawing import Recipe
from fuzz.findings import lines_of
from fuzz.judge import Kind
from fuzz.problems import Problem


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


def read_record(path: Path) -> dict[str, Any]:
    """A run's run.json; raises Problem if the folder is no run's."""
    try:
        record = orjson.loads((path / "run.json").read_bytes())
    except FileNotFoundError:
        raise Problem(f"{path} is no run: it has no run.json") from None
    except (OSError, orjson.JSONDecodeError) as error:
        raise Problem(f"{path}/run.json cannot be read: {error}") from error
    if not isinstance(record, dict):
        raise Problem(f"{path}/run.json is not the record of a run")
    return record


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
    """The recipes of a run's steered groups."""
    texts = {line["id"]: line["text"] for line in lines_of(path / "parents.jsonl")}
    recipes = lines_of(path / "recipes.jsonl")
    return {line["group"]: Recipe(line["like"], tuple(texts[i] for i in line["parents"])) for line in recipes}
