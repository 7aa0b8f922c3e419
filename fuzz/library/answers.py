"""What our own oracles say of a shader: the analyses of the paper and of the whole language, and the semantics."""

from collections.abc import Iterator

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.judging.account import steps_of
from wgsl_fuzz.fuzz.library.texts import case_of, tree
from wgsl_fuzz.fuzz.present.divergence import witness_lines
from wgsl_fuzz.oracle.dynamics.modules.execution import Effort, Execution, execute, simplest
from wgsl_fuzz.oracle.explain.facts import facts_of
from wgsl_fuzz.oracle.rules.analyses import ANALYSES, rules_named
from wgsl_fuzz.oracle.rules.rule_file import RuleFileError
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import Shader


def analyse(shader: str | Shader, rules: str = SECTION_15_2) -> Verdict:
    """The verdict of an analysis on a shader: `Verdict.ACCEPTS` or `Verdict.REJECTS`.

    `rules` is `wgsl`, another rule set of docs/targets.md, or a file of rules (`FILE.py`). `paper` and the other
    analyses of TinyWGSL judge nothing else. Raises ValueError for a text that the rules do not know or that is no WGSL,
    and for rules that are not there.
    """
    try:
        named = rules_named(rules)
        return ANALYSES[rules](tree(shader)) if named is None else case_of(shader, named).verdict
    except RuleFileError as error:
        raise ValueError(str(error)) from error


def explain(shader: str | Shader, rules: str = SECTION_15_2) -> list[str]:
    """Why an analysis rejects a shader, from the barrier to the source of non-uniformity: a line for each step.

    Of an accepted shader, it is what each function demands of its callers. Raises ValueError as `analyse` does.
    """
    try:
        named = rules_named(rules)
        if named is None:
            raise ValueError(f"{rules} has no uniformity graph here: only its verdict is there")
        return list(_lines(case_of(shader, named)))
    except RuleFileError as error:
        raise ValueError(str(error)) from error


def _lines(case: Case) -> Iterator[str]:
    """The steps of each violation, of whatever severity; of an accepted module, the facts of its functions too."""
    yield from steps_of(case.source, case.explanations)
    if case.verdict is Verdict.ACCEPTS:
        for known in facts_of(case.analysis, case.resolution, case.source):
            yield f"{known.function.name}:"
            yield from (f"  {fact.sentence}" for fact in known.facts)


def run(shader: str | Shader, *, threads: int | None = None, seed: int = 0) -> Execution:
    """What happens if a shader is executed: `outcome`, and a `witness` if it diverges; `cannot` names what cannot run.

    Small workgroups are explored: all schedules and stores within bounds. What that leaves open is sampled, from
    `seed`. `threads` replaces the workgroup size. Raises ValueError for a text that is no WGSL.
    """
    if threads is not None and not 1 <= threads <= 256:
        raise ValueError(f"threads: {threads} is not between 1 and 256")
    resolution = case_of(shader).resolution
    effort = None if threads is None else Effort(threads=threads)
    done = execute(resolution, seed=seed, thorough=True, effort=effort)
    return simplest(done, resolution) or done


def step_by_step(shader: str | Shader, execution: Execution) -> list[str]:
    """How a shader diverges in an execution of `run`: the store, where two threads part and why, and their steps.

    Empty if it does not diverge.
    """
    return [] if execution.witness is None else list(witness_lines(case_of(shader), execution))
