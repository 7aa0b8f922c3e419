"""WebKit (Safari): its command `wgslc` by path. A Safari is reached through a page: `browser`."""

from wgsl_fuzz.oracle.targets.command import open_command
from wgsl_fuzz.oracle.targets.protocol import Availability, Target, TargetError, TargetFamily, TargetInfo, TargetRequest

_HINT = "webkit:PATH names a `wgslc`; docs/for-webkit.md says how to build one, and how to ask a Safari"


def open_webkit(request: TargetRequest) -> Target:
    """`webkit:PATH`. Raises TargetError: there are no pinned builds."""
    if request.path is None:
        raise TargetError(f"{request.spec}: {_HINT}; a model of it is rules:webkit")
    return open_command(request)


_INFO = TargetInfo("webkit", "wgslc of WebKit", Availability.MISSING, reason=_HINT)
FAMILIES = (TargetFamily("webkit", open_webkit, lambda: [_INFO], builds="rules:webkit", own="a compiler of yours"),)
"""Its builds are the two versions of the model, whose dates nobody knows."""
