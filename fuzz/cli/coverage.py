"""The command `coverage`: which branches of the rules drawn shaders decide."""

from typing import Any

import click
import orjson

from wgsl_fuzz.fuzz.cases.drawer import Drawer
from wgsl_fuzz.fuzz.cases.languages import PlanDrawer
from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.cases.plan import TINY
from wgsl_fuzz.fuzz.cli.options import checked_language, drawing_options, plan_of
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.oracle.rules.counter import BranchCounter
from wgsl_fuzz.oracle.rules.coverage import Coverage
from wgsl_fuzz.oracle.rules.uniformity.coverage import ArmCoverage
from wgsl_fuzz.strategies import GENERATOR_VERSION
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.resolution import Resolution


@click.command()
@click.option("-n", "count", type=click.IntRange(min=1), default=1000, show_default=True, help="How many shaders.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="As a campaign's.")
@drawing_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def coverage(context: click.Context, /, count: int, seed: int, as_json: bool, **drawing: Any) -> None:
    """Count which branches of the rules decide drawn shaders.

    A branch decides a shader if breaking the branch changes the verdict. The branches that decide none come first: of
    those, a campaign with these shaders tests nothing. In another language than `tiny` the branches are the arms of
    the rules for the whole language, and shaders of TinyWGSL are left out.

    Exit status: 0.
    """
    drawing["language"] = checked_language(context, drawing["language"], TINY)
    plan = plan_of(seed, drawing)
    covered: BranchCounter[Shader] | BranchCounter[Resolution]
    if plan.language == TINY:
        tiny = Drawer(plan)
        covered = Coverage().extend(tiny.case(i).shader for i in range(count))
    else:
        drawer = PlanDrawer(plan)
        cases = (drawer.case(i) for i in range(count))
        covered = ArmCoverage().extend(case.resolution for case in cases if isinstance(case, ModuleCase))
    if as_json:
        option = ("profile", plan.profile) if plan.language == TINY else ("language", plan.language)
        drawn = {"seed": seed, option[0]: option[1], "generator": GENERATOR_VERSION}
        echo(orjson.dumps(drawn | coverage_json(covered)))
    else:
        echo("\n".join(coverage_lines(covered)))


def coverage_lines(covered: BranchCounter[Any]) -> list[str]:
    """A table for people: each branch, how many shaders it decided and their share; those never decided first."""
    rows = covered.rows()
    names = max(len(mutant.name) for mutant, _ in rows)
    never = len(covered.never())
    head = f"{len(rows) - never} of {len(rows)} branches decide at least one of {covered.shaders} shaders"
    lines = [head, "", f"{'broken branch':{names}}  decided    share  the rules' words"]
    for mutant, decided in rows:
        lines.append(f"{mutant.name:{names}}  {decided:7}  {_share(decided, covered):>7}  {mutant.branch}")
    return lines


def _share(decided: int, covered: BranchCounter[Any]) -> str:
    return f"{decided / covered.shaders:.2%}" if decided else "never"


def coverage_json(covered: BranchCounter[Any]) -> dict[str, object]:
    """The same for scripts: `shaders`, the names of `never`, and `branches` with what each decided."""
    branches = [
        {"name": m.name, "rule": m.rule, "line": m.line, "branch": m.branch, "decided": decided}
        for m, decided in covered.rows()
    ]
    return {"shaders": covered.shaders, "never": [m.name for m in covered.never()], "branches": branches}
