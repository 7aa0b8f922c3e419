"""The loop of a child written in Python; `lines` has the protocol."""

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from wgsl_fuzz.oracle.targets.children.lines import PLACE_BYTES, PLACE_VARIABLE, line_of

SAY_SECONDS = 0.25
"""After so long what is answered of a line is said, though the rest of it is not."""

_PLACE = os.environ.get(PLACE_VARIABLE)

Check = Callable[[str], str | None]
"""From a text to the compiler's words, or None when it accepts."""


def child_command(module: str) -> list[str]:
    """The command that runs one of our modules as a child; use it with `child_environment`."""
    return [sys.executable, "-m", module]


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
    except Exception as error:
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
        _begin(answered + len(answers) + 1)
        answers.append(check(text))
        if time.monotonic() - said > SAY_SECONDS:
            say(out, {"n": answered, "answers": answers})
            answered += len(answers)
            answers, said = [], time.monotonic()
    if answers:
        say(out, {"n": answered, "answers": answers})
    return answered + len(answers)


def _begin(count: int) -> None:
    """Notes that the count-th text is begun."""
    if _PLACE:
        os.pwrite(int(_PLACE), (count & 0xFFFFFFFF).to_bytes(PLACE_BYTES, "little"), 0)


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
