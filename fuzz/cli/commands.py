"""The commands beside the campaign: generate, check, targets."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import click
import orjson

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.drawer import Drawer
from wgsl_fuzz.fuzz.cases.plan import FRESH, GROUP, Recipe
from wgsl_fuzz.fuzz.cli.coverage import coverage_lines, coverage_option
from wgsl_fuzz.fuzz.cli.options import allow_only, as_option, drawing_options, named, only_one, plan_of, timeout_option
from wgsl_fuzz.fuzz.cli.standard_input import DASH, lines_or_wgsl, name_of
from wgsl_fuzz.fuzz.files import make_folder, read_text, write_bytes
from wgsl_fuzz.fuzz.findings.loading import load_recipes, read_campaign
from wgsl_fuzz.fuzz.judging.account import account, witness_lines
from wgsl_fuzz.fuzz.judging.answers import WORDS, Examination, OracleSet, ask_all, opened_oracles
from wgsl_fuzz.fuzz.output import echo, write_code
from wgsl_fuzz.fuzz.present.plurals import count as number
from wgsl_fuzz.fuzz.present.plurals import verb
from wgsl_fuzz.fuzz.problems import CommandLine, Problem
from wgsl_fuzz.oracle.explain.path import explain as explanation
from wgsl_fuzz.oracle.rules.analyses import REFERENCE
from wgsl_fuzz.oracle.rules.coverage import Coverage, deciding
from wgsl_fuzz.oracle.targets import available, install
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.tinywgsl.spelling import spell

LINES_AT_ONCE = 256
_OF_A_RUN = ("count", "first", "form", "folder", "spelled", "as_drawn", "related", "run", "with_coverage")
"""What goes with `generate --run`."""


@click.command()
@click.option("-n", "count", type=click.IntRange(min=1), default=1, show_default=True, help="How many shaders.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="As a campaign's.")
@click.option("--first", type=click.IntRange(min=0), default=0, help="Begin with this shader of the seed.")
@drawing_options
@click.option("--format", "form", type=click.Choice(["jsonl", "wgsl"]), default="jsonl", show_default=True)
@click.option("-o", "folder", type=click.Path(path_type=Path, file_okay=False), help="Write a file a shader here.")
@click.option("--spell", "spelled", is_flag=True, help="All in drawn surface forms (for, while, +=, let, ...).")
@click.option("--as-drawn", is_flag=True, help="As a campaign writes them: half of them plainly.")
@click.option("--related", is_flag=True, help="What campaigns transform some shaders into, instead of the shaders.")
@click.option("--run", type=click.Path(path_type=Path), metavar="DIR", help="This run's, steered as it was.")
@coverage_option
@click.pass_context
def generate(
    context: click.Context,
    /,
    count: int,
    seed: int,
    first: int,
    form: str,
    folder: Path | None,
    spelled: bool,
    as_drawn: bool,
    related: bool,
    run: Path | None,
    with_coverage: bool,
    **drawing: Any,
) -> None:
    """Draw shaders, with the reference's verdict.

    A line {"code": ..., "verdict": "uniform" | "non-uniform"} each, or with --format wgsl the WGSL itself.
    Exit status: 0 all were drawn, 2 some were left out because no try had what was asked for.
    """
    writing = only_one({"--spell": spelled, "--as-drawn": as_drawn})
    if run is not None:
        allow_only(context, _OF_A_RUN, "--run", "its record says what was drawn")
    plan = plan_of(seed, drawing) if run is None else read_campaign(run)[1]
    recipes = {} if run is None else load_recipes(run)
    if folder is not None:
        make_folder(folder)
    drawer = Drawer(plan)
    covered = Coverage()
    for index, case in _drawn(drawer, range(first, first + count), recipes, related):
        code = spell(case.shader, RandomSource(index)) if writing == "--spell" else case.plain.text
        code = case.text if writing == "--as-drawn" else code
        verdict = WORDS[case.verdict]
        if with_coverage:
            covered.add(case.shader, case.verdict)
        line = orjson.dumps({"code": code, "verdict": verdict}).decode() if form == "jsonl" else f"// {verdict}\n{code}"
        if folder is None:
            write_code(line)
        else:
            name = f"{plan.seed}-{index:06}.{'json' if form == 'jsonl' else 'wgsl'}"
            write_bytes(folder / name, line.encode())
    if drawer.misses:
        raise _left_out(drawer.misses, count)
    if with_coverage:
        echo("\n".join(coverage_lines(covered)), err=True)


def _left_out(misses: int, count: int) -> Problem:
    left = f"{misses} of {number(count, 'shader')} {verb(misses, 'was', 'were')} left out"
    return Problem(f"{left}: no try had what was asked for")


def _drawn(
    drawer: Drawer, indices: Sequence[int], recipes: Mapping[int, Recipe], related: bool
) -> Iterator[tuple[int, Case]]:
    """The shaders in these places, or what they are transformed into; those are left out that no try gave."""
    for index in indices:
        missed = drawer.misses
        case = drawer.case(index, recipes.get(index // GROUP, FRESH))
        if drawer.misses > missed:
            continue
        if related:
            twin = drawer.related(index, case)
            if twin is None:
                raise Problem(f"shader {index} is not one that campaigns transform")
            case = Case(twin.shader)
        yield index, case


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--oracle",
    "--target",
    "-t",
    "names",
    multiple=True,
    metavar="NAME",
    help="paper, semantics, a target, or a rule set as of `diff`; repeats.",
)
@as_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object a file.")
@timeout_option
@coverage_option
@click.pass_context
def check(
    context: click.Context,
    files: tuple[str, ...],
    names: tuple[str, ...],
    as_name: str | None,
    as_json: bool,
    timeout: float,
    with_coverage: bool,
) -> None:
    """Ask oracles for their verdicts on WGSL files.

    By default the reference, `paper`, is asked. The file `-` is standard input: WGSL, or lines {"code": ...}, each of
    which is written back with "verdict" and "verdicts".

    Exit status: 0 they agree, 1 they disagree, 2 a file cannot be read, or it or a line is not TinyWGSL.
    """
    status = 0
    with opened_oracles(named(names, as_name), lambda line: echo(line, err=True), timeout) as asked:
        for file in files:
            name = name_of(file)
            try:
                text = lines_or_wgsl() if file == DASH else read_text(file)
                if not isinstance(text, str):
                    status = max(status, _check_lines(text, asked, with_coverage))
                    continue
            except Problem as problem:  # the other files are judged all the same
                problem.show()
                status = problem.exit_code
                continue
            (one,) = ask_all([text], asked)
            if as_json:
                echo(orjson.dumps({"file": file} | _json(one, asked, with_coverage)))
            elif one.case is None:
                echo(f"{name}: {one.message}", err=True)
                for name, answer in one.answers.items():
                    echo(f"  {name}  {answer.verdict.value}")
                    _say(answer)
            else:
                _show(name, one, asked)
                if with_coverage:
                    echo("  decided by (breaking any of these changes the verdict):")
                    echo("".join(f"    {name}\n" for name in deciding(one.case.shader)), nl=False)
            status = max(status, 2 if one.case is None else int(bool(one.found)))
    context.exit(status)


def _check_lines(lines: Iterator[bytes], asked: OracleSet, with_coverage: bool) -> int:
    """Answers lines of standard input, in order; a line that is no request gets an answer of its own."""
    found, understood, seen = False, 0, 0
    invalid, first = 0, 0
    while chunk := list(islice(lines, LINES_AT_ONCE)):
        requests = [_request(line) for line in chunk]
        examined = ask_all([code for _, code, _ in requests], asked)
        out = bytearray()
        for (request, _, problem), one in zip(requests, examined, strict=True):
            answer = (
                {"verdict": "invalid", "message": problem, "verdicts": {}}
                if problem
                else _json(one, asked, with_coverage)
            )
            found |= bool(one.found) and not problem
            seen, understood = seen + 1, understood + (not problem)
            if problem or one.case is None:
                invalid, first = invalid + 1, first or seen
            out += orjson.dumps(request | answer) + b"\n"
        sys.stdout.buffer.write(out)
        sys.stdout.buffer.flush()
    if seen and not understood:
        raise Problem('no line of standard input is a JSON object {"code": ...}')
    if invalid:
        whole = f"{invalid} of {number(seen, 'line')} of standard input"
        what = f"{whole} {verb(invalid, 'is no request', 'are no requests')}, or not TinyWGSL"
        echo(f"wgsl-fuzz: {what}; the first is line {first}", err=True)
    return 2 if invalid else int(found)


def _request(line: bytes) -> tuple[dict[str, Any], str, str]:
    """The request, its code, and what is wrong with it if anything."""
    try:
        request = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return {}, "", f"not JSON: {error}"
    if not isinstance(request, dict):
        return {}, "", 'not an object {"code": ...}'
    code = request.get("code")
    return (request, code, "") if isinstance(code, str) else (request, "", 'no string "code"')


def _json(one: Examination, asked: OracleSet, with_coverage: bool) -> dict[str, Any]:
    verdicts: dict[str, str] = {}
    if asked.reference:
        verdicts[REFERENCE] = one.verdict.value
    if asked.semantics and one.case is not None:
        verdicts["semantics"] = one.case.execution.outcome.value
    verdicts |= {name: answer.verdict.value for name, answer in one.answers.items()}
    answer: dict[str, Any] = {"verdict": WORDS[one.verdict], "verdicts": verdicts}
    if one.message:
        answer["message"] = one.message
    if one.found:
        answer["findings"] = [{"target": f.target, "kind": f.kind.value, "cause": f.cause} for f in one.found]
    if with_coverage and one.case is not None:
        answer["decided by"] = deciding(one.case.shader)
    return answer


def _say(answer: Answer) -> None:
    """A target's own words below its verdict."""
    for line in answer.message.splitlines():
        if line.strip():
            echo(f"    {line.rstrip()}")


def _show(file: str, one: Examination, asked: OracleSet) -> None:
    case = one.case
    assert case is not None, "a text that is not TinyWGSL is shown as a message"
    rows = [(REFERENCE, case.verdict.value, "")] if asked.reference else []
    if asked.semantics:
        rows.append(("semantics", case.execution.outcome.value, number(case.shader.workgroup_size, "thread")))
    for name, answer in one.answers.items():
        error = next((line for line in answer.message.splitlines() if "error" in line), answer.message)
        rows.append((name, answer.verdict.value, " ".join(error.split())))
    echo(file)
    width = max((len(name) for name, _, _ in rows), default=0)
    for name, word, more in rows:
        echo(f"  {name:{width}}  {word:12} {more}".rstrip())
    if one.found:
        for found in one.found:
            echo(f"  {found.kind.value}: {found.key}")
            for line in account(case, found, one.positions, one.text):
                echo(f"    {line}")
    elif case.verdict is Verdict.REJECTS and asked.reference:
        echo("  why:")
        for line in explanation(case.analysis, one.positions, one.text):
            echo(f"    {line}")
    if asked.semantics and not one.found and case.execution.witness is not None:
        echo("  it does diverge:")
        for line in witness_lines(case, one.positions):
            echo(f"    {line}")


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
    rows += [("tint:PATH, naga:PATH", "", "a compiler of yours", "")]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for row in rows:
        echo("  ".join(f"{cell:{width}}" for cell, width in zip(row, widths)).rstrip())


@targets.command("install")
@click.argument("spec")
def install_target(spec: str) -> None:
    """Fetch a pinned build, such as tint@0.3.8.

    It goes into the user's cache. Exit status: 0 it is there, 2 it cannot be had.
    """
    try:
        install(spec, lambda line: echo(line, err=True))
    except TargetError as error:
        raise Problem(str(error)) from error
