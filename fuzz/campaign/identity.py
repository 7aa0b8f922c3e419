"""What a campaign and those who work for it must have in common: code that draws and judges alike, the same builds.

What another machine says of another shader, or of another build, would be filed under a wrong name.
"""

import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from wgsl_fuzz import __version__, fuzz
from wgsl_fuzz.oracle.rules.rule_file import SUFFIX
from wgsl_fuzz.oracle.targets.families.functions import PREFIX as FUNCTION
from wgsl_fuzz.oracle.targets.named import spec_of
from wgsl_fuzz.oracle.targets.protocol import Target

PACKAGES = ("fuzz", "oracle", "strategies", "tinywgsl", "wgsl")
_SOURCES = (".py", ".mjs")
_DIGEST = re.compile(r"sha256 \w+")

Identity = Mapping[str, str]
"""By what people call each part: its version, or its digest."""


def code_identity() -> dict[str, str]:
    """Of the code: what is drawn is a function of the seed only where it is the same."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return {"wgsl-fuzz": f"{__version__} (sources {_digest_of_sources()})", "Python": python}


def target_identity(targets: Iterable[Target]) -> dict[str, str]:
    """Of open targets: where each build comes from, or the digest of its file."""
    return {target.name: _build(target) for target in targets}


def difference(ours: Identity, theirs: Identity) -> str | None:
    """In what two identities differ, in words for the other side; None if they do not."""
    for name, version in ours.items():
        if name not in theirs:
            return f"it has no {name}"
        if theirs[name] != version:
            return f"its {name} is {theirs[name]}, not {version}"
    return None


def _build(target: Target) -> str:
    """A command's digest, wherever its file is; else the origin, and of a file of the user's its digest."""
    digest = _DIGEST.search(target.origin)
    if digest is not None:
        return digest[0]
    opens = spec_of(target).rpartition("=")[2]
    prefix, _, rest = opens.partition(":")
    file = None
    if opens.endswith(SUFFIX):
        file = Path(rest or opens)
    elif prefix == FUNCTION:
        file = _file_of_module(rest.partition(":")[0])
    return target.origin if file is None else f"sha256 {hashlib.sha256(file.read_bytes()).hexdigest()[:12]}"


def _file_of_module(name: str) -> Path | None:
    """The file of a module of the user's, which may be in the working directory."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        spec = find_spec(name)
    except ImportError:
        return None
    finally:
        sys.path.pop(0)
    return None if spec is None or spec.origin is None or not Path(spec.origin).is_file() else Path(spec.origin)


def _digest_of_sources() -> str:
    """Twelve hex digits of all our code, whether it is installed or a checkout."""
    digest, root = hashlib.sha256(), Path(fuzz.__file__).parents[1]
    for path in sorted(_sources(root), key=lambda path: path.relative_to(root).as_posix()):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()[:12]


def _sources(root: Path) -> Iterator[Path]:
    for package in PACKAGES:
        for folder, folders, files in os.walk(root / package):
            folders[:] = [name for name in folders if name not in ("__pycache__", "node_modules")]
            yield from (Path(folder) / name for name in files if name.endswith(_SOURCES))
