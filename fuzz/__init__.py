"""The application: puts the language, the oracles and the generator together."""

from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from uuid import uuid4


@cache  # it is part of every commit of a run, and reading it takes milliseconds
def project_version() -> str:
    """The installed version of wgsl-fuzz, or `unknown` when it is run from a bare checkout."""
    try:
        return version("wgsl-fuzz")
    except PackageNotFoundError:
        return "unknown"


def new_id() -> str:
    """A name for a run that no other has, on any machine."""
    return uuid4().hex


def today() -> str:
    """The date of today in UTC, as `2026-11-22`."""
    return datetime.now(UTC).date().isoformat()
