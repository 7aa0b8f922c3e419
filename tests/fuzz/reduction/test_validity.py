"""Current Tint on what the reducer of modules asks about: values keep their types, so it is hardly ever invalid."""

from collections.abc import Iterator

import pytest

from tests.fuzz.reduction.neighbours import neighbours
from tests.quality.planted_modules import planted_modules
from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.fuzz.reduction.names import with_unique_names
from wgsl_fuzz.fuzz.reduction.search import read, valid
from wgsl_fuzz.fuzz.reduction.size import size
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.generate.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution

ONE_IN = 12
"""So many candidates are made for one that is asked about."""


def drawn(seed: int, profile: str) -> Resolution:
    """A module with names as the search has them."""
    module = read(print_module(draw_module(seed, MODULE_PROFILES[profile])))
    assert module is not None
    unique = read(print_module(with_unique_names(module)))
    assert unique is not None
    return unique


def candidates(resolution: Resolution) -> Iterator[str]:
    """What would be asked about."""
    measure = size(resolution.module)
    for _, modules in neighbours(resolution):
        for i, candidate in enumerate(modules):
            if i % ONE_IN == 0 and size(candidate) < measure and valid(candidate) is not None:
                yield print_module(candidate)


def invalid(texts: list[str]) -> list[str]:
    """The texts that Tint takes for invalid, with what it says."""
    answers = zip(texts, ask_tint(texts), strict=True)
    return [f"{text}{answer.message}" for text, answer in answers if answer.verdict is Verdict.INVALID]


@pytest.mark.parametrize("profile", MODULE_PROFILES)
def test_hardly_a_candidate_is_invalid(profile: str) -> None:
    texts = [text for seed in range(3) for text in candidates(drawn(seed, profile))]
    assert len(texts) > 50
    found = invalid(texts)
    assert len(found) <= len(texts) // 50, "\n".join(found)


def test_the_minima_are_valid() -> None:
    assert invalid([one.minimum for one in planted_modules()]) == []
