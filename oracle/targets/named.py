"""Targets under a name of the user's: `tint@main=tint:./out/tint` opens `tint:./out/tint`, and records say `tint@main`.

A path is a poor name: it differs between machines, and one file has several paths.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wgsl_fuzz.oracle.targets.protocol import Restarted, Target
from wgsl_fuzz.oracle.verdict import Answer

_NAME = re.compile(r"[\w.+-]+")
_NAMED = re.compile(r"([\w-]+@[\w.+-]+)=(.+)", re.DOTALL)


def split_name(spec: str) -> tuple[str | None, str]:
    """The user's name in a spec, if it has one, and what opens the target."""
    found = _NAMED.fullmatch(spec)
    return (None, spec) if found is None else (found[1], found[2])


def with_name(spec: str, name: str) -> str | None:
    """The spec with a name before it: `main` is short for `tint@main`. None if the target is of another family, or the
    name is none.
    """
    family = re.split("[@:]", spec, maxsplit=1)[0]
    short = name.removeprefix(f"{family}@")
    return f"{family}@{short}={spec}" if _NAME.fullmatch(short) else None


def normal_path(path: str) -> str:
    """One spelling for all of a file's: from the working directory if it is within that, else from the root."""
    whole = Path(os.path.normpath(Path(path).expanduser().absolute()))  # links stay
    here = Path.cwd()
    return str(whole.relative_to(here) if whole.is_relative_to(here) else whole)


@dataclass(frozen=True, slots=True)
class NamedTarget:
    """A target under another name; `spec` opens it again."""

    name: str
    target: Target

    @property
    def spec(self) -> str:
        """What opens it, under its name."""
        return f"{self.name}={self.target.name}"

    @property
    def origin(self) -> str:
        """As the target's own."""
        return self.target.origin

    @property
    def checks_uniformity(self) -> bool:
        """As the target's own."""
        return self.target.checks_uniformity

    @property
    def restarted(self) -> Mapping[str, int]:
        """As the target's own; none of one without a child."""
        return self.target.restarted if isinstance(self.target, Restarted) else {}

    def submit(self, texts: Sequence[str]) -> None:
        """Hands over a batch of WGSL texts."""
        self.target.submit(texts)

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch submitted, in order."""
        return self.target.collect()

    def close(self) -> None:
        """Ends the target."""
        self.target.close()


def spec_of(target: Target) -> str:
    """What opens a target again, under the name that it has."""
    return target.spec if isinstance(target, NamedTarget) else target.name


def own_names(targets: Iterable[Target]) -> dict[str, str]:
    """What opens each of those targets that have a name of the user's."""
    return {target.name: target.spec for target in targets if isinstance(target, NamedTarget)}
