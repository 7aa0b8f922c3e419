"""Numbers with their nouns."""


def count(n: int, noun: str) -> str:
    """`1 shader`, `2,000 shaders`."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def verb(n: int, singular: str, plural: str) -> str:
    """The form of a verb that agrees with a number: `is` for 1, `are` for others."""
    return singular if n == 1 else plural
