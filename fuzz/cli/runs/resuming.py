"""The targets of a run that goes on. A run's folder is data: a program that it names is not started for that.

Someone else may have made the folder. So a compiler's command or description, a function or a rule file is named once
more on the command line; builds that we fetch, and analyses of our own, are not.
"""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from wgsl_fuzz.fuzz.findings.records import RunRecord
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.rules.rule_file import SUFFIX
from wgsl_fuzz.oracle.targets.families.rules import PREFIX as RULES
from wgsl_fuzz.oracle.targets.protocol import families, is_description, normal_path, split_name

_BY_PATH = frozenset({RULES, *(family.prefix for family in families() if family.own)})
"""Families whose targets may be files."""


def resumed_targets(folder: Path, record: RunRecord, given: Sequence[str]) -> tuple[str, ...]:
    """What opens the targets of a run's record; raises Problem if `given` names others, or not the user's programs."""
    recorded = tuple(record.specs.get(name, name) for name in record.targets)
    allowed = {_normal(spec) for spec in given}
    # `tint` means the build that the run began with.
    families = {spec.partition("@")[0] for spec in recorded if not {":", "="} & set(spec)}
    for spec in allowed - {*recorded, *record.targets, *map(_opens, recorded), *families}:
        raise Problem(f"the run asks {', '.join(recorded) or 'no target'}: begin another run for {spec}")
    missing = [spec for spec in recorded if starts_a_program(spec) and not {spec, _opens(spec)} & allowed]
    if missing:
        raise Problem(
            f"the run in {folder} starts programs of this machine: to allow it, add {target_options(missing)}"
        )
    return recorded


def target_options(specs: Sequence[str]) -> str:
    """What the command line must say besides --resume: the programs among these targets."""
    return " ".join(f"--target {quote(spec)}" for spec in specs if starts_a_program(spec))


def starts_a_program(spec: str) -> bool:
    """Whether a target runs what its name says, and not a build that we fetched or an analysis of ours."""
    opens = _opens(spec)
    if opens.endswith(SUFFIX) or is_description(opens):
        return True
    prefix, colon, _ = opens.partition(":")
    return bool(colon) and "@" not in prefix and prefix != RULES


def _opens(spec: str) -> str:
    """The spec without the user's name for it."""
    return split_name(spec)[1]


def _normal(spec: str) -> str:
    """The spec as records have it."""
    name, opens = split_name(spec)
    prefix, colon, path = opens.partition(":")
    if is_description(opens):
        opens = normal_path(opens)
    elif colon and prefix in _BY_PATH and ("/" in path or path.endswith(SUFFIX)):
        short = normal_path(path)
        opens = f"{prefix}:{short if '/' in short or prefix == RULES else f'./{short}'}"
    return opens if name is None else f"{name}={opens}"
