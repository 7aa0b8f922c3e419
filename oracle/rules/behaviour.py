"""Fig. 8 as a rule set wants it."""

from oracle.rules.revisions import Rules
from tinywgsl.behaviour import BehaviourAnalysis


def behaviour_analysis(rules: Rules) -> BehaviourAnalysis:
    """The function B under `rules`; remembers what it was asked."""
    return BehaviourAnalysis(return_only_loop=rules.return_only_loop, to_the_letter=rules.fig8_to_the_letter)
