"""What our own oracles say of a shader: the analysis of the paper, and its semantics."""

from dataclasses import replace

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.library.texts import read, tree
from wgsl_fuzz.fuzz.present.divergence import divergence_lines
from wgsl_fuzz.oracle.dynamics.execution import Execution
from wgsl_fuzz.oracle.explain.path import account
from wgsl_fuzz.oracle.rules.analyses import REFERENCE, judgement_named, rules_named
from wgsl_fuzz.oracle.rules.analysis import analyse as analyse_by
from wgsl_fuzz.oracle.rules.rule_file import RuleFileError
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import Shader


def analyse(shader: str | Shader, rules: str = REFERENCE) -> Verdict:
    """The verdict of an analysis on a shader: `Verdict.ACCEPTS` or `Verdict.REJECTS`.

    `rules` is `paper`, another rule set of docs/targets.md, or a file of rules (`FILE.py`). Raises ValueError for a
    text that is not TinyWGSL, and for rules that are not there.
    """
    try:
        return judgement_named(rules)(tree(shader))
    except RuleFileError as error:
        raise ValueError(str(error)) from error


def explain(shader: str | Shader, rules: str = REFERENCE) -> list[str]:
    """Why an analysis rejects a shader, from the barrier to the source of non-uniformity: a line for each step.

    Of an accepted shader, it is what each function demands of its callers. Raises ValueError as `analyse` does.
    """
    given = read(shader)
    try:
        named = rules_named(rules)
        if named is None:
            raise ValueError(f"{rules} has no uniformity graph: only its verdict is there")
        analysis = analyse_by(given.case.shader, named)
    except RuleFileError as error:
        raise ValueError(str(error)) from error
    return account(analysis, None, dict(given.positions), given.text)


def run(shader: str | Shader, *, threads: int | None = None, seed: int = 0) -> Execution:
    """What happens if a shader is executed: `outcome`, and a `witness` if it diverges.

    Up to 8 threads all schedules and stores within bounds are explored. What that leaves open is sampled, from `seed`.
    `threads` replaces the shader's workgroup size. Raises ValueError for a text that is not TinyWGSL.
    """
    executed = tree(shader)
    if threads is not None:
        if not 1 <= threads <= 256:
            raise ValueError(f"threads: {threads} is not between 1 and 256")
        executed = replace(executed, workgroup_size=threads)
    return Case(executed, seed, thorough=True).execution


def step_by_step(shader: str | Shader, execution: Execution) -> list[str]:
    """How a shader diverges in an execution of `run`: the store, where two threads part and why, and their steps.

    Empty if it does not diverge.
    """
    if execution.witness is None:
        return []
    given = read(shader)
    return list(divergence_lines(given.case.shader, execution.witness, dict(given.positions), given.text))
