"""The lines that a long-lived child and we exchange (JSON text sequences, RFC 7464).

To the child: a JSON array of strings a line, WGSL texts. From it, first `RS {"ready": {...}}` or
`RS {"error": "why"}`. Then `RS {"n": 7, "answers": [null, "message", ...]}`, ended by a newline: the answers to
the next texts in their order, null for an accepted one. `n` counts the texts answered before, so that a spoilt line
cannot shift the answers. A line of texts may be answered in several lines, and is if it takes long: what is answered
then is not asked again. `RS {"waiting": "for what"}` says that no text is to blame for a delay. RS is the character
1E: whatever else appears on the child's standard output (Dawn prints warnings there) carries no RS and is dropped.

The file descriptor that `PLACE_VARIABLE` names, unless it is empty, is a file. The child writes to its first four
bytes how many texts it has begun, before each. So we know at which text it died.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

RS = b"\x1e"
PLACE_VARIABLE = "WGSL_FUZZ_PLACE"
PLACE_BYTES = 4
"""Of an unsigned number, the least significant first."""


def line_of_texts(texts: Sequence[str]) -> bytes:
    """The line that asks about these texts."""
    try:
        return orjson.dumps(list(texts)) + b"\n"
    except orjson.JSONEncodeError:  # a lone surrogate is no character: no compiler could be handed one
        return orjson.dumps([text.encode("utf-8", "replace").decode() for text in texts]) + b"\n"


def line_of(value: Mapping[str, Any]) -> bytes:
    """A line of a child; a newline first, in case chatter on standard output left a line unfinished."""
    try:
        data = orjson.dumps(value)
    except orjson.JSONEncodeError:
        data = json.dumps(value).encode("ascii")
    return b"\n" + RS + data + b"\n"


def value_of(line: bytes) -> Mapping[str, Any] | None:
    """What a line of a child says; None for chatter, and for what is no object."""
    _, mark, body = line.rpartition(RS)
    if not mark:
        return None
    try:
        value = orjson.loads(body)
    except ValueError:
        try:
            value = json.loads(body)  # which reads lone surrogates
        except ValueError:
            return None
    return value if isinstance(value, dict) else None
