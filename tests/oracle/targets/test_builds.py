"""The installer of pinned builds, against a scripted npm; and once against the real one."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.oracle.targets.watching import script
from wgsl_fuzz.oracle.targets import cache, install, open_target
from wgsl_fuzz.oracle.targets.cache import CACHE_VARIABLE
from wgsl_fuzz.oracle.targets.children.python_child import child_environment
from wgsl_fuzz.oracle.targets.families import naga as naga_builds
from wgsl_fuzz.oracle.targets.families import tint as builds
from wgsl_fuzz.oracle.targets.protocol import Availability, TargetError, available

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the scripted npm is a POSIX script")

NPM = """
import json, os, pathlib, sys, time
pathlib.Path(os.environ["FAKE_LOG"]).open("a").write(json.dumps([os.getpid(), *sys.argv[1:]]) + "\\n")
mode = os.environ.get("FAKE_MODE", "")
if mode == "offline":
    sys.exit("npm error code ENOTFOUND\\nnpm error network request failed")
assert pathlib.Path("package-lock.json").exists() and pathlib.Path("package.json").exists()
dist = pathlib.Path("node_modules/webgpu/dist")
dist.mkdir(parents=True)
pathlib.Path("node_modules/webgpu/index.js").write_text("export {}")
time.sleep(1000 if mode == "hang" else 0.3)
names = ["linux-arm64", "win32-x64.dawn.node", "d3dcompiler_47.dll", "darwin-universal.dawn.node"]
for name in names if mode == "foreign" else [*names, "linux-x64.dawn.node"]:
    (dist / name).mkdir() if "." not in name else (dist / name).write_text("binary")
"""

NODE = "print('linux-x64')\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of our own and a PATH with scripted node and npm only."""
    tools = tmp_path / "bin"
    tools.mkdir()
    script(tools / "npm", NPM)
    script(tools / "node", NODE)
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setenv("FAKE_LOG", str(tmp_path / "log"))
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path


def runs(folder: Path) -> list[list[object]]:
    log = folder / "log"
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []


def leftovers(folder: Path) -> list[Path]:
    return list((folder / "cache" / "tint").glob(".new-*"))


def state(name: str) -> Availability:
    return next(info.state for info in available() if info.name == name)


def test_a_build_is_fetched_once_and_pruned(folder: Path) -> None:
    lines: list[str] = []
    assert state("tint@0.3.8") is Availability.INSTALLABLE
    install("tint@0.3.8", lines.append)
    install("tint@0.3.8", lines.append)
    assert state("tint@0.3.8") is Availability.INSTALLED
    assert state("tint@0.6.2") is Availability.INSTALLABLE
    assert len(runs(folder)) == 1
    assert ["fetching" in line for line in lines] == [True, False, False]
    assert all("is installed in" in line for line in lines[1:])
    assert runs(folder)[0][1:4] == ["ci", "--ignore-scripts", "--fetch-retries=0"]
    dist = builds.BUILDS.place("0.3.8") / "node_modules" / "webgpu" / "dist"
    assert [entry.name for entry in dist.iterdir()] == ["linux-x64.dawn.node"]
    assert leftovers(folder) == []


def test_processes_may_install_at_once(folder: Path) -> None:
    code = "from wgsl_fuzz.oracle.targets import install; install('tint@0.3.8', print)"
    command = [sys.executable, "-c", code]
    started = [subprocess.Popen(command, env=child_environment()) for _ in range(3)]
    assert [process.wait() for process in started] == [0, 0, 0]
    assert builds.BUILDS.is_installed("0.3.8")
    assert leftovers(folder) == []


def test_a_killed_installation_leaves_no_half(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_MODE", "hang")
    code = "from wgsl_fuzz.oracle.targets import install; install('tint@0.3.8', print)"
    process = subprocess.Popen([sys.executable, "-c", code], env=child_environment(), start_new_session=True)
    while not any((folder / "cache").glob("tint/.new-*/build/node_modules/webgpu/index.js")):
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not builds.BUILDS.is_installed("0.3.8")
    (left,) = leftovers(folder)
    os.utime(left, (0, 0))
    monkeypatch.delenv("FAKE_MODE")
    install("tint@0.3.8")
    assert builds.BUILDS.is_installed("0.3.8")
    assert leftovers(folder) == []


def test_failures_are_one_line_and_leave_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for mode, says in [("offline", "network request failed"), ("foreign", "no binary for linux-x64")]:
        monkeypatch.setenv("FAKE_MODE", mode)
        with pytest.raises(TargetError, match=says) as caught:
            install("tint@0.3.8")
        assert "\n" not in str(caught.value)
        assert not builds.BUILDS.is_installed("0.3.8")
        assert leftovers(folder) == []


def _flip(file: Path) -> None:
    file.write_bytes(b"\xff" + file.read_bytes()[1:])


def _cut(file: Path) -> None:
    os.truncate(file, 3)


@pytest.mark.parametrize("spoil", [_flip, _cut, Path.unlink])
@pytest.mark.parametrize("name", ["dist/linux-x64.dawn.node", "index.js"])
def test_a_damaged_build_is_fetched_again_or_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], None], name: str
) -> None:
    install("tint@0.3.8")
    file = builds.BUILDS.place("0.3.8") / "node_modules" / "webgpu" / name
    sound = file.read_bytes()
    spoil(file)
    monkeypatch.setenv("FAKE_MODE", "offline")
    with pytest.raises(
        TargetError, match=r"damaged in the cache \(.*(changed|No such file.*|missing)\), and .* cannot be fetched"
    ):
        install("tint@0.3.8")
    monkeypatch.delenv("FAKE_MODE")
    lines: list[str] = []
    install("tint@0.3.8", lines.append)
    assert "is fetched again" in lines[0]
    assert file.read_bytes() == sound
    assert leftovers(folder) == []


@pytest.mark.usefixtures("folder")
def test_a_cache_that_cannot_be_written_is_a_target_error(folder: Path) -> None:
    (folder / "cache").write_text("a file, not a folder", encoding="utf-8")
    with pytest.raises(TargetError, match="cannot be installed"):
        install("tint@0.3.8")


@pytest.mark.parametrize("spec", ["tint@embedded", "tint:/bin/true", "naga"])
def test_what_is_not_ours_to_install_is_refused(spec: str) -> None:
    with pytest.raises(TargetError, match="not something to install"):
        install(spec)


@pytest.mark.usefixtures("folder")
def test_without_node_the_embedded_tint_serves_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(builds, "_wheel_folder", lambda: None)
    lines: list[str] = []
    target = open_target("tint", notify=lines.append)
    target.close()
    assert target.name == "tint@embedded"
    assert "2025-01" in target.origin
    assert "node and npm are missing" in lines[0]
    assert "falling back" in lines[0]
    with pytest.raises(TargetError, match="node and npm are missing"):
        open_target("tint@0.6.2")


@pytest.mark.parametrize("version", builds.DATES)
def test_each_lock_pins_its_build_by_integrity_and_names_no_registry(version: str) -> None:
    lock = json.loads((builds.lock_folder(version) / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages["node_modules/webgpu"]["version"] == version
    assert all(re.fullmatch(r"sha512-[\w+/]{86}==", entry["integrity"]) for entry in packages.values())
    assert not any("resolved" in entry for entry in packages.values())


@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
def test_the_real_npm_refuses_a_build_whose_hash_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locks = tmp_path / "locks" / "0.3.3"
    shutil.copytree(builds.lock_folder("0.3.3"), locks)
    lock = locks / "package-lock.json"
    spoilt = re.sub(r"sha512-.{8}", "sha512-AAAAAAAA", lock.read_text(encoding="utf-8"))
    lock.write_text(spoilt, encoding="utf-8")
    monkeypatch.setattr(builds, "lock_folder", lambda version: tmp_path / "locks" / version)
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    with pytest.raises(TargetError, match="cannot be fetched"):
        install("tint@0.3.3")
    assert not builds.BUILDS.is_installed("0.3.3")


NEWEST = next(iter(naga_builds.DATES))


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The calls of a scripted pip, which makes a package of one file; the cache is a new one."""
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(naga_builds, "find_spec", lambda _name: True)
    made: list[list[str]] = []

    def pip(command: list[str], **_options: object) -> subprocess.CompletedProcess[bytes]:
        made.append(command)
        package = Path(command[command.index("--target") + 1]) / "wgpu"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        return subprocess.CompletedProcess(command, 0, b"", b"")

    monkeypatch.setattr(cache, "run", pip)
    return made


@pytest.mark.parametrize("version", naga_builds.DATES)
def test_what_is_pinned_is_pinned_by_hashes(version: str) -> None:
    text = naga_builds.requirements(version).read_text(encoding="utf-8")
    for package in re.split(r"\n(?=\w)", text.strip()):
        assert re.match(r"\w+==[\d.]+ ", package)
        assert re.findall(r"--hash=sha256:[0-9a-f]{64}\b", package)
    assert "://" not in text


def test_a_build_is_fetched_once_with_hashes_and_as_wheels_only(calls: list[list[str]]) -> None:
    assert state(f"naga@{NEWEST}") is Availability.INSTALLABLE
    lines: list[str] = []
    install(f"naga@{NEWEST}", lines.append)
    install(f"naga@{NEWEST.partition('.')[0]}", lines.append)
    assert len(calls) == 1
    assert {"--require-hashes", "--only-binary=:all:", "--no-deps"} <= set(calls[0])
    assert state(f"naga@{NEWEST}") is Availability.INSTALLED
    assert ["fetching" in line for line in lines] == [True, False, False]


def test_a_build_that_cannot_be_fetched_is_one_line(monkeypatch: pytest.MonkeyPatch, calls: list[list[str]]) -> None:
    failed = subprocess.CompletedProcess(
        [], 1, b"", b"WARNING: x\nERROR: no network\nERROR: No matching distribution\n"
    )
    monkeypatch.setattr(cache, "run", lambda _command, **_options: failed)
    with pytest.raises(TargetError, match=r"cannot be fetched: No matching distribution$"):
        install(f"naga@{NEWEST}")
    assert calls == []
    assert state(f"naga@{NEWEST}") is Availability.INSTALLABLE
