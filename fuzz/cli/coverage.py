"""The command `coverage`: which branches of the rules drawn shaders decide."""

from typing import Any

import click
import orjson

from wgsl_fuzz.fuzz.cases.generator import CampaignGenerator
from wgsl_fuzz.fuzz.cases.plan import TINY
from wgsl_fuzz.fuzz.cli.options import checked_language, drawing_options, plan_of
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.oracle.rules.uniformity.coverage import ArmCoverage
from wgsl_fuzz.strategies import GENERATOR_VERSION


@click.command()
@click.option("-n", "count", type=click.IntRange(min=1), default=200, show_default=True, help="How many shaders.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="As a campaign's.")
@drawing_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def coverage(context: click.Context, /, count: int, seed: int, as_json: bool, **drawing: Any) -> None:
    """Count which branches of the rules decide drawn shaders.

    A branch decides a shader if breaking the branch changes the verdict. The branches that decide none come first: of
    those, a campaign with these shaders tests nothing. The rules are those of section 15.2 of the specification.

    Exit status: 0.
    """
    drawing["language"] = checked_language(context, drawing["language"], TINY)
    plan = plan_of(seed, drawing)
    drawer = CampaignGenerator(plan)
    covered = ArmCoverage().extend(drawer.case(index).resolution for index in range(count))
    if as_json:
        option = ("profile", plan.profile) if plan.language == TINY else ("language", plan.language)
        drawn = {"seed": seed, option[0]: option[1], "generator": GENERATOR_VERSION}
        echo(orjson.dumps(drawn | _json(covered)))
    else:
        echo("\n".join(_table(covered)))


def _table(covered: ArmCoverage) -> list[str]:
    """For people: each branch, how many shaders it decided and their share; those never decided first."""
    rows = covered.rows()
    names = max(len(arm.name) for arm, _ in rows)
    some = sum(bool(decided) for _, decided in rows)
    head = f"{some} of {len(rows)} branches decide at least one of {covered.modules} shaders"
    lines = [head, "", f"{'broken branch':{names}}  decided    share  the rules' words"]
    for arm, decided in rows:
        share = f"{decided / covered.modules:.2%}" if decided else "never"
        lines.append(f"{arm.name:{names}}  {decided:7}  {share:>7}  {arm.branch or arm.does}")
    return lines


def _json(covered: ArmCoverage) -> dict[str, object]:
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
