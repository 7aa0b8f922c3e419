"""A Dask cluster of real processes on this machine, for tests."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil

from tests.oracle.targets.watching import comes

ROOT = Path(__file__).parents[3]
PATIENCE = 60.0
SETTINGS = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
}
"""Dask's own, as `docs/cluster.md` recommends them: it then does less beside the work."""


class Cluster:
    """A scheduler, and workers that can be started and killed."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None, protocol: str = "tcp") -> None:
        """`environment` is what its processes have beside ours."""
        self._environment = environment or {}
        self._file = folder / "scheduler.json"
        self._log = (folder / "cluster.log").open("wb")
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._started("distributed.cli.dask_scheduler", "--port", "0", "--protocol", protocol)
        assert comes(lambda: self._file.exists() and bool(self._file.read_text()), PATIENCE), "it does not start"
        self.address: str = json.loads(self._file.read_text())["address"]

    def worker(self, directory: Path = ROOT, threads: int = 1) -> "subprocess.Popen[bytes]":
        """Starts a worker with so many threads, in a directory."""
        options = ("--nthreads", str(threads), "--no-nanny")
        return self._started("distributed.cli.dask_worker", *options, directory=directory)

    def _started(self, module: str, *options: str, directory: Path = ROOT) -> "subprocess.Popen[bytes]":
        files = ["--scheduler-file", str(self._file), "--host", "127.0.0.1", "--no-dashboard"]
        process = subprocess.Popen(
            [sys.executable, "-m", module, *files, *options],
            cwd=directory,
            env={**os.environ, **SETTINGS, **self._environment},
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    def close(self) -> None:
        """Kills all of it."""
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._log.close()


@contextlib.contextmanager
def cluster_in(
    folder: Path, workers: int, environment: Mapping[str, str] | None = None, protocol: str = "tcp"
) -> Iterator[Cluster]:
    """A cluster of so many workers."""
    cluster = Cluster(folder, environment, protocol)
    try:
        for _ in range(workers):
            cluster.worker()
        yield cluster
    finally:
        cluster.close()


def children_of(process: int) -> list[int]:
    """The processes that a process started and that live."""
    with contextlib.suppress(psutil.Error):
        return [child.pid for child in psutil.Process(process).children() if child.status() != psutil.STATUS_ZOMBIE]
    return []
