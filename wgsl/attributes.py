"""Which attributes may stand where, and with how many arguments (WGSL 12)."""

from wgsl_fuzz.wgsl.builtins import BUILTIN_VALUES, INTERPOLATION_SAMPLINGS, INTERPOLATION_TYPES, words
from wgsl_fuzz.wgsl.problems import ResolveProblem
from wgsl_fuzz.wgsl.syntax import Attribute, Attributes, Expression, Identifier

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
    if name == "builtin":
        modes = _DEPTH_MODES if _is(arguments[0], frozenset({"frag_depth"})) else frozenset[str]()
        _check_words(name, arguments, (BUILTIN_VALUES, modes))
    elif name == "interpolate":
        flat = _is(arguments[0], frozenset({"flat"}))
        samplings = INTERPOLATION_SAMPLINGS & _FLAT if flat else INTERPOLATION_SAMPLINGS - _FLAT
        _check_words(name, arguments, (INTERPOLATION_TYPES, samplings))


_DEPTH_MODES = words("less greater")
_FLAT = words("first either")
"""The samplings that flat interpolation may have, and no other."""


def _check_words(name: str, arguments: tuple[Expression, ...], known: tuple[frozenset[str], ...]) -> None:
    for argument, names in zip(arguments, known, strict=False):
        if not _is(argument, names):
            word = argument.name if isinstance(argument, Identifier) else "this"
            raise ResolveProblem(f"'{word}' is not known in '@{name}'", argument.start)


def _is(argument: Expression, names: frozenset[str]) -> bool:
    return isinstance(argument, Identifier) and not argument.template and argument.name in names
