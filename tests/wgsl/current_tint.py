"""The current Tint as a judge of many texts."""

from collections.abc import Sequence

import pytest

from wgsl_fuzz.oracle.targets import TargetError, builds, open_target
from wgsl_fuzz.oracle.verdict import Answer

_BATCH = 256


def ask_tint(texts: Sequence[str]) -> list[Answer]:
    """Its answers, in order; the test is skipped where it is not installed."""
    try:
        target = open_target(f"tint@{builds.CURRENT}", timeout=60)
    except TargetError as error:
        pytest.skip(str(error))
    answers: list[Answer] = []
    try:
        for start in range(0, len(texts), _BATCH):
            target.submit(texts[start : start + _BATCH])
            answers += target.collect()
    finally:
        target.close()
    return answers
