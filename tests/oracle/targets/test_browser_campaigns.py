"""Campaigns against browsers, killed in mid-batch: what comes of them is what an undisturbed one gives, and nothing is
left behind.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from tests.fuzz.campaign.test_resume import lasting
from tests.oracle.targets.watching import comes
from wgsl_fuzz.fuzz.findings.loading import read_campaign
from wgsl_fuzz.oracle.targets.browsers import local as launch
from wgsl_fuzz.oracle.targets.cache import CACHE_VARIABLE

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to look at processes"),
]

ROOT = Path(__file__).parents[3]
PROGRAMS, TASK = 128, 16
PATIENCE = 240.0
"""Seconds until something must have happened: browsers start slowly beside other tests."""
CODE = f"""
from wgsl_fuzz.fuzz.campaign import campaign as runs
from wgsl_fuzz.fuzz.cli import main
from wgsl_fuzz.fuzz.cli.runs import campaign
campaign.given_shaders = lambda *_, **__: []
runs.TASK = {TASK}
main.main()
"""
"""A campaign of small tasks, which asks about nothing but what it draws."""


class Machine:
    """What runs with temporary files in one folder: campaigns, services and their browsers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scratch = Path(tempfile.mkdtemp())  # a short path: Chromium's socket needs one
        own = {"TMPDIR": str(self.scratch), CACHE_VARIABLE: str(folder / "cache")}
        self.environment: Mapping[str, str] = {**os.environ, **own}

    def start(self, *arguments: str, code: str = CODE) -> "subprocess.Popen[str]":
        """A command, as in a terminal of its own."""
        with (self.folder / "said.txt").open("a") as said:
            return subprocess.Popen(
                [sys.executable, "-c", code, *arguments],
                cwd=self.folder,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                start_new_session=True,
            )

    def campaign(self, target: str, out: Path) -> "subprocess.Popen[str]":
        """A new campaign."""
        options = ["--language", "compute", "--seed", "3", "--programs", str(PROGRAMS), "--jobs", "1"]
        return self.start("--target", target, *options, "--out", str(out))

    def processes(self) -> dict[int, str]:
        """The living processes with their command lines."""
        found, here = {}, str(self.scratch)
        for one in psutil.process_iter(["cmdline", "cwd", "environ"]):
            line = " ".join(one.info["cmdline"] or ())
            # Chromium writes over its environment.
            if any(here in str(told) for told in (line, one.info["cwd"], one.info["environ"])):
                found[one.pid] = line
        return found

    def browser(self) -> int | None:
        """The first process of the browser."""
        return next((pid for pid, line in self.processes().items() if _is_browser(line)), None)

    def said(self) -> str:
        """What was said on standard error."""
        return (self.folder / "said.txt").read_text()[-3000:]


def _is_browser(line: str) -> bool:
    return re.search("--user-data-dir|--profile ", line) is not None and not re.search("--type=|-contentproc", line)


def soon(happened: Callable[[], object]) -> None:
    """Waits until something has happened."""
    assert comes(lambda: bool(happened()), PATIENCE), "it does not happen"


def programs(out: Path) -> int:
    """How many shaders a run has judged."""
    with suppress(Exception):
        return read_campaign(out)[0].programs
    return 0


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path)
    yield machine
    for pid in machine.processes():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    shutil.rmtree(machine.scratch, ignore_errors=True)


def finished(machine: Machine, campaign: "subprocess.Popen[str]") -> None:
    """Waits for the end of a campaign, which finds something, all of it known or not."""
    campaign.communicate(timeout=2 * PATIENCE)
    assert campaign.returncode in (0, 1), machine.said()
    assert "Traceback" not in machine.said()


def kill_campaign(machine: Machine, out: Path, target: str, browsers_end: bool) -> None:
    """Begins a campaign, and kills it in mid-batch."""
    campaign = machine.campaign(target, out)
    soon(lambda: programs(out) >= TASK or campaign.poll() is not None)
    assert campaign.poll() is None, machine.said()
    campaign.kill()
    campaign.communicate()
    if browsers_end:
        soon(lambda: not machine.processes())
    assert programs(out) < PROGRAMS


def resume_and_kill_browser(machine: Machine, out: Path, again: Callable[[], object]) -> None:
    """Goes on with it, and kills the browser meanwhile."""
    before = programs(out)
    with machine.start("--resume", str(out)) as campaign:
        soon(lambda: programs(out) > before or campaign.poll() is not None)
        browser = machine.browser()
        assert campaign.poll() is None, machine.said()
        assert browser is not None
        os.kill(browser, signal.SIGKILL)
        again()
        finished(machine, campaign)


@pytest.mark.parametrize("browser", launch.KINDS)
def test_a_campaign_on_a_browser_comes_to_its_end(machine: Machine, browser: str) -> None:
    if launch.find(launch.KINDS[browser]) is None:
        pytest.skip(launch.KINDS[browser].hint)
    whole, out = machine.folder / "whole", machine.folder / "run"
    finished(machine, machine.campaign(browser, whole))
    kill_campaign(machine, out, browser, browsers_end=True)
    resume_and_kill_browser(machine, out, lambda: None)
    assert programs(out) == programs(whole) == PROGRAMS
    assert lasting(out) == lasting(whole)
    assert read_campaign(out)[0].findings
    soon(lambda: not machine.processes())
    assert not list(machine.scratch.iterdir())


@contextmanager
def service(machine: Machine) -> Iterator[str]:
    """A service that runs, and the address of its page."""
    serving = machine.start("serve", code="from wgsl_fuzz.fuzz.cli.main import main; main()")
    assert serving.stdout is not None
    yield serving.stdout.readline().strip()
    serving.terminate()
    assert serving.wait(60) == 0, machine.said()
    serving.stdout.close()


def visit(machine: Machine, address: str) -> "subprocess.Popen[bytes]":
    """Opens an address in a browser, as a stranger does."""
    folder = Path(tempfile.mkdtemp(dir=machine.scratch))
    kind = launch.KINDS["chromium"]
    command = kind.command(str(launch.find(kind)), folder, address)
    return subprocess.Popen(
        command,
        env=launch.environment(folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=folder,
    )


def test_a_campaign_on_a_page_comes_to_its_end(machine: Machine) -> None:
    if launch.find(launch.KINDS["chromium"]) is None:
        pytest.skip(launch.KINDS["chromium"].hint)
    whole, out = machine.folder / "whole", machine.folder / "run"
    visits = []
    with service(machine) as address:
        visits.append(visit(machine, address))
        finished(machine, machine.campaign("browser", whole))
        kill_campaign(machine, out, "browser", browsers_end=False)
        resume_and_kill_browser(machine, out, lambda: visits.append(visit(machine, address)))
        assert programs(out) == programs(whole) == PROGRAMS
        assert lasting(out) == lasting(whole)
        assert read_campaign(out)[0].findings
        assert [name for name in read_campaign(out)[0].targets if re.fullmatch(r"browser@chrom\w+-\d[\d.]+", name)]
        assert re.search("is gone after [0-9]+ texts; it is waited for", machine.said())
    for visitor in visits:
        with suppress(ProcessLookupError):
            os.killpg(visitor.pid, signal.SIGKILL)
        visitor.wait()
    soon(lambda: not machine.processes())
    left = [path.name for path in machine.scratch.iterdir()]
    assert not [name for name in left if name.startswith("wgsl-fuzz-")]
