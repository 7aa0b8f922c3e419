"""Which targets there are: adapters register a prefix, users name a target by a spec.

A spec is `name`, `name@version` or `name:path`: `tint`, `tint@0.3.8`, `naga:/path/to/naga`. The next adapter:

    from wgsl_fuzz.oracle.targets import TargetRequest, Target, register

    def open_mine(request: TargetRequest) -> Target:
        return MyTarget(request.path, timeout=request.timeout)

    register("mine", open_mine)

or, from another package, the entry point `mine = "my_package:open_mine"` in the group `wgsl_fuzz.targets`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import entry_points

from wgsl_fuzz.oracle.targets.protocol import Target, TargetError

ENTRY_POINTS = "wgsl_fuzz.targets"

Notify = Callable[[str], None]


def silent(_line: str) -> None:
    """The notify callback of those who do not want to know."""


@dataclass(frozen=True, slots=True)
class TargetRequest:
    """A parsed spec and how it is to be opened. At most one of `version` and `path` is given; `timeout` in seconds."""

    spec: str
    prefix: str
    version: str | None = None
    path: str | None = None
    notify: Notify = silent
    timeout: float = 10.0


class State(Enum):
    """Whether a target can be used on this machine; the value is what people read."""

    INSTALLED = "installed"
    INSTALLABLE = "can be installed"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """One line of `wgsl-fuzz targets`: the spec, where the build comes from, and when it was made (if known)."""

    name: str
    origin: str
    state: State
    date: str = ""
    reason: str = ""
    """Why it is missing, and what would help."""


Factory = Callable[[TargetRequest], Target]
Lister = Callable[[], Sequence[TargetInfo]]
Installer = Callable[[TargetRequest], None]


@dataclass(frozen=True, slots=True)
class Adapter:
    """What is registered under one prefix."""

    open: Factory
    infos: Lister | None = None
    install: Installer | None = None


_adapters: dict[str, Adapter] = {}


def register(
    name_prefix: str, factory: Factory, *, infos: Lister | None = None, install: Installer | None = None
) -> None:
    """Makes `factory` answer for specs `name_prefix`, `name_prefix@version` and `name_prefix:path`.

    `infos` lists what `available` shows for it; `install` fetches what a request needs, or raises TargetError. A later
    registration replaces an earlier one.
    """
    if not name_prefix or set(name_prefix) & set("@:"):
        raise ValueError(f"not a prefix of target names: {name_prefix!r}")
    _adapters[name_prefix] = Adapter(factory, infos, install)


def parse(spec: str, notify: Notify = silent, timeout: float = 10.0) -> TargetRequest:
    """Splits a spec at its first `@` or `:`; raises TargetError when a part is empty."""
    cut = next((i for i, c in enumerate(spec) if c in "@:"), len(spec))
    prefix, separator, rest = spec[:cut], spec[cut : cut + 1], spec[cut + 1 :]
    if not prefix or (separator and not rest):
        raise TargetError(f"not a target: {spec!r}; write name, name@version or name:path")
    version = rest if separator == "@" else None
    path = rest if separator == ":" else None
    return TargetRequest(spec, prefix, version, path, notify, timeout)


def adapter_for(prefix: str) -> Adapter:
    """The adapter of a prefix: registered in code, else found as an entry point; TargetError naming the known ones."""
    if prefix in _adapters:
        return _adapters[prefix]
    found = list(entry_points(group=ENTRY_POINTS, name=prefix))
    if not found:
        known = ", ".join(known_prefixes())
        raise TargetError(f"unknown target {prefix!r}; known: {known}; a program of yours: FILE.toml (docs/targets.md)")
    try:
        register(prefix, found[0].load())
    except Exception as error:
        raise TargetError(f"the plug-in for target {prefix!r} cannot be loaded: {error}") from error
    return _adapters[prefix]


def known_prefixes() -> list[str]:
    """Every registered prefix, sorted, plug-ins included."""
    return sorted({*_adapters, *(point.name for point in entry_points(group=ENTRY_POINTS))})


def list_targets() -> list[TargetInfo]:
    """What the adapters say about themselves; an adapter without a list is shown by its prefix."""
    infos: list[TargetInfo] = []
    for prefix in known_prefixes():
        try:
            adapter = adapter_for(prefix)
        except TargetError as error:
            infos.append(TargetInfo(prefix, "plug-in", State.MISSING, reason=str(error)))
            continue
        infos += adapter.infos() if adapter.infos else [TargetInfo(prefix, "plug-in", State.INSTALLED)]
    return infos
