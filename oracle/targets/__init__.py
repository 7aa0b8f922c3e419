"""External compilers: one family each behind one protocol.

    with_tint = open_target("tint@0.3.8", notify=print)
    with_tint.submit(texts); answers = with_tint.collect(); with_tint.close()

Importing this package imports no compiler and no family; see `protocol` for adding one.
"""

from wgsl_fuzz.oracle.targets import protocol as p


def open_target(spec: str, *, notify: p.Notify = p.silent, timeout: float = 10.0, prove: bool = True) -> p.Target:
    """Opens the target that `spec` names (`tint`, `tint@0.3.8`, `tint@embedded`, `naga`, `tint:/path/to/tint`,
    `my.toml`), also under a name of the user's (`tint@main=tint:/path/to/tint`).

    `notify` hears of downloads and fallbacks, one line each; `timeout` is for one text, in seconds. Unless it has to
    `prove` itself, a description is opened even if its compiler refuses a plain shader. Raises TargetError.
    """
    name, opens = p.split_name(spec)
    if p.is_description(opens):
        # A child of ours imports this package, too.
        from wgsl_fuzz.oracle.targets.command import open_description
        from wgsl_fuzz.oracle.targets.description import like_of

        target = open_description(p.TargetRequest(opens, "", notify=notify, timeout=timeout), prove=prove)
        if name is None and (like := like_of(opens)):
            name = f"{like}+{target.name.replace('@', '-')}"
    else:
        request = p.parse(opens, notify, timeout)
        target = p.family_of(request.prefix).open(request)
    return target if name is None else p.NamedTarget(name, target)


def install(spec: str, notify: p.Notify = p.silent) -> None:
    """Fetches what a target needs, so that it can be opened offline later; TargetError when it cannot be had."""
    request = p.parse(spec, notify)
    family = p.family_of(request.prefix)
    if family.install is None:
        raise p.TargetError(f"{spec} is not something to install here")
    family.install(request)
