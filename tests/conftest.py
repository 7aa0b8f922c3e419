"""Which wgsl-fuzz is tested, and fixed seeds in CI and everywhere else: `HYPOTHESIS_PROFILE=random` draws fresh ones.

`pytest` tests what is installed, and this checkout if nothing is; `python -m pytest` tests this checkout.
"""

import os
import sys
from pathlib import Path

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
