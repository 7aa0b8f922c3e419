"""Real targets for tests: what a machine cannot have is skipped with the reason."""

from collections.abc import Callable, Iterator

import pytest

from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError

TIMEOUT = 120.0
"""Seconds for a text: browsers are slow to start beside other tests."""


@pytest.fixture(scope="module")
def opened() -> Iterator[Callable[[str], Target]]:
    """Opens a target once for all tests of a module, or skips."""
    targets: dict[str, Target] = {}

    def get(spec: str) -> Target:
        if spec not in targets:
            try:
                targets[spec] = open_target(spec, timeout=TIMEOUT)
            except TargetError as error:
                pytest.skip(f"{spec}: {error}")
        return targets[spec]

    yield get
    for target in targets.values():
        target.close()
