"""The command `explain`: why a shader is rejected, in words or as a picture."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import orjson

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cli.options import CONVERGENCE, notion_of, only_one, output_option, told_of_rules
from wgsl_fuzz.fuzz.cli.standard_input import name_of, read_wgsl
from wgsl_fuzz.fuzz.files import write_bytes
from wgsl_fuzz.fuzz.judging.answers import WORDS, Examination, examine
from wgsl_fuzz.fuzz.judging.outcome_words import outcome_of_module
from wgsl_fuzz.fuzz.output import echo, in_terminal
from wgsl_fuzz.fuzz.present.module_words import explained, module_json, module_lines
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.dynamics.convergence import Notion
from wgsl_fuzz.oracle.explain.dot import draw
from wgsl_fuzz.oracle.explain.path import account, facts
from wgsl_fuzz.oracle.explain.path import explain as explanation
from wgsl_fuzz.oracle.rules.analyses import rules_named, whole_rules
from wgsl_fuzz.oracle.rules.analysis import Analysis, FunctionResult, analyse
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import INTENT, WHOLE
from wgsl_fuzz.tinywgsl.ast import Shader


@click.command()
@click.argument("file")
@click.option("--svg", is_flag=True, help="The uniformity graph as a picture.")
@click.option("--html", is_flag=True, help="A page with source, words and picture; needs no network.")
@click.option("--dot", is_flag=True, help="The uniformity graph as DOT text.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object: steps with sentence and place.")
@output_option()
@click.option(
    "--function", metavar="NAME", help="Explain or draw only this function.  [default: the one rejected, else all]"
)
@click.option("--full", is_flag=True, help="Draw the nodes too that decide nothing, pale.")
@click.option("--rules", "name", metavar="RULES", help="By this rule set, or a file FILE.py, as of `diff`.")
@CONVERGENCE
def explain(
    file: str,
    svg: bool,
    html: bool,
    dot: bool,
    as_json: bool,
    output: Path | None,
    function: str | None,
    full: bool,
    name: str | None,
    convergence: str | None,
) -> None:
    """Say why a shader is rejected, in words or as a picture.

    That is the path from the barrier to the source of non-uniformity. Of a shader that is accepted: what each function
    demands of its callers, and whether its result may differ between threads. TinyWGSL is explained by the paper, other
    WGSL by the specification, as is everything with a rule set of the whole language (`--rules wgsl`).

    With --convergence it also says what the semantics makes of the shader, by that notion: whether what is rejected
    really diverges.

    FILE `-` is standard input. Exit status: 0, whatever the verdict; 2 FILE cannot be read or is no WGSL.
    """
    form = only_one({"--svg": svg, "--html": html, "--dot": dot, "--json": as_json})
    _check_form(form, full, convergence is not None, output)
    one, file = examine(read_wgsl(file), notion_of(convergence)), name_of(file)
    with told_of_rules(name or ""):
        rules = INTENT if name is None else whole_rules(name)
        written = _of_module(file, form, one.text, function, full, name, rules)
    if convergence is not None:
        written = _with_outcome(written, one, notion_of(convergence), as_json=form == "--json")
    if output is None:
        echo(written, nl=False)
    else:
        write_bytes(output, written.encode())


def _check_form(form: str | None, full: bool, executed: bool, output: Path | None) -> None:
    """Raises Problem for options that do not go with the form of the answer."""
    drawn = form not in (None, "--json")
    if full and not drawn:
        raise Problem("--full is about the picture: it goes with --svg, --html or --dot")
    if executed and drawn:
        raise Problem(f"--convergence is about runs: it goes with words and with --json, not with {form}")
    if form in ("--svg", "--html") and output is None and in_terminal():
        raise Problem(f"{form} is nothing to read in a terminal: give -o FILE or redirect")


def _with_outcome(written: str, one: Examination, notion: Notion, *, as_json: bool) -> str:
    """The explanation, and what the semantics says of the shader by the notion that was asked for."""
    word, cannot = one.semantics
    if as_json:
        told = {"notion": notion.name, "outcome": word} | ({"not run": cannot} if cannot else {})
        return orjson.dumps(orjson.loads(written) | {"convergence": told}).decode() + "\n"
    lines = [] if one.case is None else outcome_of_module(one.case)
    return written + "".join(f"{line}\n" for line in ["", *(f"  {line}" for line in lines)])


def _of_module(
    file: str, form: str | None, text: str, function: str | None, full: bool, name: str | None, rules: Rules | None
) -> str:
    """What is asked for of a text that is not TinyWGSL, or by a rule set of the whole language."""
    if full:
        raise Problem("--full is for TinyWGSL: of other texts, only the nodes on paths are drawn")
    if rules is None:
        rules_named(name or "")  # says if there is none of this name
        raise Problem(f"{file} is not TinyWGSL, and the rules {name} are for that only")
    one = explained(file, text, rules, function)
    if form is None:
        return "\n".join(module_lines(file, name or WHOLE, one)) + "\n"
    if form == "--json":
        return orjson.dumps(module_json(file, one)).decode() + "\n"
    from wgsl_fuzz.fuzz.present.module_page import module_dot, module_page  # jinja2 is slow to import
    from wgsl_fuzz.fuzz.present.picture import to_svg

    if form == "--html":
        return module_page(Path(file).name, one)
    return to_svg(module_dot(one)) if form == "--svg" else module_dot(one)


def _of_tiny(
    file: str, name: str, form: str | None, one: Examination, case: Case, function: str | None, full: bool
) -> str:
    """What is asked for of a text that is TinyWGSL, by the paper's analysis."""
    if form is None:
        return _words(file, name, one, case, function)
    if form == "--json":
        return orjson.dumps(_json(file, one, case, function)).decode() + "\n"
    return _picture(file, form, one, case, function, full)


def _json(file: str, one: Examination, case: Case, function: str | None) -> Mapping[str, Any]:
    """As of other texts, but that the paper's explanation knows the lines of its sentences only."""
    chosen = _chosen(case, function)
    steps = [
        {"sentence": line.lstrip(), "line": _line_of(line), "depth": (len(line) - len(line.lstrip())) // 2}
        for line in explanation(case.analysis, one.positions, one.text)
    ]
    rejected = [result.function.name for result in chosen if result.violates]
    why = {"severity": "error", "rules": ["synchronization"], "scope": "workgroup", "same as": None, "steps": steps}
    return {
        "file": file,
        "verdict": WORDS[case.verdict],
        "explanations": [{**why, "function": function} for function in rejected],
        "functions": [
            {
                "function": result.function.name,
                "rejected": result.violates,
                "facts": [words for _, _, words in facts(case.analysis, result, one.positions, one.text)],
            }
            for result in chosen
        ],
    }


def _line_of(sentence: str) -> int | None:
    found = re.search(r"\bon line (\d+)", sentence)
    return None if found is None else int(found[1])


def _chosen(case: Case, function: str | None) -> list[FunctionResult]:
    """The functions that are asked for; all by default."""
    if function is None:
        return list(case.analysis.functions)
    from wgsl_fuzz.fuzz.present.picture import pictured  # says so if there is no such function

    return pictured(case, function)


def _words(file: str, name: str, one: Examination, case: Case, function: str | None) -> str:
    _chosen(case, function)
    lines = account(case.analysis, function, one.positions, one.text)
    return "\n".join([f"{file}: {name} {case.verdict.value}", *[f"  {line}" for line in lines]]) + "\n"


def _picture(file: str, form: str, one: Examination, case: Case, function: str | None, full: bool) -> str:
    from wgsl_fuzz.fuzz.present.picture import page, pictured, to_svg  # jinja2 is slow to import, and few commands draw

    shown = pictured(case, function)
    if form == "--html":
        return page(Path(file).name, one.text, case, one.positions, shown, full)
    dot = draw(shown, one.positions, full=full)
    return to_svg(dot) if form == "--svg" else dot


def _analysis_by(name: str, shader: Shader) -> Analysis:
    """The analysis by a rule set other than the reference's. Raises Problem and RuleFileError."""
    rules = rules_named(name)
    if rules is None:
        raise Problem(f"{name} is no rule set of the paper's analysis: it has no uniformity graph")
    return analyse(shader, rules)
