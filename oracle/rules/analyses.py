"""Every analysis of our own by name: the rule sets of section 4.2 and the proposal of 2019."""

from collections.abc import Callable
from functools import partial

from oracle.rules.analysis import analyse
from oracle.rules.revisions import RULE_SETS, Rules
from oracle.rules.whlsl import analyse_2019
from oracle.verdict import Verdict
from tinywgsl.ast import Shader

WHLSL_2019 = "whlsl-2019"

Judgement = Callable[[Shader], Verdict]


def _under(rules: Rules, shader: Shader) -> Verdict:
    return analyse(shader, rules).verdict


ANALYSES: dict[str, Judgement] = {
    **{name: partial(_under, rules) for name, rules in RULE_SETS.items()},
    WHLSL_2019: analyse_2019,
}
"""From an analysis's name to its verdict on a well-formed shader."""


REFERENCE = "paper"
"""The reference's name among the oracles."""
