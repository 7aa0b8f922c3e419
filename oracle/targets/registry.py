"""Which targets there are: a family has a prefix, users name a target by a spec.

A spec is `name`, `name@version` or `name:path`: `tint`, `tint@0.3.8`, `naga:/path/to/naga`. The next family is a file
in `families`:

    def open_mine(request: TargetRequest) -> Target:
        return MyTarget(request.path, timeout=request.timeout)

    FAMILIES = (Family("mine", open_mine),)

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
class Family:
    """All that is known of the targets with one prefix."""

    prefix: str
    open: Factory
    """Opens the specs `prefix`, `prefix@version` and `prefix:path`."""
    infos: Lister | None = None
    """What `wgsl-fuzz targets` lists of it."""
    install: Installer | None = None
    """Fetches what a request needs, or raises TargetError."""
    title: str = ""
    """What people call it where records say `prefix@version`; without one they read what records say."""
    builds: str = ""
    """How the specs of its builds begin, of which `bisect` asks all."""
    own: str = ""
    """What `prefix:PATH` is, if a user's own is opened by its path."""


_families: dict[str, Family] = {}


def register(family: Family) -> None:
    """Makes a family known. A later one replaces an earlier one of the same prefix."""
    if not family.prefix or set(family.prefix) & set("@:"):
        raise ValueError(f"not a prefix of target names: {family.prefix!r}")
    _families[family.prefix] = family


def families() -> list[Family]:
    """Those that are known without plug-ins."""
    return list(_families.values())


def titled(name: str) -> str:
    """A target's name for people: `Tint 0.3.8` for `tint@0.3.8`."""
    prefix, _, version = name.partition("@")
    title = _families[prefix].title if version and prefix in _families else ""
    return f"{title} {version}" if title else name


def parse(spec: str, notify: Notify = silent, timeout: float = 10.0) -> TargetRequest:
    """Splits a spec at its first `@` or `:`; raises TargetError when a part is empty."""
    cut = next((i for i, c in enumerate(spec) if c in "@:"), len(spec))
    prefix, separator, rest = spec[:cut], spec[cut : cut + 1], spec[cut + 1 :]
    if not prefix or (separator and not rest):
        raise TargetError(f"not a target: {spec!r}; write name, name@version or name:path")
    version = rest if separator == "@" else None
    path = rest if separator == ":" else None
    return TargetRequest(spec, prefix, version, path, notify, timeout)


def family_of(prefix: str) -> Family:
    """The family of a prefix: registered in code, else found as an entry point; TargetError naming the known ones."""
    if prefix in _families:
        return _families[prefix]
    found = list(entry_points(group=ENTRY_POINTS, name=prefix))
    if not found:
        known = ", ".join(known_prefixes())
        raise TargetError(f"unknown target {prefix!r}; known: {known}; a program of yours: FILE.toml (docs/targets.md)")
    try:
        register(Family(prefix, found[0].load()))
    except Exception as error:
        raise TargetError(f"the plug-in for target {prefix!r} cannot be loaded: {error}") from error
    return _families[prefix]


def known_prefixes() -> list[str]:
    """Every registered prefix, sorted, plug-ins included."""
    return sorted({*_families, *(point.name for point in entry_points(group=ENTRY_POINTS))})


def list_targets() -> list[TargetInfo]:
    """What the families say about themselves; one without a list is shown by its prefix."""
    infos: list[TargetInfo] = []
    for prefix in known_prefixes():
        try:
            family = family_of(prefix)
        except TargetError as error:
            infos.append(TargetInfo(prefix, "plug-in", State.MISSING, reason=str(error)))
            continue
        infos += family.infos() if family.infos else [TargetInfo(prefix, "plug-in", State.INSTALLED)]
    return infos
