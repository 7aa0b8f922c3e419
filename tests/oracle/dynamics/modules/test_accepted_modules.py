"""What the reference accepts does not diverge: drawn modules of each profile, executed and counted."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

from wgsl_fuzz.oracle.dynamics.modules.execution import execute
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies.modules.modules import draw_module
from wgsl_fuzz.strategies.modules.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.resolve import resolve

EXECUTED = 100_000
CHUNK = 1_000
NAMED = {"a value of more than 256 scalars", "what a call under a diagnostic filter gives in divergent control flow"}
"""All that is known to keep an accepted module from being run."""


@dataclass
class Tally:
    """How many accepted modules had which outcome, and the rest by the reason."""

    drawn: int = 0
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    """Of the accepted modules all of whose entry points were run."""
    cannot_run: Counter[str] = field(default_factory=Counter)
    """Accepted modules of which some part was not run, by the name of it."""
    diverging: list[tuple[str, int]] = field(default_factory=list)
    """The accepted modules that diverge: profile and seed."""

    @property
    def executed(self) -> int:
        """Accepted modules that were run whole."""
        return self.outcomes.total()

    def add(self, profile: str, seeds: Iterable[int]) -> None:
        """Draws modules, and executes those that the reference accepts."""
        for seed in seeds:
            self.drawn += 1
            resolution = resolve(draw_module(seed, MODULE_PROFILES[profile]))
            if analyse_wgsl(resolution).verdict is not Verdict.ACCEPTS:
                continue
            done = execute(resolution, seed=seed)
            if done.outcome is Outcome.DIVERGES:
                self.diverging.append((profile, seed))
            if done.cannot is None:
                self.outcomes[done.outcome] += 1
            else:
                self.cannot_run[done.cannot] += 1


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
