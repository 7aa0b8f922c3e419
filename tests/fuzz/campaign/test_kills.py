"""Compilers and workers that someone kills at random moments change nothing: not what is judged, found or labelled."""

import os
import random
import subprocess
import sys
import time
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path

import psutil
import pytest

from tests.fuzz.campaign.test_resume import lasting, progress
from wgsl_fuzz.fuzz.campaign.remote import CHILD
from wgsl_fuzz.fuzz.findings.loading import read_campaign

ROOT = Path(__file__).parents[3]
TARGET = "tint@embedded"
BETWEEN = (0.05, 1.5)
"""Seconds between two kills, at least and at most."""
WITHOUT_PROGRESS = 3
"""So many kills may follow each other before the run gets anywhere: no run outlives those that never end."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")


def started(out: Path, jobs: int, programs: int) -> "subprocess.Popen[bytes]":
    """A campaign against a real compiler that has faults, as in a terminal of its own."""
    options = ["--target", TARGET, "--language", "tiny", "--seed", "2", "--programs", str(programs), "--out", str(out)]
    command = [sys.executable, "-m", "wgsl_fuzz", "--jobs", str(jobs), *options]
    with (out.parent / "said.txt").open("ab") as said:
        return subprocess.Popen(command, cwd=ROOT, stdout=said, stderr=said, start_new_session=True)


def compilers_and_workers(campaign: int) -> tuple[list[psutil.Process], list[psutil.Process]]:
    """The processes below that of a campaign: each leads a session of its own."""
    workers, compilers = list[psutil.Process](), list[psutil.Process]()
    for child in psutil.Process(campaign).children():
        with suppress(OSError, psutil.Error):
            if CHILD in child.cmdline():
                workers.append(child)
                compilers += child.children()
            elif os.getsid(child.pid) == child.pid:
                compilers.append(child)
    return compilers, workers


def kill_while_it_runs(campaign: "subprocess.Popen[bytes]", out: Path, choice: random.Random, most: int) -> int:
    """Kills a compiler or a worker now and then; how often it did."""
    kills, since, before = 0, 0, (-1, -1)
    while campaign.poll() is None and kills < most:
        time.sleep(choice.uniform(*BETWEEN))
        now = progress(out)
        since, before = (since if now == before else 0), now
        with suppress(psutil.Error):
            compilers, workers = compilers_and_workers(campaign.pid)
            chosen = choice.choice([compilers, workers]) or compilers or workers
            if chosen and since < WITHOUT_PROGRESS and now[0]:
                choice.choice(chosen).kill()
                kills += 1
                since += 1
    campaign.wait()
    return kills


@pytest.mark.slow
def test_two_hundred_kills_of_compilers_and_workers_change_nothing(tmp_path: Path) -> None:
    choice, programs, kills, whole = random.Random(2), 4096, 0, None
    runs = chain(((1, 0), (4, 0)), repeat((2, 200)))
    while kills < 200:
        jobs, most = next(runs)
        out = tmp_path / f"{jobs}-{kills}"
        with started(out, jobs, programs) as campaign:
            kills += kill_while_it_runs(campaign, out, choice, most - kills)
        assert campaign.returncode == 1, (tmp_path / "said.txt").read_text()[-2000:]
        record = read_campaign(out)[0]
        assert record.programs == sum(record.reference.values()) == programs
        whole = whole or lasting(out)
        assert lasting(out) == whole, "the first one is not disturbed, nor is the second"
