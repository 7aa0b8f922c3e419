"""Targets: their interface (texts in, one answer for each out, in order), their families, and their names.

A family has a prefix; users name a target by a spec, `name`, `name@version` or `name:path`: `tint`, `tint@0.3.8`,
`naga:/path/to/naga`. The next family is a file in `families`:

    def open_mine(request: TargetRequest) -> Target:
        return MyTarget(request.path, timeout=request.timeout)

    FAMILIES = (Family("mine", open_mine),)

or, from another package, the entry point `mine = "my_package:open_mine"` in the group `wgsl_fuzz.targets`. A path is a
poor name, since it differs between machines: `tint@main=tint:./out/tint` is one under a name of the user's.
"""

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol, runtime_checkable

from wgsl_fuzz.oracle.verdict import Answer, OracleError


class TargetError(OracleError):
    """The target cannot be used at all (unknown name, not installed, no compiler there): one line for the user."""


class Target(Protocol):
    """A compiler or analysis under test.

    `submit` hands over a batch and returns at once; `collect` waits for the answers to the oldest batch not yet
    collected. A text that kills the compiler is answered CRASHED, one that exceeds its time TIMED_OUT; either way the
    target restarts by itself and answers the rest. Only what can never work raises TargetError.
    """

    @property
    def name(self) -> str:
        """The name in records: `tint@0.6.2`."""

    @property
    def origin(self) -> str:
        """Where this build comes from, for people: `npm webgpu 0.6.2 (Dawn of 2026-09-30)`."""

    @property
    def checks_uniformity(self) -> bool:
        """False: the target declares that it has no uniformity analysis (Naga today)."""

    def submit(self, texts: Sequence[str]) -> None:
        """Hands over a batch of WGSL texts."""

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch submitted, in order."""

    def close(self) -> None:
        """Ends the child processes. A closed target is not used again."""


def answers_of(target: Target, texts: Sequence[str]) -> list[Answer]:
    """What a target says of texts, in one batch; nothing else may be in flight. Raises TargetError."""
    target.submit(texts)
    return target.collect()


CRASH, HANG, GARBLED = "crash", "hang", "garbled"
"""Why the child of a target was replaced: it died, it gave no answer in time, or none that could be read."""


@runtime_checkable
class Restarted(Protocol):
    """A target with a child process that is replaced when it is lost."""

    @property
    def name(self) -> str:
        """As of Target."""

    @property
    def restarted(self) -> Mapping[str, int]:
        """How often its child was replaced, by the reason: CRASH, HANG, GARBLED."""


class InProcess:
    """A function from a text to its answer as a target; it raises what the function raises."""

    def __init__(
        self,
        name: str,
        origin: str,
        answer: Callable[[str], Answer],
        spec: str = "",
        checks: Callable[[], bool] = lambda: True,
    ) -> None:
        """`spec` opens it again; `checks` says whether it checks uniformity."""
        self.name, self.origin, self.spec, self._answer, self._checks = name, origin, spec, answer, checks
        self._batches: deque[tuple[str, ...]] = deque()

    @property
    def checks_uniformity(self) -> bool:
        """Found out when somebody asks."""
        return self._checks()

    def submit(self, texts: Sequence[str]) -> None:
        """Keeps the batch; it is judged when it is collected."""
        self._batches.append(tuple(texts))

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch."""
        return [self._answer(text) for text in self._batches.popleft()]

    def close(self) -> None:
        """Nothing to end."""


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


class Availability(Enum):
    """Whether a target can be used on this machine; the value is what people read."""

    INSTALLED = "installed"
    INSTALLABLE = "can be installed"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """One line of `wgsl-fuzz targets`: the spec, where the build comes from, and when it was made (if known)."""

    name: str
    origin: str
    state: Availability
    date: str = ""
    reason: str = ""
    """Why it is missing, and what would help."""


Factory = Callable[[TargetRequest], Target]
Lister = Callable[[], Sequence[TargetInfo]]
Installer = Callable[[TargetRequest], None]


@dataclass(frozen=True, slots=True)
class TargetFamily:
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


_families: dict[str, TargetFamily] = {}


def register(family: TargetFamily) -> None:
    """Makes a family known. A later one replaces an earlier one of the same prefix."""
    if not family.prefix or set(family.prefix) & set("@:"):
        raise ValueError(f"not a prefix of target names: {family.prefix!r}")
    _known()[family.prefix] = family


def _known() -> dict[str, TargetFamily]:
    """Those registered so far. Ours are imported when somebody asks for one: most children of ours never do."""
    import_module("wgsl_fuzz.oracle.targets.families")
    return _families


def families() -> list[TargetFamily]:
    """Those that are known without plug-ins."""
    return list(_known().values())


def titled(name: str) -> str:
    """A target's name for people: `Tint 0.3.8` for `tint@0.3.8`."""
    prefix, _, version = name.partition("@")
    title = _known()[prefix].title if version and prefix in _known() else ""
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


def family_of(prefix: str) -> TargetFamily:
    """The family of a prefix: registered in code, else found as an entry point; TargetError naming the known ones."""
    if prefix in _known():
        return _families[prefix]
    if "=" in prefix:
        raise TargetError(f"unknown target {prefix!r}; a name of yours has an @ in it: tint@mine=tint:PATH")
    found = list(entry_points(group=ENTRY_POINTS, name=prefix))
    if not found:
        known = ", ".join(known_prefixes())
        raise TargetError(f"unknown target {prefix!r}; known: {known}; a program of yours: FILE.toml (docs/targets.md)")
    try:
        register(TargetFamily(prefix, found[0].load()))
    except (Exception, SystemExit) as error:
        raise TargetError(f"the plug-in for target {prefix!r} cannot be loaded: {error}") from error
    return _families[prefix]


def known_prefixes() -> list[str]:
    """Every registered prefix, sorted, plug-ins included."""
    return sorted({*_known(), *(point.name for point in entry_points(group=ENTRY_POINTS))})


def available() -> list[TargetInfo]:
    """What can be tested here, as the families say, for `wgsl-fuzz targets`; one without a list has its prefix."""
    infos: list[TargetInfo] = []
    for prefix in known_prefixes():
        try:
            family = family_of(prefix)
        except TargetError as error:
            infos.append(TargetInfo(prefix, "plug-in", Availability.MISSING, reason=str(error)))
            continue
        infos += family.infos() if family.infos else [TargetInfo(prefix, "plug-in", Availability.INSTALLED)]
    return infos


DESCRIPTION = ".toml"
"""What the name of a description ends with."""

_NAMED = re.compile(r"([\w-]+@[\w.+-]+)=(.+)", re.DOTALL)


def split_name(spec: str) -> tuple[str | None, str]:
    """The user's name in a spec, if it has one, and what opens the target."""
    found = _NAMED.fullmatch(spec)
    return (None, spec) if found is None else (found[1], found[2])


def is_description(spec: str) -> bool:
    """Whether a target is a compiler by description: it is opened by the path of a TOML file."""
    return spec.endswith(DESCRIPTION) and re.match(r"[\w-]+:", spec) is None


def normal_path(path: str) -> str:
    """One spelling for all of a file's: from the working directory if it is within that, else from the root."""
    whole = Path(os.path.normpath(Path(path).expanduser().absolute()))  # links stay
    here = Path.cwd()
    return str(whole.relative_to(here) if whole.is_relative_to(here) else whole)


@dataclass(slots=True, eq=False)
class NamedTarget:
    """A target around another one, with the name of that or its own; `spec` opens it again."""

    name: str
    target: Target

    @property
    def spec(self) -> str:
        """What opens it, under its name."""
        spec = spec_of(self.target)
        return spec if self.name == self.target.name else f"{self.name}={spec}"

    @property
    def origin(self) -> str:
        """As the target's own."""
        return self.target.origin

    @property
    def checks_uniformity(self) -> bool:
        """As the target's own."""
        return self.target.checks_uniformity

    @property
    def restarted(self) -> Mapping[str, int]:
        """As the target's own; none of one without a child."""
        return self.target.restarted if isinstance(self.target, Restarted) else {}

    def submit(self, texts: Sequence[str]) -> None:
        """Hands over a batch of WGSL texts."""
        self.target.submit(texts)

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch submitted, in order."""
        return self.target.collect()

    def close(self) -> None:
        """Ends the target."""
        self.target.close()


def spec_of(target: Target) -> str:
    """What opens a target again, under the name that it has."""
    spec: str = getattr(target, "spec", "")
    return spec or target.name


def own_names(targets: Iterable[Target]) -> dict[str, str]:
    """What opens each of those targets that are not opened by their name."""
    return {target.name: spec_of(target) for target in targets if spec_of(target) != target.name}


TINT, NAGA, WEBKIT = "tint", "naga", "webkit"

IOS = "-ios"
"""Ends the name of a browser on an Apple telephone, where every one is WebKit, whatever it is called."""

_DESKTOP = {"chromium": TINT, "chrome": TINT, "edge": TINT, "opera": TINT, "firefox": NAGA, "safari": WEBKIT}
BROWSERS: Mapping[str, str] = {**_DESKTOP, **{f"{browser}{IOS}": WEBKIT for browser in _DESKTOP}}
"""By the name of a browser: its compiler. Browsers of other engines are missing."""

SERVED = "browser"
"""The prefix of browsers that open a page of ours."""
_SERVED = re.compile(rf"{SERVED}@([a-z]+(?:{IOS})?)-(\d[\w.]*)")
_FAMILY = re.compile(rf"([a-z]+(?:{IOS})?)[@:].", re.DOTALL)


def as_local(target: str) -> str:
    """The name that a browser would have if it were of this machine: `chromium@156.0` for `browser@chromium-156.0`.

    Other names stay as they are.
    """
    found = _SERVED.fullmatch(target)
    return f"{found[1]}@{found[2]}" if found and found[1] in BROWSERS else target


def families_of(target: str) -> tuple[str, ...]:
    """The families whose builds a target may be like, its own first: `chromium`, then `tint`."""
    local, engine = as_local(target), engine_of(target)
    return tuple(dict.fromkeys([prefix_of(local), *([] if engine is None else [engine])]))


def is_akin(target: str, build: str) -> bool:
    """Whether a build (`tint@0.6.2`) is of a family that a target (`tint:out/tint`, `chromium`) is of."""
    return prefix_of(build) in families_of(target)


def prefix_of(target: str) -> str:
    """The prefix of a target's name: `tint` of `tint@0.6.2` and of `tint:PATH`."""
    return target.split("@")[0].split(":")[0]


def engine_of(target: str) -> str | None:
    """The engine of `tint@0.6.2`, `tint:out/tint`, `chromium@156.0`, `browser@firefox-153.0`; None for others."""
    found = _FAMILY.match(as_local(target))
    family = found[1] if found else ""
    return family if family in (TINT, NAGA, WEBKIT) else BROWSERS.get(family)
