"""Options and input that several commands have, and which options go with which."""

import math
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import click
import orjson
from click.core import ParameterSource

from wgsl_fuzz.fuzz.campaign.counters import EVERY_KIND, Concern
from wgsl_fuzz.fuzz.cases.plan import EXECUTED, LANGUAGES, REQUIRED, SAMPLE
from wgsl_fuzz.fuzz.files import check_writable, read_text, write_bytes
from wgsl_fuzz.fuzz.judging.answers import TIMEOUT
from wgsl_fuzz.fuzz.judging.kinds import Kind
from wgsl_fuzz.fuzz.output import echo, notice
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, NOTIONS, Notion
from wgsl_fuzz.oracle.rules.rule_file import SUFFIX
from wgsl_fuzz.oracle.targets.description import like_of as described_build
from wgsl_fuzz.oracle.targets.protocol import is_akin, prefix_of

_F = TypeVar("_F", bound=Callable[..., Any])

GROUPS = {
    "What": "--target --language --require --seed --seeds --shaders --family --near --max-statements --level --row "
    "--text --execute --convergence --no-known --no-corpus --show --since",
    "How long": "--quick --hours --minutes --programs -n --first --jobs --timeout --watch",
    "Where": "--format --out --junitxml --name --resume --record --quiet --metrics",
    "What fails it": "--like --known-file --mark-known --drop --fail-on --strict --exclude",
    "Help": "--help --version",
}
"""The options of large commands in --help, by what they say."""


def write_groups(command: click.Command, context: click.Context, formatter: click.HelpFormatter) -> None:
    """Writes the options of a command in groups."""
    records = {option: p.get_help_record(context) for p in command.get_params(context) for option in p.opts}
    for title, names in GROUPS.items():
        shown = [record for name in names.split() if (record := records.get(name)) is not None]
        if shown:
            with formatter.section(title):
                formatter.write_dl(shown)


MOST_WORKERS = 61 if sys.platform == "win32" else 256
"""Windows waits for no more processes at once."""


class LargeCommand(click.Command):
    """A command whose --help has the options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As of `write_groups`."""
        write_groups(self, ctx, formatter)


class CommonOption(click.Option):
    """An option of several commands, which read it from `context.meta`; a file has it at the top for all of them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, expose_value=False, callback=_keep, **kwargs)

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, ParameterSource]:
        """As `click.Option.consume_value`, with the value at the top of the file before the default."""
        value, source = super().consume_value(ctx, opts)
        at_top = ctx.find_root().default_map or {}
        if source is ParameterSource.DEFAULT and self.name in at_top:
            return at_top[self.name], ParameterSource.DEFAULT_MAP
        return value, source


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    context.meta[parameter.name or ""] = value


class RunFolder(click.Path):
    """The folder of a run; of a JSON file that the page of `wgsl-fuzz page` saved, the one that it is unpacked into."""

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Path:
        """The folder. Raises Problem."""
        path = Path(str(super().convert(value, param, context)))
        if path.suffix != ".json" or not path.is_file():
            return path
        from wgsl_fuzz.fuzz.campaign.page_run import unpacked

        return unpacked(path)


FIRST_FINDING = "first"
"""With `--fail-on`: the run ends with the first finding that fails it."""


def _kinds(*others: str) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], frozenset[str]]:
    """What reads kinds of findings, `unsound,too-lenient`, and perhaps other words."""
    known = (*(kind.value for kind in Kind), *others)

    def read(context: click.Context, param: click.Parameter, values: tuple[str, ...]) -> frozenset[str]:
        words = [word.strip() for value in values for word in value.split(",")]
        for word in words:
            if word not in known:
                said = f"{word!r} is no kind of finding; there are {', '.join(known)}"
                raise click.BadParameter(said, context, param)
        return frozenset(words)

    return read


FAIL_ON = click.option(
    "--fail-on",
    multiple=True,
    callback=_kinds(FIRST_FINDING),
    metavar="KIND,...",
    help=f"Exit status 1 only for new findings of these kinds, else 0: {', '.join(one.value for one in Kind)}; "
    f"{FIRST_FINDING}: stop at the first one.  [default: all kinds]",
)
EXCLUDE = click.option(
    "--exclude", multiple=True, callback=_kinds(), metavar="KIND,...", help="Do not save findings of these kinds."
)


def concern_of(failing: frozenset[str], excluding: frozenset[str]) -> Concern:
    """Which findings a run is about, by --fail-on and --exclude. Raises Problem if nothing could ever fail."""
    fail_on = frozenset(map(Kind, failing - {FIRST_FINDING})) or EVERY_KIND
    excluded = frozenset(map(Kind, excluding))
    if fail_on <= excluded:
        raise Problem("--exclude leaves out all that --fail-on names: nothing could be found")
    return Concern(fail_on, excluded, FIRST_FINDING in failing)


LANGUAGE = click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    help="What is drawn: the core language of the paper, shaders with these constructs, or groups of each.  "
    "[default: mixed; of generate and coverage tiny]",
)
REQUIRE = click.option(
    "--require", type=click.Choice([*REQUIRED]), help="Only shaders of which the reference says this."
)


def fits_record(context: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    """A number that a run's record can hold: JSON and SQLite have 64 bits."""
    if value is not None and value >= 1 << 63:
        raise click.BadParameter(f"{value} is not less than 2**63", context, parameter)
    return value


class FiniteNumber(click.FloatRange):
    """A number that is neither infinite nor NaN, which is in every range."""

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> float:
        """The number; fails for what is none."""
        number = float(super().convert(value, param, context))
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number", param, context)
        return number


SEED = click.option(
    "--seed", type=click.IntRange(0), callback=fits_record, default=0, show_default=True, help="Seed of what is drawn."
)
TARGET = click.option(
    "--target", "-t", "names", multiple=True, metavar="NAME", help="What to test; repeats. See `wgsl-fuzz targets`."
)
PROGRAMS = click.option("--programs", type=click.IntRange(1), callback=fits_record, help="Stop after so many shaders.")
RESUME = click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Continue the run in this folder; a budget given with it is for what is added.",
)


def jobs(value: Any) -> int | str:
    """A number of worker processes, or the address of a scheduler of Dask."""
    return str(value) if "://" in str(value) else int(click.IntRange(1, MOST_WORKERS).convert(value, None, None))


JOBS = click.option(
    "--jobs",
    "-j",
    cls=CommonOption,
    type=jobs,
    metavar="N",
    help="Worker processes, or tcp://HOST:8786 for those of a Dask cluster.  [default: one for each core]  "
    f"[1<=x<={MOST_WORKERS}]",
)
NO_KNOWN = click.option(
    "--no-known",
    cls=CommonOption,
    is_flag=True,
    help="Execute and reduce also what known bugs of the target predict, not one in 16.",
)
FIRST = click.option("--first", type=click.IntRange(min=0), default=0, help="Number of the first shader.")
KNOWN_FILE = click.option(
    "--known-file",
    cls=CommonOption,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File of known buckets, which fail no run.  [default: known.toml of the corpus and of the run]",
)
LIKE = click.option(
    "--like",
    cls=CommonOption,
    metavar="NAME",
    help="The build that yours is like (tint@0.6.2): what is known of it is known of yours.",
)


def out_option(help: str, name: str, **more: Any) -> Callable[[_F], _F]:
    """The option `--out`, received under a name."""
    return click.option("--out", "-o", name, help=help, **{"type": click.Path(path_type=Path), **more})


SHADER_FOLDER = out_option(
    "Write each shader to a file in this folder.", "folder", type=click.Path(path_type=Path, file_okay=False)
)
NEW_FOLDER = out_option("Write into this folder.", "folder", required=True, metavar="DIR")
JUNIT = click.option(
    "--junitxml", type=click.Path(path_type=Path, dir_okay=False), help="Write a JUnit report for CI here."
)


def count_option(default: int) -> Callable[[_F], _F]:
    """The option `-n`, received as `count`."""
    return click.option(
        "-n", "count", type=click.IntRange(min=1), default=default, show_default=True, help="How many shaders."
    )


def format_option(*forms: str, default: str = "text") -> Callable[[_F], _F]:
    """The option `--format`, received as `form`."""
    return click.option(
        "--format", "form", type=click.Choice(forms), default=default, show_default=True, help="Form of the output."
    )


def since_option(help: str) -> Callable[[_F], _F]:
    """The option `--since`, received as `earlier`."""
    return click.option("--since", "earlier", type=RunFolder(), metavar="RUN", help=help)


def run_folder_option(example: str) -> Callable[[_F], _F]:
    """The option `--out` of a new folder, received as `out`."""
    return out_option(f"New folder for what is found.  [default: wgsl-fuzz-out/{example}]", "out")


TIMEOUT_OPTION = click.option(
    "--timeout",
    cls=CommonOption,
    type=FiniteNumber(0.1, 3600),
    default=TIMEOUT,
    show_default=True,
    help="Seconds for an answer of a target.",
)


def like_of(context: click.Context, targets: Sequence[str], check: Callable[[str], None]) -> str | None:
    """The build that --like names. Raises Problem, as `check` does, if no target can be compared with it.

    A configuration file is for all commands and targets: where its `like` does not fit, it is left out. Without the
    option the first description of a target counts that says so.
    """
    like: str | None = context.meta["like"]
    if like is None:
        described = next(filter(None, map(described_build, targets)), None)
        if described is not None:
            check(described)
        return described
    try:
        check(like)
        if not any(is_akin(name, like) or described_build(name) == like for name in targets):
            raise Problem(f"--like {like} goes with a target of {prefix_of(like)}")
    except Problem as problem:
        if "like" in given_options(context):
            raise
        notice(f"without the `like` of the configuration file: {problem}")
        return None
    return like


def output_option(help: str = "Write here instead of to standard output.") -> Callable[[_F], _F]:
    """The option `-o` of a file, received as `output`; that it can be written is asked before the work begins."""
    return out_option(help, "output", callback=_checked)


def hand_over(written: str | Iterable[str], output: Path | None = None) -> None:
    """Writes what a command made, a text or lines, to the file of `-o`, or to standard output. Raises Problem."""
    if not isinstance(written, str):
        written = "".join(f"{line}\n" for line in written)
    if output is None:
        echo(written, nl=False)
    else:
        write_bytes(output, written.encode())


def as_json(value: object) -> str:
    """A line of JSON."""
    return orjson.dumps(value).decode() + "\n"


def _checked(_context: click.Context, _param: click.Parameter, path: Path | None) -> Path | None:
    if path is not None:
        check_writable(path)
    return path


@contextmanager
def told_of_rules(*names: str) -> Iterator[None]:
    """A file whose rules make graphs that nobody can explain is a Problem."""
    try:
        yield
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


EXECUTE = click.option(
    "--execute",
    type=click.Choice(EXECUTED),
    default=SAMPLE,
    show_default=True,
    help="Execute one in 16 of the shaders that everybody accepts, or all.",
)


CONVERGENCE = click.option(
    "--convergence",
    cls=CommonOption,
    type=click.Choice(list(NOTIONS)),
    help=f"What threads must have in common at a barrier.  [default: {CONTROL_STACKS.name}]",
)


def notion_of(context: click.Context) -> Notion:
    """The notion of convergence that --convergence names; the paper's without it."""
    name = context.meta["convergence"]
    return CONTROL_STACKS if name is None else NOTIONS[name]


DASH = "-"
NAME = "standard input"


def read_wgsl(file: str) -> str:
    """The text of a UTF-8 file, of standard input for `-`; raises Problem."""
    return _decoded(_stream().read()) if file == DASH else read_text(file)


def name_of(file: str) -> str:
    """What to call a file in messages."""
    return NAME if file == DASH else file


def lines_or_wgsl() -> Iterator[bytes] | str:
    """Standard input: its lines if it begins with `{`, as JSON lines do and no WGSL does, or if it is empty.

    Otherwise all of it, as WGSL. Raises Problem.
    """
    lines = iter(_stream())
    head = []
    for line in lines:
        head.append(line)
        if line.strip():
            break
    if not head or head[-1].lstrip().startswith(b"{"):
        return chain(head, lines)
    return _decoded(b"".join([*head, *lines]))


def _stream() -> BinaryIO:
    if sys.stdin is None:
        raise Problem(f"cannot read {NAME}: it is closed")
    return sys.stdin.buffer


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Problem(f"cannot read {NAME}: it is not UTF-8") from error
