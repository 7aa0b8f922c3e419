"""Numbers with their nouns, and times."""


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
