"""The child of `device:MODULE:FUNCTION`: the user's function in the place of a graphics adapter."""

import sys
from collections.abc import Mapping
from typing import Any

import orjson

from wgsl_fuzz.oracle.targets.children.python_child import Check, named_function, serve


def start() -> tuple[Check, Mapping[str, Any]]:
    """Imports the function that the command line names: from WGSL and buffers by binding to the buffers at the end.

    Raises RuntimeError if there is none.
    """
    module, name = sys.argv[1:]
    function = named_function(module, name)

    def check(text: str) -> str:
        asked = orjson.loads(text)
        buffers = {int(binding): bytes.fromhex(content) for binding, content in asked["buffers"].items()}
        left = function(asked["code"], buffers)
        return orjson.dumps({"outcomes": [[{str(i): bytes(b).hex() for i, b in left.items()}, 1]]}).decode()

    return check, {"adapter": f"the function {name} of {module}"}


if __name__ == "__main__":
    serve(start)
