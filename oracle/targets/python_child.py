"""The loop of a child written in Python (the protocol is described in `child_process`)."""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

Check = Callable[[str], str | None]
"""From a text to the compiler's words, or None when it accepts."""


def child_command(module: str) -> list[str]:
    """The command that runs one of our modules as a child; use it with `child_environment`."""
    return [sys.executable, "-m", module]


def child_environment() -> dict[str, str]:
    """This environment, with our own import path: a checkout on `sys.path` need not be installed for the child."""
    path = [str(Path(entry).absolute()) for entry in sys.path]  # the child may run in another directory
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def serve(start: Callable[[], tuple[Check, Mapping[str, Any]]]) -> None:
    """Answers texts until the input ends. `start` opens the compiler and says what it is; its errors are reported."""
    threading.Thread(target=_die_with, args=(os.getppid(),), daemon=True).start()
    out = _private_output()
    try:
        check, banner = start()
    except BaseException as error:
        _say(out, {"error": str(error) or type(error).__name__})
        return
    _say(out, {"ready": dict(banner)})
    for count, line in enumerate(sys.stdin.buffer):
        # A lone surrogate is no character: no compiler could be handed one.
        message = check(json.loads(line).encode("utf-8", "replace").decode())
        _say(out, {"n": count} if message is None else {"n": count, "message": message})


def _private_output() -> BinaryIO:
    """Standard output for the protocol alone: what compilers print there goes to standard error."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return out


def _say(out: BinaryIO, value: Mapping[str, Any]) -> None:
    data = memoryview(b"\n\x1e" + json.dumps(value).encode("ascii") + b"\n")
    while data:
        data = data[out.write(data) or 0 :]


def _die_with(parent: int) -> None:
    """A compiler that hangs never sees the end of its input, so a second thread watches for the parent's death."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
