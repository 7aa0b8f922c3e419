"""Records that hold something else than a run writes: an edit gone wrong, a disk's fault.

A damaged run.json is a Problem. A damaged finding is left out and named, and the command ends with status 2 when the
rest is done: the other findings are worth as much as before.
"""

from collections.abc import Sequence
from dataclasses import replace

from wgsl_fuzz.fuzz.findings.directory import FINDING
from wgsl_fuzz.fuzz.findings.loading import Damage, StoredFinding, StoredRun
from wgsl_fuzz.fuzz.findings.records import DRAWN, NEAREST, REDUCED, RELATED


def sound(run: StoredRun) -> StoredRun:
    """The run without its damaged findings, which `broken` names then."""
    kept, broken = [], list(run.broken)
    for found in run.findings:
        if wrong := _damage(found):
            broken.append(Damage(found.folder.name, wrong))
        else:
            kept.append(found)
    return replace(run, findings=tuple(kept), broken=tuple(broken))


def damaged(run: StoredRun) -> str:
    """A line that names what is damaged, and what is wrong with the first of it; empty if nothing is.

    A folder that a kill left behind is no damage.
    """
    return told_of(str(run.path), run.broken)


def told_of(where: str, broken: Sequence[Damage]) -> str:
    """The same of what is damaged elsewhere."""
    faults = [one for one in broken if not one.left_behind]
    names = list(dict.fromkeys(one.name for one in faults))
    if not names:
        return ""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{where}: left out: {', '.join([f'{names[0]} ({faults[0].fault})', *names[1:3]])}{more}"


def _damage(found: StoredFinding) -> str:
    name = found.record.describes
    if name not in (DRAWN, REDUCED):
        return f"{FINDING} is damaged: 'describes' is {name!r}"
    try:
        texts = {file: found.file(file) for file in (name, DRAWN, RELATED, NEAREST)}
    except UnicodeDecodeError:
        return "it holds a shader that is not UTF-8"
    return "" if texts[name] else f"there is no {name}"
