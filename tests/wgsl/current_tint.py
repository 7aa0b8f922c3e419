"""Real compilers; the current Tint, opened once for all tests, as a judge of many texts."""

import atexit
import re
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from functools import cache

import pytest

from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.families import tint as builds
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.wgsl.builtins import FUNCTIONS

NOT_ACCEPTED = frozenset(Verdict) - {Verdict.ACCEPTS}
_BATCH = 256
_CURRENT = f"tint@{builds.CURRENT}"


def _build(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part]


AHEAD = frozenset(name for name, row in FUNCTIONS.items() if _build(row.since) > _build(builds.CURRENT))
"""The built-in functions that the current Tint does not know yet."""


def is_ahead(text: str) -> bool:
    """Whether a text has a name that the current Tint does not know."""
    return not AHEAD.isdisjoint(re.findall(r"\w+", text))


def _opened(name: str) -> Target | str:
    """A target, or why it is not here."""
    try:
        target = open_target(name, timeout=60)
    except TargetError as error:
        return str(error)
    if target.name == name or "@" not in name:
        return target
    target.close()
    return f"{target.name} is here instead"


@cache
def _current() -> Target | str:
    target = _opened(_CURRENT)
    if not isinstance(target, str):
        atexit.register(target.close)
    return target


@contextmanager
def real_target(name: str) -> Iterator[Target]:
    """It; the test is skipped where it is not installed.

    Only the current Tint stays open for all tests of this process: an idle `tint@0.3.8` takes half a core.
    """
    target = _current() if name == _CURRENT else _opened(name)
    if isinstance(target, str):
        pytest.skip(target)
    try:
        yield target
    finally:
        if name != _CURRENT:
            target.close()


def ask_tint(texts: Sequence[str]) -> list[Answer]:
    """Its answers, in order."""
    answers: list[Answer] = []
    with real_target(_CURRENT) as target:
        for start in range(0, len(texts), _BATCH):
            target.submit(texts[start : start + _BATCH])
            answers += target.collect()
    return answers


def refused_by_tint(texts: Sequence[str], verdicts: Container[Verdict] = (Verdict.INVALID,)) -> list[str]:
    """The texts that it gives one of these verdicts, with what it says; not those that are ahead of it."""
    texts = [text for text in texts if not is_ahead(text)]
    answers = zip(texts, ask_tint(texts), strict=True)
    return [f"{text}\n{answer.message}" for text, answer in answers if answer.verdict in verdicts]
