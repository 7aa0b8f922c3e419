"""The command line (docs/commands.md). The default command is the campaign."""

import random
import time
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from wgsl_fuzz import __version__
from wgsl_fuzz.fuzz.cases.plan import Budget, Plan
from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.command_line import CommandLine
from wgsl_fuzz.fuzz.files import read_text
from wgsl_fuzz.fuzz.findings.known import check_build
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.problems import Problem

FILE, SHARED_FILE, TABLE = "wgsl-fuzz.toml", "pyproject.toml", "wgsl-fuzz"

_NEVER = frozenset({"help", "version", "resume"})
"""Options that only make sense for one call."""


def defaults(group: click.Group, context: click.Context, folder: Path) -> dict[str, Any]:
    """Click's `default_map` from the nearest file; raises Problem for a file that is not as it should be."""
    found = nearest(folder)
    return {} if found is None else _mapped(group, context, found[1], str(found[0]))


def nearest(folder: Path) -> tuple[Path, Mapping[str, Any]] | None:
    """The nearest file with a table for us, and the table; raises Problem for one that is not TOML."""
    for place in (folder, *folder.parents):
        for name in (FILE, SHARED_FILE):
            path = place / name
            if not path.is_file():
                continue
            try:
                content = tomllib.loads(read_text(path))
            except tomllib.TOMLDecodeError as error:
                if name == SHARED_FILE:  # someone else's to mend
                    continue
                raise Problem(f"{path} is not TOML: {error}") from error
            table = content if name == FILE else content.get("tool", {}).get(TABLE)
            if table is not None:
                return path, table
    return None


def _mapped(group: click.Group, context: click.Context, table: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The table's values by the parameters that receive them, and each command's beside them."""
    if not isinstance(table, Mapping):
        raise Problem(f"{where}: the options of wgsl-fuzz are no table")
    own = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    values = _values(group, own, where)
    for name in sorted(table.keys() - own.keys()):
        command = group.get_command(context, name)
        if command is None:
            raise Problem(f"{where}: there is no command {name!r}{_instead(name, group.list_commands(context))}")
        values[name] = _values(command, table[name], f"{where}: {name}")
    return values


def _values(command: click.Command, table: Mapping[str, Any], where: str) -> dict[str, Any]:
    options = {
        (opt if opt not in p.secondary_opts else "").removeprefix("--"): p
        for p in command.params
        if isinstance(p, click.Option)
        for opt in p.opts
        if opt.startswith("--") and opt.removeprefix("--") not in _NEVER
    }
    values: dict[str, Any] = {}
    for key, value in table.items():
        option = options.get(key)
        if option is None:
            raise Problem(f"{where}: there is no option {key!r}{_instead(key, sorted(options))}")
        values[option.name or ""] = _checked(option, value, f"{where}: {key}")
    return values


def _checked(option: click.Option, value: Any, where: str) -> Any:
    """The value as click takes it; raises Problem if it does not fit the option."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise Problem(f"{where} is true or false, not {value!r}")
        return value
    values = value if isinstance(value, list) else [value]
    if isinstance(value, list) and not option.multiple:
        raise Problem(f"{where} is one value, not a list")
    if any(isinstance(one, bool | dict | list) for one in values):
        raise Problem(f"{where} is a text or a number, not {value!r}")
    return [str(one) for one in values] if option.multiple else str(value)


def _instead(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f"; did you mean {near[0]}?" if near else ""


_RESUMABLE = (
    *("names", "convergence", "hours", "minutes", "programs", "jobs", "resume", "like", "known_file", "fail_on"),
    *("exclude", "timeout", "metrics", "quiet"),
)
"""What may differ between the parts of a run."""
_JUDGING = ("bisect", "certify", "check", "explain", "lint", "page", "run", "serve")
_DRAWING = ("enumerate", "generate", "reduce")
COMMANDS = {
    **{name: name for name in (*_DRAWING, *_JUDGING)},
    **{name: f"rules.{name}" for name in ("conformance", "coverage", "diff", "litmus")},
    **{name: f"runs.{name}" for name in ("merge", "replay", "report", "status", "triage")},
    "mutate": "generate",
    "targets": "targets",
}
"""The module of each command, which is imported when somebody asks for it."""


class _WithDefaults(CommandLine):
    """The command line, with the options of the nearest configuration file."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; None if there is none."""
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            module = import_module(f"{__package__}.{COMMANDS[cmd_name]}")
            commands = (one for one in vars(module).values() if isinstance(one, click.Command))
            self.add_command(next(one for one in commands if one.name == cmd_name))
        return super().get_command(ctx, cmd_name)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options in groups, and the commands."""
        o.write_groups(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """As `click.Group.make_context`; raises Problem for a file that is not as it should be."""
        values = defaults(self, click.Context(self, info_name=info_name), Path.cwd())
        return super().make_context(info_name, args, parent, **({"default_map": values} | extra))


@click.group(cls=_WithDefaults, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@o.TARGET
@click.option("--hours", type=o.FiniteNumber(min=0, min_open=True), help="Stop after so many hours ...")
@click.option("--minutes", type=o.FiniteNumber(min=0, min_open=True), help="... and minutes.")
@o.PROGRAMS
@click.option(
    "--seed", type=click.IntRange(0), callback=o.fits_record, help="Seed of the run.  [default: drawn, and shown]"
)
@o.LANGUAGE
@o.REQUIRE
@o.EXECUTE
@o.CONVERGENCE
@o.JOBS
@o.RESUME
@o.LIKE
@o.KNOWN_FILE
@o.NO_KNOWN
@o.run_folder_option("TIME-SEED")
@click.option(
    "--seeds",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="First test the *.wgsl in this folder; repeats.",
)
@click.option(
    "--metrics",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Serve metrics to Prometheus on this machine; 0: at a free port, which is shown.",
)
@click.option("--no-corpus", is_flag=True, help="Do not ask about the cases of the corpus first.")
@click.option("--quiet", "-q", is_flag=True, help="Say only what was found, at the end.")
@o.TIMEOUT_OPTION
@o.FAIL_ON
@o.EXCLUDE
@click.version_option(__version__, prog_name="wgsl-fuzz")
@click.pass_context
def main(
    context: click.Context,
    /,
    names: tuple[str, ...],
    hours: float | None,
    minutes: float | None,
    programs: int | None,
    seed: int | None,
    language: str | None,
    require: str | None,
    execute: str,
    resume: Path | None,
    out: Path | None,
    metrics: int | None,
    no_corpus: bool,
    quiet: bool,
    seeds: tuple[Path, ...],
    fail_on: frozenset[str],
    exclude: frozenset[str],
) -> None:
    """Find the WGSL shaders on which uniformity analyses are wrong.

    Without a command: a campaign against each --target, until a budget is spent or Ctrl-C. The reference analysis and
    the semantics judge every shader. A shader on which a target differs is reduced and saved in --out.

    \b
        wgsl-fuzz --target tint --hours 24

    Exit status: 0 nothing new was found, 1 something was, 2 the request or the set-up is at fault.
    """
    if context.invoked_subcommand is not None:
        for option in o.given_options(context).values():
            raise Problem(f"{option} stands before {context.invoked_subcommand}: options of a command stand behind it")
        return
    from wgsl_fuzz.fuzz.cli.runs import campaign as c  # slow to import

    concern, common = o.concern_of(fail_on, exclude), context.meta
    if resume is not None:
        o.allow_only(context, _RESUMABLE, "--resume", "the run goes on as it began")
        request = c.resumed(
            resume, names, common["jobs"], common["timeout"], known=common["known_file"], concern=concern
        )
        notion, asked = request.plan.convergence, common["convergence"]
        if asked not in (None, notion.name):
            raise Problem(f"the run in {resume} judges by {notion}: begin another run for --convergence {asked}")
        request = replace(request, metrics=metrics, quiet=quiet)
    elif not names:
        if o.given_options(context):
            raise Problem("name at least one --target; `wgsl-fuzz targets` lists what can be tested here")
        echo(context.get_help())
        return
    else:
        seed = random.SystemRandom().randrange(2**24) if seed is None else seed
        out = out or Path("wgsl-fuzz-out") / f"{time.strftime('%Y%m%d-%H%M%S')}-{seed}"
        plan = Plan(
            seed,
            require,
            language=c.language_for(names, language),
            execute=execute,
            convergence=o.notion_of(context),
            known_first=not common["no_known"],
            corpus=not no_corpus,
        )
        request = c.CampaignRequest(
            names,
            plan,
            out,
            common["jobs"],
            common["known_file"],
            concern=concern,
            seeds=seeds,
            timeout=common["timeout"],
            metrics=metrics,
            quiet=quiet,
        )
    given = [n * unit for n, unit in ((hours, 3600), (minutes, 60)) if n is not None]
    budget = Budget(sum(given) if given else None, programs)
    if resume is not None and budget == Budget():
        budget = request.rest()
    like = o.like_of(context, request.names, check_build)
    request = replace(request, like=like or request.like)
    context.exit(c.campaign(request, budget))
