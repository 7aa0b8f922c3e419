"""Fixed seeds in CI and everywhere else: `HYPOTHESIS_PROFILE=random` draws fresh ones."""

import os

from hypothesis import HealthCheck, settings

_quiet = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=100, suppress_health_check=_quiet)
settings.register_profile("random", deadline=None, max_examples=300, suppress_health_check=_quiet)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))
