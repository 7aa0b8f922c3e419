"""Tint (Chromium): pinned builds through node, the one embedded in dawn-python, or a `tint` command."""

from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec

from wgsl_fuzz.oracle.targets.children.line_server import LineServer, ServedTarget
from wgsl_fuzz.oracle.targets.children.python_child import child_command, child_environment
from wgsl_fuzz.oracle.targets.described import open_command
from wgsl_fuzz.oracle.targets.description import TINT
from wgsl_fuzz.oracle.targets.families import tint_builds as builds
from wgsl_fuzz.oracle.targets.messages import refusal
from wgsl_fuzz.oracle.targets.probes import BROKEN, NON_UNIFORM, VALID
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.targets.registry import Family, State, TargetInfo, TargetRequest
from wgsl_fuzz.oracle.verdict import Verdict

EMBEDDED = "embedded"
EMBEDDED_ORIGIN = "PyPI dawn-python 0.3.0 (Tint of 2025-01)"

_PROBES = ((VALID, Verdict.ACCEPTS), (BROKEN, Verdict.INVALID), (NON_UNIFORM, Verdict.REJECTS))


def open_tint(request: TargetRequest) -> Target:
    """`tint`, `tint@VERSION`, `tint@embedded` or `tint:PATH`; only plain `tint` may fall back to the embedded one."""
    if request.path is not None:
        return open_command(request)
    if request.version == EMBEDDED:
        return _open_embedded(request)
    if request.version is not None:
        return _open_build(request, request.version)
    try:
        return _open_build(request, builds.CURRENT)
    except TargetError as error:
        request.notify(f"tint@{builds.CURRENT} cannot be used ({error}); falling back to {EMBEDDED_ORIGIN}")
        return _open_embedded(request)


def _open_build(request: TargetRequest, version: str) -> Target:
    builds.install(version, request.notify)
    command = builds.server_command(version)
    server = LineServer(command, partial(refusal, TINT), name=request.spec, timeout=request.timeout, probes=_PROBES)
    return ServedTarget(f"tint@{version}", _origin(version), True, server)


def _open_embedded(request: TargetRequest) -> Target:
    if find_spec("pydawn") is None:
        raise TargetError("tint@embedded needs dawn-python: pip install dawn-python==0.3.0")
    server = LineServer(
        child_command("wgsl_fuzz.oracle.targets.children.embedded_child"),
        partial(refusal, TINT),
        name=request.spec,
        timeout=request.timeout,
        env=child_environment(),
        probes=_PROBES,
    )
    return ServedTarget(f"tint@{EMBEDDED}", EMBEDDED_ORIGIN, True, server)


def install_tint(request: TargetRequest) -> None:
    """Fetches a pinned build, or says that it is there."""
    if request.path is not None or request.version == EMBEDDED:
        raise TargetError(f"{request.spec} is not something to install")
    version = request.version or builds.CURRENT
    folder = builds.install(version, request.notify)
    request.notify(f"Tint {version} is installed in {folder}")


def tint_infos() -> Sequence[TargetInfo]:
    """The pinned builds, newest first, and the embedded one."""
    infos = [_build_info(version) for version in builds.DATES]
    there = find_spec("pydawn") is not None
    state, reason = (State.INSTALLED, "") if there else (State.MISSING, "pip install dawn-python==0.3.0")
    return [*infos, TargetInfo(f"tint@{EMBEDDED}", "PyPI dawn-python 0.3.0", state, "2025-01", reason)]


def _build_info(version: str) -> TargetInfo:
    state, reason = State.INSTALLABLE, ""
    try:
        builds.find_node()
        state = State.INSTALLED if builds.build(version).is_installed else State.INSTALLABLE
    except TargetError as error:
        state, reason = State.MISSING, str(error)
    return TargetInfo(f"tint@{version}", f"npm webgpu {version}", state, builds.DATES[version], reason)


def _origin(version: str) -> str:
    return f"npm webgpu {version} (Dawn of {builds.DATES[version]})"


FAMILIES = (Family("tint", open_tint, tint_infos, install_tint, "Tint", builds="tint@", own="a compiler of yours"),)
