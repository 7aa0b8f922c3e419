"""Options that several commands have, above all those that decide what is drawn; and which go with which."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from wgsl_fuzz.fuzz.campaign.concern import EVERY_KIND, Concern
from wgsl_fuzz.fuzz.cases.plan import EXECUTED, LANGUAGES, SAMPLE, TINY, Plan
from wgsl_fuzz.fuzz.files import check_writable
from wgsl_fuzz.fuzz.judging.answers import TIMEOUT, is_device
from wgsl_fuzz.fuzz.judging.judge import Kind
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.dynamics.convergence import CONTROL_STACKS, NOTIONS, Notion
from wgsl_fuzz.oracle.rules.rule_file import SUFFIX, RuleFileError
from wgsl_fuzz.strategies import PROFILES, Profile
from wgsl_fuzz.strategies.choices.constraints import CONSTRAINTS

_F = TypeVar("_F", bound=Callable[..., Any])

if TYPE_CHECKING:
    _ParamType = click.ParamType[tuple[int, int]]
    _KindsType = click.ParamType[frozenset[Kind]]
else:  # before click 8.4 it is not generic
    _ParamType = _KindsType = click.ParamType


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


class Seconds(click.FloatRange):
    """An option of at least 0 seconds; infinity is allowed. NaN is refused, because such a limit would never be
    reached.
    """

    name = "seconds"

    def __init__(self) -> None:
        super().__init__(min=0)

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> float:
        """The number; fails with what is wrong."""
        seconds = super().convert(value, param, context)
        if seconds != seconds:
            self.fail(f"{value!r} is not a number", param, context)
        return float(seconds)


class Kinds(_KindsType):
    """Kinds of findings: `unsound,too-lenient`."""

    name = "kinds"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> frozenset[Kind]:
        """The kinds; fails with what is wrong."""
        known = {kind.value: kind for kind in Kind}
        words = [word.strip() for word in str(value).split(",")]
        for word in words:
            if word not in known:
                self.fail(f"{word!r} is no kind of finding; there are {', '.join(known)}", param, context)
        return frozenset(known[word] for word in words)


_PERCENT = click.IntRange(0, 100)

_KINDS: dict[str, Any] = {"multiple": True, "type": Kinds(), "metavar": "KIND,..."}
_CONCERN = (
    click.option("--fail-on", **_KINDS, help="Exit status 1 for new ones of these only.  [default: all]"),
    click.option("--exclude", **_KINDS, help="Findings of these kinds are not even saved."),
    click.option("--stop-on-first", is_flag=True, help="End with the first new finding that makes the status 1."),
)


def concern_options(command: _F) -> _F:
    """Gives a command the options of which findings it is about; it receives them as `**concern`, for `concern_of`."""
    for option in reversed(_CONCERN):
        command = option(command)
    return command


def concern_of(options: dict[str, Any]) -> Concern:
    """What the options ask for; they are taken out of `options`. Raises Problem if nothing could ever fail."""
    given = [frozenset[Kind]().union(*options.pop(name)) for name in ("fail_on", "exclude")]
    fail_on, excluded = given[0] or EVERY_KIND, given[1]
    if fail_on <= excluded:
        raise Problem("--exclude leaves out all that --fail-on names: nothing could be found")
    return Concern(fail_on, excluded, options.pop("stop_on_first"))


_LANGUAGE = click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    help="TinyWGSL, modules of the whole language with these constructs, or groups of each.  [default: mixed; of "
    "generate and coverage tiny]",
)
_OPTIONS = (
    _LANGUAGE,
    click.option(
        "--profile",
        type=click.Choice(sorted(PROFILES)),
        default="default",
        show_default=True,
        help="The kind of shaders; what follows changes it.",
    ),
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


_OF_TINY = frozenset({"profile", "uniform", "non_uniform", "require", "spelling"})
"""Options beside those of the profile that only TinyWGSL has."""


def drawing_options(command: _F) -> _F:
    """Gives a command the options; it receives them as `**drawing`, for `plan_of`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def timeout_option(command: _F) -> _F:
    """The option `--timeout`, received as `timeout`."""
    option = click.option(
        "--timeout",
        type=click.FloatRange(0.1, 3600),
        default=TIMEOUT,
        show_default=True,
        help="Seconds for a target's answer.",
    )
    return option(command)


def as_option(command: _F) -> _F:
    """The option `--as`, received as `as_name`, for `named`."""
    option = click.option(
        "--as", "as_name", metavar="NAME", help="What records call the target that is given by its path: tint@main."
    )
    return option(command)


def output_option(help: str = "Write here instead of to standard output.") -> Callable[[_F], _F]:
    """The option `-o` of a file, received as `output`; that it can be written is asked before the work begins."""
    return click.option("-o", "output", type=click.Path(path_type=Path), callback=_checked, help=help)


def _checked(_context: click.Context, _param: click.Parameter, path: Path | None) -> Path | None:
    if path is not None:
        check_writable(path)
    return path


@contextmanager
def told_of_rules(*names: str) -> Iterator[None]:
    """What names no rule set, or a file whose rules fail, or make graphs that nobody can explain, is a Problem."""
    try:
        yield
    except RuleFileError as error:
        raise Problem(str(error)) from error
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        files = [name for name in names if name.endswith(SUFFIX)]
        if not files:
            raise
        what = f"{type(error).__name__}: {error}"
        raise Problem(
            f"{' or '.join(files)}: there are no words for what its rules make of a shader ({what})"
        ) from error


def given_options(context: click.Context) -> dict[str, str]:
    """The options on the command line, by the parameter that receives them: `{"most": "--max-statements"}`."""
    given = {}
    for p in context.command.params:
        name = p.name or ""
        if isinstance(p, click.Option) and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            negated = p.secondary_opts and context.params.get(name) is False
            given[name] = (p.secondary_opts if negated else p.opts)[0]
    return given


def allow_only(context: click.Context, names: Collection[str], beside: str, why: str) -> None:
    """Raises Problem for an option that would be ignored: beside the one given, only these parameters count."""
    for name, option in given_options(context).items():
        if name not in names:
            raise Problem(f"{option} does not go with {beside}: {why}")


def only_one(given: dict[str, bool]) -> str | None:
    """The flag that is given; raises Problem if there are two."""
    flags = [flag for flag, is_given in given.items() if is_given]
    if len(flags) > 1:
        raise Problem(f"{flags[1]} does not go with {flags[0]}: choose one")
    return flags[0] if flags else None


def tiny_only(context: click.Context) -> str | None:
    """An option on the command line that says how TinyWGSL is drawn; None if there is none."""
    given = given_options(context)
    names = {p.name for p in context.command.params} & {f.name for f in fields(Profile)}
    return next((given[name] for name in given if name in names | _OF_TINY), None)


def checked_language(context: click.Context, language: str | None, default: str) -> str:
    """The language to be drawn; raises Problem if options beside it say how another one is drawn."""
    other = tiny_only(context)
    if language is None:
        return default if other is None else TINY
    if language != TINY and other is not None:
        raise Problem(f"{other} is about TinyWGSL: it does not go with --language {language}")
    return language


EXECUTE = click.option(
    "--execute",
    type=click.Choice(EXECUTED),
    default=SAMPLE,
    show_default=True,
    help="Run one in 16 of the shaders that everybody accepts, or all.",
)


CONVERGENCE = click.option(
    "--convergence",
    type=click.Choice(list(NOTIONS)),
    help=f"What else than the barrier has to be the same of threads.  [default: {CONTROL_STACKS.name}]",
)


def notion_of(name: str | None) -> Notion:
    """The notion of convergence that --convergence names; the paper's without it."""
    return CONTROL_STACKS if name is None else NOTIONS[name]


EXECUTE_ON = click.option(
    "--execute-on",
    "devices",
    multiple=True,
    metavar="DEVICE",
    help="Run shaders that are sure to converge on it, too, and compare memory: wgpu; repeats.",
)


def devices_of(devices: Collection[str], names: Collection[str]) -> tuple[str, ...]:
    """All that a campaign asks: the targets, then the devices. Raises Problem for one that is named as the other."""
    for name in names:
        if is_device(name):
            raise Problem(f"{name} is a device, which runs what is sure to converge: name it by --execute-on {name}")
    for name in devices:
        if not is_device(name):
            raise Problem(f"{name} is no device: there is wgpu, and device:MODULE:FUNCTION for a function of yours")
    return (*names, *devices)


def plan_of(
    seed: int,
    drawing: dict[str, Any],
    *,
    spelling: bool = True,
    relations: bool = True,
    execute: str = SAMPLE,
    notion: Notion = CONTROL_STACKS,
) -> Plan:
    """The plan that the options ask for; raises Problem if they contradict each other."""
    uniform, other = drawing["uniform"], drawing["non_uniform"]
    if uniform is not None and other is not None and uniform + other != 100:
        raise Problem(f"--uniform {uniform} and --non-uniform {other} do not add up to 100")
    if uniform is None and other is not None:
        uniform = 100 - other
    names = [f.name for f in fields(Profile) if f.name in drawing]
    changes = tuple((name, drawing[name]) for name in names if drawing[name] is not None)
    language = drawing["language"] or TINY
    require = tuple(drawing["require"])
    plan = Plan(seed, drawing["profile"], changes, uniform, require, spelling, relations, language, execute)
    return replace(plan, convergence=notion)
