"""The conformance table in words, as Markdown, and as a page, which is made also in a browser."""

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from textwrap import shorten, wrap
from typing import Any

from wgsl_fuzz.fuzz.cases.case import read_case
from wgsl_fuzz.fuzz.conformance.rows import (
    ACCEPTED,
    REJECTED,
    SIDES,
    Level,
    NextStep,
    Row,
    Rows,
    load,
    path,
    shortest,
    step_of,
)
from wgsl_fuzz.fuzz.conformance.table import AS_MEANT, RowResult, Status, Table, command_for, title_of
from wgsl_fuzz.fuzz.judging.account import steps_of
from wgsl_fuzz.fuzz.judging.without_reference import signature
from wgsl_fuzz.fuzz.output import columns, fenced, markdown_row
from wgsl_fuzz.fuzz.present.pages import depths, highlighted, rendered
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.reduction.search import changes_in_words
from wgsl_fuzz.oracle.rules.uniformity.coverage import arms
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES
from wgsl_fuzz.oracle.rules.uniformity.variants.proposals import is_proposed
from wgsl_fuzz.oracle.verdict import Outcome, Verdict

RULES = {
    Level.CORE: "the paper's rules for TinyWGSL",
    Level.WGSL: "section 15.2 of the specification",
    Level.PROPOSALS: "what proposals add to section 15.2",
}

_REFUSES = {Verdict.REJECTS: "rejects", Verdict.INVALID: "calls invalid"}
_RUNS = {
    (REJECTED, Outcome.DIVERGES.value): "it diverges when it runs",
    (REJECTED, Outcome.CONVERGES.value): "a matter of the rules alone: when it runs, it converges",
    (ACCEPTED, Outcome.CONVERGES.value): "it converges when it runs",
}


def rows_in_words(rows: Rows) -> str:
    """How many rows there are, and of how many branches: those that `coverage` and `status` count."""
    decisive = (
        {row.name for row in rows.rows if row.name not in DEPARTURES}
        if rows.level is Level.CORE
        else {v.name for v in arms(proposals=True) if is_proposed(v) is (rows.level is Level.PROPOSALS)}
    )
    own = sum(row.name in decisive for row in rows.rows)
    if len(rows.rows) < len(load(rows.level).rows):
        return f"{count(len(rows.rows), 'row')} of the {len(load(rows.level).rows)} of {RULES[rows.level]}"
    told = f"{count(len(rows.rows), 'row')}: {own} of the {len(decisive)} branches of {RULES[rows.level]}"
    these = "joins of variables that these do not have" if rows.level is Level.CORE else "that only invalid code shows"
    return f"{told}, and {len(rows.rows) - own} {these}" if own < len(rows.rows) else told


def why(row: Row) -> list[str]:
    """Why the reference refuses the second shader, line by line."""
    case = read_case(row.rejected)
    return [case.problem] if case.problem else list(steps_of(case.source, case.explanations))


def told(table: Table, result: RowResult) -> list[str]:
    """All that is to be said of a row: what to do, the shaders, why."""
    row = result.row
    not_yet = result.status is Status.RIGHT and row.name not in table.implemented
    lines = [
        f"{row.name}: {result.status.value}" + ", but rows that the same branch decides are wrong" * not_yet,
        f"  {title_of(row.section)}",
        f"  {row.place}",
        f"  {row.sentences}",
        *(f"  {line}" for line in beside(table.rows, row)),
        "",
    ]
    first = ACCEPTED if result.wrong == (ACCEPTED,) else REJECTED
    other = REJECTED if first == ACCEPTED else ACCEPTED
    lines += [f"  {sentence(table, result, first)}", *numbered(row.text(first)), ""]
    lines.append(f"  {sentence(table, result, other)} It is the same shader")
    lines += [f"    {change}" for change in changes_in_words(row.text(first), row.text(other))]
    if reasons := why(row):
        same = " (the lines are those of that one)" if first == ACCEPTED else ""
        lines += ["", f"  Why the reference rejects it{same}:", *(f"    {line}" for line in reasons)]
    return [*lines, "", f"  {command([table], row)}"]


def of_step(step: NextStep) -> Iterator[str]:
    """What a step asks for."""
    yield f"Step {step.number} of {len(path())}: {step.title}"
    yield from (f"  {line}" for line in wrap(f"{step.says} {step.link}", _WIDTH, break_on_hyphens=False))
    yield from (f"  {line}" for line in wrap(f"To build: {step.build}", _WIDTH))


def example_of(step: NextStep, rows: Rows) -> Iterator[str]:
    """The shortest row of a step: both shaders, and why one is rejected."""
    row = shortest(step, rows.rows)
    yield f"For example {row.name}: {row.sentences}"
    yield from ("", "  To be accepted:", *numbered(row.accepted), "", "  To be rejected:", *numbered(row.rejected))
    yield from ("", *(f"    {line}" for line in why(row)))


def beside(rows: Rows, row: Row) -> list[str]:
    """What the lines before and after it say of the same rule of the paper: between what it decides."""
    found = _LINE.match(row.name)
    if found is None:
        return []
    lines = []
    for number in (int(found[2]) - 1, int(found[2]) + 1):
        place = f"{found[1]}/line-{number}/"
        says = next((other.rule for other in load(rows.level).rows if other.name.startswith(place)), "")
        if says and says != row.rule:
            lines.append(f"Line {number}: {says}")
    return lines


_LINE = re.compile(r"(.+)/line-(\d+)/")


def sentence(table: Table, result: RowResult, side: str, quoted: Callable[[str], str] = str) -> str:
    """`The reference accepts this shader (it converges when it runs); NAME rejects it.`"""
    row = result.row
    does = "accepts" if side == ACCEPTED else _REFUSES[row.refusal]
    runs = _RUNS.get((side, row.outcome.get(side, "")), "")
    told = f"The reference {does} this shader" + (f" ({runs})" if runs else "")
    return f"{told}; {table.target} {_answered(result, side, quoted)}."


def _answered(result: RowResult, side: str, quoted: Callable[[str], str]) -> str:
    verdict = result.answer(side).verdict
    words = {
        Verdict.ACCEPTS: "accepts it",
        Verdict.REJECTS: "rejects it",
        Verdict.INVALID: "refuses it for another reason",
        Verdict.CRASHED: "crashes",
        Verdict.TIMED_OUT: "gives no answer in time",
        Verdict.UNSUPPORTED: "does not know a construct of it",
        Verdict.MISCOMPILES: "miscompiles it",
    }[verdict]
    if side not in result.wrong:
        return f"{words}, too"
    said = result.answer(side).message.strip().partition("\n")[0]
    said = "" if said == f"error: {verdict.value}" else said  # a function says no more
    return f"{words}: {quoted(said)}" if verdict is not Verdict.ACCEPTS and said else words


def numbered(text: str) -> Iterator[str]:
    """The lines of a shader with their numbers."""
    return (f"    {n:3}  {line}" for n, line in enumerate(text.splitlines(), 1))


def command(tables: Sequence[Table], row: Row) -> str:
    """The command that asks these targets about this row alone."""
    return command_for(tables[0].rows.level, [table.spec for table in tables], row)


def note(table: Table, result: RowResult) -> str:
    """What is said of a row in one line beside its status."""
    cause = table.follows(result.row.name)
    if result.issue:
        return f"known: {result.issue}"
    if cause:
        return f"as {cause} does"
    if result.message and result.status in (Status.UNSUPPORTED, Status.NO_ANSWER):
        return result.message
    return ". ".join(filter(None, (result.row.departure, result.row.rule)))


SHOWN = 40
"""So many failing rows are listed; `--format markdown` has all."""
FEW = 10
"""And so many if all of them fail."""
_SHORT = 100
_WIDTH = 110


def of_one(table: Table) -> Iterator[str]:
    """What there is to say of one target."""
    yield f"{table.target}: {table.origin}"
    yield from counted([table])
    failing = table.failing
    if not failing:
        yield f"Every {'other ' if table.counts[Status.NOT_JUDGED] else ''}row is right."
        return
    if not table.has_no_analysis:
        yield f"{count(len(table.implemented), 'branch')} implemented: no row that one of them decides is wrong."
    yield from ("", "Rows that are wrong, step by step, those with the shortest shaders first:")
    first = [r for r in failing if not table.follows(r.row.name)]
    alike: dict[str, list[RowResult]] = {}
    for one in first:  # a target that fails on all texts is one line
        same = signature(note(table, one)) if one.status is Status.NO_ANSWER else one.row.name
        alike.setdefault(same, []).append(one)
    shown = list(alike.values())[: FEW if table.has_no_analysis and len(first) > SHOWN else SHOWN]
    width, listed = max(len(one.row.name) for one, *_ in shown), sum(map(len, shown))
    for result, *others in shown:
        said = shorten(note(table, result), _SHORT, placeholder="…")
        more = f" (and {count(len(others), 'row')} more)" if others else ""
        yield f"  {result.status.value:15}  {result.row.name:{width}}  {said}{more}"
    if len(first) > listed:
        yield f"  and {len(first) - listed} more: --format markdown lists them"
    elif len(failing) > listed:
        more = count(len(failing) - listed, "row")
        yield f"  and {more} that fail because these do: --format markdown lists them"
    if table.next is not None:
        first_line, *rest = told(table, table.next)
        yield from ("", f"Work on next: {first_line}", *rest)


def of_several(tables: Sequence[Table]) -> Iterator[str]:
    """Targets side by side: the counts, and the rows on which they differ."""
    for table in tables:
        yield f"{table.target}: {table.origin}"
    yield from counted(tables)
    names = [row.name for row in tables[0].rows.rows]
    rows = [(name, [table.result(name).status for table in tables]) for name in names]
    failing = [(name, said) for name, said in rows if not AS_MEANT.issuperset(said)]
    shown = [(name, said) for name, said in failing if len({*said}) > 1]
    alike = len(failing) - len(shown)
    if shown:
        yield from ("", "Rows on which they differ:")
        lines = [["", *(table.target for table in tables)], *([name, *(s.value for s in said)] for name, said in shown)]
        yield from (f"  {line}" for line in columns(lines))
    if alike:
        yield f"They fail {count(alike, 'row')} in the same way: --format markdown lists them"


def as_markdown(tables: Sequence[Table]) -> str:
    """A table by step; below it the rows that each target fails, and the shaders of the first of them."""
    rows = tables[0].rows
    lines = [f"{rows_in_words(rows)}. Each has two shaders.", ""]
    lines += [f"{line}\n" for t in tables for line in remarks(t, f"`{t.target}`")]
    lines += [
        markdown_row(["step", *(f"`{t.target}`" for t in tables)]),
        markdown_row(["---", *("---:" for _ in tables)]),
    ]
    for step in tables[0].steps:
        lines.append(markdown_row([step.name.strip(), *(t.right(step) for t in tables)]))
    lines.append(markdown_row(["all", *(t.right() for t in tables)]))
    for table in (t for t in tables if t.failing and not t.has_no_analysis):
        lines += ["", f"`{table.target}` fails:", "", markdown_row(["row", "is", "what"]), markdown_row(["---"] * 3)]
        lines += [markdown_row([f"`{r.row.name}`", r.status.value, note(table, r)]) for r in table.failing]
        first = [r for r in table.failing if r.is_new and r.is_read and not table.follows(r.row.name)]
        first.sort(key=lambda r: r.status is not Status.TOO_LENIENT)
        different: dict[tuple[str, ...], RowResult] = {}
        for r in first:
            different.setdefault(tuple(r.row.text(side) for side in r.wrong), r)
        lines += [line for r in [*different.values()][:IN_FULL] for line in _in_full(table, r)]
    return "\n".join(lines) + "\n"


IN_FULL = 5
"""So many rows of a target have their shaders in Markdown."""


def _in_full(table: Table, result: RowResult) -> Iterator[str]:
    """The shaders that the target answers otherwise than the reference, and why one of them has to be rejected."""
    row, section = result.row, f"[{title_of(result.row.section)}]({step_of(result.row).link})"
    yield from ("", f"### {result.status.value}: `{row.name}`", "", f"{section}: {row.sentences}")

    def as_code(words: str) -> str:  # nothing in a compiler's words acts there
        plain = words.replace("`", "'")
        return f"`{plain}`"

    for side in result.wrong:
        yield from ("", sentence(table, result, side, as_code), "", fenced(row.text(side), "wgsl"))
    if REJECTED in result.wrong:
        yield from ("", "Why it has to be rejected:", "", *(f"- {line.strip()}" for line in why(row)))


def remarks(table: Table, name: str) -> Iterator[str]:
    """What is said once of a target on top: that it has no analysis, that it judges only valid shaders."""
    if table.has_no_analysis:
        yield f"{name} has no uniformity analysis: it accepts every shader here that it can read."
    if number := table.counts[Status.NOT_JUDGED]:
        yield f"{name} judges only valid shaders; apart from the others: {count(number, 'row')} with invalid code."


def counted(tables: Sequence[Table]) -> Iterator[str]:
    """Of each step how many rows are right; of one target, what the others are."""
    rows = tables[0].rows
    yield f"{rows_in_words(rows)}. Each has two shaders."
    yield from (line for table in tables for line in remarks(table, table.target))
    yield ""
    several = len(tables) > 1
    statuses = [s for s in Status if s is not Status.RIGHT and tables[0].counts[s] and not several]
    heads = [t.target for t in tables] if several else [s.value for s in (Status.RIGHT, *statuses)]

    def cells(step: NextStep | None) -> list[str]:  # None: of all rows
        return [*(t.right(step) for t in tables), *(str(tables[0].number(s, step) or "") for s in statuses)]

    lines = [["", *heads], *([step.name, *cells(step)] for step in tables[0].steps), ["all", *cells(None)]]
    yield from (f"  {line}" for line in columns(lines, numbers=len(heads)))
    elsewhere = [str(step.number) for step in path() if step not in tables[0].steps]
    if elsewhere and len(rows.rows) == len(load(rows.level).rows):
        yield f"  Steps {', '.join(elsewhere)} have rows with --level {Level.WGSL.value}."


_CLASSES = {Status.RIGHT: "good", Status.NOT_JUDGED: "warn", Status.UNSUPPORTED: "warn"}
_EXPLAINED = 60
"""So many failing rows are told whole, lest the page grow too large to load."""


def page(rows: Rows, tables: Sequence[Table], beside: Sequence[Table] = ()) -> str:
    """The page as HTML: one file, no network, no scripts. It is about the rows that `tables` fail.

    Of those `beside` it says how many rows are right, and what they answer to the rows that it tells whole.
    """
    all_tables = [*tables, *beside]
    failing = [row for row in rows.rows if any(table.result(row.name).fails for table in tables)]
    follows = {row.name: all(table.follows(row.name) for table in tables) for row in failing}
    read = {row.name: any(table.result(row.name).is_read for table in tables) for row in failing}
    first = sorted(failing, key=lambda row: (follows[row.name], not read[row.name], step_of(row).number, row.length))
    whole = [row for row in first if not follows[row.name]][:_EXPLAINED]
    return rendered(
        "conformance.html",
        {"title_of": title_of, "status_class": lambda status: _CLASSES.get(status, "bad")},
        rows=rows,
        tables=tables,
        beside=beside,
        all_tables=all_tables,
        rows_in_words=rows_in_words(rows),
        remarks=[line for table in all_tables for line in remarks(table, table.target)],
        steps=[(step, _shown(shortest(step, rows.rows), tables)) for step in tables[0].steps],
        all_steps=len(path()),
        right=Status.RIGHT,
        statuses=[s for s in Status if any(table.counts[s] for table in all_tables)],
        shown=[_shown(row, all_tables) for row in whole],
        left=[(row, tables[0].follows(row.name) if follows[row.name] else "") for row in first[len(whole) :]],
        note=note,
        command=command,
        sides=SIDES,
    )


def _shown(row: Row, tables: Sequence[Table]) -> dict[str, Any]:
    """A row for the template: `shaders` has the lines of each side, with whether only that side has them."""
    matcher = SequenceMatcher(None, row.accepted.splitlines(), row.rejected.splitlines(), autojunk=False)
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    mine = {i for _, i1, i2, _, _ in changes for i in range(i1, i2)}
    theirs = {j for _, _, _, j1, j2 in changes for j in range(j1, j2)}
    shaders = [
        (side, [(i + 1, code, i in differs) for i, code in enumerate(highlighted(row.text(side)))])
        for side, differs in zip(SIDES, (mine, theirs), strict=True)
    ]
    results = [(table, table.result(row.name)) for table in tables]
    return {"row": row, "results": results, "shaders": shaders, "reasons": depths(why(row))}
