"""The connection to a scheduler: TLS as docs/cluster.md has it, and one line for each way in which there is none."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.campaign.clusters import ROOT, cluster_in
from tests.fuzz.campaign.test_resume import PLAN
from wgsl_fuzz.fuzz.campaign.cluster import ClusterPool
from wgsl_fuzz.fuzz.campaign.dask_connection import SchedulerError, connected
from wgsl_fuzz.fuzz.campaign.worker import Task, TaskResult
from wgsl_fuzz.oracle.targets import open_target

NAME = "rules:without-10a"
ROLES = ("scheduler", "worker", "client")
SECONDS = "wgsl_fuzz.fuzz.campaign.dask_connection.CONNECT_SECONDS"


@pytest.fixture(autouse=True)
def no_client(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """A client of Dask's is made of a connection that holds: one that fails says its traceback later."""
    distributed = pytest.importorskip("distributed")
    if request.node.get_closest_marker("full") is None:
        monkeypatch.setattr(distributed, "Client", lambda *_, **__: pytest.fail("a client without a connection"))


def configured(**settings: Any) -> Any:
    """Dask's configuration with these settings for TLS."""
    import dask.config

    return dask.config.set({f"distributed.comm.tls.{name}": value for name, value in settings.items()})


def why(address: str) -> str:
    """In which words there is no connection: one line."""
    with pytest.raises(SchedulerError) as error:
        connected(address)
    assert len(str(error.value).splitlines()) == 1
    return str(error.value)


def test_tls_without_certificates_names_what_is_missing(tmp_path: Path) -> None:
    with configured():
        assert "has no distributed.comm.tls.ca-file" in why("tls://127.0.0.1:1")
    nowhere, there = str(tmp_path / "nowhere.pem"), tmp_path / "ca.pem"
    there.write_text("no certificate")
    with configured(**{"ca-file": str(there), "client": {"cert": nowhere}}):
        assert f"distributed.comm.tls.client.cert of Dask's configuration, {nowhere}: No such file" in why("tls://x:1")
    with configured(**{"ca-file": str(there), "client": {"cert": str(there)}}):
        assert why("tls://127.0.0.1:1").startswith("no scheduler answers at tls://127.0.0.1:1: ")


# ---------------------------------------------------------------------------------------------------------- for real


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made by the commands on the page, twice, for two clusters: in `.` and in `other`."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    page = (ROOT / "docs/cluster.md").read_text(encoding="utf-8")
    (commands,) = re.findall(r"^```sh\n(openssl .*?)^```", page, re.M | re.S)
    folder = tmp_path_factory.mktemp("certificates")
    for place in (folder, folder / "other"):
        place.mkdir(exist_ok=True)
        subprocess.run(["sh", "-ec", commands], cwd=place, check=True, capture_output=True)
    return folder


def settings_in(folder: Path, ca: Path | None = None) -> dict[str, Any]:
    """What Dask's configuration says of certificates that are in this folder."""
    roles = {role: {"cert": f"{folder}/{role}.pem", "key": f"{folder}/{role}-key.pem"} for role in ROLES}
    return {"ca-file": f"{ca or folder}/ca.pem", **roles}


def environment_of(settings: dict[str, Any]) -> dict[str, str]:
    """The same for a process that is started."""
    place = "DASK_DISTRIBUTED__COMM__TLS__"
    files = {f"{role}__{kind}": file for role in ROLES for kind, file in settings[role].items()}
    return {place + name.upper(): file for name, file in {"ca_file": settings["ca-file"], **files}.items()}


@pytest.mark.full
def test_tls_by_the_page(tmp_path: Path, certificates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, other = settings_in(certificates), settings_in(certificates / "other")
    with cluster_in(tmp_path, 1, environment_of(ours), "tls") as cluster:
        assert cluster.address.startswith("tls://")
        with configured(**ours):
            pool = ClusterPool(cluster.address, PLAN, [NAME], [open_target(NAME)], 10.0)
            pool.give(Task(0, 8))
            assert isinstance(pool.take(), TaskResult)
            pool.close()
        monkeypatch.setattr(SECONDS, 3.0)
        with configured(**other):
            assert "its certificate is none of our ca-file" in why(cluster.address)
        with configured(**settings_in(certificates / "other", ca=certificates)):
            assert "does not trust our certificate" in why(cluster.address)
        assert "whose address begins with tls://" in why(cluster.address.replace("tls", "tcp"))


@pytest.mark.full
def test_a_scheduler_without_tls_is_told(tmp_path: Path, certificates: Path) -> None:
    with cluster_in(tmp_path, 0) as cluster, configured(**settings_in(certificates)):
        assert "its address then begins with tcp://" in why(cluster.address.replace("tcp", "tls"))


@pytest.mark.full
def test_a_scheduler_without_wgsl_fuzz_is_told(tmp_path: Path) -> None:
    """It looks at each task, and would refuse one after the other."""
    (tmp_path / "wgsl_fuzz.py").write_text("raise ImportError('there is none here')")
    with cluster_in(tmp_path, 0, {"PYTHONSAFEPATH": "1", "PYTHONPATH": str(tmp_path)}) as cluster:
        said = "has no wgsl-fuzz: install it there, too (there is none here)"
        assert why(cluster.address) == f"the scheduler at {cluster.address} {said}"


@pytest.mark.full
def test_a_scheduler_that_answers_no_more_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the connection, and then stands still."""
    monkeypatch.setattr(SECONDS, 3.0)
    (tmp_path / "wgsl_fuzz.py").write_text("import time\ntime.sleep(60)")
    with cluster_in(tmp_path, 0, {"PYTHONSAFEPATH": "1", "PYTHONPATH": str(tmp_path)}) as cluster:
        assert why(cluster.address) == f"the scheduler at {cluster.address} does not answer any more"
