"""Pinned builds of compilers in the user's cache: a folder that appears by one rename, so there are no halves.

A build's files are checked whenever it is opened; one with damaged files is fetched again.
"""

import contextlib
import hashlib
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, TimeoutExpired, run
from typing import Any

import platformdirs

from wgsl_fuzz.oracle.targets.protocol import Availability, Notify, TargetError, TargetInfo

SUMS = "SHA256SUMS"
"""The file with a line for each other file of the folder."""


def write_sums(folder: Path) -> None:
    """Records the files of a folder; raises OSError."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name != SUMS)
    lines = [f"{_sum(file)}  {file.relative_to(folder).as_posix()}\n" for file in files]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def damage(folder: Path) -> str | None:
    """What differs first from the record, in a few words; None if nothing does. 20 MB take 20 ms.

    Files that were added are no damage: compilers leave some.
    """
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return f"{SUMS} cannot be read"
    if not lines:
        return f"{SUMS} is empty"
    for line in lines:
        expected, _, name = line.partition("  ")
        try:
            if _sum(folder / name) != expected:
                return f"{name} has changed"
        except OSError as error:
            return f"{name}: {error.strerror}"
    return None


def _sum(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def digest(paths: Iterable[Path]) -> str:
    """Twelve hex digits that tell two builds at one path apart."""
    found = hashlib.sha256()
    try:
        for path in paths:
            found.update(bytes.fromhex(_sum(path)))
    except OSError:
        return "unreadable"
    return found.hexdigest()[:12]


CACHE_VARIABLE = "WGSL_FUZZ_CACHE"
"""Environment variable that names another cache folder."""

_STALE_SECONDS = 3600
INSTALL_SECONDS = 900


def cache_folder() -> Path:
    """Where the builds live: `$WGSL_FUZZ_CACHE`, else the user's cache folder."""
    override = os.environ.get(CACHE_VARIABLE)
    return Path(override) if override else Path(platformdirs.user_cache_dir("wgsl-fuzz"))


def _folder_of(prefix: str, version: str) -> Path:
    return cache_folder() / prefix / f"{version}-{sys.platform}-{platform.machine().lower()}"


def pinned_digest(name: str) -> str:
    """The digest of all files of a pinned build that is installed, by its name (`tint@0.6.2`); empty of others."""
    prefix, _, version = name.partition("@")
    sums = _folder_of(prefix, version) / SUMS
    return f"sha256 {digest([sums])}" if sums.is_file() else ""


@dataclass(frozen=True, slots=True)
class Builds:
    """The pinned builds of a compiler, each fetched on first use."""

    title: str
    """For people: `Tint`."""
    dates: Mapping[str, str]
    """The versions and when they were published, newest first."""
    package: Callable[[str], str]
    """What a version is called where it comes from: `npm webgpu 0.6.2`."""
    source: str
    """Where builds come from and how large they are, for people."""
    entry: Path
    """A file, within the folder, without which it is no build."""
    fetch: Callable[[str, Path], None]
    """Makes the folder of a version; raises TargetError or OSError."""
    check_ready: Callable[[], object]
    """Raises TargetError if nothing can be fetched or run here."""

    @property
    def prefix(self) -> str:
        """In the names of targets: `tint`."""
        return self.title.lower()

    def place(self, version: str) -> Path:
        """Where a build is. It names the platform, because a home folder may be shared between machines."""
        return _folder_of(self.prefix, version)

    def is_installed(self, version: str) -> bool:
        """Whether a build is in the cache."""
        return (self.place(version) / self.entry).exists()

    def folder(self, version: str, notify: Notify) -> Path:
        """The folder of a build, fetched if need be; TargetError when that fails. Several processes may do so at once.

        A build that is there is checked, and fetched again if it is damaged.
        """
        folder = self.place(version)
        if not self.is_installed(version):
            self.check_ready()  # nothing is said to be fetched that cannot be
        if not folder.exists():
            return self._fetched(version, notify)
        fault = damage(folder) if self.is_installed(version) else f"{self.entry.as_posix()} is missing"
        if fault is None:
            return folder
        told = f"{self.title} {version} is damaged in the cache ({fault})"
        notify(f"{told}: it is fetched again")
        try:
            return self._fetched(version, notify)
        except TargetError as error:
            raise TargetError(f"{told}, and {error}") from error

    def _fetched(self, version: str, notify: Notify) -> Path:
        """The folder of the build just fetched, in the place of what was there."""
        folder, name = self.place(version), f"{self.title} {version}"
        notify(f"fetching {name} ({self.source}) into {folder}")
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            _sweep(folder.parent)
            with tempfile.TemporaryDirectory(prefix=".new-", dir=folder.parent, ignore_cleanup_errors=True) as new:
                fresh = Path(new) / "build"
                self.fetch(version, fresh)
                write_sums(fresh)
                _publish(fresh, folder)
        except OSError as error:
            raise TargetError(f"{name} cannot be installed: {error}") from error
        return folder

    def install(self, version: str, notify: Notify) -> None:
        """Fetches a build, or says that it is there."""
        notify(f"{self.title} {version} is installed in {self.folder(version, notify)}")

    def infos(self) -> list[TargetInfo]:
        """A line of `wgsl-fuzz targets` for each build."""
        state, reason = Availability.INSTALLABLE, ""
        try:
            self.check_ready()
        except TargetError as error:
            state, reason = Availability.MISSING, str(error)
        return [
            TargetInfo(
                f"{self.prefix}@{version}",
                self.package(version),
                Availability.INSTALLED if not reason and self.is_installed(version) else state,
                date,
                reason,
            )
            for version, date in self.dates.items()
        ]


def fetch_by(tool: str, command: Sequence[str], what: str, reason: Callable[[str], str], **options: Any) -> None:
    """Runs a package manager. Raises TargetError, with the `reason` that its standard error gives."""
    try:
        done = run(command, stdin=DEVNULL, capture_output=True, timeout=INSTALL_SECONDS, **options)
    except TimeoutExpired:
        raise TargetError(f"{what} cannot be fetched: {tool} did not end in {INSTALL_SECONDS} s") from None
    if done.returncode != 0:
        raise TargetError(f"{what} cannot be fetched: {reason(done.stderr.decode('utf-8', 'replace'))}")


def _publish(fresh: Path, folder: Path) -> None:
    """One rename, which either makes the whole build appear or finds that another process was faster.

    What is damaged makes room; those who use it keep their open files.
    """
    try:
        if folder.exists() and damage(folder) is not None:
            with contextlib.suppress(FileNotFoundError):
                folder.rename(fresh.with_name("damaged"))
        fresh.rename(folder)
    except OSError:
        if damage(folder) is not None:
            raise


def _sweep(parent: Path) -> None:
    """Deletes what killed installations left behind."""
    for leftover in parent.glob(".new-*"):
        with contextlib.suppress(OSError):
            if time.time() - leftover.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(leftover, ignore_errors=True)
