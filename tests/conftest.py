"""Fixed seeds in CI and everywhere else: `HYPOTHESIS_PROFILE=random` draws fresh ones."""

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_quiet = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=100, suppress_health_check=_quiet)
settings.register_profile("random", deadline=None, max_examples=300, suppress_health_check=_quiet)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))
gc.set_threshold(50_000, 20, 20)  # shaders are trees: to search them for circles at the usual pace finds little

if sys.dont_write_bytecode:  # hundreds of processes are started: none shall compile the whole package anew
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")


@pytest.fixture(autouse=True, scope="module")
def _frozen() -> None:
    """Collections of garbage need not go again and again through what the tests of other modules left."""
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """`-n auto`: tests wait for processes as often as they work, so one worker more than there are cores."""
    return (os.cpu_count() or 1) + 1
