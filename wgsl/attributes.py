"""Which attributes may stand where, and with how many arguments (WGSL 12)."""

from wgsl_fuzz.wgsl.builtins import BUILTIN_VALUES, INTERPOLATION_SAMPLINGS, INTERPOLATION_TYPES, words
from wgsl_fuzz.wgsl.problems import ResolveProblem
from wgsl_fuzz.wgsl.syntax import Attribute, Attributes, Identifier

STAGE_NAMES = words("vertex fragment compute")
VARIABLE = words("group binding")
OVERRIDE = words("id")
FUNCTION = words("must_use workgroup_size subgroup_size diagnostic") | STAGE_NAMES
PARAMETER = words("builtin location interpolate invariant blend_src")
MEMBER = PARAMETER | words("align size")

_COUNTS = {
    "builtin": (1, 2),
    "interpolate": (1, 2),
    "workgroup_size": (1, 3),
    "diagnostic": (2, 2),
    "invariant": (0, 0),
    "must_use": (0, 0),
    **{stage: (0, 0) for stage in STAGE_NAMES},
}
"""By attribute, the least and the greatest number of arguments, where it is not 1."""
CONTEXT_NAMES = words("builtin interpolate diagnostic")
"""The attributes whose arguments have a meaning of their own, and so no scope."""


def check_attributes(attributes: Attributes, allowed: frozenset[str], place: str) -> None:
    """Raises ResolveProblem unless these attributes may stand together at a place of this kind."""
    seen: set[str] = set()
    for attribute in attributes:
        name = attribute.name
        if name not in allowed:
            raise ResolveProblem(f"'@{name}' is not for {place}", attribute.start)
        if name in seen and name != "diagnostic":
            raise ResolveProblem(f"'@{name}' stands here twice", attribute.start)
        seen.add(name)
        _check_arguments(attribute)


def _check_arguments(attribute: Attribute) -> None:
    name, arguments = attribute.name, attribute.arguments
    least, most = _COUNTS.get(name, (1, 1))
    if not least <= len(arguments) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        raise ResolveProblem(f"'@{name}' takes {wanted} arguments, got {len(arguments)}", attribute.start)
    if name not in ("builtin", "interpolate"):
        return
    known = (BUILTIN_VALUES, words("less greater any")) if name == "builtin" else _INTERPOLATION
    for argument, names in zip(arguments, known, strict=False):
        if not isinstance(argument, Identifier) or argument.template or argument.name not in names:
            word = argument.name if isinstance(argument, Identifier) else "this"
            raise ResolveProblem(f"'{word}' is not known in '@{name}'", argument.start)


_INTERPOLATION = INTERPOLATION_TYPES, INTERPOLATION_SAMPLINGS
