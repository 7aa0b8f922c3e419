"""Dates for people."""

from datetime import date


def in_words(day: str | None) -> str:
    """`22 November 2026` for `2026-11-22`; empty for what is no date."""
    try:
        read = date.fromisoformat(day or "")
    except ValueError:
        return ""
    return f"{read.day} {read:%B %Y}"
