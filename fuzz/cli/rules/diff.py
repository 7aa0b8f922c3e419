"""The command `diff`: smallest shaders on which two analyses disagree."""

import time
from collections.abc import Iterator, Mapping

import click
import orjson

from wgsl_fuzz.fuzz.campaign.garbage import rare_collections
from wgsl_fuzz.fuzz.cli.options import Minutes, format_option, told_of_rules
from wgsl_fuzz.fuzz.judging.account import steps_of
from wgsl_fuzz.fuzz.output import echo, notice
from wgsl_fuzz.fuzz.present.wording import count as number
from wgsl_fuzz.fuzz.regression.diff import Decides, Differ, Difference, Side, side_named
from wgsl_fuzz.oracle.explain.path import explanations_of
from wgsl_fuzz.oracle.rules.analyses import ANALYSES, SECTION_4_2
from wgsl_fuzz.oracle.rules.in_words import predicate
from wgsl_fuzz.oracle.rules.rule_set import Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.revisions import INTENT, WGSL_RULE_SETS, analyse_wgsl
from wgsl_fuzz.oracle.targets.families.rules import PREFIX
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.wgsl.problems import Source

_INDENT = "    "
OF_CORES = 5, 1000
"""How far the search goes unless it is told, if one of the two knows TinyWGSL only: statements, and programs."""
OF_ALL = 3, 400
"""The same of others. They try all the texts that ship with the project before, the others the cases of the corpus."""
_HOW = {
    Decides.ALONE: "",
    Decides.ENOUGH: "this is enough to decide here; something else that differs would be, too",
    Decides.NEEDED: "this decides here together with",
    Decides.HIDDEN: "no shader was found on which this decides between the two: it does where nothing else differs",
}
_SEMANTICS = {
    Outcome.CONVERGES: "it converges in every schedule and store within bounds: the difference is one of precision",
    Outcome.NOT_SEEN: "the semantics saw no divergence: as far as it tells, the difference is one of precision",
}


def _without_prefix(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
    """The name of a rule set, which may be said as that of a target: `rules:NAME`."""
    return name.removeprefix(f"{PREFIX}:")


@click.command(
    epilog=(
        f"RULES: {', '.join(WGSL_RULE_SETS)}, wgsl-DATE for any other date, a variant, or your own FILE.py; "
        f"of TinyWGSL alone {' and '.join(ANALYSES)}."
    )
)
@click.argument("one", metavar="RULES", callback=_without_prefix)
@click.argument("other", metavar="RULES", callback=_without_prefix)
@click.option(
    "--max-statements",
    type=click.IntRange(1, 7),
    help=f"Enumerate up to here.  [default: {OF_ALL[0]}; with rules of TinyWGSL {OF_CORES[0]}]",
)
@click.option(
    "--programs",
    type=click.IntRange(min=0),
    help=f"Then draw so many.  [default: {OF_ALL[1]}; with rules of TinyWGSL {OF_CORES[1]}]",
)
@click.option("--minutes", type=Minutes(), default=1.0, show_default=True, help="For all, at most.")
@format_option("text", "json")
@click.pass_context
def diff(
    context: click.Context,
    one: str,
    other: str,
    max_statements: int | None,
    programs: int | None,
    minutes: float,
    form: str,
) -> None:
    """Find the smallest shaders on which two rule sets disagree.

    They are grouped by the rule that decides. Tried are the shaders that ship with the project, all small ones, and
    random ones; what is found is reduced. Rules of TinyWGSL are asked about shaders that can be written in it.

    Exit status: 0 no difference was found, 1 they differ.
    """
    with told_of_rules(one, other), rare_collections():
        differ = Differ(side_named(one), side_named(other))
        statements, count = OF_CORES if differ.of_cores else OF_ALL
        if differ.are_equal:
            notice(f"{one} and {other} are the same rules")
        else:
            statements = statements if max_statements is None else max_statements
            _search(differ, statements, count if programs is None else programs, time.monotonic() + 60 * minutes)
        for difference in differ.sorted():
            if form == "json":
                echo(orjson.dumps(_json(difference)))
            else:
                _show(differ, difference)
    context.exit(int(differ.differs))


def _search(differ: Differ, max_statements: int, programs: int, deadline: float) -> None:
    """Tries what there is to try, and tells how far that came."""
    count, all_known = differ.known(deadline)
    known = f"{number(count, 'shader')} of the corpus" if differ.of_cores else f"{number(count, 'text')} that ship"
    notice(f"{known}: {number(len(differ.found), 'group')} so far")
    enumerated = 0
    for statements, count in differ.enumerate(max_statements, deadline):
        enumerated = statements
        shaders = f"{number(count, 'shader')} of {number(statements, 'statement')}"
        notice(f"{shaders}: {number(len(differ.found), 'group')} so far")
    drawn = differ.search(programs, 0, deadline)
    notice(f"{number(drawn, 'random shader')}: {number(len(differ.found), 'group')}")
    late = enumerated < max_statements or not all_known or drawn < programs
    if late or not differ.found:
        notice(_bounds(enumerated, known, drawn, late, bool(differ.found)))


def _bounds(enumerated: int, known: str, drawn: int, late: bool, found: bool) -> str:
    """How far a search came, and what takes it further."""
    tried = [known]
    tried += [f"every one of up to {enumerated} statements"] if enumerated else []
    tried += [f"{drawn} random ones"]
    said = "other differences may be beyond" if found else "no difference was found, which does not say there is none"
    more = "the time was up: --minutes takes it further" if late else "--max-statements and --programs take it further"
    return f"{said}: tried {', '.join(tried[:-1])} and {tried[-1]}; {more}"


def _json(difference: Difference) -> Mapping[str, object]:
    names = [side.name for side in difference.sides]
    verdicts = {name: verdict.value for name, verdict in zip(names, difference.verdicts, strict=True)}
    if (outcome := difference.outcome) is not None:
        verdicts["semantics"] = outcome.value
    return {
        "decides": difference.decides,
        "how": difference.how.name.lower(),
        "code": difference.text,
        "verdicts": verdicts,
        "origin": difference.origin,
    }


def _heading(differ: Differ, difference: Difference) -> str:
    """What decides a difference, in words: which rule set does what. JSON has the names."""
    one, other = differ.sides
    changed = sorted(difference.variants, key=lambda v: v.name)
    said = [f"{one.name if v in (one.rules or ()) else other.name} {_does(v)}" for v in changed]
    return "; ".join(said) or difference.decides


def _does(variant: Variant) -> str:
    """What an analysis with a variant does, and its name."""
    return predicate(variant.name) if variant.place else f"has rules of its own ({variant.name})"


def _others(differ: Differ, difference: Difference) -> list[str]:
    """The names of what decides together with a variant that is not enough."""
    if difference.how is not Decides.NEEDED:
        return []
    together = differ.together(difference.resolution, difference.verdicts)
    return [", ".join(Rules(together - difference.variants).names)]


def _why(side: Side, difference: Difference) -> Iterator[str]:
    """Why a rule set rejects a shader, by section 15.2; nothing for an analysis that is none of its variants."""
    rules = INTENT if side.name == SECTION_4_2 else None if side.of_cores else side.rules
    if rules is not None:
        resolution, source = difference.resolution, Source(difference.text)
        yield from steps_of(source, explanations_of(analyse_wgsl(resolution, rules), resolution, source))


def _show(differ: Differ, difference: Difference) -> None:
    echo(f"{_heading(differ, difference)}  ({difference.origin})")
    for about in sorted(v.about for v in difference.variants if v.about):
        echo(f"  {about}")
    if _HOW[difference.how]:
        echo("  " + " ".join([_HOW[difference.how], *_others(differ, difference)]))
    outcome = difference.outcome
    for line in difference.text.splitlines():
        echo(f"{_INDENT}{line}".rstrip())
    for side, verdict in zip(difference.sides, difference.verdicts, strict=True):
        unsound = verdict is Verdict.ACCEPTS and outcome is Outcome.DIVERGES
        echo(f"  {side.name} {verdict.value}{' and is unsound here: it diverges' if unsound else ''}")
        for line in _why(side, difference) if verdict is Verdict.REJECTS else ():
            echo(_INDENT + line)
    if outcome in _SEMANTICS:
        echo(f"  {_SEMANTICS[outcome]}")
    echo()
