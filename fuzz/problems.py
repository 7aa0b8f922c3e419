"""Problems with the request or the set-up: one clear line and exit status 2, whatever the command."""

import errno
import os
import sys
from typing import Any

import click

PROBLEM, INTERRUPTED, CLOSED_PIPE = 2, 130, 141
"""Exit statuses; the last two are what shells give to a command ended by SIGINT or SIGPIPE."""


class Problem(click.ClickException):
    """Shown as one line on standard error; exit status 2."""

    exit_code = PROBLEM

    def show(self, file: object = None) -> None:  # noqa: ARG002
        """Prints the line."""
        click.echo(f"wgsl-fuzz: {self.message}", err=True)


class _ClosedPipe(Exception):
    """Standard output is closed; click would end with 1 for an OSError that says so."""


class CommandLine(click.Group):
    """A group of commands whose every end has its exit status: 1 is left to those that found something."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """As `click.Group.main` in its standalone mode, but for interrupts, closed pipes and full disks."""
        try:
            status = super().main(*args, **(kwargs | {"standalone_mode": False}))
            sys.stdout.flush()
        except click.ClickException as problem:
            problem.show()
            status = problem.exit_code
        except (click.Abort, KeyboardInterrupt):
            status = INTERRUPTED
        except (OSError, _ClosedPipe) as error:
            status = CLOSED_PIPE
            if isinstance(error, OSError) and error.errno != errno.EPIPE:
                click.echo(f"wgsl-fuzz: cannot write: {error.strerror}", err=True)
                status = PROBLEM
            # What is still buffered cannot be written either; Python would say so once more at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(status if isinstance(status, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        """As `click.Group.invoke`; a closed pipe is no finding."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _ClosedPipe from error
