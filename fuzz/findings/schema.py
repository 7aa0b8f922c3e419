"""Whether what a JSON record holds is what runs write: said of the first thing that is not."""

from collections.abc import Mapping
from typing import Any


def fault(record: Mapping[str, Any], shapes: Mapping[str, str]) -> str:
    """The first thing that is not as it should be; what is missing or null is as in an older record."""
    wrong = (f"{name!r} is not {_WORDS[s]}" for name, s in shapes.items() if not _fits(record.get(name), s))
    return next(wrong, "")


_WORDS = {
    "text": "a text", "number": "a number", "texts": "a list of texts", "words": "an object of texts",
    "counts": "an object of numbers", "tables": "an object of objects of numbers", "object": "an object",
}  # fmt: skip


def _fits(value: object, shape: str) -> bool:
    if value is None:
        return True
    if shape in ("text", "number"):
        return isinstance(value, str) if shape == "text" else isinstance(value, int | float)
    if shape == "texts":
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    inner = {"words": "text", "counts": "number", "tables": "counts"}.get(shape)
    if not isinstance(value, dict):
        return False
    return inner is None or all(one is not None and _fits(one, inner) for one in value.values())
