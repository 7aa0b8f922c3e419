"""The command `diff`: smallest shaders on which two analyses disagree."""

import time
from collections.abc import Iterator

import click
import orjson

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cli.diff_modules import diff_modules, does, search, why
from wgsl_fuzz.fuzz.cli.options import Seconds, told_of_rules
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.regression.diff import Differ, Difference, accepting, rules_of
from wgsl_fuzz.fuzz.regression.module_diff import ModuleDiffer
from wgsl_fuzz.oracle.rules.analyses import ANALYSES, REFERENCE, whole_rules
from wgsl_fuzz.oracle.rules.in_words import predicate
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES as MODULE_VARIANTS
from wgsl_fuzz.oracle.rules.uniformity.revisions import INTENT, WGSL_RULE_SETS
from wgsl_fuzz.oracle.rules.variants import VARIANTS
from wgsl_fuzz.oracle.targets.rules import PREFIX
from wgsl_fuzz.oracle.verdict import Outcome, Verdict

_INDENT = "    "
TINY = 5, 3000
"""How far the search goes unless it is told: statements, and programs."""
WHOLE = 3, 400
"""The same for two rule sets of the whole language, after all the texts that ship with the project."""


def _without_prefix(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
    """The name of a rule set, which may be said as that of a target: `rules:NAME`."""
    return name.removeprefix(f"{PREFIX}:")


@click.command(
    epilog=(
        f"RULES of TinyWGSL: {', '.join(ANALYSES)}. "
        f"RULES of the whole language: {', '.join(WGSL_RULE_SETS)}, or wgsl-DATE for any other date. "
        "FILE.py: your own, of either."
    )
)
@click.argument("one", metavar="RULES", callback=_without_prefix)
@click.argument("other", metavar="RULES", callback=_without_prefix)
@click.option(
    "--max-statements",
    type=click.IntRange(1, 7),
    help=f"Enumerate up to here.  [default: {TINY[0]}; of the whole language {WHOLE[0]}]",
)
@click.option(
    "--programs",
    type=click.IntRange(min=0),
    help=f"Then draw so many.  [default: {TINY[1]}; of the whole language {WHOLE[1]}]",
)
@click.option("--seconds", type=Seconds(), default=60.0, show_default=True, help="For all, at most.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the random search.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a difference.")
@click.pass_context
def diff(
    context: click.Context,
    one: str,
    other: str,
    max_statements: int | None,
    programs: int | None,
    seconds: float,
    seed: int,
    as_json: bool,
) -> None:
    """Find the smallest shaders on which two rule sets disagree.

    They are grouped by the rule that decides. Tried are the shaders of the corpus, all small ones, and random ones;
    what is large is reduced. Two rule sets of the whole language are tried on all of WGSL, others on TinyWGSL.

    Exit status: 0 no difference was found, 1 they differ.
    """
    with told_of_rules(one, other):
        base, goal = whole_rules(one), whole_rules(other)
        statements, count = WHOLE if base is not None and goal is not None else TINY
        statements = statements if max_statements is None else max_statements
        count = count if programs is None else programs
        if base is not None and goal is not None:
            differs = diff_modules(ModuleDiffer(one, other, base, goal), statements, count, seconds, seed, as_json)
            context.exit(1 if differs else 0)
        differ = _searched(one, other, statements, count, seconds, seed)
        for difference in differ.sorted():
            if as_json:
                echo(orjson.dumps(_json(difference, one, other)))
            else:
                _show(difference, one, other)
    context.exit(1 if differ.found else 0)


def _searched(one: str, other: str, max_statements: int, programs: int, seconds: float, seed: int) -> Differ:
    """What was found, after telling how far the search came. Raises RuleFileError."""
    differ = Differ(one, other)
    deadline = time.monotonic() + seconds
    known, all_known = differ.corpus(deadline)
    search(differ, f"{known} shaders of the corpus", all_known, max_statements, programs, seed, deadline)
    return differ


def _json(difference: Difference, one: str, other: str) -> dict[str, object]:
    case = difference.case
    return {
        "decides": difference.decides,
        "code": case.text,
        "verdicts": {
            one: difference.verdicts[0].value,
            other: difference.verdicts[1].value,
            "semantics": case.execution.outcome.value,
        },
        "origin": difference.origin,
    }


def _heading(decides: str, one: str, other: str) -> str:
    """What decides a difference, in words: which rule set does what. JSON has the names."""
    sets = {name: rules for name in (other, one) if (rules := rules_of(name)) is not None}
    if len(sets) < 2 or decides == accepting(one) or decides == accepting(other):
        return decides
    said = [
        f"{name} {_predicate(changed)}"
        for changed in decides.split(" + ")
        for name, rules in sets.items()
        if changed in rules.names
    ]
    return "; ".join(said)


def _predicate(changed: str) -> str:
    if changed in VARIANTS:
        return predicate(changed)
    return does(MODULE_VARIANTS[changed]) if changed in MODULE_VARIANTS else "has rules of its own"


def _why(name: str, case: Case) -> Iterator[str]:
    """Why a rule set rejects a shader, by section 15.2; nothing for analyses that only the paper has."""
    rules = whole_rules(name) or (INTENT if name == REFERENCE else None)
    if rules is not None:
        yield from why(case.text, rules)


def _show(difference: Difference, one: str, other: str) -> None:
    case = difference.case
    diverges = case.execution.outcome is Outcome.DIVERGES
    echo(f"{_heading(difference.decides, one, other)}  ({difference.origin})")
    for line in case.text.splitlines():
        echo(_INDENT + line)
    for name, verdict in zip((one, other), difference.verdicts):
        unsound = " and is unsound here: it diverges" if verdict is Verdict.ACCEPTS and diverges else ""
        echo(f"  {name} {verdict.value}{unsound}")
        for line in _why(name, case) if verdict is Verdict.REJECTS else ():
            echo(_INDENT + line)
    if case.execution.outcome is Outcome.CONVERGES:
        echo("  it converges in every schedule and store within bounds: the difference is one of precision")
    elif not diverges:
        echo("  the semantics saw no divergence: as far as it tells, the difference is one of precision")
    echo()
