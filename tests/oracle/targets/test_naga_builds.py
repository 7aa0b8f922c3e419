"""The pinned Naga builds: what is pinned, fetching by a scripted pip, and what is said where nothing can be had."""

import re
import subprocess
from pathlib import Path

import pytest

from wgsl_fuzz.oracle.targets import TargetError, available, cache, install, open_target
from wgsl_fuzz.oracle.targets.families import naga as naga_builds
from wgsl_fuzz.oracle.targets.protocol import State

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


def state(version: str) -> State:
    return next(info.state for info in available() if info.name == f"naga@{version}")


@pytest.mark.parametrize("version", naga_builds.DATES)
def test_what_is_pinned_is_pinned_by_hashes(version: str) -> None:
    text = naga_builds.requirements(version).read_text(encoding="utf-8")
    for package in re.split(r"\n(?=\w)", text.strip()):
        assert re.match(r"\w+==[\d.]+ ", package)
        assert re.findall(r"--hash=sha256:[0-9a-f]{64}\b", package)
    assert "://" not in text


def test_a_build_is_fetched_once_with_hashes_and_as_wheels_only(calls: list[list[str]]) -> None:
    assert state(NEWEST) is State.INSTALLABLE
    lines: list[str] = []
    install(f"naga@{NEWEST}", lines.append)
    install(f"naga@{NEWEST.partition('.')[0]}", lines.append)
    assert len(calls) == 1
    assert {"--require-hashes", "--only-binary=:all:", "--no-deps"} <= set(calls[0])
    assert state(NEWEST) is State.INSTALLED
    assert ["fetching" in line for line in lines] == [True, False, False]


def test_a_build_that_cannot_be_fetched_is_one_line(monkeypatch: pytest.MonkeyPatch, calls: list[list[str]]) -> None:
    failed = subprocess.CompletedProcess(
        [], 1, b"", b"WARNING: x\nERROR: no network\nERROR: No matching distribution\n"
    )
    monkeypatch.setattr(cache, "run", lambda _command, **_options: failed)
    with pytest.raises(TargetError, match=r"cannot be fetched: No matching distribution$"):
        install(f"naga@{NEWEST}")
    assert calls == []
    assert state(NEWEST) is State.INSTALLABLE


def test_what_is_not_pinned_names_what_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgsl_fuzz.oracle.targets.families.naga.find_spec", lambda _name: None)
    with pytest.raises(TargetError, match=rf"unknown Naga build '1\.2'; known: {re.escape(NEWEST)}, .*installed wgpu"):
        open_target("naga@1.2")


def test_without_pip_or_cffi_they_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naga_builds, "find_spec", lambda _name: None)
    with pytest.raises(TargetError, match="need pip and cffi"):
        open_target(f"naga@{NEWEST}")
    assert state(NEWEST) is State.MISSING
