"""The command `diff`: what a change of the rules means, and smallest shaders on which two analyses disagree."""

import time
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path

import click
import orjson

from wgsl_fuzz.fuzz.campaign.garbage import rare_collections
from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.files import read_text, wgsl_files
from wgsl_fuzz.fuzz.judging.account import steps_of
from wgsl_fuzz.fuzz.output import columns, fenced, markdown_row, notice, printable
from wgsl_fuzz.fuzz.present.export import ExportedText, code_templates, words_of
from wgsl_fuzz.fuzz.present.report.words import capital
from wgsl_fuzz.fuzz.present.wording import count as number
from wgsl_fuzz.fuzz.regression.diff import ENDLESS, GIVEN, Decides, Differ, Difference, Impact, Side, side_named
from wgsl_fuzz.oracle.explain.path import explanations_of
from wgsl_fuzz.oracle.rules.analyses import ANALYSES, SECTION_4_2
from wgsl_fuzz.oracle.rules.in_words import description
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2, WGSL_RULE_SETS, analyse_wgsl, as_read
from wgsl_fuzz.oracle.targets.families.rules import PREFIX
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.wgsl.problems import Source

_INDENT = "    "
OF_CORES = 3, 1000
"""How far the search goes unless it is told, if one of the two knows TinyWGSL only: statements, and programs."""
OF_ALL = 2, 400
"""The same of others. They try all the texts that ship with the project before, the others the cases of the corpus."""
_HOW = {
    Decides.ALONE: "",
    Decides.ENOUGH: "this is enough to decide here; something else that differs would be, too",
    Decides.NEEDED: "this decides here together with",
}
_SEMANTICS = {
    Outcome.CONVERGES: "it converges in every schedule and store within bounds: the difference is one of precision",
    Outcome.NOT_SEEN: "the semantics saw no divergence: as far as it tells, the difference is one of precision",
}


def _without_prefix(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
    """The name of a rule set, which may be said as that of a target: `rules:NAME`."""
    return name.removeprefix(f"{PREFIX}:")


@click.command(
    cls=o.LargeCommand,
    epilog=(
        f"OLD, NEW: {', '.join(WGSL_RULE_SETS)}, wgsl-DATE for any other date, a variant, or your own FILE.py; "
        f"of TinyWGSL alone {' and '.join(ANALYSES)}."
    ),
)
@click.argument("one", metavar="OLD", callback=_without_prefix)
@click.argument("other", metavar="NEW", callback=_without_prefix)
@click.option(
    "--max-statements",
    type=click.IntRange(0, 7),
    help=f"Small shaders are those of `enumerate` up to here.  [default: {OF_ALL[0]}; with rules of TinyWGSL "
    f"{OF_CORES[0]}]",
)
@click.option(
    "--programs",
    type=click.IntRange(min=0),
    help=f"Then draw so many.  [default: {OF_ALL[1]}; with rules of TinyWGSL {OF_CORES[1]}]",
)
@click.option(
    "--shaders",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Count every *.wgsl in this folder, too; they are tried first.",
)
@click.option("--minutes", type=o.FiniteNumber(min=0), default=1.0, show_default=True, help="For all, at most.")
@o.format_option("text", "json", "markdown", "cts")
@o.output_option()
@click.pass_context
def diff(
    context: click.Context,
    one: str,
    other: str,
    max_statements: int | None,
    programs: int | None,
    shaders: Path | None,
    minutes: float,
    form: str,
    output: Path | None,
) -> None:
    """Say what a change of the rules loses and gains.

    A change loses soundness if NEW accepts what diverges, and gains precision if NEW accepts what is proven to converge
    and to end. Counted are all small shaders, those of applications, and apart from these other texts that ship with
    the project, and random ones. The shaders shown are reduced, one for each rule that decides. Rules of TinyWGSL are
    asked about shaders that can be written in it. To ask a target about the shaders shown:

    \b
        wgsl-fuzz diff wgsl-2023-01-28 wgsl --format json | wgsl-fuzz check - --target tint

    \b
    --format markdown: for a pull request
    --format cts:      tests of the WebGPU CTS, which expect what NEW says

    Exit status: 0 no difference was found, 1 they differ.
    """
    with o.told_of_rules(one, other), rare_collections():
        differ = Differ(side_named(one), side_named(other))
        statements, count = OF_CORES if differ.of_cores else OF_ALL
        if differ.are_equal:
            notice(f"{one} and {other} are the same rules")
            return
        deadline = time.monotonic() + 60 * minutes
        statements = statements if max_statements is None else max_statements
        if shaders is not None:
            _try_given(differ, shaders, deadline)
        _search(differ, statements, count if programs is None else programs, deadline)
        o.hand_over(map(printable, _FORMS[form](differ, differ.sorted(deadline))), output)
    context.exit(int(bool(differ.found)))


def _try_given(differ: Differ, folder: Path, deadline: float) -> None:
    """Tries the shaders of a folder; tells how many there are. Raises Problem if there are none."""
    texts = ((str(file.relative_to(folder)), read_text(file)) for file in wgsl_files(folder))
    count, _ = differ.try_all(texts, deadline, GIVEN)
    tried = number(differ.tried[GIVEN], "shader")
    notice(f"{tried} of {folder}; passed over, for it is no valid WGSL: {count - differ.tried[GIVEN]}")


def _search(differ: Differ, max_statements: int, programs: int, deadline: float) -> None:
    """Tries what there is to try, and tells how far that came."""
    enumerated = 0
    for statements, count in differ.enumerate(max_statements, deadline):
        enumerated = statements
        shaders = f"{number(count, 'shader')} of {number(statements, 'statement')}"
        notice(f"{shaders}: {number(len(differ.found), 'group')} so far")
    count, all_known = differ.known(deadline)
    known = f"{number(count, 'shader')} of the corpus" if differ.of_cores else f"{number(count, 'text')} that ship"
    notice(f"{known}: {number(len(differ.found), 'group')} so far")
    drawn = differ.search(programs, 0, deadline)
    notice(f"{number(drawn, 'random shader')}: {number(len(differ.found), 'group')}")
    late = enumerated < max_statements or not all_known or drawn < programs
    if late or not differ.found:
        notice(_bounds(enumerated, known, drawn, late, bool(differ.found)))


def _bounds(enumerated: int, known: str, drawn: int, late: bool, found: bool) -> str:
    """How far a search came, and what takes it further."""
    tried = [known]
    tried += [f"every one of up to {number(enumerated, 'statement')}"] if enumerated else []
    tried += [f"{drawn} random ones"]
    said = "other differences may be beyond" if found else "no difference was found, which does not say there is none"
    more = "the time was up: --minutes takes it further" if late else "--max-statements and --programs take it further"
    return f"{said}: tried {', '.join(tried[:-1])} and {tried[-1]}; {more}"


def _impact(differ: Differ) -> list[list[str]]:
    """The rows of the table of what a change means, with a head: what is counted, and of how many."""
    rows = [["", *differ.tried]]
    rows += [[str(impact), *(f"{differ.counts[impact, what]:,}" for what in differ.tried)] for impact in Impact]
    return [*rows, ["tried", *(f"{count:,}" for count in differ.tried.values())]]


def _notes(differ: Differ, shown: Sequence[Difference]) -> Iterator[str]:
    """Below the table: the named shaders that are judged otherwise, and the changes that decide nothing."""
    yield from (f"{impact}: {', '.join(names)}" for impact, names in differ.changed.items())
    if differ.undecided:
        names = ", ".join(differ.undecided)
        yield f"No shader was found that these decide (`diff {SECTION_15_2} NAME` shows what one does): {names}"
    if shown and differ.tried:
        yield "The shaders below are the smallest of all that was tried; other texts: pairs, cases, random shaders"


def _verdicts(difference: Difference) -> dict[str, str]:
    """What each says of a shader: the two rule sets, and the semantics if it can run it."""
    names = [side.name for side in difference.sides]
    verdicts = {name: verdict.value for name, verdict in zip(names, difference.verdicts, strict=True)}
    if difference.outcome is not None:
        verdicts["semantics"] = difference.outcome.value
    return verdicts


def _as_json(differ: Differ, shown: Sequence[Difference]) -> Iterator[str]:
    for one in shown:
        impact = one.impact
        line = {
            "decides": one.decides,
            "does": _heading(differ, one),
            "how": one.how.name.lower(),
            "impact": impact.value[0],
            "counts": {what: differ.counts[impact, what] for what in differ.tried},
            "tried": dict(differ.tried),
            "applications": differ.changed.get(impact, []),
            "code": one.text,
            "verdicts": _verdicts(one),
            "origin": one.origin,
        }
        yield orjson.dumps(line).decode()


def _as_markdown(differ: Differ, shown: Sequence[Difference]) -> Iterator[str]:
    """What a pull request says."""
    old, new = (side.name for side in differ.sides)
    yield f"## What `{new}` changes against `{old}`\n"
    head, *rows = _impact(differ)
    for row in (head, ["---"] + ["--:"] * len(differ.tried), *rows):
        yield markdown_row(row)
    yield "".join(f"\n{line}.\n" for line in _notes(differ, shown))
    for impact, group in groupby(shown, lambda one: one.impact):
        yield f"### {capital(str(impact))}\n"
        for one in group:
            verdicts = ", ".join(f"{name} **{verdict}**" for name, verdict in _verdicts(one).items())
            yield f"{capital(_heading(differ, one))}.\n\n{fenced(one.text, 'wgsl')}\n\n{verdicts} ({one.origin})\n"
            sides = zip(one.sides, one.verdicts, strict=True)
            if steps := [line for side, said in sides if said is Verdict.REJECTS for line in _why(side, one)]:
                yield from (
                    "<details><summary>Why it is rejected</summary>\n",
                    fenced("\n".join(steps)),
                    "</details>\n",
                )


def _as_cts(differ: Differ, shown: Sequence[Difference]) -> Iterator[str]:
    """Tests that expect what the new rules say."""
    template = code_templates().get_template("cts_case.ts")
    for one in shown:
        words = chain(*words_of(one.impact.value[0], one.decides, one.text))
        verdicts = ", ".join(f"{name}: {verdict}" for name, verdict in _verdicts(one).items())
        about = [f"{capital(_heading(differ, one))}.", *_about(one), f"{verdicts}.", "Found by wgsl-fuzz."]
        accepts = one.verdicts[1] is Verdict.ACCEPTS
        text = ExportedText(one.text.rstrip(), accepts, "", "", f"wgsl_fuzz,{'_'.join(words)}", "")
        yield template.render(about=about, texts=[text])


def _heading(differ: Differ, difference: Difference) -> str:
    """What decides a difference, in words: which rule set does what. JSON has the names."""
    one, other = differ.sides
    changed = sorted(difference.variants, key=lambda v: v.name)
    names = [one.name if v in (one.rules or ()) else other.name for v in changed]
    said = [f"{name} {description(v.name) if v.place else v.does}" for name, v in zip(names, changed, strict=True)]
    return "; ".join(said) or difference.decides


def _about(difference: Difference) -> list[str]:
    """Where the rules that decide come from."""
    return sorted(v.about for v in difference.variants if v.about)


def _why(side: Side, difference: Difference) -> Iterator[str]:
    """Why a rule set rejects a shader, by section 15.2; nothing for an analysis that is none of its variants."""
    rules = UNCHANGED if side.name == SECTION_4_2 else None if side.of_cores else side.rules
    if rules is not None:
        analysis, source = analyse_wgsl(difference.resolution, rules), Source(difference.text)
        yield from steps_of(source, explanations_of(analysis, as_read(difference.resolution, rules), source))


def _as_text(differ: Differ, shown: Sequence[Difference]) -> Iterator[str]:
    old, new = (side.name for side in differ.sides)
    (_, *what), *rows = _impact(differ)
    lines = columns([[f"{new} instead of {old}", *what], *rows], numbers=len(what))
    yield from (*lines, *_notes(differ, shown), "")
    for impact, group in groupby(shown, lambda one: one.impact):
        yield f"{capital(str(impact))}\n"
        for difference in group:
            yield from _show(differ, difference)


def _show(differ: Differ, difference: Difference) -> Iterator[str]:
    yield f"{_heading(differ, difference)}  ({difference.origin})"
    yield from (f"  {about}" for about in _about(difference))
    if _HOW[difference.how]:
        others = ""
        if difference.how is Decides.NEEDED:
            together = differ.together(difference.resolution, difference.verdicts)
            others = f" {', '.join(Rules(together - difference.variants).names)}"
        yield f"  {_HOW[difference.how]}{others}"
    outcome = difference.outcome
    yield from (f"{_INDENT}{line}".rstrip() for line in difference.text.splitlines())
    for side, verdict in zip(difference.sides, difference.verdicts, strict=True):
        unsound = verdict is Verdict.ACCEPTS and outcome is Outcome.DIVERGES
        yield f"  {side.name} {verdict.value}{' and is unsound here: it diverges' if unsound else ''}"
        if verdict is Verdict.REJECTS:
            yield from (_INDENT + line for line in _why(side, difference))
    if outcome in _SEMANTICS:
        yield f"  {_SEMANTICS[outcome]}" + "; some run never ends" * (difference.impact in ENDLESS)
    yield ""


_FORMS = {"text": _as_text, "json": _as_json, "markdown": _as_markdown, "cts": _as_cts}
