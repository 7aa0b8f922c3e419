"""The application: puts the language, the oracles and the generator together."""

from datetime import UTC, datetime
from uuid import uuid4


def new_id() -> str:
    """A name for a run that no other has, on any machine."""
    return uuid4().hex


def today() -> str:
    """The date of today in UTC, as `2026-11-22`."""
    return datetime.now(UTC).date().isoformat()
