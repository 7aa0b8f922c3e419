"""The command line (DESIGN, section 4). The default command is the campaign."""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType

import click
from click.core import ParameterSource
from rich.console import Console

from fuzz import project_version
from fuzz.campaign import Budget, Campaign
from fuzz.commands import check, generate, targets
from fuzz.commands_coverage import coverage, coverage_lines, coverage_option
from fuzz.commands_diff import diff
from fuzz.commands_explain import explain
from fuzz.commands_run import run
from fuzz.findings import RunDirectory, StorageError
from fuzz.problems import INTERRUPTED, CommandLine, Problem
from fuzz.status import shown, summary
from oracle.coverage import Coverage
from oracle.targets import open_target
from oracle.targets.protocol import Target, TargetError
from strategies import PROFILES

FOUND = 1


@click.group(cls=CommandLine, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--target", "-t", "names", multiple=True, metavar="NAME", help="What to test; repeats. See `wgsl-fuzz targets`."
)
@click.option("--hours", type=click.FloatRange(min=0), help="Stop after so many hours ...")
@click.option("--minutes", type=click.FloatRange(min=0), help="... and minutes ...")
@click.option("--seconds", type=click.FloatRange(min=0), help="... and seconds.")
@click.option("--programs", type=click.IntRange(min=1), help="Stop after so many shaders.")
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the run; drawn and shown if not given.")
@click.option("--profile", type=click.Choice(sorted(PROFILES)), default="default", show_default=True)
@click.option(
    "--out", type=click.Path(path_type=Path), help="New folder for what is found.  [default: wgsl-fuzz-out/TIME-SEED]"
)
@coverage_option
@click.version_option(project_version(), prog_name="wgsl-fuzz")
@click.pass_context
def main(
    context: click.Context,
    names: tuple[str, ...],
    hours: float | None,
    minutes: float | None,
    seconds: float | None,
    programs: int | None,
    seed: int | None,
    profile: str,
    out: Path | None,
    with_coverage: bool,
) -> None:
    """Find the WGSL shaders on which uniformity analyses are wrong.

    Without a command: a campaign against each --target, until a budget is spent or Ctrl-C. Every shader is judged by
    the reference analysis and by the semantics; what a target says differently is reduced and saved in --out.

    \b
        wgsl-fuzz --target tint --hours 24

    Exit status: 0 nothing found, 1 something found, 2 the request or the set-up is at fault.
    """
    if context.invoked_subcommand is not None:
        for option in context.command.params:
            if option.name and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
                name = context.invoked_subcommand
                raise Problem(f"{option.opts[0]} before {name} is the campaign's: {name} has options of its own")
        return
    if not names:
        if len(sys.argv) > 1:
            raise Problem("name at least one --target; `wgsl-fuzz targets` lists what can be tested here")
        click.echo(context.get_help())
        return
    if any(n is not None and not 0 < n < float("inf") for n in (hours, minutes, seconds)):
        raise Problem("a budget of time is more than nothing and less than for ever")
    given = [n * unit for n, unit in ((hours, 3600), (minutes, 60), (seconds, 1)) if n is not None]
    budget = Budget(sum(given) if given else None, programs)
    seed = random.SystemRandom().randrange(2**24) if seed is None else seed
    out = out or Path("wgsl-fuzz-out") / f"{time.strftime('%Y%m%d-%H%M%S')}-{seed}"
    context.exit(campaign(names, budget, seed, profile, out, with_coverage=with_coverage))


for command in (generate, check, explain, run, diff, coverage, targets):
    main.add_command(command)


def campaign(names: tuple[str, ...], budget: Budget, seed: int, profile: str, out: Path, *, with_coverage: bool) -> int:
    """Runs a campaign and shows it; the exit status."""
    console = Console(stderr=True)
    if not console.is_terminal:
        console = Console(stderr=True, width=160)  # rich would wrap at 80 in a log
    stop = _Stop(console)
    with ExitStack() as opened:
        under_test: list[Target] = []
        for name in dict.fromkeys(names):
            try:
                target = open_target(name, notify=lambda line: console.print(line, highlight=False))
            except TargetError as error:
                raise Problem(str(error)) from error
            opened.callback(target.close)
            under_test.append(target)
        directory = RunDirectory(out)
        with shown(console, under_test, seed) as status:
            work = Campaign(
                under_test, directory, seed=seed, profile=profile, status=status, stopped=lambda: stop.requested
            )
            work.coverage = Coverage() if with_coverage else None
            with stop:
                stop.record = lambda: directory.update(work.record())
                try:
                    counters = work.run(budget)
                except (StorageError, TargetError) as error:
                    for saved in work.counters.saved:  # what the disk may not hold, the terminal does
                        click.echo(f"{saved.record['bucket']}: {saved.record['draw again']}", err=True)
                    raise Problem(str(error)) from error
        summary(console, counters, under_test, str(out))
        if work.coverage is not None:
            click.echo("\n".join(coverage_lines(work.coverage)))
    return FOUND if counters.buckets else 0


class _Stop:
    """Ctrl-C and SIGTERM end the run after the batch at hand; a second one ends it at once."""

    def __init__(self, console: Console) -> None:
        self.requested = False
        self.record: Callable[[], None] = lambda: None
        """Writes the run's record: the last thing done when someone is in a hurry."""
        self._console = console

    def __enter__(self) -> None:
        self._before = {s: signal.signal(s, self._handle) for s in (signal.SIGINT, signal.SIGTERM)}

    def __exit__(self, *_: object) -> None:
        for s, handler in self._before.items():
            signal.signal(s, handler)

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if self.requested:
            with suppress(StorageError):
                self.record()
            os._exit(INTERRUPTED)
        self.requested = True
        self._console.print("stopping: judging what was drawn; once more ends at once", highlight=False)
