"""The command `diff`: smallest shaders on which two analyses disagree."""

import time

import click
import orjson

from wgsl_fuzz.fuzz.cli.options import Seconds, told_of_rules
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.present.plurals import count as number
from wgsl_fuzz.fuzz.regression.diff import Differ, Difference
from wgsl_fuzz.oracle.explain.path import explain
from wgsl_fuzz.oracle.rules.analyses import ANALYSES, rules_named
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.in_words import predicate
from wgsl_fuzz.oracle.rules.variants import VARIANTS
from wgsl_fuzz.oracle.verdict import Outcome, Verdict

_INDENT = "    "


@click.command(epilog=f"RULES: {', '.join(ANALYSES)}, or a file of your own rules, FILE.py.")
@click.argument("one", metavar="RULES")
@click.argument("other", metavar="RULES")
@click.option("--max-statements", type=click.IntRange(1, 7), default=5, show_default=True, help="Enumerate up to here.")
@click.option("--programs", type=click.IntRange(min=0), default=3000, show_default=True, help="Then draw so many.")
@click.option("--seconds", type=Seconds(), default=60.0, show_default=True, help="For all, at most.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the random search.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a difference.")
@click.pass_context
def diff(
    context: click.Context,
    one: str,
    other: str,
    max_statements: int,
    programs: int,
    seconds: float,
    seed: int,
    as_json: bool,
) -> None:
    """Find the smallest shaders on which two rule sets disagree.

    They are grouped by the rule that decides. Tried are the shaders of the corpus, all small ones, and random ones;
    what is large is reduced.

    Exit status: 0 no difference was found, 1 they differ.
    """
    with told_of_rules(one, other):
        differ = _searched(one, other, max_statements, programs, seconds, seed)
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
    echo(f"{known} shaders of the corpus: {number(len(differ.found), 'group')} so far", err=True)
    enumerated = 0
    for statements, count in differ.enumerate(max_statements, deadline):
        enumerated = statements
        shaders = f"{number(count, 'shader')} of {number(statements, 'statement')}"
        echo(f"{shaders}: {number(len(differ.found), 'group')} so far", err=True)
    drawn = differ.search(programs, seed, deadline)
    echo(f"{number(drawn, 'random shader')}: {number(len(differ.found), 'group')}", err=True)
    late = enumerated < max_statements or not all_known or drawn < programs
    if late or not differ.found:
        echo(_bounds(enumerated, known, drawn, late, bool(differ.found)), err=True)
    return differ


def _bounds(enumerated: int, known: int, drawn: int, late: bool, found: bool) -> str:
    """How far the search came, and what takes it further."""
    tried = [f"{known} shaders of the corpus"]
    tried += [f"every one of up to {enumerated} statements"] if enumerated else []
    tried += [f"{drawn} random ones"]
    said = "other differences may be beyond" if found else "no difference was found, which does not say there is none"
    more = "the time was up: --seconds takes it further" if late else "--max-statements and --programs take it further"
    return f"{said}: tried {', '.join(tried[:-1])} and {tried[-1]}; {more}"


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
    sets = {name: rules for name in (other, one) if (rules := rules_named(name)) is not None}
    if len(sets) < 2:
        return decides
    said = [
        f"{name} {predicate(changed) if changed in VARIANTS else 'has rules of its own'}"
        for changed in decides.split(" + ")
        for name, rules in sets.items()
        if changed in rules.names
    ]
    return "; ".join(said)


def _show(difference: Difference, one: str, other: str) -> None:
    case = difference.case
    diverges = case.execution.outcome is Outcome.DIVERGES
    echo(f"{_heading(difference.decides, one, other)}  ({difference.origin})")
    for line in case.text.splitlines():
        echo(_INDENT + line)
    for name, verdict in zip((one, other), difference.verdicts):
        unsound = " and is unsound here: it diverges" if verdict is Verdict.ACCEPTS and diverges else ""
        echo(f"  {name} {verdict.value}{unsound}")
        if verdict is Verdict.REJECTS and (rules := rules_named(name)) is not None:
            for line in explain(analyse(case.shader, rules), case.printed.positions):
                echo(_INDENT + line)
    if case.execution.outcome is Outcome.CONVERGES:
        echo("  it converges in every schedule and store within bounds: the difference is one of precision")
    elif not diverges:
        echo("  the semantics saw no divergence: as far as it tells, the difference is one of precision")
    echo()
