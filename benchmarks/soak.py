"""A long campaign, watched from outside: does its memory stay flat, does it stay as fast, is anything left behind?

    python benchmarks/soak.py --hours 4 [--out DIR] [options of a campaign, as `--target tint --jobs 2`]

Memory, open files and threads are those of all processes of the campaign, each minute. The rate is in programs a second
of processor time as well: on a busy machine that is the one to compare. `--out` may name a run that is to be gone on
with: then it is resumed, and the table begins where it ended.
"""

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TypeVar

import click
import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wgsl_fuzz.fuzz.findings.stats import ROLES, StatsLine, read_stats
from wgsl_fuzz.oracle.targets.children.scratch import PREFIX

EVERY = 60.0
"""Seconds between two samples."""
SETTLED = 600.0
"""Seconds after which memory is to stay as it is."""
GRACE = 5.0
"""Seconds that processes have to end after the campaign."""
ENOUGH = 8
"""Samples that can be compared by quarters."""
ROWS = 16
MIB = 1 << 20

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Sample:
    """What the processes of a campaign use at a moment."""

    seconds: float
    memory: int
    """Bytes of all processes, ..."""
    largest: int
    """... and of the largest one."""
    processes: int
    files: int
    threads: int
    programs: int
    processor: float
    """Seconds that all processes used so far, those that ended included."""


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--hours", default=4.0, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="The run's folder; in a temporary one unless given.")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def main(hours: float, out: Path | None, options: tuple[str, ...]) -> None:
    """Print a row every few minutes, then what stayed flat and what did not."""
    out = out or Path(tempfile.mkdtemp(prefix="soak-")) / "run"
    begin = ["--resume", str(out)] if (out / "run.json").exists() else ["--out", str(out)]
    command = [sys.executable, "-m", "wgsl_fuzz", *begin, "--hours", str(hours), *(options or ("--target", "tint"))]
    before = read_stats(out, 1)
    with tempfile.TemporaryFile() as errors:
        campaign = subprocess.Popen(command, start_new_session=True, stderr=errors, stdout=subprocess.PIPE)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        try:
            samples, seen = watch(campaign, out)
        except (KeyboardInterrupt, SystemExit):
            campaign.terminate()  # it has a session of its own
            campaign.wait()
            raise
        said = campaign.communicate()[0].decode()
        errors.seek(0)
        complaint = errors.read().decode(errors="replace").strip()
    if campaign.returncode not in (0, 1):
        raise click.ClickException(f"the campaign ended with status {campaign.returncode}: {complaint[-400:]}")
    for row in rows(samples):
        click.echo(row)
    click.echo(said.strip().splitlines()[0] if said.strip() else "the campaign said nothing")
    for verdict in (*verdicts(samples), *of_roles(read_stats(out), before[-1].seconds if before else 0.0)):
        click.echo(verdict)
    time.sleep(GRACE)
    left = [one for one in seen if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
    makers = {f"{PREFIX}{one.pid}-" for one in seen}
    there = [name for name in Path(tempfile.gettempdir()).iterdir() if any(map(name.name.startswith, makers))]
    click.echo(f"left behind: processes {left}, scratch directories {[one.name for one in there]}")


def watch(campaign: subprocess.Popen[bytes], out: Path) -> tuple[list[Sample], set[psutil.Process]]:
    """Samples until the campaign ends, and all processes that it ever had."""
    samples, seen, root, begun = list[Sample](), set[psutil.Process](), psutil.Process(campaign.pid), time.monotonic()
    while campaign.poll() is None:
        tree = [root, *_children(root)]
        seen |= set(tree)
        used = [found for one in tree if (found := _use(one)) is not None]
        stats = read_stats(out, 1)
        if used:
            memory, files, threads = zip(*used, strict=True)
            processor = sum(stats[-1].processor.values()) if stats else 0.0
            programs = stats[-1].programs if stats else 0
            now = time.monotonic() - begun
            samples.append(
                Sample(now, sum(memory), max(memory), len(used), sum(files), sum(threads), programs, processor)
            )
        try:
            campaign.wait(EVERY)
        except subprocess.TimeoutExpired:
            continue
    return samples, seen


def _children(root: psutil.Process) -> list[psutil.Process]:
    try:
        below: list[psutil.Process] = root.children(recursive=True)
    except psutil.Error:
        return []
    return below


def _use(process: psutil.Process) -> tuple[int, int, int] | None:
    """Bytes, open files and threads of a process; None if it has ended."""
    try:
        with process.oneshot():
            return process.memory_info().rss, process.num_fds(), process.num_threads()
    except psutil.Error:
        return None


def rows(samples: Sequence[Sample]) -> list[str]:
    """A table: what was used, and how fast it went."""
    lines = [" minutes   programs  /s  /CPU s    MiB  largest  processes  files  threads"]
    step = max(1, len(samples) // ROWS)
    for last, one in zip(samples[::step], samples[step::step]):
        rate, cost = rates(last, one)
        lines.append(
            f"{one.seconds / 60:8.0f} {one.programs:10,} {rate:3.0f} {cost:7.0f} {one.memory / MIB:6.0f} "
            f"{one.largest / MIB:8.0f} {one.processes:10} {one.files:6} {one.threads:8}"
        )
    return lines


def rates(first: Sample, last: Sample) -> tuple[float, float]:
    """Programs a second between two samples, and a second of processor time."""
    done = last.programs - first.programs
    passed, used = last.seconds - first.seconds, last.processor - first.processor
    return done / passed if passed else 0.0, done / used if used else 0.0


def verdicts(samples: Sequence[Sample]) -> list[str]:
    """Medians of the first and the last quarter after ten minutes, and the rates of these quarters."""
    settled = [one for one in samples if one.seconds >= SETTLED]
    if len(settled) < ENOUGH:
        return ["too short to say what stays flat"]
    early, late = quarters(settled)
    lines = []
    for name in ("memory", "largest", "processes", "files", "threads"):
        before, after = (median(getattr(one, name) for one in part) for part in (early, late))
        lines.append(f"{name}: {change(before, after)}")
    of_both = zip(rates(early[0], early[-1]), rates(late[0], late[-1]))
    for name, (before, after) in zip(("programs a second", "programs a second of processor time"), of_both):
        lines.append(f"{name}: {change(before, after)}")
    return lines


def of_roles(lines: Sequence[StatsLine], begun: float) -> list[str]:
    """The largest process of each role, by what the run itself wrote after this second of it: medians as above."""
    settled = [line.memory for line in lines if line.seconds >= begun + SETTLED]
    verdicts = []
    for role in ROLES:
        sizes = [memory[role].largest[0] / MIB for memory in settled if role in memory and memory[role].largest]
        if len(sizes) >= ENOUGH:
            flat = change(*map(median, quarters(sizes)))
            verdicts.append(f"the largest of {role}, in MiB: {flat}, {min(sizes):,.0f} to {max(sizes):,.0f}")
    return verdicts


def quarters(settled: Sequence[_T]) -> tuple[Sequence[_T], Sequence[_T]]:
    """The first and the last quarter."""
    quarter = len(settled) // 4
    return settled[:quarter], settled[-quarter:]


def change(before: float, after: float) -> str:
    """Two numbers, and by how much the second differs."""
    return f"{before:,.0f} -> {after:,.0f}" + (f" ({after / before - 1:+.1%})" if before else "")


if __name__ == "__main__":
    main()
