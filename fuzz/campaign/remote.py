"""What works for a campaign, on this machine or on a worker of a cluster: children, one for each thread.

A child keeps its compilers from one task to the next. It is ended after much work, when it has grown, when nobody has
asked for a while, or when its run ends. Nothing here imports Dask.
"""

import hashlib
import os
import pickle
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wgsl_fuzz import __version__, fuzz
from wgsl_fuzz.oracle.rules.rule_file import SUFFIX
from wgsl_fuzz.oracle.targets.children.line_server import ASIDE
from wgsl_fuzz.oracle.targets.children.python_child import child_environment
from wgsl_fuzz.oracle.targets.families.functions import PREFIX as FUNCTION
from wgsl_fuzz.oracle.targets.protocol import CRASH, Target, spec_of

PACKAGES = ("fuzz", "oracle", "strategies", "tinywgsl", "wgsl")
_SOURCES = (".py", ".mjs")
_DIGEST = re.compile(r"sha256 \w+")

Identity = Mapping[str, str]
"""By what people call each part: its version, or its digest."""


def code_identity() -> dict[str, str]:
    """Of the code: what is drawn is a function of the seed only where it is the same."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return {"wgsl-fuzz": f"{__version__} (sources {_digest_of_sources()})", "Python": python}


def target_identity(targets: Iterable[Target]) -> dict[str, str]:
    """Of open targets: where each build comes from, or the digest of its file."""
    return {target.name: _build(target) for target in targets}


def difference(ours: Identity, theirs: Identity) -> str | None:
    """In what two identities differ, in words for the other side; None if they do not."""
    for name, version in ours.items():
        if name not in theirs:
            return f"it has no {name}"
        if theirs[name] != version:
            return f"its {name} is {theirs[name]}, not {version}"
    return None


def _build(target: Target) -> str:
    """A target's build: the digest of a command or of a user's file, independent of its path; otherwise the origin."""
    digest = _DIGEST.search(target.origin)
    if digest is not None:
        return digest[0]
    opens = spec_of(target).rpartition("=")[2]
    prefix, _, rest = opens.partition(":")
    file = None
    if opens.endswith(SUFFIX):
        file = Path(rest or opens)
    elif prefix == FUNCTION:
        file = _file_of_module(rest.partition(":")[0])
    return target.origin if file is None else f"sha256 {hashlib.sha256(file.read_bytes()).hexdigest()[:12]}"


def _file_of_module(name: str) -> Path | None:
    """The file of a module of the user's, which may be in the working directory."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        spec = find_spec(name)
    except ImportError:
        return None
    finally:
        sys.path.pop(0)
    return None if spec is None or spec.origin is None or not Path(spec.origin).is_file() else Path(spec.origin)


def _digest_of_sources() -> str:
    """Twelve hex digits of all our code, whether it is installed or a checkout."""
    digest, root = hashlib.sha256(), Path(fuzz.__file__).parents[1]
    for path in sorted(_sources(root), key=lambda path: path.relative_to(root).as_posix()):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()[:12]


def _sources(root: Path) -> Iterator[Path]:
    for package in PACKAGES:
        for folder, folders, files in os.walk(root / package):
            folders[:] = [name for name in folders if name not in ("__pycache__", "node_modules")]
            yield from (Path(folder) / name for name in files if name.endswith(_SOURCES))


CHILD = "wgsl_fuzz.fuzz.campaign.remote_child"
IDLE_SECONDS = 60.0
"""After so long without work a child ends: the campaign was killed, say."""
RECYCLED = 2048
"""The number of tasks after which a child and its compilers are replaced."""
LARGEST = 1 << 30
"""The bytes of memory after which they are replaced earlier."""
_END_SECONDS = 5.0
_KEPT_ENDED = 64
COUNT, SIZE = "count", "size"
"""Why children were replaced, beside CRASH: they had given RECYCLED answers, or were larger than LARGEST."""

Request = Mapping[str, Any]
"""`run`: its name. `identity`: what the code and the targets must be. `opening`: the plan, the targets' names and
their time-out, pickled. `work`: tasks or a reduction, and the seconds that are left for it, pickled.
"""
DONE, REFUSED, DIED = "done", "refused", "died"
Reply = tuple[str, str, Any]
"""One of these three, the host's name, and the answer (pickled, compressed) or the reason. Of some tasks the first may
be answered only, at least one."""


@dataclass(frozen=True)
class Fault:
    """A fault of ours in a child."""

    line: str
    traceback: str


class Refusal(Exception):
    """This worker cannot work for the run. The message says why."""


class _Dead(Exception):
    """A child has ended."""


@dataclass(eq=False)
class _Child:
    """A process that does the work."""

    run: str
    process: "subprocess.Popen[bytes]"
    is_busy: bool = True
    answers: int = 0
    memory: int = 0
    used: float = field(default_factory=time.monotonic)

    @property
    def worn(self) -> str:
        """Why another one is to take over; empty if none is."""
        return COUNT if self.answers >= RECYCLED else SIZE if self.memory > LARGEST else ""

    def said(self) -> Any:
        """What it says next."""
        assert self.process.stdout is not None, "a pipe"
        try:
            return pickle.load(self.process.stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
            raise _Dead from error

    def tell(self, words: bytes) -> None:
        """Hands it a pickle."""
        assert self.process.stdin is not None, "a pipe"
        try:
            self.process.stdin.write(words)
            self.process.stdin.flush()
        except (OSError, ValueError) as error:
            raise _Dead from error

    def end(self) -> None:
        """Ends it, and with it the compilers: their input ends. One that does not go is killed."""
        with suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        try:
            self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Children:
    """Children of this process, of one run or of several."""

    def __init__(self) -> None:
        self.restarts: Counter[str] = Counter()
        """How often one was replaced, by the reason."""
        self._lock = threading.Lock()
        self._all: list[_Child] = []
        self._ended: list[str] = []
        self._sweeping = False

    def answer(self, request: Request) -> Reply:
        """Has a child do a piece of work. What is a fault of ours there is raised here."""
        host = socket.gethostname()
        try:
            child = self._taken(request)
        except Refusal as error:
            return REFUSED, host, str(error)
        except (OSError, _Dead) as error:
            return DIED, host, str(error)
        try:
            child.tell(pickle.dumps(request["work"]))
            said = child.said()
        except _Dead:
            self._drop(child, CRASH)
            return DIED, host, ""
        if isinstance(said, str | Fault):
            self._drop(child)
            if isinstance(said, Fault):
                raise RuntimeError(f"in a worker: {said.line}") from RuntimeError(f"\n{said.traceback}")
            return REFUSED, host, said
        child.memory, tasks, done = said
        child.answers += tasks
        self._give_back(child)
        return DONE, host, done

    def _taken(self, request: Request) -> _Child:
        """An idle child of the run, or a new one."""
        run = request["run"]
        with self._lock:
            if run in self._ended:
                raise _Dead
            if not self._sweeping:
                self._sweeping = True
                threading.Thread(target=self._sweep, daemon=True).start()
            idle = [child for child in self._all if child.run == run and not child.is_busy]
            child = max(idle, key=lambda one: one.used) if idle else _started(run)
            child.is_busy = True
            self._all += [] if idle else [child]
        if not child.answers:
            try:
                _introduce(child, request)
            except BaseException as error:
                self._drop(child, CRASH if isinstance(error, _Dead) else "")
                raise
        return child

    def _give_back(self, child: _Child) -> None:
        """The child has done its work."""
        with self._lock:
            if not child.worn and child in self._all:
                child.used, child.is_busy = time.monotonic(), False
                return
        self._forget([child], child.worn)
        child.end()

    def _drop(self, child: _Child, why: str = "") -> None:
        """The child is of no use any more."""
        self._forget([child], why)
        child.process.kill()
        child.end()

    def end(self, run: str) -> list[threading.Thread]:
        """Ends the children of a run, busy or idle; the run gets no new ones. Each thread ends with a child."""
        with self._lock:
            self._ended = [*self._ended[-_KEPT_ENDED:], run]
            children = [child for child in self._all if child.run == run]
        self._forget(children)
        threads = [threading.Thread(target=child.end, daemon=True) for child in children]
        for thread in threads:
            thread.start()
        return threads

    def _forget(self, children: Sequence[_Child], why: str = "") -> None:
        with self._lock:
            if why and any(child in self._all for child in children):  # else its run has ended
                self.restarts[why] += 1
            self._all = [child for child in self._all if child not in children]

    def _sweep(self) -> None:
        while self._sweeping:
            time.sleep(IDLE_SECONDS / 4)
            with self._lock:
                since = time.monotonic() - IDLE_SECONDS
                old = [child for child in self._all if not child.is_busy and child.used < since]
                self._all = [child for child in self._all if child not in old]
                self._sweeping = bool(self._all)
            for child in old:
                child.end()


_children = Children()
"""Those of a worker of a cluster."""


def answer(request: Request) -> Reply:
    """Does a piece of work on a worker of a cluster."""
    return _children.answer(request)


def end(run: str) -> None:
    """Ends what is there for a run."""
    _children.end(run)


def _started(run: str) -> _Child:
    """A new child, which has said nothing yet."""
    return _Child(
        run,
        subprocess.Popen(
            [sys.executable, "-P", "-m", CHILD],  # no module of the user's takes the place of Python's
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=child_environment(),
            **ASIDE,
        ),
    )


def _introduce(child: _Child, request: Request) -> None:
    """Makes a new child ready for the run; raises Refusal if it is none that could work for it."""
    identity: Identity = request["identity"]
    code: Identity = child.said()
    ours = {name: version for name, version in identity.items() if name in code}
    if (differs := difference(ours, code)) is not None:
        raise Refusal(differs)
    child.tell(request["opening"])
    opened = child.said()
    if isinstance(opened, str):
        raise Refusal(opened)
    if (differs := difference(identity, {**code, **opened})) is not None:
        raise Refusal(differs)
