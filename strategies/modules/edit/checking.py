"""Whether an edited module is still one: names, behaviours, aliases."""

from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Module


def checked(module: Module | None) -> Resolution | None:
    """The module with its names resolved; None if something in it cannot stand."""
    if module is None:
        return None
    try:
        resolution = resolve(module)
        behaviours = BehaviourAnalysis()
        for function in resolution.functions:
            behaviours.check(function)
    except WgslError:
        return None
    return resolution
