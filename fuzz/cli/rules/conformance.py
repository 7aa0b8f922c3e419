"""The command `conformance`: which branches of the rules a target has, and what to work on next."""

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from wgsl_fuzz.fuzz.cases.case import read_case
from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.cli.runs.progress import changing_line
from wgsl_fuzz.fuzz.command_line import show_problem
from wgsl_fuzz.fuzz.conformance.confusion import Side, branches_behind, with_causes
from wgsl_fuzz.fuzz.conformance.rows import REJECTED, SIDES, Level, NextStep, Row, Rows, load, path, step_of
from wgsl_fuzz.fuzz.conformance.table import RowResult, Table, analyses, changes, command_for
from wgsl_fuzz.fuzz.files import check_writable, follow, write_bytes
from wgsl_fuzz.fuzz.findings.known import KnownBuckets, check_build, known_or_shipped
from wgsl_fuzz.fuzz.judging.answers import HangLimit, Progress, ask_in_parts, distinct, opened
from wgsl_fuzz.fuzz.judging.departures import are_known
from wgsl_fuzz.fuzz.judging.judge import judge
from wgsl_fuzz.fuzz.judging.kinds import VERDICTS_DIFFER, BucketKey, Kind
from wgsl_fuzz.fuzz.output import notice
from wgsl_fuzz.fuzz.present import conformance_documents as documents
from wgsl_fuzz.fuzz.present.conformance_text import as_markdown, example_of, of_one, of_several, of_step, page, told
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.reduction.beside import buckets_beside
from wgsl_fuzz.oracle.rules.rule_file import load_rules
from wgsl_fuzz.oracle.targets.protocol import Target, spec_of, split_name
from wgsl_fuzz.oracle.verdict import Answer, Verdict

EXPORTED = ("cts", "wgsl")
"""Forms of the rows as tests: a file of the WebGPU CTS, a folder of shaders."""


def watched(spec: str) -> Path:
    """The file that a target is: a command by its path, a file of rules, the module of a Python function.

    Raises Problem if it is no file.
    """
    family, _, rest = split_name(spec)[1].partition(":")
    if family == "python":
        module = rest.partition(":")[0]
        beside = Path(*module.split(".")).with_suffix(".py")
        found = None if beside.exists() else importlib.util.find_spec(module.partition(".")[0])
        path = beside if found is None or found.origin is None else Path(found.origin)
    else:
        path = Path(rest or family).expanduser()
    if not path.is_file():
        raise Problem(f"--watch: {spec} is no file that could change")
    return path


@click.command("conformance", cls=o.LargeCommand)
@o.TARGET
@click.option(
    "--level",
    type=click.Choice([level.value for level in Level]),
    default=Level.CORE.value,
    show_default=True,
    help="The paper's rules for TinyWGSL, or section 15.2 for all of WGSL.",
)
@click.option(
    "--row",
    "chosen",
    multiple=True,
    metavar="NAME|STEP",
    help=f"Only this row, and all of it; or only the rows of a step of the path, 1 to {len(path())}. Repeats.",
)
@o.format_option("text", "json", "markdown", "html", *EXPORTED)
@o.output_option("Write here: a file, or for --format wgsl a folder.")
@o.JUNIT
@click.option("--watch", is_flag=True, help="Ask again whenever the target's file changes, until Ctrl-C.")
@o.TIMEOUT_OPTION
@o.LIKE
@o.KNOWN_FILE
@click.pass_context
def conformance(
    context: click.Context,
    names: tuple[str, ...],
    level: str,
    chosen: tuple[str, ...],
    form: str,
    output: Path | None,
    junitxml: Path | None,
    watch: bool,
) -> None:
    """Test which branches of the rules a target implements.

    For each branch there are two small shaders, one to be accepted and one to be rejected. Twelve steps lead from no
    analysis to a whole one: a table says how many rows of each are right; below it stand the rows that are wrong, and
    the smallest shader to work on next. --row STEP says what a step asks for, also without a target.

    No target is asked with --format cts, which writes the rows as a file of the WebGPU CTS, and with wgsl, which
    writes a folder. See docs/conformance.md.

    Exit status: 0 every row is as the reference has it, or is known to be wrong, 1 some are not, 2 the request
    or the set-up is at fault.
    """
    step, named = _step_of(chosen)
    rows = _chosen(load(Level(level)), named, step)
    if form in EXPORTED:
        o.allow_only(context, ("level", "chosen", "form", "output"), f"--format {form}", "no target is asked")
    if form in EXPORTED or not names:
        _write_rows(rows, step, form, output)
        return
    if junitxml is not None:
        check_writable(junitxml)
    known = known_or_shipped(context.meta["known_file"], like=o.like_of(context, names, check_build))

    def ask_once(before: Sequence[Table] = ()) -> list[Table]:
        tables = tables_of(names, rows, context.meta["timeout"], known)
        if junitxml is not None:
            write_bytes(junitxml, documents.as_junit(tables))
        o.hand_over(_written(form, tables, before, step, whole=bool(named)), output)
        return tables

    if watch:
        _watch(names, ask_once)
    context.exit(int(any(row.is_new for table in ask_once() for row in table.failing)))


def _step_of(chosen: Sequence[str]) -> tuple[NextStep | None, list[str]]:
    """The step among the values of --row, and the names of rows. Raises Problem."""
    numbers = [int(word) for word in dict.fromkeys(chosen) if word.isdecimal()]
    if len(numbers) > 1 or not all(0 < number <= len(path()) for number in numbers):
        raise Problem(f"--row takes one step, 1 to {len(path())}")
    return path()[numbers[0] - 1] if numbers else None, [word for word in chosen if not word.isdecimal()]


def _write_rows(rows: Rows, step: NextStep | None, form: str, output: Path | None) -> None:
    """Writes rows as tests, or what a step asks for. Raises Problem for what a target has to be asked about."""
    if form in EXPORTED and output is not None:
        notice(documents.export(rows, form, output))
    elif form in EXPORTED:
        raise Problem(f"--format {form} writes files: say where by -o")
    elif step is not None and form == "text":
        o.hand_over((*of_step(step), "", *example_of(step, rows)), output)
    else:
        raise Problem("name a --target to ask, or write the rows as tests: --format cts -o FILE")


def _chosen(rows: Rows, names: Sequence[str], step: NextStep | None) -> Rows:
    """Only the rows that are named, or those of a step; all if neither is. Raises Problem."""
    known = {row.name: row for row in rows.rows}
    for name in names:
        if name in rows.without:
            raise Problem(f"{name} has no row: {rows.without[name]}")
        if name not in known:
            raise Problem(f"{name!r} is no row of the level {rows.level.value}; `--format json` names them all")
    named = [known[name] for name in dict.fromkeys(names)] if names else rows.rows
    found = [row for row in named if step in (None, step_of(row))]
    if not found and step is not None:
        level, advice = rows.level.value, "" if names else f": try --level {Level.WGSL.value}"
        raise Problem(f"--level {level} has no row of step {step.number}{advice}")
    return replace(rows, rows=tuple(found))


def tables_of(names: Sequence[str], rows: Rows, timeout: float, known: KnownBuckets) -> list[Table]:
    """What targets say of rows; what is known fails nothing. Raises Problem."""
    with opened(names, notice, timeout) as specs:
        targets = distinct(specs)
        named = {row.name for row in rows.rows}
        others = [row for row in load(rows.level).rows if row.name not in named]
        with changing_line("asking") as show:
            asked = ask(rows, targets, others, show)
        return [with_causes(with_buckets(table, known, target)) for table, target in zip(asked, targets, strict=True)]


def ask(
    rows: Rows, targets: Sequence[Target], others: Sequence[Row] = (), progress: Progress = lambda _: None
) -> list[Table]:
    """Asks every target about both shaders of every row. Raises TargetError, also if one hangs on a few of them.

    Of `others` it is asked what is to be rejected, if it accepts all of these: whether it has an analysis at all. A
    function is also asked whether it calls any shader invalid.
    """
    named = {row.text(side): (row, side) for row in rows.rows for side in SIDES}
    beside = {row.rejected: (row, REJECTED) for row in others}
    hang_limit = _hang_limit(rows.level, beside | named)
    functions = {target.name for target in targets if split_name(spec_of(target))[1].startswith("python:")}
    invalid = [row.rejected for row in (*rows.rows, *others) if functions and row.refusal is Verdict.INVALID]
    texts = list(dict.fromkeys((*named, *invalid)))
    answers: dict[str, list[Answer]] = {target.name: [] for target in targets}
    for name, part in ask_in_parts(texts, targets, hang_limit, progress):
        answers[name] += part
    tables = []
    for target in targets:
        said = dict(zip(texts, answers[target.name], strict=True))
        others_said = (one for _, part in ask_in_parts(list(beside), [target], hang_limit) for one in part)
        analysed = analyses(said.values()) or (bool(beside) and analyses(others_said))
        calls_invalid = any(said[text].verdict is Verdict.INVALID for text in invalid)
        more = (analysed, target.name in functions and not calls_invalid)
        results = [RowResult(row, said[row.accepted], said[row.rejected], *more) for row in rows.rows]
        tables.append(Table(target.name, spec_of(target), target.origin, rows, results))
    return tables


def with_buckets(table: Table, known: KnownBuckets, target: Target) -> Table:
    """A table whose rows have the buckets of what is wrong with them, and the issue where all of it is known.

    The target is asked more only where a bucket is known that no rule is the cause of.
    """
    wrong = {(r.row.name, side): r.answer(side).verdict for r in table.results for side in r.wrong if r.analysed}
    behind = branches_behind(table.rows.level, wrong)
    results = [_with_buckets(table, r, known, behind, target) if r.fails else r for r in table.results]
    return replace(table, results=results)


def _with_buckets(
    table: Table, result: RowResult, known: KnownBuckets, behind: Mapping[Side, Sequence[str]], target: Target
) -> RowResult:
    """A row that fails; its issue is that of the first wrong answer, empty if some answer is not known to be wrong."""
    without_analysis = frozenset([table.target] if not result.analysed else [])
    issues, buckets = list[str](), dict[str, BucketKey]()
    for side in result.wrong:
        case, answers = read_case(result.row.text(side)), {table.target: result.answer(side)}
        found = judge(case, answers, without_analysis, valid=True)
        # A branch that explains the answer may be the cause, where the target is not known for another.
        names = [(name,) for name in dict.fromkeys([result.row.name, *behind.get((result.row.name, side), ())])]
        kinds = VERDICTS_DIFFER | ({Kind.INVALID} if result.row.refusal is Verdict.INVALID else set())
        causes = [names if one.kind in kinds and not are_known(one.target, one.cause.explains) else [] for one in found]
        odd = buckets_beside(case, target, result.answer(side).verdict) if known.has_no_rule(table.target) else []
        told = [known.issue_of(one.key, *odd, causes=of) or "" for one, of in zip(found, causes, strict=True)]
        issues += told or [""]
        if mine := [one.key for one in found if one.target == table.target]:
            buckets[side] = mine[0]
    return replace(result, issue=issues[0] if all(issues) else "", buckets=buckets)


def _hang_limit(level: Level, named: Mapping[str, tuple[Row, str]]) -> HangLimit:
    def advice(target: Target, text: str) -> str:
        return command_for(level, [spec_of(target)], named[text][0])

    return HangLimit(lambda text: "the {1} shader of {0.name}".format(*named[text]), advice, in_a_row=False)


def _written(
    form: str, tables: Sequence[Table], before: Sequence[Table], step: NextStep | None, *, whole: bool
) -> str | list[str]:
    """The tables in the form that is asked for; as text the rows alone if they are shown `whole`, and what changed."""
    match form:
        case "json":
            return o.as_json(documents.as_json(tables[0].rows, tables))
        case "markdown":
            return as_markdown(tables)
        case "html":
            return page(tables[0].rows, tables)
    if whole:
        lines = [line for table in tables for result in table.results for line in (*told(table, result), "")]
    else:
        lines = [] if step is None else [*of_step(step), ""]
        lines += of_several(tables) if len(tables) > 1 else of_one(tables[0])
    return [*lines, *changes(before, tables)]


def _watch(names: Sequence[str], ask_once: Callable[[Sequence[Table]], list[Table]]) -> None:
    """Asks again whenever a file of the targets changes; Ctrl-C ends it. Raises Problem if there is none to watch."""
    files = tuple(map(watched, names))
    before: list[Table] = []
    for _ in follow(lambda: files):
        click.clear()
        load_rules.cache_clear()  # a file of rules is read again; compilers and functions are other processes
        try:
            before = ask_once(before)
        except Problem as problem:  # the file may be half written: what comes next is asked again
            show_problem(problem)
        notice(f"\nwatching {', '.join(map(str, files))}; Ctrl-C ends it")
