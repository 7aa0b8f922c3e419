"""What our own oracles say of a shader: the analyses of the paper and of the whole language, and the semantics."""

from collections.abc import Iterator
from dataclasses import replace

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.module_case import ModuleCase, read_module
from wgsl_fuzz.fuzz.cases.places import problems_of
from wgsl_fuzz.fuzz.judging.steps import steps_of
from wgsl_fuzz.fuzz.library.texts import is_tiny, read, tree
from wgsl_fuzz.fuzz.present.divergence import divergence_lines
from wgsl_fuzz.oracle.dynamics.execution import Execution
from wgsl_fuzz.oracle.explain.module_facts import facts_of_module
from wgsl_fuzz.oracle.explain.path import account
from wgsl_fuzz.oracle.rules.analyses import REFERENCE, judgement_named, rules_named, whole_rules
from wgsl_fuzz.oracle.rules.analysis import analyse as analyse_by
from wgsl_fuzz.oracle.rules.rule_file import RuleFileError
from wgsl_fuzz.oracle.rules.uniformity.revisions import INTENT
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.wgsl.problems import WgslError


def analyse(shader: str | Shader, rules: str = REFERENCE) -> Verdict:
    """The verdict of an analysis on a shader: `Verdict.ACCEPTS` or `Verdict.REJECTS`.

    `rules` is `paper`, another rule set of docs/targets.md, or a file of rules (`FILE.py`). Those of the whole language
    judge any WGSL, as `wgsl` does in place of `paper` for what is not TinyWGSL. Raises ValueError for a text that the
    rules do not know or that is no WGSL, and for rules that are not there.
    """
    try:
        module = _module(shader, rules)
        return judgement_named(rules)(tree(shader)) if module is None else module.verdict
    except RuleFileError as error:
        raise ValueError(str(error)) from error


def _module(shader: str | Shader, rules: str) -> ModuleCase | None:
    """The shader as a module, if the rules are those of the whole language or are to be; else None.

    Raises RuleFileError, and ValueError for a text that is no WGSL, or has what the reference does not know.
    """
    whole = whole_rules(rules)
    if whole is None and (rules != REFERENCE or not isinstance(shader, str) or is_tiny(shader)):
        return None
    text = shader if isinstance(shader, str) else print_shader(shader)
    try:
        return read_module(text, INTENT if whole is None else whole)
    except WgslError as error:
        raise ValueError(problems_of(text, error)[0].sentence) from error


def explain(shader: str | Shader, rules: str = REFERENCE) -> list[str]:
    """Why an analysis rejects a shader, from the barrier to the source of non-uniformity: a line for each step.

    Of an accepted shader, it is what each function demands of its callers. Raises ValueError as `analyse` does.
    """
    try:
        module = _module(shader, rules)
        if module is not None:
            return list(_lines(module))
        named = rules_named(rules)
        given = read(shader)
        if named is None:
            raise ValueError(f"{rules} has no uniformity graph: only its verdict is there")
        analysis = analyse_by(given.case.shader, named)
    except RuleFileError as error:
        raise ValueError(str(error)) from error
    return account(analysis, None, dict(given.positions), given.text)


def _lines(module: ModuleCase) -> Iterator[str]:
    """The steps of each violation, of whatever severity; of an accepted module, the facts of its functions too."""
    yield from steps_of(module.source, module.explanations)
    if module.verdict is Verdict.ACCEPTS:
        for known in facts_of_module(module.analysis, module.resolution, module.source):
            yield f"{known.function.name}:"
            yield from (f"  {fact.sentence}" for fact in known.facts)


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
    return Case(executed, seed, thorough=True).shown_execution


def step_by_step(shader: str | Shader, execution: Execution) -> list[str]:
    """How a shader diverges in an execution of `run`: the store, where two threads part and why, and their steps.

    Empty if it does not diverge.
    """
    if execution.witness is None:
        return []
    given = read(shader)
    return list(divergence_lines(given.case.shader, execution.witness, dict(given.positions), given.text))
