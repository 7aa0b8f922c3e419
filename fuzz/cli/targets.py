"""The command `targets`: what can be tested here, a target tried on known shaders, and rule sets."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from shlex import quote

import click
import orjson

from wgsl_fuzz.fuzz.cli.options import TIMEOUT_OPTION, format_option
from wgsl_fuzz.fuzz.command_line import CommandLine
from wgsl_fuzz.fuzz.output import columns, echo, notice
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.rules.analyses import ANALYSES, SECTION_4_2, is_ours, rules_named
from wgsl_fuzz.oracle.rules.in_words import description
from wgsl_fuzz.oracle.rules.uniformity.revisions import ALIASES, WGSL_RULE_SETS, named_variants
from wgsl_fuzz.oracle.rules.uniformity.variants.history import FIGURES
from wgsl_fuzz.oracle.targets import install, open_target
from wgsl_fuzz.oracle.targets.families.rules import open_named
from wgsl_fuzz.oracle.targets.protocol import available, families
from wgsl_fuzz.oracle.targets.trial import Tried, doubts, notes, tried


@click.group(cls=CommandLine, invoke_without_command=True)
@click.pass_context
def targets(context: click.Context) -> None:
    """List what can be tested here, with version and origin.

    Exit status: 0.
    """
    if context.invoked_subcommand is not None:
        return
    rows = [
        ("target", "state", "origin", "date or remedy"),
        ("tint", "", "the newest tint@VERSION that can be had", ""),
    ]
    rows += [(info.name, info.state.value, info.origin, info.date or info.reason) for info in available()]
    owns = dict.fromkeys(family.own for family in families() if family.own)
    rows += [(", ".join(f"{f.prefix}:PATH" for f in families() if f.own == own), "", own, "") for own in owns]
    rows += [("FILE.toml", "", "a compiler of yours, by description", "")]
    for line in columns(rows):
        echo(line)


@targets.command("install")
@click.argument("spec")
def install_target(spec: str) -> None:
    """Fetch a pinned build, such as tint@0.3.8.

    It goes into the user's cache. Exit status: 0 it is there, 2 it cannot be had.
    """
    install(spec, notice)


FOUND = 1
_NEXT_MINUTES = 1


@targets.command("check")
@click.argument("name")
@TIMEOUT_OPTION
@click.pass_context
def check_target(context: click.Context, name: str) -> None:
    """Try a target, such as my.toml, on known shaders.

    It says what it understood of each answer, and what looks wrong. Exit status: 0 nothing does, 1 something does, 2
    the target cannot be opened.
    """
    ours, timeout = is_ours(name), context.meta["timeout"]
    opened = open_named(name, name) if ours else open_target(name, notify=notice, timeout=timeout, prove=False)
    with closing(opened) as target:
        results = tried(target)
    echo(f"{target.name}  {target.origin}")
    for line in _table(results):
        echo(f"  {line}")
    wrong = doubts(results)
    for line in [*(f"wrong: {one}" for one in wrong), *(f"note: {one}" for one in notes(results))]:
        echo(line)
    again = f"wgsl-fuzz targets check {quote(name)}"
    echo(f"next: {again if wrong else f'wgsl-fuzz --target {quote(name)} --minutes {_NEXT_MINUTES}'}")
    context.exit(FOUND if wrong else 0)


def _table(results: Sequence[Tried]) -> list[str]:
    """A line for each question, and one about time."""
    rows = []
    for one in results:
        expected = one.question.expected
        mark = "" if expected in (None, one.verdict) else f"(not {expected.value})"
        rows.append((one.question.name, one.verdict.value, mark, one.raw))
    middle = sorted(one.seconds for one in results)[len(results) // 2]
    same = all(one.again.verdict is one.verdict for one in results)
    again = f"asked twice: {'the same answers' if same else 'other answers'}; {middle * 1000:.3g} ms a text"
    return [*columns(rows), again]


TINY, WHOLE = "TinyWGSL", "all WGSL"


@targets.command("rules")
@click.argument("part", default="")
@format_option("text", "json")
def list_rules(part: str, form: str) -> None:
    """List rule sets and broken variants whose names have PART.

    Each is a target by `rules:NAME`. A variant is the reference with one branch of its rules done otherwise; without
    PART, only the beginnings of their names are listed, and how many there are. Exit status: 0, or 2 if none has PART.
    """
    languages = ((ANALYSES, TINY), (WGSL_RULE_SETS, WHOLE))
    sets = [(name, language, _differs(name)) for names, language in languages for name in names if part in name]
    known = named_variants()
    names = [name for name in known if part in name]
    names += [alias for alias, name in ALIASES.items() if part and part in alias and name not in names]
    variants = [(name, WHOLE, description(ALIASES.get(name, name))) for name in names]
    if not sets and not variants:
        raise Problem(f"no rule set and no variant has {part!r} in its name; `wgsl-fuzz targets rules` lists them")
    if form == "json":
        for name, language, does in [*sets, *variants]:
            echo(orjson.dumps({"name": name, "language": language, "does": does}))
        return
    if not part:
        begins = Counter(name.partition("/")[0] for name in known)
        variants = [(f"{begin}/...", WHOLE, count(n, "variant")) for begin, n in begins.items()]
        variants += [(alias, WHOLE, description(name)) for alias, name in FIGURES.items()]
    for line in columns([*sets, *variants]):
        echo(line)


def _differs(name: str) -> str:
    """What a rule set is: an analysis by itself, or the reference with variants of these kinds."""
    rules = rules_named(name)
    if rules is None:
        return {SECTION_4_2: "section 4.2 of the paper"}.get(name, "the proposal of 2019 for WHLSL")
    kinds = sorted({re.split("-20|/", variant.name)[0] for variant in rules})
    return f"the reference with {count(len(rules), 'variant')} ({', '.join(kinds)})" if rules else "the reference"
