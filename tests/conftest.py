"""Which wgsl-fuzz is tested, and fixed seeds in CI and everywhere else: `HYPOTHESIS_PROFILE=random` draws fresh ones.

`pytest` tests what is installed, and this checkout if nothing is; `python -m pytest` tests this checkout.
"""

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))  # for `tests` and `benchmarks`

import wgsl_fuzz  # noqa: E402

TESTED = Path(wgsl_fuzz.__file__).resolve().parents[1]
os.environ["PYTHONPATH"] = os.pathsep.join([str(TESTED), *filter(None, [os.environ.get("PYTHONPATH")])])
if TESTED != ROOT:
    os.environ["PYTHONSAFEPATH"] = "1"  # else `python -m wgsl_fuzz`, run here, is the checkout's

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
