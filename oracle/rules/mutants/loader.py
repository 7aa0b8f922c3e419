"""Runs a mutant: the patched source, compiled into fresh modules that no one else sees."""

import importlib
import inspect
import types
from collections.abc import Callable
from functools import cache

from oracle.rules.analysis import Analysis
from oracle.rules.mutants.model import ANALYSIS, BEHAVIOUR, Mutant
from oracle.rules.revisions import PAPER, Rules
from tinywgsl.ast import Shader
from tinywgsl.behaviour import BehaviourAnalysis


class PatchError(Exception):
    """A patch does not fit the source; names the mutant."""


Analyse = Callable[..., Analysis]
"""`analyse(shader, rules=PAPER)`, as `oracle.rules.analysis.analyse`."""


def analyse(mutant: Mutant, shader: Shader, rules: Rules = PAPER) -> Analysis:
    """UG_shader's answer by the rules of the mutant. Raises PatchError."""
    return loaded(mutant)(shader, rules)


@cache
def loaded(mutant: Mutant) -> Analyse:
    """The mutant's `analyse`, compiled once. Raises PatchError if a patch's old text is not there exactly once."""
    module = _compiled(ANALYSIS, mutant)
    mutated = mutated_behaviours(mutant)
    if mutated is not None:
        of_rules = _compiled("oracle.rules.behaviour", mutant)
        of_rules.__dict__["BehaviourAnalysis"] = mutated
        module.__dict__["behaviour_analysis"] = of_rules.behaviour_analysis
    result: Analyse = module.analyse
    return result


@cache
def mutated_behaviours(mutant: Mutant) -> type[BehaviourAnalysis] | None:
    """The mutant's B; None if it leaves B alone. Raises PatchError."""
    if all(patch.module != BEHAVIOUR for patch in mutant.patches):
        return None
    B: type[BehaviourAnalysis] = _compiled(BEHAVIOUR, mutant).BehaviourAnalysis
    return B


def patched(name: str, mutant: Mutant) -> str:
    """The source of the module `name` with the mutant's patches to it. Raises PatchError."""
    source = _source(name)
    for patch in mutant.patches:
        if patch.module == name:
            count = source.count(patch.old)
            if count != 1:
                raise PatchError(
                    f"{mutant.name}: the text to patch is in {name} {count} times, not once: {patch.old!r}"
                )
            source = source.replace(patch.old, patch.new)
    return source


@cache
def _source(name: str) -> str:
    return inspect.getsource(importlib.import_module(name))


def _compiled(name: str, mutant: Mutant) -> types.ModuleType:
    module = types.ModuleType(name)
    exec(compile(patched(name, mutant), f"<{name}, {mutant.name}>", "exec"), module.__dict__)
    return module
