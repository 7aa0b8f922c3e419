"""Rule mutants: section 4.2 and Figs. 8 and 9 with one branch of one rule broken at a time.

A test-suite that lets a mutant live does not test its branch; a shader that tells a mutant from the paper is one whose
verdict that branch decides (`oracle.rules.coverage`).
"""

from oracle.rules.mutants.behaviours import BEHAVIOUR_MUTANTS
from oracle.rules.mutants.calls import CALL_MUTANTS, FUNCTION_MUTANTS, SHADER_MUTANTS
from oracle.rules.mutants.doubles import DOUBLE
from oracle.rules.mutants.loader import Analyse, PatchError, analyse, loaded, mutated_behaviours, patched
from oracle.rules.mutants.loops import LOOP_MUTANTS
from oracle.rules.mutants.model import Effect, Mutant, Patch
from oracle.rules.mutants.statements import EXPRESSION_MUTANTS, IF_MUTANTS, SIMPLE_MUTANTS

MUTANTS: tuple[Mutant, ...] = (
    *BEHAVIOUR_MUTANTS,
    *EXPRESSION_MUTANTS,
    *SIMPLE_MUTANTS,
    *IF_MUTANTS,
    *CALL_MUTANTS,
    *LOOP_MUTANTS,
    *FUNCTION_MUTANTS,
    *SHADER_MUTANTS,
)
"""All single mutants, in the order of the paper's rules."""

KILLABLE: tuple[Mutant, ...] = tuple(m for m in MUTANTS if not m.equivalent)
EQUIVALENT: tuple[Mutant, ...] = tuple(m for m in MUTANTS if m.equivalent)

__all__ = [
    "DOUBLE",
    "EQUIVALENT",
    "KILLABLE",
    "MUTANTS",
    "Analyse",
    "Effect",
    "Mutant",
    "Patch",
    "PatchError",
    "analyse",
    "loaded",
    "mutated_behaviours",
    "patched",
]
