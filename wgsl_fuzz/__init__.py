"""Finds the WGSL shaders on which uniformity analyses are wrong.

The names of `__all__` are the library; docs/api.md shows them at work. Each is imported when it is first used.

Installed, everything is inside this package: `wgsl_fuzz.oracle`, `wgsl_fuzz.strategies`, ... In the repository these
folders are at the top, beside this one, and `__path__` leads there.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wgsl_fuzz.fuzz.library.drawing import draw, shaders
    from wgsl_fuzz.fuzz.library.searching import find, given_shaders, minimise
    from wgsl_fuzz.fuzz.library.texts import WGSL, Target, analyse, explain, parse, run, step_by_step
    from wgsl_fuzz.oracle.dynamics.modules.execution import Execution
    from wgsl_fuzz.oracle.targets.protocol import TargetError
    from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict
    from wgsl_fuzz.tinywgsl.ast import Shader

__version__ = "0.2.0.dev0"

if not (_HERE := Path(__file__).parent).joinpath("fuzz").is_dir():  # a checkout
    __path__.append(str(_HERE.parent))

__all__ = [
    "WGSL",
    "Answer",
    "Execution",
    "Outcome",
    "Shader",
    "Target",
    "TargetError",
    "Verdict",
    "analyse",
    "draw",
    "explain",
    "find",
    "given_shaders",
    "minimise",
    "parse",
    "run",
    "shaders",
    "step_by_step",
]

_MODULES = {
    "fuzz.library.drawing": ("draw", "shaders"),
    "fuzz.library.searching": ("find", "given_shaders", "minimise"),
    "fuzz.library.texts": ("WGSL", "Target", "analyse", "explain", "parse", "run", "step_by_step"),
    "oracle.dynamics.modules.execution": ("Execution",),
    "oracle.targets.protocol": ("TargetError",),
    "oracle.verdict": ("Answer", "Outcome", "Verdict"),
    "tinywgsl.ast": ("Shader",),
}
"""Where each name comes from: a program that imports this package alone waits for none of them."""
_PLACES = {name: f"{__name__}.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_PLACES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
