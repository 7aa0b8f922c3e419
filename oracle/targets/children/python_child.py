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
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

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


SAY_SECONDS = 0.25
"""After so long what is answered of a line is said, though the rest of it is not."""

_PLACE = os.environ.get(PLACE_VARIABLE)

Check = Callable[[str], str | None]
"""From a text to the compiler's words, or None when it accepts."""


def child_environment() -> dict[str, str]:
    """This environment, with our own import path: a checkout on `sys.path` need not be installed for the child."""
    path = [str(Path(entry).absolute()) for entry in sys.path]  # the child may run in another directory
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def named_function(module: str, name: str) -> Any:
    """A user's function, imported from the working directory or from where Python finds it. Raises RuntimeError."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        function: Any = import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
    except (Exception, SystemExit) as error:
        raise RuntimeError(f"{type(error).__name__}: {error}") from error
    return function


def serve(start: Callable[[], tuple[Check, Mapping[str, Any]]]) -> None:
    """Answers texts until the input ends. `start` opens the compiler and says what it is; its errors are reported."""
    threading.Thread(target=die_with, args=(os.getppid(),), daemon=True).start()
    out = private_output()
    try:
        check, banner = start()
    except BaseException as error:
        say(out, {"error": str(error) or type(error).__name__})
        return
    say(out, {"ready": dict(banner)})
    answered = 0
    for line in sys.stdin.buffer:
        answered = _answer(out, check, orjson.loads(line), answered)


def _answer(out: BinaryIO, check: Check, texts: list[str], answered: int) -> int:
    """Answers a line of texts; how many are answered then, of `answered` before."""
    answers, said = list[str | None](), time.monotonic()
    for text in texts:
        if _PLACE:  # this text is begun
            count = answered + len(answers) + 1
            os.pwrite(int(_PLACE), (count & 0xFFFFFFFF).to_bytes(PLACE_BYTES, "little"), 0)
        answers.append(check(text))
        if time.monotonic() - said > SAY_SECONDS:
            say(out, {"n": answered, "answers": answers})
            answered += len(answers)
            answers, said = [], time.monotonic()
    if answers:
        say(out, {"n": answered, "answers": answers})
    return answered + len(answers)


def private_output() -> BinaryIO:
    """Standard output for the protocol alone: what compilers print there goes to standard error."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return out


def say(out: BinaryIO, value: Mapping[str, Any]) -> None:
    """Writes a line of the protocol."""
    data = memoryview(line_of(value))
    while data:
        data = data[out.write(data) or 0 :]


def die_with(parent: int, end: Callable[[], object] = lambda: os._exit(1)) -> None:
    """A compiler that hangs never sees the end of its input, so a second thread watches for the parent's death."""
    if sys.platform == "win32":  # there the number of the parent stays when it is gone
        import psutil

        with suppress(psutil.Error):
            psutil.Process(parent).wait()
    else:
        while os.getppid() == parent:
            time.sleep(1.0)
    end()
