"""Naga (Firefox, wgpu): the one inside PyPI's wgpu, pinned builds of earlier days, or a `naga` command.

Naga does not check the uniformity of control flow yet (wgpu issue 4369). A build that does is judged by what it does.
Each pinned build has its own `pip/naga-VERSION.txt`, whose hashes pip checks. Only the folder of a build is on its
child's import path first, so builds and the installed `wgpu` do not meet. The version is wgpu-native's.
"""

import os
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from wgsl_fuzz.oracle.targets.cache import Builds, fetch_by
from wgsl_fuzz.oracle.targets.children.line_server import LineServer
from wgsl_fuzz.oracle.targets.children.python_child import child_environment
from wgsl_fuzz.oracle.targets.command import open_command
from wgsl_fuzz.oracle.targets.description import NAGA
from wgsl_fuzz.oracle.targets.probes import PROBES
from wgsl_fuzz.oracle.targets.protocol import Availability, Target, TargetError, TargetFamily, TargetInfo, TargetRequest

DATES = {
    "27.0.4.0": "2025-10",
    "25.0.2.2": "2025-04",
    "24.0.3.1": "2025-01",
    "22.1.0.5": "2024-07",
    "0.19.4.1": "2024-01",
}
"""The pinned versions, newest first, and when the releases of wgpu that they belong to came out."""

_HINT = "pip install wgpu"


def open_naga(request: TargetRequest) -> Target:
    """`naga`, of the wgpu that is installed, `naga@VERSION` or `naga:PATH`."""
    if request.path is not None:
        return open_command(request)
    if request.version is None:
        if find_spec("wgpu") is None:
            raise TargetError(f"naga needs wgpu: {_HINT}")
        return _opened(request, child_environment())
    try:
        pinned = full_version(request.version)
    except TargetError:  # records have the one that is installed by its version
        if find_spec("wgpu") is not None:
            target = _opened(request, child_environment())
            if target.name == request.spec:
                return target
            target.close()
        raise
    check_ready()
    own = child_environment()
    path = os.pathsep.join([str(BUILDS.folder(pinned, request.notify)), own["PYTHONPATH"]])
    return _opened(request, {**own, "PYTHONPATH": path})


def _opened(request: TargetRequest, environment: dict[str, str]) -> Target:
    server = LineServer.of_python(request, ["naga_child"], NAGA.refusal, env=environment, probes=PROBES)
    native = server.banner["native"]
    return server.as_target(f"naga@{native}", f"PyPI wgpu {server.banner['wgpu']} (wgpu-native {native})")


def install_naga(request: TargetRequest) -> None:
    """Fetches a pinned build, or says that it is there."""
    if request.version is None:
        raise TargetError(f"{request.spec} is not something to install")
    BUILDS.install(full_version(request.version), request.notify)


def naga_infos() -> Sequence[TargetInfo]:
    """Whether wgpu is installed (that there is an adapter shows when it is opened), and the pinned builds."""
    if find_spec("wgpu") is None:
        newest = TargetInfo("naga", "PyPI wgpu", Availability.MISSING, reason=_HINT)
    else:
        newest = TargetInfo("naga", installed_wgpu(), Availability.INSTALLED)
    return [newest, *BUILDS.infos()]


def installed_wgpu() -> str:
    """Where the wgpu that can be imported is from; one that no installer put there has no version."""
    try:
        return f"PyPI wgpu {version('wgpu')}"
    except PackageNotFoundError:
        return "wgpu of no known version"


# -------------------------------------------------------------------------------------------------- the pinned builds


def check_ready() -> None:
    """Raises TargetError if nothing can be fetched or run here."""
    missing = [name for name in ("pip", "cffi") if find_spec(name) is None]
    if missing:
        raise TargetError(f"earlier builds of naga need {' and '.join(missing)}: pip install {' '.join(missing)}")


def full_version(version: str) -> str:
    """The pinned version that a version or its beginning (`22`) names. Raises TargetError, with the known ones."""
    known = [name for name in DATES if name == version or name.startswith(f"{version}.")]
    if not known:
        installed = "and `naga` for the installed wgpu"
        raise TargetError(f"unknown Naga build {version!r}; known: {', '.join(DATES)}, {installed}")
    return known[0]


def requirements(version: str) -> Path:
    """The file with the build's requirements and their hashes."""
    return Path(__file__).parent / "pip" / f"naga-{version}.txt"


def _fetched(version: str, folder: Path) -> None:
    """Runs pip, which creates the folder: wheels only, nothing is built or run."""
    options = ("--no-deps", "--require-hashes", "--only-binary=:all:", "--retries=0", "--no-compile", "--quiet")
    target = ("--target", str(folder), "--requirement", str(requirements(version)))
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", *options, *target]
    fetch_by("pip", command, f"Naga {version}", _reason)


def _reason(stderr: str) -> str:
    """The last line of pip's complaint, which sums it up."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip().startswith("ERROR")]
    return lines[-1].removeprefix("ERROR:").strip() if lines else "pip failed without a word"


BUILDS = Builds(
    "Naga",
    DATES,
    lambda _: "PyPI wgpu of its time",
    "PyPI wgpu, some 10 MB once unpacked",
    Path("wgpu", "__init__.py"),
    _fetched,
    check_ready,
)
FAMILIES = (
    TargetFamily("naga", open_naga, naga_infos, install_naga, "Naga", builds="naga@", own="a compiler of yours"),
)
