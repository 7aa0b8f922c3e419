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

DESCRIPTION = ".toml"
"""What the name of a description ends with."""

_NAMED = re.compile(r"([\w-]+@[\w.+-]+)=(.+)", re.DOTALL)


def split_name(spec: str) -> tuple[str | None, str]:
    """The user's name in a spec, if it has one, and what opens the target."""
    found = _NAMED.fullmatch(spec)
    return (None, spec) if found is None else (found[1], found[2])


def is_description(spec: str) -> bool:
    """Whether a target is a compiler by description: it is opened by the path of a TOML file."""
    return spec.endswith(DESCRIPTION) and re.match(r"[\w-]+:", spec) is None


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
        return f"{self.name}={spec_of(self.target)}"

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
    spec: str = getattr(target, "spec", "")
    return spec or target.name


def own_names(targets: Iterable[Target]) -> dict[str, str]:
    """What opens each of those targets that are not opened by their name."""
    return {target.name: spec_of(target) for target in targets if spec_of(target) != target.name}
