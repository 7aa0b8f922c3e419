"""Real compilers, opened once for all tests; the current Tint as a judge of many texts."""

import atexit
from collections.abc import Container, Sequence
from functools import cache

import pytest

from wgsl_fuzz.oracle.targets import Target, TargetError, open_target
from wgsl_fuzz.oracle.targets.families import tint as builds
from wgsl_fuzz.oracle.verdict import Answer, Verdict

NOT_ACCEPTED = frozenset(Verdict) - {Verdict.ACCEPTS}
_BATCH = 256


@cache
def _opened(name: str) -> Target | str:
    """A target, or why it is not here."""
    try:
        target = open_target(name, timeout=60)
    except TargetError as error:
        return str(error)
    atexit.register(target.close)
    return target if target.name == name or "@" not in name else f"{target.name} is here instead"


def real_target(name: str) -> Target:
    """It, for all tests of this process; the test is skipped where it is not installed."""
    target = _opened(name)
    if isinstance(target, str):
        pytest.skip(target)
    return target


def ask_tint(texts: Sequence[str]) -> list[Answer]:
    """Its answers, in order."""
    target = real_target(f"tint@{builds.CURRENT}")
    answers: list[Answer] = []
    for start in range(0, len(texts), _BATCH):
        target.submit(texts[start : start + _BATCH])
        answers += target.collect()
    return answers


def refused_by_tint(texts: Sequence[str], verdicts: Container[Verdict] = (Verdict.INVALID,)) -> list[str]:
    """The texts that it gives one of these verdicts, with what it says."""
    answers = zip(texts, ask_tint(texts), strict=True)
    return [f"{text}\n{answer.message}" for text, answer in answers if answer.verdict in verdicts]
