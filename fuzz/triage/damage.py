"""Records that hold something else than a run writes: an edit gone wrong, a disk's fault.

A damaged run.json is a Problem. A damaged finding is left out and named, and the command ends with status 2 when the
rest is done: the other findings are worth as much as before.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fuzz.findings.loading import StoredFinding, StoredRun
from fuzz.findings.schema import fault

_FINDING = {
    "kind": "text", "target": "text", "bucket": "text", "fine": "text", "cause": "text", "describes": "text",
    "message": "text", "reproduce": "text", "draw again": "text", "relation": "text",
    "verdicts": "words", "targets": "words", "related verdicts": "words", "statements": "counts",
    "explanation": "texts", "noted": "texts", "branches": "texts", "nearest": "object", "drawn": "object",
    "spelling": "object", "after": "number", "seed": "number", "index": "number",
}  # fmt: skip
_TEXTS = ("drawn.wgsl", "reduced.wgsl")


def sound(run: StoredRun) -> StoredRun:
    """The run without its damaged findings, which `broken` names then."""
    kept, broken = [], list(run.broken)
    for found in run.findings:
        if wrong := _damage(found):
            broken.append(f"{found.folder.name}: {wrong}")
        else:
            kept.append(replace(found, record=_told(found.record)))
    return replace(run, record=_told(run.record), findings=tuple(kept), broken=tuple(broken))


def _told(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record without what is null in it: that is as good as missing."""
    return {name: value for name, value in record.items() if value is not None}


def damaged(run: StoredRun) -> str:
    """A line that names the findings that are damaged; empty if none is. A folder that a kill left behind is not."""
    names = [line.partition(":")[0] for line in run.broken]
    names = [name for name in names if (run.path / "findings" / name / "finding.json").exists()]
    if not names:
        return ""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{run.path}: left out as damaged: {', '.join(names[:3])}{more}"


def _damage(found: StoredFinding) -> str:
    if wrong := fault(found.record, _FINDING):
        return f"finding.json is damaged: {wrong}"
    for name, part in (("nearest", "differs"), ("spelling", "forms")):
        if wrong := fault(found.record.get(name) or {}, {part: "texts"}):
            return f"finding.json is damaged: {wrong}"
    name = found.record.get("describes", _TEXTS[0])
    if name not in _TEXTS:
        return f"finding.json is damaged: 'describes' is {name!r}"
    try:
        texts = {file: found.file(file) for file in (name, "drawn.wgsl", "related.wgsl", "nearest.wgsl")}
    except UnicodeDecodeError:
        return "it holds a shader that is not UTF-8"
    return "" if texts[name] else f"there is no {name}"
