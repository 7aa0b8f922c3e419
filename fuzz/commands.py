"""The commands beside the campaign: generate, check, targets."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import click
import orjson

from fuzz.answers import WORDS, Asked, Examined, ask_all, opened_oracles
from fuzz.commands_coverage import coverage_lines, coverage_option
from fuzz.drawing import FRESH, GROUP, Drawer, Plan
from fuzz.files import read_text, write_bytes
from fuzz.judge import REFERENCE
from fuzz.options import drawing_options, plan_of
from fuzz.oracles import Case, account, witness_lines
from fuzz.problems import Problem
from fuzz.stored import load_recipes, read_record
from oracle.coverage import Coverage, deciding
from oracle.explanation import explain as explanation
from oracle.targets import available, install
from oracle.targets.protocol import TargetError
from oracle.verdict import Verdict
from strategies.source import RandomSource
from tinywgsl.spelling import spell

LINES_AT_ONCE = 256


@click.command()
@click.option("-n", "count", type=click.IntRange(min=1), default=1, show_default=True, help="How many shaders.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="As a campaign's.")
@click.option("--first", type=click.IntRange(min=0), default=0, help="Begin with this shader of the seed.")
@drawing_options
@click.option("--format", "form", type=click.Choice(["jsonl", "wgsl"]), default="jsonl", show_default=True)
@click.option("-o", "folder", type=click.Path(path_type=Path, file_okay=False), help="Write a file a shader here.")
@click.option("--spell", "writing", flag_value="spell", help="All in drawn surface forms (for, while, +=, let, ...).")
@click.option("--as-drawn", "writing", flag_value="drawn", help="As a campaign writes them: half of them plainly.")
@click.option("--related", is_flag=True, help="What campaigns transform some shaders into, instead of the shaders.")
@click.option("--run", type=click.Path(path_type=Path), metavar="DIR", help="This run's, steered as it was.")
@coverage_option
def generate(
    count: int,
    seed: int,
    first: int,
    form: str,
    folder: Path | None,
    writing: str | None,
    related: bool,
    run: Path | None,
    with_coverage: bool,
    **drawing: Any,
) -> None:
    """Draw shaders, with the reference's verdict.

    A line {"code": ..., "verdict": "uniform" | "non-uniform"} each, or with --format wgsl the WGSL itself.
    """
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Problem(f"cannot write to {folder}: {error.strerror}") from error
    plan = plan_of(seed, drawing) if run is None else Plan.from_json(read_record(run).get("plan", {}))
    recipes = {} if run is None else load_recipes(run)
    drawer = Drawer(plan)
    covered = Coverage()
    for index in range(first, first + count):
        missed = drawer.misses
        case = drawer.case(index, recipes.get(index // GROUP, FRESH))
        if drawer.misses > missed:
            continue
        if related:
            twin = drawer.related(index, case)
            if twin is None:
                raise Problem(f"shader {index} is not one that campaigns transform")
            case = Case(twin.shader)
        code = spell(case.shader, RandomSource(index)) if writing == "spell" else case.plain.text
        code = case.text if writing == "drawn" else code
        verdict = WORDS[case.verdict]
        if with_coverage:
            covered.add(case.shader, case.verdict)
        line = orjson.dumps({"code": code, "verdict": verdict})
        if folder is None:
            click.echo(line if form == "jsonl" else f"// {verdict}\n{code}")
        else:
            name = f"{plan.seed}-{index:06}.{'json' if form == 'jsonl' else 'wgsl'}"
            write_bytes(folder / name, line if form == "jsonl" else f"// {verdict}\n{code}".encode())
    if drawer.misses:
        raise Problem(f"{drawer.misses} of {count} shaders were left out: no try had what was asked for")
    if with_coverage:
        click.echo("\n".join(coverage_lines(covered)), err=True)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--oracle", "-t", "names", multiple=True, metavar="NAME", help="paper, semantics or a target; repeats.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a file.")
@coverage_option
@click.pass_context
def check(
    context: click.Context, files: tuple[str, ...], names: tuple[str, ...], as_json: bool, with_coverage: bool
) -> None:
    """Ask oracles about WGSL files: by default the reference, `paper`.

    The file `-` reads lines {"code": ...} from standard input and writes each back with "verdict" and "verdicts".

    Exit status: 0 they agree, 1 they disagree, 2 a file cannot be read or is not TinyWGSL.
    """
    status = 0
    with _oracles(names) as asked:
        for file in files:
            if file == "-":
                status = max(status, _check_lines(asked))
                continue
            (one,) = ask_all([read_text(file)], asked)
            if as_json:
                click.echo(orjson.dumps({"file": file} | _json(one, asked)))
            elif one.case is None:
                click.echo(f"{file}: {one.message}", err=True)
                for name, answer in one.answers.items():
                    click.echo(f"  {name}  {answer.verdict.value}")
            else:
                _show(file, one, asked)
                if with_coverage:
                    click.echo("  decided by (breaking any of these changes the verdict):")
                    click.echo("".join(f"    {name}\n" for name in deciding(one.case.shader)), nl=False)
            status = max(status, 2 if one.case is None else int(bool(one.found)))
    context.exit(status)


@contextmanager
def _oracles(names: Sequence[str]) -> Iterator[Asked]:
    try:
        with opened_oracles(names, lambda line: click.echo(line, err=True)) as asked:
            yield asked
    except TargetError as error:
        raise Problem(str(error)) from error


def _check_lines(asked: Asked) -> int:
    """Answers standard input line by line, in order; a line that is no request gets an answer of its own."""
    found, understood, seen = False, 0, 0
    lines = iter(sys.stdin.buffer)
    while chunk := list(islice(lines, LINES_AT_ONCE)):
        requests = [_request(line) for line in chunk]
        examined = ask_all([code for _, code, _ in requests], asked)
        out = bytearray()
        for (request, _, problem), one in zip(requests, examined, strict=True):
            answer = {"verdict": "invalid", "message": problem, "verdicts": {}} if problem else _json(one, asked)
            found |= bool(one.found) and not problem
            seen, understood = seen + 1, understood + (not problem)
            out += orjson.dumps(request | answer) + b"\n"
        sys.stdout.buffer.write(out)
        sys.stdout.buffer.flush()
    if seen and not understood:
        raise Problem('no line of standard input is a JSON object {"code": ...}; WGSL itself is read from files')
    return int(found)


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


def _json(one: Examined, asked: Asked) -> dict[str, Any]:
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
    return answer


def _show(file: str, one: Examined, asked: Asked) -> None:
    case = one.case
    assert case is not None, "a text that is not TinyWGSL is shown as a message"
    rows = [(REFERENCE, case.verdict.value, "")] if asked.reference else []
    if asked.semantics:
        rows.append(("semantics", case.execution.outcome.value, f"{case.shader.workgroup_size} threads"))
    for name, answer in one.answers.items():
        error = next((line for line in answer.message.splitlines() if "error" in line), answer.message)
        rows.append((name, answer.verdict.value, error.strip()))
    click.echo(file)
    width = max((len(name) for name, _, _ in rows), default=0)
    for name, word, more in rows:
        click.echo(f"  {name:{width}}  {word:12} {more}".rstrip())
    if one.found:
        for found in one.found:
            click.echo(f"  {found.kind.value}: {found.key}")
            for line in account(case, found, one.positions, one.text):
                click.echo(f"    {line}")
    elif case.verdict is Verdict.REJECTS and asked.reference:
        click.echo("  why:")
        for line in explanation(case.analysis, one.positions, one.text):
            click.echo(f"    {line}")
    if asked.semantics and not one.found and case.execution.witness is not None:
        click.echo("  it does diverge:")
        for line in witness_lines(case, one.positions):
            click.echo(f"    {line}")


@click.group(invoke_without_command=True)
@click.pass_context
def targets(context: click.Context) -> None:
    """What can be tested here, with version and origin."""
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
        click.echo("  ".join(f"{cell:{width}}" for cell, width in zip(row, widths)).rstrip())


@targets.command("install")
@click.argument("spec")
def install_target(spec: str) -> None:
    """Fetch a pinned build, such as tint@0.3.8, into the user's cache."""
    try:
        install(spec, lambda line: click.echo(line, err=True))
    except TargetError as error:
        raise Problem(str(error)) from error
