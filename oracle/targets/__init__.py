"""External compilers: one family each behind one protocol.

    with_tint = open_target("tint@0.3.8", notify=print)
    with_tint.submit(texts); answers = with_tint.collect(); with_tint.close()

Importing this package imports no compiler and no family; see `protocol` for adding one.
"""

from wgsl_fuzz.oracle.targets.protocol import (
    Availability,
    NamedTarget,
    Notify,
    Target,
    TargetError,
    TargetFamily,
    TargetInfo,
    TargetRequest,
    available,
    family_of,
    is_description,
    parse,
    prefix_of,
    register,
    silent,
    split_name,
)

__all__ = [
    "Availability",
    "Notify",
    "Target",
    "TargetError",
    "TargetFamily",
    "TargetInfo",
    "TargetRequest",
    "available",
    "install",
    "open_target",
    "register",
]


def open_target(spec: str, *, notify: Notify = silent, timeout: float = 10.0, prove: bool = True) -> Target:
    """Opens the target that `spec` names (`tint`, `tint@0.3.8`, `tint@embedded`, `naga`, `tint:/path/to/tint`,
    `my.toml`), also under a name of the user's (`tint@main=tint:/path/to/tint`).

    `notify` hears of downloads and fallbacks, one line each; `timeout` is for one text, in seconds. Unless it has to
    `prove` itself, a description is opened even if its compiler refuses a plain shader. Raises TargetError.
    """
    name, opens = split_name(spec)
    if is_description(opens):
        # A child of ours imports this package, too.
        from wgsl_fuzz.oracle.targets.command import open_description
        from wgsl_fuzz.oracle.targets.description import like_of

        target = open_description(TargetRequest(opens, "", notify=notify, timeout=timeout), prove=prove)
        if name is None and (like := like_of(opens)):
            name = f"{prefix_of(like)}@{target.name.replace('@', '-')}"
    else:
        request = parse(opens, notify, timeout)
        target = family_of(request.prefix).open(request)
    return target if name is None else NamedTarget(name, target)


def install(spec: str, notify: Notify = silent) -> None:
    """Fetches what a target needs, so that it can be opened offline later; TargetError when it cannot be had."""
    request = parse(spec, notify)
    family = family_of(request.prefix)
    if family.install is None:
        raise TargetError(f"{spec} is not something to install here")
    family.install(request)
