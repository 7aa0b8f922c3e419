"""The group of our commands: how each ends, and what is printed of what was wrong."""

import errno
import os
import sys
import traceback
from collections.abc import Callable
from difflib import get_close_matches
from tempfile import NamedTemporaryFile
from typing import Any

import click
from click.core import ParameterSource

from wgsl_fuzz import __version__
from wgsl_fuzz.fuzz.internal_errors import described
from wgsl_fuzz.fuzz.output import STANDARD_OUTPUT, echo, open_streams, output_named, printable
from wgsl_fuzz.fuzz.problems import CLOSED_PIPE, INTERRUPTED, PROBLEM, Problem
from wgsl_fuzz.oracle.verdict import OracleError

_NAME = "wgsl-fuzz"
"""Also where the program is `python -m wgsl_fuzz`."""


def in_one_line(error: Problem | click.ClickException) -> str:
    """An error in one line: ours as it is, click's as `wgsl-fuzz COMMAND: ...` with where to look further."""
    line = error.shown[0] if isinstance(error, Problem) else _in_our_words(error)
    return " ".join(line.splitlines())  # what users name may have a line's end in it


def show_problem(problem: Problem) -> int:
    """Prints what is wrong; the exit status."""
    for line in problem.shown:
        echo(" ".join(line.splitlines()), err=True)
    return PROBLEM


def _in_our_words(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    command = _NAME if context is None else context.command_path
    line = " ".join(error.format_message().split()).rstrip(".")
    line = line.replace("a valid integer range", "a whole number").replace("a valid float range", "a number")
    see = f"; see `{command} --help`"
    if isinstance(error, click.NoSuchOption):
        near = get_close_matches(error.option_name, _options(context), 1) or sorted(error.possibilities or ())
        line = f"no such option {error.option_name}" + (f"; did you mean {near[0]}?" if near else see)
    elif _is_of_file(error):
        line += " (in the configuration file)"
    elif isinstance(error, click.MissingParameter) or "argument" in line:
        line += see
    return f"{command}: {line[:1].lower()}{line[1:]}"


def _is_of_file(error: click.ClickException) -> bool:
    """Whether what is wrong is the value of an option that a configuration file sets."""
    if not isinstance(error, click.BadParameter) or error.ctx is None or error.param is None:
        return False
    return error.ctx.get_parameter_source(error.param.name or "") is ParameterSource.DEFAULT_MAP


def _options(context: click.Context | None) -> list[str]:
    params = [] if context is None else context.command.get_params(context)
    return [name for p in params for name in (*p.opts, *p.secondary_opts) if name.startswith("--")]


def _of_system(error: OSError) -> str:
    """What failed, and on what."""
    words = error.strerror or str(error) or type(error).__name__
    if error.filename == STANDARD_OUTPUT:
        return f"cannot write to {STANDARD_OUTPUT}: {words}"
    return words if error.filename is None else f"{error.filename}: {words}"


def _of_ours(fault: Exception) -> Problem:
    """An internal error in a line, with the file that holds its traceback, and what notes on it say."""
    try:
        with NamedTemporaryFile("w", prefix="wgsl-fuzz-", suffix=".txt", delete=False, encoding="utf-8") as file:
            file.write(printable("".join([f"wgsl-fuzz {__version__}\n", *traceback.format_exception(fault)])))
        where = f"please report it with {file.name}"
    except OSError as error:
        where = f"no file holds its traceback: {_of_system(error)}"
    return Problem("; ".join([f"internal error: {described(fault)}", where, *getattr(fault, "__notes__", ())]))


class _ClosedPipe(Exception):
    """Standard output is closed; click would end with 1 for an OSError that says so."""


def carry_out(work: Callable[[], object]) -> int:
    """Does what is left to do, and prints what was wrong; the exit status, which `work` answers with."""
    try:
        status = work()
        with output_named(STANDARD_OUTPUT):
            sys.stdout.flush()
    except Problem as problem:
        return show_problem(problem)
    except OracleError as error:
        return show_problem(Problem(str(error)))
    except RecursionError:
        return show_problem(Problem("functions of the shader call each other too deeply for this command"))
    except click.ClickException as problem:
        echo(in_one_line(problem), err=True)
        return problem.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except (OSError, _ClosedPipe) as error:
        status = CLOSED_PIPE
        if isinstance(error, OSError) and error.errno != errno.EPIPE:
            echo(f"wgsl-fuzz: {_of_system(error)}", err=True)
            status = PROBLEM
        # What is still buffered cannot be written either; Python would say so once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as fault:  # with Python's status 1, which says that something was found
        return show_problem(_of_ours(fault))
    return status if isinstance(status, int) else 0


class CommandLine(click.Group):
    """A group of commands whose every end has its exit status: 1 is left to those that found something."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """As `click.Group.main` in its standalone mode, but for interrupts, closed pipes and full disks."""
        open_streams()
        main, options = super().main, kwargs | {"standalone_mode": False, "prog_name": _NAME}
        sys.exit(carry_out(lambda: main(*args, **options)))

    def invoke(self, ctx: click.Context) -> Any:
        """As `click.Group.invoke`; a closed pipe is no finding, and an error of usage says whose it is."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _ClosedPipe from error
        except click.UsageError as error:
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            if error.ctx is None and command is not None:  # click's parser does not say
                error.ctx = click.Context(command, parent=ctx, info_name=ctx.invoked_subcommand)
            raise

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As `click.Group.resolve_command`; a command that is not there is said with the nearest, or with all."""
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            near = get_close_matches(name, known, 1)
            ctx.fail(
                f"no such command {name!r}; "
                + (f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}")
            )
        return super().resolve_command(ctx, args)
