"""`chromium` and `firefox`: browsers of this machine, without a screen, each in a process group of its own."""

import hashlib
import os
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from wgsl_fuzz.oracle.targets.browsers.dialects import dialect_of
from wgsl_fuzz.oracle.targets.browsers.launch import KINDS, Kind, find, version_of
from wgsl_fuzz.oracle.targets.children.line_server import LineServer, ServedTarget
from wgsl_fuzz.oracle.targets.children.python_child import child_command, child_environment
from wgsl_fuzz.oracle.targets.messages import refusal
from wgsl_fuzz.oracle.targets.named import normal_path
from wgsl_fuzz.oracle.targets.probes import BROKEN, VALID
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.targets.registry import State, TargetInfo, TargetRequest
from wgsl_fuzz.oracle.verdict import Verdict

_CHILD = "wgsl_fuzz.oracle.targets.browsers.browser_child"
_PROBES = ((VALID, Verdict.ACCEPTS), (BROKEN, Verdict.INVALID))


def open_browser(request: TargetRequest) -> Target:
    """`chromium`, `firefox`, each with `@VERSION` (of the one that is here) or `:PATH`. Raises TargetError."""
    if os.name != "posix":
        raise TargetError(f"{request.spec}: browsers need a POSIX system")
    kind = KINDS[request.prefix]
    binary = _binary(kind, request)
    version = version_of(binary)
    if request.version not in (None, version):
        raise TargetError(f"{request.spec}: {binary} is {kind.name}@{version}; name another one as {kind.name}:PATH")
    server = LineServer(
        [*child_command(_CHILD), kind.name, binary],
        partial(refusal, dialect_of(kind.name)),
        name=request.spec,
        timeout=request.timeout,
        env=child_environment(),
        probes=_PROBES,
    )
    adapter = server.banner["adapter"] or "no name"
    name = f"{kind.name}@{version}" if request.path is None else f"{kind.name}:{normal_path(request.path)}"
    origin = f"{binary} {version} (sha256 {_digest(binary)}; WebGPU on {adapter})"
    return ServedTarget(name, origin, server.has_analysis(), server)


def browser_infos(name: str) -> Sequence[TargetInfo]:
    """Whether the browser is installed; that WebGPU works shows when it is opened."""
    kind = KINDS[name]
    if os.name != "posix":
        return [TargetInfo(name, "a browser", State.MISSING, reason="browsers need a POSIX system")]
    binary = find(kind)
    if binary is None:
        return [TargetInfo(name, "a browser", State.MISSING, reason=kind.hint)]
    try:
        return [TargetInfo(name, f"{binary} {version_of(binary)}", State.INSTALLED)]
    except TargetError as error:
        return [TargetInfo(name, binary, State.MISSING, reason=str(error))]


def _binary(kind: Kind, request: TargetRequest) -> str:
    """The file to run. Raises TargetError."""
    if request.path is None:
        found = find(kind)
        if found is None:
            raise TargetError(f"{request.spec}: there is no {kind.commands[0]}; {kind.hint}")
        return found
    path = shutil.which(str(Path(request.path).expanduser()))
    if path is None:
        raise TargetError(f"{request.spec}: there is no program {request.path}")
    return str(Path(path).absolute())


def _digest(path: str) -> str:
    """Twelve hex digits that tell two builds at one path apart."""
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:12]
    except OSError:
        return "unreadable"
