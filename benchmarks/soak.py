"""A long campaign, watched from outside: does its memory stay flat, does it stay as fast, is anything left behind?

    python benchmarks/soak.py --hours 4 [--out DIR] [options of a campaign, as `--target tint --jobs 2`]

Memory and rates are what the run itself writes (`stats.jsonl`); open files and threads of all its processes are looked
up each minute. The rate is in programs a second of processor time as well: on a busy machine that is the one to
compare. `--out` may name a run that is to be gone on with: then it is resumed, and the table begins where it ended.
"""

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from statistics import median

import click
import psutil

from wgsl_fuzz.fuzz.findings.stats import ROLES, StatsLine, read_stats
from wgsl_fuzz.oracle.targets.children.scratch import PREFIX

EVERY = 60.0
"""Seconds between two looks at files and threads."""
SETTLED = 600.0
"""Seconds after which memory is to stay as it is."""
GRACE = 5.0
"""Seconds that processes have to end after the campaign."""
ENOUGH = 8
"""Samples that can be compared by quarters."""
ROWS = 16
MIB = 1 << 20

Look = tuple[float, int, int, int]
"""Seconds since the beginning; the processes of the campaign, their open files, their threads."""


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--hours", default=4.0, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="The run's folder; in a temporary one unless given.")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def main(hours: float, out: Path | None, options: tuple[str, ...]) -> None:
    """Print a row every few minutes, then what stayed flat and what did not."""
    out = out or Path(tempfile.mkdtemp(prefix="soak-")) / "run"
    begin = ["--resume", str(out)] if (out / "run.json").exists() else ["--out", str(out)]
    command = [sys.executable, "-m", "wgsl_fuzz", *begin, "--hours", str(hours), *(options or ("--target", "tint"))]
    before = read_stats(out)[-1:]
    with tempfile.TemporaryFile() as errors:
        campaign = subprocess.Popen(command, start_new_session=True, stderr=errors, stdout=subprocess.PIPE)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        try:
            looks, seen = watch(campaign)
        except (KeyboardInterrupt, SystemExit):
            campaign.terminate()  # it has a session of its own
            campaign.wait()
            raise
        said = campaign.communicate()[0].decode()
        errors.seek(0)
        complaint = errors.read().decode(errors="replace").strip()
    if campaign.returncode not in (0, 1):
        raise click.ClickException(f"the campaign ended with status {campaign.returncode}: {complaint[-400:]}")
    begun = before[-1].seconds if before else 0.0
    lines = [line for line in read_stats(out) if line.seconds > begun]
    for row in (*rows(lines), *said.strip().splitlines()[:1], *verdicts(lines, begun), *of_looks(looks)):
        click.echo(row)
    time.sleep(GRACE)
    left = [one for one in seen if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
    makers = {f"{PREFIX}{one.pid}-" for one in seen}
    there = [name for name in Path(tempfile.gettempdir()).iterdir() if any(map(name.name.startswith, makers))]
    click.echo(f"left behind: processes {left}, scratch directories {[one.name for one in there]}")


def watch(campaign: subprocess.Popen[bytes]) -> tuple[list[Look], set[psutil.Process]]:
    """Looks until the campaign ends, and all processes that it ever had."""
    looks, seen, root, begun = list[Look](), set[psutil.Process](), psutil.Process(campaign.pid), time.monotonic()
    while campaign.poll() is None:
        used, processes = [], [root]
        with suppress(psutil.Error):
            processes += root.children(recursive=True)
        for one in processes:
            seen.add(one)
            with suppress(psutil.Error):
                used.append((one.num_fds(), one.num_threads()))
        files, threads = map(sum, zip(*used, strict=True)) if used else (0, 0)
        looks.append((time.monotonic() - begun, len(used), files, threads))
        with suppress(subprocess.TimeoutExpired):
            campaign.wait(EVERY)
    return looks, seen


def rows(lines: Sequence[StatsLine]) -> list[str]:
    """A table: what was used, and how fast it went."""
    table = [" minutes   programs  /s  /CPU s    MiB  processes"]
    for last, one in pairwise(lines[:: max(1, len(lines) // ROWS)]):
        rate, cost = rates(last, one)
        size, count = (sum(getattr(of, name) for of in one.memory.values()) for name in ("bytes", "processes"))
        minutes = one.seconds / 60
        table.append(f"{minutes:8.0f} {one.programs:10,} {rate:3.0f} {cost:7.0f} {size / MIB:6.0f} {count:10}")
    return table


def rates(first: StatsLine, last: StatsLine) -> tuple[float, float]:
    """Programs a second between two lines, and a second of processor time."""
    done, passed = last.programs - first.programs, last.seconds - first.seconds
    used = sum(last.processor.values()) - sum(first.processor.values())
    return done / passed if passed else 0.0, done / used if used else 0.0


def verdicts(lines: Sequence[StatsLine], begun: float) -> list[str]:
    """Medians of the first and the last quarter after ten minutes, and the rates of these quarters."""
    settled = [line for line in lines if line.seconds >= begun + SETTLED]
    if len(settled) < ENOUGH:
        return ["too short to say what stays flat"]
    said = []
    for role in ROLES:
        of_role = [line.memory[role] for line in settled if role in line.memory and line.memory[role].largest]
        if len(of_role) >= ENOUGH:
            said.append(flat(f"MiB of {role}", [one.bytes / MIB for one in of_role]))
            said.append(flat(f"MiB of the largest of {role}", [one.largest[0] / MIB for one in of_role]))
    quarter = len(settled) // 4
    both = zip(rates(settled[0], settled[quarter - 1]), rates(settled[-quarter], settled[-1]), strict=True)
    names = ("programs a second", "programs a second of processor time")
    return [*said, *(f"{name}: {change(*pair)}" for name, pair in zip(names, both, strict=True))]


def of_looks(looks: Sequence[Look]) -> list[str]:
    """The same of processes, files and threads."""
    settled = [look for look in looks if look[0] >= SETTLED]
    if len(settled) < ENOUGH:
        return []
    _, *columns = zip(*settled, strict=True)
    return [flat(name, column) for name, column in zip(("processes", "files", "threads"), columns, strict=True)]


def flat(name: str, numbers: Sequence[float]) -> str:
    """The medians of the first and the last quarter, and the bounds."""
    quarter = len(numbers) // 4
    medians = change(median(numbers[:quarter]), median(numbers[-quarter:]))
    return f"{name}: {medians}, {min(numbers):,.0f} to {max(numbers):,.0f}"


def change(before: float, after: float) -> str:
    """Two numbers, and by how much the second differs."""
    return f"{before:,.0f} -> {after:,.0f}" + (f" ({after / before - 1:+.1%})" if before else "")


if __name__ == "__main__":
    main()
