"""Numbers with their nouns, times and dates, for people."""

from collections.abc import Mapping
from datetime import date

from wgsl_fuzz.oracle.verdict import Verdict


def count(n: int, noun: str) -> str:
    """`1 shader`, `2,000 shaders`, `2 branches`."""
    ending = "" if n == 1 else "es" if noun.endswith("ch") else "s"
    return f"{n:,} {noun}{ending}"


def verb(n: int, singular: str, plural: str) -> str:
    """The form of a verb that agrees with a number: `is` for 1, `are` for others."""
    return singular if n == 1 else plural


def clock(seconds: float) -> str:
    """`3:05`, `26:03:05`: minutes and seconds, with hours if there are any."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def written_date(day: str | None) -> str:
    """`22 November 2026` for `2026-11-22`; empty for what is no date."""
    try:
        read = date.fromisoformat(day or "")
    except ValueError:
        return ""
    return f"{read.day} {read:%B %Y}"


_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def size(n: int) -> str:
    """Bytes for people: `12 MiB`, `1.5 GiB`."""
    for unit, word in _UNITS:
        if n >= unit:
            return f"{n / unit:.1f} {word}" if n < 10 * unit else f"{n / unit:,.0f} {word}"
    return count(n, "byte")


def verdict_rows(reference: Mapping[Verdict, int], answers: Mapping[str, Mapping[Verdict, int]]) -> list[list[str]]:
    """How often the reference and each target said which verdict: a head, and a row for each."""
    seen = {Verdict.ACCEPTS, Verdict.REJECTS}.union(reference, *answers.values())
    shown = [verdict for verdict in Verdict if verdict in seen]
    rows = [["oracle", *(verdict.value for verdict in shown)]]
    for name, counts in {"reference": reference, **answers}.items():
        rows.append([name, *(f"{counts[verdict]:,}" if counts.get(verdict) else "-" for verdict in shown)])
    return rows
