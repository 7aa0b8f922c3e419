"""What swarms draw shows every surface form: a spelled shader in a hundred has it, whichever it is."""

from collections import Counter
from functools import cache

import pytest

from wgsl_fuzz.strategies import DEFAULT
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.choices.swarm import draw_swarm
from wgsl_fuzz.strategies.generate.shaders import draw
from wgsl_fuzz.wgsl.spelling import FORMS, NONE, draw_spelling

GROUP = 8
"""Shaders of one swarm, as in a campaign."""


@cache
def spelled(groups: int) -> Counter[str]:
    """In how many of the shaders of so many spelled swarms each form is."""
    forms: Counter[str] = Counter()
    seed = found = 0
    while found < groups:
        seed += 1
        swarm = draw_swarm(RandomSource(seed), DEFAULT)
        if swarm.features == NONE:
            continue
        found += 1
        for i in range(GROUP * found, GROUP * (found + 1)):
            shader = draw(RandomSource(i), swarm.profile)
            forms.update(draw_spelling(shader, RandomSource(i), swarm.features).forms.keys())
    return forms


def below(share: float, groups: int) -> dict[str, float]:
    """The forms in less than `share` percent, with what they have."""
    forms = spelled(groups)
    shares = {form: 100 * forms[form] / (GROUP * groups) for form in FORMS}
    return {form: round(found, 2) for form, found in shares.items() if found < share}


def test_every_form_is_in_the_spelled_shaders() -> None:
    """Of 2,400; the margin is for their number, since those of one swarm are alike."""
    assert below(0.6, 300) == {}


@pytest.mark.slow
def test_every_form_is_in_one_of_a_hundred_spelled_shaders() -> None:
    """Of 40,000."""
    assert below(1.0, 5000) == {}
