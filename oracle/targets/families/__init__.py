"""The families of targets: each module here has its own in `FAMILIES`; beside it may stand its TOML file."""

from importlib import import_module
from pkgutil import iter_modules

from wgsl_fuzz.oracle.targets.protocol import register

for _module in iter_modules(__path__, f"{__name__}."):
    for _family in getattr(import_module(_module.name), "FAMILIES", ()):
        register(_family)
