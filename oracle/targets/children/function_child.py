"""The child of `python:MODULE:FUNCTION`: the user's function, asked text by text."""

import sysconfig
import traceback
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from wgsl_fuzz.oracle.targets.children.python_child import Check, named_function, serve
from wgsl_fuzz.oracle.verdict import Verdict, as_verdict

_OURS = as_verdict.__code__.co_filename
_PLAIN = str.maketrans({'"': "'", "*": "·"})
"""In known-files `*` stands for anything."""
_LIBRARIES = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "purelib"))


def start(module: str, name: str) -> tuple[Check, Mapping[str, Any]]:
    """Imports the function. Raises RuntimeError if there is none."""
    function = named_function(module, name)

    def check(text: str) -> str | None:
        try:
            verdict = as_verdict(function(text))
        except (Exception, SystemExit) as error:
            return f"{Verdict.CRASHED.value} {raised(error)}"
        return None if verdict is Verdict.ACCEPTS else verdict.value

    return check, {}


def raised(error: BaseException) -> str:
    """What was raised, and where: `KeyError at mine.py:52, in call, "known[name]": 'f'`."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename not in (__file__, _OURS)]
    # What a library raises is a matter of who calls it.
    frames = [one for one in frames if not one.filename.startswith(_LIBRARIES)] or frames
    at = 0 if isinstance(error, RecursionError) else -1  # where a recursion is too deep is a matter of the text
    where = ""
    if frames:
        file, line, function, code = frames[at]
        where = f" at {Path(file).name}:{line}, in {function}" + (f', "{code.translate(_PLAIN)}"' if code else "")
    return f"{type(error).__name__}{where}: {error}"


def main(module: str, name: str) -> None:
    """Answers texts."""
    serve(partial(start, module, name))
