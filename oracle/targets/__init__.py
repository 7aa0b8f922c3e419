"""External compilers: one small adapter each behind one protocol.

    with_tint = open_target("tint@0.3.8", notify=print)
    with_tint.submit(texts); answers = with_tint.collect(); with_tint.close()

Importing this package imports no compiler; see `registry` for adding one.
"""

from functools import partial

from wgsl_fuzz.oracle.targets.browsers.launch import KINDS
from wgsl_fuzz.oracle.targets.browsers.local import browser_infos, open_browser
from wgsl_fuzz.oracle.targets.browsers.served import PREFIX as SERVED
from wgsl_fuzz.oracle.targets.browsers.served import open_served, served_infos
from wgsl_fuzz.oracle.targets.described import open_description
from wgsl_fuzz.oracle.targets.functions import PREFIX, function_infos, open_function
from wgsl_fuzz.oracle.targets.naga import install_naga, naga_infos, open_naga
from wgsl_fuzz.oracle.targets.named import NamedTarget, is_description, split_name
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.targets.registry import (
    Notify,
    State,
    TargetInfo,
    TargetRequest,
    adapter_for,
    list_targets,
    parse,
    register,
    silent,
)
from wgsl_fuzz.oracle.targets.rules import open_rules, rules_infos
from wgsl_fuzz.oracle.targets.tint import install_tint, open_tint, tint_infos
from wgsl_fuzz.oracle.targets.webkit import open_webkit, webkit_infos

__all__ = [
    "Notify",
    "State",
    "Target",
    "TargetError",
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
        target = open_description(TargetRequest(opens, "", notify=notify, timeout=timeout), prove=prove)
    else:
        request = parse(opens, notify, timeout)
        target = adapter_for(request.prefix).open(request)
    return target if name is None else NamedTarget(name, target)


def available() -> list[TargetInfo]:
    """What can be tested here, for `wgsl-fuzz targets`."""
    return list_targets()


def install(spec: str, notify: Notify = silent) -> None:
    """Fetches what a target needs, so that it can be opened offline later; TargetError when it cannot be had."""
    request = parse(spec, notify)
    adapter = adapter_for(request.prefix)
    if adapter.install is None:
        raise TargetError(f"{spec} is not something to install here")
    adapter.install(request)


register("tint", open_tint, infos=tint_infos, install=install_tint)
register("naga", open_naga, infos=naga_infos, install=install_naga)
register("webkit", open_webkit, infos=webkit_infos)
register("rules", open_rules, infos=rules_infos)
register(PREFIX, open_function, infos=function_infos)
for _browser in KINDS:
    register(_browser, open_browser, infos=partial(browser_infos, _browser))
register(SERVED, open_served, infos=served_infos)
