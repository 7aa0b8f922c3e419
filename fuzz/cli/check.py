"""The command `check`: what oracles say of given texts."""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import click
import orjson

from wgsl_fuzz.fuzz.cases.case import SEMANTICS, Case, failed_case
from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.cli.options import DASH, lines_or_wgsl, name_of, notion_of
from wgsl_fuzz.fuzz.command_line import show_problem
from wgsl_fuzz.fuzz.files import read_text
from wgsl_fuzz.fuzz.judging import account, answers, blame
from wgsl_fuzz.fuzz.judging.certainty import certainty_of, explanation_in_words
from wgsl_fuzz.fuzz.judging.kinds import Disagreement
from wgsl_fuzz.fuzz.output import columns, echo, notice
from wgsl_fuzz.fuzz.present.wording import count as number
from wgsl_fuzz.fuzz.present.wording import verb
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.dynamics.modules.execution import FOR_ONE_SHADER
from wgsl_fuzz.oracle.rules.analyses import SECTION_4_2
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.diagnostics import Severity


def show(file: str, one: answers.Examination, asked: answers.OracleSet) -> None:
    """Writes the verdict of each oracle, and why they are what they are."""
    case = one.case
    if case.problem:
        for problem in case.problems:
            notice(problem.told(file))
        for name, answer in one.answers.items():
            echo(f"  {name}  {answer.verdict.value}")
            if name != SECTION_15_2:  # it says the same
                for line in filter(str.strip, answer.message.splitlines()):
                    echo(f"    {line.rstrip()}")
        for found in one.found:
            echo(f"  {found.kind.value}: {found.key}")
            for line in account.account_of(case, found).lines()[:2]:
                echo(f"    {line}")
        return
    echo(file)
    for line in columns(list(_rows(one, asked))):
        echo(f"  {line}")
    _why(case, one, asked)


def _rows(one: answers.Examination, asked: answers.OracleSet) -> Iterator[tuple[str, str, str]]:
    """Each oracle, its verdict, and more."""
    case, others = one.case, dict(one.answers)
    named = others.pop(SECTION_15_2, None) is not None
    if asked.reference or asked.targets:  # what a target is held against, also where nobody asked for it
        of_reference = "" if asked.reference or named else "the reference"
        of_entry_points = _of_entry_points(case, all_of_them=named)
        yield case.reference, case.verdict.value, "; ".join(filter(None, (of_reference, of_entry_points)))
    if asked.semantics:
        word, cannot = case.ask_semantics()
        threads = "" if case.threads is None else number(case.threads, "thread")
        yield SEMANTICS, word, f"it cannot run {cannot}" if cannot else threads
    for name, answer in others.items():
        lines = answer.message.splitlines()
        first = answer.verdict is Verdict.MISCOMPILES  # the account has the rest
        error = lines[0] if first else next((line for line in lines if "error" in line), answer.message)
        yield name, answer.verdict.value, " ".join(error.split())


def _of_entry_points(module: Case, *, all_of_them: bool = False) -> str:
    """`compute main: accepts; fragment shade: rejects`; by default where there are several or a message is no error."""
    found = list(module.entry_points())
    if not found:
        return "no entry point"
    plain = (len(found) == 1 and found[0][2] in (None, Severity.ERROR)) or all(worst is None for _, _, worst in found)
    if plain and not all_of_them:
        return ""
    said = {None: "accepts", Severity.ERROR: "rejects"}
    return "; ".join(f"{stage} {f.name}: {said.get(worst, f'accepts with {worst}')}" for f, stage, worst in found)


def _why(module: Case, one: answers.Examination, asked: answers.OracleSet) -> None:
    for found in one.found:
        echo(f"  {found.kind.value}: {found.key}")
        explained = one.explained.get(found.target)
        words = [] if explained is None else explanation_in_words(found.cause, *explained)
        for line in [*account.short_account(module, found), *words]:
            echo(f"    {line}")
    for line in blame.blamed_otherwise(module, one.answers):
        echo(f"  {line}")
    if module.explanations and (asked.reference or {SECTION_15_2, SECTION_4_2} & one.answers.keys() or one.found):
        echo("  why:")
        for line in account.steps_of(module.source, module.explanations):
            echo(f"    {line}")
    if asked.semantics and not one.found and module.execute().witness is not None:
        echo("  it does diverge:")
        for line in module.execute_placed().describe(module.text):
            echo(f"    {line}")


LINES_AT_ONCE = 256


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
@o.format_option("text", "json")
@o.CONVERGENCE
@o.TIMEOUT_OPTION
@click.pass_context
def check(context: click.Context, files: tuple[str, ...], names: tuple[str, ...], form: str) -> None:
    """Ask oracles for their verdicts on WGSL files.

    By default the reference is asked: `wgsl`, section 15.2 of the specification. The file `-` is standard input:
    WGSL, or lines {"code": ...}, each of which is written back with "verdict" and "verdicts".

    Exit status: 0 they agree, 1 they disagree, 2 a file cannot be read, or it or a line is not WGSL.
    """
    status = 0
    if "convergence" in o.given_options(context) and SEMANTICS not in names:
        raise Problem("--convergence is for the semantics: it goes with --oracle semantics")
    asked_about: dict[str, Path] = {}
    hang_limit = answers.hang_limit_for_files(asked_about)
    with answers.opened_oracles(names, notice, context.meta["timeout"], notion_of(context)) as asked:
        for file in files:
            try:
                text = lines_or_wgsl() if file == DASH else read_text(file)
                if not isinstance(text, str):
                    status = max(status, _check_lines(text, asked))
                    continue
            except Problem as problem:  # the other files are judged all the same
                status = show_problem(problem)
                continue
            asked_about[text] = Path(file)
            (one,) = answers.ask_all([text], asked, hang_limit, effort=FOR_ONE_SHADER)
            answers.explain_findings(one, asked)
            if form == "json":
                echo(orjson.dumps({"file": file} | _json(one, asked)))
            else:
                show(name_of(file), one, asked)
            status = max(status, _status(one, asked))
    context.exit(status)


def _status(one: answers.Examination, asked: answers.OracleSet) -> int:
    if one.case.problem and one.found and not asked.reference:  # nobody asked whether it is WGSL
        return 1
    refused = one.case.core is None and any(answer.verdict is Verdict.INVALID for answer in one.answers.values())
    return 2 if one.case.problem or refused else int(bool(one.found))


def _check_lines(lines: Iterator[bytes], asked: answers.OracleSet) -> int:
    """Answers lines of standard input, in order; a line that is no request gets an answer of its own."""
    found, understood, seen = False, 0, 0
    invalid, first = 0, 0
    while chunk := list(islice(lines, LINES_AT_ONCE)):
        requests = [_request(line) for line in chunk]
        examined = answers.ask_all([code for _, code, _ in requests], asked, effort=FOR_ONE_SHADER, isolated=True)
        out = bytearray()
        for (request, code, problem), one in zip(requests, examined, strict=True):
            try:
                answer = {"verdict": "invalid", "message": problem, "verdicts": {}} if problem else _json(one, asked)
            except Exception as fault:  # the other lines are answered all the same
                one.case = failed_case(code, fault)
                answer = _json(one, asked)
            found |= bool(one.found) and not problem
            seen, understood = seen + 1, understood + (not problem)
            if problem or one.case.problem:
                invalid, first = invalid + 1, first or seen
            out += orjson.dumps(request | answer) + b"\n"
        sys.stdout.buffer.write(out)
        sys.stdout.buffer.flush()
    if seen and not understood:
        raise Problem('no line of standard input is a JSON object {"code": ...}')
    if invalid:
        whole = f"{invalid} of {number(seen, 'line')} of standard input"
        what = f"{whole} {verb(invalid, 'is no request', 'are no requests')}, or not WGSL"
        notice(f"wgsl-fuzz: {what}; the first is line {first}")
    return 2 if invalid else int(found)


def _request(line: bytes) -> tuple[dict[str, Any], str, str]:
    """The request, its code, and what is wrong with it if anything."""
    try:
        request = orjson.loads(line)
        orjson.dumps(request)  # it is written back
    except (orjson.JSONDecodeError, orjson.JSONEncodeError) as error:
        return {}, "", f"not JSON: {error}"
    if not isinstance(request, dict):
        return {}, "", 'not an object {"code": ...}'
    code = request.get("code")
    return (request, code, "") if isinstance(code, str) else (request, "", 'no string "code"')


def _finding(one: answers.Examination, found: Disagreement) -> dict[str, Any]:
    """A finding, how sure its cause is, and the branch of the rules that explains it most likely, if any does."""
    answer: dict[str, Any] = {"target": found.target, "kind": found.kind.value, "cause": str(found.cause)}
    branch, fit = one.explained.get(found.target, (None, None))
    certainty = certainty_of(found.target, found.kind, found.cause, fit, branch)
    return answer | {"certainty": None if certainty is None else certainty.value, "branch": branch}


def _json(one: answers.Examination, asked: answers.OracleSet) -> dict[str, Any]:
    case, verdicts, cannot = one.case, dict[str, str](), ""
    if asked.reference:
        verdicts[SECTION_15_2] = case.word if case.problem else case.verdict.value
    if asked.semantics and not case.problem:
        verdicts[SEMANTICS], cannot = case.ask_semantics()
    verdicts |= {name: answer.verdict.value for name, answer in one.answers.items()}
    answer: dict[str, Any] = {"verdict": case.word, "verdicts": verdicts}
    if cannot:
        answer["not run"] = cannot
    if case.problem:
        answer["message"] = case.problem
        answer["errors"] = [problem.json for problem in case.problems]
    if one.found:
        answer["findings"] = [_finding(one, found) for found in one.found]
    if not case.problem:
        answer |= account.violations_json(case)
    if blamed := blame.blames(case, one.answers):
        answer["blamed"] = [asdict(blame) for blame in blamed]
    return answer
