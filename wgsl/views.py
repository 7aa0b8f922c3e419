"""Where WGSL wants a reference, a plain value or a pointer must not stand (WGSL 8.13, 9.2)."""

from collections.abc import Iterable

from wgsl_fuzz.wgsl.problems import ResolveProblem
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Expression, Member


def check_views(resolution: Resolution, targets: Iterable[Expression]) -> None:
    """Raises ResolveProblem if one of the left sides of assignments can never be a reference."""
    for target in targets:
        reference = target
        while isinstance(reference, Member) and resolution.is_swizzle(reference):
            reference = reference.base
        if resolution.root(reference) is None or resolution.is_pointer(target):
            raise ResolveProblem("this is no reference and cannot be assigned to", target.start)
