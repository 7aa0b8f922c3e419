"""Runs as they lie on disk, made up: for what reads them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from fuzz.buckets import fine_key
from fuzz.judge import Disagreement, Kind, cause_of, unimplemented
from fuzz.stored import StoredRun, load_run
from oracle.analysis import analyse
from oracle.verdict import Answer, Verdict
from tinywgsl.parser import parse


@dataclass
class MadeUp:
    """A finding to be stored; `target` answers opposite to the reference unless `kind` is no matter of verdicts."""

    text: str
    target: str = "fake"
    kind: Kind | None = None
    cause: str | None = None
    drawn: str | None = None
    more: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)


def store(path: Path, findings: Iterable[MadeUp], counted: dict[str, int] | None = None) -> StoredRun:
    """Writes the folder of a run, and reads it."""
    (path / "findings").mkdir(parents=True)
    (path / "run.json").write_bytes(orjson.dumps({"version": "0", "seed": 1, "finished": True, "buckets": {}}))
    for number, made_up in enumerate(findings):
        _write(path / "findings" / f"{number:03}-finding", number, made_up)
    lines = [orjson.dumps({"key": key, "seed": 1}) + b"\n" for key, n in (counted or {}).items() for _ in range(n)]
    (path / "counted.jsonl").write_bytes(b"".join(lines))
    return load_run(path)


def _write(folder: Path, index: int, it: MadeUp) -> None:
    folder.mkdir()
    shader = parse(it.text)
    reference = analyse(shader).verdict
    answer = Answer(Verdict.REJECTS if reference is Verdict.ACCEPTS else Verdict.ACCEPTS)
    kind = it.kind or (Kind.TOO_STRICT if reference is Verdict.ACCEPTS else Kind.TOO_LENIENT)
    cause = it.cause or cause_of(shader, reference, kind, answer, implemented=True)
    found = Disagreement(it.target, kind, answer, cause)
    record: dict[str, Any] = {
        "kind": kind.value,
        "target": it.target,
        "bucket": found.key,
        "cause": cause,
        "fine": fine_key(shader, found),
        "index": index,
        "seed": 1,
        "describes": "reduced.wgsl",
        "statements": {"drawn": 9, "reduced": it.text.count(";")},
        "verdicts": {"paper": reference.value, it.target: answer.verdict.value},
        "targets": {it.target: "made up"},
        "explanation": [],
    }
    (folder / "finding.json").write_bytes(orjson.dumps(record | it.more))
    files = {"drawn.wgsl": it.drawn or it.text, "reduced.wgsl": it.text} | it.files
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def a_day(path: Path, texts: dict[str, list[str]], raw: int = 50_000) -> StoredRun:
    """A day's worth: of two targets, one of them without an analysis, `raw` findings of which some hundred are saved.

    `texts` has the shaders for `tint@0.3.8` and `naga@29.0.1.1`.
    """
    tint = [MadeUp(text, "tint@0.3.8") for text in texts["tint@0.3.8"] for _ in range(20)]
    naga = [MadeUp(text, "naga@29.0.1.1", cause="uniformity not implemented") for text in texts["naga@29.0.1.1"]]
    first = store(path / "first", tint)
    keys = sorted({found.key for found in first.findings})
    counted = dict.fromkeys(keys, 100)
    counted[unimplemented("naga@29.0.1.1")] = raw - len(tint) - len(naga) - sum(counted.values())
    return store(path / "day", [*tint, *naga], counted)
