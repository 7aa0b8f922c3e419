"""The command `coverage`: which branches of the rules drawn shaders decide."""

from pathlib import Path
from typing import Any

import click
import orjson

from wgsl_fuzz.fuzz.cases.case import read_judged
from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import TINY, Plan
from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.output import as_csv, columns, echo
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.rules.in_words import predicate
from wgsl_fuzz.oracle.rules.uniformity.coverage import ArmCoverage, deciding_arms
from wgsl_fuzz.strategies import GENERATOR_VERSION


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@o.count_option(200)
@o.SEED
@o.LANGUAGE
@o.format_option("text", "json", "csv")
@o.output_option()
@click.pass_context
def coverage(
    context: click.Context,
    files: tuple[str, ...],
    count: int,
    seed: int,
    language: str | None,
    form: str,
    output: Path | None,
) -> None:
    """Count which branches of the rules decide shaders.

    The shaders are drawn; of each FILE the branches that decide its shader are named.

    A branch decides a shader if breaking the branch changes the verdict. The branches that decide none come first: of
    those, a campaign with these shaders tests nothing. The rules are those of section 15.2 of the specification.

    Exit status: 0, or 2 if a FILE is no WGSL.
    """
    if files:
        o.allow_only(context, ("form",), "FILE", "nothing is drawn")
        if form == "csv":
            raise Problem("--format csv is about shaders that are drawn")
        for file in files:
            name = o.name_of(file)
            case = read_judged(o.read_wgsl(file), name)
            arms = [*deciding_arms(case.resolution, case.quick_analysis)]
            if form == "json":
                echo(orjson.dumps({"file": name, "decided by": arms}))
            else:
                told = "the verdict changes if an analysis does one of these:" if arms else "no branch decides it"
                echo(f"{name}: {told}")
                echo("".join(f"  {predicate(arm)}\n" for arm in arms), nl=False)
        return
    plan = Plan(seed, language=language or TINY)
    drawer = CampaignGenerator(plan)
    covered = ArmCoverage().extend(drawer.case(index).resolution for index in range(count))
    drawn = {"seed": seed, "language": plan.language, "generator": GENERATOR_VERSION}
    found = _json(covered)
    if form == "json":
        o.hand_over(o.as_json(drawn | found), output)
    elif form == "csv":
        o.hand_over(as_csv([one | {"shaders": covered.modules} for one in found["branches"]]), output)
    else:
        o.hand_over(_table(covered), output)


def _table(covered: ArmCoverage) -> list[str]:
    """For people: each branch, how many shaders it decided and their share; those never decided first."""
    rows = covered.rows()
    some = sum(bool(decided) for _, decided in rows)
    head = f"{some} of {len(rows)} branches decide at least one of {covered.modules} shaders"
    lines = [("broken branch", "decided", "share", "the rules' words")]
    for arm, decided in rows:
        share = f"{decided / covered.modules:.2%}" if decided else "never"
        lines.append((arm.name, str(decided), share, arm.branch or arm.does))
    return [head, "", *columns(lines)]


def _json(covered: ArmCoverage) -> dict[str, Any]:
    """For scripts: `shaders`, the names of `never`, and `branches` with what each decided."""
    rows = covered.rows()
    branches = [
        {"name": arm.name, "rule": arm.rule, "line": arm.line, "branch": arm.branch or arm.does, "decided": decided}
        for arm, decided in rows
    ]
    return {
        "shaders": covered.modules,
        "never": [arm.name for arm, decided in rows if not decided],
        "branches": branches,
    }
