"""What it costs to run a compiler command, beside what the compiler itself costs: processor time a text.

    python benchmarks/supervision.py

The compiler is a program that does nothing. It is started bare, through the supervisor, and as a target's caller does:
with a file for each text. Each turn measures all three, one after another; the median turn is told.
"""

import os
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wgsl_fuzz.oracle.targets.command import Caller
from wgsl_fuzz.oracle.targets.description import load
from wgsl_fuzz.oracle.targets.supervision import Limits, Supervisor

PROGRAM = "/bin/true"
LIMITS = Limits(10.0, 4 << 30)
DESCRIPTION = "name = 'nothing'\ncommand = ['/bin/true', '{file}']\naccepts = {status = 0}\n"


def spent() -> float:
    """Seconds of processor time, of this process and of all that it waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def bare(texts: int) -> None:
    """Starts the program so often, with nothing between."""
    for _ in range(texts):
        os.waitpid(os.posix_spawn(PROGRAM, [PROGRAM], os.environ), 0)


def supervised(texts: int) -> None:
    """The same through the supervisor, whose own start and end count."""
    with Supervisor() as supervisor:
        for _ in range(texts):
            supervisor.run([PROGRAM], LIMITS)


def as_target(texts: int, folder: Path) -> None:
    """The same as campaigns do it."""
    file = folder / "nothing.toml"
    file.write_text(DESCRIPTION, encoding="utf-8")
    caller = Caller(load(file), PROGRAM, folder, LIMITS)
    try:
        caller.check(["fn f() {}\n"] * texts)
    finally:
        caller.close()


@click.command()
@click.option("--texts", type=int, default=256, show_default=True)
@click.option("--turns", type=int, default=5, show_default=True)
def main(texts: int, turns: int) -> None:
    """Print milliseconds of processor time a text, and what is added to the compiler's own."""
    ways: dict[str, Callable[[], None]] = {
        "bare": lambda: bare(texts),
        "supervised": lambda: supervised(texts),
        "as a target": lambda: _in_folder(texts),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(turns):
        for name, run in ways.items():
            before = spent()
            run()
            taken[name].append((spent() - before) / texts * 1000)
    own = statistics.median(taken["bare"])
    for name, each in taken.items():
        milliseconds = statistics.median(each)
        click.echo(f"{name:12} {milliseconds:6.2f} ms a text, {milliseconds - own:5.2f} ms over the compiler's own")


def _in_folder(texts: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        as_target(texts, Path(folder))


if __name__ == "__main__":
    main()
