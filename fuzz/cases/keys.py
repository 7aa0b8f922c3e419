"""What texts are recognised by."""

from hashlib import blake2b


def key_of(text: str) -> int:
    """64 bits, signed, that are equal for equal texts and hardly ever otherwise; the same in every process."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), signed=True)
