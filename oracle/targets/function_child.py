"""The child of `python:MODULE:FUNCTION`: the user's function, asked text by text."""

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from wgsl_fuzz.oracle.targets.functions import as_verdict
from wgsl_fuzz.oracle.targets.probes import VALID
from wgsl_fuzz.oracle.targets.python_child import Check, serve
from wgsl_fuzz.oracle.verdict import Verdict


def start() -> tuple[Check, Mapping[str, Any]]:
    """Imports the function that the command line names, and asks it about a plain shader: its result must be a verdict.

    Raises RuntimeError for what cannot be a target.
    """
    module, name = sys.argv[1:]
    sys.path.insert(0, str(Path.cwd()))
    try:
        function: Any = import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
        as_verdict(function(VALID))
    except Exception as error:
        raise RuntimeError(f"{type(error).__name__}: {error}") from error

    def check(text: str) -> str | None:
        verdict = as_verdict(function(text))
        return None if verdict is Verdict.ACCEPTS else verdict.value

    return check, {}


if __name__ == "__main__":
    serve(start)
