"""Runs made up for tests of what reads them: folders as `fuzz.findings` writes them."""

import json
from pathlib import Path
from typing import Any

from fuzz.stored import StoredRun, load_run

STRICT = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    workgroupBarrier();
    if (lid >= 0u) {
      break;
    }
    break;
    continue;
  }
  workgroupBarrier();
}
"""
"""Fig. 10c: the paper accepts it, without that change it is rejected."""

DIVERGING = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  loop {
    continue;
    continuing {
      workgroupBarrier();
      break if 0u < lid;
    }
  }
}
"""
"""Fig. 10a: accepted without that change, though thread 0 waits and thread 1 has ended."""

NOT_UNIFORM = (
    "4:5 error: 'workgroupBarrier' must only be called from uniform control flow\n5:9 note: builtin 'lid' of 'main'"
)


def strict(**more: Any) -> dict[str, Any]:
    """The record of a finding that STRICT is."""
    return _finding("too-strict", "10c", {"paper": "accepts", "semantics": "not-seen", "tint@0.3.8": "rejects"}) | {
        "message": NOT_UNIFORM,
        **more,
    }


def unsound(**more: Any) -> dict[str, Any]:
    """The record of a finding that DIVERGING is."""
    return _finding("unsound", "10a", {"paper": "rejects", "semantics": "diverges", "tint@0.3.8": "accepts"}) | more


def _finding(kind: str, cause: str, verdicts: dict[str, str]) -> dict[str, Any]:
    target = "tint@0.3.8"
    return {
        "kind": kind,
        "target": target,
        "bucket": f"{target} {kind} {cause}",
        "cause": cause,
        "seed": 5,
        "index": 7,
        "describes": "reduced.wgsl",
        "threads": 2,
        "verdicts": verdicts,
        "message": "",
        "statements": {"drawn": 30, "reduced": 5},
        "explanation": [],
        "draw again": "wgsl-fuzz generate -n 1 --seed 5 --first 7",
        "reproduce": f"wgsl-fuzz check reduced.wgsl --oracle paper --oracle {target}",
    }


class MadeUpRun:
    """A run's folder in the making. `found` adds a finding; `record` is its run.json."""

    def __init__(self, path: Path, **record: Any) -> None:
        self.path = path
        self.record: dict[str, Any] = {
            "version": "1",
            "generator": 1,
            "seed": 5,
            "profile": "default",
            "targets": {"tint@0.3.8": "npm webgpu 0.3.8"},
            "finished": True,
            "programs": 100,
            "seconds": 20.0,
            "reference": {"accepts": 70, "rejects": 30},
            "semantics": {"not-seen": 70},
            "answers": {"tint@0.3.8": {"accepts": 70, "rejects": 30}},
            "buckets": {},
            "coverage": None,
        } | record
        (path / "findings").mkdir(parents=True)

    def found(self, record: dict[str, Any], **texts: str) -> Path:
        """Writes a finding; `reduced="..."` is its reduced.wgsl, and so on."""
        number = len(list((self.path / "findings").iterdir())) + 1
        folder = self.path / "findings" / f"{number:03}-{record['kind']}-tint"
        folder.mkdir()
        for name, text in texts.items():
            (folder / f"{name}.wgsl").write_text(text, encoding="utf-8")
        (folder / "finding.json").write_text(json.dumps(record), encoding="utf-8")
        buckets = self.record["buckets"]
        buckets[record["bucket"]] = buckets.get(record["bucket"], 0) + 1
        return folder

    def stored(self) -> StoredRun:
        """Writes run.json and reads all of it."""
        (self.path / "run.json").write_text(json.dumps(self.record), encoding="utf-8")
        return load_run(self.path)
