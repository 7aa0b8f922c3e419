"""Naga (Firefox, wgpu): the one inside PyPI's wgpu, or a `naga` command.

Naga does not check the uniformity of control flow yet (wgpu issue 4369). A build that does is judged by what it does.
"""

from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec

from wgsl_fuzz.oracle.targets.command import open_command
from wgsl_fuzz.oracle.targets.line_server import LineServer, ServedTarget
from wgsl_fuzz.oracle.targets.messages import NAGA, refusal
from wgsl_fuzz.oracle.targets.probes import BROKEN, VALID, has_analysis
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.targets.python_child import child_command, child_environment
from wgsl_fuzz.oracle.targets.registry import State, TargetInfo, TargetRequest
from wgsl_fuzz.oracle.verdict import Verdict

_HINT = "pip install wgpu"
_PROBES = ((VALID, Verdict.ACCEPTS), (BROKEN, Verdict.INVALID))


def open_naga(request: TargetRequest) -> Target:
    """`naga` or `naga:PATH`; the version of wgpu is whichever is installed."""
    if request.path is not None:
        return open_command(request, NAGA)
    if request.version is not None:
        raise TargetError("naga has no pinned builds: install another wgpu, or name a command with naga:PATH")
    if find_spec("wgpu") is None:
        raise TargetError(f"naga needs wgpu: {_HINT}")
    server = LineServer(
        child_command("wgsl_fuzz.oracle.targets.naga_child"),
        partial(refusal, NAGA),
        timeout=request.timeout,
        env=child_environment(),
        probes=_PROBES,
    )
    native = server.banner["native"]
    checks = has_analysis(server.ask)
    return ServedTarget(f"naga@{native}", f"PyPI wgpu {server.banner['wgpu']} (wgpu-native {native})", checks, server)


def naga_infos() -> Sequence[TargetInfo]:
    """Whether wgpu is installed; that there is an adapter shows when it is opened."""
    if find_spec("wgpu") is None:
        return [TargetInfo("naga", "PyPI wgpu", State.MISSING, reason=_HINT)]
    return [TargetInfo("naga", f"PyPI wgpu {version('wgpu')}", State.INSTALLED)]
