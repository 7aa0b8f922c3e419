"""The name of `--as`: what records call a target that is given by its path."""

from collections.abc import Iterable

from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.rules.analyses import is_named
from wgsl_fuzz.oracle.targets.named import is_description, split_name, with_name


def named(names: Iterable[str], name: str | None) -> tuple[str, ...]:
    """The targets' names, the one that is a path under the name of `--as`, if given. Raises Problem."""
    names = tuple(names)
    if name is None:
        return names
    paths = [t for t in dict.fromkeys(names) if _is_path(t)]
    if len(paths) != 1:
        raise Problem("--as goes with one target by its path, such as tint:out/tint; name others as NAME=tint:PATH")
    spec = with_name(paths[0], name)
    if spec is None:
        family = paths[0].partition(":")[0]
        raise Problem(f"--as: {name!r} is no name for a {family}: letters, digits, `.`, `-`, such as {family}@main")
    return tuple(spec if target == paths[0] else target for target in names)


def _is_path(target: str) -> bool:
    by_path = ":" in target or is_description(target)
    return by_path and split_name(target)[0] is None and not is_named(target.removeprefix("rules:"))
