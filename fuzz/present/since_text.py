"""A run held against an earlier one, in words and as JSON."""

from typing import Any

from wgsl_fuzz.fuzz.present.plurals import count
from wgsl_fuzz.fuzz.present.titles import titles
from wgsl_fuzz.fuzz.triage.since import Comparison, Missing
from wgsl_fuzz.fuzz.triage.triage import Triage


def since_lines(triage: Triage, comparison: Comparison) -> list[str]:
    """What is new, what was seen before, and what was not found again."""
    new, seen = len(triage.new), len(comparison.seen)
    head = f"since {comparison.earlier.path}: {new:,} new, {seen:,} seen before, {len(comparison.missing):,} not found"
    return [head, *comparison.builds, *missing_lines(comparison)]


def missing_lines(comparison: Comparison) -> list[str]:
    """A line for each bucket of the earlier run that the later one does not have."""
    named = zip(comparison.missing, titles([one.bucket for one in comparison.missing]), strict=True)
    return [f"{one.word}: {one.bucket.kind.value} {title} ({one.why})" for one, title in named]


def since_json(comparison: Comparison) -> dict[str, Any]:
    """The same as JSON has it (docs/commands.md)."""
    named = zip(comparison.missing, titles([one.bucket for one in comparison.missing]), strict=True)
    return {
        "since": str(comparison.earlier.path),
        "compared": dict(comparison.stand_ins),
        "missing": [_json(one, title) for one, title in named],
    }


def _json(one: Missing, title: str) -> dict[str, Any]:
    shown = one.bucket.representative
    return {
        "name": one.bucket.name,
        "title": title,
        "target": one.bucket.target,
        "kind": one.bucket.kind.value,
        "word": one.word,
        "why": one.why,
        "count": one.bucket.count,
        "findings": [found.folder.name for found in one.bucket.findings],
        "shader": None if shown is None else shown.text,
    }


def heading(comparison: Comparison) -> str:
    """`since last-night, 12 buckets`: for the report."""
    return f"since {comparison.earlier.path}, {count(len(comparison.missing), 'bucket')} not found again"
