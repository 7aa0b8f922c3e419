"""Running a campaign from the command line: targets, workers, the screen, Ctrl-C, and what is left at the end."""

from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import orjson
from rich.console import Console

from fuzz.campaign import Budget, Campaign
from fuzz.commands_coverage import coverage_lines
from fuzz.corpus import load_cases
from fuzz.drawing import Plan
from fuzz.findings import RunDirectory, StorageError
from fuzz.known import Known, known_or_shipped
from fuzz.problems import Problem
from fuzz.status import shown, summary
from fuzz.steering import Steering
from fuzz.stopping import Stop
from fuzz.workers import Elsewhere, Here, Workers
from oracle.coverage import Coverage
from oracle.targets import open_target
from oracle.targets.protocol import Target, TargetError
from strategies import GENERATOR_VERSION
from tinywgsl.parser import ParseError, parse

FOUND = 1


@dataclass(frozen=True, slots=True)
class Request:
    """A campaign as asked for; `record` is that of the run to be resumed, if any."""

    names: tuple[str, ...]
    plan: Plan
    out: Path
    jobs: int
    coverage: bool = False
    steering: bool = True
    known: Path | None = None
    record: dict[str, Any] | None = None

    def rest(self) -> Budget:
        """What is left of the budget of the run to be resumed; raises Problem if nothing is."""
        record = self.record or {}
        given = record.get("budget") or {}
        seconds, programs = given.get("seconds"), given.get("programs")
        left = Budget(
            None if seconds is None else seconds - record.get("seconds", 0.0),
            None if programs is None else programs - record.get("programs", 0),
        )
        if (left.seconds is not None and left.seconds <= 0) or (left.programs is not None and left.programs <= 0):
            raise Problem(f"the run in {self.out} has come to its end; --hours, --programs, ... take it further")
        return left


def resumed(folder: Path, jobs: int, *, coverage: bool, known: Path | None) -> Request:
    """The request that goes on with the run in a folder; raises Problem if that cannot be done."""
    try:
        record = orjson.loads((folder / "run.json").read_bytes())
        names = tuple(record["targets"])
        plan = Plan.from_json(record["plan"])
        steering = bool(record["steered"])
    except FileNotFoundError:
        raise Problem(f"{folder} is no run: it has no run.json") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Problem(f"{folder} is no campaign that can be resumed ({error}); see also `enumerate --resume`") from None
    if record.get("generator") != GENERATOR_VERSION:
        raise Problem(f"{folder} was drawn by generator {record.get('generator')}; this one is {GENERATOR_VERSION}")
    return Request(names, plan, folder, jobs, coverage, steering, known, record)


def campaign(request: Request, budget: Budget) -> int:
    """Runs a campaign and shows it; the exit status."""
    console = Console(stderr=True)
    if not console.is_terminal:
        console = Console(stderr=True, width=160)  # rich would wrap at 80 in a log
    stop = Stop(lambda line: console.print(line, highlight=False), "judging what was drawn")
    known = known_or_shipped(request.known)
    with ExitStack() as opened:
        under_test = _opened_targets(request.names, opened, console)
        directory = RunDirectory(request.out)
        with shown(console, under_test, request.plan.seed) as status:
            work = Campaign(
                under_test,
                directory,
                plan=request.plan,
                workers=_workers(request, under_test),
                steering=Steering(request.plan.seed, _corpus()) if request.steering else None,
                known=known,
                status=status,
                stopped=lambda: stop.requested,
            )
            work.coverage = Coverage() if request.coverage else None
            if request.record is not None:
                directory.reopen()
                work.resume(request.record)
            with stop:
                stop.record = lambda: directory.update(work.record())
                try:
                    counters = work.run(budget)
                except (StorageError, TargetError) as error:
                    for saved in work.counters.saved:  # what the disk may not hold, the terminal does
                        click.echo(f"{saved.record['bucket']}: {saved.record['draw again']}", err=True)
                    raise Problem(str(error)) from error
        summary(console, counters, under_test, str(request.out), known)
        if work.coverage is not None:
            click.echo("\n".join(coverage_lines(work.coverage)))
    return FOUND if _news(work, known) else 0


def _news(work: Campaign, known: Known) -> list[str]:
    """The buckets that nobody has tied to an issue."""
    return [key for key in work.counters.buckets if known.issue_of(key) is None]


def _opened_targets(names: tuple[str, ...], opened: ExitStack, console: Console) -> list[Target]:
    targets: list[Target] = []
    for name in dict.fromkeys(names):
        try:
            target = open_target(name, notify=lambda line: console.print(line, highlight=False))
        except TargetError as error:
            raise Problem(str(error)) from error
        opened.callback(target.close)
        targets.append(target)
    return targets


def _workers(request: Request, targets: list[Target]) -> Workers:
    if request.jobs == 1:
        return Here(request.plan, targets)
    # `tint` by what was opened: a fallback is then taken without being said again.
    specs = [t.name if spec == "tint" else spec for spec, t in zip(dict.fromkeys(request.names), targets)]
    return Elsewhere(request.plan, specs, request.jobs)


def _corpus() -> list[str]:
    """The corpus cases that can be mutated."""
    texts = []
    for case in load_cases():
        with suppress(ParseError):
            parse(case.text)
            texts.append(case.text)
    return texts
