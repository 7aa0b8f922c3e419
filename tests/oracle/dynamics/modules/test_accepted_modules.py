"""What the reference accepts does not diverge: drawn modules of each profile, executed and counted."""

import pytest

from tests.oracle.dynamics.modules.accepted import Tally
from wgsl_fuzz.strategies.modules.profile import MODULE_PROFILES

EXECUTED = 100_000
CHUNK = 1_000
NAMED = {
    "a value of more than 256 scalars",
    "what a call under a diagnostic filter gives in divergent control flow",
}
"""All that is known to keep an accepted module from being run."""


def check(tally: Tally) -> None:
    assert tally.diverging == []
    assert tally.cannot_run.keys() <= NAMED
    assert tally.cannot_run.total() <= tally.drawn // 20


@pytest.mark.parametrize("profile", MODULE_PROFILES)
def test_no_accepted_module_diverges(profile: str) -> None:
    tally = Tally()
    tally.add(profile, range(60))
    check(tally)
    assert tally.executed > 10


@pytest.mark.slow
def test_none_of_a_hundred_thousand_accepted_modules_diverges() -> None:
    tally = Tally()
    start = 0
    while tally.executed < EXECUTED:
        for profile in MODULE_PROFILES:
            tally.add(profile, range(start, start + CHUNK))
        start += CHUNK
        check(tally)
