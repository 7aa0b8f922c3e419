"""Records that hold something else than a run writes: an edit gone wrong, a disk's fault.

A damaged run.json is a Problem. A damaged finding is left out and named, and the command ends with status 2 when the
rest is done: the other findings are worth as much as before.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fuzz.problems import Problem
from fuzz.stored import StoredFinding, StoredRun

_RUN = {
    "version": "text", "targets": "words", "reference": "counts", "semantics": "counts", "answers": "tables",
    "buckets": "counts", "coverage": "counts", "known": "words", "programs": "number", "seconds": "number",
}  # fmt: skip
_FINDING = {
    "kind": "text", "target": "text", "bucket": "text", "fine": "text", "cause": "text", "describes": "text",
    "message": "text", "reproduce": "text", "draw again": "text", "relation": "text",
    "verdicts": "words", "targets": "words", "related verdicts": "words", "statements": "counts",
    "explanation": "texts", "noted": "texts", "branches": "texts", "nearest": "object", "drawn": "object",
    "spelling": "object", "after": "number", "seed": "number", "index": "number",
}  # fmt: skip
_TEXTS = ("drawn.wgsl", "reduced.wgsl")


def sound(run: StoredRun) -> StoredRun:
    """The run without its damaged findings, which `broken` names then; raises Problem if its own record is damaged."""
    if fault := _fault(run.record, _RUN):
        raise Problem(f"{run.path}/run.json is damaged: {fault}")
    kept, broken = [], list(run.broken)
    for found in run.findings:
        if fault := _damage(found):
            broken.append(f"{found.folder.name}: {fault}")
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
    if fault := _fault(found.record, _FINDING):
        return f"finding.json is damaged: {fault}"
    for name, part in (("nearest", "differs"), ("spelling", "forms")):
        if not _fits((found.record.get(name) or {}).get(part), "texts"):
            return f"finding.json is damaged: {part!r} of {name!r} is not {_WORDS['texts']}"
    name = found.record.get("describes", _TEXTS[0])
    if name not in _TEXTS:
        return f"finding.json is damaged: 'describes' is {name!r}"
    try:
        texts = {file: found.file(file) for file in (name, "drawn.wgsl", "related.wgsl", "nearest.wgsl")}
    except UnicodeDecodeError:
        return "it holds a shader that is not UTF-8"
    return "" if texts[name] else f"there is no {name}"


def _fault(record: Mapping[str, Any], shapes: Mapping[str, str]) -> str:
    """The first thing that is not as it should be; what is missing or null is as in an older record."""
    wrong = (f"{name!r} is not {_WORDS[s]}" for name, s in shapes.items() if not _fits(record.get(name), s))
    return next(wrong, "")


_WORDS = {
    "text": "a text", "number": "a number", "texts": "a list of texts", "words": "an object of texts",
    "counts": "an object of numbers", "tables": "an object of objects of numbers", "object": "an object",
}  # fmt: skip


def _fits(value: object, shape: str) -> bool:
    if value is None:
        return True
    if shape in ("text", "number"):
        return isinstance(value, str) if shape == "text" else isinstance(value, int | float)
    if shape == "texts":
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    inner = {"words": "text", "counts": "number", "tables": "counts"}.get(shape)
    if not isinstance(value, dict):
        return False
    return inner is None or all(one is not None and _fits(one, inner) for one in value.values())
