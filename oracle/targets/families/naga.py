"""Naga (Firefox, wgpu): the one inside PyPI's wgpu, or a `naga` command.

Naga does not check the uniformity of control flow yet (wgpu issue 4369). A build that does is judged by what it does.
"""

from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec

from wgsl_fuzz.oracle.targets.children.line_server import LineServer, ServedTarget
from wgsl_fuzz.oracle.targets.children.python_child import child_command, child_environment
from wgsl_fuzz.oracle.targets.described import open_command
from wgsl_fuzz.oracle.targets.description import NAGA
from wgsl_fuzz.oracle.targets.families import naga_builds
from wgsl_fuzz.oracle.targets.messages import refusal
from wgsl_fuzz.oracle.targets.probes import BROKEN, VALID
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.targets.registry import Family, State, TargetInfo, TargetRequest
from wgsl_fuzz.oracle.verdict import Verdict

_HINT = "pip install wgpu"
_PROBES = ((VALID, Verdict.ACCEPTS), (BROKEN, Verdict.INVALID))


def open_naga(request: TargetRequest) -> Target:
    """`naga`, of the wgpu that is installed, `naga@VERSION` or `naga:PATH`."""
    if request.path is not None:
        return open_command(request)
    if request.version is None:
        if find_spec("wgpu") is None:
            raise TargetError(f"naga needs wgpu: {_HINT}")
        return _opened(request, child_environment())
    try:
        pinned = naga_builds.full_version(request.version)
    except TargetError:
        return _installed_as(request)
    return _opened(request, naga_builds.environment(naga_builds.install(pinned, request.notify)))


def _installed_as(request: TargetRequest) -> Target:
    """The Naga of the installed wgpu, by the version under which records have it."""
    if find_spec("wgpu") is not None:
        target = _opened(request, child_environment())
        if target.name == request.spec:
            return target
        target.close()
    raise TargetError(naga_builds.unknown(request.version or ""))


def _opened(request: TargetRequest, environment: dict[str, str]) -> Target:
    server = LineServer(
        child_command("wgsl_fuzz.oracle.targets.children.naga_child"),
        partial(refusal, NAGA),
        name=request.spec,
        timeout=request.timeout,
        env=environment,
        probes=_PROBES,
    )
    native = server.banner["native"]
    checks = server.has_analysis()
    return ServedTarget(f"naga@{native}", f"PyPI wgpu {server.banner['wgpu']} (wgpu-native {native})", checks, server)


def install_naga(request: TargetRequest) -> None:
    """Fetches a pinned build, or says that it is there."""
    if request.version is None:
        raise TargetError(f"{request.spec} is not something to install")
    pinned = naga_builds.full_version(request.version)
    folder = naga_builds.install(pinned, request.notify)
    request.notify(f"Naga {pinned} is installed in {folder}")


def naga_infos() -> Sequence[TargetInfo]:
    """Whether wgpu is installed (that there is an adapter shows when it is opened), and the pinned builds."""
    there = find_spec("wgpu") is not None
    newest = (
        TargetInfo("naga", f"PyPI wgpu {version('wgpu')}", State.INSTALLED)
        if there
        else TargetInfo("naga", "PyPI wgpu", State.MISSING, reason=_HINT)
    )
    return [newest, *map(_build_info, naga_builds.DATES)]


def _build_info(pinned: str) -> TargetInfo:
    state, reason = State.INSTALLED, ""
    try:
        naga_builds.check_ready()
        if not naga_builds.build(pinned).is_installed:
            state = State.INSTALLABLE
    except TargetError as error:
        state, reason = State.MISSING, str(error)
    return TargetInfo(f"naga@{pinned}", "PyPI wgpu of its time", state, naga_builds.DATES[pinned], reason)


FAMILIES = (Family("naga", open_naga, naga_infos, install_naga, "Naga", builds="naga@", own="a compiler of yours"),)
