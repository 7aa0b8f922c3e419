"""The options that decide what is drawn: the same for the campaign, `generate` and `coverage`."""

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fuzz.drawing import Plan
from fuzz.problems import Problem
from strategies import PROFILES, Profile
from strategies.constraints import CONSTRAINTS

_F = TypeVar("_F", bound=Callable[..., Any])

if TYPE_CHECKING:
    _ParamType = click.ParamType[tuple[int, int]]
else:  # before click 8.4 it is not generic
    _ParamType = click.ParamType


class Span(_ParamType):
    """`20-40`, or `8` for 8-8."""

    name = "range"

    def __init__(self, least: int, most: int) -> None:
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> tuple[int, int]:
        """The two ends; fails with what is wrong."""
        if isinstance(value, tuple):
            return value[0], value[1]
        first, _, last = str(value).partition("-")
        try:
            span = int(first), int(last or first)
        except ValueError:
            self.fail(f"{value!r} is no range such as 20-40", param, context)
        if span[0] > span[1]:
            self.fail(f"{value!r}: {span[0]} is more than {span[1]}", param, context)
        if not self.least <= span[0] <= span[1] <= self.most:
            self.fail(f"{value!r} is not within {self.least}-{self.most}", param, context)
        return span


_PERCENT = click.IntRange(0, 100)

_OPTIONS = (
    click.option("--profile", type=click.Choice(sorted(PROFILES)), default="default", show_default=True),
    click.option("--uniform", type=_PERCENT, metavar="PERCENT", help="The share that the reference accepts."),
    click.option("--non-uniform", type=_PERCENT, metavar="PERCENT", help="The share that it rejects."),
    click.option(
        "--require",
        multiple=True,
        type=click.Choice(sorted(CONSTRAINTS)),
        metavar="NAME",
        help=f"Only shaders with this; repeats. One of: {', '.join(sorted(CONSTRAINTS))}.",
    ),
    click.option("--statements", type=Span(1, 400), help="Statements aimed at, such as 20-40."),
    click.option("--functions", type=Span(0, 8), help="Functions beside main, such as 0-3."),
    click.option("--arrays", type=Span(0, 8), help="Shared arrays, such as 1-3."),
    click.option("--threads", type=Span(1, 256), help="The workgroup size, such as 2-4."),
    click.option("--racy/--no-racy", default=None, help="Whether shaders may have data races."),
    click.option("--main-returns", type=_PERCENT, metavar="PERCENT", help="The share whose main may return early."),
)


def drawing_options(command: _F) -> _F:
    """Gives a command the options; it receives them as `**drawing`, for `plan_of`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def plan_of(seed: int, drawing: dict[str, Any], *, spelling: bool = True, relations: bool = True) -> Plan:
    """The plan that the options ask for; raises Problem if they contradict each other."""
    uniform, other = drawing["uniform"], drawing["non_uniform"]
    if uniform is not None and other is not None and uniform + other != 100:
        raise Problem(f"--uniform {uniform} and --non-uniform {other} do not add up to 100")
    if uniform is None and other is not None:
        uniform = 100 - other
    names = [f.name for f in fields(Profile) if f.name in drawing]
    changes = tuple((name, drawing[name]) for name in names if drawing[name] is not None)
    return Plan(seed, drawing["profile"], changes, uniform, tuple(drawing["require"]), spelling, relations)
