"""The pinned Naga builds: PyPI's `wgpu` of earlier days, each fetched on first use into the user's cache.

Each has its own `pip/naga-VERSION.txt`, whose hashes pip checks. Only the folder of a build is on its child's import
path first, so builds and the installed `wgpu` do not meet. The version is that of wgpu-native, as of `naga`.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from wgsl_fuzz.oracle.targets.cache import CachedBuild
from wgsl_fuzz.oracle.targets.children.python_child import child_environment
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.oracle.targets.registry import Notify

DATES = {
    "27.0.4.0": "2025-10",
    "25.0.2.2": "2025-04",
    "24.0.3.1": "2025-01",
    "22.1.0.5": "2024-07",
    "0.19.4.1": "2024-01",
}
"""The pinned versions, newest first, and when the releases of wgpu that they belong to came out."""

_INSTALL_SECONDS = 600
_ENTRY = Path("wgpu", "__init__.py")


def check_ready() -> None:
    """Raises TargetError if nothing can be fetched or run here."""
    missing = [name for name in ("pip", "cffi") if find_spec(name) is None]
    if missing:
        raise TargetError(f"earlier builds of naga need {' and '.join(missing)}: pip install {' '.join(missing)}")


def full_version(version: str) -> str:
    """The pinned version that a version or its beginning (`22`) names. Raises TargetError, with the known ones."""
    known = [name for name in DATES if name == version or name.startswith(f"{version}.")]
    if not known:
        raise TargetError(unknown(version))
    return known[0]


def unknown(version: str) -> str:
    """What to say of a version that cannot be had."""
    return f"unknown Naga build {version!r}; known: {', '.join(DATES)}, and `naga` for the installed wgpu"


def build(version: str) -> CachedBuild:
    """A pinned build in the cache, by its full version."""
    source = "PyPI wgpu, some 10 MB once unpacked"
    return CachedBuild(f"Naga {version}", "naga", version, source, _ENTRY, partial(_fetched, version))


def install(version: str, notify: Notify) -> Path:
    """The folder of a build, fetched if need be; TargetError when that fails."""
    check_ready()
    return build(version).install(notify)


def environment(folder: Path) -> dict[str, str]:
    """What a child that uses the build in a folder is started with."""
    given = child_environment()
    return {**given, "PYTHONPATH": os.pathsep.join([str(folder), given["PYTHONPATH"]])}


def requirements(version: str) -> Path:
    """The file with the build's requirements and their hashes."""
    return Path(__file__).parent / "pip" / f"naga-{version}.txt"


def _fetched(version: str, folder: Path) -> None:
    """Runs pip, which creates the folder: wheels only, nothing is built or run."""
    options = ("--no-deps", "--require-hashes", "--only-binary=:all:", "--retries=0", "--no-compile", "--quiet")
    target = ("--target", str(folder), "--requirement", str(requirements(version)))
    try:
        done = _pip(["install", "--disable-pip-version-check", *options, *target])
    except subprocess.TimeoutExpired:
        raise TargetError(f"Naga {version} cannot be fetched: pip did not end in {_INSTALL_SECONDS} s") from None
    if done.returncode != 0:
        raise TargetError(f"Naga {version} cannot be fetched: {_reason(done.stderr.decode('utf-8', 'replace'))}")


def _pip(arguments: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "pip", *arguments]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_INSTALL_SECONDS)


def _reason(stderr: str) -> str:
    """The last line of pip's complaint, which sums it up."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip().startswith("ERROR")]
    return lines[-1].removeprefix("ERROR:").strip() if lines else "pip failed without a word"
