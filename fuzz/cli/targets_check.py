"""`targets check`: a target tried on known shaders, above all one whose description is being written."""

from collections.abc import Sequence
from shlex import quote

import click

from wgsl_fuzz.fuzz.cli.options import timeout_of
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.rules.analyses import is_ours
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.families.rules import open_named
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.targets.trial import Tried, doubts, notes, tried

FOUND = 1
_NEXT_MINUTES = 1


@click.command("check")
@click.argument("name")
@click.pass_context
def check_target(context: click.Context, name: str) -> None:
    """Try a target, such as my.toml, on known shaders.

    It says what it understood of each answer, and what looks wrong. Exit status: 0 nothing does, 1 something does, 2
    the target cannot be opened.
    """
    try:
        target = _opened(name, timeout_of(context))
        try:
            results = tried(target)
        finally:
            target.close()
    except TargetError as error:
        raise Problem(str(error)) from error
    echo(f"{target.name}  {target.origin}")
    for line in _table(results):
        echo(f"  {line}")
    wrong = doubts(results)
    for line in [*(f"wrong: {one}" for one in wrong), *(f"note: {one}" for one in notes(results))]:
        echo(line)
    again = f"wgsl-fuzz targets check {quote(name)}"
    echo(f"next: {again if wrong else f'wgsl-fuzz --target {quote(name)} --minutes {_NEXT_MINUTES}'}")
    context.exit(FOUND if wrong else 0)


def _opened(name: str, timeout: float) -> Target:
    if is_ours(name):
        return open_named(name, name)
    return open_target(name, notify=lambda line: echo(line, err=True), timeout=timeout, prove=False)


def _table(results: Sequence[Tried]) -> list[str]:
    """A line for each question, and one about time."""
    width = max(len(one.question.name) for one in results)
    lines = []
    for one in results:
        expected = one.question.expected
        mark = "" if expected in (None, one.verdict) else f"(not {expected.value})"
        lines.append(f"{one.question.name:{width}}  {one.verdict.value:11}  {mark:14}  {one.raw}".rstrip())
    middle = sorted(one.seconds for one in results)[len(results) // 2]
    same = all(one.again.verdict is one.verdict for one in results)
    lines.append(f"asked twice: {'the same answers' if same else 'other answers'}; {middle * 1000:.3g} ms a text")
    return lines
